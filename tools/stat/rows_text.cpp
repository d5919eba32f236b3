#include "stat/rows_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "output/event.hpp"
#include "output/json_line.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

namespace {

constexpr int kNumberWidth = 18, kNameWidth = 25, kFigureWidth = 24;

std::string_view lack_of(const Row& row) {
  if (row.is_counted()) return "";
  return row.problem && row.problem->code == Errc::unsupported ? "<not supported>"
                                                               : "<not counted>";
}

double share(const Row& row) {
  if (row.value.enabled == 0) return 100;
  return 100.0 * static_cast<double>(row.value.running) / static_cast<double>(row.value.enabled);
}

/// Events whose counts have a unit have fractions.
std::string number_of(const Row& row) {
  const double scale = row.encoding->scale;
  return fmt::format("{:.{}f}", row.amount(), scale == std::floor(scale) ? 0 : 2);
}

/// "1,234,567.89"
std::string with_digit_groups(std::string number) {
  const auto begin = static_cast<std::ptrdiff_t>(number.starts_with('-'));
  auto at = static_cast<std::ptrdiff_t>(std::min(number.find('.'), number.size())) - 3;
  for (; at > begin; at -= 3) number.insert(static_cast<std::size_t>(at), 1, ',');
  return number;
}

std::string event_of(const Row& row) {
  std::string name = row.encoding->written();
  // Units of one kind are several events of one name.
  if (row.encoding->pmu.starts_with("uncore_") && name.find('/') == name.npos)
    name += fmt::format(" [{}]", row.encoding->pmu);
  return one_line(Screen::error, std::move(name));
}

std::string text_prefix(std::string_view part, std::size_t counters,
                        const std::optional<double>& time, Per per) {
  std::string out;
  if (time) out += fmt::format("{:>16.9f} ", *time);
  const PerShape& shape = shape_of(per);
  if (per == Per::thread) {
    const std::size_t dash = part.rfind('-');
    out += fmt::format("{:>16}-{:<7} ", one_line(Screen::error, std::string(part.substr(0, dash))),
                       part.substr(dash + 1));
  } else if (per != Per::all) {
    out += fmt::format("{:<{}} ", part, shape.width - (shape.counts_counters ? 0 : 1));
  }
  if (shape.counts_counters) out += fmt::format("{:>4} ", counters);
  return out;
}

/// "GHz  cycles_frequency"
std::string unit_of(const Figure& figure) {
  return fmt::format("{}{}{}", figure.unit, figure.unit.empty() ? "" : "  ", figure.name);
}

/// perf prints one digit for a number with a unit, and two for others; unknown values are nan.
std::string value_of(const Figure& figure) {
  if (!figure.value) return "nan";
  return fmt::format("{:.{}f}", *figure.value, figure.unit.empty() ? 2 : 1);
}

std::string text_row(const Row& row, const StatReport& report, const StatOptions& options,
                     std::size_t unit_width) {
  std::string out = text_prefix(row.part, row.counters, report.time, options.per());
  std::string number = row.is_counted() ? number_of(row) : std::string(lack_of(row));
  if (options.digit_groups && row.is_counted()) number = with_digit_groups(std::move(number));
  out += fmt::format("{:>{}} {:<{}} {:<{}}", number, kNumberWidth, row.encoding->unit, unit_width,
                     event_of(row), kNameWidth);
  if (!row.cgroup.empty()) out += fmt::format(" {}", row.cgroup);
  if (row.figure && row.figure->value)
    out +=
        fmt::format(" # {:>8} {:<{}}", value_of(*row.figure), unit_of(*row.figure), kFigureWidth);
  if (row.noise > 0 && row.is_counted()) out += fmt::format("  ( +-{:6.2f}% )", row.noise);
  if (row.is_counted() && row.value.is_scaled()) out += fmt::format("  ({:.2f}%)", share(row));
  while (out.ends_with(' ')) out.pop_back();
  return out + '\n';
}

/// A field with the separator or a quote is quoted.
std::string csv_field(std::string_view text, const std::string& separator) {
  if (text.find(separator) == text.npos && text.find('"') == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_prefix(const std::string& part, std::size_t counters, const StatReport& report,
                       const StatOptions& options) {
  const std::string& x = options.separator;
  std::string out = report.is_summary && !options.no_csv_summary ? "summary" + x : "";
  if (report.time) out += fmt::format("{:.9f}{}", *report.time, x);
  if (options.per() != Per::all) out += csv_field(part, x) + x;
  if (shape_of(options.per()).counts_counters) out += fmt::format("{}{}", counters, x);
  return out;
}

std::string csv_row(const Row& row, const StatReport& report, const StatOptions& options) {
  const std::string& x = options.separator;
  std::string out = csv_prefix(std::string(row.part), row.counters, report, options);
  out += row.is_counted() ? number_of(row) : std::string(lack_of(row));
  out += x + csv_field(row.encoding->unit, x) + x + csv_field(event_of(row), x) + x;
  if (!row.cgroup.empty()) out += csv_field(row.cgroup, x) + x;
  if (row.noise >= 0) out += fmt::format("{:.2f}%{}", row.noise, x);
  out += fmt::format("{}{}{:.2f}{}", row.value.running, x, share(row), x);
  if (row.figure && row.figure->value) out += value_of(*row.figure);
  return out + x + (row.figure ? csv_field(unit_of(*row.figure), x) : "") + '\n';
}

void add_own_keys(const Row& row, JsonLine& line) {
  line.text("pmu", row.encoding->pmu).number("count", row.value.value);
  line.number("enabled", row.value.enabled).number("running", row.value.running);
  if (const auto warnings = row.encoding->warnings(); !warnings.empty())
    line.texts("warnings", warnings);
  if (!row.why.empty()) line.text("why", row.why);
}

/// perf's keys, then evname's own.
std::string json_row(const Row& row, const StatReport& report, const StatOptions& options) {
  std::string out;
  {
    JsonLine line(&out);
    const PerShape& shape = shape_of(options.per());
    if (report.time) line.number_text("interval", fmt::format("{:.9f}", *report.time));
    if (options.per() == Per::cpu)
      line.text("cpu", row.part.substr(3));
    else if (options.per() != Per::all)
      line.text(shape.json_key, row.part);
    if (shape.counts_counters) line.number("counters", row.counters);
    line.text("counter-value",
              row.is_counted() ? fmt::format("{:.6f}", row.amount()) : std::string(lack_of(row)));
    line.text("unit", row.encoding->unit).text("event", event_of(row));
    if (!row.cgroup.empty()) line.text("cgroup", row.cgroup);
    if (row.noise >= 0) line.number_text("variance", fmt::format("{:.2f}", row.noise));
    line.number("event-runtime", row.value.running);
    line.number_text("pcnt-running", fmt::format("{:.2f}", share(row)));
    if (row.figure) {
      line.text("metric-value", row.figure->value ? fmt::format("{:.6f}", *row.figure->value)
                                                  : value_of(*row.figure));
      line.text("metric-unit", unit_of(*row.figure));
    }
    if (!options.only_keys_of_perf) add_own_keys(row, line);
  }
  return out;
}

/// "%  tma_retiring", or "%  tma_retiring (cpu_core)" if there are several core PMUs.
std::string column_of(const MetricInfo& metric) {
  return (metric.unit.empty() ? "" : metric.unit + "  ") + metric.name + of_pmu(metric);
}

std::string metric_row(const MetricRow& row, const PartMetrics& of, const StatReport& report,
                       const StatOptions& options) {
  CountGroup from;
  from.time = report.time;
  from.place = of.part + (of.part.empty() || of.cgroup.empty() ? "" : " ") + of.cgroup;
  if (options.separator.empty())
    return value_line(*row.metric, row.value, from, row.lack, options.json);
  const std::string& x = options.separator;
  std::string out = csv_prefix(of.part, of.counters, report, options);
  for (int i = 0; i < 3; ++i) out += x;  // no count, unit, event
  if (!of.cgroup.empty()) out += csv_field(of.cgroup, x) + x;
  for (int i = 0; i < 2; ++i) out += x;  // no time, share
  if (!row.value.gives_up) out += fmt::format("{}", row.value.value);
  return out + x + csv_field(column_of(*row.metric), x) + '\n';
}

/// The width and the digits that perf gives to a metric in a column of its own.
constexpr std::size_t kColumnWidth = 20, kCgroupWidth = 16;

std::string column_value(const MetricRow& row) {
  if (row.value.gives_up) return "";
  return fmt::format("{:.{}f}", row.value.value, row.metric->unit.empty() ? 2 : 1);
}

std::string columns_json(const PartMetrics& of, const StatReport& report,
                         const StatOptions& options) {
  std::string out;
  JsonLine line(&out);
  const PerShape& shape = shape_of(options.per());
  if (report.time) line.number_text("interval", fmt::format("{:.9f}", *report.time));
  if (options.per() == Per::cpu)
    line.text("cpu", std::string_view(of.part).substr(3));
  else if (options.per() != Per::all)
    line.text(shape.json_key, of.part);
  if (shape.counts_counters) line.number("counters", of.counters);
  if (!of.cgroup.empty()) line.text("cgroup", of.cgroup);
  if (of.rows.empty()) line.text("metric-value", "none");  // as perf
  for (const MetricRow& row : of.rows)
    if (row.value.has_value()) line.text(column_of(*row.metric), column_value(row));
  return out;
}

/// All metrics of a part on one line, as in perf stat --metric-only.
std::string columns(const PartMetrics& of, const StatReport& report, const StatOptions& options) {
  if (options.json) return columns_json(of, report, options);
  const std::string& x = options.separator;
  std::string out = x.empty() ? text_prefix(of.part, of.counters, report.time, options.per())
                              : csv_prefix(of.part, of.counters, report, options);
  if (!of.cgroup.empty())
    out +=
        x.empty() ? fmt::format(" {:<{}}", of.cgroup, kCgroupWidth) : csv_field(of.cgroup, x) + x;
  for (const MetricRow& row : of.rows) {
    const std::string value = column_value(row);
    if (!x.empty())
      out += (std::isfinite(row.value.value) ? value : "") + x;
    else
      out +=
          fmt::format(" {:>{}}", value, std::max(column_of(*row.metric).size(), kColumnWidth) - 1);
  }
  return out + '\n';
}

/// The names for the values of columns().
std::string column_names(const StatOptions& options, std::span<const MetricInfo* const> metrics) {
  const std::string& x = options.separator;
  std::string out;
  for (const MetricInfo* const metric : metrics)
    out += x.empty() ? fmt::format("{:>{}} ", column_of(*metric), kColumnWidth)
                     : csv_field(column_of(*metric), x) + x;
  return out + '\n';
}

}  // namespace

std::string rows_text(const StatReport& report, const StatOptions& options) {
  std::string out;
  if (options.metric_only) {
    for (const PartMetrics& of : report.metrics) out += columns(of, report, options);
    return report.metrics.empty() ? columns({}, report, options) : out;
  }
  std::size_t unit_width = 0;
  for (const Row& row : report.rows) unit_width = std::max(unit_width, row.encoding->unit.size());
  for (const Row& row : report.rows)
    out += options.json                 ? json_row(row, report, options)
           : !options.separator.empty() ? csv_row(row, report, options)
                                        : text_row(row, report, options, unit_width);
  for (const PartMetrics& of : report.metrics)
    for (const MetricRow& row : of.rows) out += metric_row(row, of, report, options);
  return out;
}

std::string columns_heading(const StatOptions& options,
                            std::span<const MetricInfo* const> metrics) {
  if (!options.metric_only || options.json) return "";
  const PerShape& shape = shape_of(options.per());
  const std::string& x = options.separator;
  std::string out;
  if (x.empty()) {
    const std::size_t part = options.per() == Per::thread ? kColumnWidth - 4
                             : options.per() == Per::cpu  ? 6
                                                          : static_cast<std::size_t>(shape.width);
    const bool cgroups = !options.cgroups.empty() || !options.each_cgroup.empty();
    out = std::string(1 + part + (cgroups ? kCgroupWidth + 1 : 0), ' ');
  } else {
    if (options.interval != 0) out += "time" + x;
    if (options.per() != Per::all) out += std::string(shape.json_key) + x;
    if (shape.counts_counters) out += "ctrs" + x;
  }
  return out + column_names(options, metrics);
}

std::string interval_heading(const StatOptions& options,
                             std::span<const MetricInfo* const> metrics) {
  if (!options.separator.empty()) return columns_heading(options, metrics);
  if (!options.as_text()) return "";
  std::string part;
  const PerShape& shape = shape_of(options.per());
  if (options.per() != Per::all)
    part = fmt::format(" {:<{}}", shape.json_key, shape.width - (shape.counts_counters ? 0 : 1));
  if (shape.counts_counters) part += " ctrs";
  const std::string names = options.metric_only ? column_names(options, metrics)
                                                : fmt::format("{:>18} unit events\n", "counts");
  return fmt::format("#{:>15}{} {}", "time", part, names);
}

std::string run_heading(const StatOptions& options) {
  if (!options.as_text()) return "";
  std::string what = "'system wide'";
  if (!options.pids.empty()) what = fmt::format("process id '{}'", options.pids);
  if (!options.tids.empty()) what = fmt::format("thread id '{}'", options.tids);
  if (!options.cpus.empty()) what = fmt::format("'CPU(s) {}'", options.cpus);
  if (options.of_command()) what = fmt::format("'{}'", joined(options.command, " "));
  const std::string runs = options.repeat == 1 ? "" : fmt::format(" ({} runs)", options.repeat);
  return fmt::format("\n Performance counter stats for {}{}:\n\n", what, runs);
}

namespace {

/// perf's table of the times of all runs, with a bar of how far each is from their mean.
std::string runs_table(std::span<const double> runs, double mean) {
  const std::string place(fmt::format(" {:17.9f}", mean).find_first_not_of(' '), ' ');
  std::string out = place + "# Table of individual measurements:\n";
  for (const double run : runs) {
    const double percent = run == 0 ? 0 : 100 * (run - mean) / run;
    const auto length = 1 + static_cast<std::size_t>(std::min(std::abs(percent) / 5, 1000.0));
    out += fmt::format(" {:17.9f} ({:+.9f}) {}\n", run, run - mean, std::string(length, '#'));
  }
  return out + '\n' + place + "# Final result:\n";
}

}  // namespace

std::string run_footing(const StatOptions& options, const RunTimes& times, double noise,
                        std::span<const double> runs) {
  if (!options.as_text()) return "";
  std::string out = options.counts_nothing ? "" : "\n";
  if (options.repeat != 1) {
    if (options.run_table) out += runs_table(runs, times.elapsed);
    return out + fmt::format(" {:17.9f} +- {:.9f} seconds time elapsed  ( +-{:6.2f}% )\n\n",
                             times.elapsed, noise,
                             times.elapsed == 0 ? 0 : 100 * noise / times.elapsed);
  }
  out += fmt::format(" {:17.9f} seconds time elapsed\n\n", times.elapsed);
  if (options.of_command())
    out += fmt::format(" {:17.9f} seconds user\n {:17.9f} seconds sys\n\n\n", times.user,
                       times.system);
  return out;
}

namespace {

/// Metric names are [a-zA-Z_:][a-zA-Z0-9_:]*.
std::string name_part(std::string_view text) {
  std::string out;
  for (const char c : to_lower(text)) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_plain || (!out.empty() && out.back() != '_')) out += is_plain ? c : '_';
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

/// Label values and HELP texts on one line, UTF-8.
std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\' || (c == '"' && quotes))
      (out += '\\') += c;
    else
      out += c;
  }
  return out;
}

/// Prometheus's unit for a count, and the factor from the event's own unit.
struct Base {
  std::string_view own, base;
  double factor;
};
constexpr Base kBases[] = {{"msec", "seconds", 1e-3}, {"ns", "seconds", 1e-9},
                           {"MiB", "bytes", 1 << 20}, {"KiB", "bytes", 1 << 10},
                           {"Bytes", "bytes", 1},     {"Joules", "joules", 1}};

struct Family {
  std::string help;
  std::vector<std::string> samples;
};

class Families {
 public:
  void add(const Row& row, Per per);
  std::string text() const;

 private:
  Family& family(const std::string& name, std::string_view help) {
    Family& out = families_[name];
    if (out.help.empty()) out.help = help;
    return out;
  }
  std::map<std::string, Family> families_;
};

std::string labels_of(const Row& row, Per per) {
  const Encoding& e = *row.encoding;
  std::string out = fmt::format("event=\"{}\",pmu=\"{}\",code=\"{}\"", escaped(full_name(e), true),
                                escaped(e.pmu, true), escaped(config_words(e), true));
  if (per == Per::cpu)
    out += fmt::format(",cpu=\"{}\"", row.part.substr(3));
  else if (per != Per::all)
    out += fmt::format(",{}=\"{}\"", shape_of(per).json_key, escaped(row.part, true));
  if (!row.cgroup.empty()) out += fmt::format(",cgroup=\"{}\"", escaped(row.cgroup, true));
  return out;
}

void Families::add(const Row& row, Per per) {
  const std::string labels = labels_of(row, per);
  const Encoding& e = *row.encoding;
  const bool is_time = tool_time_of(e) != ToolTime::none;
  const std::string_view unit = is_time ? std::string_view("ns") : e.unit;
  std::string_view base;
  double amount = is_time ? row.value.scaled : row.amount();
  for (const Base& one : kBases)
    if (one.own == unit) {
      base = one.base;
      amount *= one.factor;
    }
  std::string name = "evname_" + name_part(e.name);
  if (!unit.empty()) name += "_" + (base.empty() ? name_part(unit) : std::string(base));
  const std::string help = e.desc().empty() ? full_name(e) : std::string(e.desc());
  if (row.is_counted())
    family(name + "_total", help).samples.push_back(fmt::format("{{{}}} {}", labels, amount));
  family("evname_counted_ratio",
         "Share of the time that the event had a counter; 0: it is not counted")
      .samples.push_back(fmt::format(
          "{{{}}} {}", labels,
          row.is_counted() ? static_cast<double>(row.value.running) /
                                 static_cast<double>(std::max<std::uint64_t>(row.value.enabled, 1))
                           : 0.0));
}

std::string Families::text() const {
  std::string out;
  for (const auto& [name, family] : families_) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(family.help, false), name,
                       name.ends_with("_total") ? "counter" : "gauge");
    for (const std::string& sample : family.samples) out += name + sample + '\n';
  }
  return out;
}

}  // namespace

std::string openmetrics_text(std::span<const Row> rows, Per per, double elapsed) {
  Families families;
  for (const Row& row : rows) families.add(row, per);
  return families.text() +
         fmt::format(
             "# HELP evname_running_seconds Time since the counters were started\n"
             "# TYPE evname_running_seconds gauge\nevname_running_seconds {}\n"
             "# EOF\n",
             elapsed);
}

}  // namespace evname::tools
