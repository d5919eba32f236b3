#include "base/read_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/sorting.hpp"
#include "base/text.hpp"

namespace evname {
inline namespace base {
namespace {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

tl::unexpected<Error> system_error(const std::string& name) {
  const int reason = errno;
  const Errc code = reason == ENOENT || reason == ENOTDIR ? Errc::not_found : Errc::io;
  return fail(code, std::strerror(reason), name);
}

tl::unexpected<Error> no_room(const std::string& directory, int reason) {
  return fail(Errc::io, std::strerror(reason), directory,
              "temporary files go to the directory that TMPDIR names");
}

/// Returns false and sets errno if this process may not write a file of this size (RLIMIT_FSIZE).
/// The kernel ends a process that writes more (SIGXFSZ).
bool may_be_as_large(std::uint64_t size) {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      size <= limit.rlim_cur)
    return true;
  errno = EFBIG;
  return false;
}

// Where the filesystem has no files without names: one that loses its name at once.
int create_named(const std::string& directory) {
  std::string name = directory + "/evname-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Descriptor> open_regular(const std::string& path, std::span<const std::uint32_t> owners) {
  const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat info, opened;
  if (place.get() < 0 || ::fstat(place.get(), &info) != 0) return system_error(path);
  if (S_ISDIR(info.st_mode)) return fail(Errc::io, "is a directory", path);
  if (!S_ISREG(info.st_mode)) return fail(Errc::unsupported, "not a regular file", path);
  if (!owners.empty() && std::ranges::find(owners, info.st_uid) == owners.end())
    return fail(Errc::unsupported, fmt::format("belongs to user {}: not used", info.st_uid), path);
  if (!owners.empty() && info.st_size == 0)  // as for files of the kernel, such as /proc/kmsg
    return fail(Errc::unsupported, "is empty", path);
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor file(::open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), flags));
  if (file.get() < 0 && errno == ENOENT)
    file = Descriptor(::open(path.c_str(), flags));  // no /proc
  if (file.get() < 0 || ::fstat(file.get(), &opened) != 0) return system_error(path);
  if (opened.st_dev != info.st_dev || opened.st_ino != info.st_ino)
    return fail(Errc::io, "is another file now", path);
  return file;
}

Result<MappedFile> MappedFile::map(int fd, std::uint64_t size, const std::string& name) {
  if (size == 0) return MappedFile();
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) return system_error(name);
  return MappedFile(Bytes(static_cast<const std::uint8_t*>(memory), size));
}

Result<MappedFile> MappedFile::spool(Bytes head, int fd, const std::string& name) {
  auto copy = TemporaryFile::create();
  if (!copy) return fail(copy);
  if (auto written = copy->append(head); !written) return fail(written);
  std::uint8_t buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(name);
    if (got == 0) return copy->map();
    if (auto written = copy->append({buffer, static_cast<std::size_t>(got)}); !written)
      return fail(written);
  }
}

Result<MappedFile> MappedFile::open(const std::string& path,
                                    std::span<const std::uint32_t> owners) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  const auto file = standard_input ? Result<Descriptor>(Descriptor()) : open_regular(path, owners);
  if (!file) return fail(file);
  const int fd = standard_input ? STDIN_FILENO : file->get();
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error(name);
  if (S_ISDIR(info.st_mode)) return fail(Errc::io, "is a directory", name);
  if (S_ISREG(info.st_mode) && (!standard_input || ::lseek(fd, 0, SEEK_CUR) == 0))
    return map(fd, static_cast<std::uint64_t>(info.st_size), name);
  return spool({}, fd, name);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

std::string temporary_directory() {
  const char* chosen = ::secure_getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

Result<TemporaryFile> TemporaryFile::create() {
  std::string directory = temporary_directory();
  int fd = ::open(directory.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) fd = create_named(directory);
  if (fd < 0) return no_room(directory, errno);
  return TemporaryFile(std::move(directory), fd);
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> TemporaryFile::append(Bytes bytes) {
  if (!may_be_as_large(size_ + bytes.size())) return no_room(directory_, errno);
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return no_room(directory_, errno);
    if (done <= 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    size_ += static_cast<std::uint64_t>(done);
  }
  return {};
}

Result<MappedFile> TemporaryFile::map() const { return MappedFile::map(fd_, size_, directory_); }

Result<std::string> read_text_file(const std::string& path, std::size_t limit) {
  const Stream file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return system_error(path);
  const auto is_larger = [&] {
    return fail(Errc::out_of_range, fmt::format("larger than the {} bytes expected", limit), path);
  };
  std::string out;
  struct stat status;
  if (::fstat(::fileno(file.get()), &status) == 0 && S_ISREG(status.st_mode)) {
    if (static_cast<std::size_t>(status.st_size) > limit) return is_larger();
    constexpr std::size_t kEnd = 32;  // room for the zeros that readers of JSON append
    out.reserve(static_cast<std::size_t>(status.st_size) + kEnd);
  }
  char block[1 << 16];
  for (;;) {
    const std::size_t got = std::fread(block, 1, sizeof block, file.get());
    out.append(block, got);
    if (out.size() > limit) return is_larger();
    if (got == 0) break;
  }
  if (std::ferror(file.get())) return system_error(path);
  return out;
}

namespace {

/// Does the same as open_regular(), but opens files of the kernel, often hundreds, with one call.
/// O_NONBLOCK: opening a FIFO for reading would otherwise wait for a writer.
Result<Descriptor> open_head(const std::string& path) {
  if (!path.starts_with("/sys/") && !path.starts_with("/proc/")) return open_regular(path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) return system_error(path);
  if (!S_ISREG(info.st_mode)) return fail(Errc::unsupported, "not a regular file", path);
  return file;
}

/// Reads a regular file from its start, piece by piece.
class HeadReader {
 public:
  HeadReader(const std::string& path, std::size_t limit, Descriptor file)
      : path_(path), file_(std::move(file)), left_(limit) {}

  /// 0: at the end, or the limit.
  Result<std::size_t> read(std::span<char> room) {
    const std::size_t want = std::min(room.size(), left_);
    ssize_t got = 0;
    do got = want > 0 ? ::read(file_.get(), room.data(), want) : 0;
    while (got < 0 && errno == EINTR);
    if (got < 0) return system_error(path_);
    left_ -= static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
  }

 private:
  const std::string& path_;
  Descriptor file_;
  std::size_t left_;
};

}  // namespace

Result<std::string> read_head(const std::string& path, std::size_t limit) {
  auto opened = open_head(path);
  if (!opened) return fail(opened);
  HeadReader file(path, limit, std::move(*opened));
  std::string out;
  for (char block[4096];;) {
    const auto got = file.read(block);
    if (!got) return fail(got);
    if (*got == 0) return out;
    out.append(block, *got);
  }
}

std::string text_of_file(const std::string& path) {
  const auto text = read_head(path);
  return text ? std::string(trim(*text)) : std::string();
}

std::optional<std::uint64_t> number_of_file(const std::string& path, bool hexadecimal) {
  const std::string text = text_of_file(path);
  if (!hexadecimal) return parse_decimal(text);
  return parse_hex(std::string_view(text).substr(text.starts_with("0x") ? 2 : 0));
}

Result<bool> read_lines(const std::string& path, std::size_t limit,
                        const std::function<void(std::string_view line)>& take,
                        std::span<const std::uint32_t> owners) {
  constexpr std::size_t kLongestLine = 1 << 20;
  auto opened = open_regular(path, owners);
  if (!opened) return fail(opened);
  const int fd = opened->get();
  HeadReader file(path, limit, std::move(*opened));
  std::vector<char> block(std::size_t{1} << 16);
  bool is_inside = false, is_whole = true;  // inside a line that is too long
  for (std::size_t used = 0;;) {
    const auto got = file.read(std::span(block).subspan(used));
    if (!got) return fail(got);
    std::string_view text(block.data(), used + *got);
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
      if (!std::exchange(is_inside, false)) take(text.substr(0, end));
    char next;
    if (*got == 0 && !text.empty() && !is_inside) take(text);
    if (*got == 0) return is_whole && ::read(fd, &next, 1) <= 0;
    if (text.size() >= kLongestLine) is_inside = true;
    if (is_inside) {
      is_whole = false;
      text = {};
    }
    std::copy(text.begin(), text.end(), block.begin());
    used = text.size();
    if (used == block.size()) block.resize(2 * used);
  }
}

void widen_pipe([[maybe_unused]] int file) noexcept {
#ifdef F_SETPIPE_SZ  // WebAssembly has no pipes
  constexpr int kRoom = 256 << 10;
  const int room = ::fcntl(file, F_GETPIPE_SZ);
  if (room > 0 && room < kRoom) ::fcntl(file, F_SETPIPE_SZ, kRoom);
#endif
}

bool is_recording(const std::string& path) {
  constexpr std::string_view kMagics[] = {"PERFILE2", "2ELIFREP", "PERFFILE"};  // older: the last
  const auto head = read_head(path, kMagics[0].size());
  return head && std::ranges::find(kMagics, *head) != std::end(kMagics);
}

const char* protected_kind(const std::string& path) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  if (is_recording(path)) return "a recording";
  return read_head(path, kElf.size()).value_or("") == kElf ? "a program or library" : nullptr;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::vector<std::string> list_directory(const std::string& path, std::size_t limit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  std::vector<std::string> names;
  if (!directory) return names;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] == '.') continue;
    if (names.size() == limit) break;
    names.emplace_back(entry->d_name);
  }
  sort_stably(names);
  return names;
}

}  // namespace base
}  // namespace evname
