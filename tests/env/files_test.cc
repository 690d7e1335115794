#include "env/base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/env/expect_error.h"

namespace pahtum::test {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own, removed with all in it.
class Files : public testing::Test {
 protected:
  Files() {
    folder_ = fs::path(testing::TempDir()) / ("pahtum_files_" + std::to_string(::getpid()) + "_" +
                                              testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  ~Files() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void put(const fs::path& path, std::string_view content) const {
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }
  using Names = std::vector<std::string>;

  fs::path folder_;
};

std::uint32_t crc_of(std::string_view text, std::uint32_t previous = 0) {
  return crc32c(std::as_bytes(std::span(text.data(), text.size())), previous);
}

TEST(Crc32c, GivesTheKnownAnswers) {
  EXPECT_EQ(crc_of(""), 0u);
  EXPECT_EQ(crc_of("123456789"), 0xE3069283u);
  // RFC 3720, appendix B.4.
  EXPECT_EQ(crc_of(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc_of(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) {
    rising += static_cast<char>(i);
    falling += static_cast<char>(31 - i);
  }
  EXPECT_EQ(crc_of(rising), 0x46DD794Eu);
  EXPECT_EQ(crc_of(falling), 0x113FDB5Cu);
}

TEST(Crc32c, IsThatOfTheBitwiseDivisionForEveryLengthAndSplit) {
  std::string text;
  for (int i = 0; i < 70; ++i) text += static_cast<char>(i * 37 + 11);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    std::uint32_t expected = 0xFFFFFFFFu;
    for (const char c : text.substr(0, length)) {
      expected ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) expected = (expected >> 1) ^ ((expected & 1u) * 0x82F63B78u);
    }
    expected = ~expected;
    const std::string_view view(text.data(), length);
    ASSERT_EQ(crc_of(view), expected);
    for (std::size_t cut = 0; cut <= length; ++cut) {
      ASSERT_EQ(crc_of(view.substr(cut), crc_of(view.substr(0, cut))), expected);
    }
  }
}

TEST_F(Files, WrittenContentIsReadBackAndLeavesNoOtherFile) {
  const fs::path path = folder_ / "data";
  for (const std::string& content :
       {std::string("first"), std::string(), std::string("\0\n\xFF\r\n", 5), std::string(3'000'000, 'z')}) {
    write_file_atomically(path, content);
    EXPECT_EQ(read_file(path), content);
    EXPECT_EQ(names(), Names{"data"});
  }
}

TEST_F(Files, ReadingWhatIsNoFileSaysSo) {
  expect_error(Fault::kRequest, {(folder_ / "missing").string(), "no such file"},
               [&] { static_cast<void>(read_file(folder_ / "missing")); });
  expect_error(Fault::kRequest, {folder_.string(), "folder"}, [&] { static_cast<void>(read_file(folder_)); });
  expect_error(Fault::kRequest, {"/proc/self/mem"}, [] { static_cast<void>(read_file("/proc/self/mem")); });
}

TEST_F(Files, OldFileStaysWhenTheDiskTakesOnlyPartOfTheNewOne) {
  const fs::path path = folder_ / "data";
  write_file_atomically(path, "old content");
  // The limit on file sizes acts as a full disk does: a part is written, then an error comes.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    write_file_atomically(path, std::string(100'000, 'n'));
  } catch (const Error& error) {
    message = error.what();
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_EQ(error.subject(), path.string());
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_NE(message.find("cannot be written"), std::string::npos) << message;
  EXPECT_EQ(read_file(path), "old content");
  EXPECT_EQ(names(), Names{"data"});
}

TEST_F(Files, WritingIntoAMissingFolderFailsAndNamesThePath) {
  const fs::path path = folder_ / "missing" / "data";
  expect_error(Fault::kFailure, {path.string(), "cannot be created"},
               [&] { write_file_atomically(path, "new"); });
  EXPECT_EQ(names(), Names{});
}

TEST_F(Files, OldFileStaysWhenTheTemporaryNameIsTaken) {
  const fs::path path = folder_ / "data";
  write_file_atomically(path, "old content");
  fs::create_directory(folder_ / "data.tmp");
  expect_error(Fault::kFailure, {path.string(), "cannot be created"},
               [&] { write_file_atomically(path, "new"); });
  EXPECT_EQ(read_file(path), "old content");
}

TEST_F(Files, AnAbandonedTemporaryFileIsWrittenOver) {
  put(folder_ / "data.tmp", "what a killed process left, longer than the new content");
  write_file_atomically(folder_ / "data", "new");
  EXPECT_EQ(read_file(folder_ / "data"), "new");
  EXPECT_EQ(names(), Names{"data"});
}

TEST_F(Files, FoldersAndDevicesAreNeverReplaced) {
  fs::create_directory(folder_ / "kept");
  expect_error(Fault::kRequest, {(folder_ / "kept").string(), "not a regular file"},
               [&] { write_file_atomically(folder_ / "kept", "new"); });
  EXPECT_EQ(names(), Names{"kept"});
  for (const char* device : {"/dev/full", "/dev/null"}) {
    expect_error(Fault::kRequest, {device, "not a regular file"},
                 [&] { write_file_atomically(device, "new"); });
    EXPECT_TRUE(fs::is_character_file(device));
  }
}

TEST_F(Files, ALinkStaysALinkAndItsFileIsReplaced) {
  const fs::path real = folder_ / "real";
  const fs::path link = folder_ / "link";
  write_file_atomically(real, "old");
  fs::create_symlink("real", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(real), "new");
  EXPECT_EQ(names(), (Names{"link", "real"}));
  fs::remove(real);
  expect_error(Fault::kFailure, {link.string(), "leads nowhere"},
               [&] { write_file_atomically(link, "new"); });
}

constexpr FrameFormat kFormat{"PAHTEST\n", 3, "test file"};

TEST_F(Files, FramedPayloadsAreReadBack) {
  const fs::path path = folder_ / "frame";
  for (const std::string& payload : {std::string(), std::string("x"), std::string(1000, '\0')}) {
    write_frame(path, kFormat, payload);
    EXPECT_EQ(read_frame(path, kFormat), payload);
    EXPECT_EQ(fs::file_size(path), 8 + 4 + 8 + payload.size() + 4);
  }
}

TEST_F(Files, FrameLiesOnDiskAsDocumented) {
  const fs::path path = folder_ / "frame";
  write_frame(path, kFormat, "abc");
  std::string expected("PAHTEST\n\3\0\0\0\3\0\0\0\0\0\0\0abc", 23);
  const std::uint32_t crc = crc_of(expected);
  for (int byte = 0; byte < 4; ++byte) expected += static_cast<char>((crc >> (8 * byte)) & 0xFF);
  EXPECT_EQ(read_file(path), expected);
}

TEST_F(Files, AFrameCutShortAtAnyByteIsRefused) {
  const fs::path path = folder_ / "frame";
  write_frame(path, kFormat, "a payload of some length");
  const std::string whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(path, std::string_view(whole).substr(0, length));
    expect_error(Fault::kRequest, {path.string()}, [&] { static_cast<void>(read_frame(path, kFormat)); });
  }
  put(path, whole + "x");
  expect_error(Fault::kRequest, {path.string(), "cut short or has extra bytes"},
               [&] { static_cast<void>(read_frame(path, kFormat)); });
  put(path, whole);
  EXPECT_EQ(read_frame(path, kFormat), "a payload of some length");
}

TEST_F(Files, WhatIsAppendedStandsBehindWhatWasThere) {
  const fs::path path = folder_ / "lines";
  append_to_file(path, "one\n");
  append_to_file(path, "");
  append_to_file(path, std::string("two\0\n", 5));
  EXPECT_EQ(read_file(path), std::string("one\ntwo\0\n", 9));
  EXPECT_EQ(names(), Names{"lines"});
  expect_error(Fault::kFailure, {(folder_ / "none" / "lines").string(), "cannot be opened"},
               [&] { append_to_file(folder_ / "none" / "lines", "x"); });
}

TEST_F(Files, AFrameWithAnyBitWrongIsRefused) {
  const fs::path path = folder_ / "frame";
  write_frame(path, kFormat, "payload");
  const std::string whole = read_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1u << bit));
      put(path, damaged);
      const std::string_view why = i < 8    ? "is not a PahTum test file"
                                   : i < 12 ? "format version"
                                   : i < 20 ? "cut short or has extra bytes"
                                            : "checksum does not match";
      expect_error(Fault::kRequest, {path.string(), why},
                   [&] { static_cast<void>(read_frame(path, kFormat)); });
    }
  }
}

TEST_F(Files, AFrameOfAnotherKindOrVersionIsRefusedWithBothNamed) {
  const fs::path path = folder_ / "frame";
  write_frame(path, FrameFormat{"PAHOTHER", 3, "other file"}, "payload");
  expect_error(Fault::kRequest, {path.string(), "is not a PahTum test file", "PAHTEST"},
               [&] { static_cast<void>(read_frame(path, kFormat)); });
  write_frame(path, FrameFormat{kFormat.magic, 4, kFormat.what}, "payload");
  expect_error(Fault::kRequest, {path.string(), "version 4", "reads version 3"},
               [&] { static_cast<void>(read_frame(path, kFormat)); });
  expect_error(Fault::kRequest, {"no such file"},
               [&] { static_cast<void>(read_frame(folder_ / "missing", kFormat)); });
}

}  // namespace
}  // namespace pahtum::test
