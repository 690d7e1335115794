#include "eval/solved_layouts.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <sstream>
#include <utility>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

constexpr std::string_view kMagic = "pahtum-layouts";
constexpr int kVersion = 1;
constexpr std::size_t kHardest = 5;

// What follows `text`, all lines before it.
std::string last_line(std::size_t layouts, std::string_view text) {
  return "end " + std::to_string(layouts) + " " + std::to_string(crc32c(std::as_bytes(std::span(text)))) +
         "\n";
}

// Where a file is read, for messages.
class FilePlace {
 public:
  explicit FilePlace(const std::filesystem::path& path) : path_(path) {}
  void next_line() noexcept { ++line_; }
  [[noreturn]] void refuse(const std::string& why) const {
    throw request_error(path_.string() + ":" + std::to_string(line_), why);
  }

 private:
  std::filesystem::path path_;
  int line_ = 0;
};

template <class T>
T number(const FilePlace& place, const std::string& word, const std::string& what) {
  const auto value = parse_number<T>(word);
  if (!value) place.refuse(what + " is \"" + word + "\"; a whole number is needed");
  return *value;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

Position start_of(const SolvedLayouts& solved, const Layout& layout) {
  Position position;
  position.size = static_cast<std::uint8_t>(solved.size);
  position.holes = layout.holes;
  return position;
}

void save_solved_layouts(const std::filesystem::path& path, const SolvedLayouts& solved) {
  std::string text = std::string(kMagic) + " " + std::to_string(kVersion) + " " +
                     std::to_string(solved.size) + " " + std::to_string(solved.holes) + " " +
                     std::string(objective_name(solved.objective)) + "\n";
  for (const SolvedLayout& row : solved.layouts) {
    text += to_text(start_of(solved, row.layout)) + " " + std::to_string(row.layout.forms) + " " +
            std::to_string(row.value) + " " + to_text(row.best, solved.size) + " " +
            std::to_string(row.nodes) + "\n";
  }
  text += last_line(solved.layouts.size(), text);
  write_file_atomically(path, text);
}

SolvedLayouts load_solved_layouts(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  FilePlace place(path);
  place.next_line();
  const std::size_t last = text.rfind("end ");
  if (!text.starts_with(kMagic))
    place.refuse("is no file of solved layouts; its first word is " + std::string(kMagic));
  if (last == std::string::npos || text.back() != '\n' || text[last - 1] != '\n') {
    place.refuse("the file is cut: its last line, `end …`, is missing");
  }
  std::istringstream lines(text.substr(0, last));
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> head = words_of(line);
  if (head.size() != 5 || number<int>(place, head[1], "the version") != kVersion) {
    place.refuse("the first line must be `" + std::string(kMagic) + " " + std::to_string(kVersion) +
                 " SIZE HOLES outcome|margin`");
  }
  SolvedLayouts solved;
  solved.size = number<int>(place, head[2], "the size");
  solved.holes = number<int>(place, head[3], "the number of holes");
  const auto objective = objective_named(head[4]);
  if (!objective) place.refuse("the objective is \"" + head[4] + "\"; outcome or margin");
  solved.objective = *objective;
  while (std::getline(lines, line)) {
    place.next_line();
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 6) place.refuse("a layout is `POSITION MOVER FORMS VALUE BEST NODES`");
    try {
      const Position position = parse_position(words[0] + " " + words[1]);
      if (position.size != solved.size || std::popcount(position.holes) != solved.holes) {
        place.refuse(words[0] + " is of another board");
      }
      SolvedLayout row;
      row.layout = {position.holes, number<int>(place, words[2], "the number of forms")};
      row.value = number<int>(place, words[3], "the value");
      row.best = parse_move(words[4], solved.size);
      row.nodes = number<std::uint64_t>(place, words[5], "the number of nodes");
      solved.layouts.push_back(row);
    } catch (const Error& error) {
      if (error.subject().starts_with(path.string())) throw;
      place.refuse(error.what());
    }
  }
  place.next_line();
  if (std::string_view(text).substr(last) !=
      last_line(solved.layouts.size(), std::string_view(text).substr(0, last))) {
    place.refuse("the file is damaged: number of layouts or checksum do not fit what is above");
  }
  return solved;
}

LayoutSummary summarize(const SolvedLayouts& solved) {
  LayoutSummary summary;
  std::vector<std::pair<int, int>> values;  // value, forms
  for (const SolvedLayout& row : solved.layouts) {
    ++summary.layouts;
    summary.forms += row.layout.forms;
    (row.value > 0 ? summary.white : row.value < 0 ? summary.black : summary.draws) += row.layout.forms;
    values.emplace_back(row.value, row.layout.forms);
  }
  std::ranges::sort(values);
  const auto at_share = [&](std::int64_t quarters) {
    std::int64_t before = 0;
    for (const auto& [value, forms] : values) {
      before += forms;
      if (4 * before > quarters * summary.forms || before == summary.forms) return value;
    }
    return 0;
  };
  if (!values.empty()) {
    summary.least = values.front().first;
    summary.most = values.back().first;
  }
  summary.lower_quartile = at_share(1);
  summary.median = at_share(2);
  summary.upper_quartile = at_share(3);
  summary.hardest = solved.layouts;
  const auto count = std::min(kHardest, summary.hardest.size());
  std::ranges::partial_sort(summary.hardest, summary.hardest.begin() + static_cast<std::ptrdiff_t>(count),
                            std::greater<>(), &SolvedLayout::nodes);
  summary.hardest.resize(count);
  return summary;
}

}  // namespace pahtum
