#include "env/base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "env/base/error.h"

namespace pahtum {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the file formats are written as they lie in memory");

constexpr std::array<std::array<std::uint32_t, 256>, 8> make_crc_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0x82F63B78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < 8; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[slice - 1][byte];
      tables[slice][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}
constexpr auto kCrcTables = make_crc_tables();

std::string reason(int error) {
  return std::generic_category().message(error);
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  // Closes now; some file systems report a failed write only here.
  [[nodiscard]] bool close() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

// Messages name `path`.
void write_all(const Descriptor& file, const std::filesystem::path& path,
               std::span<const std::byte> content) {
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(file.get(), content.data() + written, content.size() - written);
    if (count < 0) {
      if (errno == EINTR) continue;
      throw failure(path.string(), "cannot be written: " + reason(errno));
    }
    written += static_cast<std::size_t>(count);
  }
}

// Writes `temporary`; messages name `path`, which it is to become.
void write_and_flush(const std::filesystem::path& temporary, const std::filesystem::path& path,
                     std::span<const std::byte> content) {
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) throw failure(path.string(), "cannot be created: " + reason(errno));
  write_all(file, path, content);
  if (::fsync(file.get()) != 0) throw failure(path.string(), "cannot be flushed to disk: " + reason(errno));
  if (!file.close()) throw failure(path.string(), "cannot be closed: " + reason(errno));
}

template <class T>
void append(std::string& bytes, T value) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  bytes.append(raw.data(), raw.size());
}

template <class T>
T extract(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The regular file, present or to be made, that stands behind `path`.
std::filesystem::path replaceable(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw request_error(path.string(), "is not a regular file and is left as it is; choose another name");
  }
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return path;
  std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) throw failure(path.string(), "is a link that leads nowhere: " + error.message());
  return target;
}

constexpr std::size_t kHeaderSize = 8 + 4 + 8;
constexpr std::size_t kTrailerSize = 4;

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) noexcept {
  std::uint32_t crc = ~previous;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t slice = 0; slice < 8; ++slice) {
      crc ^= kCrcTables[7 - slice][(word >> (8 * slice)) & 0xFF];
    }
  }
  for (; left > 0; --left, ++at) {
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ static_cast<std::uint32_t>(*at)) & 0xFF];
  }
  return ~crc;
}

void write_file_atomically(const std::filesystem::path& given, std::span<const std::byte> content) {
  const std::filesystem::path path = replaceable(given);
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    write_and_flush(temporary, path, content);
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      throw failure(path.string(), "cannot be replaced: " + reason(errno));
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot flush a folder (EINVAL); the file itself is safe on disk all the same.
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL) {
    throw failure(folder.string(), "cannot be flushed to disk: " + reason(errno));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, std::as_bytes(std::span(content.data(), content.size())));
}

void append_to_file(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) throw failure(path.string(), "cannot be opened: " + reason(errno));
  write_all(file, path, std::as_bytes(std::span(content.data(), content.size())));
  if (!file.close()) throw failure(path.string(), "cannot be written: " + reason(errno));
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw request_error(path.string(), "no such file");
  if (std::filesystem::is_directory(status)) throw request_error(path.string(), "is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (!file) throw request_error(path.string(), "cannot be opened: " + reason(errno));
  if (file.peek() != std::ifstream::traits_type::eof()) content << file.rdbuf();
  if (file.bad() || content.fail()) throw request_error(path.string(), "cannot be read");
  return std::move(content).str();
}

std::string framed(const FrameFormat& format, std::string_view payload) {
  assert(format.magic.size() == 8);
  std::string bytes;
  bytes.reserve(kHeaderSize + payload.size() + kTrailerSize);
  bytes.append(format.magic);
  append(bytes, format.version);
  append(bytes, static_cast<std::uint64_t>(payload.size()));
  bytes.append(payload);
  append(bytes, crc32c(std::as_bytes(std::span(bytes))));
  return bytes;
}

void write_frame(const std::filesystem::path& path, const FrameFormat& format, std::string_view payload) {
  write_file_atomically(path, framed(format, payload));
}

std::string read_frame(const std::filesystem::path& path, const FrameFormat& format) {
  std::string bytes = read_file(path);
  const std::string what(format.what);
  if (bytes.size() < kHeaderSize + kTrailerSize || std::string_view(bytes).substr(0, 8) != format.magic) {
    throw request_error(path.string(), "is not a PahTum " + what + " (it does not start with \"" +
                                           std::string(format.magic) + "\" or is too short)");
  }
  const auto version = extract<std::uint32_t>(bytes, 8);
  if (version != format.version) {
    throw request_error(path.string(), "has " + what + " format version " + std::to_string(version) +
                                           "; this program reads version " + std::to_string(format.version));
  }
  const auto length = extract<std::uint64_t>(bytes, 12);
  const std::uint64_t present = bytes.size() - kHeaderSize - kTrailerSize;
  if (length != present) {
    throw request_error(path.string(), "is cut short or has extra bytes: the " + what + " should hold " +
                                           std::to_string(length) + " bytes of payload and holds " +
                                           std::to_string(present));
  }
  const auto stored = extract<std::uint32_t>(bytes, bytes.size() - kTrailerSize);
  const auto actual = crc32c(std::as_bytes(std::span(bytes).first(bytes.size() - kTrailerSize)));
  if (stored != actual) throw request_error(path.string(), "is damaged: the checksum does not match");
  bytes.resize(bytes.size() - kTrailerSize);
  bytes.erase(0, kHeaderSize);
  return bytes;
}

std::vector<std::string> read_whole_frames(const std::filesystem::path& path, const FrameFormat& format) {
  const std::string bytes = read_file(path);
  std::vector<std::string> payloads;
  std::string_view rest = bytes;
  while (rest.size() >= kHeaderSize + kTrailerSize && rest.starts_with(format.magic) &&
         extract<std::uint32_t>(rest, 8) == format.version) {
    const auto length = extract<std::uint64_t>(rest, 12);
    if (length > rest.size() - kHeaderSize - kTrailerSize) break;
    const std::size_t checked = kHeaderSize + static_cast<std::size_t>(length);
    if (extract<std::uint32_t>(rest, checked) != crc32c(std::as_bytes(std::span(rest.substr(0, checked)))))
      break;
    payloads.emplace_back(rest.substr(kHeaderSize, static_cast<std::size_t>(length)));
    rest.remove_prefix(checked + kTrailerSize);
  }
  return payloads;
}

}  // namespace pahtum
