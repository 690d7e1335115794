#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pahtum {

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) of `bytes`; pass the previous result to continue one.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0) noexcept;

// Replaces `path` by `content` so that a reader, or a crash at any moment, sees the old file or the new one
// whole: written to a temporary name beside it (`path`.tmp), flushed to disk, renamed, and the folder
// flushed. A link stays a link: the file it names is replaced. Throws a kFailure Error naming the path; the
// temporary file is then removed. What is there and is no regular file (a folder, a device, a pipe) is
// refused with a kRequest Error: renaming would take its place for good.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> content);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Adds `content` at the end of `path`, which is made when it is not there; not flushed to disk. Throws a
// kFailure Error that names the path.
void append_to_file(const std::filesystem::path& path, std::string_view content);

// The whole file. Throws a kRequest Error that names the path when it is missing, a folder, unreadable, or
// larger than any file of the project: 4 GiB, and 256 MiB for a pipe or a device, whose end is not known.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// The frame every binary format of the project lives in:
//
//   magic (8 bytes) | version u32 | payload length u64 | payload | CRC-32C u32 of all before it
//
// little-endian. Reading throws a kRequest Error that names the path and says which of the four is wrong. It
// takes memory for the payload only when the file is known to hold as much.
struct FrameFormat {
  std::string_view magic;          // exactly 8 characters
  std::uint32_t version;           // the one that is written
  std::string_view what;           // for messages: "checkpoint"
  std::uint32_t oldest = version;  // the first that is read; the payload shows which it is of
};
[[nodiscard]] std::string framed(const FrameFormat& format, std::string_view payload);
void write_frame(const std::filesystem::path& path, const FrameFormat& format, std::string_view payload);
[[nodiscard]] std::string read_frame(const std::filesystem::path& path, const FrameFormat& format);
// The payloads of a file that frames are added to one by one: all the whole ones it begins with. What a crash
// left behind them is passed over.
[[nodiscard]] std::vector<std::string> read_whole_frames(const std::filesystem::path& path,
                                                         const FrameFormat& format);

}  // namespace pahtum
