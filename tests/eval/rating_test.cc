#include "eval/rating.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

constexpr double kEloPerLogOdds = 400.0 / std::numbers::ln10;

std::vector<std::string> names_of(std::size_t players) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < players; ++k) names.push_back("player " + std::to_string(k));
  return names;
}

// What the tests take for true.
struct World {
  std::vector<double> elo;
  double white_advantage = 0;  // Elo
  double nu = 0.3;
  // Half of the layouts favour White by so much, the others Black; half of the layouts suit the first player
  // by so much, the others the second. Elo.
  double for_colour = 0, for_player = 0;
};

// Of White: lost, drawn, won.
std::array<double, 3> chances(double elo, double nu) {
  const double lost = std::exp(-0.5 * elo / kEloPerLogOdds);
  const double won = 1 / lost;
  const double sum = lost + nu + won;
  return {lost / sum, nu / sum, won / sum};
}

// Difference from White's side in the game where the first player has White, or the second.
double difference(const World& world, const PoolMatch& match, bool first_is_white) {
  const double d = world.elo[match.first] - world.elo[match.second];
  return (first_is_white ? d : -d) + world.white_advantage;
}

std::vector<PoolMatch> round_robin(std::size_t players) {
  std::vector<PoolMatch> matches;
  for (std::size_t a = 0; a < players; ++a) {
    for (std::size_t b = a + 1; b < players; ++b) matches.push_back({a, b});
  }
  return matches;
}

std::size_t draw(const std::array<double, 3>& chance, Random& random) {
  const double number = random.uniform();
  return number < chance[0] ? 0 : number < chance[0] + chance[1] ? 1 : 2;
}

std::vector<PoolMatch> simulate(const World& world, int pairs, std::uint64_t number) {
  std::vector<PoolMatch> matches = round_robin(world.elo.size());
  Random random(3, Stream::kTest, number);
  for (PoolMatch& match : matches) {
    for (int pair = 0; pair < pairs; ++pair) {
      const double colour = random.below(2) == 0 ? world.for_colour : -world.for_colour;
      const double player = random.below(2) == 0 ? world.for_player : -world.for_player;
      const std::size_t as_white =
          draw(chances(difference(world, match, true) + colour + player, world.nu), random);
      const std::size_t opponent =
          draw(chances(difference(world, match, false) + colour - player, world.nu), random);
      ++match.pairs[as_white][2 - opponent];
    }
  }
  return matches;
}

// What endlessly many pairs would come to, to a hundred millionth.
std::vector<PoolMatch> expected(const World& world) {
  std::vector<PoolMatch> matches = round_robin(world.elo.size());
  for (PoolMatch& match : matches) {
    for (const double colour : {world.for_colour, -world.for_colour}) {
      for (const double player : {world.for_player, -world.for_player}) {
        const auto as_white = chances(difference(world, match, true) + colour + player, world.nu);
        const auto opponent = chances(difference(world, match, false) + colour - player, world.nu);
        for (std::size_t white = 0; white < 3; ++white) {
          for (std::size_t black = 0; black < 3; ++black) {
            match.pairs[white][black] += std::llround(1e8 * as_white[white] * opponent[2 - black]);
          }
        }
      }
    }
  }
  return matches;
}

PoolRatings rate(std::span<const PoolMatch> matches, std::size_t players, std::size_t anchor = 0) {
  const std::vector<std::string> names = names_of(players);
  return rate_players(names, matches, names[anchor]);
}

TEST(Rating, TwoPlayersWithoutEdgeForWhiteHaveTheClosedForm) {
  PoolMatch match{0, 1};
  match.pairs[2][2] = 20;
  match.pairs[2][0] = match.pairs[0][2] = 10;
  match.pairs[1][1] = 9;
  match.pairs[0][0] = 5;
  const PoolRatings ratings = rate({&match, 1}, 2, 1);
  // Two players share one pair of the prior: a third of it won, drawn and lost by each with each colour.
  const double won = 2 * (30 + 1.0 / 3);
  const double drawn = 2 * (9 + 1.0 / 3);
  const double lost = 2 * (15 + 1.0 / 3);
  EXPECT_NEAR(ratings.players[0].elo, 400 * std::log10(won / lost), 1e-6);
  EXPECT_EQ(ratings.players[1].elo, 0);
  EXPECT_EQ(ratings.players[1].low, 0);
  EXPECT_EQ(ratings.players[1].high, 0);
  EXPECT_NEAR(ratings.draw_parameter.value, drawn / std::sqrt(won * lost), 1e-6);
  EXPECT_NEAR(ratings.white_advantage.value, 0, 1e-6);
  // log(won / lost) moves by wins / won − losses / lost with every pair.
  const double variance = (20 + 0.0) * std::pow(2 / won, 2) + 5 * std::pow(2 / lost, 2) +
                          (20 + 2.0 / 3) * std::pow(1 / won - 1 / lost, 2);
  const double half_width = 1.959964 * std::sqrt(variance) * kEloPerLogOdds;
  EXPECT_NEAR(ratings.players[0].high - ratings.players[0].elo, half_width, 0.01 * half_width);
  EXPECT_NEAR(ratings.players[0].elo - ratings.players[0].low, half_width, 0.01 * half_width);
  EXPECT_EQ(ratings.players[0].results, (WinDrawLoss{60, 18, 30}));
  EXPECT_EQ(ratings.players[1].results, (WinDrawLoss{30, 18, 60}));
  EXPECT_EQ(ratings.white.games(), 108);
}

TEST(Rating, TwoEqualPlayersShowWhitesAdvantageInClosedForm) {
  PoolMatch match{0, 1};
  match.pairs[2][0] = 60;
  match.pairs[0][2] = 20;
  const PoolRatings ratings = rate({&match, 1}, 2);
  EXPECT_NEAR(ratings.players[1].elo, 0, 1e-6);
  EXPECT_NEAR(ratings.white_advantage.value, 400 * std::log10((60 + 1.0 / 3) / (20 + 1.0 / 3)), 1e-6);
  EXPECT_GT(ratings.white_advantage.low, 0);
  EXPECT_EQ(ratings.white, (WinDrawLoss{120, 0, 40}));
}

TEST(Rating, EndlessGamesShowTheTruth) {
  const World world{.elo = {0, 130, -220, 470, 900}, .white_advantage = 75, .nu = 0.4};
  const PoolRatings ratings = rate(expected(world), 5);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(ratings.players[k].elo, world.elo[k], 0.01);
  EXPECT_NEAR(ratings.white_advantage.value, 75, 0.01);
  EXPECT_NEAR(ratings.draw_parameter.value, 0.4, 1e-4);
}

TEST(Rating, AtTheMaximumEverySumIsWhatTheModelExpects) {
  const World world{.elo = {0, 130, -220, 470}, .white_advantage = 75, .nu = 0.4};
  const std::vector<PoolMatch> matches = simulate(world, 10, 1);
  const PoolRatings ratings = rate(matches, 4);
  // Ten pairs against each of three opponents: a meeting gets a third of both players' pair.
  std::array<double, 4> points{};
  double white = 0, draws = 0;
  World fitted{
      .elo = {}, .white_advantage = ratings.white_advantage.value, .nu = ratings.draw_parameter.value};
  for (const PlayerRating& player : ratings.players) fitted.elo.push_back(player.elo);
  for (const PoolMatch& match : matches) {
    const double prior = 1.0 / 3;
    for (std::size_t one = 0; one < 3; ++one) {
      for (std::size_t other = 0; other < 3; ++other) {
        const double pairs =
            static_cast<double>(match.pairs[one][other]) + (one + other == 2 ? prior / 3 : 0.0);
        const double score = 0.5 * static_cast<double>(one + other);
        points[match.first] += pairs * score;
        points[match.second] += pairs * (2 - score);
        white += pairs * 0.5 * static_cast<double>(one + 2 - other);
        draws += pairs * ((one == 1 ? 1.0 : 0.0) + (other == 1 ? 1.0 : 0.0));
      }
    }
    const auto first = chances(difference(fitted, match, true), fitted.nu);
    const auto second = chances(difference(fitted, match, false), fitted.nu);
    const double first_white = first[2] + first[1] / 2;
    const double second_white = second[2] + second[1] / 2;
    const double games = 10 + prior;
    points[match.first] -= games * (first_white + 1 - second_white);
    points[match.second] -= games * (second_white + 1 - first_white);
    white -= games * (first_white + second_white);
    draws -= games * (first[1] + second[1]);
  }
  for (const double left : points) EXPECT_NEAR(left, 0, 1e-5);
  EXPECT_NEAR(white, 0, 1e-5);
  EXPECT_NEAR(draws, 0, 1e-5);
}

TEST(Rating, ResultsCountedForTheWrongPlayerTurnEveryRatingRound) {
  const World world{.elo = {0, 200, 300}, .white_advantage = 50, .nu = 0.3};
  const std::vector<PoolMatch> matches = simulate(world, 60, 2);
  std::vector<PoolMatch> wrong = matches;
  for (PoolMatch& match : wrong) std::swap(match.first, match.second);
  const PoolRatings right = rate(matches, 3);
  const PoolRatings turned = rate(wrong, 3);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(turned.players[k].elo, -right.players[k].elo, 1e-6);
  EXPECT_NEAR(turned.white_advantage.value, right.white_advantage.value, 1e-6);
  EXPECT_GT(right.players[2].low, 0);
  EXPECT_LT(turned.players[2].high, 0);
  EXPECT_GT(right.superiority[2][0], 0.99);
  EXPECT_LT(turned.superiority[2][0], 0.01);
}

TEST(Rating, NeitherOrderNorSidesNorSplittingOfMatchesMatters) {
  const World world{.elo = {0, 200, 300, -50}, .white_advantage = 50, .nu = 0.3};
  const std::vector<PoolMatch> matches = simulate(world, 20, 3);
  std::vector<PoolMatch> other(matches.rbegin(), matches.rend());
  for (PoolMatch& match : other) {
    PairResults sides{};
    for (std::size_t white = 0; white < 3; ++white) {
      for (std::size_t black = 0; black < 3; ++black) {
        sides[2 - black][2 - white] = match.pairs[white][black];
      }
    }
    match = {match.second, match.first, sides};
  }
  PoolMatch part = other[0];
  for (auto& row : part.pairs) {
    for (std::int64_t& pairs : row) pairs /= 2;
  }
  for (std::size_t white = 0; white < 3; ++white) {
    for (std::size_t black = 0; black < 3; ++black) other[0].pairs[white][black] -= part.pairs[white][black];
  }
  other.push_back(part);
  const PoolRatings one = rate(matches, 4);
  const PoolRatings two = rate(other, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(one.players[k].elo, two.players[k].elo, 1e-6);
    EXPECT_NEAR(one.players[k].low, two.players[k].low, 1e-6);
    EXPECT_EQ(one.players[k].results, two.players[k].results);
  }
}

TEST(Rating, AnotherAnchorMovesAllByTheSame) {
  const World world{.elo = {0, 200, 300, -50}, .white_advantage = 50, .nu = 0.3};
  const std::vector<PoolMatch> matches = simulate(world, 20, 4);
  const PoolRatings one = rate(matches, 4, 0);
  const PoolRatings two = rate(matches, 4, 2);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(two.players[k].elo, one.players[k].elo - one.players[2].elo, 1e-6);
    for (std::size_t m = 0; m < 4; ++m) EXPECT_NEAR(two.superiority[k][m], one.superiority[k][m], 1e-9);
  }
}

TEST(Rating, PlayersThatWonOrLostEverythingHaveFiniteRatingsWithWidth) {
  std::vector<PoolMatch> matches = round_robin(3);
  for (PoolMatch& match : matches) match.pairs[0][0] = 100;  // the later player wins all
  const PoolRatings ratings = rate(matches, 3);
  EXPECT_GT(ratings.players[1].low, 300);
  EXPECT_GT(ratings.players[2].elo, ratings.players[1].elo + 300);
  EXPECT_LT(ratings.players[2].high, 4000);
  EXPECT_GT(ratings.players[2].high - ratings.players[2].low, 300);
  EXPECT_GT(ratings.superiority[2][1], 0.95);
  EXPECT_TRUE(std::isfinite(ratings.white_advantage.high));
  EXPECT_TRUE(std::isfinite(ratings.draw_parameter.high));
}

TEST(Rating, ResultsWithoutSpreadHaveWidth) {
  for (const auto& [white, black] : {std::pair{1, 1}, std::pair{2, 0}, std::pair{0, 2}}) {
    PoolMatch match{0, 1};
    match.pairs[static_cast<std::size_t>(white)][static_cast<std::size_t>(black)] = 50;
    const PoolRatings ratings = rate({&match, 1}, 2);
    EXPECT_NEAR(ratings.players[1].elo, 0, 1e-6);
    EXPECT_GT(ratings.players[1].high - ratings.players[1].low, 5);
    EXPECT_NEAR(ratings.superiority[0][1], 0.5, 1e-6);
    for (const Estimate& estimate : {ratings.white_advantage, ratings.draw_parameter}) {
      EXPECT_TRUE(std::isfinite(estimate.value) && std::isfinite(estimate.low) &&
                  std::isfinite(estimate.high));
      EXPECT_LT(estimate.low, estimate.high);
    }
  }
}

TEST(Rating, PairsThatAlwaysSplitSayMoreThanIndependentGames) {
  PoolMatch split{0, 1};
  split.pairs[2][0] = split.pairs[0][2] = 50;
  PoolMatch independent{0, 1};
  independent.pairs[2][2] = independent.pairs[2][0] = independent.pairs[0][2] = independent.pairs[0][0] = 25;
  const PlayerRating one = rate({&split, 1}, 2).players[1];
  const PlayerRating other = rate({&independent, 1}, 2).players[1];
  EXPECT_LT(one.high - one.low, 0.25 * (other.high - other.low));
}

TEST(Rating, PoolsThatNothingComparesAreRefused) {
  std::vector<PoolMatch> matches = {{0, 1}, {2, 3}, {1, 2}};
  matches[0].pairs[2][0] = matches[1].pairs[2][0] = 5;  // 1 and 2 have not met
  test::expect_error(Fault::kRequest, {"player 2", "player 0"}, [&] { rate(matches, 4); });
  test::expect_error(Fault::kRequest, {"nobody", "anchor"},
                     [&] { static_cast<void>(rate_players(names_of(4), matches, "nobody")); });
  const std::vector<std::string> twice = {"a", "b", "a"};
  test::expect_error(Fault::kRequest, {"a: stands twice"},
                     [&] { static_cast<void>(rate_players(twice, matches, "a")); });
}

TEST(Rating, APlayerAloneIsAPool) {
  const PoolRatings ratings = rate({}, 1);
  ASSERT_EQ(ratings.players.size(), 1u);
  EXPECT_EQ(ratings.players[0].elo, 0);
  EXPECT_EQ(ratings.players[0].results.games(), 0);
  EXPECT_TRUE(std::isinf(ratings.white_advantage.high));
}

TEST(Rating, RatesHundredsOfPlayers) {
  World world;
  for (int k = 0; k < 200; ++k) world.elo.push_back(15.0 * k);
  std::vector<PoolMatch> matches = simulate(world, 3, 5);
  std::erase_if(matches, [](const PoolMatch& match) { return match.second - match.first > 10; });
  const PoolRatings ratings = rate(matches, 200, 100);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_NEAR(ratings.players[k].elo, world.elo[k] - world.elo[100], 600) << k;
  }
}

// In what share of simulated pools the intervals hold the truth: of ratings, and of White's advantage and ν.
struct Coverage {
  double ratings = 0, white = 0, nu = 0;
};
Coverage coverage(const World& world, int pairs) {
  constexpr int kPools = 800;
  const PoolRatings truth = rate(expected(world), world.elo.size());
  const auto held = [](double low, double value, double high) {
    return low <= value && value <= high ? 1 : 0;
  };
  int ratings_held = 0, white_held = 0, nu_held = 0;
  for (int pool = 0; pool < kPools; ++pool) {
    const PoolRatings found =
        rate(simulate(world, pairs, static_cast<std::uint64_t>(pool)), world.elo.size());
    for (std::size_t k = 1; k < world.elo.size(); ++k) {
      ratings_held += held(found.players[k].low, truth.players[k].elo, found.players[k].high);
    }
    white_held += held(found.white_advantage.low, truth.white_advantage.value, found.white_advantage.high);
    nu_held += held(found.draw_parameter.low, truth.draw_parameter.value, found.draw_parameter.high);
  }
  return {static_cast<double>(ratings_held) / kPools / static_cast<double>(world.elo.size() - 1),
          static_cast<double>(white_held) / kPools, static_cast<double>(nu_held) / kPools};
}

void expect_nineteen_of_twenty(const Coverage& held) {
  for (const double share : {held.ratings, held.white, held.nu}) {
    EXPECT_GE(share, 0.93);
    EXPECT_LE(share, 0.97);
  }
}

TEST(Rating, IntervalsHoldTheTruthOfIndependentGames) {
  expect_nineteen_of_twenty(
      coverage({.elo = {0, 150, 300, 450, -100}, .white_advantage = 60, .nu = 0.3}, 25));
  expect_nineteen_of_twenty(coverage({.elo = {0, 80}, .white_advantage = -40, .nu = 0.6}, 100));
}

TEST(Rating, IntervalsHoldTheTruthOfPairsThatShareALayout) {
  const World colours{.elo = {0, 150, 300, -100}, .white_advantage = 40, .nu = 0.3, .for_colour = 400};
  const World players{.elo = {0, 150, 300, -100}, .white_advantage = 40, .nu = 0.3, .for_player = 300};
  expect_nineteen_of_twenty(coverage(colours, 40));
  expect_nineteen_of_twenty(coverage(players, 40));
}

}  // namespace
}  // namespace pahtum
