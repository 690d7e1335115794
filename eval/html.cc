#include "eval/html.h"

#include <cmath>
#include <utility>

namespace pahtum {

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, "\u202f");
  }
  return digits;
}

std::string training_time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (seconds < 9.95) return format_text("%.1f s", seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  if (minutes < 48 * 60) {
    return std::to_string(minutes / 60) + " h" +
           (minutes % 60 == 0 ? "" : " " + std::to_string(minutes % 60) + " min");
  }
  const std::int64_t hours = (minutes + 30) / 60;
  return std::to_string(hours / 24) + " d" + (hours % 24 == 0 ? "" : " " + std::to_string(hours % 24) + " h");
}

std::string plural(std::int64_t count, const std::string& one, const std::string& many) {
  return count_text(count) + " " + (count == 1 ? one : many);
}

HtmlTable::HtmlTable(std::string caption, const std::vector<std::string>& headings, std::size_t names)
    : names_(names) {
  html_ = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + escape_html(caption) +
          "\"><table>\n<caption><span>" + escape_html(caption) + "</span></caption>\n<thead><tr>";
  for (std::size_t k = 0; k < headings.size(); ++k) {
    html_ += std::string("<th scope=\"col\"") + (k < names ? " class=\"name\">" : ">") +
             escape_html(headings[k]) + "</th>";
  }
  html_ += "</tr></thead>\n<tbody>\n";
}

HtmlTable& HtmlTable::row(const std::string& classes) {
  if (std::exchange(open_row_, true)) html_ += "</tr>\n";
  html_ += classes.empty() ? "<tr>" : "<tr class=\"" + classes + "\">";
  column_ = 0;
  return *this;
}

HtmlTable& HtmlTable::cell(const std::string& html, const std::string& classes) {
  std::string all = classes;
  if (column_++ < names_) all += all.empty() ? "name" : " name";
  html_ += (all.empty() ? "<td>" : "<td class=\"" + all + "\">") + html + "</td>";
  return *this;
}

std::string HtmlTable::html() const {
  return html_ + (open_row_ ? "</tr>\n" : "") + "</tbody>\n</table></div>\n";
}

std::string html_section(const std::string& id, const std::string& heading, const std::string& html) {
  if (html.empty()) return "";
  return "<section id=\"" + id + "\">\n<h2>" + escape_html(heading) + "</h2>\n" + html + "</section>\n";
}

std::string html_figure(const std::string& caption, const std::string& html, const std::string& note,
                        const std::string& classes) {
  return "<figure class=\"panel" + (classes.empty() ? "" : " " + classes) + "\">\n<figcaption>" +
         escape_html(caption) + "</figcaption>\n" + html +
         (note.empty() ? "" : "<p class=\"note\">" + escape_html(note) + "</p>\n") + "</figure>\n";
}

}  // namespace pahtum
