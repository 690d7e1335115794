#include "env/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "env/base/bytes.h"
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
      throw failure(path.string(), "cannot be written: " + system_reason(errno));
    }
    written += static_cast<std::size_t>(count);
  }
}

// Writes `temporary`; messages name `path`, which it is to become.
void write_and_flush(const std::filesystem::path& temporary, const std::filesystem::path& path,
                     std::span<const std::byte> content) {
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) throw failure(path.string(), "cannot be created: " + system_reason(errno));
  write_all(file, path, content);
  if (::fsync(file.get()) != 0)
    throw failure(path.string(), "cannot be flushed to disk: " + system_reason(errno));
  if (!file.close()) throw failure(path.string(), "cannot be closed: " + system_reason(errno));
}

// Opens a file whose status is known; a pipe waits for its writer.
Descriptor open_to_read(const std::filesystem::path& path, std::filesystem::file_status status) {
  if (!std::filesystem::exists(status)) throw request_error(path.string(), "no such file");
  if (std::filesystem::is_directory(status)) throw request_error(path.string(), "is a folder, not a file");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw request_error(path.string(), "cannot be opened: " + system_reason(errno));
  return Descriptor(fd);
}

std::uint64_t size_of(const Descriptor& file) {
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

// The next bytes of a file, at least one unless it has ended; 0 then.
std::size_t read_some(const Descriptor& file, const std::filesystem::path& path, std::span<char> into) {
  while (true) {
    const ssize_t count = ::read(file.get(), into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw request_error(path.string(), "cannot be read: " + system_reason(errno));
  }
}

// Fills `into` unless the file ends before; how many bytes there were.
std::size_t read_up_to(const Descriptor& file, const std::filesystem::path& path, std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const std::size_t count = read_some(file, path, into.subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  return filled;
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

// No file of the project comes near the first. What has no size, a device or a pipe, may never end.
constexpr std::uint64_t kMostFileBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostStreamedBytes = std::uint64_t{256} << 20;
constexpr std::size_t kReadStep = std::size_t{1} << 16;
constexpr std::size_t kHeaderSize = 8 + 4 + 8;
constexpr std::size_t kTrailerSize = 4;

bool reads_version(const FrameFormat& format, std::uint32_t version) noexcept {
  return format.oldest <= version && version <= format.version;
}

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
      throw failure(path.string(), "cannot be replaced: " + system_reason(errno));
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot flush a folder (EINVAL); the file itself is safe on disk all the same.
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL) {
    throw failure(folder.string(), "cannot be flushed to disk: " + system_reason(errno));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, std::as_bytes(std::span(content.data(), content.size())));
}

void append_to_file(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) throw failure(path.string(), "cannot be opened: " + system_reason(errno));
  write_all(file, path, std::as_bytes(std::span(content.data(), content.size())));
  if (!file.close()) throw failure(path.string(), "cannot be written: " + system_reason(errno));
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool regular = std::filesystem::is_regular_file(status);
  const Descriptor file = open_to_read(path, status);
  const std::uint64_t most = regular ? kMostFileBytes : kMostStreamedBytes;
  const auto refuse_size = [&] {
    throw request_error(path.string(), "is too large: at most " + std::to_string(most) + " bytes are read");
  };
  const std::uint64_t size = regular ? size_of(file) : 0;
  if (size > most) refuse_size();
  std::string content(size, '\0');
  content.resize(read_up_to(file, path, content));
  // Some files (/proc) do not say their size, and others grow meanwhile.
  std::array<char, kReadStep> more{};
  while (const std::size_t count = read_some(file, path, more)) {
    if (content.size() + count > most) refuse_size();
    content.append(more.data(), count);
  }
  return content;
}

std::string framed(const FrameFormat& format, std::string_view payload) {
  assert(format.magic.size() == 8);
  std::string bytes;
  bytes.reserve(kHeaderSize + payload.size() + kTrailerSize);
  bytes.append(format.magic);
  append_number(bytes, format.version);
  append_number(bytes, static_cast<std::uint64_t>(payload.size()));
  bytes.append(payload);
  append_number(bytes, crc32c(std::as_bytes(std::span(bytes))));
  return bytes;
}

void write_frame(const std::filesystem::path& path, const FrameFormat& format, std::string_view payload) {
  write_file_atomically(path, framed(format, payload));
}

std::string read_frame(const std::filesystem::path& path, const FrameFormat& format) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool regular = std::filesystem::is_regular_file(status);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status) && !regular) {
    throw request_error(path.string(), "is not a regular file");
  }
  const Descriptor file = open_to_read(path, status);
  const std::uint64_t size = size_of(file);
  const std::string what(format.what);
  std::array<char, kHeaderSize> raw{};
  const std::string_view header(raw.data(), raw.size());
  const bool long_enough = size >= kHeaderSize + kTrailerSize && read_up_to(file, path, raw) == raw.size();
  if (!long_enough || header.substr(0, 8) != format.magic) {
    throw request_error(path.string(), "is not a PahTum " + what + " (it does not start with \"" +
                                           std::string(format.magic) + "\" or is too short)");
  }
  const auto version = extract<std::uint32_t>(header, 8);
  if (!reads_version(format, version)) {
    const std::string first =
        format.oldest == format.version ? "" : "s " + std::to_string(format.oldest) + " to";
    throw request_error(path.string(), "has " + what + " format version " + std::to_string(version) +
                                           "; this program reads version" + first + " " +
                                           std::to_string(format.version));
  }
  const auto length = extract<std::uint64_t>(header, 12);
  const std::uint64_t present = size - kHeaderSize - kTrailerSize;
  const auto refuse_length = [&] {
    throw request_error(path.string(), "is cut short or has extra bytes: the " + what + " should hold " +
                                           std::to_string(length) + " bytes of payload and holds " +
                                           std::to_string(present));
  };
  if (length != present) refuse_length();
  // Only now, as the file is known to have so many bytes, is memory taken for them.
  std::string payload(length, '\0');
  std::array<char, kTrailerSize> trailer{};
  if (read_up_to(file, path, payload) != length || read_up_to(file, path, trailer) != kTrailerSize) {
    refuse_length();
  }
  const auto stored = extract<std::uint32_t>(std::string_view(trailer.data(), trailer.size()), 0);
  const std::uint32_t actual =
      crc32c(std::as_bytes(std::span(payload)), crc32c(std::as_bytes(std::span(raw))));
  if (stored != actual) throw request_error(path.string(), "is damaged: the checksum does not match");
  return payload;
}

std::vector<std::string> read_whole_frames(const std::filesystem::path& path, const FrameFormat& format) {
  const std::string bytes = read_file(path);
  std::vector<std::string> payloads;
  std::string_view rest = bytes;
  while (rest.size() >= kHeaderSize + kTrailerSize && rest.starts_with(format.magic) &&
         reads_version(format, extract<std::uint32_t>(rest, 8))) {
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
