#include "recordings/elf/debuginfod.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>
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

/// The library libdebuginfod, which is loaded when a server is first asked. It stays.
class Client {
 public:
  Client() : library_(::dlopen("libdebuginfod.so.1", RTLD_LAZY)) {
    begin_ = function<void*()>("debuginfod_begin");
    end_ = function<void(void*)>("debuginfod_end");
    free_ = function<void(void*)>("free");
    watch_ = function<void(void*, Watch*)>("debuginfod_set_progressfn");
  }
  bool is_there() const { return begin_ && end_ && free_; }

  /// Returns the path of a file; empty if no server has it. Errors: what servers did instead.
  Result<std::string> fetch(const std::vector<std::uint8_t>& build_id,
                            const std::string& kind) const {
    using Find = int(void*, const unsigned char*, int, char**);
    const auto find = function<Find>(("debuginfod_find_" + kind).c_str());
    void* client = find ? begin_() : nullptr;
    if (!client) return std::string();
    if (watch_) watch_(client, is_too_large);
    stopped_ = false;
    char* path = nullptr;
    const int file = find(client, build_id.data(), static_cast<int>(build_id.size()), &path);
    const std::unique_ptr<char, void (*)(void*)> owned(path, free_);
    if (file >= 0) ::close(file);
    end_(client);
    if (file >= 0 && path) return std::string(path);
    if (stopped_) return fail(Errc::io, "debuginfod: a file of more than 8 GB is not fetched");
    if (file == -ENOENT || file >= 0) return std::string();
    return fail(Errc::io, fmt::format("debuginfod: {}", std::strerror(-file)));
  }

 private:
  using Watch = int(void* client, long bytes, long all);
  static int is_too_large(void*, long bytes, long all) {
    stopped_ = bytes > kMostBytes || all > kMostBytes;
    return stopped_ ? 1 : 0;
  }
  template <class Function>
  Function* function(const char* name) const {
    return library_ ? reinterpret_cast<Function*>(::dlsym(library_, name)) : nullptr;
  }

  inline static thread_local bool stopped_ = false;  ///< a server sent too much
  void* library_;
  void* (*begin_)() = nullptr;
  void (*end_)(void*) = nullptr;
  void (*free_)(void*) = nullptr;  ///< of its C library, which may be another one
  void (*watch_)(void*, Watch*) = nullptr;
};

}  // namespace

std::string debuginfod_file(const std::vector<std::uint8_t>& build_id, const char* kind,
                            const SymbolSearch& search) {
  const std::string cached = fmt::format("{}/{}/{}", cache_directory(), hex_text(build_id), kind);
  if (ElfImage::open(cached, search.budget)) return cached;
  if (!search.options.debuginfod || variable("DEBUGINFOD_URLS").empty()) return {};
  static const Client client;
  if (!client.is_there()) {
    search.problem(
        "debuginfod: libdebuginfod.so.1 can't be loaded, so no server is asked (install "
        "libdebuginfod1 (Debian, Ubuntu) or elfutils-debuginfod-client (Fedora); the static evname "
        "loads nothing, but has the files that debuginfod-find fetched)");
    return {};
  }
  search.tell(fmt::format("{}: asking for {} of {}", search.name, kind, hex_text(build_id)));
  const auto path = client.fetch(build_id, kind);
  if (!path) search.problem(path.error().text());
  return path ? *path : std::string();
}

}  // namespace evname::elf
