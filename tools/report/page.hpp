#pragma once
// The page of `evname report --html`.

#include <string>
#include <string_view>

#include "evname/report.hpp"

namespace evname::tools {

/// page.html; "__EVNAME_DATA__" stands for the data.
extern const std::string_view kReportPage;

/// A page that needs nothing else: no network, no other file. `keys` of the report are event.
std::string report_page(const Report& report, const std::vector<PerfData>& files,
                        const std::vector<std::string>& warnings);

}  // namespace evname::tools
