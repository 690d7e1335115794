#include "model/checkpoint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "env/base/files.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using nlohmann::json;
using testing::error_of;
using testing::TemporaryFolder;

constexpr FrameFormat kFormat{.magic = "PAHTUMCK", .version = 1, .what = "checkpoint"};

Checkpoint example() {
  Checkpoint checkpoint;
  checkpoint.manifest = {.game = {.size = 5, .holes = 3},
                         .network = {.channels = 8, .blocks = 2, .pooling_every = 1, .head_channels = 4},
                         .search = {.simulations = 64, .cpuct = 2.5},
                         .observation_version = 1,
                         .step = 120,
                         .iteration = 3,
                         .project_version = "0.1.0",
                         .config = "game:\n  size: 5\n",
                         .counters = {{"games", 17}}};
  checkpoint.tensors = {
      {.name = "weights/a", .dtype = "F32", .shape = {2, 2}, .data = std::string("0123456789abcdef")},
      {.name = "weights/empty", .dtype = "F32", .shape = {0, 3}, .data = ""},
      {.name = "optimizer/adamw/step",
       .dtype = "I64",
       .shape = {1},
       .data = std::string("\0\1\2\3\4\5\6\7", 8)},
      {.name = "state/opaque", .dtype = "U8", .shape = {3}, .data = "xyz"},
  };
  return checkpoint;
}

void flip(std::string& bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
}

std::string payload_of(const json& header, const std::string& data) {
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string payload(8, '\0');
  std::memcpy(payload.data(), &length, 8);
  return payload + text + data;
}

// The header of example() and its data, to be changed and framed again with a right checksum.
struct Parts {
  json header;
  std::string data;
};
Parts parts_of(const std::filesystem::path& path) {
  save_checkpoint(path, example());
  const std::string payload = read_frame(path, kFormat);
  std::uint64_t length = 0;
  std::memcpy(&length, payload.data(), 8);
  return {json::parse(payload.substr(8, length)), payload.substr(8 + length)};
}

TEST(CheckpointTest, EverythingComesBack) {
  const TemporaryFolder folder;
  const Checkpoint saved = example();
  save_checkpoint(folder / "a.ckpt", saved);
  const Checkpoint loaded = load_checkpoint(folder / "a.ckpt");
  EXPECT_EQ(loaded.manifest.game, saved.manifest.game);
  EXPECT_EQ(loaded.manifest.network, saved.manifest.network);
  EXPECT_EQ(loaded.manifest.observation_version, 1);
  EXPECT_EQ(loaded.manifest.step, 120);
  EXPECT_EQ(loaded.manifest.iteration, 3);
  EXPECT_EQ(loaded.manifest.search.simulations, 64);
  EXPECT_EQ(loaded.manifest.search.cpuct, 2.5);
  EXPECT_EQ(loaded.manifest.project_version, "0.1.0");
  EXPECT_EQ(loaded.manifest.config, saved.manifest.config);
  EXPECT_EQ(loaded.manifest.counters, saved.manifest.counters);
  ASSERT_EQ(loaded.tensors.size(), saved.tensors.size());
  for (std::size_t k = 0; k < saved.tensors.size(); ++k) {
    EXPECT_EQ(loaded.tensors[k].name, saved.tensors[k].name);
    EXPECT_EQ(loaded.tensors[k].dtype, saved.tensors[k].dtype);
    EXPECT_EQ(loaded.tensors[k].shape, saved.tensors[k].shape);
    EXPECT_EQ(loaded.tensors[k].data, saved.tensors[k].data);
  }
}

TEST(CheckpointTest, AnyByteChangedIsRefused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.ckpt";
  save_checkpoint(path, example());
  const std::string whole = read_file(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    flip(bytes, at);
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string error = error_of([&] { (void)load_checkpoint(path); });
    ASSERT_NE(error.find("a.ckpt"), std::string::npos) << "byte " << at << ": " << error;
  }
}

TEST(CheckpointTest, AnyLengthButItsOwnIsRefused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.ckpt";
  save_checkpoint(path, example());
  const std::string whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    ASSERT_NE(error_of([&] { (void)load_checkpoint(path); }), "") << length;
  }
  std::ofstream(path, std::ios::binary) << whole << '\0';
  EXPECT_NE(error_of([&] { (void)load_checkpoint(path); }), "");
}

TEST(CheckpointTest, AnyChangedHeaderByteUnderARightChecksumLoadsOrIsRefused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.ckpt";
  const Parts parts = parts_of(path);
  const std::string payload = payload_of(parts.header, parts.data);
  for (std::size_t at = 0; at < payload.size() - parts.data.size(); ++at) {
    std::string changed = payload;
    flip(changed, at);
    write_frame(path, kFormat, changed);
    try {
      (void)load_checkpoint(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kRequest);
    }
  }
}

TEST(CheckpointTest, AManifestFieldMissingOrOfAnotherTypeIsNamed) {
  const TemporaryFolder folder;
  const auto path = folder / "a.ckpt";
  const Parts parts = parts_of(path);
  const auto expect_named = [&](const json& header, const std::string& name) {
    write_frame(path, kFormat, payload_of(header, parts.data));
    const std::string error = error_of([&] { (void)load_checkpoint(path); });
    EXPECT_NE(error.find("a.ckpt"), std::string::npos) << name << ": " << error;
    EXPECT_NE(error.find("manifest." + name + "`"), std::string::npos) << name << ": " << error;
  };
  for (const auto& field : parts.header["manifest"].items()) {
    json header = parts.header;
    header["manifest"].erase(field.key());
    expect_named(header, field.key());
    header["manifest"][field.key()] = json::array({1});
    const bool section = field.value().is_object() && field.key() != "counters";
    if (!section) expect_named(header, field.key());
  }
  for (const std::string section : {"game", "network"}) {
    for (const auto& field : parts.header["manifest"][section].items()) {
      json header = parts.header;
      header["manifest"][section].erase(field.key());
      expect_named(header, section + "." + field.key());
      header["manifest"][section][field.key()] = "text";
      expect_named(header, section + "." + field.key());
    }
    json header = parts.header;
    header["manifest"][section]["torus"] = true;
    expect_named(header, section + ".torus");
  }
  json header = parts.header;
  header["manifest"]["network"]["blocks"] = std::uint64_t{1} << 63;
  expect_named(header, "network.blocks");
  header = parts.header;
  header["manifest"]["game"]["holes"] = 4;
  expect_named(header, "game");
}

// Written before a key of the search was there.
TEST(CheckpointTest, SearchKeysThatAreMissingHaveTheirDefaults) {
  const TemporaryFolder folder;
  const auto path = folder / "a.ckpt";
  const Parts parts = parts_of(path);
  json header = parts.header;
  header["manifest"]["search"] = {{"simulations", 77}};
  write_frame(path, kFormat, payload_of(header, parts.data));
  const SearchConfig search = load_checkpoint(path).manifest.search;
  EXPECT_EQ(search.simulations, 77);
  EXPECT_EQ(search.exact_root, SearchConfig{}.exact_root);
  header["manifest"]["search"]["simulations"] = "many";
  write_frame(path, kFormat, payload_of(header, parts.data));
  EXPECT_NE(error_of([&] { (void)load_checkpoint(path); }).find("manifest.search.simulations"),
            std::string::npos);
  header["manifest"]["search"] = {{"torus", true}};
  write_frame(path, kFormat, payload_of(header, parts.data));
  EXPECT_NE(error_of([&] { (void)load_checkpoint(path); }).find("manifest.search.torus"), std::string::npos);
}

TEST(CheckpointTest, TensorsMustMatchTheirBytes) {
  const TemporaryFolder folder;
  const auto path = folder / "a.ckpt";
  const Parts parts = parts_of(path);
  const auto error_with = [&](std::size_t tensor, const char* key, const json& value) {
    json header = parts.header;
    header["tensors"][tensor][key] = value;
    write_frame(path, kFormat, payload_of(header, parts.data));
    return error_of([&] { (void)load_checkpoint(path); });
  };
  EXPECT_NE(error_with(0, "offset", 4).find("gap or overlaps"), std::string::npos);
  EXPECT_NE(error_with(2, "offset", 8).find("gap or overlaps"), std::string::npos);
  EXPECT_NE(error_with(2, "offset", 24).find("gap or overlaps"), std::string::npos);
  EXPECT_NE(error_with(0, "length", 1000).find("behind the end"), std::string::npos);
  EXPECT_NE(error_with(0, "length", -1).find("length"), std::string::npos);
  EXPECT_NE(error_with(0, "shape", {2, 3}).find("does not match"), std::string::npos);
  EXPECT_NE(error_with(0, "shape", {-2, -2}).find("does not match"), std::string::npos);
  EXPECT_NE(error_with(0, "shape", {std::int64_t{1} << 62, 4, 4, 2, 2}).find("does not match"),
            std::string::npos);
  EXPECT_NE(error_with(0, "shape", "2").find("shape"), std::string::npos);
  EXPECT_NE(error_with(0, "dtype", "F64").find("dtype"), std::string::npos);
  EXPECT_NE(error_with(1, "name", "weights/a").find("twice"), std::string::npos);
  write_frame(path, kFormat, payload_of(parts.header, parts.data + "x"));
  EXPECT_NE(error_of([&] { (void)load_checkpoint(path); }).find("behind the last tensor"), std::string::npos);
}

TEST(CheckpointTest, DataOfAnotherSizeThanItsShapeIsNotSaved) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = example();
  checkpoint.tensors[0].shape = {3};
  EXPECT_NE(error_of([&] { save_checkpoint(folder / "a.ckpt", checkpoint); }).find("weights/a"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.ckpt"));
}

TEST(ResolveCheckpointTest, AFileIsItself) {
  const TemporaryFolder folder;
  save_checkpoint(folder / "a.ckpt", example());
  EXPECT_EQ(resolve_checkpoint(folder / "a.ckpt"), folder / "a.ckpt");
  EXPECT_NE(error_of([&] { (void)resolve_checkpoint(folder / "b.ckpt"); }).find("b.ckpt"), std::string::npos);
}

TEST(ResolveCheckpointTest, ARunIsItsNewestWholeCheckpoint) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] { (void)resolve_checkpoint(folder.path()); }).find("holds no checkpoint"),
            std::string::npos);
  const auto checkpoints = folder / "checkpoints";
  std::filesystem::create_directory(checkpoints);
  EXPECT_NE(error_of([&] { (void)resolve_checkpoint(folder.path()); }).find("holds no checkpoint"),
            std::string::npos);
  // By number, not by name: a run may go past the six digits.
  for (const char* name : {"000009.ckpt", "000010.ckpt", "1000000.ckpt", "x.ckpt", "2000000.ckpt.tmp"}) {
    save_checkpoint(checkpoints / name, example());
  }
  std::vector<std::string> skipped;
  EXPECT_EQ(resolve_checkpoint(folder.path(), &skipped), checkpoints / "1000000.ckpt");
  EXPECT_TRUE(skipped.empty());

  std::filesystem::resize_file(checkpoints / "1000000.ckpt", 100);
  EXPECT_EQ(resolve_checkpoint(folder.path(), &skipped), checkpoints / "000010.ckpt");
  EXPECT_EQ(skipped, std::vector<std::string>{(checkpoints / "1000000.ckpt").string()});

  for (const char* name : {"000009.ckpt", "000010.ckpt"}) std::filesystem::resize_file(checkpoints / name, 3);
  EXPECT_NE(
      error_of([&] { (void)resolve_checkpoint(folder.path()); }).find("none of its 3 checkpoints is whole"),
      std::string::npos);
}

TEST(ResolveCheckpointTest, AFolderThatIsNoRunIsTheOneNetworkInIt) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "manifest.json", "{}");
  save_checkpoint(folder / "network.safetensors", example());
  EXPECT_EQ(resolve_checkpoint(folder.path()), folder / "network.safetensors");
  save_checkpoint(folder / "a.onnx", example());
  const std::string error = error_of([&] { (void)resolve_checkpoint(folder.path()); });
  EXPECT_NE(error.find("holds 2 networks; name one"), std::string::npos) << error;
  EXPECT_NE(error.find("a.onnx"), std::string::npos) << error;
  // A run's exports are not its checkpoints.
  std::filesystem::create_directory(folder / "checkpoints");
  EXPECT_NE(error_of([&] { (void)resolve_checkpoint(folder.path()); }).find("holds no checkpoint"),
            std::string::npos);
}

}  // namespace
}  // namespace pahtum
