#include "eval/oracle_score.h"

#include <algorithm>
#include <map>
#include <span>

#include "env/base/error.h"
#include "eval/calibration.h"

namespace pahtum {
namespace {

// Positions a network player sees at once: they fill its batches, and are searched before anybody can stop
// it.
constexpr std::size_t kPositionsAtOnce = 32;

// What a player did in some positions.
struct Tally {
  std::int64_t positions = 0, decisive = 0, outcome_errors = 0, best_margins = 0;
  std::vector<double> margin_losses, brier_scores;

  void add(const OraclePosition& entry, Move move) {
    const int loss = entry.margin() - entry.margin_of(move);
    ++positions;
    if (loss == 0) ++best_margins;
    margin_losses.push_back(loss);
    if (!entry.decisive()) return;
    ++decisive;
    if (outcome_of(Margin{entry.margin_of(move)}) != entry.outcome()) ++outcome_errors;
  }
  [[nodiscard]] OracleRow row(int empty) const {
    OracleRow row;
    row.empty = empty;
    row.positions = positions;
    row.decisive = decisive;
    if (decisive > 0) row.outcome_errors = share_estimate(outcome_errors, decisive);
    row.best_margin = share_estimate(best_margins, positions);
    row.mean_margin_loss = mean_estimate(margin_losses);
    if (!brier_scores.empty()) row.value_brier = mean_estimate(brier_scores);
    return row;
  }
};

class Scoring {
 public:
  void add(Player& player, std::span<const OraclePosition> entries) {
    std::vector<Turn> turns;
    std::vector<Position> positions;
    for (const OraclePosition& entry : entries) {
      // The number of the position keys the player's random numbers.
      turns.push_back({entry.position, static_cast<std::uint64_t>(all_.positions) + turns.size(), 0});
      positions.push_back(entry.position);
    }
    std::vector<Move> moves(turns.size());
    player.choose(turns, moves);
    const std::vector<Wdl> expected = player.expectations(positions);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (!is_legal(positions[k], moves[k])) {
        throw failure(player.info().spec, "chose an illegal move in " + to_text(positions[k]));
      }
      for (Tally* tally : {&rows_[positions[k].empty_count()], &all_}) {
        tally->add(entries[k], moves[k]);
        if (!expected.empty())
          tally->brier_scores.push_back(brier_score({expected[k], entries[k].outcome()}));
      }
    }
  }
  [[nodiscard]] OracleScore result(const PlayerInfo& player) const {
    OracleScore score{player.spec, player.exact, {}, all_.row(0)};
    for (const auto& [empty, tally] : rows_) score.rows.push_back(tally.row(empty));
    return score;
  }

 private:
  std::map<int, Tally> rows_;  // by number of empty squares
  Tally all_;
};

}  // namespace

OracleScore score_oracle(Player& player, const OracleData& data,
                         const std::function<void(std::int64_t)>& progress, const std::atomic<bool>* stop) {
  require_game(player.info(), data.game);
  const std::size_t width = player.info().uses_network ? kPositionsAtOnce : 1;
  const std::span<const OraclePosition> positions(data.positions);
  Scoring scoring;
  for (std::size_t from = 0; from < positions.size(); from += width) {
    if (stop != nullptr && *stop) throw failure(player.info().spec, "interrupted");
    scoring.add(player, positions.subspan(from, std::min(width, positions.size() - from)));
    if (progress) progress(static_cast<std::int64_t>(std::min(from + width, positions.size())));
  }
  return scoring.result(player.info());
}

}  // namespace pahtum
