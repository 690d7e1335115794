#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "eval/engine_game.h"

namespace pahtum {

// An engine that is spoken to in the Universal Game Interface (kz04px/cutegames: UCI with queries about the
// game); docs/engines.md lists all. Player one is White. The search runs in a thread of its own, so that
// handle() returns at once; while it runs, `isready`, `stop`, `quit` and queries are answered and the rest is
// refused. A refusal is a line `info string error: …`, and leaves everything as it was.
class Ugi {
 public:
  // Takes one line of output without its end. Called by the thread of handle() and by the search's, never by
  // both at a time.
  using Send = std::function<void(const std::string& line)>;

  // `mind` must outlive it. `margin` in milliseconds.
  Ugi(EngineMind& mind, const GameConfig& rules, Send send, std::int64_t margin = kMarginDefault,
      std::uint64_t seed = 1);
  Ugi(const Ugi&) = delete;
  Ugi& operator=(const Ugi&) = delete;
  ~Ugi();

  // One line of input without its end. False after `quit`: what was being searched has its bestmove then.
  bool handle(std::string_view line);
  // The end of the input: ends what has no end, and waits for the rest.
  void finish();
  // Waits until nothing is being searched.
  void wait();

  [[nodiscard]] const EngineGame& game() const noexcept { return game_; }

 private:
  using Words = std::vector<std::string>;

  void send(const std::string& line);
  void dispatch(const Words& words);
  void introduce();
  void set_option(const Words& words);
  void set_position(const Words& words);
  void go(const Words& words);
  [[nodiscard]] ThinkLimits limits_of(const Words& words, ThinkLimits::Clock::time_point started) const;
  void query(const Words& words);
  void stop();
  void search(const Turn& turn, ThinkLimits limits);
  void report(const Turn& turn, const Analysis& found);
  [[nodiscard]] bool searching() const noexcept { return searching_.load(); }

  EngineMind& mind_;
  EngineGame game_;
  Send send_;
  std::mutex sending_;
  std::int64_t margin_;  // milliseconds
  std::int64_t number_ = 0;
  std::int64_t ply_ = 0;
  bool infinite_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<bool> searching_{false};
  std::thread thread_;
};

}  // namespace pahtum
