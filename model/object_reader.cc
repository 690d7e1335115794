#include "model/object_reader.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace pahtum {

using nlohmann::json;

ObjectReader::ObjectReader(const std::filesystem::path& path, std::string what, std::string where,
                           const json& object)
    : path_(path), what_(std::move(what)), where_(std::move(where)), object_(object) {
  if (!object.is_object()) throw refuse("", "is not an object");
}

const json& ObjectReader::field(const std::string& name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) throw refuse(name, "is missing");
  return *found;
}

std::int64_t ObjectReader::integer(const std::string& name, std::int64_t minimum,
                                   std::int64_t maximum) const {
  const json& value = field(name);
  if (!value.is_number_integer()) throw refuse(name, "is not an integer");
  const bool too_large = value.is_number_unsigned() &&
                         value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (too_large || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > maximum) {
    throw refuse(name, "is " + value.dump() + "; it must be in " + std::to_string(minimum) + " … " +
                           std::to_string(maximum));
  }
  return value.get<std::int64_t>();
}

std::string ObjectReader::text(const std::string& name) const {
  const json& value = field(name);
  if (!value.is_string()) throw refuse(name, "is not a text");
  return value.get<std::string>();
}

const json& ObjectReader::list(const std::string& name) const {
  const json& value = field(name);
  if (!value.is_array()) throw refuse(name, "is not a list");
  return value;
}

std::vector<std::int64_t> ObjectReader::integers(const std::string& name) const {
  std::vector<std::int64_t> numbers;
  for (const json& entry : list(name)) {
    if (!entry.is_number_integer()) throw refuse(name, "holds something that is not an integer");
    numbers.push_back(entry.get<std::int64_t>());
  }
  return numbers;
}

ObjectReader ObjectReader::object(const std::string& name) const {
  return {path_, what_, place_of(name), field(name)};
}

ObjectReader ObjectReader::entry(const std::string& name, std::size_t index) const {
  return {path_, what_, place_of(name) + "[" + std::to_string(index) + "]", list(name).at(index)};
}

void ObjectReader::only(std::initializer_list<std::string_view> names) const {
  for (const auto& item : object_.items()) {
    if (std::ranges::find(names, item.key()) == names.end()) {
      throw refuse(item.key(), "is unknown to this version of the program");
    }
  }
}

void ObjectReader::section(const Schema& schema) const {
  for (const Field& description : schema.fields()) static_cast<void>(field(description.name));
  partial_section(schema);
}

void ObjectReader::partial_section(const Schema& schema) const {
  std::set<std::string> known;
  for (const Field& description : schema.fields()) {
    known.insert(description.name);
    if (!object_.contains(description.name)) continue;
    std::visit([&](const auto& target) { assign(description.name, target); }, description.target);
  }
  for (const auto& item : object_.items()) {
    if (!known.contains(item.key())) throw refuse(item.key(), "is unknown to this version of the program");
  }
}

Error ObjectReader::refuse(const std::string& name, const std::string& why) const {
  const std::string place = place_of(name);
  return request_error(path_.string(), "is not a sound " + what_ + ": " +
                                           (place.empty() ? "it" : "`" + place + "`") + " " + why);
}

std::string ObjectReader::place_of(const std::string& name) const {
  return where_ + (where_.empty() || name.empty() ? "" : ".") + name;
}

void ObjectReader::assign(const std::string& name, const Field::Integer& target) const {
  *target.value = integer(name, target.minimum, target.maximum);
}

void ObjectReader::assign(const std::string& name, const Field::Real& target) const {
  const json& value = field(name);
  if (!value.is_number()) throw refuse(name, "is not a number");
  *target.value = value.get<double>();
  if (!(*target.value >= target.minimum && *target.value <= target.maximum)) {
    throw refuse(name, "is " + value.dump() + "; it must be in " + json(target.minimum).dump() + " … " +
                           json(target.maximum).dump());
  }
}

void ObjectReader::assign(const std::string& name, const Field::Boolean& target) const {
  if (!field(name).is_boolean()) throw refuse(name, "is not true or false");
  *target.value = field(name).get<bool>();
}

void ObjectReader::assign(const std::string& name, const Field::Text& target) const {
  *target.value = text(name);
  if (!target.choices.empty() && std::ranges::find(target.choices, *target.value) == target.choices.end()) {
    throw refuse(name, "is \"" + *target.value + "\", which this version of the program does not know");
  }
}

void ObjectReader::assign(const std::string& name, const Field::Parsed& target) const {
  try {
    // The number of holes was a number once.
    target.assign(field(name).is_number_integer() ? field(name).dump() : text(name));
  } catch (const Error& error) {
    // What text() refused says where already.
    if (!error.subject().empty()) throw;
    throw refuse(name, error.what());
  }
}

void ObjectReader::assign(const std::string& name, const Field::TextList& target) const {
  target.value->clear();
  for (const json& entry : list(name)) {
    if (!entry.is_string()) throw refuse(name, "holds something that is not a text");
    target.value->push_back(entry.get<std::string>());
  }
}

json parse_json(std::string_view text, const std::string& subject, std::size_t most_bytes) {
  if (text.size() > most_bytes) {
    throw request_error(subject, "has " + std::to_string(text.size()) + " bytes of JSON; at most " +
                                     std::to_string(most_bytes) + " are read");
  }
  const auto limit_depth = [&](int depth, json::parse_event_t /*event*/, json& /*value*/) {
    if (depth <= kMostJsonDepth) return true;
    throw request_error(subject, "is JSON nested deeper than " + std::to_string(kMostJsonDepth) + " levels");
  };
  try {
    return json::parse(text, limit_depth);
  } catch (const json::exception& error) {
    throw request_error(subject, std::string("is no JSON document: ") + error.what());
  }
}

json section_to_json(const Schema& schema) {
  json object = json::object();
  for (const Field& field : schema.fields()) {
    std::visit(
        [&](const auto& target) {
          if constexpr (requires { target.value; }) {
            object[field.name] = *target.value;
          } else {
            object[field.name] = target.text();
          }
        },
        field.target);
  }
  return object;
}

}  // namespace pahtum
