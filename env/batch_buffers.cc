#include "env/batch_buffers.h"

#include <array>
#include <cstring>
#include <new>
#include <string>

#include "env/base/error.h"

namespace pahtum {
namespace {

constexpr std::align_val_t kAlignment{64};

std::size_t length_of(const ObservationSpan& array) {
  return std::visit(
      [](const auto& span) -> std::size_t {
        if constexpr (requires { span.size(); }) {
          return span.size();
        } else {
          return 0;
        }
      },
      array);
}

void require_length(const std::string& name, std::size_t given, std::size_t row, int count) {
  const std::size_t needed = row * static_cast<std::size_t>(count);
  if (given == 0 || given == needed) return;
  throw request_error(name, "has " + std::to_string(given) + " numbers; " + std::to_string(count) +
                                " environments of " + std::to_string(row) + " each need " +
                                std::to_string(needed) + ", or none where the array is not wanted");
}

template <class T>
std::span<T> part(std::span<T> array, int first, int count, int total) {
  const std::size_t row = array.size() / static_cast<std::size_t>(total);
  return array.subspan(static_cast<std::size_t>(first) * row, static_cast<std::size_t>(count) * row);
}

ObservationSpan part(const ObservationSpan& array, int first, int count, int total) {
  return std::visit(
      [&](const auto& span) -> ObservationSpan {
        if constexpr (requires { span.size(); }) {
          return part(span, first, count, total);
        } else {
          return span;
        }
      },
      array);
}

}  // namespace

std::size_t observation_length(const GameRules& rules, ObservationType type) noexcept {
  const auto channels = static_cast<std::size_t>(rules.channels());
  const auto squares = static_cast<std::size_t>(rules.size() * rules.size());
  switch (type) {
    case ObservationType::kNone:
      return 0;
    case ObservationType::kUint8:
    case ObservationType::kFloat32:
      return channels * squares;
    case ObservationType::kPacked:
      return channels;
  }
  return 0;
}

std::size_t observation_bytes(const GameRules& rules, ObservationType type) noexcept {
  constexpr std::array<std::size_t, 4> kBytes{0, sizeof(std::uint8_t), sizeof(float), sizeof(std::uint64_t)};
  return observation_length(rules, type) * kBytes[static_cast<std::size_t>(type)];
}

BatchBuffers BatchBuffers::rows(int first, int count, int total) const {
  return {part(observation, first, count, total),    part(action_mask, first, count, total),
          part(rewards, first, count, total),        part(scores, first, count, total),
          part(terminated, first, count, total),     part(truncated, first, count, total),
          part(current_player, first, count, total), part(final_observation, first, count, total),
          part(final_scores, first, count, total)};
}

void require_lengths(const BatchBuffers& buffers, const GameRules& rules, int count) {
  const auto check = [&](const ObservationSpan& array, const std::string& name) {
    const auto type = static_cast<ObservationType>(array.index());
    require_length(name, length_of(array), observation_length(rules, type), count);
  };
  check(buffers.observation, "observation [N, C, n, n]");
  check(buffers.final_observation, "final_observation [N, C, n, n]");
  if (length_of(buffers.observation) != 0 && length_of(buffers.final_observation) != 0 &&
      buffers.observation.index() != buffers.final_observation.index()) {
    throw request_error("final_observation", "is of another type than observation; give both the same");
  }
  require_length("action_mask [N, A]", buffers.action_mask.size(), static_cast<std::size_t>(rules.actions()),
                 count);
  require_length("rewards [N, 2]", buffers.rewards.size(), 2, count);
  require_length("scores [N, 2]", buffers.scores.size(), 2, count);
  require_length("terminated [N]", buffers.terminated.size(), 1, count);
  require_length("truncated [N]", buffers.truncated.size(), 1, count);
  require_length("current_player [N]", buffers.current_player.size(), 1, count);
  require_length("final_scores [N, 2]", buffers.final_scores.size(), 2, count);
}

void BatchStorage::Free::operator()(std::byte* memory) const noexcept {
  ::operator delete[](memory, kAlignment);
}

template <class T>
std::span<T> BatchStorage::take(std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, kAlignment));
  memory_.emplace_back(memory);
  std::memset(memory, 0, bytes);
  return {reinterpret_cast<T*>(memory), count};
}

ObservationSpan BatchStorage::take_observation(const GameRules& rules, std::size_t count,
                                               ObservationType type) {
  const std::size_t length = count * observation_length(rules, type);
  switch (type) {
    case ObservationType::kNone:
      break;
    case ObservationType::kUint8:
      return take<std::uint8_t>(length);
    case ObservationType::kFloat32:
      return take<float>(length);
    case ObservationType::kPacked:
      return take<std::uint64_t>(length);
  }
  return {};
}

BatchStorage::BatchStorage(const GameRules& rules, int count, ObservationType type) {
  const auto n = static_cast<std::size_t>(count);
  buffers_.observation = take_observation(rules, n, type);
  buffers_.final_observation = take_observation(rules, n, type);
  if (type != ObservationType::kNone)
    buffers_.action_mask = take<std::uint8_t>(n * static_cast<std::size_t>(rules.actions()));
  buffers_.rewards = take<float>(2 * n);
  buffers_.scores = take<std::int32_t>(2 * n);
  buffers_.terminated = take<std::uint8_t>(n);
  buffers_.truncated = take<std::uint8_t>(n);
  buffers_.current_player = take<std::int8_t>(n);
  buffers_.final_scores = take<std::int32_t>(2 * n);
}

}  // namespace pahtum
