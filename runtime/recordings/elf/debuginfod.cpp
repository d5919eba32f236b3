#include "recordings/elf/debuginfod.hpp"

#include <cstdlib>
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

/// The library libdebuginfod, which is loaded when a server is asked, as libdw does.
class Client {
 public:
  Client() : library_(::dlopen("libdebuginfod.so.1", RTLD_LAZY), close) {
    begin_ = function<void*()>("debuginfod_begin");
    end_ = function<void(void*)>("debuginfod_end");
  }
  bool is_there() const { return begin_ && end_; }

  /// Returns the path of a file; empty if no server has it.
  std::string fetch(const std::vector<std::uint8_t>& build_id, const std::string& kind) const {
    using Find = int(void*, const unsigned char*, int, char**);
    const auto find = function<Find>(("debuginfod_find_" + kind).c_str());
    void* client = find ? begin_() : nullptr;
    if (!client) return {};
    char* path = nullptr;
    const int file = find(client, build_id.data(), static_cast<int>(build_id.size()), &path);
    const std::unique_ptr<char, decltype(&std::free)> owned(path, std::free);
    if (file >= 0) ::close(file);
    end_(client);
    return file >= 0 && path ? path : "";
  }

 private:
  static void close(void* library) {
    if (library) ::dlclose(library);
  }
  template <class Function>
  Function* function(const char* name) const {
    return library_ ? reinterpret_cast<Function*>(::dlsym(library_.get(), name)) : nullptr;
  }

  std::unique_ptr<void, void (*)(void*)> library_;
  void* (*begin_)() = nullptr;
  void (*end_)(void*) = nullptr;
};

}  // namespace

std::string debuginfod_file(const std::vector<std::uint8_t>& build_id, const char* kind,
                            const SymbolSearch& search) {
  const std::string cached = fmt::format("{}/{}/{}", cache_directory(), hex_text(build_id), kind);
  if (ElfImage::open(cached, search.budget)) return cached;
  if (!search.options.debuginfod || variable("DEBUGINFOD_URLS").empty()) return {};
  const Client client;
  if (!client.is_there()) {
    search.problem(
        "debuginfod: libdebuginfod.so.1 can't be loaded, so no server is asked (install "
        "libdebuginfod1 (Debian, Ubuntu) or elfutils-debuginfod-client (Fedora))");
    return {};
  }
  search.tell(fmt::format("{}: asking for {} of {}", search.name, kind, hex_text(build_id)));
  return client.fetch(build_id, kind);
}

}  // namespace evname::elf
