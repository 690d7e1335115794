#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace pahtum {

// `text` as HTML text or attribute value.
[[nodiscard]] std::string escape_html(std::string_view text);

// printf's formats, for numbers: the result is cut after 500 characters.
template <class... Values>
[[nodiscard]] std::string format_text(const char* pattern, Values... values) {
  std::array<char, 501> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

// "1 234 567": thousands apart by narrow spaces that do not break.
[[nodiscard]] std::string count_text(std::int64_t count);
// "45 s", "12 min", "3 h 20 min", "2 d 5 h".
[[nodiscard]] std::string training_time_text(double seconds);
// "1 game", "12 games".
[[nodiscard]] std::string plural(std::int64_t count, const std::string& one, const std::string& many);

// A table with a caption, in a box of its own that scrolls where the page is too narrow for it. Cells are
// HTML: what comes from data is escaped by text_cell() and whoever calls cell().
class HtmlTable {
 public:
  // Of the columns the first `names` are aligned to the left, the others, figures, to the right.
  HtmlTable(std::string caption, const std::vector<std::string>& headings, std::size_t names = 1);

  HtmlTable& row(const std::string& classes = "");
  HtmlTable& cell(const std::string& html, const std::string& classes = "");
  HtmlTable& text_cell(std::string_view text) { return cell(escape_html(text)); }

  [[nodiscard]] std::string html() const;

 private:
  std::string html_;
  std::size_t names_;
  std::size_t column_ = 0;
  bool open_row_ = false;
};

// A <section> of a page: an anchor, a heading (text), and its HTML; nothing where that is empty.
[[nodiscard]] std::string html_section(const std::string& id, const std::string& heading,
                                       const std::string& html);

// A <figure> in a panel around HTML, with a caption and a smaller note below that (texts; may be empty).
[[nodiscard]] std::string html_figure(const std::string& caption, const std::string& html,
                                      const std::string& note = "", const std::string& classes = "");

}  // namespace pahtum
