#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/player.h"
#include "model/checkpoint.h"
#include "search/evaluator.h"
#include "search/search_tree.h"
#include "search/solver.h"

namespace pahtum {

// How a network player chooses a move: by its policy's first choice alone, or with tree search until the
// configured simulations or, where `seconds` are given, until these are over.
struct NetworkSearch {
  SearchConfig config;  // also says where to solve
  bool policy_only = false;
  std::optional<double> seconds;
};

// The network of a checkpoint, with tree search or by its policy alone. Every turn is searched in a tree of
// its own that starts empty, all turns of a call in the same evaluator batches; no noise, the most visited
// move plays. By time, turns are searched one after the other, each for the whole of it. With info.exact,
// positions of at most so many empty squares are solved: of the best moves, for the outcome or the points as
// the rules have it, the policy's first choice or a random one plays.
class NetworkPlayer final : public Player {
 public:
  // `evaluator` judges positions of the rules in `info.game`, which is set. By time, root moves are chosen by
  // PUCT whatever the configuration says: sequential halving must know the number of simulations beforehand.
  NetworkPlayer(PlayerInfo info, std::unique_ptr<Evaluator> evaluator, const NetworkSearch& search,
                std::uint64_t seed);

  void choose(std::span<const Turn> turns, std::span<Move> moves) override;
  // With search, the moves' visits, priors and values; by its policy alone, the priors.
  [[nodiscard]] Analysis analyse(const Turn& turn, const ThinkLimits& limits) override;
  [[nodiscard]] std::vector<Wdl> expectations(std::span<const Position> positions) override;
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  void require_size(const Position& position) const;
  [[nodiscard]] std::vector<Evaluation> evaluate(std::span<const Position> positions);
  void choose_by_policy(std::span<const Turn> turns, std::span<Move> moves);
  void choose_by_search(std::span<const Turn> turns, std::span<Move> moves,
                        SearchTree::Clock::time_point deadline);
  void choose_by_time(std::span<const Turn> turns, std::span<Move> moves);
  // The parts of analyse(), from what the network says of the position itself.
  [[nodiscard]] Analysis analyse_policy(const Position& position, const ThinkLimits& limits,
                                        const Evaluation& own);
  [[nodiscard]] Analysis analyse_search(const Turn& turn, const ThinkLimits& limits, const Evaluation& own);
  // Of a solved position: its margin in points and the game that follows, as far as there is time for them.
  void explain_solution(const Position& position, const ThinkLimits& limits, Analysis& analysis);
  // All legal moves, or the best ones where the position is small enough to be solved.
  [[nodiscard]] std::vector<Move> candidates(const Position& position);

  PlayerInfo info_;
  std::unique_ptr<Evaluator> evaluator_;
  NetworkSearch search_;
  std::uint64_t seed_;
  std::unique_ptr<Solver> solver_;  // null: nothing is solved
  std::vector<SearchTree> trees_;   // kept for their memory alone
};

}  // namespace pahtum
