#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/base/error.h"

namespace pahtum {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

// Numbers of the binary formats, and what consists of them: little-endian, floating-point ones by their bits.
template <class Number>
void append_number(std::string& bytes, const Number& number) {
  static_assert(std::is_trivially_copyable_v<Number>);
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(number));
  std::memcpy(bytes.data() + at, &number, sizeof(number));
}

template <class Number, std::size_t kCount>
void append_numbers(std::string& bytes, std::span<Number, kCount> numbers) {
  static_assert(std::is_trivially_copyable_v<Number>);
  const std::size_t at = bytes.size();
  bytes.resize(at + numbers.size_bytes());
  if (!numbers.empty()) std::memcpy(bytes.data() + at, numbers.data(), numbers.size_bytes());
}

// A count (u32), then so many.
template <class Number>
void append_all(std::string& bytes, const std::vector<Number>& numbers) {
  append_number(bytes, static_cast<std::uint32_t>(numbers.size()));
  append_numbers(bytes, std::span(numbers));
}

// Reads them one after the other. Throws a kRequest Error that names `source` rather than read past the end,
// and before anything is taken for numbers that are not there. The bytes must outlive it.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string source) : left_(bytes), source_(std::move(source)) {}

  [[nodiscard]] std::string_view next_text(std::size_t length) {
    if (length > left_.size()) {
      throw refuse("ends too early: " + std::to_string(length) + " bytes should follow, " +
                   std::to_string(left_.size()) + " do");
    }
    const std::string_view text = left_.substr(0, length);
    left_.remove_prefix(length);
    return text;
  }
  template <class Number>
  [[nodiscard]] Number next() {
    Number number{};
    fill(std::span(&number, 1));
    return number;
  }
  template <class Number, std::size_t kCount>
  void fill(std::span<Number, kCount> numbers) {
    static_assert(std::is_trivially_copyable_v<Number> && !std::is_same_v<Number, bool>);
    const std::string_view bytes = next_text(numbers.size_bytes());
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }

  // What append_all() wrote.
  template <class Number>
  [[nodiscard]] std::vector<Number> next_all() {
    const auto count = next<std::uint32_t>();
    if (count > left_.size() / sizeof(Number)) {
      throw refuse("ends too early: " + std::to_string(count) + " numbers should follow");
    }
    std::vector<Number> numbers(count);
    fill(std::span(numbers));
    return numbers;
  }
  void require_end() const {
    if (!left_.empty()) throw refuse("holds " + std::to_string(left_.size()) + " bytes more than it should");
  }

  // How many bytes were not read yet.
  [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }
  // An Error that says what is wrong with the source.
  [[nodiscard]] Error refuse(const std::string& why) const { return request_error(source_, why); }

 private:
  std::string_view left_;
  std::string source_;
};

}  // namespace pahtum
