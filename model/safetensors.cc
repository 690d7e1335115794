#include "model/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "env/base/bytes.h"
#include "env/base/error.h"
#include "model/object_reader.h"

namespace pahtum {
namespace {

using nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr std::size_t kHeaderAlignment = 8;

// A tensor of the header: its name, shape and place.
struct Entry {
  StoredTensor tensor;
  std::uint64_t begin = 0, end = 0;
};

std::vector<std::int64_t> integers(const ObjectReader& reader, const char* name) {
  std::vector<std::int64_t> numbers;
  for (const json& entry : reader.list(name)) {
    if (!entry.is_number_integer() || entry.get<std::int64_t>() < 0) {
      throw reader.refuse(name, "holds something that is no size: " + entry.dump());
    }
    numbers.push_back(entry.get<std::int64_t>());
  }
  return numbers;
}

Entry read_entry(const ObjectReader& reader, const std::string& name) {
  reader.only({"dtype", "shape", "data_offsets"});
  Entry entry{.tensor = {.name = name, .dtype = reader.text("dtype"), .shape = {}, .data = {}}};
  if (entry.tensor.dtype != "F32" && entry.tensor.dtype != "F16") {
    throw reader.refuse("dtype", "is none of F32 and F16");
  }
  entry.tensor.shape = integers(reader, "shape");
  const std::vector<std::int64_t> offsets = integers(reader, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    throw reader.refuse("data_offsets", "are no begin and end");
  }
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  if (byte_count(entry.tensor.dtype, entry.tensor.shape) != entry.end - entry.begin) {
    throw reader.refuse("data_offsets", "span another size than shape and dtype give");
  }
  return entry;
}

}  // namespace

std::string to_safetensors(const NetworkArchive& archive) {
  nlohmann::ordered_json header = {{kMetadata, archive.metadata}};
  std::uint64_t offset = 0;
  for (const StoredTensor& tensor : archive.tensors) {
    const std::uint64_t end = offset + tensor.data.size();
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  std::string bytes;
  bytes.reserve(sizeof(std::uint64_t) + text.size() + offset);
  append_number(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
  for (const StoredTensor& tensor : archive.tensors) bytes += tensor.data;
  return bytes;
}

NetworkArchive parse_safetensors(std::string_view bytes, const std::string& source) {
  ByteReader reader(bytes, source);
  const auto length = reader.next<std::uint64_t>();
  if (length > reader.left()) {
    throw request_error(source, "is no whole safetensors file: its header should have " +
                                    std::to_string(length) + " bytes, " + std::to_string(reader.left()) +
                                    " follow");
  }
  const json header = parse_json(reader.next_text(length), source, kMostHeaderBytes);
  const std::string_view data = reader.next_text(reader.left());
  const ObjectReader object(source, "safetensors file", "", header);
  NetworkArchive archive;
  std::vector<Entry> entries;
  for (const auto& item : header.items()) {
    const ObjectReader value = object.object(item.key());
    if (item.key() != kMetadata) {
      entries.push_back(read_entry(value, item.key()));
      continue;
    }
    for (const auto& text : item.value().items())
      archive.metadata.emplace(text.key(), value.text(text.key()));
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::uint64_t end = 0;
  for (Entry& entry : entries) {
    if (entry.begin != end) {
      throw object.refuse(entry.tensor.name,
                          "leaves a gap or overlaps the tensor before: its data begin at " +
                              std::to_string(entry.begin) + " and must begin at " + std::to_string(end));
    }
    if (entry.end > data.size()) {
      throw object.refuse(entry.tensor.name, "is cut short: its data end at " + std::to_string(entry.end) +
                                                 ", and the file has " + std::to_string(data.size()) +
                                                 " bytes of data");
    }
    entry.tensor.data = data.substr(entry.begin, entry.end - entry.begin);
    end = entry.end;
    archive.tensors.push_back(std::move(entry.tensor));
  }
  if (end != data.size()) {
    throw object.refuse(
        "", "has " + std::to_string(data.size() - end) + " bytes behind the last tensor that belong to none");
  }
  return archive;
}

}  // namespace pahtum
