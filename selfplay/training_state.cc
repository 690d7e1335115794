// What a TrainingLoop saves, and the way back.

#include <spdlog/spdlog.h>

#include <algorithm>

#include "env/base/bytes.h"
#include "env/base/error.h"
#include "env/observation.h"
#include "selfplay/config_file.h"
#include "selfplay/gate.h"
#include "selfplay/training_loop.h"

namespace pahtum {
namespace {

using nlohmann::json;

constexpr const char* kSlotsTensor = "selfplay/in_progress";  // games in the slots
constexpr const char* kFinishedTensor = "selfplay/finished";  // this iteration's games while it plays
// Of each worker that was stopped within its games: the length of its searches as u64, then these.
constexpr const char* kSearchesTensor = "selfplay/searches";

StoredTensor bytes_tensor(const char* name, std::string bytes) {
  const auto length = static_cast<std::int64_t>(bytes.size());
  return {name, "U8", {length}, std::move(bytes)};
}

const std::string& bytes_of(const Checkpoint& checkpoint, const char* name, const std::string& source) {
  if (const StoredTensor* tensor = find_tensor(checkpoint.tensors, name)) return tensor->data;
  throw request_error(source, std::string("holds no ") + name + "; it is no checkpoint of a training run");
}

std::vector<GameRecord> games_tensor(const Checkpoint& checkpoint, const char* name,
                                     const std::string& source) {
  return parse_games(bytes_of(checkpoint, name, source), source + " (" + name + ")");
}

}  // namespace

Checkpoint TrainingLoop::snapshot() const {
  Checkpoint checkpoint = trainer_.snapshot();
  Manifest& manifest = checkpoint.manifest;
  manifest.game = config_.game;
  manifest.network = config_.network;
  manifest.observation_version = kObservationVersion;
  manifest.step = trainer_.steps();
  manifest.iteration = iteration_;
  manifest.search = config_.search;
  manifest.project_version = PAHTUM_VERSION;
  manifest.config = to_yaml(config_);
  manifest.counters = json{{"games", games_},
                           {"played", played_},
                           {"steps_done", steps_done_},
                           {"playing", playing_},
                           {"gate_pending", gate_pending_},
                           {"saves", saves_},
                           {"metrics", metrics_.state()},
                           {"health", health_.to_json()}};
  std::vector<GameRecord> in_progress;
  std::string searches;
  for (const auto& worker : workers_) {
    for (GameRecord& game : worker->games_in_progress()) in_progress.push_back(std::move(game));
    const std::string of_worker = worker->searches();
    append_number(searches, static_cast<std::uint64_t>(of_worker.size()));
    searches += of_worker;
  }
  checkpoint.tensors.push_back(bytes_tensor(kSlotsTensor, serialize(in_progress)));
  checkpoint.tensors.push_back(bytes_tensor(kFinishedTensor, serialize(finished_)));
  checkpoint.tensors.push_back(bytes_tensor(kSearchesTensor, std::move(searches)));
  return checkpoint;
}

void TrainingLoop::save() {
  save_checkpoint(directory_.checkpoint_path(iteration_), snapshot());
  directory_.remove_state();
  within_ = false;
}

void TrainingLoop::save_state() {
  save_checkpoint(directory_.state_path(), snapshot());
}

void TrainingLoop::restore_counters(const Checkpoint& checkpoint, const std::string& source) {
  iteration_ = checkpoint.manifest.iteration;
  try {
    const json& counters = checkpoint.manifest.counters;
    games_ = counters.at("games").get<std::int64_t>();
    played_ = counters.at("played").get<bool>();
    steps_done_ = counters.at("steps_done").get<std::int64_t>();
    playing_ = counters.value("playing", iteration_);
    gate_pending_ = counters.value("gate_pending", false);
    saves_ = counters.value("saves", std::int64_t{0});
    health_ = HealthMonitor::from_json(config_.health, counters.value("health", json()), source);
    if (counters.contains("metrics")) metrics_.restore(counters.at("metrics"));
  } catch (const json::exception&) {
    throw request_error(source, "has no counters of a training run in its manifest");
  }
}

void TrainingLoop::restore_games(const Checkpoint& checkpoint, const std::string& source) {
  const std::vector<GameRecord> in_progress = games_tensor(checkpoint, kSlotsTensor, source);
  finished_ = games_tensor(checkpoint, kFinishedTensor, source);
  if (static_cast<std::int64_t>(in_progress.size()) != config_.selfplay.slots) {
    throw request_error("selfplay.slots", std::to_string(config_.selfplay.slots) +
                                              " slots, but the run was saved with " +
                                              std::to_string(in_progress.size()) + "; a run keeps its slots");
  }
  const std::string searches_source = source + " (" + kSearchesTensor + ")";
  ByteReader searches(bytes_of(checkpoint, kSearchesTensor, source), searches_source);
  auto next = in_progress.begin();
  for (const auto& worker : workers_) {
    worker->restore({next, next + worker->slots()});
    next += worker->slots();
    worker->restore_searches(searches.next_text(searches.next<std::uint64_t>()), searches_source);
  }
  searches.require_end();
}

void TrainingLoop::restore(const Checkpoint& checkpoint, const std::string& source, bool within) {
  within_ = within;
  trainer_.restore(checkpoint);
  replay_.clear();
  metrics_ = {};
  new_samples_ = 0;
  restore_counters(checkpoint, source);
  restore_games(checkpoint, source);
  directory_.complete();
  require_playing_network();
  const std::int64_t shards = iteration_ + (played_ ? 1 : 0);
  directory_.set_games_aside_after(shards);
  // A folder that holds a checkpoint and games alone has no rows, and goes on behind the checkpoint.
  const bool has_metrics = std::filesystem::exists(directory_.metrics_path());
  const std::vector<json> rows = read_metrics(directory_.metrics_path());
  const auto is_last = [&](const json& row) { return row.value("iteration", std::int64_t{0}) == iteration_; };
  const bool has_row = !has_metrics || std::ranges::any_of(rows, is_last);
  closing_ = !within_ && iteration_ > 0 && (gate_pending_ || !has_row);
  directory_.drop_metrics_after(closing_ ? iteration_ - 1 : iteration_);
  if (!within_ && !closing_) metrics_ = {};
  first_event_ = games_ + (closing_ ? 0 : 1);
  const std::int64_t window = window_after(config_.replay, shards * config_.selfplay.games_per_iteration);
  replay_.set_window(window);
  replay_.add(directory_.load_newest_games(shards, window));
  const std::int64_t needed = std::min(window, shards * config_.selfplay.games_per_iteration);
  if (replay_.games() < needed) {
    spdlog::warn(
        "{} holds {} of the {} games that the replay of this run had: it goes on, but not bit for bit as it "
        "would have",
        directory_.root().string(), replay_.games(), needed);
  }
  if (played_ || closing_) {
    for (const GameRecord& game : load_games(directory_.games_path(shards))) {
      metrics_.add_game(game);
      new_samples_ += weighted_samples(game, config_.replay.solved_weight);
    }
  }
}

// Without the network that plays, the run goes on as if the newest had passed.
void TrainingLoop::require_playing_network() {
  if (!has_matches(config_.gate)) {
    playing_ = iteration_;
    gate_pending_ = false;
  }
  if (playing_ == iteration_) return;
  try {
    static_cast<void>(playing_weights());
  } catch (const Error& error) {
    spdlog::warn("{}: the network that plays is lost; games go on with the one of iteration {}", error.what(),
                 iteration_);
    playing_ = iteration_;
    gate_pending_ = false;
  }
}

Checkpoint TrainingLoop::playing_weights() const {
  // Between two iterations the trainer's weights are those of the newest checkpoint.
  if (playing_ == iteration_) return trainer_.snapshot();
  return load_checkpoint(directory_.checkpoint_path(playing_));
}

}  // namespace pahtum
