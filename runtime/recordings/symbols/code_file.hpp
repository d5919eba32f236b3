#pragma once
// The symbols of one file, whatever they are read from.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evname/symbols.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// What kind of code a file has, and so where its symbols are.
enum class Kind : std::uint8_t {
  user,    ///< of processes
  kernel,  ///< of vmlinux, else of kallsyms
  listed,  ///< of a kernel's modules, as kallsyms lists them
  module,  ///< of one module, by its own file
};

/// What a file's symbols are looked for by, and whom it is told.
struct Search {
  const SymbolOptions& options;
  Kind kind = Kind::user;
  std::string name;  ///< of the mapping
  std::vector<std::uint8_t> build_id;
  std::int32_t pid = -1;
  bool own_kernel = false;                   ///< the vdso is that of the kernel that runs
  std::function<void(std::string)> tell;     ///< what was done
  std::function<void(std::string)> problem;  ///< what a user should know
};

/// What is asked about an address beside its function.
struct Wanted {
  bool inlines = false, lines = false;
};

/// What ELF files and their debug information tell of the code of one file. Addresses are offsets
/// in the file. Any number of threads.
class ElfCode {
 public:
  virtual ~ElfCode() = default;
  /// The address that the file itself has for an offset.
  virtual std::uint64_t address_of(std::uint64_t offset) const = 0;
  const SymbolTable& table() const { return table_; }
  /// The file that was mapped, or what comes nearest.
  virtual std::string path() const = 0;
  /// See DebugInfo::frames(). False: there is no debug information.
  virtual bool frames(std::uint64_t offset, const Frame& function, Wanted wanted,
                      std::vector<Frame>& frames) = 0;

 protected:
  SymbolTable table_;
};

/// Does this build read ELF files?
bool reads_elf();
/// The files of a program or library. nullptr: nothing was found.
std::unique_ptr<ElfCode> find_elf_code(const Search& search);
/// The kernel's image; its table is by address. nullptr: none that fits.
std::unique_ptr<ElfCode> find_vmlinux(const Search& search);
/// The file of a kernel's module; offset 0 is where its .text begins. nullptr: none that fits.
std::unique_ptr<ElfCode> find_module(const Search& search);

/// One file on its way to symbols: read when it is first asked.
class CodeFile {
 public:
  explicit CodeFile(Search search) : search_(std::move(search)) {}

  Frame function(std::uint64_t address, const Mapping& mapping);
  void frames(std::uint64_t address, const Mapping& mapping, bool lines,
              std::vector<Frame>& frames);
  std::string path(const Mapping& mapping);
  bool has_symbols(const Mapping& mapping);

 private:
  void load(const Mapping& mapping);
  void load_kernel();
  void load_jit(const Mapping& mapping);
  std::string_view name_of(const Symbol& symbol);
  std::uint64_t place_of(std::uint64_t address, const Mapping& mapping) const;

  Search search_;
  std::once_flag loaded_;
  SymbolTable own_;  ///< of kallsyms and JIT compilers
  const SymbolTable* table_ = nullptr;
  std::unique_ptr<ElfCode> elf_;
  bool by_address_ = false;
  std::uint64_t moved_ = 0;  ///< how far the kernel of the recording is from that of the table
  std::mutex mutex_;         ///< of names_
  std::unordered_map<const Symbol*, std::string> names_;  ///< those asked for
};

/// Code of JIT compilers, heap and stack: no file has it (is_anon_memory and is_no_dso_memory of
/// tools/perf/util/map.c).
bool is_without_file(std::string_view name);

/// Code that kernels give to processes.
bool is_vdso(std::string_view name);

/// The kernel itself, and none of its modules.
bool is_kernel_image(std::string_view name);

/// A kernel's module, as the kernel's records call it: by its path, or "[ext4]".
bool is_module(std::string_view name);

}  // namespace evname::symbols
