#include "model/network_file.h"

#include <gtest/gtest.h>

#include "env/base/files.h"
#include "model/export.h"
#include "model/network_archive.h"
#include "model/safetensors.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

const Checkpoint& checkpoint() {
  static const Checkpoint kCheckpoint =
      testing::trained_checkpoint(testing::small_game(), testing::small_network());
  return kCheckpoint;
}

// The safetensors export after `change`, as it is refused.
template <class Change>
std::string error_after(Change&& change) {
  const TemporaryFolder folder;
  export_network(checkpoint(), ExportFormat::kSafetensors, {}, folder / "a");
  NetworkArchive archive = parse_safetensors(read_file(folder / "a"), "a");
  change(archive);
  write_file_atomically(folder / "network", to_safetensors(archive));
  return error_of([&] { (void)load_network_file(folder / "network"); });
}

void expect_parts(const std::string& error, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(error.find(part), std::string::npos) << error << "\nlacks " << part;
  }
}

TEST(NetworkFile, ACheckpointIsItself) {
  const TemporaryFolder folder;
  save_checkpoint(folder / "any.name", checkpoint());
  EXPECT_EQ(load_network_file(folder / "any.name").tensors.size(), checkpoint().tensors.size());
}

TEST(NetworkFile, WhatIsNoNetworkIsRefusedByName) {
  const TemporaryFolder folder;
  for (const char* content : {"", "\x08", "hello, world", "{\"json\": true}", "\x89PNG\r\n"}) {
    write_file_atomically(folder / "file.bin", content);
    expect_parts(error_of([&] { (void)load_network_file(folder / "file.bin"); }), {"file.bin"});
  }
  expect_parts(error_of([&] { (void)load_network_file(folder / "missing"); }), {"missing", "no such file"});
  expect_parts(error_of([&] { (void)load_network_file(folder.path()); }), {"is a folder"});
}

TEST(NetworkFile, EveryFormatRefusesATruncatedOrDamagedFile) {
  const TemporaryFolder folder;
  for (const ExportFormat format : testing::kExportFormats) {
    SCOPED_TRACE(static_cast<int>(format));
    export_network(checkpoint(), format, {}, folder / "whole");
    const std::string bytes = read_file(folder / "whole");
    for (std::size_t part = 0; part < 50; ++part) {
      write_file_atomically(folder / "part", bytes.substr(0, bytes.size() * part / 50));
      expect_parts(error_of([&] { (void)load_network_file(folder / "part"); }), {"part: "});
    }
  }
}

TEST(NetworkFile, ATorchScriptArchiveWithAFlippedBitInItsWeightsIsRefused) {
  const TemporaryFolder folder;
  export_network(checkpoint(), ExportFormat::kTorchScript, {}, folder / "whole");
  export_network(checkpoint(), ExportFormat::kSafetensors, {.folded = true}, folder / "weights");
  std::string bytes = read_file(folder / "whole");
  const NetworkArchive archive = parse_safetensors(read_file(folder / "weights"), "weights");
  const std::size_t at = bytes.find(archive.tensors.front().data);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 5] = static_cast<char>(bytes[at + 5] ^ 1);
  write_file_atomically(folder / "damaged", bytes);
  expect_parts(error_of([&] { (void)load_network_file(folder / "damaged"); }),
               {"damaged: is no sound TorchScript archive", "entry data/0 is damaged"});
}

TEST(NetworkFile, ForeignFilesOfAFormatAreNamedAsSuch) {
  expect_parts(
      error_after([](NetworkArchive& archive) { archive.metadata.clear(); }),
      {"network: is a safetensors file, but not one that `pahtum export` wrote", "`pahtum_network`"});
  expect_parts(error_after([](NetworkArchive& archive) { archive.metadata["pahtum_network"] = "2"; }),
               {"version \"2\"", "reads version 1"});
  expect_parts(error_after([](NetworkArchive& archive) { archive.metadata["batch_norm"] = "no"; }),
               {"`batch_norm` is \"no\"", "folded or separate"});
  expect_parts(error_after([](NetworkArchive& archive) { archive.metadata["manifest"] = "{}"; }),
               {"is not a sound safetensors file: `manifest.format_version` is missing"});
  expect_parts(error_after([](NetworkArchive& archive) { archive.metadata["manifest"] = "{"; }),
               {"`manifest`", "is no JSON document"});
}

TEST(NetworkFile, WeightsThatDoNotFitTheManifestAreRefused) {
  expect_parts(error_after([](NetworkArchive& archive) { archive.tensors.pop_back(); }),
               {"network: tensor \"", "is missing"});
  expect_parts(error_after([](NetworkArchive& archive) { archive.tensors.front().name = "stem.padding"; }),
               {"tensor \"stem.padding\" has no place in a network of 2 blocks × 8 channels"});
  expect_parts(error_after([](NetworkArchive& archive) {
                 std::swap(archive.tensors[0].name, archive.tensors[1].name);
               }),
               {"needs F32"});
  expect_parts(error_after([](NetworkArchive& archive) {
                 for (StoredTensor& tensor : archive.tensors) tensor = to_half(std::move(tensor));
               }),
               {"is F16", "needs F32 "});
  // A small file may claim a huge network, and gets no memory for it.
  expect_parts(error_after([](NetworkArchive& archive) {
                 auto manifest = nlohmann::json::parse(archive.metadata["manifest"]);
                 manifest["network"]["channels"] = 1024;
                 manifest["network"]["blocks"] = 100;
                 archive.metadata["manifest"] = manifest.dump();
               }),
               {"100 blocks × 1024 channels"});
}

TEST(NetworkFile, WhatIsExportedSaysItselfWhatItIs) {
  const Manifest& manifest = checkpoint().manifest;
  const auto metadata = export_metadata(manifest, {.folded = false});
  EXPECT_EQ(metadata.at("observation_version"), "1");
  EXPECT_EQ(nlohmann::json::parse(metadata.at("input_channels")).size(), 4u);
  EXPECT_EQ(nlohmann::json::parse(metadata.at("input_channels"))[0], "own stones");
  EXPECT_EQ(nlohmann::json::parse(metadata.at("rules"))["size"], 5);
  EXPECT_EQ(nlohmann::json::parse(metadata.at("outputs")).size(), 4u);
  EXPECT_EQ(metadata.at("step"), std::to_string(manifest.step));
  EXPECT_EQ(metadata.at("project_version"), manifest.project_version);
  EXPECT_EQ(metadata.at("batch_norm"), "separate");
}

}  // namespace
}  // namespace pahtum
