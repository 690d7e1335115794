#pragma once

// Internal to search/: what is special about choosing moves at the root.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "env/base/bytes.h"
#include "env/base/random.h"
#include "env/bitboard.h"
#include "search/search_config.h"

namespace pahtum {

// One move as the rules of Gumbel AlphaZero and of KataGo's root see it. Values are for the mover.
struct MoveStatistics {
  float prior = 0.0f;
  std::int32_t visits = 0;
  double value = 0.0;  // of a visited move
};

// Dirichlet noise of total concentration config.dirichlet_alpha mixed into the priors. config.noise_shape of
// the concentration goes to moves by the logarithm of their prior, cut at 1 % (D. J. Wu, "Accelerating
// Self-Play Learning in Go", 2020, and KataGo's documentation), the rest to all evenly.
void mix_dirichlet_noise(const SearchConfig& config, std::span<float> priors, Random& random);

// The visits a move of the root must get at least while there is noise: √(k · P · N), Wu 2020, section 3.2.
[[nodiscard]] double forced_visits(const SearchConfig& config, float prior,
                                   std::int32_t root_visits) noexcept;

// Visits without those that forcing alone brought: of every move but the most visited, as many as were forced
// are taken away while its PUCT score stays below that one's; what is left with one visit loses it (Wu 2020,
// section 3.2). With config.forced_playouts 0 the visits as they are.
[[nodiscard]] std::vector<double> pruned_visits(const SearchConfig& config,
                                                std::span<const MoveStatistics> moves);

// The improved policy of Gumbel AlphaZero (I. Danihelka, A. Guez, J. Schrittwieser, D. Silver: "Policy
// improvement by planning with Gumbel", ICLR 2022, equation 11): softmax(logits + σ(completed Q)), where an
// unvisited move's Q is the mixed value of equation 33 and σ(q) = (c_visit + max n) · c_scale · q with q
// taken from −1 … 1 to 0 … 1. `own` is the evaluator's value of the position. Sums to 1.
struct ImprovedPolicy {
  std::array<double, kMaxSquares> probability{};
  std::array<double, kMaxSquares> score{};  // logits + σ(completed Q); −∞ where the prior is 0
};
void improve_policy(const SearchConfig& config, std::span<const MoveStatistics> moves, double own,
                    ImprovedPolicy& policy) noexcept;

// Equation 14 of the same: the first of the moves with the highest π'(a) − n(a) / (1 + Σ n), where π' is the
// improved policy. Moves of the set `skipped` are left out, the first one is taken when it holds all.
[[nodiscard]] std::size_t gumbel_move(std::span<const MoveStatistics> moves, const ImprovedPolicy& policy,
                                      std::uint64_t skipped) noexcept;

// Sequential halving at a Gumbel root (algorithm 2 of the paper): of all moves those with the highest
// Gumbel + logit are considered; each gets an equal share of the phase's simulations, then the worse half by
// Gumbel + logit + σ(completed Q) is dropped. What a kept tree already knows counts as values, not as
// visits of the plan.
class SequentialHalving {
 public:
  // Draws the Gumbel variables, all 0 without a generator, for `simulations` ≥ 1 to come. Moves of prior 0
  // are considered last.
  void start(const SearchConfig& config, std::span<const float> priors, std::int64_t simulations,
             Random* random);
  [[nodiscard]] bool started() const noexcept { return !order_.empty(); }
  void stop() noexcept { order_.clear(); }
  // Whether halve() must come before the next simulation.
  [[nodiscard]] bool phase_ends() const noexcept { return rounds_left_ == 0; }
  // Drops the worse half; `scores` are logits + σ(completed Q) as they stand.
  void halve(std::span<const double> scores);
  // The move of the next simulation.
  [[nodiscard]] std::size_t next() noexcept;
  // The move to play: of those considered to the end, and in `choices`, the one with the highest Gumbel +
  // score; kMaxSquares when there is none.
  [[nodiscard]] std::size_t best(std::span<const double> scores, std::uint64_t choices) const noexcept;

  // All of it, for a root with `moves` moves. restore_state() throws a kRequest Error where no plan for at
  // most `simulations` could have come to that.
  void append_state(std::string& bytes) const;
  void restore_state(ByteReader& input, const SearchConfig& config, std::size_t moves,
                     std::int64_t simulations);

 private:
  // How many moves a plan for `simulations` starts with, and its phases with so many.
  [[nodiscard]] static std::size_t considered_first(const SearchConfig& config, std::size_t moves,
                                                    std::int64_t simulations) noexcept;
  [[nodiscard]] static int phases_for(std::size_t considered) noexcept;
  void start_phase();

  std::int64_t simulations_ = 0;
  int phases_ = 0;
  std::array<double, kMaxSquares> gumbel_{};
  std::vector<std::uint8_t> order_;  // the moves considered, best first
  std::size_t considered_ = 0;
  std::int64_t rounds_left_ = 0;  // of this phase, the running one included
  std::size_t position_ = 0;      // in the running round
};

}  // namespace pahtum
