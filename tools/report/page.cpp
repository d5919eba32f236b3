// The page of `evname report --html`: its data as JSON, in the text of the page.

#include "report/page.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "report/table.hpp"

namespace evname::tools {

namespace {

using PageJson = JsonWriter<rapidjson::StringBuffer>;

constexpr std::string_view kNamedBy[] = {"recording", "kernel", "tables", "code"};

// Of longer names of functions the page shows the begin and the end: some of C++ have many thousand
// letters.
constexpr std::size_t kLongestName = 400, kEndOfName = 100;
// Of each page.
constexpr std::size_t kMostFunctions = 10'000;
// Of each recording.
constexpr std::size_t kMostRows = 2000, kMostLanes = 4000, kMostCells = 150'000;

void write_time(PageJson& json, const SampleSums& sums, std::uint64_t SampleSums::*time) {
  sums.is_timed() ? json.number(sums.*time) : json.null();
}

void write_facts(PageJson& json, const PerfData& file) {
  const perfdata::Features& features = file.features();
  const CpuInfo& cpu = file.machine().cpu();
  json.key("facts").begin_object();
  json.key("file").text(file.facts().path);
  json.key("host").text(features.hostname);
  json.key("command").text(joined(features.command_line, " "));
  json.key("CPU").text(features.cpu_desc.empty() ? cpu.cpuid : features.cpu_desc);
  json.key("model").text(cpu.model.empty() ? "unknown" : cpu.model);
  json.key("model note").text(cpu.note);
  json.key("kernel").text(features.os_release);
  json.key("perf").text(features.version);
  json.end_object();
}

void write_event(PageJson& json, const ReportEvent& event) {
  json.begin_object();
  json.key("name").text(event.event.full_name());
  json.key("recorded").text(event.event.recorded_name);
  json.key("pmu").text(event.event.pmu);
  json.key("code").text(fmt::format("{:#x}", event.event.code.config[0]));
  json.key("named_by").text(kNamedBy[static_cast<std::size_t>(event.event.named_by)]);
  json.key("samples").number(event.samples);
  json.key("period").number(event.period);
  json.key("first"), write_time(json, event, &SampleSums::first);
  json.key("last"), write_time(json, event, &SampleSums::last);
  json.key("lost").number(event.lost);
  json.key("throttled").number(event.throttled);
  json.end_object();
}

using Cells = std::vector<Timeline::Cell>;

void add_cells(Cells& to, const Cells& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::ranges::stable_sort(to, {}, &Timeline::Cell::bin);
}

/// Cells of the same bin, if bins are `factor` times as wide, as one.
Cells coarser(const Cells& cells, std::uint32_t factor) {
  Cells out;
  for (Timeline::Cell cell : cells) {
    cell.bin /= factor;
    if (out.empty() || out.back().bin != cell.bin) {
      out.push_back(cell);
      continue;
    }
    out.back().samples += cell.samples;
    out.back().period += cell.period;
    out.back().lost += cell.lost;
  }
  return out;
}

/// As many lanes as a page has room for; of the threads and CPUs of an event those with fewest
/// samples are one.
std::vector<Timeline::Lane> few_lanes(const Timeline& timeline, std::size_t events) {
  const std::size_t most =
      std::clamp(kMostLanes / std::max<std::size_t>(events, 1), std::size_t{3}, std::size_t{256});
  std::vector<Timeline::Lane> out;
  std::size_t in_row = 0;
  for (const Timeline::Lane& lane : timeline.lanes) {
    const bool same = !out.empty() && out.back().event == lane.event && out.back().of == lane.of;
    in_row = same ? in_row + 1 : 0;
    if (in_row < most) {
      out.push_back(lane);
      continue;
    }
    Timeline::Lane& last = out.back();
    last.folded = std::max<std::size_t>(last.folded, 1) + std::max<std::size_t>(lane.folded, 1);
    last.sums += lane.sums;
    add_cells(last.cells, lane.cells);
  }
  return out;
}

std::size_t cells_of(const std::vector<Timeline::Lane>& lanes, std::uint32_t factor) {
  std::size_t cells = 0;
  for (const Timeline::Lane& lane : lanes) cells += coarser(lane.cells, factor).size();
  return cells;
}

void write_lane(PageJson& json, const Timeline::Lane& lane, const Cells& cells) {
  json.begin_object();
  json.key("event").number(lane.event);
  json.key("of").number(static_cast<std::uint64_t>(lane.of));
  json.key("name").text(lane.name);
  json.key("folded").number(lane.folded);
  json.key("samples").number(lane.sums.samples);
  json.key("period").number(lane.sums.period);
  json.key("first"), write_time(json, lane.sums, &SampleSums::first);
  json.key("last"), write_time(json, lane.sums, &SampleSums::last);
  json.key("cells").begin_array();
  std::uint32_t before = 0;
  for (const Timeline::Cell& cell : cells) {
    json.number(cell.bin - before);
    json.number(cell.samples);
    json.number(cell.period);
    json.number(cell.lost);
    before = cell.bin;
  }
  json.end_array();
  json.end_object();
}

void write_timeline(PageJson& json, const Report& report) {
  const Timeline timeline = report.timeline();
  const auto lanes = few_lanes(timeline, report.events().size());
  std::uint32_t factor = 1, used = 0;
  while (factor < Timeline::kBins && cells_of(lanes, factor) > kMostCells) factor *= 2;
  for (const Timeline::Lane& lane : lanes)
    if (!lane.cells.empty()) used = std::max(used, lane.cells.back().bin / factor + 1);
  json.key("first");
  used > 0 ? json.number(timeline.first) : json.null();
  json.key("width").number(timeline.width * factor);
  json.key("used").number(used);
  json.key("lanes").each(lanes, [&](const Timeline::Lane& lane) {
    write_lane(json, lane, coarser(lane.cells, factor));
  });
}

/// Frames of all recordings, each once.
class FrameTable {
 public:
  /// Returns the number of a frame; names that begin alike are still two.
  std::size_t index(const std::string& name) {
    const auto [at, is_new] = index_.try_emplace(name, shown_.size());
    if (is_new) shown_.push_back(free_name(shortened(name)));
    return at->second;
  }
  /// The names as the page shows them, no two alike.
  const std::vector<std::string>& shown() const { return shown_; }

 private:
  static std::string shortened(const std::string& name) {
    if (name.size() <= kLongestName) return name;
    const auto is_inside = [&](std::size_t at) {
      return (name[at] & 0xc0) == 0x80;
    };  // of a letter
    std::size_t head = kLongestName - kEndOfName, tail = name.size() - kEndOfName;
    while (head > 0 && is_inside(head)) --head;
    while (tail < name.size() && is_inside(tail)) ++tail;
    return name.substr(0, head) + "…" + name.substr(tail);
  }
  std::string free_name(const std::string& name) {
    std::size_t& number = numbers_[name];
    std::string free = name;
    while (!taken_.insert(free).second) free = fmt::format("{} #{}", name, ++number + 1);
    return free;
  }

  std::unordered_map<std::string, std::size_t> index_;  ///< by the whole name
  std::vector<std::string> shown_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< of names that are shortened alike
};

/// Writes a node's parent as its distance to the node, and a count's node as its distance to that
/// of the count before.
void write_stacks(PageJson& json, const StackTree& tree, FrameTable& frames) {
  std::vector<std::size_t> index;
  for (const std::string& frame : tree.frames) index.push_back(frames.index(frame));
  json.key("stacks").begin_object();
  json.key("parents").begin_array();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) json.number(i - tree.nodes[i].parent);
  json.end_array();
  json.key("frames").each(tree.nodes,
                          [&](const StackTree::Node& node) { json.number(index[node.frame]); });
  json.key("counts").each(tree.events, [&](const std::vector<StackTree::Count>& counts) {
    json.begin_array();
    std::uint32_t before = 0;
    for (const StackTree::Count& count : counts) {
      json.number(count.node - before);
      json.number(count.samples);
      json.number(count.period);
      before = count.node;
    }
    json.end_array();
  });
  json.key("folded").number(tree.folded);
  json.end_object();
}

using Functions = std::vector<std::vector<StackFunction>>;

/// Returns the names of the functions that the page has: those with most samples of each event of
/// each recording. Every event lists them all, so that two events compare.
std::unordered_set<std::string> shown_functions(const std::vector<Functions>& files) {
  std::size_t events = 0;
  for (const Functions& file : files) events += file.size();
  const std::size_t most =
      std::max<std::size_t>(kMostFunctions / std::max<std::size_t>(events, 1), 100);
  std::unordered_set<std::string> names;
  for (const Functions& file : files)
    for (const auto& functions : file)
      for (const StackFunction& one : std::span(functions).first(std::min(most, functions.size())))
        names.insert(one.name);
  return names;
}

/// Writes the functions of each event, and what the others add up to.
void write_functions(PageJson& json, const Functions& events,
                     const std::unordered_set<std::string>& shown, FrameTable& frames) {
  json.key("functions").each(events, [&](const std::vector<StackFunction>& functions) {
    StackFunction rest;
    std::uint64_t left_out = 0;
    json.begin_object();
    json.key("list").begin_array();
    for (const StackFunction& one : functions) {
      if (!shown.contains(one.name)) {
        ++left_out;
        rest.samples += one.samples;
        rest.period += one.period;
        continue;
      }
      json.number(frames.index(one.name));
      for (const std::uint64_t number : {one.samples, one.period, one.all_samples, one.all_period})
        json.number(number);
    }
    json.end_array();
    json.key("left_out").number(left_out);
    json.key("rest").begin_array();
    json.number(rest.samples);
    json.number(rest.period);
    json.end_array();
    json.end_object();
  });
}

/// A row of the table: keys, samples, share, period, first, last.
void write_row(PageJson& json, const std::vector<std::string>& keys, const SampleSums& sums,
               double share) {
  json.begin_array();
  json.texts(keys);
  json.number(sums.samples);
  json.real(share);
  json.number(sums.period);
  write_time(json, sums, &SampleSums::first);
  write_time(json, sums, &SampleSums::last);
  json.end_array();
}

void write_rows(PageJson& json, const PageContents& contents, const Report& report) {
  const std::vector<ReportRow> rows = report.rows();
  const auto view = view_of(table_of(rows, contents.keys), contents.order, kMostRows);
  SampleSums rest;
  double share = 0;
  std::size_t written = 0;
  json.key("rows").begin_array();
  for (const std::size_t i : view ? view->order : std::vector<std::size_t>()) {
    if (written++ < kMostRows) {
      write_row(json, rows[i].keys, rows[i], rows[i].share);
      continue;
    }
    rest += rows[i];
    share += rows[i].share;
  }
  if (written > kMostRows) {
    std::vector<std::string> keys(contents.keys.size());
    keys[0] = fmt::format("({} more)", written - kMostRows);
    write_row(json, keys, rest, share);
  }
  json.end_array();
}

/// Writes what changed from the first recording to the second.
void write_changes(PageJson& json, const PageContents& contents) {
  const std::vector<ReportChange>& changes = *contents.changes;
  const auto view = view_of(table_of(changes, contents.keys), contents.order, kMostRows);
  const std::vector<std::size_t> order = view ? view->order : std::vector<std::size_t>();
  json.key("changes").each(
      std::span(order).first(std::min(order.size(), kMostRows)), [&](std::size_t i) {
        const ReportChange& change = changes[i];
        json.begin_array();
        json.texts(change.keys);
        for (const std::uint64_t number : {change.before.samples, change.after.samples})
          json.number(number);
        json.real(change.share_before);
        json.real(change.share_after);
        for (const std::uint64_t number : {change.before.period, change.after.period})
          json.number(number);
        json.end_array();
      });
  json.key("more_changes").number(order.size() - std::min(order.size(), kMostRows));
}

/// The data of a page, as JSON. `stacks`: the most nodes that the stacks of a recording have.
std::string page_data(const PageContents& contents, const std::vector<Functions>& functions,
                      std::uint32_t stacks) {
  const std::unordered_set<std::string> shown = shown_functions(functions);
  rapidjson::StringBuffer buffer;
  PageJson json(buffer);
  FrameTable frames;
  frames.index("all");
  json.begin_object();
  const std::vector<std::string> keys = names_of(contents.keys);
  json.key("keys").texts(keys);
  json.key("files").begin_array();
  for (std::size_t i = 0; i < contents.files.size(); ++i) {
    const Report& report = contents.reports[i];
    json.begin_object();
    write_facts(json, contents.files[i]);
    json.key("events").each(report.events(),
                            [&](const ReportEvent& event) { write_event(json, event); });
    write_timeline(json, report);
    write_stacks(json, report.stacks(stacks), frames);
    write_functions(json, functions[i], shown, frames);
    if (!contents.changes &&
        (contents.keys != std::vector{SortKey::event} || !contents.order.empty()))
      write_rows(json, contents, report);
    json.end_object();
  }
  json.end_array();
  if (contents.changes) write_changes(json, contents);
  json.key("frames").texts(frames.shown());
  json.key("warnings").texts(contents.warnings);
  json.end_object();
  return buffer.GetString();
}

}  // namespace

// "<" stands in strings only, where the escape means the same; so no name ends the script.
std::string report_page(const PageContents& contents) {
  constexpr std::string_view kPlace = "__EVNAME_DATA__";
  // Most of a page is stacks, and long names of functions: fewer of them, until it is small enough.
  constexpr std::size_t kMostBytes = 8'000'000;
  std::vector<Functions> functions;
  for (const Report& report : contents.reports) functions.push_back(report.functions());
  std::string data;
  for (double stacks = kPageStacks; stacks > 100;) {
    data = page_data(contents, functions, static_cast<std::uint32_t>(stacks));
    if (data.size() <= kMostBytes) break;
    stacks *= std::clamp(0.9 * kMostBytes / static_cast<double>(data.size()), 0.5, 0.75);
  }
  const auto place = kReportPage.find(kPlace);
  std::string page(kReportPage.substr(0, place));
  for (const char letter : data) letter == '<' ? page += "\\u003c" : page += letter;
  return page += kReportPage.substr(place + kPlace.size());
}

}  // namespace evname::tools
