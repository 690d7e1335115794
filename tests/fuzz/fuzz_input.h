#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

// What the fuzz targets share. A target reads its input through FuzzInput and aborts through require(), so
// that libFuzzer keeps the input and the replay in the test suite fails.
namespace pahtum::fuzz {

inline void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: violated: %.*s\n", static_cast<int>(what.size()), what.data());
  std::fflush(stderr);
  std::abort();
}

// Numbers from the input's bytes; zeros once they are used up, so that every input is a whole one.
class FuzzInput {
 public:
  explicit FuzzInput(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  [[nodiscard]] bool empty() const { return left_.empty(); }

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  // 0 … bound − 1, 1 ≤ bound ≤ 256.
  int below(int bound) { return byte() % bound; }
  bool flag() { return (byte() & 1) != 0; }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  // The bytes up to the next newline, which is dropped.
  std::string_view line() {
    const std::string_view text(reinterpret_cast<const char*>(left_.data()), left_.size());
    const std::size_t end = text.find('\n');
    left_ = left_.subspan(end == std::string_view::npos ? left_.size() : end + 1);
    return text.substr(0, end);
  }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace pahtum::fuzz
