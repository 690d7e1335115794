#include "selfplay/training_loop.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "env/base/clock.h"
#include "env/base/error.h"
#include "env/base/non_finite_error.h"
#include "env/base/random.h"
#include "eval/player.h"
#include "model/network_evaluator.h"
#include "selfplay/batch_pipeline.h"
#include "selfplay/gate.h"
#include "selfplay/memory.h"
#include "selfplay/training_events.h"

namespace pahtum {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr double kPatience = 2.0;  // seconds that workers have at least to end after a stall

// Of the rows of metrics: the iteration with the highest score in its match on the way, the newest of equals;
// nothing without such matches.
std::optional<std::int64_t> best_iteration(const std::vector<json>& rows) {
  std::optional<std::int64_t> best;
  double best_score = 0;
  for (const json& row : rows) {
    const double score = row.value(json::json_pointer("/match/score"), -1.0);
    if (score < 0 || (best && score < best_score)) continue;
    best = row.value("iteration", std::int64_t{0});
    best_score = score;
  }
  return best;
}

}  // namespace

std::int64_t TrainingLoop::planned_steps() const {
  const GameRules rules(config_.game);
  const double plies = (rules.shortest_game() + rules.longest_game()) / 2.0;
  const double solved = std::min(plies, static_cast<double>(config_.search.exact_root));
  const double samples_a_game =
      config_.selfplay.full_search_share * (plies - solved) + config_.replay.solved_weight * solved;
  const double samples = static_cast<double>(config_.selfplay.games_per_iteration) * samples_a_game *
                         static_cast<double>(config_.run.iterations);
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(samples * config_.replay.reuse /
                                                          static_cast<double>(config_.learner.batch_size)));
}

std::int64_t TrainingLoop::steps_of_iteration() const noexcept {
  if (replay_.games() < config_.replay.minimum_games || replay_.samples() == 0) return 0;
  const double steps = new_samples_ * config_.replay.reuse / static_cast<double>(config_.learner.batch_size);
  return std::max<std::int64_t>(1, std::llround(steps));
}

std::string TrainingLoop::progress_prefix() const {
  return fmt::format("iteration {}/{}", iteration_ + 1, config_.run.iterations);
}

std::string TrainingLoop::time_left() const {
  if (session_iterations_ == 0) return "";
  const double each = seconds_since(session_start_) / static_cast<double>(session_iterations_);
  return ", " + duration_text(each * static_cast<double>(config_.run.iterations - iteration_)) + " left";
}

void TrainingLoop::announce() const {
  const MemoryEstimate memory = estimate_memory(config_, static_cast<int>(workers_.size()), resident_before_);
  const auto mib = [](std::int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; };
  spdlog::info("run {}: {}; network of {} ({} parameters); {} simulations a move", directory_.root().string(),
               to_text(config_.game), to_text(config_.network), trainer_.parameters(),
               config_.search.simulations);
  spdlog::info("{} games at once on {} threads; {} games an iteration; {} iterations, {} finished",
               config_.selfplay.slots, workers_.size(), config_.selfplay.games_per_iteration,
               config_.run.iterations, iteration_);
  spdlog::info("memory: about {} MiB at the peak (search {}, replay {}, network {}, program {})",
               mib(memory.total()), mib(memory.trees), mib(memory.replay), mib(memory.network),
               mib(memory.program));
  const int fewest_empty = GameRules(config_.game).shortest_game();
  if (config_.search.exact_root >= fewest_empty) {
    spdlog::warn(
        "search.exact_root is {} and games have as few as {} plies: these are solved from the start, and the "
        "network is not asked",
        config_.search.exact_root, fewest_empty);
  }
  spdlog::info(
      "Ctrl-C saves everything, half-played games included, and stops; a second Ctrl-C stops at once");
}

TrainingSummary TrainingLoop::run() {
  announce();
  while ((closing_ || iteration_ < config_.run.iterations) && !stopped()) {
    try {
      advance();
    } catch (const Rollback& rollback) {
      roll_back(rollback.checkpoint);
    }
  }
  if (stopped() && within_) save_state();
  TrainingSummary summary;
  summary.checkpoint = directory_.checkpoint_path(iteration_);
  summary.iterations = iteration_;
  summary.games = games_;
  summary.steps = trainer_.steps();
  summary.seconds = seconds_since(session_start_);
  summary.interrupted = stopped();
  return summary;
}

// One iteration, or what is left of it.
void TrainingLoop::advance() {
  try {
    if (closing_) {
      close_iteration();
      return;
    }
    if (!played_) play();
    if (played_) learn();
    if (!stopped()) finish_iteration();
  } catch (const NonFiniteError& error) {
    // In a match, where the newest network plays; self-play and the learner have caught theirs.
    heed(health_.non_finite(error.what(), true), iteration_, iteration_);
  }
}

void TrainingLoop::play_with_workers(const Checkpoint& weights, std::int64_t games,
                                     SelfplayCounters& counters,
                                     std::vector<std::vector<GameRecord>>& finished) {
  const auto count = static_cast<std::int64_t>(workers_.size());
  std::vector<std::exception_ptr> errors(workers_.size());
  std::atomic<std::int64_t> running{count};
  std::atomic<bool> failed{false};
  std::atomic<bool> halt{false};
  // Games that this iteration has already count towards the share of the worker that owns their slot.
  std::vector<std::int64_t> done(workers_.size(), 0);
  for (const GameRecord& game : finished_) {
    std::size_t worker = 0;
    std::int64_t end = workers_[0]->slots();
    while (game.environment >= static_cast<std::uint32_t>(end) && worker + 1 < workers_.size()) {
      end += workers_[++worker]->slots();
    }
    ++done[worker];
  }
  const std::filesystem::path unfinished = directory_.unfinished_games_path(iteration_ + 1);
  std::mutex appending;
  const auto on_finished = [&](const GameRecord& game) {
    const std::lock_guard lock(appending);
    append_game(unfinished, game);
  };
  {
    std::vector<std::jthread> threads;
    for (std::int64_t worker = 0; worker < count; ++worker) {
      threads.emplace_back([&, worker] {
        const auto w = static_cast<std::size_t>(worker);
        try {
          set_inference_threads(1);
          const auto evaluator = make_evaluator(weights, inference_, workers_[w]->slots());
          const std::int64_t quota = share_of(games, count, worker) - done[w];
          finished[w] = workers_[w]->play(*evaluator, quota, halt, counters, on_finished);
        } catch (...) {
          errors[w] = std::current_exception();
          failed = true;
        }
        --running;
      });
    }
    watch_workers(games, running, failed, halt, counters);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// Until none is running: shows how far they are, and halts them for a signal, a failure or a stall.
void TrainingLoop::watch_workers(std::int64_t games, const std::atomic<std::int64_t>& running,
                                 const std::atomic<bool>& failed, std::atomic<bool>& halt,
                                 const SelfplayCounters& counters) {
  const auto start = steady_clock::now();
  const auto before_these = static_cast<std::int64_t>(finished_.size());
  double before = 0;
  double waited = 0;  // seconds, for the workers to end after a stall
  health_.begin_selfplay();
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (stopped() || failed) halt = true;
    const double seconds = seconds_since(start);
    progress_.update(fmt::format("{} · self-play {}/{} games · {:.1f} games/s · {:.0f} evaluations/s{}",
                                 progress_prefix(), before_these + counters.games,
                                 config_.selfplay.games_per_iteration,
                                 static_cast<double>(counters.games) / seconds,
                                 static_cast<double>(counters.evaluations) / seconds, time_left()));
    const double passed = std::min(seconds - before, HealthMonitor::kLongestPoll);
    before = seconds;
    if (stall_) {
      if ((waited += passed) > std::max(kPatience, config_.health.stall_seconds)) abandon_workers();
      continue;
    }
    const auto finding = health_.observe_progress(
        {counters.games, games - before_these, counters.moves, counters.evaluations, running}, passed);
    if (!finding) continue;
    if (finding->action == HealthAction::kWarn) {
      heed(*finding, iteration_ + 1, iteration_);
    } else {
      stall_ = finding;
      halt = true;
    }
  }
}

// A thread that does not come back cannot be joined, and what it holds cannot be saved.
void TrainingLoop::abandon_workers() const {
  spdlog::critical(
      "health.on_stall: {}. The workers do not end, so the program does. The run stands at {}; go on with: "
      "pahtum train --resume --run {}",
      stall_->what, directory_.checkpoint_path(iteration_).string(), directory_.root().string());
  spdlog::shutdown();
  std::_Exit(EXIT_FAILURE);
}

// Until the iteration has so many games.
void TrainingLoop::play_until(std::int64_t games) {
  const auto start = steady_clock::now();
  within_ = true;
  SelfplayCounters counters;
  std::vector<std::vector<GameRecord>> finished(workers_.size());
  stall_.reset();
  try {
    play_with_workers(playing_weights(), games, counters, finished);
  } catch (const NonFiniteError& error) {
    heed(health_.non_finite(
             "in self-play with the network of iteration " + std::to_string(playing_) + ": " + error.what(),
             true),
         iteration_ + 1, playing_);
  }
  for (std::vector<GameRecord>& of_worker : finished) {
    finished_.insert(finished_.end(), std::make_move_iterator(of_worker.begin()),
                     std::make_move_iterator(of_worker.end()));
  }
  metrics_.add_selfplay(counters, seconds_since(start));
}

void TrainingLoop::play() {
  const std::int64_t all = config_.selfplay.games_per_iteration;
  const std::int64_t every = config_.run.save_every_games > 0 ? config_.run.save_every_games : all;
  directory_.remove_unfinished_games(iteration_ + 1);
  for (const GameRecord& game : finished_) {
    append_game(directory_.unfinished_games_path(iteration_ + 1), game);
  }
  while (true) {
    const std::int64_t goal = std::min(all, (saves_ + 1) * every);
    play_until(goal);
    if (stopped()) return;
    if (stall_) heed(*stall_, iteration_ + 1, iteration_);
    if (goal == all) break;
    ++saves_;
    save_state();
  }
  // The order does not depend on where the run was stopped.
  std::ranges::stable_sort(finished_, {},
                           [](const GameRecord& game) { return std::pair(game.environment, game.episode); });
  save_games(directory_.games_path(iteration_ + 1), finished_);
  directory_.remove_unfinished_games(iteration_ + 1);
  for (const GameRecord& game : finished_) {
    metrics_.add_game(game);
    new_samples_ += weighted_samples(game, config_.replay.solved_weight);
  }
  replay_.set_window(window_after(config_.replay, games_ + config_.selfplay.games_per_iteration));
  metrics_.add_duplicates(replay_.add(std::move(finished_)));
  finished_.clear();
  played_ = true;
}

void TrainingLoop::dump_batch(const TrainingBatch& batch) const {
  Checkpoint dump = trainer_.snapshot();
  dump.manifest = snapshot().manifest;
  const auto add = [&](const char* name, std::span<const float> values) {
    std::string bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    dump.tensors.push_back({name, "F32", {static_cast<std::int64_t>(values.size())}, std::move(bytes)});
  };
  add("batch/planes", batch.planes);
  add("batch/policy", batch.policy);
  add("batch/wdl", batch.wdl);
  add("batch/margin", batch.margin);
  add("batch/ownership", batch.ownership);
  add("batch/search_value", batch.search_value);
  add("batch/reply", batch.reply);
  add("batch/runs", batch.runs);
  save_checkpoint(directory_.failed_batch_path(), dump);
}

void TrainingLoop::learn_step(const TrainingBatch& batch) {
  const double rate =
      learning_rate_at(config_.learner, trainer_.steps(), planned_steps()) * health_.learning_rate_factor();
  try {
    const Losses losses = trainer_.step(batch, rate);
    metrics_.add_losses(losses, rate);
    ++steps_done_;
    if (const auto finding = health_.observe_step(losses)) {
      heed(*finding, iteration_ + 1, iteration_ + 1, &batch);
    }
  } catch (const NonFiniteError& error) {
    heed(health_.non_finite(error.what(), false), iteration_ + 1, iteration_ + 1, &batch);
  }
}

void TrainingLoop::learn() {
  within_ = true;
  const auto start = steady_clock::now();
  set_inference_threads(static_cast<int>(workers_.size()));
  const std::int64_t steps = steps_of_iteration();
  // Samples are keyed by the step over the whole run, so they do not depend on when they are drawn.
  const auto draw = [this](std::int64_t step, SampleBuffer& buffer) {
    Random random(static_cast<std::uint64_t>(config_.run.seed), Stream::kSamples,
                  static_cast<std::uint64_t>(step));
    replay_.draw(random, buffer);
  };
  const SampleBuffer buffer(static_cast<int>(config_.learner.batch_size), GameRules(config_.game));
  BatchPipeline batches(trainer_.steps(), trainer_.steps() + steps - steps_done_, buffer, draw);
  while (steps_done_ < steps && !stopped()) {
    learn_step(batches.next());
    progress_.update(fmt::format("{} · learning step {}/{} · loss {:.3f}{}", progress_prefix(), steps_done_,
                                 steps, metrics_.mean_loss(), time_left()));
  }
  metrics_.add_learning(seconds_since(start));
}

// Does what the rule of the finding asks for; returns when that is no more than a warning. `iteration` is the
// one that it was found in. A rollback goes to an iteration before `before`. `batch` is what the learner took
// last, where it is at fault.
void TrainingLoop::heed(HealthFinding finding, std::int64_t iteration, std::int64_t before,
                        const TrainingBatch* batch) {
  std::optional<Checkpoint> target;
  if (finding.action == HealthAction::kRollback) {
    if (!health_.may_roll_back()) {
      finding.what +=
          fmt::format("; the {} rollbacks of health.max_rollbacks are used up", health_.rollbacks());
    } else if (target = directory_.good_checkpoint(before); !target) {
      finding.what += fmt::format("; there is no good checkpoint before iteration {} to go back to", before);
    }
    if (!target) finding.action = HealthAction::kStop;
  }
  const bool stops = finding.action == HealthAction::kStop;
  if (batch != nullptr && finding.action != HealthAction::kWarn) {
    dump_batch(*batch);
    finding.what += "; the batch and the weights are in " + directory_.failed_batch_path().string();
  }
  health_.record(finding, iteration, trainer_.steps(),
                 target ? std::optional(target->manifest.iteration) : std::nullopt);
  if (!stops) spdlog::warn("health, {}: {}", to_text(finding.kind), finding.what);
  if (target) throw Rollback{std::move(*target)};
  if (!stops) return;
  json row = metrics_row(iteration);
  row["health"] = health_.findings();
  directory_.append_metrics(row);
  if (iteration == iteration_) {  // a finished one, whose row stays when the run goes on
    append_events(row);
    metrics_.add_health(health_.findings());
    health_.clear_findings();
  }
  // What the learner failed on is in its own file, and self-play that failed has lost games.
  if (batch == nullptr && finding.kind != HealthKind::kNonFinite) {
    if (iteration == iteration_) {
      save();
    } else {
      save_state();
    }
  }
  const std::string cure = batch != nullptr ? "--set learner.learning_rate=… (lower) or --set health.on_"
                                            : "what is at fault changed, or --set health.on_";
  throw failure(
      "health.on_" + std::string(to_text(finding.kind)),
      fmt::format("{}. The run stands at {}; go on with: pahtum train --resume --run {}, with {}{}=…",
                  finding.what, directory_.checkpoint_path(iteration_).string(), directory_.root().string(),
                  cure, to_text(finding.kind)));
}

// Every file that a crash could come between stays one to go on from: what the iterations given up saved goes
// first, so that none is left whose games are gone.
void TrainingLoop::roll_back(const Checkpoint& target) {
  const HealthMonitor failed = health_;
  const std::string path = directory_.checkpoint_path(target.manifest.iteration).string();
  directory_.remove_state();
  directory_.drop_checkpoints_after(target.manifest.iteration);
  restore(target, path, false);
  health_.go_on_after(failed);
  save();
  events_.reset();  // a new file takes back the steps given up
  spdlog::warn(
      "health: went back to {}; the learning rate is multiplied with {:.4g} from here on ({} of {} "
      "rollbacks)",
      path, health_.learning_rate_factor(), health_.rollbacks(), config_.health.max_rollbacks);
}

// Going back to where the networks that played these games were learned lets others play them.
void TrainingLoop::judge_iteration(std::int64_t played_by) {
  std::vector<HealthFinding> findings = health_.observe_iteration(metrics_row(iteration_));
  std::ranges::stable_sort(findings, {}, &HealthFinding::action);  // what ends the iteration comes last
  for (const HealthFinding& finding : findings) {
    heed(finding, iteration_, finding.of_games ? played_by : iteration_);
  }
}

json TrainingLoop::metrics_row(std::int64_t iteration) const {
  return metrics_.row(
      {iteration, trainer_.steps(), games_, replay_.games(), seconds_since(session_start_), process_usage()});
}

void TrainingLoop::finish_iteration() {
  const std::int64_t played_by = playing_;
  ++iteration_;
  ++session_iterations_;
  games_ += config_.selfplay.games_per_iteration;
  played_ = false;
  saves_ = 0;
  steps_done_ = 0;
  new_samples_ = 0;
  // Before the first step all networks are the same.
  gate_pending_ = has_matches(config_.gate) && trainer_.steps() > 0;
  if (!gate_pending_) playing_ = iteration_;
  closing_ = true;
  judge_iteration(played_by);
  metrics_.add_health(health_.findings());
  health_.clear_findings();  // a run that goes on from here has them in this row
  save();
  close_iteration();
}

// What follows the checkpoint of an iteration. Stopped or killed in it, the run begins it again when it goes
// on: the matches are the same, and what was written is written anew.
void TrainingLoop::close_iteration() {
  settle_gate();
  if (config_.evaluation.every > 0 && iteration_ % config_.evaluation.every == 0) measure();
  if (stopped()) return;
  const json row = metrics_row(iteration_);
  append_events(row);
  directory_.append_metrics(row);
  std::vector<std::int64_t> kept{playing_};
  if (const auto best = best_iteration(read_metrics(directory_.metrics_path()))) kept.push_back(*best);
  directory_.prune_checkpoints(config_.run.keep_checkpoints, kept);
  progress_.line(iteration_line(row, config_.run.iterations) + time_left());
  metrics_ = {};
  new_samples_ = 0;
  closing_ = false;
}

// The step of events is the number of games: it grows in every iteration, as learner steps need not.
void TrainingLoop::append_events(const json& row) {
  if (!config_.run.tensorboard) return;
  if (!events_) events_.emplace(directory_.root(), first_event_);
  std::vector<EventValue> values = scalar_events(row);
  for (EventValue& value : metrics_.histograms().values()) values.push_back(std::move(value));
  events_->add(games_, values);
}

std::string TrainingLoop::newest_network() const {
  return "net:" + directory_.checkpoint_path(iteration_).string();
}

MatchResult TrainingLoop::play_match_of_candidate(const std::string& opponent, MatchConfig match) {
  const std::string spec = newest_network();
  const PlayerContext context{static_cast<std::uint64_t>(config_.evaluation.seed), inference_, 0};
  match.game = config_.game;
  match.seed = static_cast<std::uint64_t>(config_.evaluation.seed);
  match.opening_plies = static_cast<int>(config_.evaluation.opening_plies);
  match.threads = static_cast<int>(workers_.size());
  return play_match([&] { return make_player(spec, context); },
                    [&] { return make_player(opponent, context); }, match, &stop_);
}

// What is interrupted is not worth saving; the iteration itself already is.
void TrainingLoop::measure() {
  try {
    if (!config_.evaluation.against.empty()) play_checking_match();
    if (oracle_) compare_with_truth();
  } catch (const Error&) {
    if (!stopped()) throw;
  }
}

void TrainingLoop::compare_with_truth() {
  const PlayerContext context{static_cast<std::uint64_t>(config_.evaluation.seed), inference_, 0};
  set_inference_threads(static_cast<int>(workers_.size()));
  for (const std::string choice : {"policy", "search"}) {
    const auto player = make_player(newest_network() + (choice == "policy" ? ",policy" : ""), context);
    const auto show = [&](std::int64_t done) {
      progress_.update(fmt::format("iteration {}/{} · {} in solved positions, {} of {}", iteration_,
                                   config_.run.iterations, choice, done, oracle_->positions.size()));
    };
    metrics_.add_oracle(choice, score_oracle(*player, *oracle_, show, &stop_));
  }
}

void TrainingLoop::play_checking_match() {
  const std::string& opponent = config_.evaluation.against.front();
  MatchConfig match;
  match.pairs = config_.evaluation.every_pairs;
  progress_.update(
      fmt::format("iteration {}/{} · match against {}", iteration_, config_.run.iterations, opponent));
  metrics_.add_match(opponent, play_match_of_candidate(opponent, match));
}

void TrainingLoop::settle_gate() {
  if (!gate_pending_ || stopped()) return;
  MatchConfig match;
  match.pairs = config_.gate.pairs;
  match.first_layout = gate_layout(config_.gate, iteration_);
  match.sprt = gate_test(config_.gate);
  progress_.update(fmt::format("iteration {}/{} · match against the network of iteration {}", iteration_,
                               config_.run.iterations, playing_));
  try {
    const MatchResult result =
        play_match_of_candidate("net:" + directory_.checkpoint_path(playing_).string(), match);
    metrics_.add_gate(gate_json(config_.gate, iteration_, playing_, result));
    if (passes(config_.gate, result)) playing_ = iteration_;
  } catch (const Error&) {
    // The match is played again when the run goes on.
    if (stopped()) return;
    throw;
  }
  gate_pending_ = false;
  save();
}

}  // namespace pahtum
