#include "search/line_weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "env/base/error.h"
#include "search/line_regions.h"
#include "search/line_weights_data.h"

namespace pahtum {
namespace {

constexpr std::string_view kFormat = "pahtum-line-weights 1";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t length = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
}

// Four digits are far below what a fit can tell.
void append_number(std::string& text, double value) {
  constexpr double kSmallest = 1e-4;
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), " %.4f", std::abs(value) < kSmallest / 2 ? 0.0 : value);
  text += buffer.data();
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  LineWeights parse() {
    std::vector<bool> known(RegionKinds::all().count());
    bool has_to_move = false;
    while (next_line()) {
      const std::span<const std::string_view> words(words_);
      if (!format_seen_) {
        if (line_ != kFormat)
          fail("the first line that is no comment must be \"" + std::string(kFormat) + "\"");
        format_seen_ = true;
      } else if (words[0] == "phases") {
        check_phases(words.subspan(1));
      } else if (words[0] == "to-move") {
        has_to_move = true;
        expect_numbers(words.size() - 1, LineWeights::kPhases);
        for (std::size_t k = 0; k < LineWeights::kPhases; ++k)
          weights_.phases[k].to_move = number(words[k + 1]);
      } else {
        const auto found = RegionKinds::all().find(words[0]);
        if (found.kind == RegionKinds::kNone) fail("\"" + std::string(words[0]) + "\" is no region");
        const auto kind = static_cast<std::size_t>(found.kind);
        if (RegionKinds::all().text(kind) != words[0]) {
          fail("\"" + std::string(words[0]) + "\" is written \"" + RegionKinds::all().text(kind) + "\"");
        }
        if (known[kind]) fail("\"" + std::string(words[0]) + "\" comes twice");
        known[kind] = true;
        read_kind(kind, words.subspan(1));
      }
    }
    const auto missing = std::ranges::find(known, false);
    if (!format_seen_) fail("it is empty");
    if (!has_phases_) fail("the line \"phases …\" is missing");
    if (!has_to_move) fail("the line \"to-move …\" is missing");
    if (missing != known.end()) {
      fail("the region \"" + RegionKinds::all().text(static_cast<std::size_t>(missing - known.begin())) +
           "\" is missing");
    }
    return std::move(weights_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw request_error(name_ + ":" + std::to_string(line_number_), what);
  }

  bool next_line() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_number_;
      words_ = words_of(line_);
      if (!words_.empty() && !words_[0].starts_with('#')) return true;
    }
    return false;
  }

  [[nodiscard]] double number(std::string_view word) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
        std::abs(value) > kMostWeight) {
      fail("\"" + std::string(word) + "\" is no number between −16 and 16");
    }
    return value;
  }

  void expect_numbers(std::size_t count, std::size_t expected) const {
    if (count != expected) {
      fail("there are " + std::to_string(count) + " numbers; give " + std::to_string(expected));
    }
  }

  void check_phases(std::span<const std::string_view> words) {
    has_phases_ = true;
    const auto& ends = LineWeights::kPhaseEnds;
    if (!std::ranges::equal(words, ends, {}, {}, [](int end) { return std::to_string(end); })) {
      std::string list;
      for (const int end : ends) list += " " + std::to_string(end);
      fail("the phases must end at" + list + " empty squares");
    }
  }

  void read_kind(std::size_t kind, std::span<const std::string_view> words) {
    expect_numbers(words.size(), 2 * LineWeights::kPhases);
    for (std::size_t k = 0; k < LineWeights::kPhases; ++k) {
      const LineWeights::Kind weight{number(words[2 * k]), number(words[2 * k + 1])};
      if (RegionKinds::all().is_balanced(kind) && weight.balance != 0.0) {
        fail("this region is the same with the colours exchanged: its balance must be 0");
      }
      weights_.phases[k].kinds[kind] = weight;
    }
  }

  static constexpr double kMostWeight = 16.0;

  std::string_view text_;
  std::string name_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::size_t line_number_ = 0;
  bool format_seen_ = false;
  bool has_phases_ = false;
  LineWeights weights_;
};

}  // namespace

LineWeights::LineWeights() {
  for (Phase& phase : phases) phase.kinds.resize(RegionKinds::all().count());
}

const LineWeights& LineWeights::shipped() {
  static const LineWeights kShipped = parse(kLineWeightsText, "search/data/line_weights.txt");
  return kShipped;
}

std::string LineWeights::text(std::string_view comment) const {
  std::string text;
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    text += "# " + std::string(comment.substr(0, end)) + "\n";
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  text += std::string(kFormat) + "\nphases";
  for (const int end : kPhaseEnds) text += " " + std::to_string(end);
  text += "\nto-move";
  for (const Phase& phase : phases) append_number(text, phase.to_move);
  text += "\n";
  const RegionKinds& kinds = RegionKinds::all();
  for (std::size_t kind = 0; kind < kinds.count(); ++kind) {
    text += kinds.text(kind);
    for (const Phase& phase : phases) {
      append_number(text, phase.kinds[kind].balance);
      append_number(text, phase.kinds[kind].tempo);
    }
    text += "\n";
  }
  return text;
}

LineWeights LineWeights::parse(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

}  // namespace pahtum
