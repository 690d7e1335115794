#include "model/network_file.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/network_archive.h"
#include "model/onnx.h"
#include "model/safetensors.h"
#include "model/torchscript.h"

namespace pahtum {
namespace {

constexpr std::size_t kFirstBytes = 9;

// A safetensors file begins with the length of a JSON object, of less than 4 GiB in practice.
bool begins_like_safetensors(std::string_view first) {
  return first.size() == kFirstBytes && first[8] == '{' &&
         first.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

// An ONNX model begins with field 1, its IR version, a number below 128.
bool begins_like_onnx(std::string_view first) {
  return first.size() >= 2 && first[0] == '\x08' && static_cast<unsigned char>(first[1]) < 0x80;
}

}  // namespace

Checkpoint load_network_file(const std::filesystem::path& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  // What is missing, a folder or a pipe is refused as a checkpoint would be.
  if (!std::filesystem::is_regular_file(path, error) || !file) return load_checkpoint(path);
  std::string first(kFirstBytes, '\0');
  file.read(first.data(), kFirstBytes);
  first.resize(static_cast<std::size_t>(file.gcount()));
  file.close();

  const std::string source = path.string();
  if (first.starts_with(kCheckpointMagic)) return load_checkpoint(path);
  if (first.starts_with("PK\x03\x04"))
    return to_checkpoint(read_torchscript(path), source, "TorchScript archive");
  if (begins_like_safetensors(first)) {
    return to_checkpoint(parse_safetensors(read_file(path), source), source, "safetensors file");
  }
  if (begins_like_onnx(first))
    return to_checkpoint(parse_onnx(read_file(path), source), source, "ONNX model");
  throw request_error(source,
                      "holds no network: it begins neither as a checkpoint of this project does nor as a "
                      "TorchScript archive, an ONNX model or a safetensors file");
}

}  // namespace pahtum
