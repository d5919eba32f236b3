// The module has this beside the C interface: the page of `evname report --html`.
#include <string>
#include <utility>
#include <vector>

#include "base/output/output_file.hpp"
#include "c/handles.hpp"
#include "evname/report.hpp"
#include "layouts.hpp"  // the package reads structs where these say
#include "report/page/page.hpp"

using namespace evname::c;
using evname::Result;

namespace {

/// The contents of a page: a report of each recording.
struct Contents {
  std::vector<evname::report::DetailedReport> reports;
  std::vector<evname::Recording> files;
  std::vector<std::string> warnings;
};

Result<void> add(const evname_recording& recording, const evname::ReportOptions& options,
                 Contents& to) {
  to.files.push_back(recording.file);
  to.reports.emplace_back(
      options, evname::report::Details{
                   .grid = true, .sharing = true, .branches = true, .instructions = true});
  const auto tally = to.reports.back().add(recording.file);
  if (!tally) return evname::fail(tally);
  to.warnings.insert(to.warnings.end(), tally->warnings.begin(), tally->warnings.end());
  return {};
}

}  // namespace

extern "C" {

/// Writes the page of `evname report --html` to `path`. `symbols` and `filter` may be null.
__attribute__((export_name("evname_page_write"))) int evname_page_write(
    const evname_recording* const* recordings, std::size_t count, const evname_symbols* symbols,
    const evname_filter* filter, const char* path, evname_error* error) {
  return guarded(error, [&]() -> Result<void> {
    auto pass = pass_of(filter);
    if (!pass) return evname::fail(std::move(pass));
    evname::ReportOptions options;
    options.filter = filter_of(filter);
    options.pass = std::move(*pass);
    options.symbols = symbols == nullptr ? nullptr : symbols->symbols.get();
    Contents contents;
    for (std::size_t i = 0; i < count; ++i)
      if (auto added = add(*recordings[i], options, contents); !added) return added;
    auto out = evname::OutputFile::create(path);
    if (!out) return evname::fail(std::move(out));
    const evname::tools::TableKeys keys{options.keys, {}, {}};
    const auto page = evname::tools::report_page(
        {contents.reports, contents.files, contents.warnings, keys, /*order=*/{}});
    auto written = out->write(page.text);
    return written ? out->commit() : written;
  });
}

}  // extern "C"
