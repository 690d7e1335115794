#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "app/board_drawing.h"
#include "app/common.h"
#include "app/interrupt.h"
#include "app/solve_layouts.h"
#include "env/base/error.h"
#include "env/base/thread_team.h"
#include "search/solver.h"
#include "selfplay/progress.h"

namespace pahtum {
namespace {

struct SolveOptions {
  std::vector<std::string> words;
  std::string objective = "outcome";
  bool all_moves = false;
  double seconds = 0.0;
  std::uint64_t nodes = 0;
  std::size_t mebibytes = 1024;
  int threads = 0;
  RulesOptions points;
  bool all_layouts = false;
  int size = 5;
  int holes = 5;
  std::string output;
  bool json = false;
};

constexpr int kVariationPlies = 12;

struct Answer {
  Position position;
  Objective objective = Objective::kOutcome;
  Solution solution;
  std::vector<Move> variation;
};

// What bounds on a value say about its sign, if anything.
std::optional<int> outcome_of(const Solution& solution) {
  if (solution.lower > 0) return 1;
  if (solution.upper < 0) return -1;
  if (solution.lower == 0 && solution.upper == 0) return 0;
  return {};
}

nlohmann::ordered_json texts_of(const std::vector<Move>& moves, int size) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Move move : moves) list.push_back(to_text(move, size));
  return list;
}

void print_for_programs(const Answer& answer) {
  const Solution& solution = answer.solution;
  const int size = answer.position.size;
  const auto outcome = outcome_of(solution);
  const bool has_margin = answer.objective == Objective::kMargin && solution.exact;
  nlohmann::ordered_json document = {
      {"position", to_text(answer.position)},
      {"objective", objective_name(answer.objective)},
      {"outcome", outcome ? nlohmann::ordered_json(*outcome) : nlohmann::ordered_json()},
      {"margin", has_margin ? nlohmann::ordered_json(solution.lower) : nlohmann::ordered_json()},
      {"lower", solution.lower},
      {"upper", solution.upper},
      {"best", texts_of(solution.best, size)}};
  if (!solution.moves.empty()) {
    nlohmann::ordered_json moves = nlohmann::ordered_json::object();
    for (const auto& [move, value] : solution.moves) moves[to_text(move, size)] = value;
    document["moves"] = moves;
  }
  document["variation"] = texts_of(answer.variation, size);
  document["exact"] = solution.exact;
  document["nodes"] = solution.nodes;
  document["seconds"] = solution.seconds;
  print_json(document);
}

std::string value_text(int value, Objective objective) {
  if (objective == Objective::kMargin) return value == 0 ? "0" : fmt::format("{:+}", value);
  return value > 0 ? "win" : value < 0 ? "loss" : "draw";
}

// The board with each move's value on its square; best moves are marked.
std::string values_board(const Answer& answer) {
  const Position& position = answer.position;
  const auto rows = board_rows(position);
  std::size_t width = 1;
  for (const auto& [move, value] : answer.solution.moves) {
    width = std::max(width, value_text(value, answer.objective).size() + 1);
  }
  std::string text;
  for (int row = 0; row < position.size; ++row) {
    text += std::to_string(position.size - row) + " ";
    for (int column = 0; column < position.size; ++column) {
      std::string cell(1, rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]);
      for (const auto& [move, value] : answer.solution.moves) {
        if (move.is_swap() || move.square() != square_at(row, column)) continue;
        const bool best = std::ranges::find(answer.solution.best, move) != answer.solution.best.end();
        cell = value_text(value, answer.objective) + (best ? "*" : "");
      }
      text += fmt::format(" {:>{}}", cell, width);
    }
    text += '\n';
  }
  text += "  ";
  for (int column = 0; column < position.size; ++column) {
    text += fmt::format(" {:>{}}", static_cast<char>('a' + column), width);
  }
  return text + "\n";
}

std::string verdict(const Answer& answer) {
  const Solution& solution = answer.solution;
  const std::string mover(color_name(answer.position.mover));
  if (!solution.exact && solution.lower < solution.upper) {
    return fmt::format("not solved: between {} and {}{} for {}", value_text(solution.lower, answer.objective),
                       value_text(solution.upper, answer.objective),
                       answer.objective == Objective::kMargin ? " points" : "", mover);
  }
  const int value = solution.lower;
  std::string text = value == 0 ? "a draw" : fmt::format("a {} for {}", value > 0 ? "win" : "loss", mover);
  if (answer.objective == Objective::kMargin && value != 0) text += fmt::format(" by {}", std::abs(value));
  return text + (solution.exact ? "" : " (not all moves were solved)");
}

void print_for_people(const Answer& answer) {
  const Solution& solution = answer.solution;
  const int size = answer.position.size;
  std::cout << (solution.moves.empty() ? board_text(answer.position) : values_board(answer)) << "\n";
  std::cout << "value    " << verdict(answer) << "\n";
  const auto joined = [size](const std::vector<Move>& moves) {
    std::string text;
    for (const Move move : moves) text += (text.empty() ? "" : " ") + to_text(move, size);
    return text;
  };
  if (!solution.best.empty()) std::cout << "best     " << joined(solution.best) << "\n";
  for (const auto& [move, value] : solution.moves) {
    if (move.is_swap()) std::cout << "swap     " << value_text(value, answer.objective) << "\n";
  }
  if (!answer.variation.empty()) std::cout << "play     " << joined(answer.variation) << "\n";
  std::cout << fmt::format("nodes    {}\nseconds  {:.3f}\n", solution.nodes, solution.seconds);
}

Objective objective_of(const SolveOptions& options) {
  return objective_named(options.objective).value_or(Objective::kOutcome);
}

int solve_board(const SolveOptions& options) {
  if (options.points.has_points()) {
    throw request_error("--run-points and --rules", "are for a POSITION; --all-layouts is the usual game");
  }
  if (options.output.empty())
    throw request_error("--output", "is missing; name the file for the solved layouts");
  if (options.holes >= options.size * options.size) {
    throw request_error(
        "--holes", fmt::format("{} holes leave no square of a {}×{} board; use at most {}", options.holes,
                               options.size, options.size, options.size * options.size - 1));
  }
  return solve_layouts({options.size, options.holes, objective_of(options), options.output, options.json});
}

// Says after some seconds that the work goes on, and how to end it.
class PatienceNotice {
 public:
  PatienceNotice() : thread_([](const std::stop_token& done) { wait(done); }) {}

 private:
  static void wait(const std::stop_token& done) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    ended.wait_for(lock, done, kPatience, [&] { return done.stop_requested(); });
    if (!done.stop_requested()) Progress().line("still solving; Ctrl-C ends with the bounds proved so far");
  }
  static constexpr auto kPatience = std::chrono::seconds(2);

  std::jthread thread_;
};

int solve(const SolveOptions& options) {
  if (options.all_layouts) return solve_board(options);
  if (options.words.empty())
    throw request_error("POSITION", "is missing; or use --all-layouts for a whole board");
  const std::atomic<bool>& stop = stop_on_interrupt();
  Answer answer;
  answer.position = parse_position(fmt::format("{}", fmt::join(options.words, " ")));
  answer.objective = objective_of(options);
  answer.position.run_points = options.points.resolve({}).run_points;
  const int processors = hardware_threads();
  Solver solver(options.mebibytes << 20, options.threads > 0 ? options.threads : processors);
  std::optional<PatienceNotice> notice(std::in_place);
  answer.solution = solver.solve(
      answer.position, {.objective = answer.objective,
                        .moves = options.all_moves ? SolvedMoves::kEveryValue : SolvedMoves::kOneBest,
                        .limits = {.seconds = options.seconds, .nodes = options.nodes, .stop = &stop}});
  if (answer.solution.exact) {
    answer.variation = solver.principal_variation(answer.position, answer.objective, kVariationPlies);
  }
  notice.reset();
  if (options.json) {
    print_for_programs(answer);
  } else {
    print_for_people(answer);
  }
  return stop ? kExitInterrupted : 0;
}

}  // namespace

void add_solve(CLI::App& app, Command& command) {
  CLI::App& sub =
      *app.add_subcommand("solve", "Solves a position exactly: its value with best play, and best moves");
  const auto options = std::make_shared<SolveOptions>();
  CLI::Option* position = sub.add_option("POSITION", options->words, "As in `pahtum show`");
  sub.add_option("--objective", options->objective,
                 "outcome: win, draw or loss; margin: the points at the end")
      ->check(CLI::IsMember({"outcome", "margin"}))
      ->capture_default_str();
  CLI::Option* all_moves =
      sub.add_flag("--all-moves", options->all_moves, "Name all best moves, and give every move's value");
  CLI::Option* time =
      sub.add_option(
             "--time", options->seconds,
             "Seconds after which to stop and give the bounds found so far; without it there is no limit")
          ->check(CLI::Range(0.001, 1e7));
  CLI::Option* nodes =
      sub.add_option("--nodes", options->nodes, "Nodes of the search after which to stop, like --time")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  CLI::Option* memory =
      sub.add_option("--memory", options->mebibytes,
                     "MiB that what is learned on the way may take; it grows as far as it is needed")
          ->check(CLI::Range(1, 1 << 20))
          ->capture_default_str();
  CLI::Option* threads =
      sub.add_option("--threads", options->threads,
                     "Threads that search the position together; 0: one for each processor")
          ->check(CLI::Range(0, 1024))
          ->capture_default_str();
  CLI::Option* all_layouts =
      sub.add_flag(
             "--all-layouts", options->all_layouts,
             "Solve every layout of a board up to symmetry, White to move; goes on where it was stopped")
          ->excludes(position)
          ->excludes(all_moves)
          ->excludes(nodes)
          ->excludes(memory)
          ->excludes(threads)
          ->excludes(time);
  sub.add_option("--size", options->size, "Of the board, with --all-layouts")
      ->check(CLI::Range(kMinSize, kMaxSize))
      ->capture_default_str()
      ->needs(all_layouts);
  sub.add_option("--holes", options->holes, "Number of holes, with --all-layouts")
      ->check(CLI::Range(0, kMaxSquares - 1))
      ->capture_default_str()
      ->needs(all_layouts);
  sub.add_option("--output", options->output, "File of the solved layouts, with --all-layouts")
      ->needs(all_layouts);
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->points.add_points_to(sub);
  sub.footer(
      "Examples: pahtum solve w1bbw/bwx1b/1x2w/w1xb1/b1w1x w --objective margin --all-moves\n"
      "          pahtum solve --size 4 --holes 6 --all-layouts --output layouts.txt");
  sub.callback([options, &command] { command = [options] { return solve(*options); }; });
}

}  // namespace pahtum
