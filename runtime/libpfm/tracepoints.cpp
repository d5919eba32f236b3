#include "libpfm/tracepoints.hpp"

#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "libpfm/lines.hpp"

namespace evname::libpfm {
namespace {

/// A growing array of trivially copyable elements. It throws nothing: without memory, an element is
/// left out.
template <class T>
class Growing {
 public:
  bool add(const T& one) {
    if (count_ == room_) {
      const std::size_t more = room_ == 0 ? 64 : 2 * room_;
      auto* moved = static_cast<T*>(std::realloc(items_, more * sizeof(T)));
      if (moved == nullptr) return false;
      items_ = moved;
      room_ = more;
    }
    items_[count_++] = one;
    return true;
  }
  std::span<T> all() { return {items_, count_}; }
  std::size_t size() const { return count_; }
  void free() { std::free(items_); }

 private:
  T* items_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

/// A directory's names, without "." and "..".
class Names {
 public:
  /// `file` becomes the directory's.
  explicit Names(int file) : directory_(file < 0 ? nullptr : fdopendir(file)) {
    if (directory_ == nullptr && file >= 0) close(file);
  }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  ~Names() {
    if (directory_ != nullptr) closedir(directory_);
  }
  const char* next() {
    while (const dirent* entry = directory_ != nullptr ? readdir(directory_) : nullptr)
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
        return entry->d_name;
    return nullptr;
  }
  int file() const { return directory_ != nullptr ? dirfd(directory_) : -1; }

 private:
  DIR* directory_;
};

int open_directory(int parent, const char* name) {
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Opens the directory of events of the first mounted debugfs; -1: there is none.
int open_events() {
  Lines mounts("/proc/mounts");
  for (std::string_view line; mounts.next(line);) {
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
    if (second == line.npos) continue;
    const std::string_view place(line.data() + first + 1, second - first - 1);
    line.remove_prefix(second + 1);
    constexpr std::string_view kEvents = "/tracing/events";
    char path[1024];
    if (!line.starts_with("debugfs ") || place.size() + kEvents.size() >= sizeof path) continue;
    *std::copy(kEvents.begin(), kEvents.end(), std::copy(place.begin(), place.end(), path)) = '\0';
    return open_directory(AT_FDCWD, path);
  }
  return -1;
}

/// All tracepoints. Names are offsets until all are read.
struct TracepointTable {
  Growing<TracepointSystem> systems;
  Growing<Tracepoint> points;
  Growing<char> names;

  bool add_name(const char* name, const char*& at) {
    // The offset plus one, since the array moves when it grows.
    at = reinterpret_cast<const char*>(names.size() + 1);
    do
      if (!names.add(*name)) return false;
    while (*name++ != '\0');
    return true;
  }
  void add_points(int system, const char* name);
  void read();
  void settle();
  void free() {
    systems.free();
    points.free();
    names.free();
  }
};

/// Returns true if a tracepoint has an id, which is read.
bool read_id(int system, const char* name, std::uint64_t& id) {
  char path[300], text[24];
  constexpr char kFile[] = "/id";
  const std::size_t size = std::strlen(name);
  if (size + sizeof kFile > sizeof path) return false;
  std::memcpy(path, name, size);
  std::memcpy(path + size, kFile, sizeof kFile);
  const int file = openat(system, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const ssize_t got = ::read(file, text, sizeof text);
  close(file);
  if (got < 0) return false;
  id = leading_number({text, static_cast<std::size_t>(got)});
  return true;
}

void TracepointTable::add_points(int system, const char* name) {
  Names directory(system);
  TracepointSystem out{nullptr, nullptr, 0};
  const std::size_t first = points.size();
  while (const char* one = directory.next()) {
    Tracepoint point{nullptr, 0};
    if (!read_id(directory.file(), one, point.id)) continue;
    if (!add_name(one, point.name) || !points.add(point)) return;
  }
  out.count = points.size() - first;
  if (out.count != 0 && add_name(name, out.name)) systems.add(out);
}

void TracepointTable::read() {
  Names all(open_events());
  while (const char* name = all.next())
    if (const int system = open_directory(all.file(), name); system >= 0) add_points(system, name);
}

void TracepointTable::settle() {
  const auto settled = [&](const char*& name) {
    name = names.all().data() + (reinterpret_cast<std::uintptr_t>(name) - 1);
  };
  const Tracepoint* at = points.all().data();
  for (Tracepoint& point : points.all()) settled(point.name);
  for (TracepointSystem& system : systems.all()) {
    settled(system.name);
    system.first = at;
    at += system.count;
  }
}

std::atomic<TracepointTable*> known_tracepoints;

template <class Items>
const auto* find_by_name(const Items& items, std::string_view name) {
  const auto at = std::ranges::find_if(
      items, [&](const auto& one) { return equal_ignoring_case(one.name, name); });
  return at == items.end() ? nullptr : &*at;
}

/// A parsed text: its tracepoint, and the rest for the encoder.
struct TracepointText {
  const TracepointSystem* system = nullptr;
  const Tracepoint* point = nullptr;
  bool has_several = false;
  bool has_rest = false;
  std::size_t size = 0;
  char rest[512];

  /// Returns false if there is no such system, or if the modifiers are too long.
  bool read(std::string_view text);

 private:
  bool add(std::string_view piece);
};

std::string_view take_word(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_of(":."), text.size());
  const std::string_view word(text.data(), size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return word;
}

bool TracepointText::add(std::string_view piece) {
  if (const Tracepoint* found = find_by_name(system->points(), piece); found != nullptr) {
    has_several |= point != nullptr && point != found;
    point = found;
    return true;
  }
  if (size + 1 + piece.size() > sizeof rest) return false;
  if (has_rest) rest[size++] = ':';
  has_rest = true;
  size = static_cast<std::size_t>(std::copy(piece.begin(), piece.end(), rest + size) - rest);
  return true;
}

bool TracepointText::read(std::string_view text) {
  const bool ends_open = text.ends_with(':') || text.ends_with('.');
  system = find_by_name(tracepoint_systems(), take_word(text));
  if (system == nullptr) return false;
  while (!text.empty())
    if (!add(take_word(text))) return false;
  return !ends_open || add("");
}

}  // namespace

std::span<const TracepointSystem> tracepoint_systems() {
  TracepointTable* known = known_tracepoints.load(std::memory_order_acquire);
  if (known == nullptr) {
    void* memory = std::malloc(sizeof(TracepointTable));
    if (memory == nullptr) return {};
    auto* made = new (memory) TracepointTable;
    made->read();
    made->settle();
    if (known_tracepoints.compare_exchange_strong(known, made)) {
      known = made;
    } else {  // another thread was faster
      made->free();
      std::free(made);
    }
  }
  return known->systems.all();
}

pfm4::Error encode_tracepoint(const pfm4::Scope& scope, const pfm4::Pmu& perf,
                              std::string_view text, std::uint8_t levels, pfm4::Os os,
                              pfm4::Encoded& out) {
  constexpr std::string_view kPrefix = "perf::";
  if (starts_ignoring_case(text, kPrefix)) text.remove_prefix(kPrefix.size());
  if (text.find("::") != text.npos) return pfm4::Error::not_found;
  TracepointText parts;
  if (!parts.read(text)) return pfm4::Error::not_found;
  const auto error = pfm4::encode_event(
      scope, perf, tracepoint_event(perf),
      parts.has_rest ? std::string_view(parts.rest, parts.size) : std::string_view(), levels, os,
      out);
  const auto systems = tracepoint_systems();
  out.event = perf.count + static_cast<unsigned>(parts.system - systems.data());
  if (error != pfm4::Error::none) return error;
  if (parts.has_several) return pfm4::Error::combination;
  out.codes[0] = parts.point != nullptr ? parts.point->id : 0;
  if (os != pfm4::Os::none) out.attr.config = out.codes[0];
  // The text begins with the name of the table's event.
  const pfm4::Dictionary names = pfm4::dictionary();
  const std::size_t used = std::strlen(names.text(names.events_of(perf)[perf.count - 1].name));
  const pfm4::Encoded before = out;
  const auto write = [&](std::string_view piece) {
    const std::size_t size = std::min(piece.size(), sizeof out.text - 1 - out.text_size);
    std::memcpy(out.text + out.text_size, piece.data(), size);
    out.text_size = static_cast<std::uint16_t>(out.text_size + size);
    out.text[out.text_size] = '\0';
  };
  if (!out.wants_text || before.text_size < used) return error;
  out.text_size = 0;
  write(parts.system->name);
  if (parts.point != nullptr) {
    write(":");
    write(parts.point->name);
  }
  write({before.text + used, before.text_size - used});
  return error;
}

}  // namespace evname::libpfm
