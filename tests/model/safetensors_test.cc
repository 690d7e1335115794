#include "model/safetensors.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "env/base/bytes.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using nlohmann::json;

const std::string kData(16, 'x');  // four floats

// A file of this header and these data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  append_number(bytes, static_cast<std::uint64_t>(header.size()));
  return bytes + header + data;
}

json header_of(json shape, std::uint64_t begin, std::uint64_t end, const char* dtype = "F32") {
  return {{"a", {{"dtype", dtype}, {"shape", std::move(shape)}, {"data_offsets", {begin, end}}}}};
}

void expect_refused(std::initializer_list<std::string_view> parts, const std::string& bytes) {
  test::expect_error(Fault::kRequest, parts, [&] { (void)parse_safetensors(bytes, "file"); });
}

TEST(Safetensors, ComesBackAsItWasWritten) {
  const NetworkArchive archive{
      .metadata = {{"one", "1"}, {"two", "zwei\n\"2\""}},
      .tensors = {{"z", "F32", {2, 2}, kData}, {"a", "F16", {3}, "abcdef"}, {"m", "F32", {0, 4}, ""}}};
  const std::string bytes = to_safetensors(archive);
  ByteReader reader(bytes, "");
  EXPECT_EQ(reader.next<std::uint64_t>() % 8, 0u) << "data begin on a multiple of eight";
  const NetworkArchive read = parse_safetensors(bytes, "file");
  EXPECT_EQ(read.metadata, archive.metadata);
  ASSERT_EQ(read.tensors.size(), 3u);
  for (const StoredTensor& tensor : archive.tensors) {
    const auto found = std::ranges::find(read.tensors, tensor.name, &StoredTensor::name);
    ASSERT_NE(found, read.tensors.end());
    EXPECT_EQ(found->dtype, tensor.dtype);
    EXPECT_EQ(found->shape, tensor.shape);
    EXPECT_EQ(found->data, tensor.data);
  }
}

TEST(Safetensors, WrongLengthsAreRefused) {
  const std::string header = header_of({4}, 0, 16).dump();
  EXPECT_EQ(parse_safetensors(file_of(header, kData), "file").tensors.size(), 1u);
  expect_refused({"file: ends too early"}, "1234567");
  std::string absurd = file_of(header, kData);
  absurd[7] = '\x7f';
  expect_refused({"file: is no whole safetensors file", "its header should have"}, absurd);
  expect_refused({"file: is no JSON document"}, file_of(header.substr(1), kData));
  expect_refused({"file: is not a sound safetensors file: it is not an object"}, file_of("[]", kData));
  expect_refused({"`a` is cut short: its data end at 16", "15 bytes"}, file_of(header, kData.substr(1)));
  expect_refused({"1 bytes behind the last tensor"}, file_of(header, kData + "x"));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string bytes = to_safetensors({.metadata = {{"k", "v"}}, .tensors = {{"a", "F32", {4}, kData}}});
  for (std::size_t length = 0; length < bytes.size(); ++length)
    expect_refused({"file"}, bytes.substr(0, length));
}

TEST(Safetensors, GapsOverlapsAndWrongSizesAreRefused) {
  json two = header_of({2}, 0, 8);
  two["b"] = {{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {8, 16}}};
  EXPECT_EQ(parse_safetensors(file_of(two.dump(), kData), "file").tensors.size(), 2u);
  two["b"]["data_offsets"] = {4, 12};
  expect_refused({"`b` leaves a gap or overlaps", "begin at 4 and must begin at 8"},
                 file_of(two.dump(), kData));
  two["b"]["data_offsets"] = {12, 20};
  expect_refused({"`b` leaves a gap"}, file_of(two.dump(), kData + "xxxx"));
  expect_refused({"`a.data_offsets` span another size"}, file_of(header_of({3}, 0, 16).dump(), kData));
  expect_refused({"`a.data_offsets` span another size"},
                 file_of(header_of({1ll << 40, 1ll << 40}, 0, 16).dump(), kData));
  expect_refused({"`a.data_offsets` are no begin and end"}, file_of(header_of({4}, 16, 0).dump(), kData));
  expect_refused({"`a.shape` holds something that is no size: -4"},
                 file_of(header_of({-4}, 0, 16).dump(), kData));
  expect_refused({"`a.dtype` is none of F32 and F16"}, file_of(header_of({2}, 0, 16, "F64").dump(), kData));
  json foreign = header_of({4}, 0, 16);
  foreign["a"]["stride"] = 1;
  expect_refused({"`a.stride` is unknown"}, file_of(foreign.dump(), kData));
  foreign = header_of({4}, 0, 16);
  foreign["__metadata__"] = {{"k", 1}};
  expect_refused({"`__metadata__.k` is not a text"}, file_of(foreign.dump(), kData));
}

}  // namespace
}  // namespace pahtum
