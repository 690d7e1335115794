#include "eval/oracle_data.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/object_reader.h"

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;

constexpr FrameFormat kOracleFormat{.magic = "PAHTUMOR", .version = 1, .what = "oracle data set"};
// No colour can have more: 16 lines, each of which has room for at most 4 runs of it.
constexpr int kMostPoints = 16 * 4 * kMostRunPoints;

Json names_of(const std::vector<Move>& moves, int size) {
  Json names = Json::array();
  for (const Move move : moves) names.push_back(to_text(move, size));
  return names;
}

// What the file says of a position beside its text and its moves, and what follows from these.
Json summary_of(const OraclePosition& entry) {
  const int size = entry.position.size;
  return {{"empty", entry.position.empty_count()},
          {"outcome", static_cast<int>(entry.outcome())},
          {"margin", entry.margin()},
          {"best_outcome", names_of(entry.best_by_outcome(), size)},
          {"best_margin", names_of(entry.best_by_margin(), size)}};
}

Json position_json(const OraclePosition& entry) {
  Json object = {{"position", to_text(entry.position)}};
  object.update(summary_of(entry));
  Json moves = Json::object();
  for (const auto& [move, margin] : entry.moves) moves[to_text(move, entry.position.size)] = margin;
  object["moves"] = std::move(moves);
  return object;
}

// The position a text means in games of these rules.
Position read_position(const ObjectReader& reader, const GameConfig& game) {
  const std::string text = reader.text("position");
  const auto refuse = [&](const std::string& why) {
    return reader.refuse("position", "is \"" + text + "\", " + why);
  };
  std::optional<Position> position;
  try {
    position = parse_position(text);
  } catch (const Error& error) {
    throw refuse("which is none: " + error.message());
  }
  if (position->size != game.size) {
    throw refuse("of another board than the game, whose size is " + std::to_string(game.size));
  }
  if (position->phase != Phase::kPlaying) {
    throw refuse("in which stones are not yet being placed in turn");
  }
  if (position->over()) throw refuse("in which no square is empty; at least one is needed");
  position->run_points = game.run_points;
  return *position;
}

std::vector<std::pair<Move, int>> read_moves(const ObjectReader& reader, const Position& position) {
  const ObjectReader values = reader.object("moves");
  std::vector<std::pair<Move, int>> moves;
  for_each_legal(position, [&](Move move) {
    const auto margin = values.integer(to_text(move, position.size), -kMostPoints, kMostPoints);
    moves.emplace_back(move, static_cast<int>(margin));
  });
  for (const auto& item : reader.field("moves").items()) {
    const auto named = [&](const auto& known) { return to_text(known.first, position.size) == item.key(); };
    if (std::ranges::none_of(moves, named)) throw values.refuse(item.key(), "is no legal move there");
  }
  return moves;
}

OraclePosition read_entry(const ObjectReader& reader, const GameConfig& game) {
  reader.only({"position", "empty", "outcome", "margin", "best_outcome", "best_margin", "moves"});
  OraclePosition entry;
  entry.position = read_position(reader, game);
  entry.moves = read_moves(reader, entry.position);
  const Json summary = summary_of(entry);
  for (const auto& [name, right] : summary.items()) {
    const Json found = reader.field(name);
    // A number with a fraction part would be equal where that is 0.
    if (found == right && !found.is_number_float()) continue;
    throw reader.refuse(name, "disagrees with the position and its moves, by which it is " + right.dump());
  }
  return entry;
}

OracleData read_data(const ObjectReader& reader) {
  reader.only({"game", "seed", "opening_plies", "players", "positions"});
  OracleData data;
  reader.object("game").section(describe(data.game));
  try {
    validate(data.game);
  } catch (const Error& error) {
    throw reader.refuse("game", std::string("makes no game: ") + error.what());
  }
  const nlohmann::json& seed = reader.field("seed");
  if (!seed.is_number_unsigned()) throw reader.refuse("seed", "is no whole number of 0 or more");
  data.seed = seed.get<std::uint64_t>();
  data.opening_plies = reader.integer("opening_plies", 0, kMaxSquares);
  for (const nlohmann::json& player : reader.list("players")) {
    if (!player.is_string()) throw reader.refuse("players", "holds something that is not a text");
    data.players.push_back(player.get<std::string>());
  }
  const std::size_t count = reader.list("positions").size();
  if (count == 0) throw reader.refuse("positions", "is empty; at least one is needed");
  data.positions.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    data.positions.push_back(read_entry(reader.entry("positions", index), data.game));
  }
  return data;
}

}  // namespace

int OraclePosition::margin() const noexcept {
  assert(!moves.empty());
  return std::ranges::max_element(moves, {}, &std::pair<Move, int>::second)->second;
}

int OraclePosition::margin_of(Move move) const noexcept {
  const auto found = std::ranges::find(moves, move, &std::pair<Move, int>::first);
  assert(found != moves.end());
  return found->second;
}

std::vector<Move> OraclePosition::best_by_outcome() const {
  std::vector<Move> best;
  for (const auto& [move, value] : moves) {
    if (outcome_of(Margin{value}) == outcome()) best.push_back(move);
  }
  return best;
}

std::vector<Move> OraclePosition::best_by_margin() const {
  std::vector<Move> best;
  for (const auto& [move, value] : moves) {
    if (value == margin()) best.push_back(move);
  }
  return best;
}

bool OraclePosition::decisive() const noexcept {
  return std::ranges::any_of(moves,
                             [&](const auto& move) { return outcome_of(Margin{move.second}) != outcome(); });
}

void save_oracle_data(const std::filesystem::path& path, const OracleData& data) {
  Json positions = Json::array();
  for (const OraclePosition& entry : data.positions) positions.push_back(position_json(entry));
  GameConfig game = data.game;
  const Json document = {{"game", section_to_json(describe(game))},
                         {"seed", data.seed},
                         {"opening_plies", data.opening_plies},
                         {"players", data.players},
                         {"positions", std::move(positions)}};
  // A SPEC may hold a path that is no UTF-8.
  write_frame(path, kOracleFormat, document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

OracleData load_oracle_data(const std::filesystem::path& path) {
  const nlohmann::json document = parse_json(read_frame(path, kOracleFormat), path.string());
  return read_data(ObjectReader(path, std::string(kOracleFormat.what), "", document));
}

}  // namespace pahtum
