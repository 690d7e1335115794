#include "model/stored_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "env/base/bytes.h"

namespace pahtum {
namespace {

StoredTensor of(const std::vector<float>& values) {
  StoredTensor tensor{.name = "x", .dtype = "F32", .shape = {std::ssize(values)}, .data = {}};
  append_numbers(tensor.data, std::span(values));
  return tensor;
}

std::vector<float> values_of(const StoredTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  ByteReader(tensor.data, "").fill(std::span(values));
  return values;
}

TEST(StoredTensor, BytesAreCountedAndAbsurdShapesHaveNone) {
  EXPECT_EQ(byte_count("F32", std::vector<std::int64_t>{2, 3}), 24u);
  EXPECT_EQ(byte_count("F16", std::vector<std::int64_t>{2, 3}), 12u);
  EXPECT_EQ(byte_count("F32", std::vector<std::int64_t>{}), 4u);
  EXPECT_EQ(byte_count("F32", std::vector<std::int64_t>{0, 3}), 0u);
  EXPECT_FALSE(byte_count("F32", std::vector<std::int64_t>{-1}));
  EXPECT_FALSE(byte_count("F32", std::vector<std::int64_t>{1ll << 40, 1ll << 40}));
}

TEST(StoredTensor, HalfPrecisionRoundsAndComesBackExactly) {
  const std::vector<float> values = {0.0f, -1.0f, 0.1f, 65504.0f, 6e-8f, 1e6f};
  const StoredTensor half = to_half(of(values));
  EXPECT_EQ(half.dtype, "F16");
  EXPECT_EQ(half.data.size(), 2 * values.size());
  const StoredTensor single = to_single(half);
  EXPECT_EQ(single.dtype, "F32");
  const std::vector<float> rounded = values_of(single);
  EXPECT_EQ(rounded[0], 0.0f);
  EXPECT_EQ(rounded[1], -1.0f);
  EXPECT_NEAR(rounded[2], 0.1f, 5e-5f);
  EXPECT_EQ(rounded[3], 65504.0f);
  EXPECT_EQ(rounded[4], std::ldexp(1.0f, -24));
  EXPECT_EQ(rounded[5], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(to_half(single).data == half.data);
}

}  // namespace
}  // namespace pahtum
