#pragma once

#include <string_view>

namespace pahtum {

// What stands in eval/report/, built into the program: the style sheet of a report's page, and the script of
// its replay viewer.
[[nodiscard]] std::string_view report_style() noexcept;
[[nodiscard]] std::string_view report_viewer_script() noexcept;

}  // namespace pahtum
