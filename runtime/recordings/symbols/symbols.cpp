#include "evname/symbols.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/lazy.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/symbols/code_history.hpp"
#include "recordings/symbols/elf_search.hpp"
#include "recordings/symbols/machine_pairs.hpp"
#include "recordings/symbols/mapping_kinds.hpp"
#include "recordings/symbols/plain_symbols.hpp"

namespace evname::symbols {

std::string within(const std::string& symfs, const std::string& path) {
  constexpr unsigned kMostLinks = 40;  // as many as Linux follows
  if (symfs.empty() || !path.starts_with(symfs + "/")) return path;
  std::string done;
  std::vector<std::string> rest;  // the next one is last
  const auto go_to = [&](std::string_view names) {
    const auto parts = split(names, '/');
    for (auto name = parts.rbegin(); name != parts.rend(); ++name)
      if (!name->empty() && *name != ".") rest.emplace_back(*name);
  };
  go_to(std::string_view(path).substr(symfs.size()));
  for (unsigned links = 0; !rest.empty();) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    const std::size_t parent = done.size();
    if (name == "..") {
      done.resize(done.empty() ? 0 : done.rfind('/'));
      continue;
    }
    done += '/' + name;
    std::error_code is_no_link;
    const auto target = std::filesystem::read_symlink(symfs + done, is_no_link);
    if (is_no_link) continue;
    if (++links > kMostLinks) return symfs;  // a directory, of which nothing is read
    done.resize(target.is_absolute() ? 0 : parent);
    go_to(target.native());
  }
  return symfs + done;
}

namespace {

/// The symbols of one file, whatever they are read from, and that when they are first asked for.
class SymbolFile {
 public:
  /// `code_numbers` counts all code of histories.
  SymbolFile(SymbolSearch search, std::atomic<std::uint64_t>& code_numbers)
      : search_(std::move(search)), code_numbers_(code_numbers) {}

  Frame function(std::uint64_t address, const Mapping& mapping);
  void frames(std::uint64_t address, const Mapping& mapping, bool lines,
              std::vector<Frame>& frames);
  std::string path(const Mapping& mapping);
  bool has_symbols(const Mapping& mapping);
  KnownCode code(const Mapping& mapping);
  /// Returns the function that a dump has; nullopt for an address where it never has any, which the
  /// map is asked about. That has no times.
  std::optional<Frame> made_function(std::uint64_t address, const Mapping& mapping, bool lines);

 private:
  void load(const Mapping& mapping);
  void load_function(const Mapping& mapping);
  void load_kernel();
  void load_run_time(const Mapping& mapping);
  void load_jitdump(std::string_view jitdump, std::span<const std::uint32_t> owners);
  void load_perf_map(std::span<const std::uint32_t> owners);
  void check_clock(const Mapping& mapping);
  std::string_view name_of(const Symbol& symbol);
  std::uint64_t place_of(std::uint64_t address, const Mapping& mapping) const;

  SymbolSearch search_;
  Once loaded_;
  SymbolTable own_;  ///< of kallsyms and JIT compilers' maps
  std::optional<CodeHistory> history_;
  std::atomic<std::uint64_t>& code_numbers_;
  std::uint64_t first_code_number_ = 0;
  std::atomic<bool> knows_no_time_ = false;  ///< and that was reported
  const SymbolTable* table_ = nullptr;
  std::unique_ptr<ElfSymbols> elf_;
  bool by_address_ = false;
  std::uint64_t moved_ = 0;  ///< how far the kernel of the recording is from that of the table
  std::mutex mutex_;         ///< of names_
  std::unordered_map<const Symbol*, std::string> names_;  ///< those asked for
};

void SymbolFile::load(const Mapping& mapping) {
  if (search_.kind == FileKind::function)
    load_function(mapping);
  else if (search_.kind == FileKind::module)
    elf_ = find_module(search_);
  else if (search_.kind != FileKind::user)
    load_kernel();
  else if (is_of_run_time(mapping))
    load_run_time(mapping);
  else
    elf_ = find_elf_symbols(search_);
  if (elf_) table_ = &elf_->table();
  const auto text = by_address_ && mapping.kernel && table_ ? table_->text_start() : std::nullopt;
  if (text && mapping.offset != 0) moved_ = *text - mapping.offset;
}

void SymbolFile::load_function(const Mapping& mapping) {
  by_address_ = true;
  own_.add({mapping.start, mapping.end, search_.name.c_str(), kFunction, kGlobal});
  own_.sort();
  table_ = &own_;
}

// As dso__load_kernel_sym of tools/perf/util/symbol.c, but kallsyms of another kernel are never
// used.
void SymbolFile::load_kernel() {
  by_address_ = true;
  const bool listed = search_.kind == FileKind::listed;
  if (!listed && search_.options.kallsyms.empty() && (elf_ = find_vmlinux(search_))) return;
  const char* const what = listed ? "modules" : "kernel";
  std::vector<std::string> places;
  const auto running = running_kernel_build_id();
  if (!search_.options.kallsyms.empty()) {
    places = {search_.options.kallsyms};
  } else {
    if (!search_.build_id.empty() && running == search_.build_id) places = {"/proc/kallsyms"};
    std::string cached = fmt::format("{}/[kernel.kallsyms]/{}/kallsyms", search_.options.cache,
                                     hex_text(search_.build_id));
    std::error_code none;  // files of the kernel, such as /proc/kmsg, say that they are empty
    if (!search_.build_id.empty() && std::filesystem::file_size(cached, none) != 0)
      places.push_back(std::move(cached));
  }
  for (const std::string& place : places) {
    auto table = read_kallsyms(place, search_.budget, listed);
    if (!table || table->empty() ||
        table->text_start().value_or(1) == 0) {  // addresses that only root may see are 0
      search_.tell(fmt::format("{}: no symbols in {}", what, place));
      continue;
    }
    own_ = std::move(*table);
    table_ = &own_;
    search_.tell(fmt::format("{}: symbols of {}", what, place));
    if (!place.starts_with("/proc/")) search_.used(place);
    return;
  }
  search_.problem(
      !search_.options.kallsyms.empty() ? fmt::format("{}: no symbols in {}", what, places[0])
      : search_.build_id.empty()
          ? fmt::format("{}: the recording does not tell the kernel's build id, so no symbols fit",
                        what)
          : fmt::format(
                "{}: no symbols of build id {}{}", what, hex_text(search_.build_id),
                running.empty() || running == search_.build_id ? "" : "; another kernel runs"));
}

/// Returns the users whose files name the functions of a process: root, who runs this, and the
/// process' own if it lives. perf takes the first two.
std::vector<std::uint32_t> owners_of_functions(std::int32_t pid) {
  std::vector<std::uint32_t> owners{0, ::geteuid()};
  struct stat process;
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &process) == 0) owners.push_back(process.st_uid);
  return owners;
}

void SymbolFile::load_run_time(const Mapping& mapping) {
  by_address_ = true;
  const std::vector<std::uint32_t> owners = owners_of_functions(search_.pid);
  if (!mapping.jitdump.empty()) load_jitdump(mapping.jitdump, owners);
  load_perf_map(owners);
}

void SymbolFile::load_jitdump(std::string_view jitdump, std::span<const std::uint32_t> owners) {
  const std::string& symfs = search_.options.symfs;
  const std::string name = symfs + inside_of(symfs, jitdump);
  std::string path = within(symfs, name);
  auto history = CodeHistory::read(path, owners);
  if (!history) {
    if (history.error().code != Errc::not_found) search_.problem(history.error().text());
    return search_.tell(fmt::format("{}: there is no {}", search_.name, name));
  }
  if (!history->damage().empty())
    search_.warning(fmt::format("{}: {}; what follows is not read", name, history->damage()));
  search_.tell(fmt::format("{}: {} functions of {}", search_.name, history->size(), name));
  search_.used(std::move(path));
  first_code_number_ = code_numbers_.fetch_add(history->size());
  history_ = std::move(*history);
}

void SymbolFile::load_perf_map(std::span<const std::uint32_t> owners) {
  const std::string& symfs = search_.options.symfs;
  const std::string name = fmt::format("{}/tmp/perf-{}.map", symfs, search_.pid);
  std::string path = within(symfs, name);
  UnreadLines unread;
  auto table = read_perf_map(path, search_.budget, owners, &unread);
  if (!table) {
    if (table.error().code != Errc::not_found) search_.problem(table.error().text());
    return search_.tell(fmt::format("{}: there is no {}", search_.name, name));
  }
  if (unread.count != 0)
    search_.warning(fmt::format("{}: {} can't be read, the first of which is line {}", name,
                                counted(unread.count, "line", "lines"), unread.first));
  search_.tell(fmt::format("{}: {} functions of {}", search_.name, table->size(), name));
  search_.used(std::move(path));
  own_ = std::move(*table);
  table_ = &own_;
}

/// Reports once that code can't be told from other code at its address.
void SymbolFile::check_clock(const Mapping& mapping) {
  if (!history_ || history_->knows(CodeTime(mapping)) || knows_no_time_.exchange(true)) return;
  search_.warning(fmt::format(
      "{}: the recording's clock is not that of this dump ({}), so that code has no name if other "
      "code was at its address before or after it",
      mapping.jitdump,
      history_->has_counter() ? "the CPU's counter: record without -k, on a machine whose kernel "
                                "tells how to convert it"
                              : "CLOCK_MONOTONIC: record with -k mono"));
}

KnownCode SymbolFile::code(const Mapping& mapping) {
  loaded_.run([&] { load(mapping); });
  check_clock(mapping);
  return {history_ ? &*history_ : nullptr, first_code_number_};
}

std::uint64_t SymbolFile::place_of(std::uint64_t address, const Mapping& mapping) const {
  if (by_address_) return address + moved_;
  return address - mapping.start + (search_.kind == FileKind::module ? 0 : mapping.offset);
}

std::string_view SymbolFile::name_of(const Symbol& symbol) {
  if (!symbol.mangled && !symbol.stub) {
    const std::string_view name(symbol.name);
    return name.substr(0, name.find('\t'));  // a module follows
  }
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = names_.try_emplace(&symbol);
  if (is_new) at->second = shown_name(symbol, search_.budget);
  return at->second;
}

std::optional<Frame> SymbolFile::made_function(std::uint64_t address, const Mapping& mapping,
                                               bool lines) {
  loaded_.run([&] { load(mapping); });
  if (!history_ || !history_->has(address)) return std::nullopt;
  check_clock(mapping);
  Frame frame{.address = address};
  const CodeHistory::Code* const code = history_->find(address, CodeTime(mapping));
  if (!code) return frame;
  frame.function = history_->name(*code);
  frame.offset = address - code->start;
  if (!lines || !history_->has_lines(*code)) return frame;
  frame.has_debug_info = true;
  std::tie(frame.source, frame.line) = history_->line(*code, address);
  return frame;
}

Frame SymbolFile::function(std::uint64_t address, const Mapping& mapping) {
  if (const auto made = made_function(address, mapping, false)) return *made;
  const std::uint64_t place = place_of(address, mapping);
  // Modules do not move with their kernel.
  const bool elsewhere = moved_ != 0 && mapping.kernel && !is_kernel_image(mapping.file);
  const Symbol* symbol = table_ && !elsewhere ? table_->find(place) : nullptr;
  // What is behind the recorded image is in it only if no module has it.
  const bool is_outside = address < mapping.start || address >= mapping.end;
  if (symbol && is_outside && search_.kind == FileKind::kernel && std::strchr(symbol->name, '\t'))
    symbol = nullptr;
  const std::uint64_t own = elf_ ? elf_->address_of(place) : place;
  if (!symbol) return {.address = own};
  return {.function = name_of(*symbol), .offset = place - symbol->start, .address = own};
}

bool SymbolFile::has_symbols(const Mapping& mapping) {
  loaded_.run([&] { load(mapping); });
  return table_ != nullptr;
}

std::string SymbolFile::path(const Mapping& mapping) {
  loaded_.run([&] { load(mapping); });
  return elf_ ? elf_->path() : std::string();
}

void SymbolFile::frames(std::uint64_t address, const Mapping& mapping, bool lines,
                        std::vector<Frame>& frames) {
  if (const auto made = made_function(address, mapping, lines)) return frames.assign(1, *made);
  const Frame whole = function(address, mapping);
  // perf looks for inlined calls only if it knows the function.
  const FrameDetails details{search_.options.inlines && !whole.function.empty(), lines};
  const bool known = (details.inlines || lines) && elf_ &&
                     elf_->frames(place_of(address, mapping), whole, details, frames);
  if (!known) frames.assign(1, whole);
}

/// Returns true for the vdso of a process of 32 bits under a kernel of 64.
bool is_narrow_vdso(const Mapping& mapping) {
  return is_vdso(mapping.file) && is_of_narrow_process(mapping.start, mapping.machine);
}

/// Returns the version in a kernel's release: "6.1.0" of "6.1.0-44-amd64".
std::string_view version_of(std::string_view release) {
  return release.substr(0, release.find('-'));
}

/// Returns true if the vdso may be that of the kernel that runs, whose image has the machine: the
/// build id of the kernel says so or, if it is not recorded, the version in the release.
bool is_own_vdso(const Mapping& mapping) {
  if (!mapping.build_id.empty() || !is_vdso(mapping.file) || is_narrow_vdso(mapping)) return false;
  if (!mapping.kernel_build_id.empty())
    return std::ranges::equal(mapping.kernel_build_id, running_kernel_build_id());
  utsname running{};
  return mapping.machine != 0 && ::uname(&running) == 0 && !mapping.kernel_release.empty() &&
         version_of(mapping.kernel_release) == version_of(running.release);
}

/// The key of a file: all that says which one it is, so that two that differ in any of it are two.
/// What JIT compilers make differs by process, whatever its memory is called, and begins anew with
/// each dump. All parts of a kernel's image are in one file, and so is that of modules whose files
/// are not here. A vdso without a build id is the kernel's.
struct FileKey {
  FileKind kind;
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

  FileKey(const Mapping& mapping, FileKind of)
      : kind(of),
        name(name_of(mapping, of)),
        build_id(build_id_of(mapping, of)),
        kernel_release(of == FileKind::kernel || is_vdso(mapping.file) ? mapping.kernel_release
                                                                       : std::string_view()),
        pid(is_made(mapping, of) ? mapping.pid : -1),
        kernel_text(has_own_file(of) ? 0 : mapping.offset),
        jitdump(pid != -1 ? mapping.jitdump : std::string_view()),
        machine(mapping.machine),
        big_endian(mapping.big_endian),
        inode(has_inode(mapping, of) ? mapping.inode : Inode()),
        here_until(has_inode(mapping, of) ? mapping.here_until : 0),
        start(of == FileKind::function ? mapping.start : 0),
        is_narrow(is_narrow_vdso(mapping)) {}

  static bool has_own_file(FileKind kind) {
    return kind != FileKind::kernel && kind != FileKind::listed;
  }
  static bool is_made(const Mapping& mapping, FileKind kind) {
    return kind == FileKind::user && is_of_run_time(mapping);
  }
  static bool has_inode(const Mapping& mapping, FileKind kind) {
    return kind == FileKind::user && mapping.build_id.empty() && !is_of_run_time(mapping);
  }
  static std::string_view name_of(const Mapping& mapping, FileKind kind) {
    if (!has_own_file(kind)) return "kernel";
    return is_made(mapping, kind) ? "JIT code" : mapping.file;
  }

  static std::span<const std::uint8_t> build_id_of(const Mapping& mapping, FileKind kind) {
    if (is_made(mapping, kind)) return {};
    const bool of_kernel = kind == FileKind::user
                               ? mapping.build_id.empty() && is_vdso(mapping.file)
                               : kind != FileKind::module && !mapping.kernel_build_id.empty();
    return of_kernel ? mapping.kernel_build_id : mapping.build_id;
  }

  bool operator<(const FileKey& other) const {
    const auto head = [](const FileKey& key) {
      return std::tie(key.kind, key.name, key.pid, key.kernel_text, key.kernel_release, key.jitdump,
                      key.machine, key.big_endian, key.inode, key.here_until, key.start,
                      key.is_narrow);
    };
    const auto own = head(*this), others = head(other);
    if (own != others) return own < others;
    return std::ranges::lexicographical_compare(build_id, other.build_id);
  }
};

}  // namespace

}  // namespace evname::symbols

namespace evname {

using symbols::FileKey;
using symbols::FileKind;
using symbols::SymbolFile;

struct Symbols::State {
  explicit State(SymbolOptions how) : options(std::move(how)) {
    const char* home = ::secure_getenv("HOME");
    if (options.cache.empty()) options.cache = fmt::format("{}/.debug", home ? home : "");
    while (options.symfs.ends_with('/')) options.symfs.pop_back();
  }

  // As in perf a module's own file comes first; it is known to fit by its build id only.
  SymbolFile& file(const Mapping& mapping) {
    if (!mapping.kernel) return file(mapping, FileKind::user);
    if (mapping.is_function) return file(mapping, FileKind::function);
    if (!symbols::is_module(mapping.file)) return file(mapping, FileKind::kernel);
    if (!mapping.build_id.empty() && !mapping.kernel_build_id.empty())
      if (SymbolFile& own = file(mapping, FileKind::module); own.has_symbols(mapping)) return own;
    return file(mapping, FileKind::listed);
  }

  SymbolFile& file(const Mapping& mapping, FileKind kind) {
    const FileKey key(mapping, kind);
    {
      const std::shared_lock lock(files_mutex);
      if (const auto at = files.find(key); at != files.end()) return *at->second;
    }
    const std::lock_guard lock(files_mutex);
    if (const auto at = files.find(key); at != files.end()) return *at->second;
    auto made = std::make_unique<KeyedFile>(key, mapping, *this);
    FileKey own = key;
    own.name = made->name;
    own.build_id = made->build_id;
    own.kernel_release = made->kernel_release;
    own.jitdump = made->jitdump;
    SymbolFile& file = made->file;
    kept.push_back(std::move(made));
    files.emplace(own, &file);
    return file;
  }

  void frames(std::uint64_t address, const Mapping& mapping, bool lines,
              std::vector<Frame>& frames) {
    if (const auto made = made_in_file(address, mapping, lines)) return frames.assign(1, *made);
    file(mapping).frames(address, mapping, lines, frames);
  }

  void tell(const std::string& message) {
    if (!options.tell) return;
    const std::lock_guard lock(messages_mutex);
    options.tell(message);
  }

  /// Returns false if the list has the text.
  bool add_once(std::vector<std::string>& list, const std::string& text) {
    const std::lock_guard lock(messages_mutex);
    const bool is_new = std::find(list.begin(), list.end(), text) == list.end();
    if (is_new) list.push_back(text);
    return is_new;
  }

  void add_message(std::vector<std::string>& messages, const std::string& message) {
    if (add_once(messages, message)) tell(message);
  }

  /// Returns the mapping of what the JIT compiler of a process has made, whatever file is there.
  static Mapping made_mapping(Mapping mapping) {
    mapping.file = {};
    mapping.build_id = {};
    return mapping;
  }

  /// Returns the function of code that a JIT compiler has in a file's mapping.
  std::optional<Frame> made_in_file(std::uint64_t address, const Mapping& mapping, bool lines) {
    if (mapping.kernel || mapping.jitdump.empty() || symbols::is_of_run_time(mapping)) return {};
    const Mapping of_made = made_mapping(mapping);
    auto made = file(of_made).made_function(address, of_made, lines);
    return made && !made->function.empty() ? made : std::nullopt;
  }

  /// A file, and the texts that its key has views of.
  struct KeyedFile {
    KeyedFile(const FileKey& key, const Mapping& mapping, State& state)
        : name(key.name),
          build_id(key.build_id.begin(), key.build_id.end()),
          kernel_release(key.kernel_release),
          jitdump(key.jitdump),
          file(
              {state.options, state.budget, key.kind, name,
               key.kind == FileKind::user
                   ? std::vector<std::uint8_t>(mapping.build_id.begin(), mapping.build_id.end())
                   : build_id,
               kernel_release, mapping.pid, key.machine, key.big_endian, key.inode, key.here_until,
               symbols::is_own_vdso(mapping),
               [&state](const std::string& message) { state.tell(message); },
               [&state](const std::string& message) { state.add_message(state.problems, message); },
               [&state](const std::string& message) { state.add_message(state.warnings, message); },
               [&state](const std::string& path) { state.add_once(state.plain_files, path); },
               [&state](const std::string& name) { state.add_once(state.files_by_path, name); }},
              state.code_numbers) {}

    std::string name;
    std::vector<std::uint8_t> build_id;
    std::string kernel_release, jitdump;
    SymbolFile file;
  };

  SymbolOptions options;
  symbols::Budget budget{[this](const std::string& message) { add_message(problems, message); }};
  std::atomic<std::uint64_t> code_numbers = 0;  ///< of the histories so far
  std::shared_mutex files_mutex;
  std::map<FileKey, SymbolFile*> files;
  std::vector<std::unique_ptr<KeyedFile>> kept;
  std::mutex messages_mutex;
  std::vector<std::string> problems, warnings, plain_files,
      files_by_path;  ///< of messages_mutex, too
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
  if (const auto made = state_->made_in_file(address, mapping, false)) return *made;
  return state_->file(mapping).function(address, mapping);
}

symbols::KnownCode detail::SymbolsAccess::code_of(const Symbols& symbols, const Mapping& mapping) {
  if (mapping.kernel || mapping.jitdump.empty()) return {};
  const Mapping made = Symbols::State::made_mapping(mapping);
  return symbols.state_->file(made).code(made);
}

std::string Symbols::file_path(const Mapping& mapping) const {
  return state_->file(mapping).path(mapping);
}

std::vector<std::string> Symbols::plain_files() const {
  const std::lock_guard lock(state_->messages_mutex);
  return state_->plain_files;
}

std::vector<std::string> Symbols::files_by_path() const {
  const std::lock_guard lock(state_->messages_mutex);
  return state_->files_by_path;
}

std::vector<std::string> Symbols::problems() const {
  const std::lock_guard lock(state_->messages_mutex);
  std::vector<std::string> all = state_->warnings;
  all.insert(all.end(), state_->problems.begin(), state_->problems.end());
  return all;
}

std::vector<std::string> Symbols::warnings() const {
  const std::lock_guard lock(state_->messages_mutex);
  return state_->warnings;
}

// dso__set_basename and kmod_path__parse of tools/perf/util/dso.c: "/lib/…/snd-seq.ko.xz" is
// "[snd_seq]".
std::string dso_name(const Mapping& mapping) {
  const std::string_view name = mapping.file;
  if (mapping.kernel) {
    if (mapping.is_function) return std::string(name);
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
