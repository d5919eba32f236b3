#include "events/overlay/table_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/output/write_all.hpp"
#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/overlay/overlay.hpp"

namespace evname::overlay {
namespace {

constexpr std::string_view kMagic = "evname-1";
constexpr std::string_view kSuffix = ".tables", kUnfinished = ".new";
constexpr std::uint64_t kLeastTexts = std::uint64_t{64} << 10;  // less is compiled as fast
constexpr std::uint64_t kMostTexts = std::uint64_t{32} << 20;
constexpr std::uint64_t kMostTables = std::uint64_t{64} << 20;
constexpr std::uint64_t kBudget = std::uint64_t{256} << 20;  // of all files
constexpr std::time_t kAbandoned = 3600;                     // seconds; no file takes that long
constexpr std::size_t kPiece = std::size_t{128} << 10;
constexpr mode_t kMine = 0600, kMyDirectory = 0700;

/// Begins the file. The tables follow, then the key, then the texts, each after its size.
struct CacheHeader {
  char magic[8];
  std::uint64_t key_size, tables_size, texts_size;
  std::uint64_t checksum;  ///< of the tables
};

/// Finds damage. The bytes are a multiple of 8.
std::uint64_t checksum_of(Bytes bytes) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t& lane = lanes[at / 8 % 4];
    lane = std::rotl(lane ^ load<std::uint64_t>(bytes.data() + at, std::endian::native), 29) * kOdd;
  }
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t lane : lanes) sum = std::rotl(sum ^ lane, 29) * kOdd;
  return sum;
}

/// Returns "" if there is none. Relative paths would mean another directory each time.
std::string cache_directory() {
  if (const char* chosen = ::secure_getenv("EVNAME_CACHE")) return chosen[0] == '/' ? chosen : "";
  const std::string caches = xdg_directory("XDG_CACHE_HOME", "/.cache");
  return caches.empty() ? caches : caches + "/evname";
}

/// Makes a directory if the one above it belongs to this user or to root. In the directory of
/// another user, such as $HOME under sudo, that user could not use it.
void make_directory(const std::string& path) {
  const std::string above = directory_of(path) + "/";
  struct stat info;
  if (::stat(above.c_str(), &info) == 0 && (info.st_uid == ::geteuid() || info.st_uid == 0))
    ::mkdir(path.c_str(), kMyDirectory);
}

/// Opens the directory if it is this user's and nobody else can write it. `make`: if it is not
/// there, makes it and the one above it.
Descriptor open_own_directory(const std::string& path, bool make) {
  const auto open = [&] {
    return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  Descriptor directory = open();
  if (directory.get() < 0 && errno == ENOENT && make) {
    make_directory(directory_of(path));
    make_directory(path);
    directory = open();
  }
  struct stat info;
  if (directory.get() < 0 || ::fstat(directory.get(), &info) != 0 || info.st_uid != ::geteuid() ||
      (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Descriptor();
  return directory;
}

/// Reads all of the room from a place in a file on. Returns false if there is less.
bool read_at(int file, std::uint64_t offset, void* room, std::size_t size) {
  for (auto* to = static_cast<char*>(room); size > 0;) {
    const ssize_t got = ::pread(file, to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Reads an open cache file from front to end.
class CacheFile {
 public:
  explicit CacheFile(Descriptor file) : file_(std::move(file)) {}

  /// Returns true if the file has the wanted key and nobody else can have written it.
  bool is_for(const std::string& key) {
    struct stat info;
    if (file_.get() < 0 || ::fstat(file_.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
      return false;
    if (!read_at(file_.get(), 0, &header_, sizeof header_) ||
        std::string_view(header_.magic, sizeof header_.magic) != kMagic ||
        header_.key_size != key.size() || header_.tables_size > kMostTables ||
        header_.tables_size % 8 != 0 || header_.texts_size > 2 * kMostTexts ||
        sizeof header_ + header_.tables_size + key.size() + header_.texts_size !=
            static_cast<std::uint64_t>(info.st_size))
      return false;
    std::string found(key.size(), '\0');
    text_ = sizeof header_ + header_.tables_size;
    const bool is_same = read_at(file_.get(), text_, found.data(), found.size()) && found == key;
    text_ += key.size();
    return is_same;
  }

  /// Returns true if a file has the next of the texts.
  bool has_text_of(const std::string& path) {
    const auto file = open_regular(path);
    struct stat info;
    std::uint64_t size = 0;
    if (!file || ::fstat(file->get(), &info) != 0 ||
        !read_at(file_.get(), text_, &size, sizeof size) ||
        size != static_cast<std::uint64_t>(info.st_size))
      return false;
    text_ += sizeof size;
    for (std::uint64_t at = 0; at < size; at += kPiece) {
      const std::size_t piece = std::min<std::uint64_t>(kPiece, size - at);
      if (!read_at(file->get(), at, now_.data(), piece) ||
          !read_at(file_.get(), text_ + at, then_.data(), piece) ||
          std::memcmp(now_.data(), then_.data(), piece) != 0)
        return false;
    }
    text_ += size;
    char more;
    return !read_at(file->get(), size, &more, 1);  // it may have grown meanwhile
  }

  std::optional<CompiledTrees> tables() const {
    const std::shared_ptr<std::uint64_t[]> words(new std::uint64_t[header_.tables_size / 8]);
    if (!read_at(file_.get(), sizeof header_, words.get(), header_.tables_size))
      return std::nullopt;
    const Bytes bytes(reinterpret_cast<const std::uint8_t*>(words.get()), header_.tables_size);
    return checksum_of(bytes) == header_.checksum ? read_compiled(bytes, words) : std::nullopt;
  }

 private:
  Descriptor file_;
  CacheHeader header_ = {};
  std::uint64_t text_ = 0;  ///< offset of the next text
  std::vector<char> now_ = std::vector<char>(kPiece), then_ = std::vector<char>(kPiece);
};

/// Writes a file and moves it to its place, so that others see the old one or all of the new one.
bool write_file_in(int directory, const std::string& name,
                   std::initializer_list<std::string_view> pieces) {
  std::uint64_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  if (!may_be_as_large(size)) return false;
  const auto own = reinterpret_cast<std::uintptr_t>(&pieces);  // other threads have another stack
  const std::string unfinished = fmt::format("{}.{}.{:x}{}", name, ::getpid(), own, kUnfinished);
  const Descriptor file(::openat(directory, unfinished.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMine));
  if (file.get() < 0) return false;
  const bool done =
      std::ranges::all_of(pieces, [&](auto piece) { return write_all(file.get(), piece); }) &&
      ::renameat(directory, unfinished.c_str(), directory, name.c_str()) == 0;
  if (!done) ::unlinkat(directory, unfinished.c_str(), 0);
  return done;
}

/// Returns true for names that TableCache gives to files: 16 hexadecimal digits come first.
bool is_own_name(std::string_view name) {
  return (name.ends_with(kSuffix) || name.ends_with(kUnfinished)) &&
         name.find_first_not_of("0123456789abcdef") == 16 && name[16] == '.';
}

/// Removes the files that were written first if all together are above the budget, and what
/// processes that ended have left.
void hold_budget(const std::string& directory, int fd) {
  struct Kept {
    std::time_t written;
    std::uint64_t size;
    std::string name;
  };
  std::vector<Kept> files;
  std::uint64_t total = 0;
  for (std::string& name : list_directory(directory, SIZE_MAX)) {
    struct stat info;
    const bool is_unfinished = name.ends_with(kUnfinished);
    if (!is_own_name(name) || ::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (is_unfinished && std::time(nullptr) - info.st_mtime > kAbandoned)
      ::unlinkat(fd, name.c_str(), 0);
    if (is_unfinished) continue;
    total += static_cast<std::uint64_t>(info.st_size);
    files.push_back({info.st_mtime, static_cast<std::uint64_t>(info.st_size), std::move(name)});
  }
  sort_stably_by(files, &Kept::written);
  for (const Kept& file : files) {
    if (total <= kBudget) break;
    if (::unlinkat(fd, file.name.c_str(), 0) == 0) total -= file.size;
  }
}

}  // namespace

TableCache::TableCache(std::string key, std::vector<std::string> files)
    : key_(std::move(key)), files_(std::move(files)) {
  if (!key_.empty()) directory_ = cache_directory();
  if (directory_.empty()) return;
  std::string padded = key_;
  padded.resize((padded.size() + 7) / 8 * 8);
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(padded.data()), padded.size());
  name_ = fmt::format("{:016x}{}", checksum_of(bytes), kSuffix);
  path_ = directory_ + "/" + name_;
}

std::optional<CompiledTrees> TableCache::load() const {
  if (path_.empty()) return std::nullopt;
  const Descriptor directory = open_own_directory(directory_, false);
  if (directory.get() < 0) return std::nullopt;
  CacheFile file(Descriptor(
      ::openat(directory.get(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)));
  if (!file.is_for(key_)) return std::nullopt;
  for (const std::string& path : files_)
    if (!file.has_text_of(path)) return std::nullopt;
  return file.tables();
}

std::shared_ptr<const trees::FileTexts> TableCache::read_files() const {
  if (path_.empty()) return nullptr;
  auto texts = std::make_shared<trees::FileTexts>();
  std::uint64_t bytes = 0;
  for (const std::string& path : files_) {
    auto text = bytes <= kMostTexts ? trees::read_tree_file(path) : Result<std::string>();
    if (!text) return nullptr;
    bytes += text->size();
    texts->emplace(path, std::move(*text));
  }
  if (bytes < kLeastTexts || bytes > kMostTexts) return nullptr;
  return texts;
}

bool TableCache::store(const CompiledTrees& compiled, const trees::FileTexts& texts) const {
  const std::string tables = compiled_bytes(compiled);
  const Descriptor directory = open_own_directory(directory_, true);
  if (directory.get() < 0 || tables.size() > kMostTables) return false;
  std::string all;
  for (const std::string& path : files_) {
    const std::string& text = texts.find(path)->second;
    const std::uint64_t size = text.size();
    all.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
  }
  CacheHeader header{{}, key_.size(), tables.size(), all.size(), 0};
  kMagic.copy(header.magic, sizeof header.magic);
  header.checksum =
      checksum_of(Bytes(reinterpret_cast<const std::uint8_t*>(tables.data()), tables.size()));
  const std::string_view head(reinterpret_cast<const char*>(&header), sizeof header);
  if (!write_file_in(directory.get(), name_, {head, tables, key_, all})) return false;
  hold_budget(directory_, directory.get());
  return true;
}

}  // namespace evname::overlay
