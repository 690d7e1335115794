#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pahtum {

// `text` in quotation marks for a message, cut after 60 bytes but never within a UTF-8 character.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string quoted = "\"";
  if (text.size() <= kShown) return quoted.append(text) + "\"";
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return quoted.append(text.substr(0, end)) + "…\"";
}

}  // namespace pahtum
