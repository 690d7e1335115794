#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/base/error.h"

namespace pahtum {

// A place in a file, both counted from 1.
struct ConfigMark {
  int line = 1;
  int column = 1;
};

struct ConfigEntry;

// One node of a YAML document, reduced to what a configuration may hold: no tags, anchors or aliases.
struct ConfigNode {
  enum class Kind : unsigned char { kNull, kPlain, kQuoted, kList, kMap };

  Kind kind = Kind::kNull;
  ConfigMark mark;
  std::string text;                 // of kPlain and kQuoted
  std::vector<ConfigNode> items;    // of kList
  std::vector<ConfigEntry> fields;  // of kMap, in file order, duplicates kept
};

struct ConfigEntry {
  ConfigNode key, value;
};

// Where a text comes from, for messages: a file, whose faults carry line and column, or one `--set`.
class ConfigSource {
 public:
  [[nodiscard]] static ConfigSource file(std::string name) { return {std::move(name), true}; }
  [[nodiscard]] static ConfigSource option(const std::string& key) { return {"--set " + key, false}; }

  // "FILE:LINE:COLUMN: message" or "--set KEY: message".
  [[nodiscard]] Error error(ConfigMark mark, const std::string& message) const;

 private:
  ConfigSource(std::string name, bool marked) : name_(std::move(name)), marked_(marked) {}

  std::string name_;
  bool marked_;
};

inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxConfigDepth = 8;

// Parses one YAML document; an empty text is a kNull node. Throws a kRequest Error for broken YAML, a second
// document, tags, anchors, aliases, more than kMaxConfigBytes or lists and maps nested deeper than
// kMaxConfigDepth.
[[nodiscard]] ConfigNode parse_config_document(std::string_view text, const ConfigSource& source);

}  // namespace pahtum
