#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "app/bench_rounds.h"
#include "app/bench_row.h"
#include "env/base/thread_team.h"
#include "env/batch_environment.h"

namespace pahtum {
namespace {

constexpr int kRounds = 15;
// A round shorter than this measures little but its own beginning: less time makes fewer rounds.
constexpr double kShortestRound = 0.01;  // seconds
constexpr int kGames = 4096;
constexpr int kManyGames = 65536;
constexpr std::int64_t kRandomSteps = 100;  // of one call of play_random

BatchConfig batch_config(const RunConfig& config, int games, int threads, ObservationType type) {
  BatchConfig batch;
  batch.game = config.game;
  batch.count = games;
  batch.seed = static_cast<std::uint64_t>(config.run.seed);
  batch.auto_reset = AutoReset::kSameStep;
  batch.threads = threads;
  batch.observation = type;
  return batch;
}

// A batch and the legal actions of its first steps, made before anything is measured.
class ReplayedActions {
 public:
  explicit ReplayedActions(const BatchConfig& config) : environment_(config) {
    BatchConfig silent = config;
    silent.observation = ObservationType::kNone;
    BatchEnvironment recorder(silent);
    recorder.reset();
    actions_.resize(static_cast<std::size_t>(recorder.rules().longest_game()));
    for (auto& step : actions_) {
      step.resize(static_cast<std::size_t>(config.count));
      recorder.random_actions(step);
      recorder.step(step);
    }
  }

  // Plays all recorded steps and returns the time that the steps, not the reset before them, took.
  double play() {
    environment_.reset();
    const auto start = std::chrono::steady_clock::now();
    for (const auto& step : actions_) environment_.step(step);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  [[nodiscard]] double moves() const {
    return static_cast<double>(actions_.size()) * static_cast<double>(environment_.count());
  }
  [[nodiscard]] double rate(double seconds) {
    double elapsed = 0;
    double moves_played = 0;
    if (!warm_) static_cast<void>(play());
    warm_ = true;
    while (elapsed < seconds) {
      elapsed += play();
      moves_played += moves();
    }
    return moves_played / elapsed;
  }
  [[nodiscard]] const BatchBuffers& buffers() const { return environment_.buffers(); }

 private:
  bool warm_ = false;
  BatchEnvironment environment_;
  std::vector<std::vector<std::int32_t>> actions_;
};

// Fills memory past the caches, as fast as one core can write what it will not read soon.
void stream_fill(std::byte* memory, std::size_t bytes) {
#ifdef __AVX2__
  if (reinterpret_cast<std::uintptr_t>(memory) % sizeof(__m256i) == 0) {
    const __m256i ones = _mm256_set1_epi8(1);
    const std::size_t whole = bytes - bytes % sizeof(__m256i);
    for (std::size_t at = 0; at < whole; at += sizeof(__m256i)) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(memory + at), ones);
    }
    std::memset(memory + whole, 1, bytes - whole);
    _mm_sfence();
    return;
  }
#endif
  std::memset(memory, 1, bytes);
}

// Writes as many bytes as a step of the batch, by the faster of memset and stream_fill; steps per second.
class PlainWriter {
 public:
  PlainWriter(const BatchBuffers& buffers, int threads) : team_(std::make_unique<ThreadTeam>(threads)) {
    const auto add = [this](std::size_t bytes) {
      if (bytes == 0) return;
      // vector<std::byte> has no alignment of its own beyond 16; leave room to start on a cache line.
      std::byte* const memory = memory_.emplace_back(bytes + 64).data();
      std::byte* const aligned = memory + (64 - reinterpret_cast<std::uintptr_t>(memory) % 64);
      constexpr std::size_t kPiece = 65536;
      for (std::size_t at = 0; at < bytes; at += kPiece) {
        pieces_.emplace_back(aligned + at, std::min(kPiece, bytes - at));
      }
      bytes_ += bytes;
    };
    std::visit(
        [&](const auto& span) {
          if constexpr (requires { span.size_bytes(); }) add(span.size_bytes());
        },
        buffers.observation);
    add(buffers.action_mask.size_bytes());
    add(buffers.rewards.size_bytes());
    add(buffers.scores.size_bytes());
    add(buffers.terminated.size_bytes());
    add(buffers.current_player.size_bytes());
  }

  [[nodiscard]] double steps_per_second(double seconds) {
    const auto measure = [&](void (*fill)(std::byte*, std::size_t)) {
      return rate(seconds / 2, [&] {
        std::atomic<std::size_t> next{0};
        team_->run([&](int) {
          for (std::size_t k = next++; k < pieces_.size(); k = next++)
            fill(pieces_[k].data(), pieces_[k].size());
        });
        return 1;
      });
    };
    return std::max(measure([](std::byte* memory, std::size_t bytes) { std::memset(memory, 1, bytes); }),
                    measure(stream_fill));
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::span<std::byte>> pieces_;  // of that memory, each written by one thread
  std::size_t bytes_ = 0;
  std::unique_ptr<ThreadTeam> team_;
};

// What is measured once in every round; the ratio is to another measurement of the same round.
struct Measurement {
  std::string what;
  std::string unit;
  std::function<double(double)> measure;  // seconds → rate
  std::optional<std::size_t> against;
  std::vector<double> values;
};

std::string threads_text(int threads) {
  return threads == 1 ? "one thread" : fmt::format("{} threads", threads);
}

class EnvBench {
 public:
  explicit EnvBench(const RunConfig& config) : config_(config) {}

  void add_random_play(int threads, std::optional<std::size_t> against) {
    const auto environment =
        std::make_shared<BatchEnvironment>(batch_config(config_, kGames, threads, ObservationType::kNone));
    environment->reset();
    add(
        fmt::format("random play, {} games, {} steps a call, {}", kGames, kRandomSteps,
                    threads_text(threads)),
        [environment](double seconds) {
          return rate(seconds, [&] { return environment->play_random(kRandomSteps).moves; });
        },
        against);
  }

  // What all threads together can compute at all, beside what one can: processors that share their time with
  // others give less than the number of threads.
  void add_arithmetic(int threads, std::optional<std::size_t> against) {
    const auto team = std::make_shared<ThreadTeam>(threads);
    add(
        fmt::format("arithmetic in registers, {}", threads_text(threads)),
        [team](double seconds) {
          return rate(seconds, [&] {
            constexpr int kPieces = 64;
            constexpr int kSteps = 2000;
            std::atomic<int> next{0};
            std::atomic<std::uint64_t> sum{0};
            team->run([&](int) {
              for (int piece = next++; piece < kPieces; piece = next++) {
                auto value = static_cast<std::uint64_t>(piece);
                for (int step = 0; step < kSteps; ++step) value = mix64(value);
                sum += value;
              }
            });
            return kPieces * kSteps;
          });
        },
        against, "mixes/s");
  }

  // The environment's steps beside plain writing, and beside the same with one thread when that is given.
  std::size_t add_steps(const std::string& name, ObservationType type, int games, int threads,
                        std::optional<std::size_t> one_thread) {
    const auto replay = std::make_shared<ReplayedActions>(batch_config(config_, games, threads, type));
    const auto writer = std::make_shared<PlainWriter>(replay->buffers(), threads);
    const std::string where = fmt::format("{} games, {}", games, threads_text(threads));
    add(fmt::format("plain writing of the same {} bytes a move, {}",
                    writer->bytes() / static_cast<std::size_t>(games), where),
        [writer, games](double seconds) { return writer->steps_per_second(seconds) * games; }, {});
    const std::size_t limit = measurements_.size() - 1;
    add(
        fmt::format("{}, {}", name, where), [replay](double seconds) { return replay->rate(seconds); },
        limit);
    const std::size_t steps = measurements_.size() - 1;
    if (one_thread) scalings_.emplace_back(steps, *one_thread);
    return steps;
  }

  [[nodiscard]] std::size_t last() const { return measurements_.size() - 1; }

  std::vector<BenchRow> run(double seconds) {
    const int rounds = std::clamp(static_cast<int>(seconds / kShortestRound), 3, kRounds);
    for (int round = 0; round < rounds; ++round) {
      for (Measurement& row : measurements_) row.values.push_back(row.measure(seconds / rounds));
    }
    std::vector<BenchRow> rows;
    for (std::size_t k = 0; k < measurements_.size(); ++k) {
      const Measurement& row = measurements_[k];
      rows.push_back(row_of(row.what, k, row.against));
      for (const auto& [many, one] : scalings_) {
        if (many == k) rows.push_back(row_of(row.what, many, one));
      }
    }
    return rows;
  }

 private:
  void add(std::string what, std::function<double(double)> measure, std::optional<std::size_t> against,
           std::string unit = "moves/s") {
    measurements_.push_back({std::move(what), std::move(unit), std::move(measure), against, {}});
  }

  [[nodiscard]] BenchRow row_of(const std::string& what, std::size_t row,
                                std::optional<std::size_t> against) const {
    const Measurement& measured = measurements_[row];
    BenchRow result{what, median(measured.values), measured.unit, {}, "", std::ranges::max(measured.values)};
    if (against) {
      std::vector<double> ratios;
      for (std::size_t round = 0; round < measured.values.size(); ++round) {
        ratios.push_back(measured.values[round] / measurements_[*against].values[round]);
      }
      result.ratio = median(ratios);
      result.against = measurements_[*against].what;
    }
    return result;
  }

  const RunConfig& config_;
  std::vector<Measurement> measurements_;
  std::vector<std::pair<std::size_t, std::size_t>> scalings_;  // with all threads, with one
};

}  // namespace

std::vector<BenchRow> bench_env(const RunConfig& config, double seconds) {
  const int threads = hardware_threads();
  const int channels = GameRules(config.game).channels();
  EnvBench bench(config);
  if (threads > 1) {
    bench.add_arithmetic(1, {});
    bench.add_arithmetic(threads, bench.last());
  }
  bench.add_random_play(1, {});
  if (threads > 1) bench.add_random_play(threads, bench.last());
  struct Kind {
    std::string name;
    ObservationType type;
    int games;
  };
  const std::vector<Kind> kinds = {
      {fmt::format("step, {} uint8 planes", channels), ObservationType::kUint8, kGames},
      {fmt::format("step, {} float32 planes", channels), ObservationType::kFloat32, kGames},
      {fmt::format("step, {} packed planes", channels), ObservationType::kPacked, kGames},
      {fmt::format("step, {} float32 planes", channels), ObservationType::kFloat32, kManyGames},
  };
  for (const Kind& kind : kinds) {
    const std::size_t one = bench.add_steps(kind.name, kind.type, kind.games, 1, {});
    if (threads > 1) static_cast<void>(bench.add_steps(kind.name, kind.type, kind.games, threads, one));
  }
  return bench.run(seconds);
}

}  // namespace pahtum
