#pragma once
// Finds ELF files and their debug information, and reads symbols from them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evname/symbols.hpp"
#include "recordings/symbols/budget.hpp"
#include "recordings/symbols/rooted_path.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// The kind of a mapped file; it decides where its symbols are.
enum class FileKind : std::uint8_t {
  user,      ///< of processes
  kernel,    ///< the symbols of vmlinux, else of kallsyms
  listed,    ///< of a kernel's modules, as kallsyms lists them
  module,    ///< of one module, by its own file
  function,  ///< a single function that the kernel made; no file
};

/// A mapped file to find symbols for, and receivers of messages.
struct SymbolSearch {
  const SymbolOptions& options;
  Budget& budget;
  FileKind kind = FileKind::user;
  std::string name = {};  ///< of the mapping
  std::vector<std::uint8_t> build_id = {};
  std::string kernel_release = {};  ///< of a kernel; empty: unknown
  std::int32_t pid = -1;
  std::string root = {};        ///< goes before paths: --symfs, or the root of a running process
  std::int32_t inner_pid = -1;  ///< of a running process, in its own PID namespace
  bool is_denied = false;       ///< its files are not accessible
  bool was_here = false;        ///< recorded on this machine since it started
  ///@{
  /// See Mapping.
  std::uint16_t machine = 0;
  bool big_endian = false;
  Inode inode = {};
  std::uint64_t here_until = 0;
  ///@}
  bool own_kernel = false;                        ///< the vdso may be the running kernel's
  std::function<void(std::string)> tell = {};     ///< receives messages about progress
  std::function<void(std::string)> problem = {};  ///< receives messages that a user should see
  std::function<void(std::string)> warning = {};  ///< takes messages of Symbols::warnings()
  std::function<void(std::string)> used = {};     ///< takes paths of Symbols::plain_files()
  std::function<void(std::string)> by_path = {};  ///< takes names for Symbols::files_by_path()
};

/// Returns the path of a file with this build id that was fetched before or, if the user wants it,
/// is fetched now; empty: none. `kind` is "debuginfo" or "executable".
std::string debuginfod_file(const std::vector<std::uint8_t>& build_id, const char* kind,
                            const SymbolSearch& search);

/// The details to find in addition to the function at an address.
struct FrameDetails {
  bool inlines = false, lines = false;
};

/// The symbols and debug information of one mapped file. Any number of threads may use an object.
class ElfSymbols {
 public:
  virtual ~ElfSymbols() = default;
  /// Returns the address that the file itself has for an offset.
  virtual std::uint64_t address_of(std::uint64_t offset) const = 0;
  /// The symbols by their offsets in the file.
  const SymbolTable& table() const { return table_; }
  /// Returns the path of the mapped file, or of the nearest substitute.
  virtual std::string path() const = 0;
  /// Returns a path of the file with .debug_frame; empty: none. It is valid as long as the object.
  virtual std::string frame_table_path() const { return {}; }
  /// See DebugInfo::frames(). Returns false if there is no debug information.
  virtual bool frames(std::uint64_t offset, const Frame& function, FrameDetails details,
                      std::vector<Frame>& frames) = 0;

 protected:
  SymbolTable table_;
};

/// Returns true if this build reads ELF files.
bool reads_elf();
/// Finds the files of a program or library. nullptr: nothing was found.
std::unique_ptr<ElfSymbols> find_elf_symbols(const SymbolSearch& search);
/// Finds the kernel's image, whose table is by address. nullptr: none fits.
std::unique_ptr<ElfSymbols> find_vmlinux(const SymbolSearch& search);
/// Finds the file of a kernel's module; offset 0 is where its .text begins. nullptr: none fits.
std::unique_ptr<ElfSymbols> find_module(const SymbolSearch& search);

}  // namespace evname::symbols
