// evname report: adds up the samples of recordings.

#include "evname/report.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/text.hpp"
#include "evname/topdown.hpp"
#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "report/instructions.hpp"
#include "report/options.hpp"
#include "report/overview.hpp"
#include "report/page/page.hpp"
#include "report/perf/choice.hpp"
#include "report/perf/records.hpp"
#include "report/precision.hpp"
#include "report/sharing.hpp"
#include "report/table.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

/// The recordings that were read.
struct Reading {
  ReportOptions how;
  report::Details details;
  std::vector<Recording> files;
  std::vector<report::DetailedReport> reports;  ///< one, or one for each file
  std::vector<std::string> warnings;
  int code = kDone;
  std::uint64_t samples = 0;   ///< those that count
  bool has_functions = false;  ///< for an overview
  std::optional<PerfTable> as_perf = {};
  Progress progress = {};
};

constexpr std::uint64_t kMostFrames = 127;  ///< of perf's callchains: PERF_MAX_STACK_DEPTH

bool tell_unusable(const char* option, const Error& error) {
  return tell_error("{}: {}; there are {}", option, error.message, error.hint);
}

/// Returns the keys of --sort in evname's words.
std::string own_keys(const std::string& keys) {
  std::vector<std::string_view> out;
  for (const std::string_view word : split(keys, ','))
    if (const std::string_view own = own_word(word); !own.empty() || word.empty())
      out.push_back(own);
  return joined(out, ",");
}

bool has_branch_key(const std::vector<SortKey>& keys) {
  return std::ranges::any_of(keys, [](SortKey key) {
    return sort_keys()[static_cast<std::size_t>(key)].of == SortKeyInfo::Of::branches;
  });
}

/// Returns false after reporting why not.
bool choose_keys(const ReportArguments& options, ReportOptions& how) {
  if (options.perf.is_wanted()) return true;  // the recordings have a say
  std::vector<SortKey>& keys = how.keys;
  const char* const usual = options.has_metrics() ? "sym"
                            : options.branches    ? "sym_from,sym_to"
                                                  : "event";
  auto parsed = parse_sort_keys(options.keys.empty() ? usual : options.keys, how.fields);
  if (!parsed) return tell_unusable("--sort", parsed.error());
  keys = std::move(*parsed);
  if (!options.has_metrics()) return true;
  // A metric has several events, so its rows have no event.
  std::erase(keys, SortKey::event);
  if (keys.empty()) tell_error("--metrics needs another key than event: --sort sym");
  return !keys.empty();
}

bool fill(const ReportArguments& options, ReportOptions& how) {
  if (!choose_keys(options, how)) return false;
  if (!options.pass.waits && std::ranges::find(how.keys, SortKey::state) != how.keys.end())
    return tell_error("--sort state needs --waiting");
  options.filter.fill(how.filter);
  if (options.has_metrics()) how.keys.insert(how.keys.begin(), SortKey::event);
  how.children = options.children;
  const auto is_code = [](SortKey key) { return key >= SortKey::sym && key <= SortKey::srcline; };
  if (how.children && !options.perf.is_wanted() && std::ranges::none_of(how.keys, is_code))
    return tell_error("--children needs one of the keys sym, dso, srcfile and srcline: --sort sym");
  how.memory = options.memory;
  how.branches = options.branches || has_branch_key(how.keys);
  how.pass = options.pass;
  return true;
}

/// Returns the samples to make from trace data: as in perf, one per access for tables of memory
/// accesses.
TraceOptions traces_for(const ReportArguments& options) {
  if (!options.memory && !options.sharing) return {};
  return {static_cast<unsigned>(TraceKind::memory), 1, 0};
}

/// An unreadable file does not hide the others. False: there is nothing to show.
bool read_options(ReportArguments& options, Reading& out) {
  if (!options.keys.empty() && !options.perf.is_wanted()) options.keys = own_keys(options.keys);
  if (!fill(options, out.how)) return false;
  out.details.grid = !options.html.empty();
  out.details.sharing = options.sharing || out.details.grid;
  out.details.branches = out.details.grid;
  out.details.instructions = options.instructions || out.details.grid;
  out.how.pass.progress = out.progress.callback();
  for (const std::string& path : options.files)
    if (const auto file = options.traces.open(path, traces_for(options)))
      out.files.push_back(*file);
  if (out.files.empty() || (options.diff && out.files.size() < 2)) return false;
  if (out.files.size() != options.files.size()) out.code = kPartial;
  out.has_functions = options.wants_overview() && std::ranges::any_of(out.files, samples_addresses);
  if (out.has_functions) out.how.keys = {SortKey::event, SortKey::sym};
  out.details.nameless_by_file = out.has_functions;
  if (options.perf.is_wanted()) {
    out.as_perf = choose_perf_table(options, out.files, out.how);
    if (!out.as_perf) return false;
    const ChainStyle& style = out.as_perf->chain_style;
    out.details.chains = style.mode != ChainStyle::Mode::none;
    out.details.callers_first = style.callers_first;
    out.details.inlined_apart = true;
    out.details.most_frames = parse_decimal(options.perf.most_frames).value_or(kMostFrames);
  }
  out.how.symbols = &options.functions.get();
  if (const auto times = options.filter.fill_times(out.files[0], out.how.filter); !times)
    return tell_error("{}", times.error().text());
  for (const Recording& file : out.files) {
    if (out.reports.empty() || options.is_apart()) out.reports.emplace_back(out.how, out.details);
    const auto tally = out.reports.back().add(file);
    out.progress.end();
    if (!tally && tally.error().code == Errc::invalid_argument && !tally.error().hint.empty())
      return tell_unusable("--sort", tally.error());
    if (!tally) return tell_error("{}", tally.error().text());
    const auto unread = options.pass.salvage ? Unread::gone : Unread::salvageable;
    out.code = std::max(out.code, finish_pass(file, *tally, unread));
    out.warnings.insert(out.warnings.end(), tally->warnings.begin(), tally->warnings.end());
    out.samples += tally->selected;
  }
  const auto& first = out.reports[0];
  options.functions.tell_problems(options.html.empty() && !out.has_functions, first.unnamed(),
                                  first.samples());
  return true;
}

/// As in perf: with --children, functions with most samples in their stacks come first; with --mem,
/// rows with most cost.
std::string order_of(const ReportArguments& options, const Table& table) {
  if (!options.order.empty()) return options.order;
  for (const std::string_view name : {"children_waited", "children", "cost"})
    if (std::ranges::find(table.columns, name, &Column::name) != table.columns.end())
      return std::string(name);
  return "";
}

Result<TableView> chosen_view(const ReportArguments& options, const Table& table) {
  std::size_t top = SIZE_MAX;
  if (!options.top.empty()) top = parse_decimal(options.top).value_or(SIZE_MAX);
  return view_of(table, order_of(options, table), top);
}

bool print(const ReportArguments& options, const Table& table, const Result<TableView>& view) {
  if (!view) return tell_unusable("--order", view.error());
  if (options.json)
    print_json(table, *view);
  else if (options.csv)
    print_csv(table, *view, options.guard_formulas);
  else
    print_text(table, *view);
  return true;
}

bool print(const ReportArguments& options, const Table& table) {
  return print(options, table, chosen_view(options, table));
}

/// Values from few samples are noise. Data formats have them, unless --min-samples is given.
void fold_noise(const ReportArguments& options, const SampledMetrics& metrics, TableView& view) {
  constexpr std::uint64_t kEnough = 10;
  const bool is_data = options.json || options.csv;
  const std::uint64_t least = parse_decimal(options.min_samples).value_or(is_data ? 0 : kEnough);
  const auto is_noise = [&](std::size_t row) {
    for (std::size_t i = 0; i < metrics.set.metrics().size(); ++i)
      if (metrics.rarest(i, Rows(&row, 1)) >= least) return false;
    return true;
  };
  fold(view, is_noise,
       fmt::format("with fewer than {} of an event", counted(least, "sample", "samples")));
}

/// Returns the nodes of the recorded CPU's top-down tree, down to a level; reports if it has none.
std::vector<std::string> topdown_nodes(const ReportArguments& options, const Recording& file) {
  std::vector<std::string> names;
  const auto tree = TopdownTree::of(file.machine(), recorded_facts(file));
  if (!tree) {
    tell_error("--topdown: {}", tree.error().text());
    return names;
  }
  const auto levels = static_cast<unsigned>(parse_decimal(options.levels).value_or(1));
  for (const std::size_t node : tree->select(levels))
    if (tree->metric_of(node) != TopdownNode::kNone) names.push_back(tree->nodes()[node].name);
  return names;
}

/// Returns the keys from the n-th on.
TableKeys keys_of(const Reading& reading, std::size_t first = 0) {
  TableKeys keys{
      {reading.how.keys.begin() + static_cast<std::ptrdiff_t>(first), reading.how.keys.end()},
      reading.how.fields,
      {},
      reading.how.pass.waits,
      {},
      reading.how.branches};
  for (const Report::Event& event : reading.reports[0].events())
    keys.in_ns.push_back(keys.is_in_ns(event));
  for (const SortKey key : keys.keys)
    if (std::ranges::all_of(reading.reports, [&](const Report& one) { return one.is_number(key); }))
      keys.numbers.push_back(key);
  return keys;
}

bool print_metrics(const ReportArguments& options, Reading& reading) {
  std::vector<std::string> names;
  if (options.topdown && (names = topdown_nodes(options, reading.files[0])).empty()) return false;
  for (const std::string_view name : split(options.metrics, ','))
    if (!options.topdown) names.emplace_back(name);
  const auto metrics = sampled_metrics(reading.reports[0], reading.files[0], names,
                                       options.topdown ? "--topdown" : "--metrics");
  if (!metrics) return false;
  if (metrics->is_part) reading.code = std::max(reading.code, int{kPartial});
  Table table = table_of(*metrics, keys_of(reading, 1));
  if (options.topdown)
    for (Column& column : table.columns) column.only_data |= column.name.ends_with("_samples");
  auto view = chosen_view(options, table);
  if (view) fold_noise(options, *metrics, *view);
  return print(options, table, view);
}

/// Reports the fields that a table of memory accesses needs.
void tell_not_sampled(const std::vector<Report::MemoryRow>& rows, std::uint64_t samples) {
  constexpr std::pair<SortKey, const char*> kSampled[] = {{SortKey::mem, "data source"},
                                                          {SortKey::latency, "weight"},
                                                          {SortKey::dcacheline, "address"}};
  for (const auto& [key, what] : kSampled)
    for (const Report::MemoryRow& row : rows)
      if (row.key == key && row.value == "-" && row.samples > 0)
        tell_note("{} of {} have no {}: their event does not sample it", row.samples,
                  counted(samples, "sample", "samples"), what);
}

/// Prints a table for each key of memory accesses: in text its first rows.
bool print_memory(const ReportArguments& options, const Reading& reading) {
  constexpr std::size_t kShown = 10;
  const auto rows = reading.reports[0].memory();
  tell_not_sampled(rows, reading.samples);
  const Table table = table_of(rows);
  const bool is_text = !options.json && !options.csv;
  auto view = view_of(table, options.order, is_text ? kShown : SIZE_MAX);
  if (view && !options.top.empty()) view->top = parse_decimal(options.top).value_or(SIZE_MAX);
  return print(options, table, view);
}

/// Prints the cache lines with most contention.
bool print_contention(const ReportArguments& options, const Reading& reading) {
  SharingView view;
  view.is_arm64 = std::ranges::any_of(reading.files, [](const Recording& file) {
    return perf_data::features_of(file).arch == "aarch64";
  });
  for (const auto& [word, by] : contention_words())
    if (word == options.display) view.by = static_cast<report::Contention>(by);
  if (!options.coalesce.empty()) view.coalesce = options.coalesce;
  view.format = options.json  ? SharingView::Format::json
                : options.csv ? SharingView::Format::csv
                              : SharingView::Format::text;
  if (!options.top.empty()) view.top = parse_decimal(options.top).value_or(SIZE_MAX);
  view.guard_formulas = options.guard_formulas;
  print_sharing(reading.reports[0], view);
  return true;
}

bool print_code(const ReportArguments& options, const Reading& reading) {
  using enum InstructionsView::Format;
  InstructionsView view{.format = options.json  ? json
                                  : options.csv ? csv
                                                : text,
                        .whole = options.whole_functions,
                        .guard_formulas = options.guard_formulas};
  if (options.syntax == "att") view.syntax = InstructionReport::Syntax::att;
  if (!options.top.empty()) view.top = parse_decimal(options.top).value_or(SIZE_MAX);
  view.above = precision_lines(reading.files, reading.reports[0]);
  print_instructions(reading.reports[0], view);
  return true;
}

bool print_as_perf(const PerfTableArguments& options, PerfTable& table, const Reading& reading) {
  print_header(options, reading.files[0]);
  if (reading.how.branches) table.samples = reading.reports[0].branching_samples();
  table.chains = reading.reports[0].chains();
  if (table.chains.is_pruned)
    tell_note(
        "rare callchains were cut off, as all take too much memory: shares below the rows may be "
        "low by 0.2 %; --no-children needs less");
  print_perf_table(reading.reports[0], table);
  return true;
}

std::vector<ReportChange> changes_of(const Reading& reading) {
  return compare_rows(reading.reports[0].rows(), reading.reports[1].rows(),
                      event_block_key(reading.how.keys));
}

bool print_diff(const ReportArguments& options, const Reading& reading) {
  const auto changes = changes_of(reading);
  return print(options, table_of(changes, keys_of(reading)));
}

bool print_functions(const ReportArguments& options, const Reading& reading) {
  print_overview(reading.reports[0], keys_of(reading), options.command->words());
  tell_unshown(reading.files);
  return true;
}

bool write_page(const ReportArguments& options, Reading& reading) {
  std::vector<ReportChange> changes;
  if (options.diff) changes = changes_of(reading);
  const std::vector<Report::Row> none;
  const TableKeys keys = keys_of(reading);
  const auto view = view_of(options.diff ? table_of(changes, keys) : table_of(none, keys),
                            options.order, SIZE_MAX);
  if (!view) return tell_unusable("--order", view.error());
  reading.progress.show("making the page");
  const Page page = report_page({reading.reports, reading.files, reading.warnings, keys,
                                 options.order, options.diff ? &changes : nullptr});
  std::vector<std::string> made_from = options.functions.inputs(options.files);
  made_from.insert(made_from.end(), page.sources.begin(), page.sources.end());
  return write_output(options.html, page.text, made_from);
}

/// The kernel's event that counts nothing; perf adds it to record mappings, names and the like.
bool is_dummy(const RecordedEvent& event) {
  return event.code.type == PERF_TYPE_SOFTWARE && event.code.config[0] == PERF_COUNT_SW_DUMMY;
}

/// Events of the recordings that pass the filter, each once.
std::vector<std::string> events_asked_for(const Reading& reading) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const Recording& file : reading.files) {
    const std::vector<bool> asked = reading.how.filter.events(file);
    for (const RecordedEvent& event : file.events())
      if (asked[event.attr] && !is_dummy(event))
        if (auto [name, is_new] = seen.insert(event.full_name()); is_new) names.push_back(*name);
  }
  return names;
}

/// Counts of different events can't be added.
void tell_mixed(const ReportArguments& options, const Reading& reading) {
  constexpr std::size_t kNamed = 6;
  if (options.has_metrics() || !options.html.empty() ||
      std::ranges::find(reading.how.keys, SortKey::event) != reading.how.keys.end())
    return;
  const auto names = events_asked_for(reading);
  if (names.size() < 2) return;
  const std::span named = std::span(names).first(std::min(names.size(), kNamed));
  tell_note("rows add up what {} events count ({}{}); --sort event,{} keeps them apart",
            names.size(), joined(named, ", "), names.size() > kNamed ? ", …" : "",
            joined(keys_of(reading).names(), ","));
}

/// Prints what needs no table.
int print_records(ReportArguments& options) {
  int code = kDone;
  for (const std::string& path : options.files) {
    const auto file = open_perf_file(path);
    if (!file) return kUnusable;
    if (options.perf.header_only || options.perf.dump) print_header(options.perf, *file);
    if (options.perf.dump) code = std::max(code, print_dump(*file, options.functions.get()));
    if (options.perf.stats) code = std::max(code, print_stats(*file));
    if (options.perf.tasks) code = std::max(code, print_tasks(*file));
  }
  return code;
}

int report(ReportArguments& options) {
  if (options.files.empty()) options.files.push_back(perf_input(""));
  if (!options.call_graph.empty()) leave_out_order(options.files, options.call_graph);
  if (!options.html.empty() &&
      !may_replace("--html", options.html, options.functions.inputs(options.files), options.force))
    return kUnusable;
  if (options.instructions && !InstructionReport::decodes())
    return tell_error(
        "--instructions: evname was built without Capstone and LLVM, which decode, or without "
        "elfutils "
        "({})",
        install_hint("libcapstone-dev libdw-dev", "capstone-devel elfutils-devel"));
  if (options.perf.is_of_records()) return print_records(options);
  Reading reading;
  if (!read_options(options, reading)) return kUnusable;
  if (reading.samples == 0 && options.filter.is_set()) {
    tell_no_match(options.filter, reading.how.filter, reading.files);
    return kPartial;
  }
  if (reading.samples == 0 && reading.how.branches)
    tell_note("no sample has branches: record with -b, on a CPU that records them");
  if (!reading.as_perf && !options.call_graph.empty())
    tell_note(
        "-g: rows have no callchains; --children counts with a function what it calls, --html "
        "FILE draws flame graphs, `evname annotate --format folded` prints the stacks");
  if (reading.as_perf)
    for (const char* const word : {"address", "srcline", "branch"})
      if (options.call_graph.find(word) != std::string::npos)
        tell_note("-g {}: callchains are by functions alone", word);
  tell_mixed(options, reading);
  bool done = false;
  if (reading.as_perf)
    done = print_as_perf(options.perf, *reading.as_perf, reading);
  else if (!options.html.empty())
    done = write_page(options, reading);
  else if (options.has_metrics())
    done = print_metrics(options, reading);
  else if (options.instructions)
    done = print_code(options, reading);
  else if (options.sharing)
    done = print_contention(options, reading);
  else if (options.memory && options.keys.empty())
    done = print_memory(options, reading);
  else if (options.diff)
    done = print_diff(options, reading);
  else if (reading.has_functions)
    done = print_functions(options, reading);
  else
    done = print(options, table_of(reading.reports[0].rows(), keys_of(reading)));
  return done ? reading.code : int{kUnusable};
}

}  // namespace

void add_report(Command& command) {
  add_report_options(command, command.runs(report, report_problem));
}

}  // namespace evname::tools
