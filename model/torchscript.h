#pragma once

#include <filesystem>
#include <string>

#include "model/network_archive.h"

namespace pahtum {

// What an exported TorchScript archive holds beside its code: in the extra file kTensorsFile a JSON list
// [{name, dtype, shape, record}] of its tensors, in kMetadataFile a JSON object of texts, the metadata
// without the manifest, which is a file of its own, kManifestFile.
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kMetadataFile = "metadata.json";
inline constexpr const char* kTensorsFile = "tensors.json";

// Reads these and the numbers of the listed tensors ("data/0", …) from the zip archive, with the checksums of
// its entries. Nothing in it is executed: neither its code nor its pickles are opened. Throws a kRequest
// Error that names the file and what is wrong with it: not a zip archive, an entry that is missing,
// compressed, longer than the file or damaged, a listed size that is not the entry's.
[[nodiscard]] NetworkArchive read_torchscript(const std::filesystem::path& path);

}  // namespace pahtum
