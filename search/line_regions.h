#pragma once

// Internal to search/: the parts of a row or column that decide what it can still bring.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/bitboard.h"

namespace pahtum {

// A row or column is cut at holes and between neighbouring stones of unlike colours. What is left are its
// regions: three to eight squares, on some of which a run can still grow or stands. Shorter ones, and those
// in which nobody can have three in a row any more, bring nothing and are no regions here.
//
// Regions that are mirrored, or that have the colours exchanged, are one kind. A kind is written as the
// smallest of these four forms, `.` for an empty square, `b`, and `w`: "..bb".
class RegionKinds {
 public:
  // Made once in a program.
  [[nodiscard]] static const RegionKinds& all();

  [[nodiscard]] std::size_t count() const noexcept { return kinds_.size(); }
  [[nodiscard]] const std::string& text(std::size_t kind) const noexcept { return kinds_[kind].text; }
  // Exchanging the colours makes the same region: neither has anything over the other.
  [[nodiscard]] bool is_balanced(std::size_t kind) const noexcept { return kinds_[kind].balanced; }

  struct Found {
    std::int32_t kind;  // kNone: no region
    std::int32_t sign;  // 1 in the colours of text(), −1 in the others; 0 when balanced
  };
  static constexpr std::int32_t kNone = -1;
  // Of a text as in text(), in any of the four forms.
  [[nodiscard]] Found find(std::string_view region) const;

 private:
  RegionKinds();
  struct Kind {
    std::string text;
    bool balanced;
  };
  std::vector<Kind> kinds_;  // in ascending order of length, then text
};

// The contents of a line of `size` squares as a number below 4^size: bit k for a stone of mine on square k,
// bit size + k for one of theirs, both for a hole.
[[nodiscard]] constexpr std::size_t line_contents(std::size_t mine, std::size_t theirs, int size) noexcept {
  return mine | theirs << size;
}

// The regions of every line of `size` squares. Colours are mine and theirs, for White and Black of a text.
class LineRegions {
 public:
  static constexpr std::size_t kMost = 2;  // of three squares or more in a line of eight

  [[nodiscard]] static const LineRegions& of(int size);  // made once for each size

  using Terms = std::array<RegionKinds::Found, kMost>;  // the last ones may be kNone
  [[nodiscard]] const Terms& operator[](std::size_t contents) const noexcept { return terms_[contents]; }
  [[nodiscard]] std::size_t count() const noexcept { return terms_.size(); }

 private:
  explicit LineRegions(int size);
  std::vector<Terms> terms_;  // [line_contents()]
};

}  // namespace pahtum
