#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pahtum {

struct PageSection {
  std::string id;
  std::string heading;  // text
  std::string html;     // empty: the section is left out
};

// A whole page: title (text) with a word above it, HTML below, links to the sections and these.
[[nodiscard]] std::string html_page(const std::string& title, const std::string& kicker,
                                    const std::string& head, const std::vector<PageSection>& sections);

// Facts (texts) as a list: what and its value. Nothing for none.
[[nodiscard]] std::string facts_list(const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace pahtum
