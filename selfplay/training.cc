#include "selfplay/training.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/base/error.h"
#include "eval/oracle_data.h"
#include "model/checkpoint.h"
#include "model/network_evaluator.h"
#include "selfplay/config_file.h"
#include "selfplay/run_directory.h"
#include "selfplay/training_loop.h"

namespace pahtum {
namespace {

// What a run goes on from.
struct SavedRun {
  std::filesystem::path path;
  bool within = false;  // an iteration, see RunDirectory::state_path
  Checkpoint checkpoint;
};

std::optional<Checkpoint> whole_state(const RunDirectory& directory) {
  if (!std::filesystem::exists(directory.state_path())) return std::nullopt;
  try {
    return load_checkpoint(directory.state_path());
  } catch (const Error& error) {
    spdlog::warn("{}; going on from the last finished iteration", error.what());
    return std::nullopt;
  }
}

// The state within an iteration counts unless a later iteration has finished; nothing when the run was killed
// before its first checkpoint.
std::optional<SavedRun> newest_saved(const RunDirectory& directory) {
  if (directory.holds_configuration_only()) return std::nullopt;
  std::optional<Checkpoint> state = whole_state(directory);
  try {
    std::vector<std::string> skipped;
    const std::filesystem::path path = resolve_checkpoint(directory.root(), &skipped);
    for (const std::string& broken : skipped) {
      spdlog::warn("{} is damaged; going on from {}", broken, path.string());
    }
    Checkpoint checkpoint = load_checkpoint(path);
    if (!state || state->manifest.iteration < checkpoint.manifest.iteration) {
      return SavedRun{path, false, std::move(checkpoint)};
    }
  } catch (const Error&) {
    if (!state) throw;
  }
  return SavedRun{directory.state_path(), true, std::move(*state)};
}

// The solved positions that the configuration names.
std::optional<OracleData> oracle_of(const RunConfig& config) {
  const std::string& file = config.evaluation.oracle;
  if (file.empty()) return std::nullopt;
  try {
    OracleData data = load_oracle_data(file);
    if (!same_interface(data.game, config.game) || data.game.run_points != config.game.run_points) {
      throw request_error(file, "its positions are of " + to_text(data.game) + ", the run plays " +
                                    to_text(config.game) + "; make others with `pahtum oracle make`");
    }
    return data;
  } catch (const Error& error) {
    throw Error(error.fault(), "evaluation.oracle", error.what());
  }
}

}  // namespace

TrainingSummary start_training(const RunConfig& config, const std::filesystem::path& run,
                               const std::atomic<bool>& stop, InferenceCheck* check) {
  validate(config);
  require_inference(inference_of(config.run, check));
  std::optional<OracleData> oracle = oracle_of(config);
  RunDirectory directory(run);
  if (directory.holds_run()) directory.create(config);  // refuses before the network is built
  TrainingLoop loop(config, directory, std::move(oracle), stop, check);
  const RunLock lock = directory.lock();
  directory.create(config);
  loop.save();
  return loop.run();
}

TrainingSummary resume_training(const std::filesystem::path& run, std::span<const std::string> overrides,
                                const std::atomic<bool>& stop, InferenceCheck* check) {
  RunDirectory directory(run);
  directory.require_run();
  const RunConfig config = load_run_config(directory.config_path(), overrides);
  require_inference(inference_of(config.run, check));
  std::optional<OracleData> oracle = oracle_of(config);
  const RunLock lock = directory.lock();
  const std::optional<SavedRun> saved = newest_saved(directory);
  TrainingLoop loop(config, directory, std::move(oracle), stop, check);
  if (saved) loop.restore(saved->checkpoint, saved->path.string(), saved->within);
  directory.save_config(config);  // a later resume goes on with what was set now
  if (!saved) {
    directory.complete();
    loop.save();
  }
  return loop.run();
}

}  // namespace pahtum
