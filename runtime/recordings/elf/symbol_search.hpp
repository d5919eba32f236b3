#pragma once
// A search for the symbols of one mapped file: which file it is, and who hears of it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/read_file.hpp"
#include "evname/symbols.hpp"
#include "recordings/elf/budget.hpp"

namespace evname::elf {

/// The kind of a mapped file decides where its symbols are.
enum class FileKind : std::uint8_t {
  user,      ///< of processes
  kernel,    ///< of vmlinux, else of kallsyms
  listed,    ///< of a kernel's modules, as kallsyms lists them
  module,    ///< of one module, by its own file
  function,  ///< none: it is one function, which the kernel made
};

/// A mapped file whose symbols are looked for, and who hears of it.
struct SymbolSearch {
  const SymbolOptions& options;
  Budget& budget;
  FileKind kind = FileKind::user;
  std::string name = {};  ///< of the mapping
  std::vector<std::uint8_t> build_id = {};
  std::string kernel_release = {};  ///< of a kernel; empty: unknown
  std::int32_t pid = -1;
  std::string root = {};        ///< goes before paths: --symfs, or the root of a process that lives
  std::int32_t inner_pid = -1;  ///< of a process that lives, in its own PID namespace
  bool is_denied = false;       ///< its files may not be looked at
  bool was_here = false;        ///< recorded on this machine since it started
  ///@{
  /// See Mapping.
  std::uint16_t machine = 0;
  bool big_endian = false;
  Inode inode = {};
  std::uint64_t here_until = 0;
  ///@}
  bool own_kernel = false;                        ///< the vdso may be the running kernel's
  std::function<void(std::string)> tell = {};     ///< takes messages about what was done
  std::function<void(std::string)> problem = {};  ///< takes messages that a user should see
  std::function<void(std::string)> warning = {};  ///< takes messages of Symbols::warnings()
  std::function<void(std::string)> used = {};     ///< takes paths of Symbols::plain_files()
  std::function<void(std::string)> by_path = {};  ///< takes names for Symbols::files_by_path()
  /// The content of a file that is inside another one; `name` is then the inner file's.
  std::shared_ptr<const Descriptor> inner = {};
};

/// The details that are asked for beside the function at an address.
struct FrameDetails {
  bool inlines = false, lines = false;
};

}  // namespace evname::elf
