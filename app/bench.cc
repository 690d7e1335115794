#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include "app/bench_row.h"
#include "app/common.h"
#include "env/game_rules.h"
#include "eval/results_text.h"
#include "model/network_evaluator.h"
#include "search/batch_search.h"
#include "search/evaluator.h"
#include "search/search_tree.h"
#include "search/signature.h"
#include "search/uct.h"
#include "selfplay/config_file.h"
#include "selfplay/selfplay_rate.h"
#include "selfplay/signature.h"

namespace pahtum {

std::vector<Position> start_positions(const RunConfig& config, int count) {
  std::vector<Position> positions;
  for (int index = 0; index < count; ++index) {
    positions.push_back(start_position(config.game, static_cast<std::uint64_t>(config.run.seed),
                                       Stream::kTest, static_cast<std::uint64_t>(index)));
  }
  return positions;
}

namespace {

struct BenchOptions {
  std::string config;
  std::vector<std::string> changes;
  double seconds = 2.0;
  bool json = false;
  bool signature = false;
  InferenceCliOptions inference;  // of `selfplay` alone
};

RunConfig config_of(const BenchOptions& options) {
  if (!options.config.empty()) return load_run_config(options.config, options.changes);
  const RunConfig defaults;
  return parse_run_config(to_yaml(defaults), "defaults", options.changes);
}

// New simulations a second of whole games, one after the other, with the most visited moves.
double search_rate(const RunConfig& config, bool graph, double seconds) {
  SearchConfig search = config.search;
  search.graph = graph;
  SearchTree tree(search);
  SearchTree* const trees[] = {&tree};
  UniformEvaluator evaluator;
  Random random(static_cast<std::uint64_t>(config.run.seed), Stream::kTest, 0);
  std::uint64_t game = 0;
  return rate(seconds, [&] {
    std::int64_t simulations = 0;
    tree.reset(
        start_position(config.game, static_cast<std::uint64_t>(config.run.seed), Stream::kTest, game++));
    while (true) {
      tree.begin_move(std::nullopt);
      const std::int64_t kept = tree.root_visits();
      run_searches(trees, evaluator);
      simulations += tree.root_visits() - kept;
      const Move move = tree.choose(0.0, random);
      if (after(tree.root(), move).over()) return simulations;
      tree.advance(move);
    }
  });
}

double uct_rate(const RunConfig& config, std::int64_t rollouts, double seconds) {
  UctSearch uct(rollouts);
  Random random(static_cast<std::uint64_t>(config.run.seed), Stream::kTest, 0);
  std::uint64_t game = 0;
  return rate(seconds, [&] {
    std::int64_t simulations = 0;
    Position position =
        start_position(config.game, static_cast<std::uint64_t>(config.run.seed), Stream::kTest, game++);
    while (!position.over()) {
      // A single move is played without a search.
      if (legal_count(position) > 1) simulations += rollouts;
      apply(position, uct.choose(position, random));
    }
    return simulations;
  });
}

std::vector<BenchRow> bench_search(const RunConfig& config, double seconds) {
  const std::string what = fmt::format("search, {} simulations, uniform evaluator, whole games, one thread",
                                       config.search.simulations);
  const std::string tree = what + ", tree";
  const double tree_rate = search_rate(config, false, seconds);
  const double graph_rate = search_rate(config, true, seconds);
  std::vector<BenchRow> rows = {
      {tree, tree_rate, "simulations/s", {}, ""},
      {what + ", graph", graph_rate, "simulations/s", graph_rate / tree_rate, tree}};
  for (const std::int64_t rollouts : {1'000, 100'000}) {
    rows.push_back({fmt::format("uct:{}, whole games, one thread", rollouts),
                    uct_rate(config, rollouts, seconds),
                    "rollouts/s",
                    {},
                    ""});
  }
  return rows;
}

std::vector<BenchRow> bench_selfplay(const RunConfig& config, double seconds, InferenceCheck* check) {
  const SelfplayRates rates = measure_selfplay(config, seconds, check);
  const SelfplayRate& all = rates.configured;
  const bool several = all.workers > 1;
  const auto threads = [](int count) { return count == 1 ? "one thread" : fmt::format("{} threads", count); };
  const auto raw = [&](int count) {
    return fmt::format("forward pass alone, batch {:.0f}, {}", rates.trees.batch, threads(count));
  };
  const auto played = [&](const char* how, int count, const char* what) {
    return fmt::format("{} slots, {}{} simulations, {}, {}: {}", config.selfplay.slots,
                       config.search.simulations, config.search.count_reused ? "" : " new", how,
                       threads(count), what);
  };
  const char* const trees = "in trees, nothing solved";
  const char* const configured = "as configured";
  std::vector<BenchRow> rows;
  const auto add = [&](const std::string& what, double value, const char* unit, double other = 0,
                       const std::string& against = "") {
    rows.push_back(
        {what, value, unit, against.empty() ? std::nullopt : std::optional(value / other), against});
  };
  add(raw(1), rates.raw_per_second_one, "evaluations/s");
  if (several) add(raw(all.workers), rates.raw_per_second, "evaluations/s", rates.raw_per_second_one, raw(1));
  add(played(trees, all.workers, "evaluations"), rates.trees.evaluations_per_second, "evaluations/s",
      rates.raw_per_second, raw(all.workers));
  const std::string tree_moves = played(trees, all.workers, "moves");
  add(tree_moves, rates.trees.moves_per_second, "moves/s");
  add(played(configured, all.workers, "evaluations"), all.evaluations_per_second, "evaluations/s",
      rates.raw_per_second, raw(all.workers));
  const std::string one_moves = played(configured, 1, "moves");
  if (several) add(one_moves, rates.one_worker.moves_per_second, "moves/s");
  const std::string moves = played(configured, all.workers, "moves");
  add(moves, all.moves_per_second, "moves/s", rates.trees.moves_per_second, tree_moves);
  if (several) {
    add(played(configured, all.workers, "moves beside one thread"), all.moves_per_second, "moves/s",
        rates.one_worker.moves_per_second, one_moves);
  }
  add(played(configured, all.workers, "games"), all.games_per_second, "games/s");
  add(played(trees, all.workers, "cost of a game"), rates.trees.evaluations_per_game, "evaluations");
  add(played(configured, all.workers, "cost of a game"), all.evaluations_per_game, "evaluations");
  return rows;
}

nlohmann::ordered_json machine_json() {
  std::string processor = "unknown";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      processor = line.substr(line.find(": ") + 2);
      break;
    }
  }
  return {{"processor", processor},
          {"threads", std::thread::hardware_concurrency()},
          {"compiler", __VERSION__},
          {"version", PAHTUM_VERSION}};
}

using Bench = std::function<std::vector<BenchRow>(const RunConfig&, double)>;

int run_bench(const std::string& name, const Bench& bench, const BenchOptions& options) {
  const RunConfig config = config_of(options);
  // These two show what the allocator's settings are worth, and set them when they have what to compare with.
  if (name != "inference" && name != "learn") tune_allocator();
  const std::vector<BenchRow> rows = bench(config, options.seconds);
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const BenchRow& row : rows) {
      list.push_back({{"what", row.what},
                      {"value", row.value},
                      {"unit", row.unit},
                      {"ratio", row.ratio ? nlohmann::ordered_json(*row.ratio) : nlohmann::ordered_json()},
                      {"against", row.ratio ? nlohmann::ordered_json(row.against) : nlohmann::ordered_json()},
                      {"best", row.best ? nlohmann::ordered_json(*row.best) : nlohmann::ordered_json()}});
    }
    print_json({{"name", name}, {"rows", list}, {"machine", machine_json()}});
    options.inference.finish();
    return 0;
  }
  std::cout << to_text(config.game) << ", network of " << to_text(config.network) << "\n";
  const bool has_best = std::ranges::any_of(rows, [](const BenchRow& row) { return row.best.has_value(); });
  const auto number = [](double value) { return fixed(value, value < 100 ? 2 : 0); };
  std::vector<std::vector<std::string>> table = {{"    what", "value", "unit", "ratio", "to"}};
  if (has_best) table.front().emplace_back("best round");
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const BenchRow& row = rows[k];
    const auto other = std::ranges::find(rows, row.against, &BenchRow::what);
    auto& cells = table.emplace_back();
    cells = {fmt::format("{:>2}  {}", k + 1, row.what), number(row.value), row.unit,
             row.ratio ? fixed(*row.ratio, 2) : "",
             row.ratio ? fmt::format("row {}", other - rows.begin() + 1) : ""};
    if (has_best) cells.push_back(row.best ? number(*row.best) : "");
  }
  std::cout << table_text(table);
  options.inference.finish();
  return 0;
}

int print_signature(const BenchOptions& options) {
  const std::string search = fmt::format("{:016x}", behaviour_signature());
  const std::string selfplay = fmt::format("{:016x}", selfplay_signature());
  if (options.json) {
    print_json({{"name", "signature"}, {"signature", search}, {"selfplay", selfplay}});
  } else {
    const std::vector<std::vector<std::string>> rows = {{"    environment and search", search},
                                                        {"    self-play", selfplay}};
    std::cout << table_text(rows);
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("bench", "Measures how fast the parts are on this machine");
  sub.require_subcommand(0, 1);
  const auto options = std::make_shared<BenchOptions>();
  CLI::Option* signature =
      sub.add_flag("--signature", options->signature,
                   "Print the behaviour signatures, which a refactoring must not change");
  sub.add_flag("--json", options->json, "Print one JSON document");
  sub.footer(
      "Examples: pahtum bench inference --set network.channels=64\n          pahtum bench --signature");
  const auto add = [&](const std::string& name, const std::string& help, const Bench& bench) -> CLI::App& {
    CLI::App& part = *sub.add_subcommand(name, help);
    part.add_option("--config", options->config, "Configuration to measure; without it the defaults");
    part.add_option("--set", options->changes, "section.key=value on top of it; may be repeated")
        ->allow_extra_args(false)
        ->take_all();
    part.add_option("--seconds", options->seconds, "Time for each row")
        ->check(CLI::Range(0.01, 600.0))
        ->capture_default_str();
    part.add_flag("--json", options->json, "Print one JSON document");
    part.footer("Example: pahtum bench " + name + " --json");
    part.callback([=, &command] { command = [=] { return run_bench(name, bench, *options); }; });
    return part;
  };
  add("env", "Batch environment: random play and steps, beside plain writing of the same bytes", bench_env);
  add("search", "Tree search without a network, and UCT's rollouts", bench_search);
  add("inference", "Networks of several sizes beside bare convolutions and the eager module, on one thread",
      bench_inference);
  CLI::App& selfplay = add("selfplay", "Self-play beside the bare network at the same batch size, in turn",
                           [options](const RunConfig& config, double seconds) {
                             return bench_selfplay(config, seconds, options->inference.check());
                           });
  options->inference.add_check_to(selfplay);
  add("solver", "The exact solver: mean time for fixed positions of several kinds", bench_solver);
  add("learn", "Learner steps beside the plain eager step, and drawing their samples", bench_learn);
  sub.callback([options, signature, &sub, &command] {
    if (!sub.get_subcommands().empty()) return;
    if (signature->count() == 0) throw CLI::RequiredError("A benchmark or --signature");
    command = [options] { return print_signature(*options); };
  });
}

}  // namespace pahtum
