#include "selfplay/game_record.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "env/base/bytes.h"
#include "env/base/error.h"
#include "env/base/files.h"
#include "env/game_config.h"

namespace pahtum {
namespace {

constexpr FrameFormat kGamesFormat{.magic = kGameShardMagic, .version = 3, .what = "game shard", .oldest = 2};
constexpr std::uint32_t kWithSurprises = std::uint32_t{1} << 31;  // in the count of games, from version 3 on
constexpr float kLargestValue = 1.001f;                           // 1, and what rounding in a search may add
constexpr int kMaxPlies = kMaxSquares + 1;  // the swap is one ply more than there are squares

std::uint8_t to_byte(Move move) noexcept {
  return static_cast<std::uint8_t>(move.index());
}

// Position text is checked when parsed; its raw form in a file is not, so what it claims is checked here.
bool is_sound(const Position& position) noexcept {
  if (position.size < kMinSize || position.size > kMaxSize) return false;
  const Bitboard all = position.holes | position.white | position.black;
  const bool disjoint = (position.holes & position.white) == 0 && (position.holes & position.black) == 0 &&
                        (position.white & position.black) == 0;
  if (!disjoint || (all & ~board_mask(position.size)) != 0 || position.mover > Color::kBlack ||
      position.reserved != Position{}.reserved ||
      !std::ranges::all_of(position.run_points.by_length,
                           [](int points) { return points <= kMostRunPoints; })) {
    return false;
  }
  const int stones = std::popcount(position.white | position.black);
  const int empty = position.empty_count();
  const int holes = position.holes_left;
  if (position.swap_follows != 0) {
    return position.swap_follows == 1 && position.phase == Phase::kPlacing && stones == 0 && holes >= 1 &&
           holes < empty;
  }
  switch (position.phase) {
    case Phase::kPlaying:
      return holes == 0;
    case Phase::kPlacing:
      return holes >= 1 && holes <= empty;
    case Phase::kOpening:
      return stones == 0 && holes < empty;
    case Phase::kSwapping:
      return stones == 1 && holes == 0;
  }
  return false;
}

void check(const GameRecord& game, const std::string& source) {
  const auto refuse = [&](const std::string& why) {
    throw request_error(source, "game " + std::to_string(game.episode) + " of slot " +
                                    std::to_string(game.environment) + " " + why);
  };
  if (!is_sound(game.start)) refuse("starts from an impossible position");
  if (game.moves.size() > kMaxPlies || game.origins.size() != game.moves.size() ||
      game.root_values.size() != game.moves.size()) {
    refuse("has lists of different lengths");
  }
  Position position = game.start;
  std::span<const std::uint16_t> policy = game.policy;
  for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
    if (position.over() || !is_legal(position, game.moves[ply])) {
      refuse("has an illegal move at ply " + std::to_string(ply));
    }
    if (game.origins[ply] > MoveOrigin::kShort) {
      refuse("says of ply " + std::to_string(ply) + " neither random, searched, solved nor short");
    }
    if (!(std::abs(game.root_values[ply]) <= kLargestValue)) {
      refuse("has a value at ply " + std::to_string(ply) + " that is not in −1 … 1");
    }
    if (is_sample(game.origins[ply])) {
      const auto count = static_cast<std::size_t>(legal_count(position));
      if (count > policy.size()) refuse("has a policy that does not fit its moves");
      if (std::ranges::count(policy.first(count), 0) == static_cast<std::ptrdiff_t>(count)) {
        refuse("has a policy without weight at ply " + std::to_string(ply));
      }
      policy = policy.subspan(count);
    }
    apply(position, game.moves[ply]);
  }
  if (!policy.empty()) refuse("has a policy that does not fit its moves");
  if (!game.surprises.empty() && game.surprises.size() != static_cast<std::size_t>(game.searched())) {
    refuse("has " + std::to_string(game.surprises.size()) + " surprises for " +
           std::to_string(game.searched()) + " searched plies");
  }
  if (!std::ranges::all_of(game.surprises,
                           [](float value) { return value >= 0.0f && std::isfinite(value); })) {
    refuse("has a surprise that is negative or not finite");
  }
}

}  // namespace

Position GameRecord::position() const noexcept {
  Position result = start;
  for (const Move move : moves) apply(result, move);
  return result;
}

int GameRecord::samples() const noexcept {
  return static_cast<int>(std::ranges::count_if(origins, is_sample));
}

int GameRecord::solved() const noexcept {
  return static_cast<int>(std::count(origins.begin(), origins.end(), MoveOrigin::kSolved));
}

int GameRecord::searched() const noexcept {
  return static_cast<int>(std::count(origins.begin(), origins.end(), MoveOrigin::kSearched));
}

std::uint64_t GameRecord::hash() const noexcept {
  std::uint64_t result = pahtum::hash(start);
  for (const Move move : moves) {
    result = (result ^ static_cast<std::uint64_t>(move.index() + 1)) * 0x100000001B3ull;  // FNV-1a
    result ^= result >> 29;
  }
  return result;
}

void GameRecord::shrink_to_fit() {
  moves.shrink_to_fit();
  origins.shrink_to_fit();
  root_values.shrink_to_fit();
  policy.shrink_to_fit();
  surprises.shrink_to_fit();
}

void GameRecord::add_random(Move move) {
  moves.push_back(move);
  origins.push_back(MoveOrigin::kRandom);
  root_values.push_back(0.0f);
}

void GameRecord::add_short(Move move, Value root_value) {
  moves.push_back(move);
  origins.push_back(MoveOrigin::kShort);
  root_values.push_back(root_value.get());
}

void GameRecord::add_searched(Move move, Value root_value, std::span<const float> shares, MoveOrigin origin,
                              float surprise) {
  assert(!shares.empty() && is_sample(origin));
  if (origin == MoveOrigin::kSearched) surprises.push_back(surprise);
  moves.push_back(move);
  origins.push_back(origin);
  root_values.push_back(root_value.get());
  constexpr float kMost = std::numeric_limits<std::uint16_t>::max();
  const float largest = *std::max_element(shares.begin(), shares.end());
  for (const float share : shares) {
    policy.push_back(static_cast<std::uint16_t>(std::lround(kMost * (share / largest))));
  }
}

std::string serialize(const std::vector<GameRecord>& games) {
  std::string bytes;
  append_number(bytes, static_cast<std::uint32_t>(games.size()) | kWithSurprises);
  for (const GameRecord& game : games) {
    append_number(bytes, game.environment);
    append_number(bytes, game.episode);
    append_number(bytes, game.start);
    append_number(bytes, static_cast<std::uint32_t>(game.moves.size()));
    for (const Move move : game.moves) append_number(bytes, to_byte(move));
    append_all(bytes, game.origins);
    append_all(bytes, game.root_values);
    append_all(bytes, game.policy);
    append_all(bytes, game.surprises);
  }
  return bytes;
}

std::vector<GameRecord> parse_games(std::string_view bytes, const std::string& source) {
  ByteReader reader(bytes, source);
  std::vector<GameRecord> games;
  const auto head = reader.next<std::uint32_t>();
  const bool with_surprises = (head & kWithSurprises) != 0;
  for (std::uint32_t left = head & ~kWithSurprises; left > 0; --left) {
    GameRecord game;
    game.environment = reader.next<std::uint32_t>();
    game.episode = reader.next<std::uint64_t>();
    game.start = reader.next<Position>();
    for (const std::uint8_t byte : reader.next_all<std::uint8_t>()) {
      if (byte >= kMoveIndices)
        throw request_error(source, "holds the impossible move " + std::to_string(byte));
      game.moves.push_back(byte == kMoveIndices - 1 ? Move::swap() : Move::at(byte));
    }
    game.origins = reader.next_all<MoveOrigin>();
    game.root_values = reader.next_all<float>();
    game.policy = reader.next_all<std::uint16_t>();
    if (with_surprises) game.surprises = reader.next_all<float>();
    check(game, source);
    games.push_back(std::move(game));
  }
  reader.require_end();
  return games;
}

void save_games(const std::filesystem::path& path, const std::vector<GameRecord>& games) {
  write_frame(path, kGamesFormat, serialize(games));
}

std::vector<GameRecord> load_games(const std::filesystem::path& path) {
  return parse_games(read_frame(path, kGamesFormat), path.string());
}

void append_game(const std::filesystem::path& path, const GameRecord& game) {
  append_to_file(path, framed(kGamesFormat, serialize({game})));
}

std::vector<GameRecord> load_appended_games(const std::filesystem::path& path) {
  std::vector<GameRecord> games;
  for (const std::string& payload : read_whole_frames(path, kGamesFormat)) {
    for (GameRecord& game : parse_games(payload, path.string())) games.push_back(std::move(game));
  }
  return games;
}

}  // namespace pahtum
