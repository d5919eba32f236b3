#include "evname/symbols.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "base/text_pool.hpp"
#include "perf_format/module_name.hpp"
#include "perf_format/symbol_lists.hpp"
#include "recordings/symbols/mapping_kinds.hpp"
#include "recordings/symbols/plain_symbols.hpp"
#include "recordings/symbols/process_files.hpp"
#include "recordings/symbols/symbol_file.hpp"

namespace evname::symbols {

namespace {

/// Returns true for the vdso of a 32-bit process under a 64-bit kernel.
bool is_narrow_vdso(const Mapping& mapping) {
  return is_vdso(mapping.file) && is_of_narrow_process(mapping.start, mapping.machine);
}

/// Returns the version in a kernel's release: "6.1.0" of "6.1.0-44-amd64".
std::string_view version_of(std::string_view release) {
  return release.substr(0, release.find('-'));
}

/// Returns true if the vdso may be the running kernel's: the build id of the kernel is the same or,
/// if it is not recorded, the version in the release.
bool is_own_vdso(const Mapping& mapping) {
  if (!mapping.build_id.empty() || !is_vdso(mapping.file) || is_narrow_vdso(mapping)) return false;
  if (!mapping.kernel_build_id.empty())
    return std::ranges::equal(mapping.kernel_build_id, running_kernel_build_id());
  utsname running{};
  return mapping.machine != 0 && ::uname(&running) == 0 && !mapping.kernel_release.empty() &&
         version_of(mapping.kernel_release) == version_of(running.release);
}

}  // namespace

/// The identity of a file. Code of JIT compilers is identified by process, not by the name of its
/// memory, and starts anew with each dump. All parts of a kernel's image are one file, and so are
/// modules without files. A vdso without a build id belongs to its kernel.
struct FileKey {
  elf::FileKind kind;
  std::string_view name;
  std::span<const std::uint8_t> build_id;
  std::string_view kernel_release;  ///< for the kernel's image and the vdso
  std::int32_t pid;
  std::uint64_t kernel_text;
  std::string_view jitdump;
  std::uint16_t machine;
  bool big_endian;
  Inode inode;               ///< if there is no build id
  std::uint64_t here_until;  ///< likewise
  std::uint64_t start;       ///< of functions that the kernel made
  bool is_narrow;            ///< see is_narrow_vdso()
  std::string_view root;     ///< see ProcessView
  std::uint64_t inner;       ///< where a file inside another one begins; 0: it is the whole file
  const std::string* names;  ///< Mapping::names, which the recording keeps

  FileKey(const Mapping& mapping, elf::FileKind of, std::string_view root_of_process,
          std::uint64_t start_of_inner)
      : kind(of),
        name(name_of(mapping, of)),
        build_id(build_id_of(mapping, of)),
        kernel_release(of == elf::FileKind::kernel || is_vdso(mapping.file) ? mapping.kernel_release
                                                                            : std::string_view()),
        pid(is_made(mapping, of) ? mapping.pid : -1),
        kernel_text(has_own_file(of) ? 0 : mapping.offset),
        jitdump(pid != -1 ? mapping.jitdump : std::string_view()),
        machine(mapping.machine),
        big_endian(mapping.big_endian),
        inode(has_inode(mapping, of) ? mapping.inode : Inode()),
        here_until(has_inode(mapping, of) ? mapping.here_until : 0),
        start(of == elf::FileKind::function ? mapping.start : 0),
        is_narrow(is_narrow_vdso(mapping)),
        root(root_of_process),
        inner(start_of_inner),
        names(mapping.names ? mapping.names->get() : nullptr) {}

  /// Returns all members. There may be millions of files, so that numbers take a byte for seven
  /// bits.
  std::string text() const {
    std::string out;
    const auto number = [&](std::uint64_t value) {
      for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
      out += static_cast<char>(value);
    };
    for (const std::uint64_t one :
         {std::uint64_t{static_cast<std::uint8_t>(kind)}, std::uint64_t{machine},
          static_cast<std::uint64_t>(std::int64_t{pid} + 1), std::uint64_t{big_endian},
          std::uint64_t{is_narrow}, kernel_text, std::uint64_t{inode.major},
          std::uint64_t{inode.minor}, inode.number, inode.generation, here_until, start, inner,
          std::uint64_t{reinterpret_cast<std::uintptr_t>(names)}})
      number(one);
    for (const std::string_view one : {name, kernel_release, jitdump, root}) {
      number(one.size());
      out += one;
    }
    out.append(build_id.begin(), build_id.end());
    return out;
  }

  /// Returns what identifies the file in its recording, on any machine.
  std::string in_recording() const {
    ByteWriter out(std::endian::little);
    for (const std::uint32_t number :
         {static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(pid),
          static_cast<std::uint32_t>(is_narrow), inode.major, inode.minor})
      out.u32(number);
    for (const std::uint64_t number : {inode.number, inode.generation, start, inner})
      out.u64(number);
    for (const std::string_view text : {name, kernel_release, jitdump}) out.text(text, 1);
    out.raw(build_id);
    return out.bytes();
  }

  static bool has_own_file(elf::FileKind kind) {
    return kind != elf::FileKind::kernel && kind != elf::FileKind::listed;
  }
  static bool is_made(const Mapping& mapping, elf::FileKind kind) {
    return kind == elf::FileKind::user && is_of_run_time(mapping);
  }
  static bool has_inode(const Mapping& mapping, elf::FileKind kind) {
    return kind == elf::FileKind::user && mapping.build_id.empty() && !is_of_run_time(mapping);
  }
  static std::string_view name_of(const Mapping& mapping, elf::FileKind kind) {
    if (!has_own_file(kind)) return "kernel";
    return is_made(mapping, kind) ? "JIT code" : mapping.file;
  }

  static std::span<const std::uint8_t> build_id_of(const Mapping& mapping, elf::FileKind kind) {
    if (is_made(mapping, kind)) return {};
    const bool of_kernel = kind == elf::FileKind::user
                               ? mapping.build_id.empty() && is_vdso(mapping.file)
                               : kind != elf::FileKind::module && !mapping.kernel_build_id.empty();
    return of_kernel ? mapping.kernel_build_id : mapping.build_id;
  }
};

}  // namespace evname::symbols

namespace evname {

using elf::FileKind;
using symbols::FileKey;
using symbols::ProcessView;
using symbols::SymbolFile;

struct Symbols::State {
  explicit State(SymbolOptions how) : options(std::move(how)) {
    const char* home = ::secure_getenv("HOME");
    if (options.cache.empty()) options.cache = fmt::format("{}/.debug", home ? home : "");
    while (options.symfs.ends_with('/')) options.symfs.pop_back();
  }

  // As in perf, a module's own file comes first; only its build id shows that it fits.
  std::shared_ptr<SymbolFile> file(const Mapping& mapping) {
    if (!mapping.kernel) return file(mapping, elf::FileKind::user);
    if (mapping.is_function) return file(mapping, elf::FileKind::function);
    if (!symbols::is_module(mapping.file)) return file(mapping, elf::FileKind::kernel);
    if ((!mapping.build_id.empty() && !mapping.kernel_build_id.empty()) ||
        symbol_list(mapping, elf::FileKind::module, nullptr))
      if (auto own = file(mapping, elf::FileKind::module); own->has_symbols()) return own;
    return file(mapping, elf::FileKind::listed);
  }

  std::shared_ptr<SymbolFile> file(const Mapping& mapping, elf::FileKind kind) {
    auto whole = file(mapping, kind, nullptr, nullptr);
    if (kind != elf::FileKind::user || !mapping.file.starts_with('/') ||
        FileKey::is_made(mapping, kind))
      return whole;
    const symbols::OuterFile::Place* const inner = whole->inner(mapping);
    return inner ? file(mapping, kind, inner, whole.get()) : whole;
  }

  /// Returns the file, or the one at a place inside it, which `outer` has. It is loaded.
  std::shared_ptr<SymbolFile> file(const Mapping& mapping, elf::FileKind kind,
                                   const symbols::OuterFile::Place* inner,
                                   const SymbolFile* outer) {
    const ProcessView view = kind == elf::FileKind::user ? view_of(mapping) : ProcessView();
    const FileKey key(mapping, kind, view.root, inner ? inner->start : 0);
    const std::string text = key.text();
    auto found = known_file(text);
    bool is_new = false;
    if (!found) {
      const std::lock_guard lock(files_mutex);
      const auto at = files.find(text);
      is_new = at == files.end();
      found = is_new ? make_file(key, mapping, view, inner, outer) : at->second;
      if (is_new) files.emplace(text, found);
    }
    found->load_once(mapping);  // without a lock of other files
    if (!is_new || !found->knows_nothing()) return found;
    // Millions of files may have no symbols: the first one stands for all.
    const std::lock_guard lock(files_mutex);
    std::shared_ptr<SymbolFile>& first = nothing[{kind, found->by_address()}];
    if (!first) first = found;
    return files[text] = first;
  }

  /// The names that a recording has of its own: of one kind.
  struct OwnNames {
    symbols::PackedNames packed;
    std::map<std::string_view, perf_format::SymbolList> lists;  ///< by path
  };

  /// Returns nullptr if the recording has none.
  const OwnNames* own_names(const Mapping& mapping) {
    if (!mapping.names || !*mapping.names) return nullptr;
    const std::lock_guard lock(names_mutex);
    const auto [at, is_new] = names.try_emplace(*mapping.names);
    if (!is_new) return &at->second;
    const std::string& text = **mapping.names;
    if (perf_format::has_symbol_lists(text)) {
      for (perf_format::SymbolList& list : perf_format::read_symbol_lists(text)) {
        const std::string_view path = list.path;
        at->second.lists.emplace(path, std::move(list));
      }
    } else if (auto packed = symbols::PackedNames::read(text)) {
      at->second.packed = std::move(*packed);
    } else {
      add_message(warnings, packed.error().text());
    }
    return &at->second;
  }

  /// Returns the names that the recording has of a file. Files that the options name are stronger.
  const symbols::PackedFile* packed_file(const Mapping& mapping, const FileKey& key) {
    const bool of_user = key.kind == elf::FileKind::user;
    if (!options.symfs.empty() ||
        (!of_user && !(options.vmlinux.empty() && options.kallsyms.empty())))
      return nullptr;
    const OwnNames* const own = own_names(mapping);
    return own ? own->packed.file(key.in_recording()) : nullptr;
  }

  /// Returns the symbols that simpleperf recorded of a file; nullptr: none.
  const perf_format::SymbolList* symbol_list(const Mapping& mapping, elf::FileKind kind,
                                             const symbols::OuterFile::Place* inner) {
    const OwnNames* const own = own_names(mapping);
    if (!own || own->lists.empty()) return nullptr;
    const std::string path = !FileKey::has_own_file(kind) ? "[kernel.kallsyms]"
                             : FileKey::is_made(mapping, kind)
                                 ? fmt::format("perf-{}.map", mapping.pid)
                                 : std::string(inner ? inner->name : mapping.file);
    const auto at = own->lists.find(path);
    return at == own->lists.end() ? nullptr : &at->second;
  }

  /// Returns the view of files of a mapping's process; --symfs replaces all views.
  ProcessView view_of(const Mapping& mapping) {
    if (!options.symfs.empty()) return {};
    if (FileKey::is_made(mapping, elf::FileKind::user))
      return processes.view({&mapping.pid, 1}, mapping.here_until);
    if (!mapping.file.starts_with('/') || mapping.here_until == 0) return {};
    std::array<std::int32_t, 8> pids{};
    std::copy_n(mapping.processes.begin(), std::min(pids.size(), mapping.processes.size()),
                pids.begin());
    return processes.view(pids, mapping.here_until);
  }

  void frames(std::uint64_t address, const Mapping& mapping, bool lines,
              std::vector<Frame>& frames) {
    if (is_only_name(mapping)) return frames.assign(1, only_name(address, mapping));
    if (const auto made = made_in_file(address, mapping, lines)) return frames.assign(1, *made);
    file(mapping)->frames(address, mapping, lines, frames);
  }

  /// Returns true for a function that the kernel made, if nothing but its name is known. There may
  /// be millions.
  static bool is_only_name(const Mapping& mapping) {
    return mapping.kernel && mapping.is_function && mapping.lines.empty();
  }
  Frame only_name(std::uint64_t address, const Mapping& mapping) {
    const std::lock_guard lock(functions_mutex);
    return {.function = functions[functions.id(mapping.file)],
            .offset = address - mapping.start,
            .address = address};
  }

  void tell(const std::string& message) {
    if (!options.tell) return;
    const std::lock_guard lock(messages_mutex);
    options.tell(message);
  }

  /// Returns false if the list has the text.
  bool add_once(TextPool& list, const std::string& text) {
    const std::lock_guard lock(messages_mutex);
    const TextPool::Id before = list.size();
    list.id(text);
    return list.size() > before;
  }

  void add_message(TextPool& messages, const std::string& message) {
    if (add_once(messages, message)) tell(message);
  }

  std::vector<std::string> texts_of(const TextPool& list) {
    const std::lock_guard lock(messages_mutex);
    return {list.begin(), list.end()};
  }

  /// Returns the mapping for code of a process's JIT compiler, without the file.
  static Mapping made_mapping(Mapping mapping) {
    mapping.file = {};
    mapping.build_id = {};
    return mapping;
  }

  /// Returns the function of code that a JIT compiler has in a file's mapping. Its map
  /// also has code in memory files and code where a file was mapped before.
  std::optional<Frame> made_in_file(std::uint64_t address, const Mapping& mapping, bool lines) {
    if (mapping.kernel || symbols::is_of_run_time(mapping)) return {};
    const bool is_memory =
        mapping.pid != -1 && (symbols::is_named_memory(mapping.file) ? mapping.build_id.empty()
                                                                     : mapping.jitdump.empty());
    if (mapping.jitdump.empty() && !is_memory) return {};
    const Mapping of_made = made_mapping(mapping);
    const auto of_process = file(of_made);
    std::optional<Frame> made = of_process->made_function(address, of_made, lines);
    if (!made && is_memory) made = of_process->function(address, of_made);
    return made && !made->function.empty() ? made : std::nullopt;
  }

  /// Returns nullptr if nobody asked for the file before; `text` is FileKey::text().
  std::shared_ptr<SymbolFile> known_file(const std::string& text) {
    const std::shared_lock lock(files_mutex);
    const auto at = files.find(text);
    return at == files.end() ? nullptr : at->second;
  }

  /// Returns the function that frames() names.
  symbols::FunctionPlace place(std::uint64_t address, const Mapping& mapping) {
    if (is_only_name(mapping)) return {};
    const bool is_made = made_in_file(address, mapping, false).has_value();
    const Mapping at = is_made ? made_mapping(mapping) : mapping;
    const auto of = file(at);
    symbols::FunctionPlace found = of->extent(address, at);
    if (found.end != 0) found.file = of;
    return found;
  }

  std::shared_ptr<SymbolFile> make_file(const FileKey& key, const Mapping& mapping,
                                        const ProcessView& view,
                                        const symbols::OuterFile::Place* inner,
                                        const SymbolFile* outer) {
    const auto owned = [](std::span<const std::uint8_t> id) {
      return std::vector<std::uint8_t>(id.begin(), id.end());
    };
    elf::SymbolSearch search{options,
                             budget,
                             key.kind,
                             inner ? inner->name : std::string(key.name),
                             inner && inner->origin != 0       ? std::vector<std::uint8_t>()
                             : key.kind == elf::FileKind::user ? owned(mapping.build_id)
                                                               : owned(key.build_id),
                             std::string(key.kernel_release),
                             mapping.pid,
                             view.root.empty() ? options.symfs : std::string(view.root),
                             view.pid,
                             view.is_denied,
                             mapping.here_until != 0,
                             key.machine,
                             key.big_endian,
                             key.inode,
                             key.here_until,
                             symbols::is_own_vdso(mapping),
                             [this](const std::string& message) { tell(message); },
                             [this](const std::string& message) { add_message(problems, message); },
                             [this](const std::string& message) { add_message(warnings, message); },
                             [this](const std::string& path) { add_once(plain_files, path); },
                             [this](const std::string& name) { add_once(files_by_path, name); },
                             inner ? outer->extract(*inner) : nullptr};
    return std::make_shared<SymbolFile>(
        std::move(search),
        inner ? symbols::InnerFile{.name = inner->name, .origin = inner->origin}
              : symbols::InnerFile(),
        SymbolFile::Names{packed_file(mapping, key), symbol_list(mapping, key.kind, inner),
                          collects ? key.in_recording() : "", collects},
        code_numbers);
  }

  SymbolOptions options;
  elf::Budget budget{[this](const std::string& message) { add_message(problems, message); }};
  symbols::ProcessFiles processes;
  std::atomic<bool> collects = false;           ///< names, for SymbolsAccess::collected()
  std::atomic<std::uint64_t> code_numbers = 0;  ///< of the histories so far
  std::shared_mutex files_mutex;
  std::unordered_map<std::string, std::shared_ptr<SymbolFile>> files;  ///< by FileKey::text()
  std::map<std::pair<elf::FileKind, bool>, std::shared_ptr<SymbolFile>>
      nothing;  ///< see SymbolFile::knows_nothing()
  std::mutex names_mutex;
  std::map<std::shared_ptr<const std::string>, OwnNames> names;  ///< of names_mutex
  std::mutex functions_mutex;
  TextPool functions;  ///< of functions_mutex: names that the kernel gave
  std::mutex messages_mutex;
  TextPool problems, warnings, plain_files, files_by_path;  ///< of messages_mutex, too
};

Symbols::Symbols(SymbolOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Symbols::~Symbols() = default;

bool Symbols::reads_elf() { return symbols::reads_elf(); }
const SymbolOptions& Symbols::options() const { return state_->options; }
bool Symbols::has_calls() const { return state_->options.inlines; }

void Symbols::frames(std::uint64_t address, const Mapping& mapping,
                     std::vector<Frame>& frames) const {
  state_->frames(address, mapping, state_->options.lines, frames);
}

void Symbols::calls(std::uint64_t address, const Mapping& mapping,
                    std::vector<Frame>& frames) const {
  state_->frames(address, mapping, false, frames);
}

Frame Symbols::function(std::uint64_t address, const Mapping& mapping) const {
  if (State::is_only_name(mapping)) return state_->only_name(address, mapping);
  if (const auto made = state_->made_in_file(address, mapping, false)) return *made;
  return state_->file(mapping)->function(address, mapping);
}

symbols::KnownCode detail::SymbolsAccess::code_of(const Symbols& symbols, const Mapping& mapping) {
  if (mapping.kernel || mapping.jitdump.empty()) return {};
  const Mapping made = Symbols::State::made_mapping(mapping);
  return symbols.state_->file(made)->code(made);
}

const symbols::InnerFile* detail::SymbolsAccess::inner_file(const Symbols& symbols,
                                                            const Mapping& mapping) {
  if (mapping.kernel || !mapping.file.starts_with('/')) return nullptr;
  return symbols.state_->file(mapping)->as_inner();
}

std::string detail::SymbolsAccess::frame_table_path(const Symbols& symbols,
                                                    const Mapping& mapping) {
  return symbols.state_->file(mapping)->frame_table_path(mapping);
}

symbols::FunctionPlace detail::SymbolsAccess::function_place(const Symbols& symbols,
                                                             std::uint64_t address,
                                                             const Mapping& mapping) {
  return symbols.state_->place(address, mapping);
}

elf::CodePiece detail::SymbolsAccess::code_at(const Symbols& symbols, std::uint64_t address,
                                              const Mapping& mapping, std::uint64_t size) {
  return symbols.state_->file(mapping)->code_at(address, mapping, size);
}

void detail::SymbolsAccess::collect(const Symbols& symbols) { symbols.state_->collects = true; }

symbols::Collected detail::SymbolsAccess::collected(const Symbols& symbols) {
  symbols::Collected out;
  std::vector<symbols::CollectedFile> files;
  const std::shared_lock lock(symbols.state_->files_mutex);
  for (const auto& [key, kept] : symbols.state_->files) {
    symbols::CollectedFile file{.identity = kept->identity()};
    if (kept->knows_nothing() || kept->is_function()) continue;
    kept->collect(file);
    if (file.is_empty()) continue;
    out.places += file.named();
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &symbols::CollectedFile::identity);
  if (!files.empty()) out.packed = symbols::pack_names(files);
  return out;
}

std::string Symbols::file_path(const Mapping& mapping) const {
  return state_->file(mapping)->path(mapping);
}

std::vector<std::string> Symbols::plain_files() const {
  return state_->texts_of(state_->plain_files);
}

std::vector<std::string> Symbols::files_by_path() const {
  return state_->texts_of(state_->files_by_path);
}

std::vector<std::string> Symbols::problems() const {
  std::vector<std::string> all = warnings();
  for (std::string& problem : state_->texts_of(state_->problems)) all.push_back(std::move(problem));
  return all;
}

std::vector<std::string> Symbols::warnings() const { return state_->texts_of(state_->warnings); }

// dso__set_basename and kmod_path__parse of tools/perf/util/dso.c: "/lib/…/snd-seq.ko.xz" is
// "[snd_seq]".
std::string dso_name(const Mapping& mapping) {
  const std::string_view name = mapping.file;
  if (mapping.kernel) {
    if (mapping.is_function) return std::string(name);
    if (symbols::is_kernel_image(name)) return std::string(name.substr(0, name.find(']') + 1));
    if (name.empty()) return "[unknown]";
    if (last_part(name).find(".ko") == name.npos) return std::string(name);
    return fmt::format("[{}]", perf_format::module_name(name));
  }
  if (name.empty()) return "[unknown]";
  if (mapping.pid != -1 && symbols::is_without_file(name))
    return fmt::format("/tmp/perf-{}.map", mapping.pid);
  if (symbols::is_vdso(name)) return "[vdso]";
  return std::string(name);
}

}  // namespace evname
