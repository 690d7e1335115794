#include "model/stored_tensor.h"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "env/base/bytes.h"

namespace pahtum {
namespace {

// The values of type From in `data` as values of type To.
template <class From, class To>
std::string converted(const std::string& data) {
  std::vector<From> values(data.size() / sizeof(From));
  ByteReader(data, "").fill(std::span(values));
  std::vector<To> results;
  results.reserve(values.size());
  for (const From value : values) results.push_back(static_cast<To>(value));
  std::string bytes;
  append_numbers(bytes, std::span(results));
  return bytes;
}

}  // namespace

const StoredTensor* find_tensor(std::span<const StoredTensor> tensors, std::string_view name) noexcept {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

std::size_t element_size(std::string_view dtype) noexcept {
  if (dtype == "F32") return 4;
  if (dtype == "I64") return 8;
  if (dtype == "F16") return 2;
  return dtype == "U8" ? 1 : 0;
}

std::optional<std::uint64_t> byte_count(std::string_view dtype,
                                        std::span<const std::int64_t> shape) noexcept {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;
  std::uint64_t bytes = element_size(dtype);
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    const auto factor = static_cast<std::uint64_t>(extent);
    if (factor != 0 && bytes > kLimit / factor) return std::nullopt;
    bytes *= factor;
  }
  return bytes;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

StoredTensor to_half(StoredTensor tensor) {
  if (tensor.dtype != "F32") return tensor;
  tensor.data = converted<float, Eigen::half>(tensor.data);
  tensor.dtype = "F16";
  return tensor;
}

StoredTensor to_single(StoredTensor tensor) {
  if (tensor.dtype != "F16") return tensor;
  tensor.data = converted<Eigen::half, float>(tensor.data);
  tensor.dtype = "F32";
  return tensor;
}

}  // namespace pahtum
