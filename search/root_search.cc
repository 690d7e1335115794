#include "search/root_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace pahtum {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Shares of the concentration by the logarithm of the prior; they sum to 1.
std::vector<double> shaped_shares(std::span<const float> priors) {
  constexpr double kMostPrior = 0.01;
  constexpr double kLeastPrior = 1e-20;
  std::vector<double> shares(priors.size());
  double mean = 0.0;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    shares[k] = std::log(std::min(static_cast<double>(priors[k]), kMostPrior) + kLeastPrior);
    mean += shares[k] / static_cast<double>(priors.size());
  }
  double sum = 0.0;
  for (double& share : shares) {
    share = std::max(0.0, share - mean);
    sum += share;
  }
  const double even = 1.0 / static_cast<double>(priors.size());
  // Rounding apart, all are equal: nothing to shape by.
  constexpr double kNothing = 1e-9;
  for (double& share : shares) share = sum > kNothing ? share / sum : even;
  return shares;
}

double logit(float prior) noexcept {
  return prior > 0.0f ? std::log(static_cast<double>(prior)) : kMinusInfinity;
}

double puct_score(const SearchConfig& config, const MoveStatistics& move, double visits,
                  std::int32_t total) noexcept {
  return move.value + config.cpuct * static_cast<double>(move.prior) *
                          std::sqrt(1.0 + static_cast<double>(total)) / (1.0 + visits);
}

}  // namespace

void mix_dirichlet_noise(const SearchConfig& config, std::span<float> priors, Random& random) {
  std::array<double, kMaxSquares> noise{};
  const double even = config.dirichlet_alpha / static_cast<double>(priors.size());
  std::vector<double> shares;
  if (config.noise_shape > 0.0) shares = shaped_shares(priors);
  double sum = 0.0;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const double concentration = shares.empty() ? even
                                                : (1.0 - config.noise_shape) * even +
                                                      config.noise_shape * config.dirichlet_alpha * shares[k];
    noise[k] = concentration > 0.0 ? random.gamma(concentration) : 0.0;
    sum += noise[k];
  }
  if (!(sum > 0.0)) {
    // The gammas of a very small alpha all underflow; in that limit a single move takes everything.
    noise[random.below(static_cast<std::uint32_t>(priors.size()))] = 1.0;
    sum = 1.0;
  }
  const double fraction = config.noise_fraction;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    priors[k] =
        static_cast<float>((1.0 - fraction) * static_cast<double>(priors[k]) + fraction * (noise[k] / sum));
  }
}

double forced_visits(const SearchConfig& config, float prior, std::int32_t root_visits) noexcept {
  return std::sqrt(config.forced_playouts * static_cast<double>(prior) * static_cast<double>(root_visits));
}

std::vector<double> pruned_visits(const SearchConfig& config, std::span<const MoveStatistics> moves) {
  std::vector<double> visits(moves.size());
  std::int32_t total = 0;
  std::size_t best = 0;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    visits[k] = static_cast<double>(moves[k].visits);
    total += moves[k].visits;
    if (moves[k].visits > moves[best].visits) best = k;
  }
  if (config.forced_playouts <= 0.0 || total == 0) return visits;
  const double limit = puct_score(config, moves[best], visits[best], total);
  for (std::size_t k = 0; k < moves.size(); ++k) {
    if (k == best || moves[k].visits == 0) continue;
    const auto forced = static_cast<std::int32_t>(forced_visits(config, moves[k].prior, total));
    for (std::int32_t left = forced; left > 0 && visits[k] > 0.0; --left) {
      if (puct_score(config, moves[k], visits[k] - 1.0, total) >= limit) break;
      visits[k] -= 1.0;
    }
    if (visits[k] <= 1.0) visits[k] = 0.0;
  }
  return visits;
}

void improve_policy(const SearchConfig& config, std::span<const MoveStatistics> moves, double own,
                    ImprovedPolicy& policy) noexcept {
  std::int32_t most = 0;
  std::int32_t total = 0;
  double visited_prior = 0.0;
  double weighted = 0.0;
  for (const MoveStatistics& move : moves) {
    if (move.visits == 0) continue;
    most = std::max(most, move.visits);
    total += move.visits;
    visited_prior += static_cast<double>(move.prior);
    weighted += static_cast<double>(move.prior) * move.value;
  }
  const double visited_mean = visited_prior > 0.0 ? weighted / visited_prior : own;
  const double mixed = (own + static_cast<double>(total) * visited_mean) / (1.0 + static_cast<double>(total));
  const double scale = (config.gumbel_visit_scale + static_cast<double>(most)) * config.gumbel_value_scale;
  double highest = kMinusInfinity;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const double value = moves[k].visits > 0 ? moves[k].value : mixed;
    policy.score[k] = logit(moves[k].prior) + scale * 0.5 * (value + 1.0);
    highest = std::max(highest, policy.score[k]);
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    policy.probability[k] = std::exp(policy.score[k] - highest);
    sum += policy.probability[k];
  }
  for (std::size_t k = 0; k < moves.size(); ++k) policy.probability[k] /= sum;
}

std::size_t gumbel_move(std::span<const MoveStatistics> moves, const ImprovedPolicy& policy,
                        std::uint64_t skipped) noexcept {
  std::int32_t total = 0;
  for (const MoveStatistics& move : moves) total += move.visits;
  std::size_t best = 0;
  double highest = kMinusInfinity;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    if (((skipped >> k) & 1) != 0) continue;
    const double score =
        policy.probability[k] - static_cast<double>(moves[k].visits) / (1.0 + static_cast<double>(total));
    if (score > highest) {
      highest = score;
      best = k;
    }
  }
  return best;
}

void SequentialHalving::start(const SearchConfig& config, std::span<const float> priors,
                              std::int64_t simulations, Random* random) {
  simulations_ = std::max<std::int64_t>(1, simulations);
  gumbel_.fill(0.0);
  if (random != nullptr) {
    for (std::size_t k = 0; k < priors.size(); ++k) {
      constexpr double kLeast = 0x1.0p-60;  // an exact 0 would make it infinite
      gumbel_[k] = -std::log(-std::log(std::max(random->uniform(), kLeast)));
    }
  }
  order_.resize(priors.size());
  std::iota(order_.begin(), order_.end(), std::uint8_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint8_t a, std::uint8_t b) {
    return gumbel_[a] + logit(priors[a]) > gumbel_[b] + logit(priors[b]);
  });
  considered_ = considered_first(config, order_.size(), simulations_);
  phases_ = phases_for(considered_);
  start_phase();
}

std::size_t SequentialHalving::considered_first(const SearchConfig& config, std::size_t moves,
                                                std::int64_t simulations) noexcept {
  return std::min(
      {moves, static_cast<std::size_t>(config.gumbel_moves), static_cast<std::size_t>(simulations)});
}

int SequentialHalving::phases_for(std::size_t considered) noexcept {
  return std::max(1, static_cast<int>(std::bit_width(considered - 1)));
}

void SequentialHalving::start_phase() {
  position_ = 0;
  rounds_left_ = std::max<std::int64_t>(1, simulations_ / (phases_ * static_cast<std::int64_t>(considered_)));
}

void SequentialHalving::halve(std::span<const double> scores) {
  std::stable_sort(
      order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(considered_),
      [&](std::uint8_t a, std::uint8_t b) { return gumbel_[a] + scores[a] > gumbel_[b] + scores[b]; });
  // Two stay to the end, so that what is left of the simulations goes to both.
  considered_ = std::max(std::min<std::size_t>(2, considered_), considered_ / 2);
  start_phase();
}

std::size_t SequentialHalving::next() noexcept {
  const std::size_t move = order_[position_++];
  if (position_ == considered_) {
    position_ = 0;
    --rounds_left_;
  }
  return move;
}

std::size_t SequentialHalving::best(std::span<const double> scores, std::uint64_t choices) const noexcept {
  std::size_t best = kMaxSquares;
  for (std::size_t k = 0; k < considered_; ++k) {
    const std::size_t move = order_[k];
    if (((choices >> move) & 1) == 0) continue;
    if (best == kMaxSquares || gumbel_[move] + scores[move] > gumbel_[best] + scores[best]) best = move;
  }
  return best;
}

//   simulations i64 | rounds left i64 | considered u8 | position u8 | order u8 · moves | Gumbel f64 · moves
//
// No simulations: not started, and nothing follows.
void SequentialHalving::append_state(std::string& bytes) const {
  append_number(bytes, started() ? simulations_ : std::int64_t{0});
  if (!started()) return;
  append_number(bytes, rounds_left_);
  append_number(bytes, static_cast<std::uint8_t>(considered_));
  append_number(bytes, static_cast<std::uint8_t>(position_));
  append_numbers(bytes, std::span(order_));
  append_numbers(bytes, std::span(gumbel_).first(order_.size()));
}

void SequentialHalving::restore_state(ByteReader& input, const SearchConfig& config, std::size_t moves,
                                      std::int64_t simulations) {
  stop();
  simulations_ = input.next<std::int64_t>();
  if (simulations_ == 0) return;
  rounds_left_ = input.next<std::int64_t>();
  considered_ = input.next<std::uint8_t>();
  position_ = input.next<std::uint8_t>();
  if (simulations_ < 0 || simulations_ > std::max<std::int64_t>(1, simulations)) {
    throw input.refuse("plans " + std::to_string(simulations_) + " simulations of the " +
                       std::to_string(simulations) + " of a move");
  }
  const std::size_t first = considered_first(config, moves, simulations_);
  if (considered_ < 1 || considered_ > first || position_ >= considered_ || rounds_left_ < 0 ||
      rounds_left_ > simulations_) {
    throw input.refuse("is in round " + std::to_string(rounds_left_) + " from the end at place " +
                       std::to_string(position_) + " of " + std::to_string(considered_) +
                       " considered moves, where " + std::to_string(first) + " come first in " +
                       std::to_string(simulations_) + " simulations");
  }
  phases_ = phases_for(first);
  std::vector<std::uint8_t> order(moves);
  input.fill(std::span(order));
  std::uint64_t seen = 0;
  for (const std::uint8_t move : order) {
    if (move >= moves || (seen >> move & 1) != 0) {
      throw input.refuse("does not have each of " + std::to_string(moves) + " moves once in its order");
    }
    seen |= std::uint64_t{1} << move;
  }
  gumbel_.fill(0.0);
  input.fill(std::span(gumbel_).first(moves));
  if (!std::ranges::all_of(gumbel_, [](double value) { return std::isfinite(value); })) {
    throw input.refuse("has a Gumbel variable that is not finite");
  }
  order_ = std::move(order);
}

}  // namespace pahtum
