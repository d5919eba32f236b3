#pragma once
// The tables of `evname report --c2c`.

#include <optional>
#include <string>

#include "recordings/report/detailed_report.hpp"

namespace evname::tools {

/// Options for printing the lines with most contention.
struct SharingView {
  std::optional<report::Contention>
      by;                          ///< the number that selects lines; nullopt: by the CPU's reports
  std::string coalesce = "iaddr";  ///< keys of accesses: pid, tid, iaddr, dso
  enum class Format { text, json, csv } format = Format::text;
  std::optional<std::size_t> top;  ///< lines, and accesses of each; nullopt: in text some
  bool guard_formulas = false;
  bool is_arm64 = false;  ///< SPE recorded the accesses, even if perf inject has decoded it
};

/// Returns perf's words for numbers that select lines: "tot", …
std::vector<std::pair<std::string, int>> contention_words();

/// Returns the fault of SharingView::coalesce; "" if there is none.
std::string coalesce_problem(const std::string& text);

/// Prints the outcomes of all samples, the lines with most contention, and the accesses of each.
void print_sharing(const report::DetailedReport& report, const SharingView& view);

}  // namespace evname::tools
