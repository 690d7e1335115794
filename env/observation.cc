#include "env/observation.h"

#include <cassert>

#include "env/bit_planes.h"

namespace pahtum {
namespace {

int channels_of(const Position& position, [[maybe_unused]] std::size_t numbers) noexcept {
  const int squares = position.size * position.size;
  const int channels = static_cast<int>(numbers) / squares;
  assert((channels == kChannels || channels == kPhaseChannels) &&
         static_cast<int>(numbers) == channels * squares);
  return channels;
}

}  // namespace

void write_observation(const Position& position, std::span<std::uint8_t> planes) noexcept {
  write_planes(position, channels_of(position, planes.size()), planes.data());
}

void write_observation(const Position& position, std::span<float> planes) noexcept {
  write_planes(position, channels_of(position, planes.size()), planes.data());
}

void write_action_mask(const Position& position, std::span<std::uint8_t> mask) noexcept {
  write_mask(position, actions_in_order(position), static_cast<int>(mask.size()), mask.data());
}

}  // namespace pahtum
