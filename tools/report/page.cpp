#include "report/page.hpp"

#include <algorithm>

#include "report/page_data.hpp"

namespace evname::tools {

// "<" stands in strings only, where the escape means the same; so no name ends the script.
std::string report_page(const PageContents& contents) {
  constexpr std::string_view kPlace = "__EVNAME_DATA__";
  // Most of a page is stacks, and long names of functions: fewer of them, until it is small enough.
  constexpr std::size_t kMostBytes = 8'000'000;
  std::string data;
  for (double stacks = kPageStacks; stacks > 100;) {
    data = page_data(contents, static_cast<std::uint32_t>(stacks));
    if (data.size() <= kMostBytes) break;
    stacks *= std::clamp(0.9 * kMostBytes / static_cast<double>(data.size()), 0.5, 0.75);
  }
  const auto place = kReportPage.find(kPlace);
  std::string page(kReportPage.substr(0, place));
  for (const char letter : data) letter == '<' ? page += "\\u003c" : page += letter;
  return page += kReportPage.substr(place + kPlace.size());
}

}  // namespace evname::tools
