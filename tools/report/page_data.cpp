#include "report/page_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <unordered_map>

#include "base/json_text.hpp"
#include "report/tables.hpp"

namespace evname::tools {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::string_view kNamedBy[] = {"recording", "kernel", "tables", "code"};

// Longer names of functions are cut: some of C++ have many thousand letters.
constexpr std::size_t kLongestName = 400;
// Of each recording.
constexpr std::size_t kMostRows = 2000, kMostLanes = 4000, kMostCells = 150'000;

void text(Writer& json, std::string_view value) {
  std::string quoted;
  append_json_string(quoted, value);
  json.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
}
void member(Writer& json, const char* key, std::string_view value) {
  json.Key(key);
  text(json, value);
}
void member(Writer& json, const char* key, std::uint64_t value) {
  json.Key(key);
  json.Uint64(value);
}

template <class List, class Write>
void array(Writer& json, const char* key, const List& list, Write&& write) {
  json.Key(key);
  json.StartArray();
  for (const auto& item : list) write(item);
  json.EndArray();
}

void write_time(Writer& json, const SampleSums& sums, std::uint64_t SampleSums::*time) {
  sums.is_timed() ? json.Uint64(sums.*time) : json.Null();
}

void write_facts(Writer& json, const PerfData& file) {
  const perfdata::Features& features = file.features();
  const CpuInfo& cpu = file.machine().cpu();
  json.Key("facts");
  json.StartObject();
  member(json, "file", file.facts().path);
  member(json, "host", features.hostname);
  member(json, "command", fmt::format("{}", fmt::join(features.command_line, " ")));
  member(json, "CPU", features.cpu_desc.empty() ? cpu.cpuid : features.cpu_desc);
  member(json, "model", cpu.model.empty() ? "unknown" : cpu.model);
  member(json, "model note", cpu.note);
  member(json, "kernel", features.os_release);
  member(json, "perf", features.version);
  json.EndObject();
}

void write_event(Writer& json, const ReportEvent& event) {
  json.StartObject();
  member(json, "name", event.event.full_name());
  member(json, "recorded", event.event.recorded_name);
  member(json, "pmu", event.event.pmu);
  member(json, "code", fmt::format("{:#x}", event.event.code.config[0]));
  member(json, "named_by", kNamedBy[static_cast<std::size_t>(event.event.named_by)]);
  member(json, "samples", event.samples);
  member(json, "period", event.period);
  json.Key("first");
  write_time(json, event, &SampleSums::first);
  json.Key("last");
  write_time(json, event, &SampleSums::last);
  member(json, "lost", event.lost);
  member(json, "throttled", event.throttled);
  json.EndObject();
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

void write_lane(Writer& json, const Timeline::Lane& lane, const Cells& cells) {
  json.StartObject();
  member(json, "event", lane.event);
  member(json, "of", static_cast<std::uint64_t>(lane.of));
  member(json, "name", lane.name);
  member(json, "folded", lane.folded);
  member(json, "samples", lane.sums.samples);
  member(json, "period", lane.sums.period);
  json.Key("first");
  write_time(json, lane.sums, &SampleSums::first);
  json.Key("last");
  write_time(json, lane.sums, &SampleSums::last);
  json.Key("cells");
  json.StartArray();
  std::uint32_t before = 0;
  for (const Timeline::Cell& cell : cells) {
    json.Uint(cell.bin - before);
    json.Uint64(cell.samples);
    json.Uint64(cell.period);
    json.Uint64(cell.lost);
    before = cell.bin;
  }
  json.EndArray();
  json.EndObject();
}

void write_timeline(Writer& json, const Report& report) {
  const Timeline timeline = report.timeline();
  const auto lanes = few_lanes(timeline, report.events().size());
  std::uint32_t factor = 1, used = 0;
  while (factor < Timeline::kBins && cells_of(lanes, factor) > kMostCells) factor *= 2;
  for (const Timeline::Lane& lane : lanes)
    if (!lane.cells.empty()) used = std::max(used, lane.cells.back().bin / factor + 1);
  json.Key("first");
  used > 0 ? json.Uint64(timeline.first) : json.Null();
  member(json, "width", timeline.width * factor);
  member(json, "used", used);
  array(json, "lanes", lanes,
        [&](const Timeline::Lane& lane) { write_lane(json, lane, coarser(lane.cells, factor)); });
}

/// Frames of all recordings, each once.
class FrameTable {
 public:
  std::size_t index(const std::string& name) {
    const auto [at, is_new] = index_.try_emplace(cut(name), names_.size());
    if (is_new) names_.push_back(at->first);
    return at->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  static std::string cut(const std::string& name) {
    return name.size() <= kLongestName ? name : name.substr(0, kLongestName) + "…";
  }

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// A node's parent is told by how far it is before; a count's node by how far it is behind the one
/// before.
void write_stacks(Writer& json, const StackTree& tree, FrameTable& frames) {
  std::vector<std::size_t> index;
  for (const std::string& frame : tree.frames) index.push_back(frames.index(frame));
  json.Key("stacks");
  json.StartObject();
  json.Key("parents");
  json.StartArray();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) json.Uint64(i - tree.nodes[i].parent);
  json.EndArray();
  array(json, "frames", tree.nodes,
        [&](const StackTree::Node& node) { json.Uint64(index[node.frame]); });
  array(json, "counts", tree.events, [&](const std::vector<StackTree::Count>& counts) {
    json.StartArray();
    std::uint32_t before = 0;
    for (const StackTree::Count& count : counts) {
      json.Uint(count.node - before);
      json.Uint64(count.samples);
      json.Uint64(count.period);
      before = count.node;
    }
    json.EndArray();
  });
  member(json, "folded", tree.folded);
  json.EndObject();
}

/// A row of the table: keys, samples, share, period, first, last.
void write_row(Writer& json, const std::vector<std::string>& keys, const SampleSums& sums,
               double share) {
  json.StartArray();
  json.StartArray();
  for (const std::string& key : keys) text(json, key);
  json.EndArray();
  json.Uint64(sums.samples);
  json.Double(share);
  json.Uint64(sums.period);
  write_time(json, sums, &SampleSums::first);
  write_time(json, sums, &SampleSums::last);
  json.EndArray();
}

void write_rows(Writer& json, const PageContents& contents, const Report& report) {
  const std::vector<ReportRow> rows = report.rows();
  const auto view = view_of(table_of(rows, contents.keys), contents.order, kMostRows);
  SampleSums rest;
  double share = 0;
  std::size_t written = 0;
  json.Key("rows");
  json.StartArray();
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
  json.EndArray();
}

}  // namespace

std::string page_data(const PageContents& contents, std::uint32_t stacks) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  FrameTable frames;
  frames.index("all");
  json.StartObject();
  const std::vector<std::string> keys = names_of(contents.keys);
  array(json, "keys", keys, [&](const std::string& key) { text(json, key); });
  json.Key("files");
  json.StartArray();
  for (std::size_t i = 0; i < contents.files.size(); ++i) {
    const Report& report = contents.reports[i];
    json.StartObject();
    write_facts(json, contents.files[i]);
    array(json, "events", report.events(),
          [&](const ReportEvent& event) { write_event(json, event); });
    write_timeline(json, report);
    write_stacks(json, report.stacks(stacks), frames);
    if (contents.keys != std::vector{SortKey::event} || !contents.order.empty())
      write_rows(json, contents, report);
    json.EndObject();
  }
  json.EndArray();
  array(json, "frames", frames.names(), [&](const std::string& frame) { text(json, frame); });
  array(json, "warnings", contents.warnings,
        [&](const std::string& warning) { text(json, warning); });
  json.EndObject();
  return buffer.GetString();
}

}  // namespace evname::tools
