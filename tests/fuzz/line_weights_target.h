#pragma once

#include <optional>
#include <span>
#include <string>

#include "search/line_weights.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: a first byte, then weights of the line evaluation as text. Where the byte is odd, the text is put
// behind as many lines, less one, of a whole file and takes the place of the line there: few inputs would
// have all regions.
inline void fuzz_line_weights(std::span<const std::uint8_t> bytes) {
  std::string text(text_of(bytes.empty() ? bytes : bytes.subspan(1)));
  if (!bytes.empty() && bytes.front() % 2 == 1) {
    static const std::string kWhole = LineWeights().text("zeros");
    std::size_t start = 0;
    for (int line = 1; line < bytes.front(); ++line) start = kWhole.find('\n', start) + 1;
    const std::size_t end = kWhole.find('\n', start);
    text = kWhole.substr(0, start) + text + kWhole.substr(end);
  }
  std::optional<LineWeights> weights;
  if (is_refused([&] { weights = LineWeights::parse(text, "input"); })) return;
  // Four digits are kept.
  const std::string written = weights->text("");
  require(LineWeights::parse(written, "output").text("") == written, "weights are read as they were written");
}

}  // namespace pahtum::fuzz
