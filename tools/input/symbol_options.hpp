#pragma once
// Options that say where functions' names are looked for: --symfs, --vmlinux, --kallsyms, …

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "evname/perf_data.hpp"
#include "evname/symbols.hpp"

namespace evname::tools {

class NamedFunctions {
 public:
  void add_to(Command& command);
  /// Those of the options, made when first asked for. `file`: one of the recordings.
  const Symbols& of(const PerfData& file);
  /// Tells, after all is named, which files could not be used; only how many if the user has not
  /// `asked` for functions.
  void tell_problems(bool asked) const;

 private:
  SymbolOptions options_;
  bool no_inline_ = false, no_demangle_ = false, verbose_ = false;
  std::optional<Symbols> symbols_;
};

}  // namespace evname::tools
