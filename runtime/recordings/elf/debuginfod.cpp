#include "recordings/elf/debuginfod.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/elf/elf_image.hpp"

namespace evname::elf {
namespace {

std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

/// Returns the folder of debuginfod-client-config(7).
std::string cache_directory() {
  if (std::string path = variable("DEBUGINFOD_CACHE_PATH"); !path.empty()) return path;
  const std::string home = variable("HOME");
  if (const std::string old = home + "/.debuginfod_client_cache"; is_directory(old)) return old;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/debuginfod_client";
  return home + "/.cache/debuginfod_client";
}

/// No file has more bytes. The library itself takes any number, until the disk is full.
constexpr long kMostBytes = 8L << 30;

/// Returns true if a file in the folder has more than kMostBytes. The library writes there what it
/// fetches: a server may compress what it sends, so the bytes that came say little.
bool has_too_large_file(const std::string& folder) {
  const auto is_too_large = [&](const std::string& name) {
    struct stat about {};
    return ::stat((folder + "/" + name).c_str(), &about) == 0 && about.st_size > kMostBytes;
  };
  return std::ranges::any_of(list_directory(folder), is_too_large);
}

/// The library libdebuginfod, which is loaded when a server is first asked. It stays.
class Client {
 public:
  Client() : library_(::dlopen("libdebuginfod.so.1", RTLD_LAZY)) {
    begin_ = function<void*()>("debuginfod_begin");
    end_ = function<void(void*)>("debuginfod_end");
    watch_ = function<void(void*, Watch*)>("debuginfod_set_progressfn");
  }
  bool is_there() const { return begin_ && end_; }

  /// Returns the path of a file, which comes into the folder; empty if no server has it. Errors:
  /// what servers did instead.
  Result<std::string> fetch(const std::vector<std::uint8_t>& build_id, const std::string& kind,
                            const std::string& folder, Budget& budget) const {
    using Find = int(void*, const unsigned char*, int, char**);
    const auto find = function<Find>(("debuginfod_find_" + kind).c_str());
    void* client = find ? begin_() : nullptr;
    if (!client) return std::string();
    if (watch_) watch_(client, is_too_large);
    folder_ = folder;
    stopped_ = false;
    char* path = nullptr;
    const int file = find(client, build_id.data(), static_cast<int>(build_id.size()), &path);
    const std::unique_ptr<char, void (*)(void*)> owned(path, std::free);
    if (file >= 0) ::close(file);
    end_(client);
    if (file >= 0 && path) return std::string(path);
    if (stopped_) return fail(Errc::io, "debuginfod: a file of more than 8 GB is not fetched");
    if (file == -ENOENT || file >= 0) return std::string();
    if (file == -ETIME) {
      budget.servers_are_silent = true;
      return fail(Errc::io, "debuginfod: no server answered in time, so none is asked again");
    }
    return fail(Errc::io, fmt::format("debuginfod: {}", std::strerror(-file)));
  }

 private:
  using Watch = int(void* client, long bytes, long all);
  static int is_too_large(void*, long bytes, long all) {
    stopped_ = bytes > kMostBytes || all > kMostBytes || has_too_large_file(folder_);
    return stopped_ ? 1 : 0;
  }
  template <class Function>
  Function* function(const char* name) const {
    return library_ ? reinterpret_cast<Function*>(::dlsym(library_, name)) : nullptr;
  }

  inline static thread_local bool stopped_ = false;  ///< a server sent too much
  inline static thread_local std::string folder_;    ///< where the file comes to
  void* library_;
  void* (*begin_)() = nullptr;
  void (*end_)(void*) = nullptr;
  void (*watch_)(void*, Watch*) = nullptr;
};

}  // namespace

std::string debuginfod_file(const std::vector<std::uint8_t>& build_id, const char* kind,
                            const SymbolSearch& search) {
  const std::string folder = cache_directory() + "/" + hex_text(build_id);
  const std::string cached = folder + "/" + kind;
  if (ElfImage::open(cached, search.budget)) return cached;
  if (!search.options.debuginfod || variable("DEBUGINFOD_URLS").empty() ||
      search.budget.servers_are_silent)
    return {};
  static const Client client;
  if (!client.is_there()) {
    search.problem(
        "debuginfod: libdebuginfod.so.1 can't be loaded, so no server is asked (install "
        "libdebuginfod1 (Debian, Ubuntu) or elfutils-debuginfod-client (Fedora); the static evname "
        "loads nothing, but has the files that debuginfod-find fetched)");
    return {};
  }
  search.tell(fmt::format("{}: asking for {} of {}", search.name, kind, hex_text(build_id)));
  const auto path = client.fetch(build_id, kind, folder, search.budget);
  if (!path) search.problem(path.error().text());
  return path ? *path : std::string();
}

}  // namespace evname::elf
