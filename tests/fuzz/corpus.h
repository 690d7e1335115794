#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

// What libFuzzer found worth keeping runs with every build, without clang. A target that finds a fault aborts
// the program and names what was violated; scripts/fuzz looks for new inputs.
namespace pahtum::fuzz {

using Target = void (*)(std::span<const std::uint8_t>);

inline void replay(const std::string& name, Target target) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(PAHTUM_TEST_DATA) / "fuzz" / name)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  EXPECT_GE(paths.size(), 10u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.string());
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                          std::istreambuf_iterator<char>()};
    target(bytes);
  }
  target({});
}

}  // namespace pahtum::fuzz
