#pragma once

// Internal to env/: what a step writes of one row.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "env/batch_buffers.h"
#include "env/bit_planes.h"
#include "env/position.h"

namespace pahtum {

// The arrays of a batch as bare pointers, null where none is wanted. Loops keep a copy on the stack: a store
// of bytes may change anything in memory as far as the compiler knows, but not a local nobody has the address
// of.
struct RowWriter {
  std::byte* planes = nullptr;
  std::byte* final_planes = nullptr;
  std::uint8_t* mask = nullptr;
  float* rewards = nullptr;
  std::int32_t* scores = nullptr;
  std::uint8_t* terminated = nullptr;
  std::int8_t* current_player = nullptr;
  std::int32_t* final_scores = nullptr;
  std::uint64_t* open_actions = nullptr;  // never null in use; see BatchEnvironment::open_actions_
  std::uint64_t open_when_ended = 0;
  std::size_t plane_bytes = 0;  // of one row's observation
  ObservationType type = ObservationType::kNone;
  int channels = 0;
  int actions = 0;
  bool past_caches = false;  // float observations go to memory without a stop in the caches

  RowWriter() = default;
  RowWriter(const BatchBuffers& buffers, const GameRules& rules);

  [[nodiscard]] std::byte* planes_of(std::size_t number) const noexcept {
    return planes == nullptr ? nullptr : planes + number * plane_bytes;
  }

  PAHTUM_FORCE_INLINE void write_reward(std::size_t number, float white, bool ends) const noexcept {
    if (rewards != nullptr) {
      rewards[2 * number] = white;
      rewards[2 * number + 1] = 0.0f - white;  // not −0 for a draw
    }
    if (terminated != nullptr) terminated[number] = ends ? 1 : 0;
  }

  PAHTUM_FORCE_INLINE void write_scores(std::size_t number, std::int32_t white,
                                        std::int32_t black) const noexcept {
    if (scores == nullptr) return;
    scores[2 * number] = white;
    scores[2 * number + 1] = black;
  }

  // Mover, mask, open actions and, at `target` (null: nowhere), the observation.
  PAHTUM_FORCE_INLINE void write_position(std::size_t number, const Position& position, bool ended,
                                          std::byte* target) const noexcept {
    if (current_player != nullptr) current_player[number] = static_cast<std::int8_t>(position.mover);
    const std::uint64_t in_order = actions_in_order(position);
    open_actions[number] = ended ? open_when_ended : in_order;
    if (mask != nullptr) {
      std::uint8_t* const row = mask + number * static_cast<std::size_t>(actions);
      if (ended) {
        std::memset(row, 1, static_cast<std::size_t>(actions));
      } else {
        write_mask(position, in_order, actions, row);
      }
    }
    if (target != nullptr) write_observation_to(position, target);
  }

  PAHTUM_FORCE_INLINE void write_observation_to(const Position& position, std::byte* target) const noexcept {
    switch (type) {
      case ObservationType::kNone:
        break;
      case ObservationType::kUint8:
        pahtum::write_planes(position, channels, reinterpret_cast<std::uint8_t*>(target));
        break;
      case ObservationType::kFloat32:
        if (past_caches) {
          stream_planes(position, channels, reinterpret_cast<float*>(target));
        } else {
          pahtum::write_planes(position, channels, reinterpret_cast<float*>(target));
        }
        break;
      case ObservationType::kPacked: {
        const auto boards = observation_boards(position);
        std::memcpy(target, boards.data(), static_cast<std::size_t>(channels) * sizeof(Bitboard));
        break;
      }
    }
  }

  PAHTUM_FORCE_INLINE void write_end(std::size_t number, const Position& position, std::int32_t white,
                                     std::int32_t black) const noexcept {
    if (final_scores != nullptr) {
      final_scores[2 * number] = white;
      final_scores[2 * number + 1] = black;
    }
    if (final_planes != nullptr) write_observation_to(position, final_planes + number * plane_bytes);
  }
};

}  // namespace pahtum
