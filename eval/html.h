#pragma once

#include <string>
#include <string_view>

namespace pahtum {

// `text` as HTML text or attribute value.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace pahtum
