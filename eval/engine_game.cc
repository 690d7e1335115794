#include "eval/engine_game.h"

#include <algorithm>

#include "env/base/error.h"
#include "env/base/text.h"

namespace pahtum {

EngineGame::EngineGame(const GameConfig& rules, std::uint64_t seed) : rules_(rules), seed_(seed) {
  restart();
}

void EngineGame::restart() {
  past_ = {start_position(rules_, seed_, Stream::kEvaluationLayout, number_)};
  ply_ = 0;
}

void EngineGame::resize(int size) {
  if (size < kMinSize || size > kMaxSize) {
    throw request_error(std::to_string(size), "is no board size; give 3 to 8");
  }
  GameConfig rules = rules_;
  if (size != rules.size) {
    rules.size = size;
    rules.layouts.clear();
    const auto possible = [&] {
      try {
        validate(rules);
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    for (int holes = 5; !possible() && holes >= 0; --holes) rules.holes = holes;
    validate(rules);
  }
  rules_ = rules;
  restart();
}

void EngineGame::set_up(Position start, int ply) {
  start.run_points = rules_.run_points;
  past_ = {start};
  ply_ = ply;
}

void EngineGame::set_number(std::uint64_t seed, std::uint64_t number, int ply) {
  seed_ = seed;
  number_ = number;
  ply_ = ply - static_cast<int>(moves());
}

std::string EngineGame::illegal_reason(const Position& position, Move move) {
  if (is_legal(position, move)) return "";
  if (position.over()) return "the game is over";
  if (move.is_swap()) return "colours cannot be swapped now";
  return (position.holes & square_bit(move.square())) != 0 ? "there is a hole" : "the square is taken";
}

void EngineGame::play(Move move) {
  const std::string reason = illegal_reason(position(), move);
  if (!reason.empty()) throw request_error(to_text(move, position().size), reason);
  past_.push_back(after(position(), move));
}

void EngineGame::undo() {
  if (past_.size() == 1) throw request_error("", "there is no move to take back");
  past_.pop_back();
}

double seconds_for_move(const Position& position, const EngineClock& clock, double margin) {
  // Who moves now places the first, third, … of the squares left. The last few moves are solved in no time,
  // so most of them get no share; half of the moves left always do.
  constexpr int kCheapMoves = 5;
  const int own = (position.empty_count() + 1) / 2;
  int moves = std::max({own - kCheapMoves, (own + 2) / 2, 1});
  if (own <= 1) moves = 1;
  if (clock.moves_to_go) moves = std::clamp(*clock.moves_to_go, 1, moves);
  const double usable = clock.left - margin;
  const double share = usable / moves + std::max(0.0, clock.increment - margin);
  return std::max(ThinkLimits::kLeastSeconds, std::min(share, usable));
}

ThinkLimits::Clock::time_point deadline_after(ThinkLimits::Clock::time_point started, double seconds,
                                              double margin) {
  return started + thinking_time(std::max(ThinkLimits::kLeastSeconds, seconds - margin));
}

std::int64_t parse_whole(const std::string& what, std::string_view text, std::int64_t least,
                         std::int64_t most) {
  const auto value = parse_number<std::int64_t>(text);
  if (!value || *value < least || *value > most) {
    throw request_error(what,
                        "give a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *value;
}

}  // namespace pahtum
