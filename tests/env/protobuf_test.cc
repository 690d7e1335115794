#include "env/base/protobuf.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "env/base/error.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using Type = ProtobufField::Type;
using namespace std::string_view_literals;

void read_all(std::string_view bytes) {
  ProtobufReader reader(bytes, "file");
  while (reader.next()) {
  }
}

TEST(Protobuf, FieldsAreWrittenAsTheFormatsOwnDocumentationShows) {
  // The examples of "Encoding" in the documentation of protocol buffers.
  EXPECT_EQ(ProtobufMessage().integer(1, 150).encoded(), "\x08\x96\x01");
  EXPECT_EQ(ProtobufMessage().bytes(2, "testing").encoded(), "\x12\x07testing");
  EXPECT_EQ(ProtobufMessage().message(3, ProtobufMessage().integer(1, 150)).encoded(),
            "\x1a\x03\x08\x96\x01");
  EXPECT_EQ(ProtobufMessage().integer(1, -2).encoded(), "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(Protobuf, FieldsAreReadAsTheyWereWritten) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const ProtobufMessage message =
      ProtobufMessage().integer(1, kLeast).real32(20, 0.5f).real64(3, -2.0).bytes(1000, "").integer(1, 7);
  ProtobufReader reader(message.encoded(), "file");
  auto field = reader.next();
  EXPECT_TRUE(field->number == 1 && field->type == Type::kInteger && field->integer == kLeast);
  field = reader.next();
  EXPECT_TRUE(field->number == 20 && field->type == Type::kFixed32);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(field->integer)), 0.5f);
  field = reader.next();
  EXPECT_TRUE(field->number == 3 && field->type == Type::kFixed64);
  EXPECT_EQ(std::bit_cast<double>(field->integer), -2.0);
  field = reader.next();
  EXPECT_TRUE(field->number == 1000 && field->type == Type::kBytes && field->bytes.empty());
  EXPECT_EQ(reader.next()->integer, 7);
  EXPECT_FALSE(reader.next());
}

TEST(Protobuf, PackedRowsHaveNoKeys) {
  ProtobufReader reader("\x03\x8e\x02\x9e\xa7\x05"sv, "file");
  EXPECT_EQ(reader.next_packed(), 3);
  EXPECT_EQ(reader.next_packed(), 270);
  EXPECT_EQ(reader.next_packed(), 86942);
  EXPECT_FALSE(reader.next_packed());
}

TEST(Protobuf, WhatIsNoMessageIsRefusedByNameAndPlace) {
  const auto refused = [](std::initializer_list<std::string_view> parts, std::string_view bytes) {
    test::expect_error(Fault::kRequest, parts, [&] { read_all(bytes); });
  };
  refused({"file: is cut short", "at byte 1"}, "\x08");
  refused({"file: is cut short", "7 bytes should follow at byte 2, 3 do"}, "\x12\x07tes");
  refused({"file: is cut short"}, "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  refused({"file: is cut short"}, "\x0d\x01\x02");
  refused({"more than ten bytes"}, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  refused({"holds no field where one should begin, at byte 0"}, "\x0b");      // a group
  refused({"holds no field where one should begin, at byte 0"}, "\x0e");      // wire type 6
  refused({"holds no field where one should begin, at byte 0"}, "\0\x01"sv);  // field 0
}

}  // namespace
}  // namespace pahtum
