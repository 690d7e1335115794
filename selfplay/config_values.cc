#include "selfplay/config_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace pahtum {
namespace {

using Kind = ConfigNode::Kind;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// Shortest text that reads back as the same double.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string number_text(std::int64_t value) {
  return std::to_string(value);
}

bool unlimited(double bound) {
  return std::isinf(bound);
}
bool unlimited(std::int64_t bound) {
  return bound == std::numeric_limits<std::int64_t>::max() ||
         bound == std::numeric_limits<std::int64_t>::min();
}

template <class Number>
std::string bounds_text(Number minimum, Number maximum) {
  if (unlimited(minimum) && unlimited(maximum)) return "";
  if (unlimited(maximum)) return "at least " + number_text(minimum);
  if (unlimited(minimum)) return "at most " + number_text(maximum);
  return number_text(minimum) + " to " + number_text(maximum);
}

std::string quoted_list(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

// "an integer, 3 to 8 squares"
std::string expectation(const Field& field) {
  const std::string range = config_range_text(field);
  const std::string type = config_type_text(field);
  const bool vowel = type.starts_with("integer");
  const bool article = vowel || type.starts_with("number") || type.starts_with("list");
  return (article ? (vowel ? "an " : "a ") : "") + type + (range.empty() ? "" : ", " + range);
}

// What was found, for messages: never the whole of a long text.
std::string found(const ConfigNode& node) {
  constexpr std::size_t kShown = 40;
  switch (node.kind) {
    case Kind::kNull:
      return "no value";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kPlain:
    case Kind::kQuoted:
      break;
  }
  const std::string shown = node.text.size() <= kShown ? node.text : node.text.substr(0, kShown) + "…";
  return node.kind == Kind::kQuoted ? "the quoted text \"" + shown + "\"" : "`" + shown + "`";
}

struct Assignment {
  const Field& field;
  const std::string& key;
  const ConfigNode& node;
  const ConfigSource& source;

  [[nodiscard]] Error mistyped() const {
    return source.error(node.mark, key + " must be " + expectation(field) + "; found " + found(node));
  }
  [[nodiscard]] Error out_of_range() const {
    return source.error(node.mark, key + " must be " + config_range_text(field) + "; found " + found(node));
  }
  void require_plain() const {
    if (node.kind != Kind::kPlain) throw mistyped();
  }

  // The text without a plus sign, which from_chars does not take.
  [[nodiscard]] std::string_view unsigned_text() const {
    const std::string_view text = node.text;
    return text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  }

  void operator()(const Field::Integer& target) const {
    require_plain();
    const std::string_view digits = unsigned_text();
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = end == digits.data() + digits.size();
    if (fault == std::errc::result_out_of_range && whole) {
      throw source.error(node.mark, key + " must be " + expectation(field) + "; " + found(node) +
                                        " does not fit in 64 bits");
    }
    if (fault != std::errc() || !whole) throw mistyped();
    if (value < target.minimum || value > target.maximum) throw out_of_range();
    *target.value = value;
  }

  void operator()(const Field::Real& target) const {
    require_plain();
    const std::string_view digits = unsigned_text();
    double value = 0.0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = end == digits.data() + digits.size();
    if (fault == std::errc::result_out_of_range && whole) {
      throw source.error(node.mark, key + " must be " + expectation(field) + "; " + found(node) +
                                        " is too large or too small for a double");
    }
    const bool yaml_special = node.text == ".nan" || node.text == ".NaN" || node.text == ".NAN" ||
                              node.text.ends_with(".inf") || node.text.ends_with(".Inf") ||
                              node.text.ends_with(".INF");
    if (yaml_special || (fault == std::errc() && whole && !std::isfinite(value))) {
      throw source.error(node.mark,
                         key + " must be finite: " + expectation(field) + "; found " + found(node));
    }
    if (fault != std::errc() || !whole) throw mistyped();
    if (value < target.minimum || value > target.maximum) throw out_of_range();
    *target.value = value;
  }

  void operator()(const Field::Boolean& target) const {
    require_plain();
    if (node.text == "true") {
      *target.value = true;
    } else if (node.text == "false") {
      *target.value = false;
    } else {
      throw mistyped();
    }
  }

  void operator()(const Field::Text& target) const {
    if (node.kind != Kind::kPlain && node.kind != Kind::kQuoted) throw mistyped();
    const bool valid =
        target.choices.empty() || std::ranges::find(target.choices, node.text) != target.choices.end();
    if (!valid) {
      throw source.error(node.mark, key + " must be " + expectation(field) + "; found " + found(node) +
                                        suggestion(node.text, target.choices));
    }
    *target.value = node.text;
  }

  void operator()(const Field::TextList& target) const {
    if (node.kind != Kind::kList) throw mistyped();
    std::vector<std::string> values;
    for (const ConfigNode& item : node.items) {
      if (item.kind != Kind::kPlain && item.kind != Kind::kQuoted) {
        throw source.error(
            item.mark, key + " must be " + expectation(field) + "; found " + found(item) + " in the list");
      }
      values.push_back(item.text);
    }
    *target.value = std::move(values);
  }

  void operator()(const Field::Parsed& target) const {
    try {
      target.assign(flat_text(node));
    } catch (const Error& error) {
      throw source.error(node.mark, key + ": " + error.what());
    }
  }

  // A scalar as it stands; the parts of a list or map joined by commas.
  [[nodiscard]] std::string flat_text(const ConfigNode& value) const {
    const auto scalar = [&](const ConfigNode& part) {
      if (part.kind != Kind::kPlain && part.kind != Kind::kQuoted) throw mistyped();
      return part.text;
    };
    std::string text;
    if (value.kind == Kind::kList) {
      for (const ConfigNode& item : value.items) text += (text.empty() ? "" : ",") + scalar(item);
    } else if (value.kind == Kind::kMap) {
      for (const auto& [name, item] : value.fields) {
        text += (text.empty() ? "" : ",") + scalar(name) + ":" + scalar(item);
      }
    } else {
      text = scalar(value);
    }
    return text;
  }
};

// Plain where YAML reads the same text back under every schema, else in double quotes.
std::string yaml_text(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == ':';
  };
  constexpr std::array<std::string_view, 6> kWords = {"null", "true", "false", "yes", "no", "y"};
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const bool letter_first = !text.empty() && lower.front() >= 'a' && lower.front() <= 'z';
  if (letter_first && text.back() != ':' && std::ranges::all_of(text, plain) &&
      std::ranges::find(kWords, lower) == kWords.end()) {
    return text;
  }
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (code < 0x20 || code == 0x7F) {
      out += {'\\', 'x', kHex[code >> 4], kHex[code & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// A plain number stays one; anything else is a text.
std::string parsed_text(const std::string& text) {
  const bool number =
      !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return number ? text : yaml_text(text);
}

// Damerau–Levenshtein distance over bytes (optimal string alignment): typing slips cost 1.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0u : 1u);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

void assign_config_value(const Field& field, const std::string& key, const ConfigNode& node,
                         const ConfigSource& source) {
  std::visit(Assignment{field, key, node, source}, field.target);
}

std::string config_value_text(const Field& field) {
  return std::visit(
      Overloaded{
          [](const Field::Integer& target) { return number_text(*target.value); },
          [](const Field::Real& target) { return number_text(*target.value); },
          [](const Field::Boolean& target) { return std::string(*target.value ? "true" : "false"); },
          [](const Field::Text& target) { return yaml_text(*target.value); },
          [](const Field::TextList& target) {
            std::string text;
            for (const std::string& item : *target.value)
              text += (text.empty() ? "" : ", ") + yaml_text(item);
            return "[" + text + "]";
          },
          [](const Field::Parsed& target) { return parsed_text(target.text()); },
      },
      field.target);
}

std::string config_type_text(const Field& field) {
  return std::visit(Overloaded{
                        [](const Field::Integer&) { return std::string("integer"); },
                        [](const Field::Real&) { return std::string("number"); },
                        [](const Field::Boolean&) { return std::string("true or false"); },
                        [](const Field::Text& target) {
                          return target.choices.empty() ? std::string("text")
                                                        : "one of " + quoted_list(target.choices);
                        },
                        [](const Field::TextList&) { return std::string("list of texts"); },
                        [](const Field::Parsed& target) { return target.type; },
                    },
                    field.target);
}

std::string config_range_text(const Field& field) {
  std::string bounds =
      std::visit(Overloaded{
                     [](const Field::Integer& target) { return bounds_text(target.minimum, target.maximum); },
                     [](const Field::Real& target) { return bounds_text(target.minimum, target.maximum); },
                     [](const auto&) { return std::string(); },
                 },
                 field.target);
  if (!bounds.empty() && !field.unit.empty()) bounds += " " + field.unit;
  return bounds;
}

std::string suggestion(std::string_view unknown, std::span<const std::string> valid) {
  constexpr std::size_t kLongestName = 64;
  if (unknown.size() <= kLongestName && !valid.empty()) {
    const auto nearest = std::ranges::min_element(
        valid, {}, [&](const std::string& name) { return edit_distance(unknown, name); });
    const std::size_t near = std::max<std::size_t>(2, unknown.size() / 2);
    const std::size_t distance = edit_distance(unknown, *nearest);
    if (distance <= near && distance < unknown.size()) return "; did you mean `" + *nearest + "`?";
  }
  return "; valid names: " + quoted_list(valid);
}

}  // namespace pahtum
