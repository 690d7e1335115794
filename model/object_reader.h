#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/error.h"
#include "env/base/schema.h"

namespace pahtum {

// Reads one JSON object of a file field by field. Everything that is not as it must be throws a kRequest
// Error that names the file and the field: "FILE: is not a sound checkpoint: `manifest.step` is missing".
// Keeps a reference to the object.
class ObjectReader {
 public:
  // `what` the file should be: "checkpoint"; `where` the object stands in it: "manifest.game", "" for the
  // whole.
  ObjectReader(const std::filesystem::path& path, std::string what, std::string where,
               const nlohmann::json& object);

  [[nodiscard]] const nlohmann::json& field(const std::string& name) const;
  // minimum … maximum, inclusive.
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t minimum,
                                     std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] const nlohmann::json& list(const std::string& name) const;
  // A list of integers alone.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;
  [[nodiscard]] ObjectReader object(const std::string& name) const;
  // Entry number `index` of a list in this object, itself an object.
  [[nodiscard]] ObjectReader entry(const std::string& name, std::size_t index) const;

  // Refuses every field that is not among `names`.
  void only(std::initializer_list<std::string_view> names) const;
  // The fields of a configuration section, all of them and no other.
  void section(const Schema& schema) const;
  // The same, but what is missing keeps the value it has.
  void partial_section(const Schema& schema) const;

  // The Error that says `why` about the field `name`; about the object itself when that is empty.
  [[nodiscard]] Error refuse(const std::string& name, const std::string& why) const;

 private:
  void assign(const std::string& name, const Field::Integer& target) const;
  void assign(const std::string& name, const Field::Real& target) const;
  void assign(const std::string& name, const Field::Boolean& target) const;
  void assign(const std::string& name, const Field::Text& target) const;
  void assign(const std::string& name, const Field::Parsed& target) const;
  void assign(const std::string& name, const Field::TextList& target) const;
  [[nodiscard]] std::string place_of(const std::string& name) const;

  std::filesystem::path path_;
  std::string what_;
  std::string where_;
  const nlohmann::json& object_;
};

// Parses a JSON document. Refuses with a kRequest Error about `subject` (a file, "FILE:LINE") one that is
// none or holds more than kMostJsonBytes, since a document takes up to some thirty times its bytes in memory;
// and one nested deeper than kMostJsonDepth, since copying and writing go as deep into the stack.
inline constexpr std::size_t kMostJsonBytes = std::size_t{256} << 20;
inline constexpr int kMostJsonDepth = 64;
// Of what says how the weights in a file lie: hundreds of times what any network needs.
inline constexpr std::size_t kMostHeaderBytes = std::size_t{16} << 20;
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& subject,
                                        std::size_t most_bytes = kMostJsonBytes);

// A configuration section as ObjectReader::section() reads it.
[[nodiscard]] nlohmann::json section_to_json(const Schema& schema);

}  // namespace pahtum
