#pragma once
// The tables of `evname report --c2c`.

#include <optional>
#include <string>

#include "evname/report.hpp"

namespace evname::tools {

/// How the lines with most contention are printed.
struct SharingView {
  std::optional<Contention> by;    ///< what lines are chosen by; nullopt: what the CPU reports
  std::string coalesce = "iaddr";  ///< keys of accesses: pid, tid, iaddr, dso
  enum class Format { text, json, csv } format = Format::text;
  std::optional<std::size_t> top;  ///< lines, and accesses of each; nullopt: in text some
  bool guard_formulas = false;
  bool is_arm64 = false;  ///< SPE recorded the accesses, also where perf inject has decoded it
};

/// Returns what lines can be chosen by, in perf's words: "tot", …
std::vector<std::pair<std::string, int>> contention_words();

/// Returns what is wrong with SharingView::coalesce; "": nothing.
std::string coalesce_problem(const std::string& text);

/// Prints what all samples met, the lines with most contention, and the accesses of each.
void print_sharing(const Report& report, const SharingView& view);

}  // namespace evname::tools
