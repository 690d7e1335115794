#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "env/game_rules.h"

namespace pahtum {

// What the numbers of an observation are.
enum class ObservationType : std::uint8_t {
  kNone,     // no observation is written
  kUint8,    // [N, C, n, n] of 0 and 1
  kFloat32,  // the same as floats
  kPacked,   // [N, C] of 64-bit words, a Bitboard each
};

// Numbers, and bytes, of one row's observation.
[[nodiscard]] std::size_t observation_length(const GameRules& rules, ObservationType type) noexcept;
[[nodiscard]] std::size_t observation_bytes(const GameRules& rules, ObservationType type) noexcept;

// Memory for one observation array, empty where none is wanted.
using ObservationSpan =
    std::variant<std::monostate, std::span<std::uint8_t>, std::span<float>, std::span<std::uint64_t>>;

// The arrays a BatchEnvironment of N games writes into: a row per environment, contiguous, in C order. C is
// GameRules::channels(), A is GameRules::actions(). The memory is the caller's: it must outlive the
// environment, and arrays must not overlap. An array left empty is not written and costs nothing.
//
//   observation        [N, C, n, n] or [N, C]  from the mover's side, see observation.h
//   action_mask        uint8 [N, A]            1 for legal actions; all ones on the row that ends a game
//   rewards            float [N, 2]            by colour (White, Black), on the step that ends a game; else 0
//   scores             int32 [N, 2]            points as they stand, by colour
//   terminated         uint8 [N]               1 on the step that ended a game
//   truncated          uint8 [N]               always 0: no game is cut off
//   current_player     int8  [N]               0 White, 1 Black
//   final_observation  as observation          the last board of the game that ended last in this row
//   final_scores       int32 [N, 2]            its points, by colour
struct BatchBuffers {
  ObservationSpan observation;
  std::span<std::uint8_t> action_mask;
  std::span<float> rewards;
  std::span<std::int32_t> scores;
  std::span<std::uint8_t> terminated;
  std::span<std::uint8_t> truncated;
  std::span<std::int8_t> current_player;
  ObservationSpan final_observation;
  std::span<std::int32_t> final_scores;

  [[nodiscard]] ObservationType observation_type() const noexcept {
    return static_cast<ObservationType>(observation.index());
  }
  // The part for rows first … first + count − 1 of N.
  [[nodiscard]] BatchBuffers rows(int first, int count, int total) const;
};

// Throws a kRequest Error that names the array, its shape and the length it must have when an array that is
// not empty has another one, or when observation and final_observation are both given and of
// different types. Either may be given alone.
void require_lengths(const BatchBuffers& buffers, const GameRules& rules, int count);

// A batch's array as Eigen sees it: a row per environment, the rest of the shape flattened. Valid while the
// memory is.
template <class T>
using BatchRows = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

template <class T>
[[nodiscard]] BatchRows<T> rows_of(std::span<const T> array, int count) {
  return {array.data(), count, static_cast<Eigen::Index>(array.size()) / count};
}

// Memory for a batch, for callers who have none of their own: every array, 64-byte aligned, zero.
class BatchStorage {
 public:
  // `count` ≥ 1. With kNone observations, masks are left out too.
  BatchStorage(const GameRules& rules, int count, ObservationType type);

  [[nodiscard]] const BatchBuffers& buffers() const noexcept { return buffers_; }

 private:
  template <class T>
  std::span<T> take(std::size_t count);
  ObservationSpan take_observation(const GameRules& rules, std::size_t count, ObservationType type);

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::vector<std::unique_ptr<std::byte[], Free>> memory_;
  BatchBuffers buffers_;
};

}  // namespace pahtum
