#include "eval/report_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/object_reader.h"

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "pahtum-report";
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// One description of every struct serves both directions: `visit` is a Writer or a Reader, T const or not.

template <class Visitor, class T>
void describe_wdl(Visitor& visit, T& results) {
  visit("wins", results.wins);
  visit("draws", results.draws);
  visit("losses", results.losses);
}

template <class Visitor, class T>
void describe_target(Visitor& visit, T& target) {
  visit("name", target.name);
  visit("checkpoint", target.checkpoint);
  visit("network", target.network);
  visit("search", target.search);
  visit("rules", target.rules);
  visit("project_version", target.project_version);
  visit("iteration", target.iteration);
  visit("step", target.step);
  visit("games", target.games);
  visit("training_seconds", target.training_seconds);
  visit.list("facts", target.facts, [](auto& entry, auto& fact) {
    entry("what", fact.first);
    entry("value", fact.second);
  });
  visit("config", target.config);
}

template <class Visitor, class T>
void describe_match(Visitor& visit, T& match) {
  const auto wdl = [](auto& entry, auto& results) { describe_wdl(entry, results); };
  visit("first", match.first);
  visit("second", match.second);
  visit.object("as_white", match.as_white, wdl);
  visit.object("as_black", match.as_black, wdl);
  visit("score", match.score);
  visit("elo", match.elo);
  visit("pair_scores", match.pair_scores);
  visit("distinct_games", match.distinct_games);
  visit("mean_margin", match.mean_margin);
  visit("seconds", match.seconds);
  visit("first_move_seconds", match.first_move_seconds);
  visit("second_move_seconds", match.second_move_seconds);
  visit("verdict", match.verdict);
}

template <class Visitor, class T>
void describe_rating(Visitor& visit, T& point) {
  visit("checkpoint", point.checkpoint);
  visit("iteration", point.iteration);
  visit("step", point.step);
  visit("games", point.games);
  visit("seconds", point.seconds);
  visit("elo", point.elo);
  visit("low", point.low);
  visit("high", point.high);
}

template <class Visitor, class T>
void describe_pool(Visitor& visit, T& pool) {
  visit.list("players", pool.players, [](auto& entry, auto& player) {
    entry("name", player.name);
    entry("elo", player.elo);
    entry("low", player.low);
    entry("high", player.high);
    entry("games", player.games);
  });
  visit("superiority", pool.superiority);
  visit.list("pairings", pool.pairings, [](auto& entry, auto& pairing) {
    entry("first", pairing.first);
    entry("second", pairing.second);
    describe_wdl(entry, pairing.results);
  });
  visit("first_move_advantage", pool.first_move_advantage);
}

template <class Visitor, class T>
void describe_oracle_row(Visitor& visit, T& row) {
  visit("empty", row.empty);
  visit("positions", row.positions);
  visit("decisive", row.decisive);
  visit("outcome_errors", row.outcome_errors);
  visit("best_margin", row.best_margin);
  visit("mean_margin_loss", row.mean_margin_loss);
  visit("value_brier", row.value_brier);
}

template <class Visitor, class T>
void describe_oracle(Visitor& visit, T& score) {
  const auto row = [](auto& entry, auto& part) { describe_oracle_row(entry, part); };
  visit("player", score.player);
  visit("exact", score.exact);
  visit.list("rows", score.rows, row);
  visit.object("all", score.all, row);
}

template <class Visitor, class T>
void describe_reliability(Visitor& visit, T& reliability) {
  visit("error", reliability.error);
  visit.list("bins", reliability.bins, [](auto& entry, auto& bin) {
    entry("low", bin.low);
    entry("high", bin.high);
    entry("count", bin.count);
    entry("mean_predicted", bin.mean_predicted);
    entry("observed", bin.observed);
  });
}

template <class Visitor, class T>
void describe_calibration(Visitor& visit, T& report) {
  const auto reliability = [](auto& entry, auto& part) { describe_reliability(entry, part); };
  visit("player", report.player);
  visit("truth", report.truth);
  visit("forecasts", report.calibration.forecasts);
  visit("brier", report.calibration.brier);
  visit("base_brier", report.calibration.base_brier);
  visit.object("win", report.calibration.win, reliability);
  visit.object("draw", report.calibration.draw, reliability);
  visit.object("loss", report.calibration.loss, reliability);
}

template <class Visitor, class T>
void describe_first_moves(Visitor& visit, T& map) {
  visit("position", map.position);
  visit("source", map.source);
  visit.shares("shares", map.shares, map.position.size);
  visit("white_value", map.white_value);
}

template <class Visitor, class T>
void describe_game(Visitor& visit, T& game) {
  visit("white", game.white);
  visit("black", game.black);
  visit("start", game.start);
  visit.run_points("run_points", game.start.run_points);
  visit.moves("moves", game.moves, game.start.size);
  visit.list("plies", game.plies, [&](auto& entry, auto& ply) {
    entry("white_value", ply.white_value);
    entry.shares("policy", ply.policy, game.start.size);
    entry("solved", ply.solved);
  });
}

template <class Visitor, class T>
void describe_statistics(Visitor& visit, T& statistics) {
  visit("name", statistics.name);
  visit("games", statistics.games);
  visit("distinct", statistics.distinct);
  visit("mean_plies", statistics.mean_plies);
  visit("mean_margin", statistics.mean_margin);
  visit("fewest_plies", statistics.fewest_plies);
  visit("most_plies", statistics.most_plies);
  visit.list("margins", statistics.margins, [](auto& entry, auto& bin) {
    entry.any_integer("low", bin.low);
    entry.any_integer("high", bin.high);
    entry("count", bin.count);
  });
  visit.list("runs", statistics.runs, [](auto& entry, auto& run) {
    entry("length", run.length);
    entry("white", run.white);
    entry("black", run.black);
  });
}

template <class Visitor, class T>
void describe_report(Visitor& visit, T& report) {
  visit("title", report.title);
  visit("notes", report.notes);
  visit.object("target", report.target, [](auto& entry, auto& part) { describe_target(entry, part); });
  visit("metrics", report.metrics);
  visit.list("rating_curve", report.rating_curve,
             [](auto& entry, auto& part) { describe_rating(entry, part); });
  visit.list("matches", report.matches, [](auto& entry, auto& part) { describe_match(entry, part); });
  visit.optional_object("pool", report.pool, [](auto& entry, auto& part) { describe_pool(entry, part); });
  visit.list("oracle", report.oracle, [](auto& entry, auto& part) { describe_oracle(entry, part); });
  visit.list("calibration", report.calibration,
             [](auto& entry, auto& part) { describe_calibration(entry, part); });
  visit.list("first_player", report.first_player, [](auto& entry, auto& part) {
    entry("name", part.name);
    entry("white", part.white);
    entry("draws", part.draws);
    entry("black", part.black);
  });
  visit.list("first_moves", report.first_moves,
             [](auto& entry, auto& part) { describe_first_moves(entry, part); });
  visit.list("games", report.games, [](auto& entry, auto& part) { describe_game(entry, part); });
  visit.list("statistics", report.statistics,
             [](auto& entry, auto& part) { describe_statistics(entry, part); });
}

class Writer {
 public:
  void operator()(const char* name, const std::string& text) { object_[name] = text; }
  void operator()(const char* name, bool value) { object_[name] = value; }
  void operator()(const char* name, int value) { object_[name] = value; }
  void operator()(const char* name, std::int64_t value) { object_[name] = value; }
  void operator()(const char* name, double value) { object_[name] = value; }
  void operator()(const char* name, const Position& position) { object_[name] = to_text(position); }
  // The library writes infinite ends as null.
  void operator()(const char* name, const Estimate& estimate) {
    object_[name] = {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
  }
  void operator()(const char* name, const PairScores& scores) { object_[name] = scores; }
  void operator()(const char* name, const std::vector<std::vector<double>>& matrix) {
    object_[name] = matrix;
  }
  void operator()(const char* name, const std::vector<std::string>& texts) { object_[name] = texts; }
  void operator()(const char* name, const std::vector<nlohmann::json>& objects) { object_[name] = objects; }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  void any_integer(const char* name, std::int64_t value) { object_[name] = value; }
  void run_points(const char* name, const RunPoints& points) {
    if (points != kRunPoints) object_[name] = points.by_length;
  }
  void moves(const char* name, const std::vector<Move>& moves, int size) {
    Json list = Json::array();
    for (const Move move : moves) list.push_back(to_text(move, size));
    object_[name] = std::move(list);
  }
  void shares(const char* name, const MoveShares& shares, int size) {
    Json map = Json::object();
    for (const auto& [move, share] : shares) map[to_text(move, size)] = share;
    object_[name] = std::move(map);
  }
  template <class T, class Describe>
  void object(const char* name, const T& value, Describe describe) {
    Writer writer;
    describe(writer, value);
    object_[name] = std::move(writer.object_);
  }
  template <class T, class Describe>
  void optional_object(const char* name, const std::optional<T>& value, Describe describe) {
    if (value) object(name, *value, describe);
  }
  template <class T, class Describe>
  void list(const char* name, const std::vector<T>& values, Describe describe) {
    Json entries = Json::array();
    for (const T& value : values) {
      Writer writer;
      describe(writer, value);
      entries.push_back(std::move(writer.object_));
    }
    object_[name] = std::move(entries);
  }
  [[nodiscard]] Json& result() { return object_; }

 private:
  Json object_ = Json::object();
};

class Reader {
 public:
  Reader(ObjectReader reader, const nlohmann::json& object) : reader_(std::move(reader)), object_(object) {}

  void operator()(const char* name, std::string& text) { text = known(name).text(name); }
  void operator()(const char* name, bool& value) {
    if (!known(name).field(name).is_boolean()) throw reader_.refuse(name, "is not true or false");
    value = object_.at(name).get<bool>();
  }
  void operator()(const char* name, int& value) {
    value = static_cast<int>(known(name).integer(name, 0, kMaxSquares));
  }
  // What is counted.
  void operator()(const char* name, std::int64_t& value) { value = known(name).integer(name, 0, kMost); }
  void operator()(const char* name, double& value) { value = number(name, known(name).field(name)); }
  void operator()(const char* name, Position& position) {
    const std::string text = known(name).text(name);
    try {
      position = parse_position(text);
    } catch (const Error& error) {
      throw reader_.refuse(name, "is \"" + text + "\", which is no position: " + error.message());
    }
  }
  void operator()(const char* name, Estimate& estimate) {
    const ObjectReader parts = known(name).object(name);
    parts.only({"value", "low", "high"});
    const std::string prefix = std::string(name) + ".";
    const auto end = [&](const char* part, double open) {
      return parts.field(part).is_null() ? open : number(prefix + part, parts.field(part));
    };
    estimate.value = number(prefix + "value", parts.field("value"));
    estimate.low = end("low", -std::numeric_limits<double>::infinity());
    estimate.high = end("high", std::numeric_limits<double>::infinity());
    if (!(estimate.low <= estimate.value && estimate.value <= estimate.high)) {
      throw reader_.refuse(name, "must have low ≤ value ≤ high");
    }
  }
  void operator()(const char* name, PairScores& scores) {
    const nlohmann::json& list = known(name).list(name);
    const auto counted = [](const nlohmann::json& value) {
      return value.is_number_integer() && (value.is_number_unsigned() || value.get<std::int64_t>() >= 0);
    };
    if (list.size() != scores.size() || !std::ranges::all_of(list, counted)) {
      throw reader_.refuse(name, "must be five counts: pairs that scored 0, ½, 1, 1½ and 2");
    }
    scores = list.get<PairScores>();
  }
  void operator()(const char* name, std::vector<std::vector<double>>& matrix) {
    for (const nlohmann::json& row : known(name).list(name)) {
      if (!row.is_array()) throw reader_.refuse(name, "holds a row that is not a list");
      std::vector<double>& numbers = matrix.emplace_back();
      for (const nlohmann::json& value : row) numbers.push_back(number(name, value));
    }
  }
  void operator()(const char* name, std::vector<std::string>& texts) {
    for (const nlohmann::json& text : known(name).list(name)) {
      if (!text.is_string()) throw reader_.refuse(name, "holds something that is not a text");
      texts.push_back(text.get<std::string>());
    }
  }
  void operator()(const char* name, std::vector<nlohmann::json>& objects) {
    const nlohmann::json& list = known(name).list(name);
    for (std::size_t k = 0; k < list.size(); ++k) static_cast<void>(reader_.entry(name, k));
    objects.assign(list.begin(), list.end());
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    known(name);
    if (object_.contains(name)) (*this)(name, value.emplace());
  }
  void any_integer(const char* name, std::int64_t& value) {
    value = known(name).integer(name, -kMost, kMost);
  }
  void run_points(const char* name, RunPoints& points) {
    known(name);
    if (!object_.contains(name)) return;
    const nlohmann::json& list = reader_.list(name);
    const auto sound = [](const nlohmann::json& value) {
      return value.is_number_unsigned() && value.get<std::uint64_t>() <= kMostRunPoints;
    };
    if (list.size() != points.by_length.size() || !std::ranges::all_of(list, sound)) {
      throw reader_.refuse(
          name, "must be the points of runs of 1 to 8 squares, each 0 … " + std::to_string(kMostRunPoints));
    }
    points.by_length = list.get<std::array<std::uint16_t, kMaxSize>>();
  }
  void moves(const char* name, std::vector<Move>& moves, int size) {
    for (const nlohmann::json& text : known(name).list(name)) {
      if (!text.is_string()) throw reader_.refuse(name, "holds something that is not a text");
      moves.push_back(move_named(name, text.get<std::string>(), size));
    }
  }
  void shares(const char* name, MoveShares& shares, int size) {
    static_cast<void>(known(name).object(name));
    for (const auto& item : reader_.field(name).items()) {
      const double share = number(std::string(name) + "." + item.key(), item.value());
      if (share < 0 || share > 1) throw reader_.refuse(name, "holds a share outside 0 … 1");
      shares.emplace_back(move_named(name, item.key(), size), share);
    }
    // The document's objects are ordered by name; readers expect the likeliest first.
    sort_likeliest_first(shares);
  }
  template <class T, class Describe>
  void object(const char* name, T& value, Describe describe) {
    Reader reader(known(name).object(name), object_.at(name));
    describe(reader, value);
    reader.finish();
  }
  template <class T, class Describe>
  void optional_object(const char* name, std::optional<T>& value, Describe describe) {
    known(name);
    if (object_.contains(name)) object(name, value.emplace(), describe);
  }
  template <class T, class Describe>
  void list(const char* name, std::vector<T>& values, Describe describe) {
    const nlohmann::json& entries = known(name).list(name);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      Reader reader(reader_.entry(name, k), entries[k]);
      describe(reader, values.emplace_back());
      reader.finish();
    }
  }
  // Refuses what no field was asked for.
  void finish() const {
    for (const auto& item : object_.items()) {
      if (std::ranges::find(names_, item.key()) == names_.end()) {
        throw reader_.refuse(item.key(), "is unknown to this version of the program");
      }
    }
  }

 private:
  const ObjectReader& known(const char* name) {
    names_.emplace_back(name);
    return reader_;
  }
  [[nodiscard]] double number(const std::string& name, const nlohmann::json& value) const {
    if (!value.is_number()) throw reader_.refuse(name, "is not a number");
    return value.get<double>();
  }
  [[nodiscard]] Move move_named(const char* name, const std::string& text, int size) const {
    try {
      return parse_move(text, size);
    } catch (const Error& error) {
      throw reader_.refuse(name, "holds \"" + text + "\": " + error.message());
    }
  }

  ObjectReader reader_;
  const nlohmann::json& object_;
  std::vector<std::string> names_;
};

// What follows from several fields together.
void require_sound(const ReportData& report, const ObjectReader& reader) {
  const auto place = [](const char* list, std::size_t index, const char* field) {
    return std::string(list) + "[" + std::to_string(index) + "]." + field;
  };
  for (std::size_t k = 0; k < report.games.size(); ++k) {
    const ReportGame& game = report.games[k];
    Position position = game.start;
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      if (!is_legal(position, game.moves[ply])) {
        throw reader.refuse(place("games", k, "moves"), "holds the illegal move " +
                                                            to_text(game.moves[ply], position.size) +
                                                            " as number " + std::to_string(ply + 1));
      }
      apply(position, game.moves[ply]);
    }
    if (!game.plies.empty() && game.plies.size() != game.moves.size()) {
      throw reader.refuse(place("games", k, "plies"), "must have one entry for each move, or none");
    }
  }
  if (!report.pool) return;
  const std::size_t players = report.pool->players.size();
  const auto& matrix = report.pool->superiority;
  const bool square = matrix.size() == players &&
                      std::ranges::all_of(matrix, [&](const auto& row) { return row.size() == players; });
  if (!matrix.empty() && !square) {
    throw reader.refuse("pool.superiority", "must have a row and a column for each player, or no rows");
  }
  for (const PoolPairing& pairing : report.pool->pairings) {
    const std::int64_t most = static_cast<std::int64_t>(players) - 1;
    if (pairing.first > most || pairing.second > most || pairing.first == pairing.second) {
      throw reader.refuse("pool.pairings", "holds a pairing that is not of two different players");
    }
  }
}

}  // namespace

void sort_likeliest_first(MoveShares& shares) {
  std::ranges::stable_sort(shares, std::ranges::greater(), &std::pair<Move, double>::second);
}

Json to_json(const ReportData& report) {
  Writer writer;
  writer("format", std::string(kFormat));
  writer("version", kReportVersion);
  describe_report(writer, report);
  return std::move(writer.result());
}

std::string to_json_text(const ReportData& report) {
  return to_json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ReportData report_from_json(const nlohmann::json& document, const std::filesystem::path& source) {
  const ObjectReader object(source, "report", "", document);
  Reader reader(object, document);
  std::string format;
  int version = 0;
  reader("format", format);
  if (format != kFormat) throw object.refuse("format", "must be \"" + std::string(kFormat) + "\"");
  reader("version", version);
  if (version != kReportVersion) {
    throw object.refuse("version", "is " + std::to_string(version) + "; this program reads version " +
                                       std::to_string(kReportVersion));
  }
  ReportData report;
  describe_report(reader, report);
  reader.finish();
  require_sound(report, object);
  return report;
}

ReportData load_report(const std::filesystem::path& path) {
  const nlohmann::json document = parse_json(read_file(path), path.string());
  return report_from_json(document, path);
}

std::vector<double> training_seconds(const std::vector<nlohmann::json>& metrics) {
  std::vector<double> seconds;
  double before = 0, last = 0;
  for (const nlohmann::json& row : metrics) {
    const auto found = row.is_object() ? row.find("seconds") : row.end();
    if (found != row.end() && found->is_number()) {
      const double now = found->get<double>();
      if (now < last) before += last;
      last = now;
    }
    seconds.push_back(before + last);
  }
  return seconds;
}

}  // namespace pahtum
