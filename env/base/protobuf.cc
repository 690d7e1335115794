#include "env/base/protobuf.h"

#include <cstring>

#include "env/base/bytes.h"
#include "env/base/error.h"

namespace pahtum {
namespace {

using Type = ProtobufField::Type;

constexpr std::uint32_t kTypeBits = 3;

template <class Number>
std::int64_t fixed(std::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return static_cast<std::int64_t>(number);
}

}  // namespace

void ProtobufMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtobufMessage::key(std::uint32_t field, std::uint32_t wire_type) {
  varint(field << kTypeBits | wire_type);
}

ProtobufMessage& ProtobufMessage::integer(std::uint32_t field, std::int64_t value) {
  key(field, static_cast<std::uint32_t>(Type::kInteger));
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtobufMessage& ProtobufMessage::real32(std::uint32_t field, float value) {
  key(field, static_cast<std::uint32_t>(Type::kFixed32));
  append_number(bytes_, value);
  return *this;
}

ProtobufMessage& ProtobufMessage::real64(std::uint32_t field, double value) {
  key(field, static_cast<std::uint32_t>(Type::kFixed64));
  append_number(bytes_, value);
  return *this;
}

ProtobufMessage& ProtobufMessage::bytes(std::uint32_t field, std::string_view value) {
  key(field, static_cast<std::uint32_t>(Type::kBytes));
  varint(value.size());
  bytes_ += value;
  return *this;
}

std::uint64_t ProtobufReader::varint() {
  constexpr int kMostBits = 64;
  std::uint64_t value = 0;
  for (int shift = 0; shift < kMostBits; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80u) == 0) return value;
  }
  throw request_error(
      source_, "holds a number of more than ten bytes at byte " + std::to_string(size_ - left_.size()));
}

std::string_view ProtobufReader::take(std::uint64_t length) {
  if (length > left_.size()) {
    throw request_error(source_, "is cut short: " + std::to_string(length) + " bytes should follow at byte " +
                                     std::to_string(size_ - left_.size()) + ", " +
                                     std::to_string(left_.size()) + " do");
  }
  const std::string_view taken = left_.substr(0, static_cast<std::size_t>(length));
  left_.remove_prefix(taken.size());
  return taken;
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (left_.empty()) return std::nullopt;
  const std::size_t at = size_ - left_.size();
  const std::uint64_t key = varint();
  ProtobufField field;
  field.number = static_cast<std::uint32_t>(key >> kTypeBits);
  field.type = static_cast<Type>(key & 7u);
  const bool known = field.type == Type::kInteger || field.type == Type::kFixed64 ||
                     field.type == Type::kBytes || field.type == Type::kFixed32;
  if (!known || field.number == 0 || key >> 32 != 0) {
    throw request_error(source_, "holds no field where one should begin, at byte " + std::to_string(at));
  }
  switch (field.type) {
    case Type::kInteger:
      field.integer = static_cast<std::int64_t>(varint());
      break;
    case Type::kFixed64:
      field.integer = fixed<std::uint64_t>(take(sizeof(std::uint64_t)));
      break;
    case Type::kBytes:
      field.bytes = take(varint());
      break;
    case Type::kFixed32:
      field.integer = fixed<std::uint32_t>(take(sizeof(std::uint32_t)));
      break;
  }
  return field;
}

std::optional<std::int64_t> ProtobufReader::next_packed() {
  if (left_.empty()) return std::nullopt;
  return static_cast<std::int64_t>(varint());
}

}  // namespace pahtum
