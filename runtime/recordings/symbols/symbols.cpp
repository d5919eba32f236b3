#include "evname/symbols.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/symbols/code_file.hpp"
#include "recordings/symbols/plain_symbols.hpp"

namespace evname {
namespace {

using symbols::CodeFile;
using symbols::Kind;

/// Is it the vdso of the kernel that runs?
bool is_own_vdso(const Mapping& mapping) {
  return mapping.build_id.empty() && !mapping.kernel_build_id.empty() &&
         symbols::is_vdso(mapping.file) &&
         std::ranges::equal(mapping.kernel_build_id, symbols::running_kernel_build_id());
}

/// What tells files apart. Code of JIT compilers differs by process, all code of a kernel's image
/// is in one, and so is that of modules whose files are not here; what a vdso is without a build id
/// depends on the kernel.
struct FileKey {
  Kind kind;
  std::string_view name;
  std::span<const std::uint8_t> build_id;
  std::int32_t pid;
  std::uint64_t kernel_text;
  bool has_jitdump;  ///< a JIT compiler may begin one late

  FileKey(const Mapping& mapping, Kind of)
      : kind(of),
        name(is_named() ? mapping.file : "kernel"),
        build_id(build_id_of(mapping, of)),
        pid(of == Kind::user && symbols::is_without_file(mapping.file) ? mapping.pid : -1),
        kernel_text(is_named() ? 0 : mapping.offset),
        has_jitdump(pid != -1 && !mapping.jitdump.empty()) {}

  bool is_named() const { return kind == Kind::user || kind == Kind::module; }

  static std::span<const std::uint8_t> build_id_of(const Mapping& mapping, Kind kind) {
    const bool of_kernel = kind == Kind::user
                               ? mapping.build_id.empty() && symbols::is_vdso(mapping.file)
                               : kind != Kind::module && !mapping.kernel_build_id.empty();
    return of_kernel ? mapping.kernel_build_id : mapping.build_id;
  }

  bool operator<(const FileKey& other) const {
    const auto head = std::tie(kind, name, pid, kernel_text, has_jitdump);
    const auto others =
        std::tie(other.kind, other.name, other.pid, other.kernel_text, other.has_jitdump);
    if (head != others) return head < others;
    return std::ranges::lexicographical_compare(build_id, other.build_id);
  }
};

}  // namespace

struct Symbols::State {
  explicit State(SymbolOptions how) : options(std::move(how)) {
    const char* home = std::getenv("HOME");
    if (options.cache.empty()) options.cache = fmt::format("{}/.debug", home ? home : "");
    while (options.symfs.ends_with('/')) options.symfs.pop_back();
  }

  // As perf a module's own file comes first; it is known to fit by its build id only.
  CodeFile& file(const Mapping& mapping) {
    if (!mapping.kernel) return file(mapping, Kind::user);
    if (!symbols::is_module(mapping.file)) return file(mapping, Kind::kernel);
    if (!mapping.build_id.empty() && !mapping.kernel_build_id.empty())
      if (CodeFile& own = file(mapping, Kind::module); own.has_symbols(mapping)) return own;
    return file(mapping, Kind::listed);
  }

  CodeFile& file(const Mapping& mapping, Kind kind) {
    const FileKey key(mapping, kind);
    {
      const std::shared_lock lock(files_mutex);
      if (const auto at = files.find(key); at != files.end()) return *at->second;
    }
    const std::lock_guard lock(files_mutex);
    if (const auto at = files.find(key); at != files.end()) return *at->second;
    auto owned = std::make_unique<Owned>(key, mapping, *this);
    FileKey own = key;
    own.name = owned->name;
    own.build_id = owned->build_id;
    CodeFile& made = owned->file;
    kept.push_back(std::move(owned));
    files.emplace(own, &made);
    return made;
  }

  void tell(const std::string& message) {
    if (!options.tell) return;
    const std::lock_guard lock(messages_mutex);
    options.tell(message);
  }

  void add_problem(std::string message) {
    tell(message);
    const std::lock_guard lock(messages_mutex);
    if (std::find(problems.begin(), problems.end(), message) == problems.end())
      problems.push_back(std::move(message));
  }

  /// A file, and what its key has views of.
  struct Owned {
    Owned(const FileKey& key, const Mapping& mapping, State& state)
        : name(key.name),
          build_id(key.build_id.begin(), key.build_id.end()),
          file({state.options, key.kind, name,
                key.kind == Kind::user
                    ? std::vector<std::uint8_t>(mapping.build_id.begin(), mapping.build_id.end())
                    : build_id,
                mapping.pid, is_own_vdso(mapping),
                [&state](const std::string& message) { state.tell(message); },
                [&state](std::string message) { state.add_problem(std::move(message)); }}) {}

    std::string name;
    std::vector<std::uint8_t> build_id;
    CodeFile file;
  };

  SymbolOptions options;
  std::shared_mutex files_mutex;
  std::map<FileKey, CodeFile*> files;
  std::vector<std::unique_ptr<Owned>> kept;
  std::mutex messages_mutex;
  std::vector<std::string> problems;
};

Symbols::Symbols(SymbolOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Symbols::~Symbols() = default;

bool Symbols::reads_elf() { return symbols::reads_elf(); }

void Symbols::frames(std::uint64_t address, const Mapping& mapping,
                     std::vector<Frame>& frames) const {
  state_->file(mapping).frames(address, mapping, state_->options.lines, frames);
}

void Symbols::calls(std::uint64_t address, const Mapping& mapping,
                    std::vector<Frame>& frames) const {
  state_->file(mapping).frames(address, mapping, false, frames);
}

Frame Symbols::function(std::uint64_t address, const Mapping& mapping) const {
  return state_->file(mapping).function(address, mapping);
}

std::string Symbols::file_path(const Mapping& mapping) const {
  return state_->file(mapping).path(mapping);
}

std::vector<std::string> Symbols::problems() const {
  const std::lock_guard lock(state_->messages_mutex);
  return state_->problems;
}

// dso__set_basename and kmod_path__parse of tools/perf/util/dso.c: "/lib/…/snd-seq.ko.xz" is
// "[snd_seq]".
std::string dso_name(const Mapping& mapping) {
  const std::string_view name = mapping.file;
  if (mapping.kernel) {
    if (symbols::is_kernel_image(name)) return std::string(name.substr(0, name.find(']') + 1));
    const std::size_t suffix = name.rfind(".ko");
    if (name.empty() || suffix == name.npos) return name.empty() ? "[unknown]" : std::string(name);
    std::string module(last_part(name.substr(0, suffix)));
    std::replace(module.begin(), module.end(), '-', '_');
    return fmt::format("[{}]", module);
  }
  if (name.empty()) return "[unknown]";
  if (mapping.pid != -1 && symbols::is_without_file(name))
    return fmt::format("/tmp/perf-{}.map", mapping.pid);
  if (symbols::is_vdso(name)) return "[vdso]";
  return std::string(name);
}

}  // namespace evname
