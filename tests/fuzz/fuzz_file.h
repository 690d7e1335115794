#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "env/base/error.h"
#include "env/base/files.h"
#include "tests/fuzz/fuzz_input.h"

namespace pahtum::fuzz {

inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// One file of this process, in memory where the system has such a folder, for targets that read files.
class FuzzFile {
 public:
  FuzzFile() {
    std::error_code ignored;
    const std::filesystem::path memory = "/dev/shm";
    folder_ =
        (std::filesystem::is_directory(memory, ignored) ? memory : std::filesystem::temp_directory_path()) /
        ("pahtum-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~FuzzFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "file"; }
  void put(std::string_view content) const {
    std::ofstream file(path(), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    require(file.flush().good(), "the input can be written to a file");
  }

 private:
  std::filesystem::path folder_;
};

inline const FuzzFile& fuzz_file() {
  static const FuzzFile kFile;
  return kFile;
}

// The input as a file of a format: its first byte says whether the rest is the file as it lies on disk or
// what is in a right frame, so that both the frame and what is behind its checksum are reached. Returns that
// rest.
inline std::string_view put_framed(std::span<const std::uint8_t> bytes, const FrameFormat& format) {
  const bool raw = bytes.empty() || bytes.front() % 2 == 0;
  const std::string_view rest = text_of(bytes.empty() ? bytes : bytes.subspan(1));
  if (raw) {
    fuzz_file().put(rest);
  } else {
    write_frame(fuzz_file().path(), format, rest);
  }
  return rest;
}

}  // namespace pahtum::fuzz
