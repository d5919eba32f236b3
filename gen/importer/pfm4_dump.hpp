#pragma once
// The tables of libpfm4's sources. A C compiler reads them: a small program that includes them is
// made and run.

#include <cstdint>
#include <string>
#include <vector>

#include "evname/error.hpp"

namespace evname::importer {

/// An event or one of its unit masks.
struct Pfm4Row {
  bool is_mask = false;
  std::string name;
  std::uint64_t code = 0;
  std::uint64_t group = 0;  ///< of an event how many it has
  std::uint64_t flags = 0;
  std::uint64_t modifiers = 0, required = 0;
  std::uint64_t model = 0;  ///< the number of the one PMU that has it; 0: all
  std::string alias = {};
  std::uint64_t filters[2] = {};
};

/// A PMU with the members of libpfm4's struct.
struct Pfm4Pmu {
  std::string name, label, perf;
  std::uint64_t id = 0, event_count = 0, words = 0, flags = 0, revision = 0, counters = 0,
                fixed = 0, type = 0, levels = 0;
  std::string table;          ///< the symbol of its events; "" if it has none
  std::string encoder;        ///< the symbol of the function that makes its codes
  std::string cpus;           ///< "6-8f,cf" if its models are listed
  std::vector<Pfm4Row> rows;  ///< its events, each followed by its masks
};

/// A program that prints the tables of libpfm4, and its files.
class Pfm4Dump {
 public:
  /// `directory` has libpfm4's lib and include.
  explicit Pfm4Dump(std::string directory);
  ~Pfm4Dump();
  Pfm4Dump(const Pfm4Dump&) = delete;
  Pfm4Dump& operator=(const Pfm4Dump&) = delete;

  /// Compiles all sources, with all macros. A source that does not compile is an error only if a
  /// program needs it.
  Result<void> compile(const std::vector<std::string>& macros);
  /// Returns the PMUs of libpfm4's list for an architecture, in its order. `macros` are what its
  /// makefile defines for that. Errors: there is no compiler, or the sources don't compile.
  Result<std::vector<Pfm4Pmu>> pmus(const std::vector<std::string>& macros) const;

 private:
  std::vector<std::string> compile_command(const std::vector<std::string>& macros) const;
  Result<std::string> run(std::vector<std::string> command, const std::string& name) const;

  std::string directory_;
  std::string work_;  ///< a directory of its own; "" before compile()
  std::vector<std::string> objects_;
  std::vector<std::string> faults_;  ///< of sources that did not compile
};

}  // namespace evname::importer
