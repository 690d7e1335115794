#pragma once

// Internal to search/: the file search/data/line_weights.txt, which the build compiles in.

#include <string_view>

namespace pahtum {

extern const std::string_view kLineWeightsText;

}  // namespace pahtum
