#include "eval/rating.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "env/base/error.h"
#include "env/base/schema.h"

namespace pahtum {
namespace {

constexpr double kHiddenSquare = 0.25;  // of the half point that results without spread may hide

// Pairs of two players by both results, real ones or those of the prior.
using Weights = std::array<std::array<double, 3>, 3>;

struct Meeting {
  std::size_t first = 0, second = 0;
  Weights pairs{};          // played, and the prior's
  double prior_weight = 0;  // how many pairs the prior added
};

double total(const Weights& pairs) {
  double sum = 0;
  for (const auto& row : pairs) sum += std::reduce(row.begin(), row.end());
  return sum;
}

// Probabilities of lost, drawn, won for White.
using Chances = std::array<double, 3>;

Chances chances(double d, double log_nu) {
  const std::array<double, 3> logs = {-0.5 * d, log_nu, 0.5 * d};
  const double highest = *std::ranges::max_element(logs);
  Chances result{};
  for (std::size_t k = 0; k < 3; ++k) result[k] = std::exp(logs[k] - highest);
  const double sum = std::reduce(result.begin(), result.end());
  for (double& chance : result) chance /= sum;
  return result;
}

// The likelihood of a pool. Its parameters are the strengths of all players but the anchor in natural log
// odds, then White's advantage in the same unit, then log ν.
class PoolModel {
 public:
  PoolModel(std::size_t players, std::size_t anchor, std::vector<Meeting> meetings)
      : anchor_(anchor),
        meetings_(std::move(meetings)),
        white_(static_cast<Eigen::Index>(players) - 1),
        log_nu_(white_ + 1) {}

  [[nodiscard]] Eigen::Index parameters() const { return log_nu_ + 1; }
  [[nodiscard]] Eigen::Index white() const { return white_; }
  [[nodiscard]] Eigen::Index log_nu() const { return log_nu_; }
  // Place of a player's strength; −1 for the anchor, whose strength is 0.
  [[nodiscard]] Eigen::Index strength(std::size_t player) const {
    if (player == anchor_) return -1;
    return static_cast<Eigen::Index>(player < anchor_ ? player : player - 1);
  }

  [[nodiscard]] Eigen::VectorXd maximum() const {
    // The likelihood is concave and every step is halved until it gains, so that the limits are never met
    // by sound numbers.
    constexpr int kMostSteps = 200;
    constexpr double kGainLeft = 1e-12;
    Eigen::VectorXd point = Eigen::VectorXd::Zero(parameters());
    double value = likelihood(point);
    for (int step = 0; step < kMostSteps; ++step) {
      const Eigen::VectorXd slope = gradient(point);
      const Eigen::VectorXd move = curvature(point).ldlt().solve(slope);
      const double gain = slope.dot(move);
      if (!std::isfinite(gain)) break;
      if (gain < kGainLeft) return point;
      double length = 1.0;
      double next = likelihood(point + move);
      // What rounding hides of the gain must not stop the last step.
      const double noise = 1e-13 * std::abs(value);
      while (!(next > value - noise) && length > 1e-9) {
        length *= 0.5;
        next = likelihood(point + length * move);
      }
      point += length * move;
      value = next;
    }
    throw failure("rating", "the likelihood of the pool has no maximum that Newton's method finds");
  }

  // Minus the second derivatives.
  [[nodiscard]] Eigen::MatrixXd curvature(const Eigen::VectorXd& point) const {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(parameters(), parameters());
    for (const Meeting& meeting : meetings_) {
      const double games = total(meeting.pairs);
      for (const bool first_is_white : {true, false}) {
        const Chances chance = chances(difference(meeting, first_is_white, point), point[log_nu_]);
        // Of White's points (with a lost game as 0) and of the number of draws.
        const double mean = chance[2] + 0.5 * chance[1];
        const double points = chance[2] + 0.25 * chance[1] - mean * mean;
        const double draws = chance[1] * (1.0 - chance[1]);
        const double both = chance[1] * (0.5 - mean);
        const Direction along = direction(meeting, first_is_white);
        for (const Entry& row : along) {
          if (row.place < 0) continue;
          for (const Entry& column : along) {
            if (column.place >= 0) {
              result(row.place, column.place) += games * points * row.factor * column.factor;
            }
          }
          result(row.place, log_nu_) += games * both * row.factor;
          result(log_nu_, row.place) += games * both * row.factor;
        }
        result(log_nu_, log_nu_) += games * draws;
      }
    }
    return result;
  }

  // The sandwich.
  [[nodiscard]] Eigen::MatrixXd covariance(const Eigen::VectorXd& point) const {
    const auto decomposition = curvature(point).ldlt();
    const Eigen::MatrixXd half = decomposition.solve(scatter(point));
    return decomposition.solve(half.transpose());
  }

 private:
  // How d of a game depends on the parameters: at most three of them, the factors are 1 or −1.
  struct Entry {
    Eigen::Index place = -1;  // −1: none
    double factor = 0;
  };
  using Direction = std::array<Entry, 3>;

  [[nodiscard]] Direction direction(const Meeting& meeting, bool first_is_white) const {
    const double sign = first_is_white ? 1.0 : -1.0;
    return {{{strength(meeting.first), sign}, {strength(meeting.second), -sign}, {white_, 1.0}}};
  }

  [[nodiscard]] double difference(const Meeting& meeting, bool first_is_white,
                                  const Eigen::VectorXd& point) const {
    double d = 0;
    for (const Entry& entry : direction(meeting, first_is_white)) {
      if (entry.place >= 0) d += entry.factor * point[entry.place];
    }
    return d;
  }

  [[nodiscard]] double likelihood(const Eigen::VectorXd& point) const {
    double sum = 0;
    for_each_outcome(point, [&](double weight, double log_chance, const Meeting&, const auto&) {
      sum += weight * log_chance;
    });
    return sum;
  }

  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& point) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(parameters());
    for_each_outcome(point, [&](double weight, double, const Meeting& meeting, const Residuals& residuals) {
      add_score(sum, weight, meeting, residuals);
    });
    return sum;
  }

  // Summed outer products of the pairs' gradients.
  [[nodiscard]] Eigen::MatrixXd scatter(const Eigen::VectorXd& point) const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(parameters(), parameters());
    const auto add_outer = [&](double weight, const Meeting& meeting, const Residuals& residuals) {
      // Four parameters at most have a part in a pair.
      const std::array<Eigen::Index, 4> places = {strength(meeting.first), strength(meeting.second), white_,
                                                  log_nu_};
      const double first = residuals.points[0] - residuals.points[1];
      const std::array<double, 4> values = {first, -first, residuals.points[0] + residuals.points[1],
                                            residuals.draws};
      for (std::size_t row = 0; row < 4; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
          if (places[row] < 0 || places[column] < 0) continue;
          sum(places[row], places[column]) += weight * values[row] * values[column];
        }
      }
    };
    for_each_outcome(point, [&](double weight, double, const Meeting& meeting, const Residuals& residuals) {
      add_outer(weight, meeting, residuals);
    });
    for (const Meeting& meeting : meetings_) {
      const double hidden = kHiddenSquare * meeting.prior_weight;
      add_outer(hidden, meeting, {{0.5, -0.5}, 0.0});  // of the players
      add_outer(hidden, meeting, {{0.5, 0.5}, 0.0});   // of White
      add_outer(hidden, meeting, {{0.0, 0.0}, 1.0});   // of draws
    }
    return sum;
  }

  // What the two games of a pair differ by from what the model expects: White's points in the game where the
  // first player is White and in the other, and the number of draws in both.
  struct Residuals {
    std::array<double, 2> points{};
    double draws = 0;
  };

  void add_score(Eigen::VectorXd& sum, double weight, const Meeting& meeting,
                 const Residuals& residuals) const {
    for (const bool first_is_white : {true, false}) {
      for (const Entry& entry : direction(meeting, first_is_white)) {
        if (entry.place < 0) continue;
        sum[entry.place] += weight * entry.factor * residuals.points[first_is_white ? 0 : 1];
      }
    }
    sum[log_nu_] += weight * residuals.draws;
  }

  // visit(pairs, log of their likelihood, meeting, residuals) for every way that a pair came out.
  template <class Visit>
  void for_each_outcome(const Eigen::VectorXd& point, const Visit& visit) const {
    for (const Meeting& meeting : meetings_) {
      // Of White's result, in the game where the first player is White and in the other.
      const Chances as_white = chances(difference(meeting, true, point), point[log_nu_]);
      const Chances as_black = chances(difference(meeting, false, point), point[log_nu_]);
      const double mean_white = as_white[2] + 0.5 * as_white[1];
      const double mean_black = as_black[2] + 0.5 * as_black[1];
      for (std::size_t white = 0; white < 3; ++white) {
        for (std::size_t black = 0; black < 3; ++black) {
          const double weight = meeting.pairs[white][black];
          if (weight == 0) continue;
          const std::size_t opponent = 2 - black;  // its result as White
          const double draws = (white == 1 ? 1.0 : 0.0) + (black == 1 ? 1.0 : 0.0);
          const Residuals residuals{{0.5 * static_cast<double>(white) - mean_white,
                                     0.5 * static_cast<double>(opponent) - mean_black},
                                    draws - as_white[1] - as_black[1]};
          visit(weight, std::log(as_white[white]) + std::log(as_black[opponent]), meeting, residuals);
        }
      }
    }
  }

  std::size_t anchor_;
  std::vector<Meeting> meetings_;
  Eigen::Index white_, log_nu_;
};

// The matches with pairs in them, and what the prior adds to each.
std::vector<Meeting> meetings_of(std::size_t players, std::span<const PoolMatch> matches) {
  std::vector<double> pairs_of(players, 0.0);
  std::vector<Meeting> meetings;
  for (const PoolMatch& match : matches) {
    assert(match.first < players && match.second < players && match.first != match.second);
    Meeting meeting{match.first, match.second};
    for (std::size_t white = 0; white < 3; ++white) {
      for (std::size_t black = 0; black < 3; ++black) {
        meeting.pairs[white][black] = static_cast<double>(match.pairs[white][black]);
      }
    }
    const double pairs = total(meeting.pairs);
    if (pairs == 0) continue;
    pairs_of[match.first] += pairs;
    pairs_of[match.second] += pairs;
    meetings.push_back(meeting);
  }
  for (Meeting& meeting : meetings) {
    // Each player's one pair counts half for it and half for the opponent, so that two players alone have one
    // between them.
    const double pairs = total(meeting.pairs);
    meeting.prior_weight = 0.5 * (pairs / pairs_of[meeting.first] + pairs / pairs_of[meeting.second]);
    for (std::size_t white = 0; white < 3; ++white) {
      meeting.pairs[white][2 - white] += meeting.prior_weight / 3.0;
    }
  }
  return meetings;
}

// Throws unless games lead from every player to every other.
void require_connected(std::span<const std::string> names, std::span<const Meeting> meetings,
                       std::size_t anchor) {
  std::vector<std::vector<std::size_t>> opponents(names.size());
  for (const Meeting& meeting : meetings) {
    opponents[meeting.first].push_back(meeting.second);
    opponents[meeting.second].push_back(meeting.first);
  }
  std::vector<bool> reached(names.size(), false);
  std::vector<std::size_t> open = {anchor};
  reached[anchor] = true;
  while (!open.empty()) {
    const std::size_t player = open.back();
    open.pop_back();
    for (const std::size_t opponent : opponents[player]) {
      if (reached[opponent]) continue;
      reached[opponent] = true;
      open.push_back(opponent);
    }
  }
  const auto lost = std::ranges::find(reached, false);
  if (lost == reached.end()) return;
  throw request_error(names[static_cast<std::size_t>(lost - reached.begin())],
                      "no games compare it with the anchor " + names[anchor] +
                          ", directly or through others; play it against a player of the pool");
}

std::size_t place_of(std::span<const std::string> names, const std::string& anchor) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw request_error(name, "stands twice among the players; name each once");
    }
  }
  const auto place = std::ranges::find(names, anchor);
  if (place == names.end()) {
    throw request_error(anchor, "cannot be the anchor, for it is not among the players");
  }
  return static_cast<std::size_t>(place - names.begin());
}

void count_results(PoolRatings& ratings, std::span<const PoolMatch> matches) {
  const auto count = [](WinDrawLoss& results, std::size_t result, std::int64_t games) {
    (result == 2 ? results.wins : result == 1 ? results.draws : results.losses) += games;
  };
  for (const PoolMatch& match : matches) {
    for (std::size_t white = 0; white < 3; ++white) {
      for (std::size_t black = 0; black < 3; ++black) {
        const std::int64_t pairs = match.pairs[white][black];
        for (const std::size_t result : {white, black}) {
          count(ratings.players[match.first].results, result, pairs);
          count(ratings.players[match.second].results, 2 - result, pairs);
        }
        count(ratings.white, white, pairs);
        count(ratings.white, 2 - black, pairs);
      }
    }
  }
}

double normal_probability(double deviations) {
  return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
}

}  // namespace

PoolRatings rate_players(std::span<const std::string> names, std::span<const PoolMatch> matches,
                         const std::string& anchor) {
  PoolRatings ratings;
  ratings.anchor = place_of(names, anchor);
  for (const std::string& name : names) ratings.players.push_back({.name = name});
  ratings.superiority.assign(names.size(), std::vector<double>(names.size(), 0.5));
  count_results(ratings, matches);

  std::vector<Meeting> meetings = meetings_of(names.size(), matches);
  require_connected(names, meetings, ratings.anchor);
  if (meetings.empty()) {
    ratings.white_advantage = {0, -kInfinity, kInfinity};
    ratings.draw_parameter = {1, 0, kInfinity};
    return ratings;
  }
  const PoolModel model(names.size(), ratings.anchor, std::move(meetings));
  const Eigen::VectorXd point = model.maximum();
  const Eigen::MatrixXd covariance = model.covariance(point);
  const auto strength = [&](std::size_t player) {
    const Eigen::Index place = model.strength(player);
    return place < 0 ? 0.0 : point[place];
  };
  const auto shared = [&](std::size_t one, std::size_t other) {
    const Eigen::Index row = model.strength(one);
    const Eigen::Index column = model.strength(other);
    return row < 0 || column < 0 ? 0.0 : covariance(row, column);
  };
  for (std::size_t a = 0; a < names.size(); ++a) {
    PlayerRating& player = ratings.players[a];
    const double half_width = kNormalQuantile95 * std::sqrt(shared(a, a));
    player.elo = kEloPerLogOdds * strength(a);
    player.low = kEloPerLogOdds * (strength(a) - half_width);
    player.high = kEloPerLogOdds * (strength(a) + half_width);
    for (std::size_t b = 0; b < names.size(); ++b) {
      if (a == b) continue;
      const double variance = shared(a, a) + shared(b, b) - 2.0 * shared(a, b);
      ratings.superiority[a][b] = normal_probability((strength(a) - strength(b)) / std::sqrt(variance));
    }
  }
  const double white = point[model.white()];
  const double white_width = kNormalQuantile95 * std::sqrt(covariance(model.white(), model.white()));
  ratings.white_advantage = {kEloPerLogOdds * white, kEloPerLogOdds * (white - white_width),
                             kEloPerLogOdds * (white + white_width)};
  const double log_nu = point[model.log_nu()];
  const double nu_width = kNormalQuantile95 * std::sqrt(covariance(model.log_nu(), model.log_nu()));
  ratings.draw_parameter = {std::exp(log_nu), std::exp(log_nu - nu_width), std::exp(log_nu + nu_width)};
  return ratings;
}

}  // namespace pahtum
