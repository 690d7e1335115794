#include "selfplay/run_directory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/text.h"
#include "model/object_reader.h"
#include "selfplay/config_file.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpointEnding = ".ckpt";
constexpr const char* kShardEnding = ".games";

std::string numbered(std::int64_t number, const char* ending) {
  std::string digits = std::to_string(number);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return digits + ending;
}

std::optional<std::int64_t> number_of(const fs::path& file, const char* ending) {
  if (file.extension() != ending) return std::nullopt;
  return parse_number<std::int64_t>(file.stem().string());
}

// The numbered files of a folder, ascending.
std::vector<std::pair<std::int64_t, fs::path>> numbered_files(const fs::path& folder, const char* ending) {
  std::vector<std::pair<std::int64_t, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (const auto number = number_of(entry.path(), ending)) files.emplace_back(*number, entry.path());
  }
  if (error) throw request_error(folder.string(), "cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw failure(folder.string(), "cannot be created: " + error.message());
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw failure(file.string(), "cannot be removed: " + error.message());
}

// What write_file_atomically had not yet renamed when its process was killed.
void remove_temporary_files(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".tmp") remove_file(entry.path());
  }
}

}  // namespace

// Not so an empty checkpoints/: a run may be started again that was killed before it had its config.yaml.
bool RunDirectory::holds_run() const {
  return fs::exists(config_path()) || fs::exists(metrics_path()) || !checkpoint_paths().empty();
}

bool RunDirectory::holds_configuration_only() const {
  return fs::exists(config_path()) && checkpoint_paths().empty() && !fs::exists(state_path()) &&
         games_paths().empty() && read_metrics(metrics_path()).empty();
}

RunLock RunDirectory::lock() const {
  require_folder_or_nothing();
  make_folder(root_);
  RunLock lock(root_);
  // Not those of reports in the run's own folder, which other processes may be writing: each is written over
  // by the next.
  for (const char* folder : {"checkpoints", "games"}) remove_temporary_files(root_ / folder);
  for (fs::path file :
       {config_path(), metrics_path(), state_path(), failed_batch_path(), root_ / "version.txt"})
    remove_file(file += ".tmp");
  return lock;
}

void RunDirectory::require_folder_or_nothing() const {
  if (fs::exists(root_) && !fs::is_directory(root_)) {
    throw request_error(root_.string(), "is a file; name a folder for the run");
  }
}

void RunDirectory::create(const RunConfig& config) const {
  if (holds_run()) {
    throw request_error(root_.string(),
                        "already holds a run; go on with it by --resume, or name another folder");
  }
  require_folder_or_nothing();
  make_folder(root_ / "checkpoints");
  make_folder(root_ / "games");
  write_file_atomically(root_ / "version.txt", std::string(PAHTUM_VERSION) + "\n");
  save_config(config);
  complete();
}

void RunDirectory::complete() const {
  make_folder(root_ / "checkpoints");
  make_folder(root_ / "games");
  // A run without finished iterations has a file without rows.
  if (!fs::exists(metrics_path()) && checkpoint_paths().empty()) write_file_atomically(metrics_path(), "");
}

void RunDirectory::save_config(const RunConfig& config) const {
  write_file_atomically(config_path(), to_yaml(config));
}

void RunDirectory::require_run() const {
  if (!fs::is_directory(root_)) throw request_error(root_.string(), "no such run directory");
  if (!fs::exists(config_path())) {
    throw request_error(root_.string(), "holds no run to resume (there is no config.yaml in it)");
  }
}

fs::path RunDirectory::checkpoint_path(std::int64_t iteration) const {
  return root_ / "checkpoints" / numbered(iteration, kCheckpointEnding);
}

fs::path RunDirectory::games_path(std::int64_t iteration) const {
  return root_ / "games" / numbered(iteration, kShardEnding);
}

fs::path RunDirectory::unfinished_games_path(std::int64_t iteration) const {
  return root_ / "games" / numbered(iteration, kUnfinishedEnding);
}

std::vector<fs::path> RunDirectory::checkpoint_paths() const {
  std::vector<fs::path> paths;
  if (!fs::is_directory(root_ / "checkpoints")) return paths;
  for (auto& [number, path] : numbered_files(root_ / "checkpoints", kCheckpointEnding))
    paths.push_back(std::move(path));
  return paths;
}

std::vector<fs::path> RunDirectory::games_paths() const {
  std::vector<fs::path> paths;
  if (!fs::is_directory(root_ / "games")) return paths;
  for (auto& [number, path] : numbered_files(root_ / "games", kShardEnding)) paths.push_back(std::move(path));
  return paths;
}

std::optional<std::int64_t> RunDirectory::iteration_of_checkpoint(const std::filesystem::path& file) {
  return number_of(file, kCheckpointEnding);
}

std::optional<std::int64_t> RunDirectory::iteration_of_games(const fs::path& file) {
  return number_of(file, file.extension() == kUnfinishedEnding ? kUnfinishedEnding : kShardEnding);
}

void RunDirectory::prune_checkpoints(std::int64_t keep, std::span<const std::int64_t> also) const {
  const auto files = numbered_files(root_ / "checkpoints", kCheckpointEnding);
  for (std::size_t k = 0; k + static_cast<std::size_t>(keep) < files.size(); ++k) {
    if (std::ranges::find(also, files[k].first) == also.end()) remove_file(files[k].second);
  }
}

void RunDirectory::set_games_aside_after(std::int64_t iteration) const {
  const fs::path aside = root_ / "games" / "set-aside";
  for (const char* ending : {kShardEnding, kUnfinishedEnding}) {
    for (const auto& [number, path] : numbered_files(root_ / "games", ending)) {
      if (number <= iteration) continue;
      make_folder(aside);
      std::error_code error;
      fs::rename(path, aside / path.filename(), error);
      if (error)
        throw failure(path.string(), "cannot be moved to " + aside.string() + ": " + error.message());
    }
  }
}

void RunDirectory::drop_checkpoints_after(std::int64_t iteration) const {
  const auto files = numbered_files(root_ / "checkpoints", kCheckpointEnding);
  for (auto file = files.rbegin(); file != files.rend() && file->first > iteration; ++file) {
    remove_file(file->second);
  }
}

std::optional<Checkpoint> RunDirectory::good_checkpoint(std::int64_t before) const {
  const auto files = numbered_files(root_ / "checkpoints", kCheckpointEnding);
  for (auto file = files.end(); file != files.begin();) {
    if ((--file)->first >= before) continue;
    try {
      Checkpoint checkpoint = load_checkpoint(file->second);
      if (first_not_finite(checkpoint) == nullptr) return checkpoint;
    } catch (const Error& error) {
      if (error.fault() != Fault::kRequest) throw;  // one that is damaged is no good one
    }
  }
  return std::nullopt;
}

void RunDirectory::remove_unfinished_games(std::int64_t iteration) const {
  remove_file(unfinished_games_path(iteration));
}

void RunDirectory::remove_state() const {
  remove_file(state_path());
}

std::int64_t RunDirectory::first_iteration(std::int64_t iteration) const {
  try {
    const std::vector<nlohmann::json> rows = read_metrics(metrics_path());
    return rows.empty() ? iteration + 1 : rows.front().value("iteration", std::int64_t{1});
  } catch (const std::exception&) {
    return 1;  // what the metrics say counts when they can be read again
  }
}

std::vector<GameRecord> RunDirectory::load_newest_games(std::int64_t iteration, std::int64_t games) const {
  std::vector<std::vector<GameRecord>> shards;
  std::int64_t found = 0;
  const std::int64_t first = first_iteration(iteration);
  for (std::int64_t number = iteration; number >= 1 && found < games; --number) {
    if (!fs::exists(games_path(number)) && number < first) break;
    shards.push_back(load_games(games_path(number)));
    found += static_cast<std::int64_t>(shards.back().size());
  }
  std::reverse(shards.begin(), shards.end());
  std::vector<GameRecord> all;
  for (std::vector<GameRecord>& shard : shards) {
    all.insert(all.end(), std::make_move_iterator(shard.begin()), std::make_move_iterator(shard.end()));
  }
  return all;
}

void RunDirectory::append_metrics(const nlohmann::json& row) const {
  append_to_file(metrics_path(), row.dump() + "\n");
}

void RunDirectory::drop_metrics_after(std::int64_t iteration) const {
  if (!fs::exists(metrics_path())) return;
  std::string kept;
  for (const nlohmann::json& row : read_metrics(metrics_path())) {
    if (row.value("iteration", std::int64_t{0}) <= iteration) kept += row.dump() + "\n";
  }
  write_file_atomically(metrics_path(), kept);
}

std::vector<nlohmann::json> read_metrics(const fs::path& path) {
  std::vector<nlohmann::json> rows;
  if (!fs::exists(path)) return rows;
  const std::string text = read_file(path);
  int number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;  // the last line was cut short
    const std::string place = path.string() + ":" + std::to_string(number);
    nlohmann::json row = parse_json(std::string_view(text).substr(start, end - start), place);
    if (!row.is_object()) throw request_error(place, "is not a JSON object");
    rows.push_back(std::move(row));
    start = end + 1;
  }
  return rows;
}

const StoredTensor* first_not_finite(const Checkpoint& checkpoint) {
  for (const StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.dtype != "F32") continue;
    for (std::size_t at = 0; at < tensor.data.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, tensor.data.data() + at, sizeof value);
      if (!std::isfinite(value)) return &tensor;
    }
  }
  return nullptr;
}

}  // namespace pahtum
