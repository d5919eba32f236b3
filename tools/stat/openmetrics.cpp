#include "stat/openmetrics.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "output/event.hpp"

namespace evname::tools {
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

/// The unit Prometheus wants a count to be in, and what one of the event's own units is in it.
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
  const bool is_time = e.pmu == "tool";
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
         "Share of the time in which the event had a counter; 0: it is not counted")
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
             "# TYPE evname_running_seconds gauge\nevname_running_seconds {}\n",
             elapsed);
}

}  // namespace evname::tools
