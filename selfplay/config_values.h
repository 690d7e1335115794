#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/schema.h"
#include "selfplay/config_document.h"

namespace pahtum {

// Writes the value of `node` into the field, or throws a kRequest Error (at the node's mark) that says what
// is wrong with it and what the field takes. `key` names the field in messages: "game.holes".
void assign_config_value(const Field& field, const std::string& key, const ConfigNode& node,
                         const ConfigSource& source);

// The field's present value as YAML text that reads back as exactly the same value.
[[nodiscard]] std::string config_value_text(const Field& field);

// For people: "integer", "number", "true or false", "one of `adamw`, `sgd`", "list of texts", or what a
// field of its own grammar says of itself.
[[nodiscard]] std::string config_type_text(const Field& field);
// For people: "3 to 8 squares", "at least 0", "" when anything goes.
[[nodiscard]] std::string config_range_text(const Field& field);

// What to say after an unknown name: "; did you mean `channels`?" for a near one (edit distance), else
// "; valid names: …".
[[nodiscard]] std::string suggestion(std::string_view unknown, std::span<const std::string> valid);

}  // namespace pahtum
