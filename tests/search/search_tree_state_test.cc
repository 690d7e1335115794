#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "env/base/bytes.h"
#include "env/base/error.h"
#include "env/base/random.h"
#include "env/game_rules.h"
#include "search/search_tree.h"
#include "search/solver.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

constexpr std::size_t kStateTableBytes = std::size_t{1} << 20;
constexpr const char* kSource = "saved.bin";

struct Setting {
  const char* name;
  const char* root;
  SearchConfig config;
  Objective objective = Objective::kOutcome;
  bool solves = false;
  bool noisy = true;
  std::int64_t short_simulations = 0;  // of every other move, without noise
};

SearchConfig small(std::int64_t simulations, bool graph = true) {
  SearchConfig config;
  config.simulations = simulations;
  config.graph = graph;
  config.exact_leaf = 4;
  config.exact_root = 3;
  return config;
}

SearchConfig forced(SearchConfig config) {
  config.forced_playouts = 2.0;
  config.noise_shape = 0.5;
  return config;
}

SearchConfig gumbel(SearchConfig config) {
  config.root = "gumbel";
  config.gumbel_moves = 6;
  return config;
}

SearchConfig all_new(SearchConfig config) {
  config.count_reused = false;
  return config;
}

std::vector<Setting> settings() {
  const char* const kBoard = "1x2/4/2x1/4 b";
  return {
      {"GraphWithNoise", kBoard, forced(small(80))},
      {"TreeWithNoise", kBoard, forced(small(80, false))},
      {"GraphWithoutNoise", kBoard, small(80), Objective::kOutcome, false, false},
      {"ExactGraph", kBoard, forced(small(60)), Objective::kOutcome, true},
      {"ExactTree", kBoard, small(60, false), Objective::kOutcome, true},
      {"ExactForPoints", kBoard, small(60), Objective::kMargin, true},
      {"TreeForPoints", kBoard, small(60, false), Objective::kMargin, true},
      {"NewVisitsEveryMove", kBoard, all_new(forced(small(40))), Objective::kOutcome, true},
      {"Gumbel", kBoard, gumbel(small(50))},
      {"GumbelTreeOfNewVisits", kBoard, gumbel(all_new(small(30, false)))},
      {"GumbelExact", kBoard, gumbel(small(50)), Objective::kOutcome, true},
      {"HolesArePlaced", "4/4/4/4 b place=4", small(60), Objective::kOutcome, true},
      {"HolesThenSwap", "3/3/3 b place=2 swap", forced(small(60)), Objective::kOutcome, true},
      {"Opening", "4/4/4/4 w open=2", gumbel(small(50))},
      {"Swap", "4/4/2w1/4 b swap", small(60, false), Objective::kMargin},
      {"EveryRootSolved", "xx2/1x2/4/1xx1 w", small(200), Objective::kOutcome, true},
      {"OneSimulation", kBoard, small(1)},
      {"EveryOtherMoveShort", kBoard, forced(small(60)), Objective::kOutcome, true, true, 5},
      {"EveryOtherMoveShortGumbel", kBoard, gumbel(all_new(small(60))), Objective::kOutcome, false, true, 5},
  };
}

SearchTree fresh_tree(const Setting& setting, Solver& solver) {
  SearchTree tree(setting.config, setting.objective);
  if (setting.solves) tree.use_solver(&solver);
  return tree;
}

SearchTree restored(const std::string& bytes, const Setting& setting, Solver& solver) {
  SearchTree tree = fresh_tree(setting, solver);
  ByteReader input(bytes, kSource);
  tree.restore_state(input);
  EXPECT_EQ(input.left(), 0u);
  return tree;
}

std::string state_of(const SearchTree& tree) {
  std::string bytes;
  tree.append_state(bytes);
  return bytes;
}

// All that can be seen of a search, one number for each thing.
using Log = std::vector<std::uint64_t>;

void add_result(const SearchTree& tree, Log& log) {
  const auto add = [&](float value) { log.push_back(std::bit_cast<std::uint32_t>(value)); };
  for (const RootMove& entry : tree.root_moves()) {
    log.push_back(static_cast<std::uint64_t>(entry.move.index()));
    log.push_back(static_cast<std::uint64_t>(entry.visits));
    add(entry.prior);
    for (const Value value : {entry.value, entry.lower, entry.upper}) add(value.get());
  }
  for (const float share : tree.policy_target()) add(share);
  add(tree.root_value().get());
  log.push_back(tree.root_proven() ? 1 : 0);
}

void begin_move(SearchTree& tree, const Setting& setting, int ply) {
  if (setting.short_simulations > 0 && ply % 2 == 1) {
    tree.begin_move(std::nullopt, setting.short_simulations);
    return;
  }
  std::optional<Random> noise;
  if (setting.noisy) noise.emplace(7, Stream::kRootNoise, 3, static_cast<std::uint32_t>(ply));
  tree.begin_move(noise);
}

// Plays on, `moves` moves or to the end; `between` is called whenever no leaf waits.
void play(SearchTree& tree, const Setting& setting, int ply, int moves, Log& log,
          const std::function<void(int ply)>& between) {
  HashEvaluator evaluator;
  while (true) {
    between(ply);
    Position leaf;
    if (tree.next_leaf(leaf)) {
      log.push_back(hash(leaf));
      tree.receive(naive::evaluate(evaluator, leaf));
      continue;
    }
    between(ply);
    add_result(tree, log);
    Random random(7, Stream::kMoveChoice, 3, static_cast<std::uint32_t>(ply));
    const Move move = tree.choose(2.0, random);
    log.push_back(static_cast<std::uint64_t>(move.index()));
    if (after(tree.root(), move).over() || --moves == 0) return;
    tree.advance(move);
    begin_move(tree, setting, ++ply);
  }
}

struct Save {
  std::string bytes;
  std::size_t at;  // entries of the log by then
  int ply;
};

// A whole game, and saves from about one of `every` places in it.
std::vector<Save> saves_of(const Setting& setting, Solver& solver, std::uint32_t every, Log& log) {
  std::vector<Save> saves;
  Random random(1, Stream::kTest, 0);
  SearchTree tree = fresh_tree(setting, solver);
  tree.reset(parse_position(setting.root));
  begin_move(tree, setting, 0);
  play(tree, setting, 0, kMoveIndices, log, [&](int ply) {
    if (random.below(every) == 0) saves.push_back({state_of(tree), log.size(), ply});
  });
  return saves;
}

class SearchTreeStateTest : public testing::TestWithParam<Setting> {};

TEST_P(SearchTreeStateTest, RestoredSearchGoesOnAsIfItHadNeverStopped) {
  const Setting& setting = GetParam();
  Solver solver(kStateTableBytes);
  Log whole;
  const std::vector<Save> saves = saves_of(setting, solver, 12, whole);
  ASSERT_GT(saves.size(), 1u);
  constexpr int kMoves = 4;
  for (const Save& save : saves) {
    SearchTree tree = restored(save.bytes, setting, solver);
    ASSERT_EQ(state_of(tree), save.bytes) << "ply " << save.ply;
    Log rest;
    play(tree, setting, save.ply, kMoves, rest, [](int) {});
    ASSERT_LE(save.at + rest.size(), whole.size());
    ASSERT_TRUE(std::equal(rest.begin(), rest.end(), whole.begin() + static_cast<std::ptrdiff_t>(save.at)))
        << "ply " << save.ply << ", entry " << save.at;
  }
}

// Saved and restored at every turn, a search is none the worse.
TEST_P(SearchTreeStateTest, SavesOfRestoredSearchesEqualThoseOfTheWholeOne) {
  const Setting& setting = GetParam();
  Solver solver(kStateTableBytes);
  Log whole;
  const std::vector<Save> saves = saves_of(setting, solver, 5, whole);
  for (std::size_t k = 0; k + 1 < std::min<std::size_t>(saves.size(), 20); ++k) {
    SearchTree tree = restored(saves[k].bytes, setting, solver);
    Log log;
    bool seen = false;
    play(tree, setting, saves[k].ply, 2, log, [&](int ply) {
      const Save& next = saves[k + 1];
      if (ply != next.ply || saves[k].at + log.size() != next.at) return;
      seen = seen || state_of(tree) == next.bytes;
    });
    ASSERT_TRUE(seen || saves[k + 1].ply > saves[k].ply + 1) << "ply " << saves[k].ply;
  }
}

TEST_P(SearchTreeStateTest, NoBytesLeadAstray) {
  const Setting& setting = GetParam();
  Solver solver(kStateTableBytes);
  Log log;
  const std::vector<Save> saves = saves_of(setting, solver, 20, log);
  Random random(2, Stream::kTest, 0);
  const auto number_below = [&](std::size_t bound) {
    return random.below(static_cast<std::uint32_t>(bound));
  };
  SearchTree tree = fresh_tree(setting, solver);
  constexpr int kMutations = 300;
  int refused = 0;
  for (int round = 0; round < kMutations; ++round) {
    const Save& save = saves[number_below(saves.size())];
    std::string bytes = save.bytes;
    for (std::uint32_t left = 1 + random.below(3); left > 0; --left) {
      // The head and the root's record are a small part of all, so they have a share of their own.
      const std::size_t reach =
          random.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 160) : bytes.size();
      char& byte = bytes[number_below(reach)];
      constexpr char kExtremes[] = {0, 1, 0x7F, static_cast<char>(0x80), static_cast<char>(0xFF)};
      switch (random.below(3)) {
        case 0:
          byte = static_cast<char>(byte ^ (1 << random.below(8)));
          break;
        case 1:
          byte = static_cast<char>(random.below(256));
          break;
        default:
          byte = kExtremes[random.below(5)];
      }
    }
    if (random.below(10) == 0) bytes.resize(number_below(bytes.size()));
    try {
      ByteReader input(bytes, kSource);
      tree.restore_state(input);
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.fault(), Fault::kRequest);
      EXPECT_EQ(error.subject(), kSource);
      tree.reset(parse_position(setting.root));
      begin_move(tree, setting, 0);
    }
    Log unseen;
    play(tree, setting, save.ply, 2, unseen, [](int) {});
  }
  EXPECT_GT(refused, kMutations / 10);
  EXPECT_LT(refused, kMutations);
}

TEST_P(SearchTreeStateTest, EveryShorterStateIsRefused) {
  const Setting& setting = GetParam();
  Solver solver(kStateTableBytes);
  Log log;
  const std::vector<Save> saves = saves_of(setting, solver, 20, log);
  const std::string& bytes = saves[saves.size() / 2].bytes;
  SearchTree tree = fresh_tree(setting, solver);
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 50) {
    ByteReader input(std::string_view(bytes).substr(0, length), kSource);
    EXPECT_THROW(tree.restore_state(input), Error) << length << " of " << bytes.size() << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, SearchTreeStateTest, testing::ValuesIn(settings()),
                         [](const auto& setting) { return std::string(setting.param.name); });

// The message of the Error by which the bytes are refused.
std::string refusal(const std::string& bytes, const SearchConfig& config, Solver* solver = nullptr,
                    Objective objective = Objective::kOutcome) {
  SearchTree tree(config, objective);
  tree.use_solver(solver);
  ByteReader input(bytes, kSource);
  try {
    tree.restore_state(input);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

std::string searched_state(const SearchConfig& config, const std::string& root) {
  SearchTree tree(config);
  tree.reset(parse_position(root));
  tree.begin_move(std::nullopt);
  HashEvaluator evaluator;
  for (Position leaf; tree.next_leaf(leaf);) tree.receive(naive::evaluate(evaluator, leaf));
  return state_of(tree);
}

TEST(SearchTreeState, IsRefusedByASearchOfOtherRules) {
  const SearchConfig config = small(30);
  const std::string bytes = searched_state(config, "1x2/4/2x1/4 b");
  Solver solver(kStateTableBytes);
  EXPECT_EQ(refusal(bytes, config), "");
  const char* const kOther = "another search.graph";
  EXPECT_NE(refusal(bytes, small(30, false)).find(kOther), std::string::npos);
  EXPECT_NE(refusal(bytes, gumbel(config)).find(kOther), std::string::npos);
  EXPECT_NE(refusal(bytes, config, &solver).find(kOther), std::string::npos);
  EXPECT_NE(refusal(bytes, config, nullptr, Objective::kMargin).find(kOther), std::string::npos);
  EXPECT_NE(refusal(bytes, small(29)).find("search.simulations 29"), std::string::npos);
}

TEST(SearchTreeState, IsRefusedWhenItsRootIsNone) {
  const SearchConfig config = small(30);
  const std::string root = "1x2/4/2x1/4 b";
  const std::string bytes = searched_state(config, root);
  const auto with_root = [&](const std::string& other) {
    std::string changed = bytes;
    return changed.replace(changed.find(root), root.size(), other);
  };
  EXPECT_NE(refusal(with_root("1x2/4/2x1/5 b"), config).find("rank 1"), std::string::npos);
  EXPECT_NE(refusal(with_root("xxx/wbw/xxx b"), config).find("finished game"), std::string::npos);
  // A square less, and the walk comes to sets of moves that cannot be.
  EXPECT_NE(refusal(with_root("xx2/4/2xx/4 b"), config), "");
}

TEST(SearchTreeState, IsRefusedWhenItHasMorePositionsThanItsSearchesCanFind) {
  const std::string bytes = searched_state(small(2000), "5/1x3/3x1/5/x4 w");
  std::string changed = bytes;
  const std::int64_t one = 1;
  const std::size_t goal = 3 + 1 + std::string("5/1x3/3x1/5/x4 w").size() + 16;
  std::memcpy(changed.data() + goal, &one, sizeof(one));
  EXPECT_NE(refusal(changed, small(1)), "");
}

TEST(SearchTreeState, NeedsNoMove) {
  const SearchConfig config = small(30);
  SearchTree tree(config);
  tree.reset(parse_position("5/1x3/3x1/5/x4 w"));
  SearchTree other(config);
  const std::string bytes = state_of(tree) + "rest";
  ByteReader input(bytes, kSource);
  HashEvaluator evaluator;
  Log logs[2];
  other.restore_state(input);
  EXPECT_EQ(input.next_text(4), "rest");
  SearchTree* const trees[] = {&tree, &other};
  for (std::size_t k = 0; k < 2; ++k) {
    trees[k]->begin_move(std::nullopt);
    for (Position leaf; trees[k]->next_leaf(leaf);) {
      logs[k].push_back(hash(leaf));
      trees[k]->receive(naive::evaluate(evaluator, leaf));
    }
    add_result(*trees[k], logs[k]);
  }
  EXPECT_EQ(logs[0], logs[1]);
  EXPECT_EQ(state_of(tree), state_of(other));
}

// Checkpoints hold a search for each of a thousand slots.
TEST(SearchTreeState, Of200SimulationsOnSevenBySevenTakesLessThan60Kilobytes) {
  for (const bool graph : {true, false}) {
    for (std::uint64_t game = 0; game < 5; ++game) {
      SearchConfig config;
      config.simulations = 200;
      config.graph = graph;
      const Position start = start_position({.size = 7, .holes = 5}, 1, Stream::kTest, game);
      const std::size_t size = searched_state(config, to_text(start)).size();
      EXPECT_LT(size, 60'000u);
      EXPECT_GT(size, 30'000u);
      if (game == 0) RecordProperty(graph ? "graph" : "tree", static_cast<int>(size));
    }
  }
}

}  // namespace
}  // namespace pahtum
