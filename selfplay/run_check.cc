#include "selfplay/run_check.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/text.h"
#include "env/game_rules.h"
#include "env/game_text.h"
#include "env/observation.h"
#include "eval/report_data.h"
#include "eval/report_evaluation.h"
#include "model/checkpoint.h"
#include "model/object_reader.h"
#include "model/trainer.h"
#include "selfplay/config_file.h"
#include "selfplay/event_file.h"
#include "selfplay/game_record.h"
#include "selfplay/run_directory.h"
#include "selfplay/run_files.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kConfig = "config.yaml";
constexpr const char* kVersion = "version.txt";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kGames = "games";
constexpr const char* kNothing = "The run itself is not affected";
// A write takes seconds; a temporary file that has not changed for so long belongs to none.
constexpr auto kLongestWrite = std::chrono::minutes(10);

std::optional<std::int64_t> count_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  return value < 0 ? std::nullopt : std::optional(value);
}

// Checks one listing of a run's files.
class Checker {
 public:
  Checker(const fs::path& run, const RunFiles& files) : run_(run), directory_(run), files_(files) {}

  RunCheck check() {
    if (has_just_begun()) {
      note(kCheckpoints, "has no checkpoint yet", "The run has just begun", "Look again in a minute");
      return std::move(result_);
    }
    check_config();
    check_version();
    check_folders();
    check_checkpoints();
    check_shards();
    check_metrics();
    check_events();
    check_unfinished();
    check_results();
    check_other_names();
    return std::move(result_);
  }

 private:
  struct Row {
    std::int64_t step = 0, games = 0;
    std::optional<Results> results;
  };
  struct Faulty {
    std::int64_t iteration;
    std::string file, what;
  };

  void find(const std::string& file, const std::string& what, const std::string& meaning,
            const std::string& advice) {
    result_.findings.push_back({file, what, meaning, advice});
  }
  void note(const std::string& file, const std::string& what, const std::string& meaning,
            const std::string& advice) {
    result_.notes.push_back({file, what, meaning, advice});
  }
  [[nodiscard]] bool present(const std::string& name) const { return files_.contains(name); }
  [[nodiscard]] bool has_folder(const std::string& name) const {
    const auto found = files_.find(name);
    return found != files_.end() && found->second.type == fs::file_type::directory;
  }
  [[nodiscard]] bool is_fresh(const FileFacts& facts) const {
    return fs::file_time_type::clock::now() - facts.written < kLongestWrite;
  }

  // What is wrong with a file that `read` takes in; nothing when it is sound, or gone since it was listed.
  template <class Read>
  std::optional<std::string> fault_of(const std::string& name, Read&& read) const {
    const fs::path path = run_ / name;
    known_.insert(name);
    if (files_.at(name).type != fs::file_type::regular) return "is not a regular file";
    try {
      read(path);
    } catch (const Error& error) {
      std::error_code ignored;
      // A run that trains removes its oldest checkpoints meanwhile.
      if (fs::exists(path, ignored)) return reason_of(error, path);
    }
    return std::nullopt;
  }
  template <class Read>
  void require_readable(const std::string& name, const std::string& meaning, const std::string& advice,
                        Read&& read) {
    if (!present(name)) return;
    if (const auto fault = fault_of(name, read)) find(name, *fault, meaning, advice);
  }

  // The files of a folder by iteration; those that only look like such are found fault with.
  std::map<std::int64_t, std::string> numbered(const char* folder, const char* ending) {
    std::map<std::int64_t, std::string> numbers;
    const std::string prefix = std::string(folder) + "/";
    for (const auto& [name, facts] : files_) {
      if (!name.starts_with(prefix) || fs::path(name).extension() != ending) continue;
      known_.insert(name);
      const bool games = folder == std::string(kGames);
      const auto number =
          games ? RunDirectory::iteration_of_games(name) : RunDirectory::iteration_of_checkpoint(name);
      const auto right = [&](std::int64_t iteration) {
        return fs::path(prefix) / (games ? directory_.games_path(iteration).filename()
                                         : directory_.checkpoint_path(iteration).filename());
      };
      if (number && *number >= (games ? 1 : 0) && name == right(*number).string()) {
        numbers.emplace(*number, name);
      } else {
        find(name, std::string("has no name of the run: files here are called NNNNNN") + ending,
             number ? "It is mistaken for the file of iteration " + std::to_string(*number)
                    : std::string(kNothing),
             "Move it out of the run directory");
      }
    }
    return numbers;
  }

  [[nodiscard]] bool has_just_begun() const;
  void check_config();
  void check_version();
  void check_folders();
  void check_checkpoints();
  void report_checkpoint(const Faulty& faulty);
  void check_checkpoint_numbers(const std::map<std::int64_t, std::string>& numbers);
  [[nodiscard]] std::string misfit(const Checkpoint& checkpoint, std::int64_t iteration);
  [[nodiscard]] std::string misfit_of_state(const Checkpoint& checkpoint, const fs::path& path) const;
  void check_shards();
  void read_shard(const fs::path& path, std::int64_t iteration);
  void report_shard(const Faulty& faulty, std::int64_t last);
  void check_metrics();
  void read_metrics_lines();
  void check_metrics_numbers();
  void check_events();
  void check_unfinished();
  void check_results();
  void check_other_names();

  fs::path run_;
  RunDirectory directory_;
  const RunFiles& files_;
  RunCheck result_;
  mutable std::set<std::string> known_;
  std::optional<RunConfig> config_;
  std::optional<Starts> starts_;
  std::unique_ptr<Trainer> trainer_;  // takes every checkpoint in, as a resume would
  // Of the newest checkpoint that is whole and fits.
  std::optional<std::int64_t> newest_;
  std::int64_t newest_step_ = 0, newest_games_ = 0, playing_ = 0;
  bool played_ = false;
  std::optional<std::int64_t> resumed_;  // the iteration whose checkpoint a resume takes, be it fit or not
  std::map<std::int64_t, std::int64_t> shard_games_;
  std::map<std::int64_t, Results> shard_results_;
  std::map<std::int64_t, Row> rows_;
};

// Folders come first, then the configuration, then the network and its first checkpoint.
bool Checker::has_just_begun() const {
  const auto folder = files_.find(kCheckpoints);
  const auto metrics = files_.find(kMetrics);
  if (folder == files_.end() || !is_fresh(folder->second)) return false;
  if (metrics != files_.end() && metrics->second.size > 0) return false;
  return std::ranges::none_of(files_, [](const auto& file) {
    return file.first.ends_with(".ckpt") || file.first.ends_with(".games");
  });
}

void Checker::check_config() {
  known_.insert(kConfig);
  const std::string meaning = "The run cannot go on; its checkpoints still play";
  const std::string advice = "Put the file back; `pahtum report " + run_.string() +
                             " --json` shows the newest checkpoint's copy under `target.config`";
  if (!present(kConfig)) return find(kConfig, "is missing", meaning, advice);
  require_readable(kConfig, meaning, advice, [&](const fs::path& path) {
    config_ = load_run_config(path);
    starts_.emplace(config_->game);
    trainer_ = std::make_unique<Trainer>(config_->game, config_->network, config_->learner,
                                         static_cast<std::uint64_t>(config_->run.seed), Precision::kFp32);
  });
}

void Checker::check_version() {
  const char* advice = "Write the version of the program into it, such as 0.1.0";
  if (!present(kVersion)) return find(kVersion, "is missing", kNothing, advice);
  require_readable(kVersion, kNothing, advice, [](const fs::path& path) {
    std::string text = read_file(path);
    if (text.ends_with('\n')) text.pop_back();
    const bool sound =
        !text.empty() && text.size() <= 64 && text.find_first_not_of("0123456789.") == std::string::npos;
    if (!sound) throw request_error(path.string(), "does not hold a version such as 0.1.0");
  });
}

void Checker::check_folders() {
  for (const char* folder : {kCheckpoints, kGames}) {
    known_.insert(folder);
    if (has_folder(folder)) continue;
    find(folder, present(folder) ? "is not a folder" : "is missing",
         "The run cannot go on: it has no place for what it writes there",
         std::string("Make the folder ") + folder);
  }
}

// What keeps a checkpoint from going on with this run; empty when nothing does.
std::string Checker::misfit(const Checkpoint& checkpoint, std::int64_t iteration) {
  const Manifest& manifest = checkpoint.manifest;
  if (manifest.iteration != iteration) {
    return "says it is of iteration " + std::to_string(manifest.iteration) + ", not of that in its name";
  }
  if (manifest.observation_version != kObservationVersion) {
    return "was trained on observations of version " + std::to_string(manifest.observation_version) +
           "; this program makes version " + std::to_string(kObservationVersion);
  }
  if (config_ && manifest.game != config_->game) {
    return "is of other rules (" + pahtum::to_text(manifest.game) + ") than config.yaml (" +
           pahtum::to_text(config_->game) + ")";
  }
  if (const StoredTensor* tensor = first_not_finite(checkpoint)) {
    return "holds a number that is not finite in \"" + tensor->name + "\"";
  }
  if (trainer_ == nullptr) return "";
  try {
    trainer_->restore(checkpoint);
  } catch (const Error& error) {
    return "does not fit config.yaml: " + error.message();
  }
  return "";
}

// The same of the games it holds and of its counters.
std::string Checker::misfit_of_state(const Checkpoint& checkpoint, const fs::path& path) const {
  const json& counters = checkpoint.manifest.counters;
  const auto played = counters.find("played");
  if (!count_in(counters, "games") || !count_in(counters, "steps_done") || played == counters.end() ||
      !played->is_boolean()) {
    return "has no counters of a training run in its manifest";
  }
  for (const char* name : {"selfplay/in_progress", "selfplay/finished"}) {
    const StoredTensor* tensor = find_tensor(checkpoint.tensors, name);
    if (tensor == nullptr) {
      return std::string("holds no ") + name + ": it is no checkpoint of a training run";
    }
    std::vector<GameRecord> games;
    try {
      games = parse_games(tensor->data, path.string() + " (" + name + ")");
    } catch (const Error& error) {
      return reason_of(error, path);
    }
    const bool in_progress = tensor->name.ends_with("in_progress");
    if (config_ && in_progress && static_cast<std::int64_t>(games.size()) != config_->selfplay.slots) {
      return "holds games of " + counted(static_cast<std::int64_t>(games.size()), "slot", "slots") +
             "; config.yaml has " + std::to_string(config_->selfplay.slots);
    }
    for (const GameRecord& game : games) {
      if (starts_ && !starts_->contain(game.start)) return "holds games of other rules than config.yaml";
      if (!in_progress && !game.position().over()) return "holds a game as finished that is not over";
    }
  }
  return "";
}

void Checker::check_checkpoints() {
  const auto numbers = numbered(kCheckpoints, ".ckpt");
  result_.checkpoints = static_cast<std::int64_t>(numbers.size());
  if (numbers.empty()) {
    return find(kCheckpoints, "holds no checkpoint", "The run can neither go on nor play",
                "Put a checkpoint back from a copy, or train anew");
  }
  std::vector<Faulty> faulty;
  for (auto entry = numbers.end(); entry != numbers.begin();) {
    --entry;
    const std::int64_t iteration = entry->first;
    const std::string& name = entry->second;
    bool loaded = false;
    auto fault = fault_of(name, [&](const fs::path& path) {
      const Checkpoint checkpoint = load_checkpoint(path);
      loaded = true;
      std::string why = misfit(checkpoint, iteration);
      if (why.empty()) why = misfit_of_state(checkpoint, path);
      if (!why.empty()) throw request_error(path.string(), why);
      if (newest_) return;
      newest_ = iteration;
      newest_step_ = checkpoint.manifest.step;
      newest_games_ = *count_in(checkpoint.manifest.counters, "games");
      played_ = checkpoint.manifest.counters.at("played").get<bool>();
      playing_ = count_in(checkpoint.manifest.counters, "playing").value_or(iteration);
    });
    if (fault) faulty.push_back({iteration, name, std::move(*fault)});
    if (loaded && !resumed_) resumed_ = iteration;
  }
  for (const Faulty& entry : faulty) report_checkpoint(entry);
  check_checkpoint_numbers(numbers);
}

void Checker::report_checkpoint(const Faulty& faulty) {
  const std::string advice = "Put it back from a copy, or delete it";
  if (!newest_) {
    return find(faulty.file, faulty.what, "No checkpoint is left from which the run can go on",
                "Put one back from a copy, or train anew");
  }
  if (faulty.iteration == resumed_) {
    return find(faulty.file, faulty.what,
                "The run cannot go on: it takes the newest checkpoint that is whole, and refuses this one",
                "Delete it; the run then goes on from iteration " + std::to_string(*newest_));
  }
  if (faulty.iteration > *newest_) {
    return find(
        faulty.file, faulty.what,
        "The run goes on from iteration " + std::to_string(*newest_) + " and trains again what came after",
        advice);
  }
  if (faulty.iteration == playing_) {
    return find(faulty.file, faulty.what,
                "The network that plays the games is lost; they go on with that of iteration " +
                    std::to_string(*newest_),
                advice);
  }
  find(faulty.file, faulty.what, "The run cannot fall back to it; newer checkpoints are whole", advice);
}

// The newest `keep_checkpoints` are one unbroken row, once there are so many; older ones stay for a reason.
void Checker::check_checkpoint_numbers(const std::map<std::int64_t, std::string>& numbers) {
  if (!newest_) return;
  if (playing_ != *newest_ && !numbers.contains(playing_) &&
      !fs::exists(directory_.checkpoint_path(playing_))) {
    const std::string name =
        std::string(kCheckpoints) + "/" + directory_.checkpoint_path(playing_).filename().string();
    find(name, "is missing",
         "The network that plays the games is lost; they go on with that of iteration " +
             std::to_string(*newest_),
         "Put it back from a copy");
  }
  if (!config_) return;
  const std::int64_t newest = numbers.rbegin()->first;
  const std::int64_t oldest = std::max(numbers.begin()->first, newest - config_->run.keep_checkpoints + 1);
  for (std::int64_t iteration = newest - 1; iteration > oldest; --iteration) {
    if (numbers.contains(iteration)) continue;
    find(std::string(kCheckpoints) + "/" + directory_.checkpoint_path(iteration).filename().string(),
         "is missing between others", "The run cannot fall back to it; newer checkpoints are there",
         "Put it back from a copy, or do nothing");
  }
}

void Checker::read_shard(const fs::path& path, std::int64_t iteration) {
  const std::vector<GameRecord> games = load_games(path);
  Results results;
  for (const GameRecord& game : games) {
    const auto refuse = [&](const std::string& why) {
      throw request_error(path.string(), "game " + std::to_string(game.episode) + " of slot " +
                                             std::to_string(game.environment) + " " + why);
    };
    if (starts_ && !starts_->contain(game.start)) {
      refuse("starts from " + pahtum::to_text(game.start) + ", which are other rules than config.yaml's");
    }
    const Position end = game.position();
    if (!end.over()) refuse("is not over");
    const int margin = end.white_margin();
    ++(margin > 0 ? results.white : margin < 0 ? results.black : results.draws);
  }
  shard_games_[iteration] = static_cast<std::int64_t>(games.size());
  shard_results_[iteration] = results;
  result_.games += static_cast<std::int64_t>(games.size());
}

void Checker::check_shards() {
  const auto numbers = numbered(kGames, ".games");
  result_.shards = static_cast<std::int64_t>(numbers.size());
  std::vector<Faulty> faulty;
  for (const auto& [iteration, name] : numbers) {
    auto fault = fault_of(name, [&, number = iteration](const fs::path& path) { read_shard(path, number); });
    if (fault) faulty.push_back({iteration, name, std::move(*fault)});
  }
  const std::int64_t last = newest_           ? *newest_ + (played_ ? 1 : 0)
                            : numbers.empty() ? 0
                                              : numbers.rbegin()->first;
  // What was played before the run was carried here need not be here.
  for (std::int64_t iteration = directory_.first_iteration(last); iteration <= last; ++iteration) {
    if (numbers.contains(iteration) || fs::exists(directory_.games_path(iteration))) continue;
    faulty.push_back({iteration,
                      std::string(kGames) + "/" + directory_.games_path(iteration).filename().string(),
                      "is missing"});
  }
  std::ranges::sort(faulty, {}, &Faulty::iteration);
  for (const Faulty& entry : faulty) report_shard(entry, last);
}

// A resume fills its replay from the newest shard back and stops at the first it cannot read.
void Checker::report_shard(const Faulty& faulty, std::int64_t last) {
  std::int64_t newer = 0;
  for (std::int64_t iteration = faulty.iteration + 1; iteration <= last; ++iteration) {
    const auto games = shard_games_.find(iteration);
    newer += games == shard_games_.end() ? 0 : games->second;
  }
  if (!config_ || !newest_) {
    return find(faulty.file, faulty.what, "Its games are lost to the run", "Put it back from a copy");
  }
  if (faulty.iteration > last) {
    return find(faulty.file, faulty.what, "The run plays the games of this iteration again", "Delete it");
  }
  if (newer >= window_after(config_->replay, last * config_->selfplay.games_per_iteration)) {
    return find(faulty.file, faulty.what,
                "The run can go on, whose replay holds newer games; reports lose these games",
                "Put it back from a copy, or do nothing");
  }
  const std::string meaning = "The run cannot go on: its replay needs these games";
  const std::int64_t least = std::max(config_->selfplay.games_per_iteration, config_->replay.minimum_games);
  if (faulty.iteration <= *newest_ && newer >= least) {
    return find(faulty.file, faulty.what, meaning,
                "Put it back from a copy, or go on with a smaller replay: --resume --set "
                "replay.window_games=" +
                    std::to_string(newer));
  }
  find(faulty.file, faulty.what, meaning,
       "Put it back from a copy, or delete the checkpoints after iteration " +
           std::to_string(faulty.iteration - 1) + " if an older one is there, and go on from that");
}

void Checker::read_metrics_lines() {
  const std::string text = read_file(run_ / kMetrics);
  std::int64_t before = 0;
  std::int64_t line = 1;
  for (std::size_t start = 0; start < text.size(); ++line) {
    const std::size_t end = text.find('\n', start);
    const std::string place = "line " + std::to_string(line);
    if (end == std::string::npos) {
      note(kMetrics, place + " is cut short, as a crash leaves it",
           "Readers pass over it, and a resume removes it; the curves lack that iteration", "Do nothing");
      return;
    }
    const std::string_view row_text = std::string_view(text).substr(start, end - start);
    start = end + 1;
    const auto refuse = [&](const std::string& why, const std::string& meaning) {
      find(kMetrics, place + " " + why, meaning, "Delete that line");
    };
    json row;
    try {
      row = parse_json(row_text, place);
      if (!row.is_object()) throw request_error(place, "is no JSON object");
    } catch (const Error& error) {
      refuse(error.message(), "The run cannot go on: a resume reads every line");
      continue;
    }
    ++result_.metrics_rows;
    const auto iteration = count_in(row, "iteration"), step = count_in(row, "step"),
               games = count_in(row, "games");
    if (!iteration || *iteration < 1 || !step || !games) {
      refuse("lacks iteration, step or games", "Curves and times of checkpoints are wrong");
      continue;
    }
    if (*iteration <= before) {
      refuse("is of iteration " + std::to_string(*iteration) + " and stands behind iteration " +
                 std::to_string(before),
             "Curves and times of checkpoints are wrong");
      continue;
    }
    if (*iteration > before + 1) {
      find(kMetrics, "lacks " + iterations_text(before + 1, *iteration - 1) + " before " + place,
           "Curves lack these iterations; the run itself is not affected", "Do nothing");
    }
    if (const auto last = rows_.find(before);
        last != rows_.end() && (*step < last->second.step || *games < last->second.games)) {
      refuse("counts fewer steps or games than the line before", "Curves and times of checkpoints are wrong");
    }
    before = *iteration;
    Row& kept = rows_[before];
    kept.step = *step;
    kept.games = *games;
    const auto white = count_in(row, "white_wins"), draws = count_in(row, "draws"),
               black = count_in(row, "black_wins");
    if (white && draws && black) kept.results = Results{*white, *draws, *black};
  }
}

void Checker::check_metrics() {
  known_.insert(kMetrics);
  if (present(kMetrics)) {
    if (const auto fault = fault_of(kMetrics, [&](const fs::path&) { read_metrics_lines(); })) {
      return find(kMetrics, *fault, "The run cannot go on: a resume reads its rows",
                  "Put it back from a copy, or delete it");
    }
  }
  check_metrics_numbers();
}

// A checkpoint is saved first, then its matches are played, and then its row is written.
void Checker::check_metrics_numbers() {
  const std::int64_t last = rows_.empty() ? 0 : rows_.rbegin()->first;
  if (newest_ && last < *newest_ - 1) {
    find(kMetrics,
         present(kMetrics) ? "ends with iteration " + std::to_string(last) +
                                 "; the newest checkpoint is of iteration " + std::to_string(*newest_)
                           : "is missing",
         "Curves lack " + iterations_text(last + 1, *newest_) + "; the run itself is not affected",
         "Put it back from a copy, or do nothing");
  }
  // Where newer checkpoints are there and broken, that is said of them.
  if (newest_ && last > *newest_ && result_.checkpoints > 0 &&
      !present(std::string(kCheckpoints) + "/" + directory_.checkpoint_path(last).filename().string())) {
    find(std::string(kCheckpoints) + "/" + directory_.checkpoint_path(last).filename().string(),
         "is missing, though metrics.jsonl has its iteration",
         "The run goes on from iteration " + std::to_string(*newest_) + " and trains again what came after",
         "Put it back from a copy, or do nothing");
  }
  if (const auto row = newest_ ? rows_.find(*newest_) : rows_.end(); row != rows_.end()) {
    if (row->second.games != newest_games_ || row->second.step > newest_step_) {
      find(kMetrics,
           "counts " + std::to_string(row->second.games) + " games and " + std::to_string(row->second.step) +
               " steps at iteration " + std::to_string(*newest_) + "; its checkpoint counts " +
               std::to_string(newest_games_) + " and " + std::to_string(newest_step_),
           "The checkpoint or the metrics are of another run", "Put back the one that is foreign");
    }
  }
  for (const auto& [iteration, results] : shard_results_) {
    const auto row = rows_.find(iteration);
    if (row == rows_.end() || !row->second.results || *row->second.results == results) continue;
    find(std::string(kGames) + "/" + directory_.games_path(iteration).filename().string(),
         "holds other games than metrics.jsonl counted: White's wins, draws and Black's wins are " +
             to_text(results) + ", not " + to_text(*row->second.results),
         "The replay learns from games of another iteration or run", "Put it back from a copy");
  }
}

void Checker::check_events() {
  for (const auto& [name, facts] : files_) {
    if (name.find("tfevents") == std::string::npos || name.find('/') != std::string::npos) continue;
    ++result_.event_files;
    bool cut_short = false;
    const auto fault = fault_of(name, [&](const fs::path& path) {
      const std::string bytes = read_file(path);
      const EventRecords records = read_event_records(bytes);
      cut_short = records.cut_short;
      if (records.damaged_at) {
        throw request_error(path.string(), "is damaged: the checksum of the record at byte " +
                                               std::to_string(*records.damaged_at) + " does not match");
      }
      if (!records.data.empty() && !is_version_event(records.data.front())) {
        throw request_error(path.string(), "does not begin as an event file does");
      }
    });
    if (fault) {
      find(name, *fault, "TensorBoard shows what stands before it; the run itself is not affected",
           "Delete it; metrics.jsonl has the same numbers");
    } else if (cut_short) {
      note(name, "ends within its last record, as a crash leaves it",
           "TensorBoard passes over it; the run itself is not affected", "Do nothing");
    }
  }
}

// What lies between the checkpoints of two iterations.
void Checker::check_unfinished() {
  const std::string state = directory_.state_path().filename().string();
  require_readable(state, "The run goes on from its last finished iteration", "Delete it",
                   [this](const fs::path& path) {
                     const Checkpoint checkpoint = load_checkpoint(path);
                     std::string why = misfit(checkpoint, checkpoint.manifest.iteration);
                     if (why.empty()) why = misfit_of_state(checkpoint, path);
                     if (!why.empty()) throw request_error(path.string(), why);
                   });
  for (const auto& [name, facts] : files_) {
    if (!name.starts_with(std::string(kGames) + "/") ||
        fs::path(name).extension() != RunDirectory::kUnfinishedEnding) {
      continue;
    }
    require_readable(name, "The run plays these games again", "Delete it",
                     [](const fs::path& path) { static_cast<void>(load_appended_games(path)); });
  }
  known_.insert({"lock", std::string(kGames) + "/set-aside"});
}

void Checker::check_results() {
  const std::string again = "`pahtum evaluate " + run_.string() + " --report " + run_.string() + "`";
  const std::string report = "Make it again by `pahtum report " + run_.string() + "`";
  require_readable("report.json", kNothing, report,
                   [](const fs::path& path) { static_cast<void>(load_report(path)); });
  require_readable("report.html", kNothing, report, [](const fs::path& path) {
    if (!read_file(path).ends_with("</html>\n")) throw request_error(path.string(), "is cut short");
  });
  require_readable("evaluation.json", "Reports lack these results", "Measure again by " + again,
                   [](const fs::path& path) {
                     ReportData data;
                     merge_evaluation(data, path);
                   });
  require_readable("games.txt", "The games of the evaluation cannot be shown", "Play others by " + again,
                   [](const fs::path& path) { static_cast<void>(read_games_text(path)); });
  const char* failed = "failed-batch.ckpt";
  require_readable(failed, kNothing, "Delete it",
                   [](const fs::path& path) { static_cast<void>(load_checkpoint(path)); });
  if (present(failed)) {
    note(failed, "holds the batch and the weights on which a learner step failed", kNothing,
         "Look at it, then delete it");
  }
}

void Checker::check_other_names() {
  for (const auto& [name, facts] : files_) {
    if (known_.contains(name)) continue;
    if (!name.ends_with(".tmp")) {
      note(name, "is no file of a run", "The program never reads it", "Leave it, or move it elsewhere");
    } else if (is_fresh(facts)) {
      note(name, "is a file being written, or left by a write that was cut off", "The program never reads it",
           "Delete it when no training goes on");
    } else {
      find(name, "was left by a write that was cut off", "The program never reads it", "Delete it");
    }
  }
}

}  // namespace

RunCheck check_run(const fs::path& run) {
  if (!fs::is_directory(run)) throw request_error(run.string(), "no such run directory");
  if (!RunDirectory(run).holds_run()) {
    throw request_error(run.string(),
                        "holds no run: neither config.yaml nor checkpoints nor metrics.jsonl is there");
  }
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    const RunFiles files = list_files(run);
    RunCheck check = Checker(run, files).check();
    if (check.whole() || attempt == kAttempts || list_files(run) == files) return check;
  }
}

std::string to_text(const RunFinding& finding) {
  std::string line =
      finding.file + ": " + finding.what + ". " + finding.meaning + ". " + finding.advice + ".";
  // Messages may quote what a broken file holds.
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

nlohmann::ordered_json to_json(const RunCheck& check, const fs::path& run) {
  using Json = nlohmann::ordered_json;
  const auto list = [](const std::vector<RunFinding>& findings) {
    Json entries = Json::array();
    for (const RunFinding& finding : findings) {
      entries.push_back({{"file", finding.file},
                         {"what", finding.what},
                         {"meaning", finding.meaning},
                         {"advice", finding.advice}});
    }
    return entries;
  };
  return {{"run", run.string()},
          {"whole", check.whole()},
          {"checked",
           {{"checkpoints", check.checkpoints},
            {"shards", check.shards},
            {"games", check.games},
            {"metrics_rows", check.metrics_rows},
            {"event_files", check.event_files}}},
          {"findings", list(check.findings)},
          {"notes", list(check.notes)}};
}

}  // namespace pahtum
