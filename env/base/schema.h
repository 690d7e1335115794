#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pahtum {

// A field of a configuration struct: its name, where its value lives, and what a person needs to know of it.
// Everything that deals with configuration (YAML reader, --set, reference page, `config show`) works from
// a list of these; a struct is described once, beside its declaration.
struct Field {
  struct Integer {
    std::int64_t* value;
    std::int64_t minimum, maximum;  // inclusive
  };
  struct Real {
    double* value;
    double minimum, maximum;  // inclusive
  };
  struct Boolean {
    bool* value;
  };
  struct Text {
    std::string* value;
    std::vector<std::string> choices;  // empty: any text
  };
  struct TextList {
    std::vector<std::string>* value;
  };
  // A value with a grammar of its own. As a text it may also be written as a YAML list or map: the parts are
  // joined by commas, key and value of a map by a colon.
  struct Parsed {
    std::string type;  // for people: "number or weighted choice of numbers"
    std::function<std::string()> text;
    std::function<void(std::string_view)>
        assign;  // throws an Error that says what is wrong, without a subject
  };
  using Target = std::variant<Integer, Real, Boolean, Text, TextList, Parsed>;

  std::string name;
  Target target;
  std::string unit;  // "" for a pure number
  std::string help;
  bool required = false;             // a configuration without it is refused,
  std::string required_unless = {};  // unless it gives this key of the same section
};

// The description of one section of the configuration, bound to one object. The object must outlive it.
class Schema {
 public:
  Schema(std::string name, std::string help) : name_(std::move(name)), help_(std::move(help)) {}

  Schema& integer(std::string name, std::int64_t* value, std::int64_t minimum, std::int64_t maximum,
                  std::string unit, std::string help) {
    return add({std::move(name), Field::Integer{value, minimum, maximum}, std::move(unit), std::move(help)});
  }
  Schema& real(std::string name, double* value, double minimum, double maximum, std::string unit,
               std::string help) {
    return add({std::move(name), Field::Real{value, minimum, maximum}, std::move(unit), std::move(help)});
  }
  Schema& boolean(std::string name, bool* value, std::string help) {
    return add({std::move(name), Field::Boolean{value}, "", std::move(help)});
  }
  Schema& text(std::string name, std::string* value, std::vector<std::string> choices, std::string help) {
    return add({std::move(name), Field::Text{value, std::move(choices)}, "", std::move(help)});
  }
  Schema& text_list(std::string name, std::vector<std::string>* value, std::string help) {
    return add({std::move(name), Field::TextList{value}, "", std::move(help)});
  }
  Schema& parsed(std::string name, Field::Parsed target, std::string unit, std::string help) {
    return add({std::move(name), std::move(target), std::move(unit), std::move(help)});
  }
  // Makes the field added last one that a configuration must give, unless it gives the key `other`.
  Schema& required(std::string other = "") {
    fields_.back().required = true;
    fields_.back().required_unless = std::move(other);
    return *this;
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& help() const noexcept { return help_; }
  [[nodiscard]] std::span<const Field> fields() const noexcept { return fields_; }

 private:
  Schema& add(Field field) {
    fields_.push_back(std::move(field));
    return *this;
  }

  std::string name_;
  std::string help_;
  std::vector<Field> fields_;
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace pahtum
