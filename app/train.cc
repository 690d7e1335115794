#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>
#include <system_error>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/interrupt.h"
#include "app/oracle_work.h"
#include "env/base/error.h"
#include "eval/results_text.h"
#include "selfplay/config_file.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string config;
  std::string run;
  bool resume = false;
  std::vector<std::string> changes;
  InferenceCliOptions inference;
};

EvaluationPlan plan_of(const RunConfig& config, const std::string& player, InferenceCheck* check) {
  EvaluationPlan plan;
  plan.player = player;
  plan.against = config.evaluation.against;
  plan.match.game = config.game;
  plan.match.pairs = config.evaluation.pairs;
  plan.match.seed = static_cast<std::uint64_t>(config.evaluation.seed);
  plan.match.opening_plies = static_cast<int>(config.evaluation.opening_plies);
  plan.match.threads = static_cast<int>(config.run.workers);
  plan.inference = inference_of(config.run, check);
  return plan;
}

// An agent is named by the SPEC net:RUN, in which a comma would end the path.
void refuse_comma(const std::string& name) {
  if (name.find(',') == std::string::npos) return;
  throw request_error(name,
                      "a run's name must hold no comma: it ends the path in a SPEC such as net:PATH,sims=64");
}

fs::path run_to_resume(const TrainOptions& options) {
  if (!options.run.empty()) return options.run;
  const std::string stem = fs::path(options.config).stem().string();
  if (const auto run = newest_run(stem)) return *run;
  throw request_error("--resume", "there is no run" + (stem.empty() ? "" : " of " + stem) + " in " +
                                      runs_folder().string() + "/ to go on with");
}

// A run goes on with the configuration it was started with. When the user names a file as well, its
// differences must not be dropped in silence.
void warn_of_differences(const TrainOptions& options, const fs::path& run) {
  if (options.config.empty()) return;
  const fs::path saved = RunDirectory(run).config_path();
  if (to_yaml(load_run_config(options.config)) != to_yaml(load_run_config(saved))) {
    spdlog::warn("{} has changed since the run began; {} applies (change single keys with --set)",
                 options.config, saved.string());
  }
}

TrainingSummary resume(const TrainOptions& options, fs::path& run) {
  run = run_to_resume(options);
  RunDirectory(run).require_run();
  warn_of_differences(options, run);
  return resume_training(run, options.changes, stop_on_interrupt(), options.inference.check());
}

TrainingSummary start(const TrainOptions& options, fs::path& run) {
  if (options.config.empty())
    throw request_error("train", "name a configuration, such as configs/quick.yaml");
  const RunConfig config = load_run_config(options.config, options.changes);
  const std::string stem = fs::path(options.config).stem().string();
  refuse_comma(options.run.empty() ? stem : options.run);
  check_players(plan_of(config, "random", nullptr));
  if (!options.run.empty()) {
    run = options.run;
    return start_training(config, run, stop_on_interrupt(), options.inference.check());
  }
  run = claim_next_run(stem);
  try {
    return start_training(config, run, stop_on_interrupt(), options.inference.check());
  } catch (...) {
    std::error_code ignored;
    fs::remove(run, ignored);  // only when nothing was written into it
    throw;
  }
}

std::string resume_command(const fs::path& run) {
  return "build/pahtum train --resume --run " + run.string();
}

void evaluate_run(const fs::path& run, const fs::path& checkpoint, const RunConfig& config,
                  InferenceCheck* check) {
  EvaluationRecord record{.target = run.string(),
                          .checkpoint = checkpoint,
                          .plan = plan_of(config, "net:" + checkpoint.string(), check)};
  const RunLock lock = RunDirectory(run).lock();
  if (!config.evaluation.oracle.empty()) {
    compare_with_truth(record, load_oracle_data(config.evaluation.oracle), {"policy", ""});
  }
  record.matches = play_evaluation(record.plan, stop_on_interrupt());
  write_evaluation(run, record);
  if (!record.matches.empty()) std::cout << "\n" << results_table(record.matches);
  std::cout << oracle_tables(record.oracle);
}

int train(const TrainOptions& options) {
  fs::path run;
  const TrainingSummary summary = options.resume ? resume(options, run) : start(options, run);
  std::cout << "trained " << summary.iterations << " iterations, " << summary.games << " games, "
            << summary.steps << " learner steps in " << fixed(summary.seconds, 0) << " s\n";
  if (summary.interrupted) {
    std::cout << "interrupted; everything is saved in " << summary.checkpoint.string()
              << "\ngo on with: " << resume_command(run) << "\n";
    return kExitInterrupted;
  }
  const RunConfig config = load_run_config(RunDirectory(run).config_path(), options.changes);
  const bool evaluated = !config.evaluation.against.empty() || !config.evaluation.oracle.empty();
  if (evaluated) {
    try {
      evaluate_run(run, summary.checkpoint, config, options.inference.check());
    } catch (const Error&) {
      if (!interrupted()) throw;
      std::cout << "interrupted during the evaluation; the agent is saved in " << summary.checkpoint.string()
                << "\nevaluate it with: build/pahtum evaluate " << run.string() << "\n";
      return kExitInterrupted;
    }
  }
  std::cout << "\ncheckpoint: " << summary.checkpoint.string() << "\n";
  if (evaluated) std::cout << "report:     " << report_path(run).string() << "\n";
  std::cout << "play it:    build/pahtum play net:" << run.string() << "\n";
  options.inference.finish();
  return 0;
}

}  // namespace

void add_train(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("train", "Trains an agent, then measures it");
  const auto options = std::make_shared<TrainOptions>();
  sub.add_option("CONFIG", options->config, "YAML configuration; not needed with --resume");
  sub.add_option("--run", options->run, "Run directory; without it runs/<config>-<n>, the next free number");
  sub.add_flag("--resume", options->resume,
               "Go on with the run of --run; without that with the newest one (of CONFIG, when given)");
  sub.add_option("--set", options->changes, "section.key=value on top of the file; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  options->inference.add_check_to(sub);
  sub.footer(
      "Examples: pahtum train configs/quick.yaml\n"
      "          pahtum train configs/quick.yaml --run runs/wide --set network.channels=64\n"
      "          pahtum train --resume");
  sub.callback([options, &command] { command = [options] { return train(*options); }; });
}

}  // namespace pahtum
