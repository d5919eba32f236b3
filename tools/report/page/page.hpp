#pragma once
// The page of `evname report --html`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recordings/report/detailed_report.hpp"
#include "report/table.hpp"

namespace evname::tools {

/// The page, with "__EVNAME_DATA__" in place of its data.
extern const std::string_view kReportPage;

/// The contents of a page.
struct PageContents {
  /// One for each file, with timeline and stacks. They lose what the page has no room for.
  std::span<report::DetailedReport> reports;
  std::span<const Recording> files;
  std::span<const std::string> warnings;
  const TableKeys& keys;
  std::string_view order;  ///< as for view_of(); empty: by falling number of samples
  /// The changes from the first recording to the second; nullptr: rows of each recording.
  const std::vector<ReportChange>* changes = nullptr;
};

/// A self-contained page: it needs no network and no other file.
struct Page {
  std::string text;
  std::vector<std::string> sources;  ///< the files whose lines it contains
};
Page report_page(const PageContents& contents);

}  // namespace evname::tools
