#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "env/game_config.h"
#include "env/position.h"

namespace pahtum {

// A position and what each move leads to when both sides play perfectly from then on.
struct OraclePosition {
  Position position;  // stones are being placed, and the game is not over
  // Every legal move in ascending order with the margin at the end: points for the mover of `position`.
  std::vector<std::pair<Move, int>> moves;

  // Of perfect play, for the mover.
  [[nodiscard]] int margin() const noexcept;
  [[nodiscard]] Outcome outcome() const noexcept { return outcome_of(Margin{margin()}); }
  // The margin that a legal move leads to.
  [[nodiscard]] int margin_of(Move move) const noexcept;
  // The moves that keep the outcome, and those that keep the margin; the second are among the first.
  [[nodiscard]] std::vector<Move> best_by_outcome() const;
  [[nodiscard]] std::vector<Move> best_by_margin() const;
  // The choice of a move matters: not all lead to the same outcome.
  [[nodiscard]] bool decisive() const noexcept;

  friend bool operator==(const OraclePosition&, const OraclePosition&) = default;
};

// Solved positions of one game, and where they come from.
struct OracleData {
  GameConfig game;
  std::uint64_t seed = 0;
  std::int64_t opening_plies = 0;
  std::vector<std::string> players;  // SPECs of those whose games the positions are from
  std::vector<OraclePosition> positions;

  friend bool operator==(const OracleData&, const OracleData&) = default;
};

// One file in the frame of env/base/files.h, magic "PAHTUMOR", around JSON; see docs/formats.md. Saving
// replaces the file at once or not at all. Loading checks every value against the rules and the others, and
// throws a kRequest Error that names the file, the field and what would be right.
void save_oracle_data(const std::filesystem::path& path, const OracleData& data);
[[nodiscard]] OracleData load_oracle_data(const std::filesystem::path& path);

}  // namespace pahtum
