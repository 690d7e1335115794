#include "model/torchscript.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "env/base/error.h"
#include "model/object_reader.h"

namespace pahtum {
namespace {

using nlohmann::json;

constexpr const char* kExtraFolder = "extra/";
constexpr int kCaseSensitive = 1;

// The entries of a zip archive by name, uncompressed ones alone, as LibTorch writes them.
class ZipArchive {
 public:
  explicit ZipArchive(const std::filesystem::path& path)
      : path_(path.string()), handle_(unzOpen64(path.c_str())) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error) left_ = size;
    if (handle_ == nullptr || unzGoToFirstFile(handle_.get()) != UNZ_OK) {
      throw refuse("its table of contents is missing or damaged; it may be cut short");
    }
    // All names begin with the folder that is named after the archive.
    std::string first(kMostNameBytes, '\0');
    if (unzGetCurrentFileInfo64(handle_.get(), nullptr, first.data(), first.size(), nullptr, 0, nullptr, 0) !=
        UNZ_OK) {
      throw refuse("its first entry is damaged");
    }
    first.resize(first.find('\0') == std::string::npos ? first.size() : first.find('\0'));
    folder_ = first.substr(0, first.find('/') + 1);
  }

  [[nodiscard]] bool has(const std::string& name) const { return locate(name); }

  // The whole entry. All entries read together are no longer than the file, and memory is taken only for
  // that.
  [[nodiscard]] std::string read(const std::string& name) {
    unz_file_info64 facts{};
    if (!locate(name) ||
        unzGetCurrentFileInfo64(handle_.get(), &facts, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK) {
      throw refuse("entry " + name + " is missing");
    }
    if (facts.compression_method != 0 || facts.compressed_size != facts.uncompressed_size) {
      throw refuse("entry " + name + " is compressed");
    }
    if (facts.uncompressed_size > left_) {
      throw refuse("entry " + name + " claims " + std::to_string(facts.uncompressed_size) +
                   " bytes, and with the entries before it that is more than the file has");
    }
    left_ -= facts.uncompressed_size;
    if (unzOpenCurrentFile(handle_.get()) != UNZ_OK) throw refuse("entry " + name + " is damaged");
    std::string content(facts.uncompressed_size, '\0');
    std::size_t filled = 0;
    while (filled < content.size()) {
      constexpr std::size_t kStep = std::size_t{1} << 20;
      const auto step = static_cast<unsigned>(std::min(kStep, content.size() - filled));
      const int count = unzReadCurrentFile(handle_.get(), content.data() + filled, step);
      if (count <= 0) break;
      filled += static_cast<std::size_t>(count);
    }
    // Closing is what compares the checksum.
    if (unzCloseCurrentFile(handle_.get()) != UNZ_OK || filled != content.size()) {
      throw refuse("entry " + name + " is damaged or cut short");
    }
    return content;
  }

  [[nodiscard]] Error refuse(const std::string& why) const {
    return request_error(path_, "is no sound TorchScript archive: " + why);
  }

 private:
  static constexpr std::size_t kMostNameBytes = 4096;
  struct Close {
    void operator()(void* handle) const { unzClose(handle); }
  };

  [[nodiscard]] bool locate(const std::string& name) const {
    return unzLocateFile(handle_.get(), (folder_ + name).c_str(), kCaseSensitive) == UNZ_OK;
  }

  std::string path_;
  std::unique_ptr<void, Close> handle_;
  std::uint64_t left_ = 0;  // bytes of the file that no entry was read from
  std::string folder_;
};

}  // namespace

NetworkArchive read_torchscript(const std::filesystem::path& path) {
  ZipArchive zip(path);
  for (const char* name : {kManifestFile, kMetadataFile, kTensorsFile}) {
    if (zip.has(std::string(kExtraFolder) + name)) continue;
    throw request_error(path.string(),
                        std::string("is a zip archive, but no TorchScript one that `pahtum export` "
                                    "wrote: it has no extra file ") +
                            name);
  }
  const auto text = [&](const char* name) { return zip.read(std::string(kExtraFolder).append(name)); };
  const auto document = [&](const char* name) {
    return parse_json(text(name), path.string() + ": " + name, kMostHeaderBytes);
  };
  const std::string what = "TorchScript archive";

  NetworkArchive archive;
  const json metadata = document(kMetadataFile);
  const ObjectReader texts(path, what, kMetadataFile, metadata);
  for (const auto& item : metadata.items()) archive.metadata.emplace(item.key(), texts.text(item.key()));
  archive.metadata["manifest"] = text(kManifestFile);

  const json listing = {{"tensors", document(kTensorsFile)}};
  const ObjectReader list(path, what, kTensorsFile, listing);
  for (std::size_t index = 0; index < list.list("tensors").size(); ++index) {
    const ObjectReader entry = list.entry("tensors", index);
    entry.only({"name", "dtype", "shape", "record"});
    StoredTensor tensor{.name = entry.text("name"), .dtype = entry.text("dtype"), .shape = {}, .data = {}};
    tensor.shape = entry.integers("shape");
    tensor.data = zip.read(entry.text("record"));
    if (byte_count(tensor.dtype, tensor.shape) != tensor.data.size()) {
      throw entry.refuse("record", "has " + std::to_string(tensor.data.size()) +
                                       " bytes, another size than dtype and shape give");
    }
    archive.tensors.push_back(std::move(tensor));
  }
  return archive;
}

}  // namespace pahtum
