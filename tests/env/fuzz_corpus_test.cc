#include <gtest/gtest.h>

#include "tests/fuzz/actions_target.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/game_text_target.h"
#include "tests/fuzz/layout_target.h"
#include "tests/fuzz/position_target.h"

namespace pahtum::fuzz {
namespace {

TEST(FuzzCorpus, PositionTexts) {
  replay("position", fuzz_position);
}
TEST(FuzzCorpus, Layouts) {
  replay("layout", fuzz_layout);
}
TEST(FuzzCorpus, ActionSequences) {
  replay("actions", fuzz_actions);
}
TEST(FuzzCorpus, GameRecords) {
  replay("game_text", fuzz_game_text);
}

}  // namespace
}  // namespace pahtum::fuzz
