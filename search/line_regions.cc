#include "search/line_regions.h"

#include <algorithm>
#include <cassert>

namespace pahtum {
namespace {

constexpr std::size_t kShortestRun = 3;

std::string mirrored(std::string text) {
  std::ranges::reverse(text);
  return text;
}

std::string recolored(std::string text) {
  for (char& square : text) square = square == 'w' ? 'b' : square == 'b' ? 'w' : square;
  return text;
}

bool has_room_for(std::string_view text, char stone) {
  std::size_t run = 0;
  for (const char square : text) {
    run = square == '.' || square == stone ? run + 1 : 0;
    if (run == kShortestRun) return true;
  }
  return false;
}

bool is_cut(char before, char after) {
  return before != '.' && after != '.' && before != after;
}

bool is_region(std::string_view text) {
  for (std::size_t k = 1; k < text.size(); ++k) {
    if (is_cut(text[k - 1], text[k])) return false;
  }
  return has_room_for(text, 'w') || has_room_for(text, 'b');
}

// Shorter ones first.
bool comes_before(std::string_view first, std::string_view second) {
  return first.size() != second.size() ? first.size() < second.size() : first < second;
}

}  // namespace

RegionKinds::RegionKinds() {
  std::vector<std::string> texts = {""};
  for (std::size_t begin = 0, length = 1; length <= std::size_t{kMaxSize}; ++length) {
    const std::size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const char square : {'.', 'b', 'w'}) texts.push_back(texts[begin] + square);
    }
  }
  for (const std::string& text : texts) {
    const std::string other = recolored(text);
    if (!is_region(text) || text > std::min({mirrored(text), other, mirrored(other)})) continue;
    kinds_.push_back({text, other == text || mirrored(other) == text});
  }
  std::ranges::sort(kinds_, comes_before, &Kind::text);
}

const RegionKinds& RegionKinds::all() {
  static const RegionKinds kAll;
  return kAll;
}

RegionKinds::Found RegionKinds::find(std::string_view region) const {
  const std::string same = std::min(std::string(region), mirrored(std::string(region)));
  const std::string other =
      std::min(recolored(std::string(region)), mirrored(recolored(std::string(region))));
  const auto kind = std::ranges::lower_bound(kinds_, std::min(same, other), comes_before, &Kind::text);
  if (kind == kinds_.end() || kind->text != std::min(same, other)) return {kNone, 0};
  return {static_cast<std::int32_t>(kind - kinds_.begin()), kind->balanced ? 0 : same < other ? 1 : -1};
}

LineRegions::LineRegions(int size)
    : terms_(std::size_t{1} << (2 * size), Terms{{{RegionKinds::kNone, 0}, {RegionKinds::kNone, 0}}}) {
  constexpr std::string_view kSquares = ".wbx";
  const RegionKinds& kinds = RegionKinds::all();
  for (std::size_t contents = 0; contents < terms_.size(); ++contents) {
    std::size_t found = 0;
    std::string region;
    const auto close = [&] {
      const RegionKinds::Found term = kinds.find(region);
      if (term.kind != RegionKinds::kNone) terms_[contents][found++] = term;
      region.clear();
    };
    for (int k = 0; k < size; ++k) {
      const char square = kSquares[(contents >> k & 1) | (contents >> (size + k) & 1) << 1];
      if (square == 'x' || (!region.empty() && is_cut(region.back(), square))) close();
      if (square != 'x') region += square;
    }
    close();
  }
}

const LineRegions& LineRegions::of(int size) {
  assert(size >= kMinSize && size <= kMaxSize);
  static const std::array<LineRegions, kMaxSize - kMinSize + 1> kBySize = {
      LineRegions(3), LineRegions(4), LineRegions(5), LineRegions(6), LineRegions(7), LineRegions(8)};
  return kBySize[static_cast<std::size_t>(size - kMinSize)];
}

}  // namespace pahtum
