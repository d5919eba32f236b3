#pragma once
// Addresses to functions, source lines and inlined calls. Needs no recording.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/export.h"

namespace evname {

/// Code that is mapped into memory, as the kernel's MMAP2 records describe it. The views are only
/// read during a call.
struct Mapping {
  /// Path; or a name in brackets: "[vdso]", "[kernel.kallsyms]"; or "//anon" and its like for code
  /// that no file has: of a JIT compiler.
  std::string_view file = {};
  /// Of the file; of a kernel's module that of its kernel if `kernel_build_id` is empty. Empty:
  /// unknown.
  std::span<const std::uint8_t> build_id = {};
  std::uint64_t start = 0;         ///< address of its first byte
  std::uint64_t end = UINT64_MAX;  ///< address after its last byte
  /// Of the first byte in the file; for the kernel and its modules, the address of the kernel's
  /// symbol _text (0: as in its symbols).
  std::uint64_t offset = 0;
  std::int32_t pid = -1;          ///< whose memory it is: for code of JIT compilers
  std::string_view jitdump = {};  ///< what the process' JIT compiler writes: ".../jit-PID.dump"
  bool kernel = false;            ///< the kernel or one of its modules
  /// Of the kernel that a module is of, and of the one that ran a process: code that kernels give
  /// to them, "[vdso]", is this machine's if its kernel is the same.
  std::span<const std::uint8_t> kernel_build_id = {};
};

/// A function at an address. The views are valid as long as the Symbols that gave them.
struct Frame {
  std::string_view function = {};  ///< demangled; empty: unknown
  std::uint64_t offset = 0;        ///< of the address from the start of the function's symbol
  std::uint64_t address = 0;       ///< in the file's own addresses, as objdump prints them
  std::string_view source = {};    ///< path of the source file; empty: unknown
  std::uint32_t line = 0;          ///< in `source`; 0: unknown
  bool has_debug_info = false;     ///< the file tells lines, though maybe not of this address
  bool inlined = false;            ///< its caller is the frame that follows
};

/// Where and how to look for symbols.
struct SymbolOptions {
  std::string symfs = {};     ///< goes before the path of each file: a tree of another machine
  std::string vmlinux = {};   ///< the kernel's image; empty: looked for
  std::string kallsyms = {};  ///< instead of /proc/kallsyms; empty: looked for
  /// Of the recorded kernel, as uname -r says it, for paths of vmlinux; empty: this machine's.
  std::string kernel_release = {};
  std::string cache = {};  ///< perf's cache of files; empty: ~/.debug
  bool lines = true;       ///< fill Frame::source and line
  bool inlines = true;     ///< frames of inlined functions
  bool demangle = true;    ///< names of C++ and Rust as in their source
  /// Ask the servers of $DEBUGINFOD_URLS for files that are not here. Otherwise only what was
  /// fetched before is used.
  bool debuginfod = false;
  /// Told once for each file what its symbols were read from, and which files were passed over and
  /// why. Called from any thread, one call at a time.
  std::function<void(std::string_view message)> tell = {};
};

/// Names addresses. Reads each file when it is first asked about, and once; tries the same places
/// in the same order as perf. A file whose build id is known and not that of the mapping is never
/// used. Any number of threads may use an object at the same time. No member fails: what can't be
/// read has no symbols, and tell() and problems() say why.
class EVNAME_API Symbols {
 public:
  /// Reads nothing yet.
  explicit Symbols(SymbolOptions options = {});
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  ~Symbols();

  /// True if this build can read ELF files and debug information (it has elfutils). Otherwise only
  /// kallsyms and the maps of JIT compilers have names.
  static bool reads_elf();

  /// The function at an address of the mapping, preceded by the calls inlined into it, innermost
  /// first; replaces the contents of `frames`. Always at least one frame: its function is empty if
  /// no symbol is known.
  void frames(std::uint64_t address, const Mapping& mapping, std::vector<Frame>& frames) const;
  /// As frames(), without sources and lines, which is faster.
  void calls(std::uint64_t address, const Mapping& mapping, std::vector<Frame>& frames) const;
  /// The function alone: the last of frames() without its source and line, which is much faster.
  Frame function(std::uint64_t address, const Mapping& mapping) const;

  /// The path of the file that has the code of the mapping, as opposed to its debug information: of
  /// this process' vdso that of a copy, as long as the object lives. Empty if none is known.
  std::string file_path(const Mapping& mapping) const;

  /// Human-readable: files that could not be used because they are not those of the recording, or
  /// are damaged.
  std::vector<std::string> problems() const;

 private:
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

/// How perf names the file of a mapping: the path, "[kernel.kallsyms]", "[ext4]" for a module,
/// "[vdso]", "/tmp/perf-PID.map" for code of a JIT compiler; "[unknown]" for an empty name.
EVNAME_API std::string dso_name(const Mapping& mapping);

}  // namespace evname
