#include "app/solve_layouts.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "app/common.h"
#include "app/interrupt.h"
#include "env/base/error.h"
#include "env/base/thread_team.h"
#include "eval/solved_layouts.h"
#include "search/solver.h"
#include "selfplay/progress.h"

namespace pahtum {
namespace {

using Clock = std::chrono::steady_clock;

// Small boards need no more, and clearing it between layouts takes next to nothing.
constexpr std::size_t kLayoutTableBytes = std::size_t{4} << 20;
constexpr auto kLook = std::chrono::milliseconds(100);
constexpr auto kSaveEvery = std::chrono::seconds(10);

// Layouts shared out one by one; each is solved with nothing known before, so that results do not depend on
// who solved what.
class LayoutSolvers {
 public:
  LayoutSolvers(const SolvedLayouts& board, const std::vector<Layout>& layouts,
                std::vector<std::optional<SolvedLayout>> known)
      : board_(board), layouts_(layouts), results_(std::move(known)) {
    for (std::size_t k = 0; k < thread_count_; ++k) threads_.emplace_back([this] { work(); });
  }
  LayoutSolvers(const LayoutSolvers&) = delete;
  LayoutSolvers& operator=(const LayoutSolvers&) = delete;
  // Gives up what is being solved.
  ~LayoutSolvers() { stop(); }

  void stop() noexcept { stop_ = true; }

  // Throws what a thread threw.
  [[nodiscard]] bool done() {
    const std::lock_guard lock(mutex_);
    if (fault_) std::rethrow_exception(fault_);
    return ended_ == thread_count_;
  }
  [[nodiscard]] std::vector<std::optional<SolvedLayout>> results() const {
    const std::lock_guard lock(mutex_);
    return results_;
  }
  [[nodiscard]] std::size_t solved_now() const {
    const std::lock_guard lock(mutex_);
    return solved_now_;
  }

 private:
  void work() {
    try {
      Solver solver(kLayoutTableBytes);
      for (std::size_t k = next_++; k < layouts_.size() && !stop_; k = next_++) {
        {
          const std::lock_guard lock(mutex_);
          if (results_[k]) continue;
        }
        solver.clear();
        const Solution solution = solver.solve(
            start_of(board_, layouts_[k]),
            {.objective = board_.objective, .moves = SolvedMoves::kOneBest, .limits = {.stop = &stop_}});
        if (!solution.exact) break;
        const std::lock_guard lock(mutex_);
        results_[k] = {layouts_[k], solution.lower, solution.best.front(), solution.nodes};
        ++solved_now_;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      fault_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ++ended_;
  }

  const SolvedLayouts& board_;
  const std::vector<Layout>& layouts_;
  std::vector<std::optional<SolvedLayout>> results_;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> next_{0};
  mutable std::mutex mutex_;
  std::size_t solved_now_ = 0;
  std::size_t ended_ = 0;
  std::size_t thread_count_ = static_cast<std::size_t>(hardware_threads());
  std::exception_ptr fault_;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

std::vector<std::optional<SolvedLayout>> known_results(const LayoutWork& work,
                                                       const std::vector<Layout>& layouts) {
  std::vector<std::optional<SolvedLayout>> known(layouts.size());
  if (!std::filesystem::exists(work.output)) return known;
  const SolvedLayouts saved = load_solved_layouts(work.output);
  if (saved.size != work.size || saved.holes != work.holes || saved.objective != work.objective) {
    throw request_error(work.output.string(),
                        fmt::format("holds {}×{} with {} holes for the {}; give another --output", saved.size,
                                    saved.size, saved.holes, objective_name(saved.objective)));
  }
  std::unordered_map<Bitboard, std::size_t> numbers;
  for (std::size_t k = 0; k < layouts.size(); ++k) numbers[layouts[k].holes] = k;
  for (const SolvedLayout& row : saved.layouts) {
    const auto found = numbers.find(row.layout.holes);
    if (found == numbers.end() || layouts[found->second] != row.layout) {
      throw request_error(work.output.string(),
                          to_text(start_of(saved, row.layout)) +
                              " is no layout of these, or not the form that stands for it");
    }
    known[found->second] = row;
  }
  return known;
}

void print_for_people(const SolvedLayouts& solved, const LayoutSummary& summary) {
  const auto share = [&](std::int64_t forms) {
    return fmt::format("{:.2f} %", 100.0 * static_cast<double>(forms) / static_cast<double>(summary.forms));
  };
  std::cout << fmt::format("layouts  {} ({} up to symmetry)\nWhite    {}\ndraws    {}\nBlack    {}\n",
                           summary.forms, summary.layouts, share(summary.white), share(summary.draws),
                           share(summary.black));
  if (solved.objective == Objective::kMargin) {
    std::cout << fmt::format("margins  {} to {}, quartiles {}, {}, {}\n", summary.least, summary.most,
                             summary.lower_quartile, summary.median, summary.upper_quartile);
  }
  for (const SolvedLayout& row : summary.hardest) {
    std::cout << fmt::format("hard     {}, {} nodes, value {}\n", to_text(start_of(solved, row.layout)),
                             row.nodes, row.value);
  }
}

void print_for_programs(const SolvedLayouts& solved, const LayoutSummary& summary) {
  nlohmann::ordered_json hardest = nlohmann::ordered_json::array();
  for (const SolvedLayout& row : summary.hardest) {
    hardest.push_back(
        {{"position", to_text(start_of(solved, row.layout))}, {"value", row.value}, {"nodes", row.nodes}});
  }
  print_json({{"size", solved.size},
              {"holes", solved.holes},
              {"objective", objective_name(solved.objective)},
              {"layouts", summary.layouts},
              {"forms", summary.forms},
              {"white", summary.white},
              {"draws", summary.draws},
              {"black", summary.black},
              {"least", summary.least},
              {"lower_quartile", summary.lower_quartile},
              {"median", summary.median},
              {"upper_quartile", summary.upper_quartile},
              {"most", summary.most},
              {"hardest", hardest}});
}

}  // namespace

int solve_layouts(const LayoutWork& work) {
  const std::atomic<bool>& stop = stop_on_interrupt();
  SolvedLayouts solved{work.size, work.holes, work.objective, {}};
  const std::vector<Layout> layouts = layouts_up_to_symmetry(work.size, work.holes);
  auto known = known_results(work, layouts);
  const auto known_count =
      static_cast<std::size_t>(std::ranges::count_if(known, [](const auto& row) { return row.has_value(); }));
  const auto save = [&](const std::vector<std::optional<SolvedLayout>>& results) {
    solved.layouts.clear();
    for (const auto& row : results) {
      if (row) solved.layouts.push_back(*row);
    }
    save_solved_layouts(work.output, solved);
  };
  save(known);  // says at once when the file cannot be written
  Progress progress;
  if (known_count > 0) progress.line(fmt::format("{} of {} layouts are known", known_count, layouts.size()));
  {
    LayoutSolvers solvers(solved, layouts, std::move(known));
    const auto started = Clock::now();
    auto saved = started;
    while (!solvers.done()) {
      std::this_thread::sleep_for(kLook);
      if (stop) solvers.stop();
      const std::size_t now = solvers.solved_now();
      const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
      const double rate = static_cast<double>(now) / seconds;
      const std::size_t left = layouts.size() - known_count - now;
      progress.update(fmt::format(
          "{} of {} layouts, {:.1f} a second, {} left", known_count + now, layouts.size(), rate,
          now == 0 ? std::string("time unknown") : duration_text(static_cast<double>(left) / rate)));
      if (Clock::now() - saved < kSaveEvery) continue;
      save(solvers.results());
      saved = Clock::now();
    }
    save(solvers.results());
  }
  if (solved.layouts.size() < layouts.size()) {
    progress.line(fmt::format("stopped with {} of {} layouts solved, all saved; the same command goes on",
                              solved.layouts.size(), layouts.size()));
    return kExitInterrupted;
  }
  const LayoutSummary summary = summarize(solved);
  if (work.json) {
    print_for_programs(solved, summary);
  } else {
    print_for_people(solved, summary);
  }
  return 0;
}

}  // namespace pahtum
