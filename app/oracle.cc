#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/oracle_work.h"
#include "env/base/error.h"
#include "eval/results_json.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

struct MakeOptions {
  OracleRequest request;
  std::string output;
  bool json = false;
  RulesOptions rules;
  InferenceCliOptions inference;
};

struct ScoreOptions {
  std::string player, data;
  std::int64_t simulations = 0;
  std::uint64_t seed = 1;
  bool json = false;
  InferenceCliOptions inference;
};

// How many positions of one number of empty squares there are, and what they are worth for the mover.
struct Contents {
  int empty = 0;
  std::int64_t positions = 0, decisive = 0, wins = 0, draws = 0, losses = 0;
};

std::vector<Contents> contents_of(const OracleData& data) {
  std::vector<Contents> rows;
  for (const OraclePosition& entry : data.positions) {
    const int empty = entry.position.empty_count();
    auto row = std::ranges::find(rows, empty, &Contents::empty);
    if (row == rows.end()) row = rows.insert(rows.end(), {.empty = empty});
    ++row->positions;
    row->decisive += entry.decisive() ? 1 : 0;
    const Outcome outcome = entry.outcome();
    ++(outcome == Outcome::kWin ? row->wins : outcome == Outcome::kDraw ? row->draws : row->losses);
  }
  return rows;
}

void print_for_people(const OracleData& data, const std::string& output) {
  std::vector<std::vector<std::string>> table = {{"empty", "positions", "decisive", "won", "drawn", "lost"}};
  for (const Contents& row : contents_of(data)) {
    table.push_back({std::to_string(row.empty), std::to_string(row.positions), std::to_string(row.decisive),
                     std::to_string(row.wins), std::to_string(row.draws), std::to_string(row.losses)});
  }
  std::cout << to_text(data.game) << ", games of " << fmt::format("{}", fmt::join(data.players, ", ")) << "\n"
            << table_text(table) << "data set: " << output << "\n";
}

void print_for_programs(const OracleData& data, const std::string& output) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Contents& row : contents_of(data)) {
    rows.push_back({{"empty", row.empty},
                    {"positions", row.positions},
                    {"decisive", row.decisive},
                    {"wins", row.wins},
                    {"draws", row.draws},
                    {"losses", row.losses}});
  }
  print_json({{"output", output}, {"players", data.players}, {"seed", data.seed}, {"rows", rows}});
}

// Says before hours of work what would spoil them at their end.
void require_writable(const fs::path& output) {
  const fs::path folder = output.has_parent_path() ? output.parent_path() : ".";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw request_error("--output", "there is no folder " + folder.string() + " for " + output.string());
  }
  if (fs::exists(output, error) && !fs::is_regular_file(output, error)) {
    throw request_error("--output", output.string() + " is no regular file; choose another name");
  }
}

// The option that sets what a request is broken by.
std::string option_of(const std::string& subject) {
  if (subject == "players") return "PLAYER";
  if (subject == "opening_plies") return "--opening-plies";
  return subject == "empty" || subject == "positions" ? "--" + subject : subject;
}

OracleData make_data(const OracleRequest& request) {
  try {
    return make_oracle_data(request);
  } catch (const Error& error) {
    throw Error(error.fault(), option_of(error.subject()), error.message());
  }
}

int make(const MakeOptions& options) {
  OracleRequest request = options.request;
  request.inference = options.inference.resolve();
  request.game = options.rules.resolve(rules_of_players(request.players));
  for (const std::string& spec : request.players) require_game(make_player(spec, {})->info(), request.game);
  require_writable(options.output);
  const OracleData data = make_data(request);
  save_oracle_data(options.output, data);
  if (options.json) {
    print_for_programs(data, options.output);
  } else {
    print_for_people(data, options.output);
  }
  options.inference.finish();
  return 0;
}

int score(const ScoreOptions& options) {
  const OracleData data = load_oracle_data(options.data);
  const auto player = make_player(
      options.player,
      {.seed = options.seed, .inference = options.inference.resolve(), .simulations = options.simulations});
  const OracleScore score = score_with_progress(*player, data);
  if (options.json) {
    print_json(oracle_json(score));
    options.inference.finish();
    return 0;
  }
  std::cout << options.player << " on " << to_text(data.game) << ", games of "
            << fmt::format("{}", fmt::join(data.players, ", ")) << "\n"
            << oracle_table(score);
  options.inference.finish();
  return 0;
}

void add_make(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "make", "Draws positions from games, solves them and writes them with every move's value");
  const auto options = std::make_shared<MakeOptions>();
  sub.add_option("PLAYER", options->request.players,
                 "Whose games the positions come from, each playing alone: " + player_specs_text())
      ->required();
  sub.add_option("--empty", options->request.empty, "Numbers of empty squares, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, kMaxSquares))
      ->required();
  sub.add_option("--positions", options->request.positions,
                 "For each number of empty squares, shared out evenly over the players")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  sub.add_option("--opening-plies", options->request.opening_plies,
                 "Random moves at the start of each game, without which some players always play the same")
      ->check(CLI::Range(0, kMaxSquares))
      ->capture_default_str();
  sub.add_option("--output", options->output, "File to write; one that is there is replaced")->required();
  sub.add_option("--seed", options->request.seed, "Seed of layouts, openings and players")
      ->capture_default_str();
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->inference.add_to(sub);
  options->rules.add_to(sub);
  sub.footer(
      "Examples: pahtum oracle make random greedy --empty 8,12,16 --output oracle.pahtum\n"
      "          pahtum oracle make net:runs/quick-1,sims=50 --empty 12 --positions 50 --output own.pahtum");
  sub.callback([options, &command] { command = [options] { return make(*options); }; });
}

void add_score(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("score", "Compares a player's moves with perfect play in a data set");
  const auto options = std::make_shared<ScoreOptions>();
  sub.add_option("PLAYER", options->player, "Player: " + player_specs_text())->required();
  sub.add_option("DATASET", options->data, "File that `pahtum oracle make` wrote")->required();
  sub.add_option("--sims", options->simulations,
                 "Search simulations a move of a network player; without it as its SPEC or its training has")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}));
  sub.add_option("--seed", options->seed, "Seed of the player's random numbers")->capture_default_str();
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->inference.add_to(sub);
  sub.footer(
      "Examples: pahtum oracle score greedy oracle.pahtum\n"
      "          pahtum oracle score net:runs/quick-1,policy oracle.pahtum --json");
  sub.callback([options, &command] { command = [options] { return score(*options); }; });
}

}  // namespace

void add_oracle(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("oracle", "Measures players by positions that are solved exactly");
  sub.require_subcommand(1);
  sub.footer("Example: pahtum oracle make random greedy --empty 8,12,16 --output oracle.pahtum");
  add_make(sub, command);
  add_score(sub, command);
}

}  // namespace pahtum
