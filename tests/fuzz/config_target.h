#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selfplay/config_file.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: a configuration as YAML. Comments at its start that begin with "#set " are overrides. An input with
// an @ is passed over: a layout that begins with it names a file, which may be anything.
inline void fuzz_config(std::span<const std::uint8_t> bytes) {
  const std::string_view text = text_of(bytes);
  if (text.find('@') != std::string_view::npos) return;
  constexpr std::string_view kOverride = "#set ";
  std::vector<std::string> overrides;
  for (std::string_view left = text; left.starts_with(kOverride);) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    overrides.emplace_back(left.substr(kOverride.size(), end - kOverride.size()));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  std::optional<RunConfig> config;
  if (is_refused([&] { config = parse_run_config(text, "input.yaml", overrides); })) return;
  validate(*config);
  for (const bool comments : {false, true}) {
    const std::string written = to_yaml(*config, comments);
    const RunConfig again = parse_run_config(written, "output.yaml");
    require(again.game == config->game && again.network == config->network,
            "rules and network are read as they were written");
    require(to_yaml(again, comments) == written, "a configuration is read as it was written");
  }
}

}  // namespace pahtum::fuzz
