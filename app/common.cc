#include "app/common.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <system_error>

#include "env/base/error.h"
#include "env/base/text.h"
#include "eval/player_spec.h"
#include "model/checkpoint.h"
#include "selfplay/config_file.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

// n of a folder called <stem>-<n>.
std::optional<std::int64_t> run_number(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem + "-")) return std::nullopt;
  const auto number = parse_number<std::int64_t>(std::string_view(name).substr(stem.size() + 1));
  return number && *number >= 0 ? number : std::nullopt;
}

std::vector<fs::path> run_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs_folder(), error)) folders.push_back(entry.path());
  return folders;
}

}  // namespace

void InferenceCliOptions::add_to(CLI::App& app) {
  app.add_option("--precision", precision_,
                 "In what numbers networks judge positions: auto, fp32, bf16 or fp16")
      ->check(CLI::IsMember({"auto", "fp32", "bf16", "fp16"}))
      ->capture_default_str();
  add_check_to(app);
}

void InferenceCliOptions::add_check_to(CLI::App& app) {
  app.add_flag("--check-inference", wants_check_,
               "Also run networks as the eager fp32 module and compare: slow; differences beyond the limits "
               "end with exit status 1");
}

InferenceOptions InferenceCliOptions::resolve() const {
  return {.precision = precision_, .check = check()};
}

void InferenceCliOptions::finish() const {
  if (!wants_check_) return;
  std::cerr << check_->report() << std::endl;
  if (!check_->within_limits()) {
    throw failure("--check-inference",
                  "the network's evaluations differ from the eager module's by more than "
                  "the limits");
  }
}

void RulesOptions::add_to(CLI::App& app) {
  app.add_option("--size", size_, "Ranks and files of the board, 3 to 8")
      ->group("Rules")
      ->check(CLI::Range(3, 8));
  CLI::Option* holes =
      app.add_option("--holes", holes_,
                     "Holes of a game: a number, several (3,5,7), or several with weights (3:1,5:2)")
          ->group("Rules");
  app.add_option("--hole-mode", hole_mode_,
                 "random; placed (by the players in turn); centre (one there, the others placed); opening "
                 "(White places all and a stone, Black may swap)")
      ->group("Rules");
  app.add_option("--layout", layout_,
                 "A fixed layout (c4,d4,… or ranks from the top), or @FILE with one a line")
      ->group("Rules")
      ->excludes(holes);
  app.add_flag("--swap", swap_, "Pie rule: colours may be swapped after the first stone")->group("Rules");
  app.add_flag("--unequal-stones", unequal_stones_, "Allow an odd number of squares")->group("Rules");
  app.add_option("--result", result_, "What games are played for: outcome or margin")->group("Rules");
  add_points_to(app);
}

void RulesOptions::add_points_to(CLI::App& app) {
  app.add_option("--run-points", run_points_, "Points of runs of 1 to 8 squares: 0,0,3,10,25,56,119,246")
      ->group("Rules");
  app.add_option("--rules", file_, "YAML file with the keys of a configuration's `game` section")
      ->group("Rules");
}

GameConfig RulesOptions::resolve(const GameConfig& otherwise) const {
  GameConfig rules = file_.empty() ? otherwise : load_rules(file_);
  const Schema schema = describe(rules);
  // The option's text goes through the key's own grammar; faults name the option.
  const auto assign = [&](const std::string& option, const std::string& key, const std::string& text) {
    if (text.empty()) return;
    const auto field = std::ranges::find(schema.fields(), key, &Field::name);
    try {
      std::get<Field::Parsed>(field->target).assign(text);
    } catch (const Error& error) {
      throw request_error(option, error.what());
    }
  };
  if (size_) rules.size = *size_;
  if (!holes_.empty()) rules.layouts.clear();
  assign("--holes", "holes", holes_);
  assign("--hole-mode", "hole_mode", hole_mode_);
  assign("--result", "result", result_);
  assign("--run-points", "run_points", run_points_);
  if (!layout_.empty()) {
    rules.layouts = {layout_};
    expand_layout_files(rules, ".");
  }
  if (swap_) rules.swap = true;
  if (unequal_stones_) rules.unequal_stones = true;
  try {
    validate(rules);
  } catch (const Error& error) {
    throw request_error(option_at_fault(error.subject()), error.message());
  }
  return rules;
}

std::string RulesOptions::option_at_fault(const std::string& key) const {
  if (key == "game.layouts" && !layout_.empty()) return "--layout";
  if (key == "game.hole_mode" && !hole_mode_.empty()) return "--hole-mode";
  if (key == "game.holes" && !holes_.empty()) return "--holes";
  if (key == "game.holes" && size_) return "--size";
  return key;
}

fs::path runs_folder() {
  return "runs";
}

fs::path claim_next_run(const std::string& stem) {
  std::error_code error;
  fs::create_directories(runs_folder(), error);
  if (error) throw failure(runs_folder().string(), "cannot be created: " + error.message());
  std::int64_t next = 1;
  for (const fs::path& folder : run_folders()) {
    if (const auto number = run_number(folder.filename().string(), stem)) next = std::max(next, *number + 1);
  }
  // Somebody else may be starting a run at the same moment: creating the folder is what claims the number.
  for (;; ++next) {
    fs::path folder = runs_folder() / (stem + "-" + std::to_string(next));
    const bool created = fs::create_directory(folder, error);
    if (created) return folder;
    if (error) throw failure(folder.string(), "cannot be created: " + error.message());
  }
}

std::optional<fs::path> newest_run(const std::string& stem) {
  std::optional<fs::path> newest;
  std::pair<std::int64_t, fs::file_time_type> best{-1, fs::file_time_type::min()};
  for (const fs::path& folder : run_folders()) {
    std::error_code error;
    if (!fs::exists(folder / "config.yaml", error)) continue;
    // Saving a checkpoint renames a file in this folder, which touches the folder's time.
    const auto worked_on = fs::last_write_time(folder / "checkpoints", error);
    if (error) continue;
    const auto number =
        stem.empty() ? std::optional<std::int64_t>(0) : run_number(folder.filename().string(), stem);
    if (number && std::pair{*number, worked_on} > best) {
      best = {*number, worked_on};
      newest = folder;
    }
  }
  return newest;
}

fs::path resolve_checkpoint_with_warnings(const fs::path& target) {
  std::vector<std::string> skipped;
  fs::path checkpoint = resolve_checkpoint(target, &skipped);
  for (const std::string& broken : skipped) {
    spdlog::warn("{} is damaged; taking {}", broken, checkpoint.string());
  }
  return checkpoint;
}

std::string player_specs_text() {
  std::string text;
  for (const PlayerSpecHelp& row : player_spec_help()) {
    text += (text.empty() ? "" : ", ") + std::string(row.usage);
  }
  return text;
}

void print_json(const nlohmann::ordered_json& document) {
  std::cout << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

std::string fixed(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace pahtum
