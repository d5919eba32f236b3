#pragma once
// The page of `evname report --html`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/report.hpp"
#include "report/table.hpp"

namespace evname::tools {

/// The page without its data, for which "__EVNAME_DATA__" stands.
extern const std::string_view kReportPage;

/// What a page shows.
struct PageContents {
  std::span<const Report> reports;  ///< of each file one, with timeline and stacks
  std::span<const PerfData> files;
  std::span<const std::string> warnings;
  const TableKeys& keys;
  std::string_view order;  ///< as view_of() takes it; empty: those with most samples first
  /// What changed from the first recording to the second; nullptr: rows are of each recording.
  const std::vector<ReportChange>* changes = nullptr;
};

/// A page that needs nothing else: no network, no other file.
struct Page {
  std::string text;
  std::vector<std::string> sources;  ///< the files that it has lines of
};
Page report_page(const PageContents& contents);

}  // namespace evname::tools
