#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "eval/player.h"
#include "eval/player_spec.h"
#include "eval/subprocess.h"

namespace pahtum {

// Another program that is spoken to in a protocol (docs/engines.md). Every turn is set up anew from its
// position, so that what it was asked before does not matter; our own engine is also told the seed, the game
// and the ply, and then chooses what its SPEC would choose here.
//
// GTP and UGI: the program runs as long as the object lives. Grid: it runs once for each move, as the contest
// had it, and finds seed, game and ply in its environment (PAHTUM_SEED, PAHTUM_GAME, PAHTUM_PLY).
//
// choose() throws a kFailure Error that names the SPEC, the command and the line, when the program has ended,
// does not answer in time or answers with anything but a legal move; a kRequest Error for positions that the
// protocol has no form for.
class EnginePlayer final : public Player {
 public:
  // `spec` is of PlayerKind::kEngine. Starts the program, and throws as choose() does.
  EnginePlayer(PlayerInfo info, const PlayerSpec& spec, std::uint64_t seed);
  ~EnginePlayer() override;

  void choose(std::span<const Turn> turns, std::span<Move> moves) override;
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  void start();
  [[nodiscard]] Move ask(const Turn& turn);
  [[nodiscard]] Move ask_gtp(const Turn& turn);
  [[nodiscard]] Move ask_ugi(const Turn& turn);
  [[nodiscard]] Move ask_grid(const Turn& turn);
  // Of one command of GTP; throws for `?`.
  std::string gtp(const std::string& command);
  // Reads lines until one begins with `word`, and returns that.
  std::string ugi_line(const std::string& word);
  void set_ugi_option(const std::string& name, std::uint64_t value);
  [[nodiscard]] Move legal(const Turn& turn, const std::string& move, const std::string& line) const;
  [[noreturn]] void fail(const std::string& why) const;

  PlayerInfo info_;
  PlayerSpec spec_;
  std::uint64_t seed_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<Subprocess> process_;
  bool takes_numbers_ = false;  // seed, game and ply
};

}  // namespace pahtum
