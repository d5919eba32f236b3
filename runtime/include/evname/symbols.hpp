#pragma once
// Symbols turns addresses into functions, source lines and inlined calls. It needs no recording.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

namespace detail {
struct SymbolsAccess;
}

/// The inode of a file when it was mapped, as the kernel's MMAP2 records have it.
struct Inode {
  ///@{
  /// The device.
  std::uint32_t major = 0, minor = 0;
  ///@}
  std::uint64_t number = 0;      ///< 0: unknown
  std::uint64_t generation = 0;  ///< 0: unknown
  /// Compares all members.
  auto operator<=>(const Inode&) const = default;
};

/// A line of a source, from an address on.
struct CodeLine {
  std::uint64_t address = 0;     ///< of its first instruction
  std::string_view source = {};  ///< path
  std::uint32_t line = 0;        ///< line number
};

/// A part of a file that is mapped into memory, as the kernel's MMAP2 records describe it. The
/// views need to live only during a call.
struct Mapping {
  /// The path; or a name in brackets, such as "[vdso]" or "[kernel.kallsyms]"; or "//anon" and the
  /// like for memory that no file is mapped to, such as a JIT compiler's functions.
  std::string_view file = {};
  /// The file's build id; for a kernel module, the build id of its kernel if `kernel_build_id` is
  /// empty. Empty: unknown.
  std::span<const std::uint8_t> build_id = {};
  std::uint64_t start = 0;         ///< address of its first byte
  std::uint64_t end = UINT64_MAX;  ///< address after its last byte
  /// The offset of the first byte in the file; for the kernel and its modules, the address of the
  /// kernel's symbol _text (0: as in its symbols).
  std::uint64_t offset = 0;
  std::int32_t pid = -1;          ///< the process, for functions of JIT compilers
  std::string_view jitdump = {};  ///< the dump of the process' JIT compiler: ".../jit-PID.dump"
  bool kernel = false;            ///< the kernel or one of its modules
  /// The build id of the kernel that a module belongs to, or that ran a process. A "[vdso]", which
  /// kernels give to processes, is this machine's if the kernel is the same.
  std::span<const std::uint8_t> kernel_build_id = {};
  /// The release of that kernel, as uname -r prints it, unless SymbolOptions has one.
  std::string_view kernel_release = {};
  ///@{
  /// The time of the sample, for code that a JIT compiler replaced by other code: ns of
  /// CLOCK_MONOTONIC, or a count of the CPU's counter (TSC), whichever its dump has. 0: unknown;
  /// code is then named only if the address never had other code.
  std::uint64_t time = 0, counter = 0;
  ///@}
  ///@{
  /// The machine of that kernel: EM_* of elf.h, and its byte order. 0: unknown. Files for another
  /// machine are never used.
  std::uint16_t machine = 0;
  bool big_endian = false;
  ///@}
  /// The kernel made a function at run time, such as a BPF program, and `file` is its name.
  bool is_function = false;
  std::span<const CodeLine> lines = {};  ///< the lines of such a function, by address
  /// The inode of `file`. It identifies a file without a build id, if `here_until` is set.
  Inode inode = {};
  /// If the file was mapped on this machine since it started: the time at which the recording was
  /// complete, in ns since the Epoch. 0: mapped elsewhere or earlier, or unknown.
  std::uint64_t here_until = 0;
  /// Processes that have the file mapped; numbers up to 0 are ignored. If `here_until` is set, the
  /// file is also looked for in the mounts of such a process that still runs, as in a container.
  /// Other threads may change the numbers during a call.
  std::span<const std::atomic<std::int32_t>> processes = {};
  /// Names that the recording has of its own, as pack() wrote them; nullptr: none. Files that
  /// SymbolOptions names are stronger. Symbols keeps the text.
  const std::shared_ptr<const std::string>* names = nullptr;
};

/// A function at an address. The views are valid as long as the Symbols that gave them.
struct Frame {
  std::string_view function = {};  ///< demangled; empty: unknown
  std::uint64_t offset = 0;        ///< of the address from the start of the function's symbol
  std::uint64_t address = 0;       ///< in the file's own addresses, as objdump prints them
  std::string_view source = {};    ///< path of the source file; empty: unknown
  std::uint32_t line = 0;          ///< in `source`; 0: unknown
  bool has_debug_info = false;     ///< the file has lines, though maybe not of this address
  bool inlined = false;            ///< its caller is the frame that follows
};

/// The options say where and how to look for symbols.
struct SymbolOptions {
  std::string symfs = {};     ///< goes before the path of each file, for a tree of another machine
  std::string vmlinux = {};   ///< the kernel's image; empty: it is looked for
  std::string kallsyms = {};  ///< read instead of /proc/kallsyms; empty: it is looked for
  /// The release of the recorded kernel, as uname -r prints it, for paths of vmlinux; empty: the
  /// release of the mapping, else of this machine.
  std::string kernel_release = {};
  std::string cache = {};  ///< perf's cache of files; empty: ~/.debug
  bool lines = true;       ///< fills Frame::source and line
  bool inlines = true;     ///< adds frames of inlined functions
  bool demangle = true;    ///< shows names of C++ and Rust as in their source
  /// Ask the servers of $DEBUGINFOD_URLS for missing files. Otherwise only files that were fetched
  /// before are used.
  bool debuginfod = false;
  /// Receives messages about each file: the source of its symbols, and the files that were skipped,
  /// with reasons. Called from any thread, one call at a time.
  std::function<void(std::string_view message)> tell = {};
};

/// Names addresses. Reads each file once, when it is first asked about, and tries the same places
/// in the same order as perf. A file is used only if its build id, machine and inode equal the
/// mapping's, as far as they are known. Any number of threads may use an object at the same time.
/// No member fails: a file that can't be read has no symbols, and tell() and problems() say why.
class EVNAME_API Symbols {
 public:
  /// Makes an object, which reads no file yet.
  explicit Symbols(SymbolOptions options = {});
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  ~Symbols();

  /// Returns the options; `cache` is never empty.
  const SymbolOptions& options() const;

  /// Returns true if this build can read ELF files and debug information (it has elfutils).
  /// Otherwise only kallsyms and the maps of JIT compilers have names.
  static bool reads_elf();

  /// Returns true if calls() adds inlined calls (SymbolOptions::inlines).
  bool has_calls() const;

  /// Sets `frames` to the calls that are inlined at an address of the mapping, innermost first,
  /// then the function. There is at least one frame; its function is empty if no symbol is known.
  void frames(std::uint64_t address, const Mapping& mapping, std::vector<Frame>& frames) const;
  /// Does the same as frames() without sources and lines, which is faster.
  void calls(std::uint64_t address, const Mapping& mapping, std::vector<Frame>& frames) const;
  /// Returns the function alone, which is the last of frames() without its source and line. Much
  /// faster.
  Frame function(std::uint64_t address, const Mapping& mapping) const;

  /// Returns the path of the file that was mapped, as opposed to its debug information. For this
  /// process' vdso it is the path of a copy, valid as long as the object. Empty if none is known.
  std::string file_path(const Mapping& mapping) const;

  /// Returns the paths of the files other than ELF files that functions were read from: copies of
  /// kallsyms, and the maps and dumps of JIT compilers. An output must not replace them.
  std::vector<std::string> plain_files() const;

  /// Returns the mapped files that functions were read from although only their paths identify
  /// them, neither a build id nor an inode.
  std::vector<std::string> files_by_path() const;

  /// Returns human-readable messages about files that could not be used because they are damaged or
  /// differ from the recorded ones. They begin with warnings().
  std::vector<std::string> problems() const;
  /// Returns messages about maps and dumps of JIT compilers that could be used only in part. A user
  /// can mend these.
  std::vector<std::string> warnings() const;

 private:
  friend struct detail::SymbolsAccess;
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

/// Returns the name that perf shows for the file of a mapping: the path, "[kernel.kallsyms]",
/// "[ext4]" for a module, "[vdso]", "/tmp/perf-PID.map" for functions of a JIT compiler;
/// "[unknown]" for an empty name.
EVNAME_API std::string dso_name(const Mapping& mapping);

}  // namespace evname
