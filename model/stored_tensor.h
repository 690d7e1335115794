#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pahtum {

// A tensor in a file: C order, little-endian.
struct StoredTensor {
  std::string name;  // "weights/…", "averaged/…", "optimizer/…" in a checkpoint, "stem.weight" elsewhere
  std::string dtype;  // "F32", "I64" or "U8" (opaque bytes); in exported networks "F32" or "F16"
  std::vector<std::int64_t> shape;
  std::string data;  // raw bytes
};

// The tensor of that name; null when there is none.
[[nodiscard]] const StoredTensor* find_tensor(std::span<const StoredTensor> tensors,
                                              std::string_view name) noexcept;

// Bytes of an element; 0 for a dtype that no file of the project holds.
[[nodiscard]] std::size_t element_size(std::string_view dtype) noexcept;

// Bytes of a tensor, or nothing when the shape is negative or too large for any memory.
[[nodiscard]] std::optional<std::uint64_t> byte_count(std::string_view dtype,
                                                      std::span<const std::int64_t> shape) noexcept;

// "[3, 64]", for messages.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

// The tensor with its F32 values rounded to F16, and one whose F16 values became F32, which loses nothing.
// Both leave other dtypes as they are.
[[nodiscard]] StoredTensor to_half(StoredTensor tensor);
[[nodiscard]] StoredTensor to_single(StoredTensor tensor);

}  // namespace pahtum
