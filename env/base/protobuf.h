#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pahtum {

// The wire format of protocol buffers, as far as event files and ONNX models need it: a message is a row of
// fields, each a number and a value. Written and read here because LibTorch brings a protobuf and an ONNX
// schema of its own, and a process must not hold two.

// A message that grows field by field, in the order of the calls.
class ProtobufMessage {
 public:
  ProtobufMessage& integer(std::uint32_t field, std::int64_t value);
  ProtobufMessage& real32(std::uint32_t field, float value);
  ProtobufMessage& real64(std::uint32_t field, double value);
  ProtobufMessage& bytes(std::uint32_t field, std::string_view value);
  ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) {
    return bytes(field, value.bytes_);
  }
  [[nodiscard]] const std::string& encoded() const noexcept { return bytes_; }

 private:
  void key(std::uint32_t field, std::uint32_t wire_type);
  void varint(std::uint64_t value);

  std::string bytes_;
};

struct ProtobufField {
  enum class Type : std::uint8_t { kInteger = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  std::uint32_t number = 0;
  Type type = Type::kInteger;
  std::int64_t integer = 0;  // of kInteger; of the fixed ones the bits
  std::string_view bytes;    // of kBytes
};

// Reads the fields of a message one after the other and takes no memory for them. Throws a kRequest Error
// that names `source` for what is no message: cut short, a length behind the end, groups, field number 0. The
// bytes must outlive it and the fields.
class ProtobufReader {
 public:
  ProtobufReader(std::string_view bytes, std::string source)
      : size_(bytes.size()), left_(bytes), source_(std::move(source)) {}

  // Nothing at the end.
  [[nodiscard]] std::optional<ProtobufField> next();
  // A number of a packed row of integers, which has no keys; nothing at the end.
  [[nodiscard]] std::optional<std::int64_t> next_packed();

 private:
  [[nodiscard]] std::uint64_t varint();
  [[nodiscard]] std::string_view take(std::uint64_t length);

  std::size_t size_;
  std::string_view left_;
  std::string source_;
};

}  // namespace pahtum
