#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "env/position.h"
#include "model/inference_check.h"

namespace pahtum {

// What a subcommand does once the command line is understood; returns the exit status.
using Command = std::function<int()>;

// Each adds its subcommand to `app`; when the user names it, `command` becomes what it does.
void add_train(CLI::App& app, Command& command);
void add_evaluate(CLI::App& app, Command& command);
void add_match(CLI::App& app, Command& command);
void add_rate(CLI::App& app, Command& command);
void add_show(CLI::App& app, Command& command);
void add_solve(CLI::App& app, Command& command);
void add_oracle(CLI::App& app, Command& command);
void add_play(CLI::App& app, Command& command);
void add_engine(CLI::App& app, Command& command);
void add_games(CLI::App& app, Command& command);
void add_check(CLI::App& app, Command& command);
void add_export(CLI::App& app, Command& command);
void add_config(CLI::App& app, Command& command);
void add_report(CLI::App& app, Command& command);
void add_bench(CLI::App& app, Command& command);
void add_fit_lines(CLI::App& app, Command& command);

// The rules options wherever a game starts.
class RulesOptions {
 public:
  void add_to(CLI::App& app);
  // Only those that say what runs are worth, for commands on positions.
  void add_points_to(CLI::App& app);
  [[nodiscard]] bool has_points() const { return !run_points_.empty() || !file_.empty(); }
  // Rules from --rules or, without it, from `otherwise`, with the single options on top. Throws a kRequest
  // Error naming the option when they make no game.
  [[nodiscard]] GameConfig resolve(const GameConfig& otherwise) const;

 private:
  // The option that set the key a rule is broken by; the key itself when none did.
  [[nodiscard]] std::string option_at_fault(const std::string& key) const;

  std::optional<std::int64_t> size_;
  std::string holes_, hole_mode_, layout_, result_, run_points_, file_;
  bool unequal_stones_ = false, swap_ = false;
};

// How networks judge positions, wherever networks play.
class InferenceCliOptions {
 public:
  void add_to(CLI::App& app);
  // Without --precision, for commands whose configuration says it.
  void add_check_to(CLI::App& app);
  [[nodiscard]] InferenceOptions resolve() const;
  [[nodiscard]] InferenceCheck* check() const { return wants_check_ ? check_.get() : nullptr; }
  // After the work: prints what --check-inference found on standard error. Throws a kFailure Error when it is
  // beyond the limits. Does nothing without the flag.
  void finish() const;

 private:
  std::string precision_ = "auto";
  bool wants_check_ = false;
  std::unique_ptr<InferenceCheck> check_ = std::make_unique<InferenceCheck>();
};

// Where runs live unless --run says otherwise: `runs` in the current folder.
[[nodiscard]] std::filesystem::path runs_folder();
// Claims (creates) runs/<stem>-<n>, n one above the highest there is.
[[nodiscard]] std::filesystem::path claim_next_run(const std::string& stem);
// The run of the highest number among runs/<stem>-<n>; with an empty stem the run worked on last. Nothing
// when there is none.
[[nodiscard]] std::optional<std::filesystem::path> newest_run(const std::string& stem);

// resolve_checkpoint(), with a warning in the log for every newer checkpoint that is damaged.
[[nodiscard]] std::filesystem::path resolve_checkpoint_with_warnings(const std::filesystem::path& target);

// The SPECs of players, for help texts: "random, greedy, …".
[[nodiscard]] std::string player_specs_text();

// One JSON document and a newline on standard output; bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& document);

// `value` with `digits` digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace pahtum
