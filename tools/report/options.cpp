#include "report/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "input/number_list.hpp"
#include "output/standard.hpp"
#include "report/sharing.hpp"

namespace evname::tools {
namespace {

/// The names of keys, on lines of at most `width` characters.
std::string key_names(SortKeyInfo::Of of, std::string_view separator,
                      std::size_t width = SIZE_MAX) {
  std::string out;
  std::size_t line = 0;
  for (const SortKeyInfo& key : sort_keys()) {
    if (key.of != of) continue;
    if (!out.empty()) out += separator;
    if (out.size() - line + key.name.size() >= width) {
      out.back() = '\n';
      line = out.size();
    }
    out += key.name;
  }
  return out;
}

/// "thread (comm), function (sym), …"
std::string other_names() {
  std::string out;
  for (const SortKeyInfo& key : sort_keys())
    if (!key.other_name.empty())
      out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", key.other_name, key.name);
  return out;
}

constexpr const char* kReportNotes =
    "Other words for keys: {1}.\n"
    "share is a part of all samples or, if rows are by event and another key, of the event's,\n"
    "whose rows follow each other. Each table, or event, ends with its total. lost and\n"
    "throttled are reported by event only; text leaves out columns of zeros.\n"
    "A column of --order counts numbers down and keys up, unless :asc or :desc follows it.\n"
    "--waiting: a row's time is the sum over its threads; a wait has the stack of its beginning\n"
    "and the time of its end, and state says why the thread was off the CPU.\n"
    "--diff: shares are of each recording's samples, or of the event's samples; change is the\n"
    "difference; with --html, the page compares events of the same name.\n"
    "--mem: cost is the sum of the weights, which are mostly latencies in cycles, with 1 for a\n"
    "sample without one, as perf mem report has it; mean is of the samples with a weight. "
    "Text\n"
    "has the first 10 rows by each; --top changes that. latency is the weight to powers of two.\n"
    "--instructions: text has 10 functions, and each instruction with its share of the function's\n"
    "samples of each event; one within 3 instructions of another with samples is shown, too.\n"
    "Keys of memory accesses:\n{0}.\n"
    "--branches: rows count branches of the samples' branch stacks (record -b), which filters\n"
    "select by their samples; sym, dso, srcfile and srcline are the target's; cycles are since\n"
    "the branch before, where the CPU records them. Keys of branches:\n{2}.\n"
    "Keys of AMD's IBS: the fields that evname annotate --help lists (ibs_data_src, …).\n"
    "--metrics: events are found by name or code, and an event's count is the sum of its\n"
    "periods; samples and share are of the events that the metrics need, METRIC_samples is how\n"
    "many samples its rarest event has in the row. Text shows rows without a metric from\n"
    "--min-samples samples as one line; CSV and JSON leave them out if the option is given.";

std::string min_samples_problem(const std::string& text) {
  return parse_decimal(text) ? "" : "'" + text + "' is not a number";
}

void add_row_options(Command& command, ReportArguments& options) {
  command
      .option("-i,--input,FILE", options.files,
              "perf.data, one or more; - reads standard input; with --stdio, none means perf.data, "
              "or standard input if it is a pipe")
      .value_name("FILE");
  command
      .option("-s,--sort", options.keys,
              "Rows by " + key_names(SortKeyInfo::Of::samples, ",") +
                  ", or fields of tracepoints (prev_comm); by default event, and below it the "
                  "functions with most samples")
      .value_name("KEYS")
      .last_counts();
  command
      .option("--order", options.order,
              "Order of rows: any columns, such as last or comm,period:asc")
      .value_name("COLUMNS");
  command
      .option("--top", options.top, "Show the first NUMBER rows (per event, if rows are by event)")
      .value_name("NUMBER")
      .checked_by(count_problem);
}

/// These options select rows of metrics, which no page has.
struct MetricChoice {
  Option metrics, topdown;
};

MetricChoice add_metric_options(Command& command, ReportArguments& options) {
  const Option metrics =
      command
          .option("--metrics", options.metrics,
                  "Metrics of the sampled events, and the number of samples behind each")
          .value_name("NAMES");
  const Option topdown =
      command
          .flag("--topdown", options.topdown,
                "Metrics of the CPU's top-down tree whose events were recorded; see --td-level")
          .excludes(metrics);
  return {metrics, topdown};
}

void add_memory_options(Command& command, ReportArguments& options) {
  command.flag(
      "--mem", options.memory,
      "Memory accesses by level, TLB, snoop, latency, function, line, data and cache line; "
      "with --sort rows by these keys, with what they cost");
  command.flag(
      "--c2c", options.sharing,
      "Cache lines with most contention: the threads that store and wait there, and the offsets");
  std::vector<std::string> displays;
  for (const auto& [word, by] : contention_words()) displays.push_back(word);
  command
      .option("--display", options.display,
              "--c2c: lines by all HITM loads, HITM loads of the node or of others, peers, or "
              "accesses by several threads; by default by what the CPU reports")
      .value_name("WHAT")
      .one_of(displays);
  command
      .option("--coalesce", options.coalesce,
              "--c2c: accesses of a place by pid,tid,iaddr,dso; by default iaddr")
      .value_name("KEYS")
      .checked_by(coalesce_problem);
}

void add_branch_options(Command& command, ReportArguments& options) {
  command.flag("-b,--branches", options.branches,
               "Rows by the function that branches and the target's, with how many branches were "
               "mispredicted, and their cycles; --sort chooses other keys");
  command.accept("--branch-stack");
}

void add_instruction_options(Command& command, ReportArguments& options) {
  command.flag("--instructions", options.instructions,
               "The instructions of the functions with most samples, with their lines and samples");
  command.flag("--all", options.whole_functions, "--instructions: those far from all samples, too");
  command.option("--syntax", options.syntax, "--instructions: of x86; by default intel")
      .value_name("WORD")
      .one_of({"intel", "att"});
}

void add_metric_limit_options(Command& command, ReportArguments& options) {
  command.option("--td-level", options.levels, "--topdown: the levels of the tree; by default 1")
      .value_name("NUMBER")
      .checked_by(count_problem);
  command
      .option("--min-samples", options.min_samples,
              "--metrics: rows that rest on fewer samples are one line of text; by default 10")
      .value_name("NUMBER")
      .checked_by(min_samples_problem);
}

void add_comparison_options(Command& command, ReportArguments& options) {
  add_waiting(command, options.pass);
  const Option children =
      command.flag("--children", options.children,
                   "Count the callees of each function, too; needs a key such as sym");
  command.accept("--no-children", &options.perf.no_children).excludes(children);
  command.flag("--diff", options.diff, "What changed from the first recording to the second");
}

void add_format_options(Command& command, ReportArguments& options,
                        const MetricChoice& of_metrics) {
  Option html =
      command
          .option(
              "-o,--html", options.html,
              "Write a page with flame graphs, tables and a timeline, for a browser, to this file")
          .value_name("FILE")
          .excludes(of_metrics.metrics)
          .excludes(of_metrics.topdown);
  add_force(command, options.force);
  Option json = command.flag("--json", options.json, "One JSON object per row").excludes(html);
  command.flag("--csv", options.csv, "CSV with a header").excludes(json).excludes(html);
  command.flag("--no-formulas", options.guard_formulas,
               "csv: ' before a text that a spreadsheet would take for a formula");
}

/// The argument of perf's -g: "graph,0.5,caller".
std::string call_graph_problem(const std::string& value) {
  constexpr std::string_view kWords[] = {"graph",   "fractal", "flat",    "folded",     "none",
                                         "caller",  "callee",  "address", "percent",    "period",
                                         "srcline", "count",   "branch",  "percentage", "function"};
  for (const std::string_view word : split(value, ','))
    if (word.find_first_not_of("0123456789.") != word.npos &&
        std::ranges::find(kWords, word) == std::end(kWords))
      return fmt::format("'{}' is none of {}", word, joined(kWords, ","));
  return {};
}

std::string percent_problem(const std::string& text) {
  const auto value = parse_double(text);
  return value && *value >= 0 && *value <= 100 ? "" : "'" + text + "' is not a percentage";
}

void add_perf_options(Command& command, PerfTableArguments& options) {
  command.group("perf's table, which each of these but -n and -q selects");
  command.flag("--stdio", options.stdio,
               "Print what perf report --stdio prints; rows are by comm,dso,symbol, or by the "
               "branches of branch stacks");
  command.option("-F,--fields", options.fields, "Columns: overhead, sample, period or keys; + adds")
      .value_name("COLUMNS")
      .last_counts();
  command.option("-t,--field-separator", options.separator, "Between columns")
      .value_name("TEXT")
      .last_counts();
  command.option("--percent-limit", options.least, "Leave out rows with a smaller share")
      .value_name("PERCENT")
      .last_counts()
      .checked_by(percent_problem);
  command.flag("-G,--inverted", options.inverted,
               "Callchains below rows from the outermost function, as with -g caller");
  command.option("--max-stack", options.most_frames, "Addresses of a callchain; by default 127")
      .value_name("NUMBER")
      .last_counts()
      .checked_by(count_problem);
  command.option("-S,--symbols", options.symbols, "Only rows of these functions; shares stay")
      .value_name("NAMES")
      .last_counts();
  command.option("--symbol-filter", options.symbol_part, "The same by a part of the name")
      .value_name("TEXT")
      .last_counts();
  command.option("-d,--dsos", options.dsos, "Only rows of these files; shares stay")
      .value_name("FILES")
      .last_counts();
  command.flag("--hierarchy", options.hierarchy, "Rows of a key below their sum");
  command.flag("-n,--show-nr-samples", options.samples, "A column with the number of samples");
  command.flag("--show-total-period", options.period, "A column with the sum of periods");
  command.flag("--showcpuutilization,--show-cpu-utilization", options.cpu_shares,
               "Columns with the shares of the kernel and of programs");
  command.flag("-q,--quiet", options.quiet, "No comments and headers");
  command.flag("--header", options.header, "The recording's header first");
  command.flag("--header-only", options.header_only, "The recording's header and nothing else");
  command.flag("-I,--show-info", options.full_header, "The topology of CPUs, too");
  command.flag("--stats", options.stats, "The numbers of records and nothing else");
  command.flag("--tasks", options.tasks, "The tree of threads and nothing else");
  command.flag("-D,--dump-raw-trace", options.dump,
               "The bytes and the fields of each record, their numbers, and nothing else");
  command.group("");
  command.accept("--task", &options.tasks);
}

}  // namespace

void add_report_options(Command& command, ReportArguments& options) {
  options.command = &command;
  add_row_options(command, options);
  const MetricChoice of_metrics = add_metric_options(command, options);
  add_memory_options(command, options);
  add_branch_options(command, options);
  add_instruction_options(command, options);
  add_metric_limit_options(command, options);
  add_comparison_options(command, options);
  add_format_options(command, options, of_metrics);
  command.flag("--salvage", options.pass.salvage, "Continue after damaged records");
  add_jobs(command, options.pass.jobs);
  command.option("-g,--call-graph", options.call_graph, "")
      .hide()
      .if_bare("graph")
      .last_counts()
      .checked_by(call_graph_problem);
  command.accept("--stdio2");
  command.accept("--tui");
  command.accept("-f");
  command.accept("--inline");
  command.accept("--demangle");
  options.traces.add_to(command);
  options.filter.add_to(command);
  options.functions.add_to(command);
  add_perf_options(command, options.perf);
  command.notes(fmt::format(kReportNotes, key_names(SortKeyInfo::Of::memory, ", ", 90),
                            other_names(), key_names(SortKeyInfo::Of::branches, ", ", 90)));
}

void leave_out_order(std::vector<std::string>& files, std::string& order) {
  const auto is_order = [](const std::string& file) {
    return !file.empty() && call_graph_problem(file).empty() && access(file.c_str(), F_OK) != 0;
  };
  if (const auto at = std::ranges::find_if(files, is_order);
      at != files.end() && files.size() > 1) {
    order = std::move(*at);
    files.erase(at);
  }
}

std::string_view report_problem(const ReportArguments& options) {
  const bool page = !options.html.empty();
  if (options.files.empty() && !options.perf.is_wanted()) return "FILE is missing";
  if (options.perf.is_wanted() &&
      (page || options.json || options.csv || options.diff || options.has_metrics() ||
       options.memory || options.sharing || options.instructions || options.pass.waits ||
       !(options.order + options.top).empty()))
    return "--stdio is perf's table: it takes neither --html, --json, --csv, --order, --top nor "
           "the options of other tables";
  if (options.diff && options.files.size() != 2) return "--diff compares two recordings";
  const bool metrics = options.has_metrics();
  if (options.diff && metrics)
    return options.topdown ? "--diff can't compare --topdown" : "--diff can't compare --metrics";
  if (options.files.size() > 1 && metrics)
    return options.topdown ? "--topdown takes one recording" : "--metrics takes one recording";
  if (!options.min_samples.empty() && !metrics) return "--min-samples needs --metrics or --topdown";
  if (!options.levels.empty() && !options.topdown) return "--td-level needs --topdown";
  const bool of_memory = options.memory || options.sharing;
  if (of_memory && page) return "--html has memory accesses without --mem and --c2c";
  if (of_memory && (options.diff || metrics))
    return "--mem and --c2c take neither --diff, --metrics nor --topdown";
  if (options.branches && (of_memory || metrics || page || options.pass.waits || options.children))
    return "--branches takes neither --mem, --c2c, --metrics, --topdown, --html, --waiting nor "
           "--children";
  if (options.pass.waits && (of_memory || metrics))
    return "--waiting takes neither --mem, --c2c, --metrics nor --topdown";
  const bool instructions = options.instructions;
  if (instructions &&
      (page || options.diff || metrics || of_memory || options.branches || options.children ||
       options.pass.waits || !(options.keys + options.order).empty()))
    return "--instructions takes --top, --all, --syntax, --json, --csv and filters, and no other "
           "tables";
  if (!instructions && (options.whole_functions || !options.syntax.empty()))
    return "--all and --syntax need --instructions";
  if (options.sharing && (options.memory || !options.keys.empty() || !options.order.empty()))
    return "--c2c has tables of its own: no --mem, --sort and --order";
  if (!options.sharing && !(options.display + options.coalesce).empty())
    return "--display and --coalesce need --c2c";
  if (options.perf.hierarchy && options.children) return "--hierarchy has no column Children";
  if (page && !options.top.empty()) return "--html has rows up to 2,000, without --top";
  if (page && options.children) return "--html counts what functions call without --children";
  return "";
}

}  // namespace evname::tools
