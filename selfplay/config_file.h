#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "selfplay/run_config.h"

namespace pahtum {

// Reads a YAML configuration, then applies `overrides` ("section.key=value", the value in YAML), then
// validates. Throws a kRequest Error
//   FILE:LINE:COLUMN: message
// for a missing file, broken YAML, and unknown (with the nearest valid name), duplicate, missing, mistyped or
// out-of-range keys (with the range), or `--set section.key: message` when an override is at fault.
[[nodiscard]] RunConfig load_run_config(const std::filesystem::path& path,
                                        std::span<const std::string> overrides = {});

// The same from text; `name` stands for the file in messages, and its folder is where layout files are looked
// for.
[[nodiscard]] RunConfig parse_run_config(std::string_view text, const std::string& name,
                                         std::span<const std::string> overrides = {});

// A `game` section of its own: what `--rules FILE` reads.
[[nodiscard]] GameConfig load_rules(const std::filesystem::path& path);

// The whole configuration as YAML, each section and key in schema order; reading it back gives the same
// configuration. `comments` adds each key's help, unit and range.
[[nodiscard]] std::string to_yaml(const RunConfig& config, bool comments = false);

// docs/config.md: every section and key with type, default, range, unit and help.
[[nodiscard]] std::string reference_page();

}  // namespace pahtum
