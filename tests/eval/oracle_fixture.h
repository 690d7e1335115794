#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "env/position.h"
#include "eval/oracle_data.h"

namespace pahtum {

// A position with the values of its legal moves, in ascending order of these.
inline OraclePosition oracle_position(const std::string& text, const std::vector<int>& values) {
  OraclePosition entry{parse_position(text), {}};
  for_each_legal(entry.position,
                 [&](Move move) { entry.moves.emplace_back(move, values[entry.moves.size()]); });
  return entry;
}

// One position with three empty squares and three with four, the values made up.
inline OracleData small_oracle_data() {
  return {GameConfig{3, 3, false},
          7,
          2,
          {"random", "greedy"},
          {oracle_position("ww1/xxx/x2 b", {0, -3, -3}), oracle_position("1w1/xxx/x2 w", {3, 6, 3, 3}),
           oracle_position("1w1/xxx/x2 b", {-3, 3, 0, -3}), oracle_position("1b1/xxx/x2 w", {0, 0, 0, 0})}};
}

// A file of its own for the test that runs, removed with it.
class OracleFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(testing::TempDir()) /
            ("pahtum-oracle-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

}  // namespace pahtum
