#include "report/perf/choice.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "evname/attr.hpp"
#include "info/perf_header.hpp"
#include "output/standard.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::tools {
namespace {

bool samples_callchains(std::span<const Recording> files) {
  return std::ranges::any_of(files, [](const Recording& file) {
    return std::ranges::any_of(file.events(), [&](const RecordedEvent& event) {
      return file.attr(event.attr).samples(perf_format::kSampleCallchain);
    });
  });
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string_view word : split(list, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

}  // namespace

std::optional<PerfTable> choose_perf_table(const ReportArguments& options,
                                           std::span<const Recording> files, ReportOptions& how) {
  const perf_format::Features& features = perf_data::features_of(files[0]);
  const PerfTableArguments& given = options.perf;
  PerfColumnChoice choice{options.keys,
                          given.fields,
                          options.branches || features.has(perf_format::Feature::branch_stack),
                          false,
                          given.samples,
                          given.period,
                          given.cpu_shares};
  // One sample counts for many functions, so a level above functions is not their sum.
  choice.children =
      !choice.branches && !given.no_children && !given.hierarchy && samples_callchains(files);
  auto columns = perf_columns(choice, how.fields);
  if (!columns) {
    tell_error("--stdio: {}; there are {}", columns.error().message, columns.error().hint);
    return std::nullopt;
  }
  PerfTable table{std::move(*columns), given.separator, parse_double(given.least).value_or(0),
                  given.hierarchy,     given.quiet,     false};
  if (files.size() == 1) table.groups = features.groups;  // by numbers of its events
  table.symbols = words_of(given.symbols);
  table.files = words_of(given.dsos);
  table.symbol_part = given.symbol_part;
  how.keys = table.keys();
  how.branches = choice.branches;
  const auto is_code = [](SortKey key) { return key >= SortKey::sym && key <= SortKey::srcline; };
  how.children = choice.children && std::ranges::any_of(how.keys, is_code);
  table.with_callers = how.children;
  table.chain_style.callers_first = given.inverted || how.children;
  table.chain_style.skips_first = given.fields.empty() && options.keys.starts_with("sym");
  table.chain_style = tools::chain_style(options.call_graph, table.chain_style);
  if (choice.branches || !samples_callchains(files))
    table.chain_style.mode = ChainStyle::Mode::none;
  return table;
}

void print_header(const PerfTableArguments& options, const Recording& file) {
  if (options.quiet) return;
  if (!options.header && !options.header_only)
    return (void)to_stdout(
        "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
  print_header(header_lines(file, options.full_header));
  if (file.facts().form == FileFacts::Form::pipe)
    print_header(feature_header(file, options.full_header));
}

}  // namespace evname::tools
