#include "recordings/symbols/symbol_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/longest_names.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/elf/rooted_path.hpp"
#include "recordings/symbols/mapping_kinds.hpp"
#include "recordings/symbols/plain_symbols.hpp"

namespace evname::symbols {

void SymbolFile::load(const Mapping& mapping) {
  using enum elf::FileKind;
  by_address_ = search_.kind == user ? is_of_run_time(mapping) : search_.kind != module;
  if (names_from_.packed)
    load_packed(*names_from_.packed);
  else if (names_from_.list)
    load_list(*names_from_.list, mapping);
  else
    load_files(mapping);
  if (!shown_.name.empty()) {
    if (elf_) shown_.build_id = elf_->build_id();
    shown_.build_id_text = hex_text(shown_.build_id);
  }
  const auto text = by_address_ && mapping.kernel && table_ ? table_->text_start() : std::nullopt;
  if (text && mapping.offset != 0) moved_ = *text - mapping.offset;
}

void SymbolFile::load_files(const Mapping& mapping) {
  if (search_.kind == elf::FileKind::function)
    load_function(mapping);
  else if (search_.kind == elf::FileKind::module)
    elf_ = find_module(search_);
  else if (search_.kind != elf::FileKind::user)
    load_kernel();
  else if (is_of_run_time(mapping))
    load_run_time(mapping);
  else
    load_elf();
  if (elf_) table_ = &elf_->table();
}

void SymbolFile::load_packed(const PackedFile& packed) {
  search_.tell(fmt::format("{}: names in the recording", search_.name));
  if (!search_.options.demangle)
    search_.problem("the names in the recording are demangled: they are shown so");
  shown_.build_id.assign(packed.build_id().begin(), packed.build_id().end());
  if (packed.jitdump().empty()) return;
  auto history = CodeHistory::of_bytes(packed.jitdump(), search_.name);
  if (!history) return search_.problem(history.error().text());
  keep_history(std::move(*history));
}

// A file of the recorded build id has more than the list: lines, inlined calls, all functions.
void SymbolFile::load_list(const perf_format::SymbolList& list, const Mapping& mapping) {
  const SymbolOptions& options = search_.options;
  const bool names_kernel =
      mapping.kernel && !(options.vmlinux.empty() && options.kallsyms.empty());
  if (!search_.build_id.empty() || !options.symfs.empty() || names_kernel) {
    const auto problem = std::exchange(search_.problem, [](const std::string&) {});
    load_files(mapping);
    search_.problem = problem;
  }
  if (table_) return;
  const bool is_by_address = by_address_ || mapping.offset == mapping.start;
  const std::uint64_t of_mapping = list.counts_from_mapping ? mapping.offset : 0;
  add_symbols(list, is_by_address ? 0 : list.shift + of_mapping);
  table_ = &own_;
  search_.tell(fmt::format("{}: {} functions of the recording", search_.name, own_.size()));
}

/// Adds symbols whose places are that far from their addresses.
void SymbolFile::add_symbols(const perf_format::SymbolList& list, std::uint64_t shift) {
  constexpr std::string_view kOfLinker = "__dl_";  // Android's linker gives it to all of its names
  const bool demangles = search_.options.demangle && search_.kind == elf::FileKind::user;
  for (const perf_format::ListedSymbol& symbol : list.symbols) {
    const std::uint64_t start = symbol.start + shift;
    if (symbol.size > UINT64_MAX - start) continue;
    std::string name(symbol.name.substr(0, kLongestPath));
    if (demangles && name.starts_with(kOfLinker)) {
      name.erase(0, kOfLinker.size());
      const std::string demangled = elf::demangle(name.c_str(), search_.budget);
      name = "[linker]" + (demangled.empty() ? name : demangled);
    }
    own_.add(
        {start, start + symbol.size, own_.keep(name), elf::kFunction, elf::kGlobal, demangles});
  }
  own_.sort();
}

void SymbolFile::keep_history(CodeHistory history) {
  first_code_number_ = code_numbers_.fetch_add(history.size());
  history_ = std::move(history);
}

/// Finds the files even if the recording has names of its own.
void SymbolFile::find_files(const Mapping& mapping) {
  if (names_from_.packed && !is_of_run_time(mapping)) found_.run([&] { load_files(mapping); });
}

// As in perf, files as a running process sees them come first.
void SymbolFile::load_elf() {
  const auto find = [&] {
    elf_ = find_elf_symbols(search_);
    if (!elf_ && !search_.inner) outer_ = OuterFile::open(search_);
    return elf_ || outer_;
  };
  if (find() || search_.root == search_.options.symfs) return;
  search_.root = search_.options.symfs;
  find();
}

const OuterFile::Place* SymbolFile::inner(const Mapping& mapping) {
  const PackedFile* const packed = names_from_.packed;
  if (!outer_ && !packed) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = inner_.try_emplace(mapping.offset);
  if (is_new) at->second = packed ? packed->inner(mapping.offset) : outer_->at(mapping.offset);
  return at->second ? &*at->second : nullptr;
}

void SymbolFile::load_function(const Mapping& mapping) {
  own_.add({mapping.start, mapping.end, search_.name.c_str(), elf::kFunction, elf::kGlobal});
  own_.sort();
  table_ = &own_;
  lines_.assign(mapping.lines.begin(), mapping.lines.end());
  for (CodeLine& line : lines_) line.source = own_.keep(line.source);
}

// As dso__load_kernel_sym of tools/perf/util/symbol.c, but kallsyms of another kernel are never
// used.
void SymbolFile::load_kernel() {
  const bool listed = search_.kind == elf::FileKind::listed;
  const auto running = running_kernel_build_id();
  const bool runs = !search_.build_id.empty() && running == search_.build_id;
  if (!listed && search_.options.kallsyms.empty() && (elf_ = find_vmlinux(search_))) {
    if (runs) find_core();
    return;
  }
  const char* const what = listed ? "modules" : "kernel";
  std::vector<std::string> places;
  if (!search_.options.kallsyms.empty()) {
    places = {search_.options.kallsyms};
  } else {
    if (runs) places = {"/proc/kallsyms"};
    std::string cached = fmt::format("{}/[kernel.kallsyms]/{}/kallsyms", search_.options.cache,
                                     hex_text(search_.build_id));
    std::error_code none;  // files of the kernel, such as /proc/kmsg, have size 0
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
    core_ = place.substr(0, place.rfind('/') + 1) + "kcore";  // as perf does
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

/// Finds the memory of the running kernel, which an image is of.
void SymbolFile::find_core() {
  const auto list = read_kallsyms("/proc/kallsyms", search_.budget, /*modules=*/true);
  const auto here = list ? list->text_start() : std::nullopt, there = elf_->table().text_start();
  if (!here || *here == 0 || !there) return;
  core_ = "/proc/kcore";
  core_moved_ = *here - *there;
}

/// Returns the users whose files may name the functions of a process: root, this process's user,
/// and the recorded process's user if it runs. perf accepts the first two.
std::vector<std::uint32_t> owners_of_functions(std::int32_t pid) {
  std::vector<std::uint32_t> owners{0, ::geteuid()};
  struct stat process;
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &process) == 0) owners.push_back(process.st_uid);
  return owners;
}

void SymbolFile::load_run_time(const Mapping& mapping) {
  const std::vector<std::uint32_t> owners = owners_of_functions(search_.pid);
  if (!mapping.jitdump.empty()) load_jitdump(mapping.jitdump, owners);
  load_perf_maps(owners);
}

void SymbolFile::load_jitdump(std::string_view jitdump, std::span<const std::uint32_t> owners) {
  std::string path, name;
  Result<CodeHistory> history = fail(Errc::not_found, "");
  for (const std::string& root : {search_.root, search_.options.symfs}) {
    if (history || history.error().code != Errc::not_found) break;
    name = root + elf::inside_of(root, jitdump);
    path = elf::within(root, name);
    history = CodeHistory::read(path, owners);
  }
  if (!history) {
    if (history.error().code != Errc::not_found) search_.problem(history.error().text());
    return search_.tell(fmt::format("{}: there is no {}", search_.name, name));
  }
  if (!history->damage().empty())
    search_.warning(fmt::format("{}: {}; what follows is not read", name, history->damage()));
  search_.tell(fmt::format("{}: {} functions of {}", search_.name, history->size(), name));
  dump_ = path;
  search_.used(std::move(path));
  keep_history(std::move(*history));
}

// A process writes its map by the number that it has in its own namespace (dso__find_perf_map of
// tools/perf/util/dso.c).
void SymbolFile::load_perf_maps(std::span<const std::uint32_t> owners) {
  const std::string &root = search_.root, &symfs = search_.options.symfs;
  const std::int32_t inner = search_.inner_pid;
  const bool sees_others = root != symfs;
  if (sees_others && inner != -1 && load_perf_map(root, inner, owners)) return;
  if (sees_others && inner != search_.pid && load_perf_map(root, search_.pid, owners)) return;
  if (load_perf_map(symfs, search_.pid, owners) || sees_others) return;
  if (inner != -1 && inner != search_.pid) load_perf_map(symfs, inner, owners);
}

/// Returns false if there is no such file.
bool SymbolFile::load_perf_map(const std::string& root, std::int32_t pid,
                               std::span<const std::uint32_t> owners) {
  const std::string name = fmt::format("{}/tmp/perf-{}.map", root, pid);
  std::string path = elf::within(root, name);
  UnreadLines unread;
  auto table = read_perf_map(path, search_.budget, owners, &unread);
  if (!table) {
    const bool is_there = table.error().code != Errc::not_found;
    if (is_there) search_.problem(table.error().text());
    search_.tell(fmt::format("{}: there is no {}", search_.name, name));
    return is_there;
  }
  if (unread.count != 0)
    search_.warning(fmt::format("{}: {} can't be read; the first is line {}", name,
                                counted(unread.count, "line", "lines"), unread.first));
  search_.tell(fmt::format("{}: {} functions of {}", search_.name, table->size(), name));
  search_.used(std::move(path));
  own_ = std::move(*table);
  table_ = &own_;
  return true;
}

/// Reports once that code can't be distinguished from other code at its address.
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
  check_clock(mapping);
  return {history_ ? &*history_ : nullptr, first_code_number_};
}

std::uint64_t SymbolFile::place_of(std::uint64_t address, const Mapping& mapping) const {
  if (by_address_) return address + moved_;
  return address - mapping.start + (search_.kind == elf::FileKind::module ? 0 : mapping.offset) -
         shown_.origin;
}

std::string_view SymbolFile::name_of(const elf::Symbol& symbol) {
  if (!symbol.mangled && !symbol.stub) {
    const std::string_view name(symbol.name);
    return name.substr(0, name.find('\t'));  // a module follows
  }
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = names_.try_emplace(&symbol);
  if (is_new) at->second = elf::shown_name(symbol, search_.budget);
  return at->second;
}

std::optional<Frame> SymbolFile::made_function(std::uint64_t address, const Mapping& mapping,
                                               bool lines) {
  if (!history_ || !history_->has(address)) return std::nullopt;
  check_clock(mapping);
  if (names_from_.collects) {
    const std::lock_guard lock(mutex_);
    made_.insert(address);
  }
  Frame frame{.address = address};
  const CodeHistory::Code* const code = history_->find(address, CodeTime(mapping));
  if (!code) return frame;
  frame.function = history_->name(*code);
  frame.offset = address - code->start;
  if (!lines || !history_->has_lines(*code)) return frame;
  frame.has_debug_info = true;
  std::tie(frame.source, frame.line) = history_->line(*code, address);
  frame.source = frame.source.substr(0, kLongestPath);
  return frame;
}

const elf::Symbol* SymbolFile::find_symbol(std::uint64_t place, const Mapping& mapping,
                                           bool is_outside) {
  // Modules do not move with their kernel.
  const bool elsewhere = moved_ != 0 && mapping.kernel && !is_kernel_image(mapping.file);
  const elf::Symbol* symbol = table_ && !elsewhere ? table_->find(place) : nullptr;
  // An address behind the recorded image belongs to the image only if no module has it.
  if (symbol && is_outside && search_.kind == elf::FileKind::kernel &&
      std::strchr(symbol->name, '\t'))
    symbol = nullptr;
  return symbol;
}

Frame SymbolFile::named(std::uint64_t place, const Mapping& mapping, bool is_outside) {
  if (const PackedFile* const packed = names_from_.packed)
    return packed->function(place).value_or(Frame{.address = place});
  const elf::Symbol* const symbol = find_symbol(place, mapping, is_outside);
  const std::uint64_t own = elf_ ? elf_->address_of(place) : place;
  if (!symbol) return {.address = own};
  return {.function = name_of(*symbol), .offset = place - symbol->start, .address = own};
}

Frame SymbolFile::function(std::uint64_t address, const Mapping& mapping) {
  if (const auto made = made_function(address, mapping, false)) return *made;
  const std::uint64_t place = place_of(address, mapping);
  const Frame found = named(place, mapping, address < mapping.start || address >= mapping.end);
  if (names_from_.collects && !knows_nothing()) {
    const std::lock_guard lock(mutex_);
    collected_.try_emplace(place - moved_, 1, found);
  }
  return found;
}

std::string SymbolFile::path(const Mapping& mapping) {
  find_files(mapping);
  return elf_ ? elf_->path() : std::string();
}

std::string SymbolFile::frame_table_path(const Mapping& mapping) {
  find_files(mapping);
  return elf_ ? elf_->frame_table_path() : std::string();
}

void SymbolFile::frames(std::uint64_t address, const Mapping& mapping, bool lines,
                        std::vector<Frame>& frames) {
  if (const auto made = made_function(address, mapping, lines)) return frames.assign(1, *made);
  find_frames(address, mapping, lines, frames);
  // There may be a text for each line.
  for (Frame& frame : frames) frame.source = frame.source.substr(0, kLongestPath);
  if (!names_from_.collects || knows_nothing()) return;
  const std::lock_guard lock(mutex_);
  collected_[place_of(address, mapping) - moved_] = frames;
}

void SymbolFile::find_frames(std::uint64_t address, const Mapping& mapping, bool lines,
                             std::vector<Frame>& frames) {
  if (packed_frames(place_of(address, mapping), lines, frames)) return;
  Frame whole = function(address, mapping);
  if (lines && !lines_.empty()) {
    const auto next = std::ranges::upper_bound(lines_, address, {}, &CodeLine::address);
    whole.has_debug_info = true;
    if (next != lines_.begin()) whole.source = next[-1].source, whole.line = next[-1].line;
  }
  // perf looks for inlined calls only if it knows the function.
  const elf::FrameDetails details{search_.options.inlines && !whole.function.empty(), lines};
  const bool known = !names_from_.packed && (details.inlines || lines) && elf_ &&
                     elf_->frames(place_of(address, mapping), whole, details, frames);
  if (!known) frames.assign(1, whole);
}

/// Returns false if the recording has no names of its own of the place.
bool SymbolFile::packed_frames(std::uint64_t place, bool lines, std::vector<Frame>& frames) const {
  if (!names_from_.packed || !names_from_.packed->frames(place, frames)) return false;
  if (!search_.options.inlines) {  // the line belongs to the address
    frames.back().source = frames.front().source;
    frames.back().line = frames.front().line;
    frames.erase(frames.begin(), frames.end() - 1);
  }
  for (Frame& frame : frames) {
    if (!lines) frame.source = {}, frame.line = 0;
    frame.has_debug_info &= lines || search_.options.inlines;
  }
  return true;
}

FunctionPlace SymbolFile::extent(std::uint64_t address, const Mapping& mapping) {
  FunctionPlace place;
  if (history_ && history_->has(address)) {
    const CodeTime time(mapping);
    const CodeHistory::Code* const made = history_->find(address, time);
    if (made) place.start = made->start, place.end = made->end;
    if (made && (history_->knows(time) || history_->count(address) == 1))
      place.code = first_code_number_ + history_->number(*made);
    return place;
  }
  find_files(mapping);
  const std::uint64_t at = place_of(address, mapping);
  const bool is_outside = address < mapping.start || address >= mapping.end;
  if (const elf::Symbol* const symbol = find_symbol(at, mapping, is_outside))
    place.start = symbol->start, place.end = symbol->end;
  else if (const auto known = names_from_.packed ? names_from_.packed->function(at) : std::nullopt)
    place.start = place.end = at - known->offset;
  return place;
}

elf::CodePiece SymbolFile::code(const FunctionPlace& function, std::uint64_t size) {
  if (function.code != 0) return made_code(function, size);
  elf::CodePiece piece =
      elf_ ? elf_->code(function.start, size) : elf::CodePiece{.address = function.start};
  if (!core_.empty()) use_core(size, piece);
  return piece;
}

elf::CodePiece SymbolFile::code_at(std::uint64_t address, const Mapping& mapping,
                                   std::uint64_t size) {
  find_files(mapping);
  return code({.start = place_of(address, mapping)}, size);
}

/// Takes the bytes that the kernel has in its memory, if it can be read.
void SymbolFile::use_core(std::uint64_t size, elf::CodePiece& piece) const {
  elf::CodePiece core = elf::read_core(core_, piece.address + core_moved_, size);
  if (core.bytes.empty() || core.bytes.size() < piece.bytes.size()) return;
  if (piece.bytes.empty()) piece.kind = core.kind;
  piece.unpatched = std::exchange(piece.bytes, std::move(core.bytes));
}

/// Returns what the dump has of code that was made at run time.
elf::CodePiece SymbolFile::made_code(const FunctionPlace& function, std::uint64_t size) {
  elf::CodePiece piece{.kind = {.machine = history_->machine(),
                                .wide = is_wide_machine(history_->machine()),
                                .big_endian = history_->is_big_endian()},
                       .address = function.start};
  const CodeHistory::Code* const made = history_->numbered(function.code - first_code_number_);
  const auto dump = MappedFile::open(dump_);
  if (!made || !dump || made->place >= dump->bytes().size()) return piece;
  const Bytes rest = dump->bytes().subspan(made->place);
  const Bytes own = rest.first(std::min<std::uint64_t>(size, rest.size()));
  piece.bytes.assign(own.begin(), own.end());
  return piece;
}

void SymbolFile::frames_in(const FunctionPlace& function, std::string_view name,
                           std::uint64_t offset, std::vector<Frame>& frames) {
  const std::uint64_t place = function.start + offset;
  Frame whole{.function = name, .offset = offset, .address = place};
  if (elf_ && function.code == 0) whole.address = elf_->address_of(place);
  frames.assign(1, whole);
  if (function.code != 0) {
    const CodeHistory::Code* const made = history_->numbered(function.code - first_code_number_);
    if (made && history_->has_lines(*made))
      std::tie(frames[0].source, frames[0].line) = history_->line(*made, place);
  } else if (!packed_frames(place, true, frames) && elf_) {
    elf_->frames(place, whole, {.inlines = search_.options.inlines, .lines = true}, frames);
  }
  for (Frame& frame : frames) frame.source = frame.source.substr(0, kLongestPath);
}

std::string SymbolFile::symbol_text(std::uint64_t address) {
  if (const std::string slot = elf_ ? elf_->slot_name(address) : std::string(); !slot.empty()) {
    const std::string demangled =
        search_.options.demangle ? elf::demangle(slot.c_str(), search_.budget) : std::string();
    return (demangled.empty() ? slot : demangled) + "@got";
  }
  const std::uint64_t place = elf_ ? elf_->offset_of(address) : address;
  const elf::Symbol* const symbol = table_ ? table_->find(place) : nullptr;
  if (!symbol) return {};
  const std::string name(name_of(*symbol));
  return place == symbol->start ? name : fmt::format("{}+{:#x}", name, place - symbol->start);
}

void SymbolFile::collect(CollectedFile& out) {
  const std::lock_guard lock(mutex_);
  for (const auto& [offset, place] : inner_)
    if (place) out.inner.emplace_back(offset, *place);
  for (const auto& [place, frames] : collected_) out.places.push_back({place, frames});
  if (!shown_.name.empty()) out.build_id = shown_.build_id;
  if (made_.empty()) return;
  const std::vector<std::uint64_t> addresses(made_.begin(), made_.end());
  if (names_from_.packed)
    out.jitdump = part_of_dump(names_from_.packed->jitdump(), addresses);
  else if (const auto dump = MappedFile::open(dump_))
    out.jitdump = part_of_dump(dump->bytes(), addresses);
}

}  // namespace evname::symbols
