#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace pahtum {

// Fowler–Noll–Vo hash (FNV-1a, 64 bits) of what it is fed with. Numbers are fed as 64-bit integers, the
// lowest byte first, so that byte order plays no part.
class Fingerprint {
 public:
  void add(std::uint64_t value) noexcept {
    for (int shift = 0; shift < 64; shift += 8) add_byte(value >> shift & 0xFF);
  }
  void add(float value) noexcept { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
  template <class T>
  void add_all(std::span<const T> values) noexcept {
    if constexpr (std::is_same_v<T, float>) {
      for (const T value : values) add(value);
    } else {
      for (const T value : values) add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }
  }
  void add_bytes(std::string_view bytes) noexcept {
    for (const char byte : bytes) add_byte(static_cast<unsigned char>(byte));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(std::uint64_t byte) noexcept { value_ = (value_ ^ byte) * 0x100000001B3ull; }

  std::uint64_t value_ = 0xCBF29CE484222325ull;
};

}  // namespace pahtum
