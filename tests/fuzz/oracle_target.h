#pragma once

#include <optional>
#include <span>

#include "eval/oracle_data.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: a data set of solved positions, see put_framed().
inline void fuzz_oracle(std::span<const std::uint8_t> bytes) {
  put_framed(bytes, {"PAHTUMOR", 1, "oracle data set"});
  std::optional<OracleData> data;
  if (is_refused([&] { data = load_oracle_data(fuzz_file().path()); })) return;
  for (const OraclePosition& entry : data->positions) {
    require_sound(entry.position);
    require(static_cast<int>(entry.moves.size()) == legal_count(entry.position),
            "every legal move has a value");
    require(!entry.best_by_margin().empty() && !entry.best_by_outcome().empty(), "some move is best");
  }
  save_oracle_data(fuzz_file().path(), *data);
  require(load_oracle_data(fuzz_file().path()) == *data, "a data set is read as it was written");
}

}  // namespace pahtum::fuzz
