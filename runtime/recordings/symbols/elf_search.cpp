// Searches for symbols in the same files as perf, in the same order (dso__load and
// binary_type_symtab of tools/perf/util/symbol.c), and then asks debuginfod.

#include "recordings/symbols/elf_search.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file_identity.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/elf/debug_info.hpp"
#include "recordings/elf/debuginfod.hpp"
#include "recordings/elf/elf_symbols.hpp"
#include "recordings/elf/rooted_path.hpp"
#include "recordings/go/go_symbols.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::symbols {
namespace {

/// A file that may have symbols or debug information.
struct Candidate {
  std::string path;
  const char* what;        ///< kind of place, for messages
  bool packed = false;     ///< it is inside .gnu_debugdata of `path`
  bool in_memory = false;  ///< `path` is none
};

/// Returns the path of the mapped file itself.
std::string own_path(const elf::SymbolSearch& search) {
  if (search.inner) return fmt::format("/proc/self/fd/{}", search.inner->get());
  return search.root + elf::inside_of(search.root, search.name);
}

/// Opens a file below the root of the search as if that were the root of all, and any other as it
/// is named.
std::unique_ptr<elf::ElfImage> open_within(const elf::SymbolSearch& search,
                                           const std::string& path) {
  return elf::ElfImage::open(path, search.budget, search.root);
}

/// Returns the directory of a file, without a final slash: "" for the root.
std::string directory_prefix(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Returns false, and reports it, if a file is not for the machine that was recorded.
bool fits_machine(const elf::ElfImage& image, const std::string& path,
                  const elf::SymbolSearch& search) {
  const GElf_Ehdr& header = image.header();
  const bool is_big = header.e_ident[EI_DATA] == ELFDATA2MSB;
  if (search.machine == 0 || (machine_family(header.e_machine) == machine_family(search.machine) &&
                              is_big == search.big_endian))
    return true;
  search.problem(fmt::format("{}: {} is for another machine ({}, not {}): not used", search.name,
                             path, header.e_machine, search.machine));
  return false;
}

std::vector<Candidate> candidates_of(const elf::SymbolSearch& search,
                                     const std::vector<std::uint8_t>& id);

class ElfFiles final : public ElfSymbols {
 public:
  ElfFiles(const elf::SymbolSearch& search, bool by_address)
      : search_(search), by_address_(by_address), id_(search.build_id) {}

  /// Looks at a file. Returns true if nothing more is needed.
  bool take(const Candidate& candidate) {
    auto image = open_within(search_, candidate.path);
    if (!image) return false;
    if (!fits(*image, candidate)) return false;
    if (candidate.packed)
      image = image->packed_debug_data(candidate.path + " (.gnu_debugdata)", search_.budget);
    if (!image) return false;
    return keep(std::move(image), candidate);
  }

  bool keep(std::unique_ptr<elf::ElfImage> image, const Candidate& candidate) {
    const bool names = !symbols_ && image->symbol_section(false).section;
    const bool runs = !runtime_ && (image->symbol_section(true).section ||
                                    image->section(".opd").section || go::has_go_table(*image));
    const bool debug = !debug_ && !candidate.packed && image->has_debug_info() &&
                       image->sections_fit(candidate.path, search_.budget);
    if (!names && !runs && !debug) return false;
    search_.tell(fmt::format(
        "{}: {}{}{}{} ({})", search_.name, names ? "symbols" : "",
        runs ? (names ? ", dynamic symbols" : "dynamic symbols") : "",
        debug ? (names || runs ? ", debug information of " : "debug information of ") : " of ",
        search_.inner && candidate.path == own_path(search_) ? search_.name : candidate.path,
        candidate.what));
    images_.push_back(std::move(image));
    const elf::ElfImage* kept = images_.back().get();
    if (names) symbols_ = kept, packed_ = candidate.packed;
    if (runs) runtime_ = kept;
    if (runs || path_.empty())
      path_ = candidate.in_memory ? fmt::format("/proc/self/fd/{}", kept->descriptor())
                                  : elf::within(search_.root, candidate.path);
    if (debug) debug_ = kept;
    return symbols_ && runtime_ && debug_;
  }

  /// Looks at the mapped file itself if the recording has no build id of it, and uses the file's
  /// build id. Returns false if it is another file; no file here is then known to be the mapped
  /// one.
  bool learn_build_id(const std::string& path) {
    if (!id_.empty() || is_vdso(search_.name)) return true;
    const auto image = open_within(search_, path);
    if (!image) return true;
    if (!fits_machine(*image, path, search_)) return false;
    const auto is_it = is_recorded_inode(search_, image->descriptor());
    if (is_it && !*is_it)
      search_.problem(fmt::format(
          "{}: {} is another file than the recorded one, or was changed since: not used",
          search_.name, path));
    if (is_it && !*is_it) return false;
    is_known_ = is_it.has_value();
    id_ = image->build_id();
    return true;
  }
  /// Returns true if only the path identifies the recorded file; for the vdso, if the kernel has
  /// the same version and another release.
  bool is_by_path() const {
    if (!search_.build_id.empty() || is_known_) return false;
    utsname running{};
    return !is_vdso(search_.name) || (::uname(&running) == 0 && !search_.kernel_release.empty() &&
                                      search_.kernel_release != running.release);
  }
  std::vector<std::uint8_t> build_id() const override { return id_; }
  bool has_symbols() const { return symbols_ != nullptr; }

  /// Returns false if there is nothing to read.
  bool load() {
    if (!symbols_ && !runtime_ && !debug_) return false;
    const bool is_stripped = !symbols_;
    if (!symbols_) symbols_ = runtime_ ? runtime_ : debug_;
    if (!runtime_) runtime_ = symbols_;
    table_ = elf::read_elf_symbols({*symbols_, *runtime_, packed_,
                                    by_address_ ? elf::Layout::addresses : elf::Layout::file,
                                    search_.options.demangle && !by_address_, search_.budget});
    if (!by_address_ && is_stripped && (go_ = go::GoSymbols::of(*runtime_)))
      go_->add_functions(table_);
    if (!by_address_) elf::add_stubs(*runtime_, table_, search_.budget);
    for (const auto& image : images_) image->drop_pages();
    return true;
  }

  std::string path() const override { return path_; }

  std::string frame_table_path() const override {
    for (const auto& image : images_)
      for (const char* name : {".debug_frame", ".zdebug_frame"})
        if (const elf::Section found = image->section(name);
            found.section && found.header.sh_type != SHT_NOBITS)
          return fmt::format("/proc/self/fd/{}", image->descriptor());
    return {};
  }

  std::uint64_t address_of(std::uint64_t offset) const override {
    return by_address_ ? offset : runtime_->address_of(offset).value_or(offset);
  }
  std::uint64_t offset_of(std::uint64_t address) const override {
    return by_address_ ? address : runtime_->offset_of(address).value_or(address);
  }

  std::string slot_name(std::uint64_t address) override {
    const std::lock_guard lock(mutex_);
    if (by_address_) return {};
    if (!slots_) slots_ = elf::slot_names(*runtime_);
    return slots_(address);
  }

  elf::CodePiece code(std::uint64_t offset, std::uint64_t size) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t address = address_of(offset);
    if (!std::exchange(has_code_, true)) {
      code_ = find_code(address);
      marks_ = elf::read_marks(*symbols_);
    }
    if (!code_) return {.address = address};
    elf::CodePiece piece = elf::read_code(*code_, marks_, address, size);
    code_->drop_pages();
    return piece;
  }

  bool frames(std::uint64_t offset, const Frame& function, elf::FrameDetails details,
              std::vector<Frame>& frames) override {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_sources_, true)) find_sources(function);
    if (info_) info_->frames(address_of(offset), function, details, frames);
    const bool is_named = info_ && (frames.size() > 1 || !frames[0].source.empty());
    if (asks_go_ && !is_named) go_->frames(address_of(offset), function, details, frames);
    if (!info_ && !asks_go_) return false;
    for (Frame& frame : frames) frame.has_debug_info = true;
    return true;
  }

 private:
  /// Reads debug information, and Go's table unless the debug information has Go's functions: in a
  /// program with C, it may cover only the C part.
  void find_sources(const Frame& function) {
    if (debug_) info_ = elf::DebugInfo::of(*debug_, search_);
    if (!go_ && !by_address_) go_ = go::GoSymbols::of(*runtime_);
    asks_go_ = go_ != nullptr;
    if (!go_ || !info_) return;
    std::vector<Frame> frames;
    info_->frames(go_->any_address(), function, {.inlines = false, .lines = true}, frames);
    asks_go_ = frames[0].source.empty();
  }
  /// Returns the file with machine code: a kept one, else one that has no symbols.
  const elf::ElfImage* find_code(std::uint64_t address) {
    for (const auto& image : images_)
      if (elf::has_code(*image, address)) return image.get();
    if (by_address_) return nullptr;
    std::vector<Candidate> candidates = candidates_of(search_, id_);
    if (!id_.empty())
      if (std::string path = elf::debuginfod_file(id_, "executable", search_); !path.empty())
        candidates.push_back({std::move(path), "debuginfod"});
    for (const Candidate& candidate : candidates) {
      if (candidate.packed) continue;
      auto image = open_within(search_, candidate.path);
      if (!image || !elf::has_code(*image, address) || !fits(*image, candidate)) continue;
      search_.tell(
          fmt::format("{}: code of {} ({})", search_.name, candidate.path, candidate.what));
      images_.push_back(std::move(image));
      return images_.back().get();
    }
    return nullptr;
  }
  bool fits(const elf::ElfImage& image, const Candidate& candidate) const {
    if (!fits_machine(image, candidate.path, search_)) return false;
    if (id_.empty() || image.build_id() == id_) return true;
    const std::string why =
        fmt::format("{}: {} has build id {}, not {}: not used", search_.name, candidate.path,
                    image.build_id().empty() ? "none" : hex_text(image.build_id()), hex_text(id_));
    search_.problem(why);
    return false;
  }

  const elf::SymbolSearch& search_;
  bool by_address_;
  std::vector<std::uint8_t> id_;
  bool is_known_ = false;  ///< by its inode
  std::vector<std::unique_ptr<elf::ElfImage>> images_;
  const elf::ElfImage* symbols_ = nullptr;  ///< with .symtab
  const elf::ElfImage* runtime_ = nullptr;  ///< the mapped file, or one with the same sections
  const elf::ElfImage* debug_ = nullptr;
  const elf::ElfImage* code_ = nullptr;  ///< of mutex_; nullptr: no file has it
  bool has_code_ = false;                ///< it was looked for
  std::vector<elf::CodeMark> marks_;     ///< of the code
  std::function<const char*(std::uint64_t slot)> slots_;
  bool packed_ = false;
  std::string path_;
  bool has_sources_ = false;  ///< those below are read
  std::unique_ptr<elf::DebugInfo> info_;
  std::unique_ptr<go::GoSymbols> go_;
  bool asks_go_ = false;
  std::mutex mutex_;  ///< of these
};

/// The link is a name without directories (gdb(1), "Separate Debug Files").
std::vector<Candidate> linked_candidates(const std::string& path, const elf::SymbolSearch& search) {
  const std::string& root = search.root;
  const auto image = open_within(search, path);
  const std::string link(last_part(image ? image->debug_link() : ""));
  if (link.empty() || search.inner) return {};
  const std::string directory = directory_prefix(path);
  return {{directory + "/" + link, ".gnu_debuglink"},
          {directory + "/.debug/" + link, ".gnu_debuglink"},
          {root + "/usr/lib/debug" + directory.substr(root.size()) + "/" + link, ".gnu_debuglink"}};
}

std::vector<Candidate> candidates_of(const elf::SymbolSearch& search,
                                     const std::vector<std::uint8_t>& id) {
  const SymbolOptions& options = search.options;
  const std::string path = own_path(search);
  const std::string name = elf::inside_of(search.root, search.name);
  const std::string debug = search.root + "/usr/lib/debug";
  std::vector<Candidate> candidates = linked_candidates(path, search);
  const auto add = [&](std::string file, const char* what, bool packed = false) {
    candidates.push_back({std::move(file), what, packed});
  };
  if (!id.empty()) {
    const std::string cached = options.cache + "/" + elf::build_id_path(id);
    for (const char* name : {"/elf", "/vdso", "", "/debug"}) add(cached + name, "cache of perf");
  }
  if (!search.inner) add(debug + name + ".debug", "debug files");
  if (!search.inner) add(debug + name, "debug files");
  const std::string by_id = id.empty() ? "" : "/usr/lib/debug/" + elf::build_id_path(id) + ".debug";
  if (!id.empty()) add(search.root + by_id, "debug files by build id");
  if (!id.empty() && search.root != options.symfs)
    add(options.symfs + by_id, "debug files by build id");
  add(path, ".gnu_debugdata", true);
  add(path, "the file itself");
  if (search.inner) return candidates;
  add(directory_prefix(path) + "/.debug/" + std::string(last_part(path)), "debug files");
  if (name.starts_with("/usr/lib/")) add(debug + name.substr(4), "debug files");
  return candidates;
}

// vmlinux_path__init of tools/perf/util/symbol.c.
std::vector<std::string> kernel_images(const elf::SymbolSearch& search) {
  const SymbolOptions& options = search.options;
  std::string release =
      options.kernel_release.empty() ? search.kernel_release : options.kernel_release;
  utsname machine;
  if (release.empty() && ::uname(&machine) == 0) release = machine.release;
  std::replace(release.begin(), release.end(), '/', '_');  // it is one name
  std::vector<std::string> paths{"vmlinux", options.symfs + "/boot/vmlinux"};
  for (const char* path :
       {"/boot/vmlinux-{}", "/usr/lib/debug/boot/vmlinux-{}", "/lib/modules/{}/build/vmlinux",
        "/usr/lib/debug/lib/modules/{}/vmlinux", "/usr/lib/debug/boot/vmlinux-{}.debug"})
    paths.push_back(options.symfs + fmt::format(fmt::runtime(path), release));
  return paths;
}

/// Takes the vdso of this process, which all processes of the machine share.
void take_own_vdso(ElfFiles& files, const elf::SymbolSearch& search) {
  const auto* start = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));
  if (!start) return;
  // Its headers are in its first page; the sections come last, in two pages or more.
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(start);
  const std::size_t size = header->e_shoff + std::size_t{header->e_shnum} * header->e_shentsize;
  auto image = elf::ElfImage::of_memory(start, size, search.name, search.budget);
  const bool fits =
      image && (search.build_id.empty() ? search.own_kernel : image->build_id() == search.build_id);
  if (fits && fits_machine(*image, search.name, search))
    files.keep(std::move(image), {"memory", "this machine's", false, true});
}

/// The file of a kernel's module, packed or not. It is not linked, so its sections have no
/// addresses.
class ModuleFile final : public ElfSymbols {
 public:
  ModuleFile(std::unique_ptr<elf::ElfImage> image, std::string path, elf::Budget& budget)
      : image_(std::move(image)), path_(std::move(path)) {
    table_ = elf::read_elf_symbols({*image_, *image_, false, elf::Layout::module, false, budget});
  }

  std::uint64_t address_of(std::uint64_t offset) const override { return offset; }
  std::string path() const override { return path_; }
  elf::CodePiece code(std::uint64_t offset, std::uint64_t size) override {
    return elf::read_module_code(*image_, offset, size);
  }
  // Their debug information has no addresses either.
  bool frames(std::uint64_t, const Frame&, elf::FrameDetails, std::vector<Frame>&) override {
    return false;
  }

 private:
  std::unique_ptr<elf::ElfImage> image_;
  std::string path_;
};

/// Reports a file that was here when it was recorded: it was in a container, or is deleted. Only
/// its build id leads to it.
void tell_remedy(const elf::SymbolSearch& search) {
  static constexpr struct {
    bool is_denied, has_build_id;
    const char* remedy;
  } kRemedies[] = {
      {true, true, "its process has files of its own, which only root and its user may read"},
      {true, false, "its process has files of its own, which only root and its user may read"},
      {false, false,
       "the file is not here any more; if a container has it, report while that runs, or use "
       "--symfs"},
      {false, true,
       "the file is not here any more; if a container has it, report while that runs; else put a "
       "copy into ~/.debug with perf buildid-cache --add, or use --debuginfod or --symfs"},
  };
  if (!search.was_here || !search.options.symfs.empty() || !search.name.starts_with('/')) return;
  const bool has_id = !search.build_id.empty();
  const std::string id = has_id ? fmt::format(" (build id {})", hex_text(search.build_id)) : "";
  for (const auto& one : kRemedies)
    if (one.is_denied == search.is_denied && one.has_build_id == has_id)
      search.problem(fmt::format("{}{}: {}", search.name, id, one.remedy));
}

}  // namespace

bool reads_elf() { return true; }

// A file inside another one counts as its outer file does, which was asked about before.
std::optional<bool> is_recorded_inode(const elf::SymbolSearch& search, int file) {
  const Inode& inode = search.inode;
  struct stat info {};
  if (inode.number == 0 || search.here_until == 0 || !search.options.symfs.empty() ||
      ::fstat(file, &info) != 0)
    return std::nullopt;
  if (search.inner) return true;
  // perf always gives generation 1 to these: jit_repipe_code_load of tools/perf/util/jitdump.c.
  const bool is_injected = is_injected_code(search.name);
  const std::uint64_t generation = is_injected ? 0 : inode.generation;
  const auto is_it = has_inode(file, {inode.major, inode.minor, inode.number, generation});
  if (!is_it || !*is_it || is_injected) return is_it;
  const auto seconds = static_cast<std::uint64_t>(info.st_mtim.tv_sec);
  return seconds * 1'000'000'000 + static_cast<std::uint64_t>(info.st_mtim.tv_nsec) <=
         search.here_until;
}

std::unique_ptr<ElfSymbols> find_elf_symbols(const elf::SymbolSearch& search) {
  auto files = std::make_unique<ElfFiles>(search, false);
  if (!files->learn_build_id(own_path(search))) return nullptr;
  bool whole = false;
  for (const Candidate& candidate : candidates_of(search, files->build_id()))
    whole = whole || files->take(candidate);
  if (!whole && is_vdso(search.name)) take_own_vdso(*files, search);
  if (!files->build_id().empty())
    for (const char* kind : {"debuginfo", "executable"}) {
      if (whole) break;
      const std::string path = elf::debuginfod_file(files->build_id(), kind, search);
      whole = !path.empty() && files->take({path, "debuginfod"});
    }
  if (files->load()) {
    if (files->is_by_path()) {
      search.tell(fmt::format("{}: known by its path alone", search.name));
      search.by_path(search.name);
    }
    return files;
  }
  const auto file = open_regular(elf::within(search.root, own_path(search)));
  if (!file && file.error().code == Errc::unsupported) search.problem(file.error().text());
  if (!file && file.error().code == Errc::not_found) tell_remedy(search);
  std::string missing = fmt::format("{}: no symbols found", search.name);
#ifdef __wasm__  // a later search may find the file
  if (!files->build_id().empty() && !search.name.starts_with('['))
    search.problem(missing + fmt::format(" (build id {})", hex_text(files->build_id())));
#else
  search.tell(std::move(missing));
#endif
  return nullptr;
}

std::unique_ptr<ElfSymbols> find_vmlinux(const elf::SymbolSearch& search) {
  const SymbolOptions& options = search.options;
  auto files = std::make_unique<ElfFiles>(search, true);
  std::vector<Candidate> candidates;
  if (!options.vmlinux.empty()) {
    candidates = {{options.vmlinux, "--vmlinux"}};
    if (!elf::ElfImage::open(options.vmlinux, search.budget))
      search.problem(fmt::format("kernel: {} is not an ELF file: not used", options.vmlinux));
  } else if (!search.build_id.empty()) {
    const std::string id = elf::build_id_path(search.build_id);
    for (const char* name : {"/elf", "/debug", "/vmlinux"})
      candidates.push_back({options.cache + "/" + id + name, "cache of perf"});
    candidates.push_back(
        {options.symfs + "/usr/lib/debug/" + id + ".debug", "debug files by build id"});
    for (const std::string& path : kernel_images(search))
      if (const auto image = open_within(search, path);
          image && image->build_id() == search.build_id)
        candidates.push_back({path, "vmlinux"});
    if (const std::string path = elf::debuginfod_file(search.build_id, "debuginfo", search);
        !path.empty())
      candidates.push_back({path, "debuginfod"});
  }
  for (const Candidate& candidate : candidates) files->take(candidate);
  return files->has_symbols() && files->load() ? std::move(files) : nullptr;
}

// dso__is_compatible_symtab_type of tools/perf/util/symbol.c has the same places.
std::unique_ptr<ElfSymbols> find_module(const elf::SymbolSearch& search) {
  const std::string cached = search.options.cache + "/" + elf::build_id_path(search.build_id);
  const std::pair<std::string, const char*> candidates[] = {{cached + "/elf", "cache of perf"},
                                                            {cached + "/debug", "cache of perf"},
                                                            {own_path(search), "the file itself"}};
  for (const auto& [path, what] : candidates) {
    auto image = open_within(search, path);
    if (!image) continue;
    if (!fits_machine(*image, path, search)) continue;
    if (image->build_id() != search.build_id) {
      search.tell(fmt::format("{}: {} has build id {}, not {}: not used", search.name, path,
                              hex_text(image->build_id()), hex_text(search.build_id)));
      continue;
    }
    auto module = std::make_unique<ModuleFile>(std::move(image), path, search.budget);
    if (module->table().empty()) continue;
    search.tell(fmt::format("{}: symbols of {} ({})", search.name, path, what));
    return module;
  }
  return nullptr;
}

}  // namespace evname::symbols
