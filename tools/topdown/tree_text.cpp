#include "topdown/tree_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/json_text.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "output/event.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kBarWidth = 20;

/// The stream of the text: standard error for a command, which has its own output.
Screen screen_of(const TopdownOptions& options) {
  return options.is_live() ? Screen::error : Screen::out;
}

std::size_t indent_of(const TopdownNode& node) { return 2 * (std::size_t{node.level} - 1); }

/// Adds spaces up to a column of a line.
void pad_to(std::size_t column, std::size_t line, std::string& out) {
  const std::size_t at = out.size() - line;
  if (at < column) out.append(column - at, ' ');
}

/// Adds a value with one decimal, halves rounded up, as wide as 1234.5.
void add_share(double value, std::string& out) {
  const double tenths = std::round(value * 10) + 0.0;  // never -0
  fmt::format_to(std::back_inserter(out), "{:6.1f}", tenths / 10);
}

/// The basis of a value: runs, and the share of the time in per cent.
struct Grounds {
  unsigned runs = 1;
  long counted = 100;
  bool operator==(const Grounds&) const = default;
  bool are_usual() const { return *this == Grounds{}; }
};

Grounds grounds_of(const NodeReading& one) {
  return {std::max(one.runs, 1u), std::lround(one.running * 100)};
}

std::string text_of(const Grounds& grounds) {
  std::string out;
  if (grounds.runs > 1) out = fmt::format("mean of {} runs", grounds.runs);
  if (grounds.counted < 100)
    out += fmt::format("{}counted {} % of the time", out.empty() ? "" : ", ", grounds.counted);
  return out;
}

void add_line(const TreeReading& reading, std::size_t index, std::size_t width, std::size_t next,
              bool with_grounds, std::string& out) {
  constexpr std::size_t kShareWidth = 24, kMarkWidth = 9;
  const NodeReading& one = reading.nodes[index];
  const TopdownNode& node = reading.node(index);
  const std::size_t line = out.size();
  out.append(indent_of(node), ' ').append(node.name);
  pad_to(width + 1, line, out);
  add_share(one.value, out);
  out += " %";
  if (const char* of = to_string(node.share); *of != '\0') out.append(" of ").append(of);
  pad_to(width + kShareWidth, line, out);
  const double share = std::clamp(one.value / 100, 0.0, 1.0);
  out.append(static_cast<std::size_t>(std::lround(share * kBarWidth)), '#');
  const std::size_t mark = width + kShareWidth + kBarWidth + 1;
  pad_to(mark, line, out);
  out += index == next ? "<== next" : one.flagged ? "<--" : "";
  const Grounds grounds = grounds_of(one);
  if (with_grounds && !grounds.are_usual()) {
    pad_to(mark + kMarkWidth, line, out);
    out.append("(").append(text_of(grounds)).append(")");
  }
  out.resize(out.find_last_not_of(' ') + 1);
  out += '\n';
}

/// Nodes of one parent without a value for the same reason share a line.
void add_gaps(const TreeReading& reading, const std::vector<std::size_t>& gaps, std::string& out) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  std::map<std::string, std::size_t> index;
  for (const std::size_t i : gaps) {
    const auto [at, is_new] = index.try_emplace(reading.why_not(i), by_reason.size());
    if (is_new) by_reason.push_back({at->first, {}});
    by_reason[at->second].second.push_back(reading.node(i).name);
  }
  for (const auto& [why, names] : by_reason)
    out += fmt::format("{:{}}{}: no value ({})\n", "", 2 * (reading.node(gaps.front()).level - 1),
                       joined(names, ", "), why);
}

/// The tree in the order of its branches, siblings with the largest values first.
class TreeLines {
 public:
  TreeLines(const TreeReading& reading, const std::vector<std::size_t>& shown)
      : reading_(reading), next_(reading.next()) {
    children_.resize(reading.nodes.size() + 1);
    for (const std::size_t i : shown) {
      const std::size_t parent = reading.node(i).parent;
      children_[parent == TopdownNode::kNone ? reading.nodes.size() : parent].push_back(i);
      if (!reading.nodes[i].has_value()) continue;
      width_ = std::max(width_, indent_of(reading.node(i)) + reading.node(i).name.size());
      const Grounds grounds = grounds_of(reading.nodes[i]);
      differs_ |= grounds_ && *grounds_ != grounds;
      if (!grounds_) grounds_ = grounds;
    }
  }

  std::string text() {
    add_below(reading_.nodes.size());
    if (!differs_ && grounds_ && !grounds_->are_usual())
      out_ += "all values: " + text_of(*grounds_) + '\n';
    return std::move(out_);
  }

 private:
  /// `parent` may be the number of nodes, which stands for the root above level 1.
  void add_below(std::size_t parent) {
    std::vector<std::size_t> with, without, ends;
    for (const std::size_t i : children_[parent])
      (reading_.nodes[i].has_value() ? with : without).push_back(i);
    if (parent < reading_.nodes.size())  // nodes of level 1 keep their usual order
      sort_stably(with, [&](std::size_t a, std::size_t b) {
        return reading_.nodes[a].value > reading_.nodes[b].value;
      });
    for (const std::size_t i : with) {
      add_line(reading_, i, width_, next_, differs_, out_);
      add_below(i);
    }
    for (const std::size_t i : without) {
      if (children_[i].empty()) {
        ends.push_back(i);
        continue;
      }
      add_gaps(reading_, {i}, out_);
      add_below(i);
    }
    if (!ends.empty()) add_gaps(reading_, ends, out_);
  }

  const TreeReading& reading_;
  std::vector<std::vector<std::size_t>> children_;  ///< those to show, of each node
  std::size_t next_, width_ = 0;
  std::optional<Grounds> grounds_;  ///< of the first value
  bool differs_ = false;            ///< another value has another basis
  std::string out_;
};

std::string heading_of(const TreeReading& reading) {
  std::vector<std::string> parts;
  if (reading.time) parts.push_back(fmt::format("{:.6f} s", *reading.time));
  if (!reading.place.empty()) parts.push_back(reading.place);
  if (reading.names_pmu) parts.push_back(reading.tree->pmu());
  return parts.empty() ? "" : joined(parts, ", ") + ":\n";
}

/// Impossible values of a share.
std::string beyond_text(const TreeReading& reading, const std::vector<std::size_t>& shown) {
  constexpr double kSlack = 1;
  const auto is_beyond = [&](std::size_t i) {
    const double value = reading.nodes[i].value;
    return reading.node(i).share != TopdownNode::Share::unknown &&
           (value < -kSlack || value > 100 + kSlack);
  };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(shown, is_beyond));
  return count == 0 ? ""
                    : counted(count, "value is", "values are") +
                          " below 0 or above 100 %: the counts don't fit together\n";
}

/// The sum of level 1 if that is not 100 %. Shares of clocks may overlap.
std::string sum_text(const TreeReading& reading) {
  constexpr double kSlack = 1;
  std::vector<double> values;
  for (std::size_t i = 0; i < reading.nodes.size(); ++i) {
    const TopdownNode& node = reading.node(i);
    if (node.level == 1 &&
        (node.share != TopdownNode::Share::slots || !reading.nodes[i].has_value()))
      return "";
    values.push_back(reading.nodes[i].value);
  }
  const double sum = reading.tree->sum_of_level(1, values);
  if (std::isnan(sum) || std::abs(sum - 100) <= kSlack) return "";
  return fmt::format(
      "level 1 adds up to {:.1f} %, not to 100 %: its events were not counted at the same time, or "
      "something else used the counters\n",
      sum);
}

void add_sample(const Machine& machine, const TreeReading& reading, std::size_t index,
                const std::string& command, std::string& out) {
  const auto advice = sample_advice(machine, *reading.tree, index);
  if (!advice) {
    out += "  there is no event that stands for it\n";
    return;
  }
  const bool own = advice->node == reading.node(index).name;
  out += fmt::format("  sample {}{} to see where:\n", advice->event,
                     own ? "" : fmt::format(" (of {})", advice->node));
  out += fmt::format("    evname record -e {} -- {}\n", advice->event, command);
  out += fmt::format("    perf record -e {} -- {}\n", advice->perf, command);
}

/// Hints for the deepest flagged nodes.
std::string advice_text(const Machine& machine, const TreeReading& reading,
                        const TopdownOptions& options) {
  constexpr std::size_t kMost = 3;
  std::string out;
  auto deepest = reading.deepest_flagged();
  const std::size_t next = reading.next();
  // Other branches come after the first.
  std::ranges::stable_partition(deepest, [&](std::size_t i) { return i == next; });
  if (deepest.size() > kMost) deepest.resize(kMost);
  const std::string command = sampled_command(options);
  for (const std::size_t i : deepest) {
    const TopdownNode& node = reading.node(i);
    out += fmt::format("\n{}{} ({:.1f} %){}{}\n", i == next ? "next: " : "also: ", node.name,
                       reading.nodes[i].value, node.desc.empty() ? "" : ": ", node.desc);
    const bool counted = std::ranges::any_of(
        node.children, [&](std::size_t child) { return reading.nodes[child].has_value(); });
    const bool goes_on = !node.children.empty() && !counted;
    if (goes_on)
      out += fmt::format("  count what is below it:\n    evname topdown --node {} -- {}\n",
                         node.name, command);
    if (!goes_on || sample_advice(machine, *reading.tree, i))
      add_sample(machine, reading, i, command, out);
  }
  return out;
}

/// A field of CSV, protected from being computed by a spreadsheet.
std::string csv_field(std::string_view text) {
  const std::string safe = without_formulas(text);
  if (safe.find_first_of(",\"\n\r") == safe.npos) return safe;
  std::string out = "\"";
  for (const char letter : safe) (out += letter == '"' ? "\"" : "") += letter;
  return out += '"';
}

std::string_view parent_name(const TreeReading& reading, const TopdownNode& node) {
  return node.parent == TopdownNode::kNone ? std::string_view() : reading.node(node.parent).name;
}

}  // namespace

std::string sampled_command(const TopdownOptions& options) {
  std::string out;
  for (const std::string& word : options.stat.command)
    out += (out.empty() ? "" : " ") + as_typed(word);
  return out.empty() ? "COMMAND" : out;
}

std::optional<SampleAdvice> sample_advice(const Machine& machine, const TopdownTree& tree,
                                          std::size_t node) {
  for (; node != TopdownNode::kNone; node = tree.nodes()[node].parent)
    for (const std::string& event : tree.nodes()[node].sample) {
      const auto found = machine.resolve(event);
      if (!found || found->empty()) continue;
      Encoding e = found->front();
      const auto is_precise = [](const EventInfo& info) {
        return info.precise != EventInfo::Precision::unknown || info.precise_address;
      };
      const auto infos = machine.events(e.name);
      if (e.modifiers.empty() && std::ranges::any_of(infos, is_precise)) e.modifiers = "pp";
      return SampleAdvice{full_name(e), perf_spelling(e), tree.nodes()[node].name};
    }
  return std::nullopt;
}

std::string tree_text(const Machine& machine, const TreeReading& reading,
                      const TopdownOptions& options, bool with_advice) {
  const std::vector<std::size_t> shown = reading.shown(options.all);
  std::string out = heading_of(reading) + TreeLines(reading, shown).text() +
                    beyond_text(reading, shown) + sum_text(reading);
  if (with_advice) out += advice_text(machine, reading, options);
  return screen_text(screen_of(options), out);
}

std::string tree_advice(const Machine& machine, const TreeReading& reading,
                        const TopdownOptions& options) {
  return screen_text(screen_of(options), advice_text(machine, reading, options));
}

std::string tree_csv_heading() {
  return "time,place,pmu,node,level,parent,value,of,flagged,next,running,runs,why\n";
}

namespace {

/// Adds a number with six decimals; this takes most of the time.
void add_decimal(double value, std::string& out) {
  constexpr double kMostExact = 1e11;
  if (std::abs(value) > kMostExact) {
    out += fmt::format("{:.6f}", value);
    return;
  }
  constexpr long long kUnit = 1'000'000;
  auto rounded = std::llround(value * kUnit);
  if (rounded < 0) out += '-', rounded = -rounded;
  const fmt::format_int whole(rounded / kUnit), part(rounded % kUnit + kUnit);
  out.append(whole.data(), whole.size()).append(1, '.').append(part.data() + 1, 6);
}

/// Adds "KEY": with a separator.
void add_key(std::string_view key, std::string& out) {
  out.append(out.back() == '{' ? "\"" : ",\"").append(key).append("\":");
}
void add_member(std::string_view key, std::string_view text, std::string& out) {
  add_key(key, out);
  append_json_string(out, text);
}

}  // namespace

void add_tree_csv(const TreeReading& reading, std::string& out) {
  const std::string time = reading.time ? fmt::format("{:.9f}", *reading.time) : "";
  const std::string begin =
      fmt::format("{},{},{},", time, csv_field(reading.place), csv_field(reading.tree->pmu()));
  const std::size_t next = reading.next();
  for (const std::size_t i : reading.choice->nodes) {
    const TopdownNode& node = reading.node(i);
    const NodeReading& one = reading.nodes[i];
    out.append(begin).append(node.name).append(1, ',').append(1,
                                                              static_cast<char>('0' + node.level));
    out.append(1, ',').append(parent_name(reading, node)).append(1, ',');
    if (!one.has_value()) {
      out.append(1, ',').append(to_string(node.share)).append(",0,0,,,");
      out.append(csv_field(reading.why_not(i))).append(1, '\n');
      continue;
    }
    add_decimal(one.value, out);
    out.append(1, ',').append(to_string(node.share)).append(one.flagged ? ",1," : ",0,");
    out.append(i == next ? "1," : "0,");
    add_decimal(one.running, out);
    out.append(1, ',').append(std::to_string(one.runs)).append(",\n");
  }
}

void add_tree_json(const TreeReading& reading, std::string& out) {
  std::string begin = "{";
  if (reading.time) add_key("time", begin), add_decimal(*reading.time, begin);
  if (!reading.place.empty()) add_member("place", reading.place, begin);
  add_member("pmu", reading.tree->pmu(), begin);
  const std::size_t next = reading.next();
  for (const std::size_t i : reading.choice->nodes) {
    const TopdownNode& node = reading.node(i);
    const NodeReading& one = reading.nodes[i];
    out += begin;
    add_member("node", node.name, out);
    out.append(",\"level\":").append(std::to_string(node.level));
    if (node.parent == TopdownNode::kNone)
      out += ",\"parent\":null";
    else
      add_member("parent", parent_name(reading, node), out);
    add_key("value", out);
    if (one.has_value())
      add_decimal(one.value, out);
    else
      out += "null";
    add_member("of", to_string(node.share), out);
    out += one.flagged ? ",\"flagged\":true" : ",\"flagged\":false";
    out += i == next ? ",\"next\":true" : ",\"next\":false";
    if (one.has_value()) {
      add_key("running", out);
      add_decimal(one.running, out);
      out.append(",\"runs\":").append(std::to_string(one.runs));
    } else {
      add_member("why", reading.why_not(i), out);
    }
    out += "}\n";
  }
}

}  // namespace evname::tools
