#include "app/run_report.h"

#include <algorithm>
#include <functional>

#include "env/base/error.h"
#include "env/base/files.h"
#include "eval/report_build.h"
#include "eval/report_evaluation.h"
#include "model/checkpoint.h"
#include "model/network_file.h"
#include "selfplay/game_record.h"
#include "selfplay/run_directory.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSelfplay = "Newest games of self-play";
constexpr std::size_t kMostGames = 1000;  // of self-play that are looked at
constexpr std::size_t kSampleGames = 4, kLikelyMoves = 6;

// A policy target, one weight for each legal move in ascending order, as shares.
MoveShares shares_of(const Position& position, std::span<const std::uint16_t> weights) {
  double sum = 0;
  for (const std::uint16_t weight : weights) sum += weight;
  MoveShares shares;
  std::size_t index = 0;
  for_each_legal(position, [&](Move move) {
    const std::uint16_t weight = weights[index++];
    if (weight > 0) shares.emplace_back(move, weight / sum);
  });
  sort_likeliest_first(shares);
  return shares;
}

ReportGame replay_of(const GameRecord& record, const std::string& player) {
  ReportGame game{player, player, record.start, record.moves, {}};
  Position position = record.start;
  std::size_t used = 0;
  for (std::size_t ply = 0; ply < record.moves.size(); ++ply) {
    ReportPly& shown = game.plies.emplace_back();
    if (is_sample(record.origins[ply])) {
      const auto count = static_cast<std::size_t>(legal_count(position));
      shown.white_value = white_value(position, record.root_values[ply]);
      shown.policy = shares_of(position, std::span(record.policy).subspan(used, count));
      shown.policy.resize(std::min(shown.policy.size(), kLikelyMoves));
      shown.solved = record.origins[ply] == MoveOrigin::kSolved;
      used += count;
    }
    apply(position, record.moves[ply]);
  }
  return game;
}

// What search made of the empty board, where the first move was searched.
std::optional<FirstMoveMap> first_moves_of(const GameRecord& record) {
  if (record.moves.empty() || !is_sample(record.origins[0])) return std::nullopt;
  const auto count = static_cast<std::size_t>(legal_count(record.start));
  return FirstMoveMap{record.start, "search in self-play",
                      shares_of(record.start, std::span(record.policy).first(count)),
                      white_value(record.start, record.root_values[0])};
}

class RunReport {
 public:
  explicit RunReport(const fs::path& run) : run_(run), directory_(run) {}

  [[nodiscard]] ReportData make() {
    if (!fs::is_directory(run_)) throw request_error(run_.string(), "no such run directory");
    attempt([&] { read_report(); });
    attempt([&] { read_evaluation(); });
    attempt([&] { read_metrics_rows(); });
    attempt([&] { read_checkpoint(); });
    read_games();
    if (!found_ && report_.notes.empty()) {
      throw request_error(
          run_.string(),
          "holds nothing to report: no report.json, evaluation.json, metrics.jsonl or checkpoint");
    }
    if (report_.target.name.empty()) report_.target.name = run_.string();
    if (report_.title.empty()) report_.title = report_.target.name;
    return std::move(report_);
  }

 private:
  // A broken file costs its own part only.
  void attempt(const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      report_.notes.emplace_back(error.what());
    }
  }

  void read_report() {
    if (!fs::exists(run_ / "report.json")) return;
    report_ = load_report(run_ / "report.json");
    report_.notes.clear();
    found_ = true;
  }

  void read_evaluation() {
    if (!fs::exists(run_ / "evaluation.json")) return;
    merge_evaluation(report_, run_ / "evaluation.json");
    found_ = true;
  }

  void read_metrics_rows() {
    std::vector<nlohmann::json> rows = read_metrics(directory_.metrics_path());
    if (rows.empty()) return;
    report_.metrics = std::move(rows);
    found_ = true;
  }

  void read_checkpoint() {
    if (!fs::is_directory(run_ / "checkpoints")) return;
    std::vector<std::string> skipped;
    const fs::path checkpoint = resolve_checkpoint(run_, &skipped);
    for (const std::string& broken : skipped)
      report_.notes.push_back(broken + ": is damaged; an older one is used");
    auto facts = std::move(report_.target.facts);
    report_.target = report_target(run_.string(), checkpoint, report_.metrics);
    report_.target.facts = std::move(facts);
    found_ = true;
  }

  // The newest shards, until there are enough games.
  void read_games() {
    std::vector<fs::path> shards;
    attempt([&] { shards = directory_.games_paths(); });
    std::ranges::reverse(shards);
    std::vector<MatchGame> games;
    std::vector<ReportGame> samples;
    std::vector<FirstMoveMap> maps;
    for (const fs::path& shard : shards) {
      if (games.size() >= kMostGames) break;
      attempt([&] {
        const std::vector<GameRecord> records = load_games(shard);
        for (const GameRecord& record : records) {
          games.push_back({record.start, record.moves, record.position().white_margin()});
          const auto map = maps.size() < kSampleLayouts ? first_moves_of(record) : std::nullopt;
          const auto same = [&](const FirstMoveMap& other) { return other.position == map->position; };
          if (map && std::ranges::none_of(maps, same)) maps.push_back(*map);
        }
        const std::string player = "self-play, " + shard.stem().string();
        for (std::size_t k = 0; k < records.size() && samples.size() < kSampleGames; ++k) {
          samples.push_back(replay_of(
              records[k * records.size() / std::min(records.size(), kSampleGames) % records.size()], player));
        }
      });
    }
    if (games.empty()) return;
    found_ = true;
    std::erase_if(report_.games,
                  [](const ReportGame& game) { return game.white.starts_with("self-play, "); });
    std::ranges::move(samples, std::back_inserter(report_.games));
    std::erase_if(report_.first_player, [](const auto& part) { return part.name == kSelfplay; });
    std::erase_if(report_.statistics, [](const auto& part) { return part.name == kSelfplay; });
    report_.first_player.push_back(first_player_results(kSelfplay, games));
    report_.statistics.push_back(game_statistics(kSelfplay, games));
    if (report_.first_moves.empty()) report_.first_moves = std::move(maps);
  }

  fs::path run_;
  RunDirectory directory_;
  ReportData report_;
  bool found_ = false;  // something to report
};

}  // namespace

ReportData report_of_run(const fs::path& run) {
  return RunReport(run).make();
}

ReportTarget report_target(const std::string& name, const fs::path& checkpoint,
                           const std::vector<nlohmann::json>& metrics) {
  const Manifest manifest = load_network_file(checkpoint).manifest;
  ReportTarget target;
  target.name = name;
  target.checkpoint = checkpoint.string();
  target.network = to_text(manifest.network);
  target.search = std::to_string(manifest.search.simulations) + " simulations a move in training";
  target.rules = to_text(manifest.game);
  target.project_version = manifest.project_version;
  target.iteration = manifest.iteration;
  target.step = manifest.step;
  target.config = manifest.config;
  // The last row that the checkpoint has seen.
  const std::vector<double> seconds = training_seconds(metrics);
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    const auto iteration = metrics[k].find("iteration");
    if (iteration == metrics[k].end() || !iteration->is_number() ||
        iteration->get<double>() > static_cast<double>(manifest.iteration)) {
      continue;
    }
    target.training_seconds = seconds[k];
    const auto games = metrics[k].find("games");
    if (games != metrics[k].end() && games->is_number_integer()) target.games = games->get<std::int64_t>();
  }
  return target;
}

}  // namespace pahtum
