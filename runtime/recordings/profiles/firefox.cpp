// The processed profile format of Firefox Profiler, version 63, which later versions upgrade:
// docs-developer/CHANGELOG-formats.md and src/types/profile.ts of its source.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/profiles/output.hpp"
#include "recordings/profiles/packed_column.hpp"
#include "recordings/profiles/profile.hpp"

namespace evname::profiles {
namespace {

constexpr std::uint64_t kGeckoVersion = 29, kProcessedVersion = 63;
constexpr std::size_t kShownTracks = 24;
enum Category : std::uint8_t { kOther, kUser, kKernel };

/// A thread's samples of one event.
struct TrackKey {
  std::uint32_t recording = 0;
  std::int32_t pid = -1, tid = -1;
  std::uint32_t event = 0;

  auto operator<=>(const TrackKey&) const = default;
};

struct Track {
  Strings::Id comm = 0;  ///< the last one
  std::size_t count = 0;
  std::uint64_t first = UINT64_MAX, last = 0;  ///< times
  PackedColumn times, periods, stacks, cpus;
};

/// As Breakpad writes it: a GUID of the first 16 bytes, and an age of 0.
std::string breakpad_id(std::vector<std::uint8_t> id) {
  if (id.empty()) return {};
  id.resize(16);
  std::string text;
  for (const std::size_t at : {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15})
    text += fmt::format("{:02X}", id[at]);
  return text + "0";
}

class FirefoxWriter final : public Writer {
 public:
  explicit FirefoxWriter(const WriterSetup& setup) : profile_(setup.profile), json_(setup.out) {}

  bool row(const Row& row) override {
    Track& track = tracks_[{row.recording, row.pid, row.tid, row.event}];
    track.comm = row.comm;
    if (row.process != kNone) processes_[{row.recording, row.pid}] = row.process;
    if (row.time) latest_ = *row.time;
    ++track.count;
    track.first = std::min(track.first, latest_);
    track.last = std::max(track.last, latest_);
    track.times.push_back(latest_);
    track.periods.push_back(row.period);
    track.stacks.push_back(row.stack);
    track.cpus.push_back(row.cpu);
    return true;
  }

  void end() override {
    for (const auto& [key, track] : tracks_) order_.push_back({&key, &track});
    if (!profile_.several()) base_ = std::min(base_, profile_.recordings[0].first);
    if (base_ == UINT64_MAX) base_ = 0;
    json_.object([&] {
      json_.key("meta").object([&] { write_meta(); });
      json_.key("libs").array([&] {
        for (const Binary& binary : profile_.stacks.binaries()) write_lib(binary);
      });
      json_.key("threads").array([&] {
        for (const auto& [key, track] : order_) write_thread(*key, *track);
      });
      json_.key("shared").object([&] { write_shared(); });
    });
  }

 private:
  Strings::Id id(std::string_view text) { return profile_.strings.id(text); }
  void text(std::string_view text) { json_.text(profile_.strings[id(text)]); }

  void write_meta() {
    const auto busiest = std::max_element(order_.begin(), order_.end(), [](auto& a, auto& b) {
      return a.second->count < b.second->count;
    });
    const bool any = busiest != order_.end();
    json_.key("interval").milliseconds(any ? interval(*busiest->second) : 1'000'000);
    json_.key("startTime").milliseconds(wall_time());
    json_.key("processType").number(0);
    json_.key("product").text("perf");
    json_.key("importedFrom").text("evname");
    json_.key("stackwalk").number(1);
    json_.key("debug").flag(false);
    json_.key("version").number(kGeckoVersion);
    json_.key("preprocessedProfileVersion").number(kProcessedVersion);
    json_.key("symbolicated").flag(true);
    json_.key("usesOnlyOneStackType").flag(true);
    json_.key("sourceCodeIsNotOnSearchfox").flag(true);
    json_.key("keepProfileThreadOrder").flag(true);
    json_.key("initialVisibleThreads").array([&] {
      for (const std::size_t index : shown_tracks()) json_.number(index);
    });
    json_.key("initialSelectedThreads").array([&] {
      if (any) json_.number(static_cast<std::size_t>(busiest - order_.begin()));
    });
    write_machine();
    write_categories();
    json_.key("markerSchema").array([&] {
      for (const Event& event : profile_.events) write_schema(event);
    });
    json_.key("extra").array([&] { write_facts(); });
  }

  /// Between the samples of a track, in ns.
  static std::uint64_t interval(const Track& track) {
    return std::max<std::uint64_t>((track.last - track.first) / track.count, 1000);
  }

  std::uint64_t wall_time() const {
    const Source& first = profile_.recordings[0];
    const auto& clock = perf_data::features_of(*first.file).clock;
    return clock && first.first <= first.last ? clock->wall_clock + first.first - clock->clock : 0;
  }

  std::vector<std::size_t> shown_tracks() const {
    std::vector<std::size_t> tracks(order_.size());
    for (std::size_t i = 0; i < tracks.size(); ++i) tracks[i] = i;
    sort_stably(tracks, [&](std::size_t a, std::size_t b) {
      return order_[a].second->count > order_[b].second->count;
    });
    tracks.resize(std::min(tracks.size(), kShownTracks));
    sort_stably(tracks);
    return tracks;
  }

  void write_machine() {
    const perf_format::Features& features = perf_data::features_of(*profile_.recordings[0].file);
    json_.key("platform").text("Linux");
    json_.key("oscpu");
    text(fmt::format("Linux {}", features.arch));
    if (!features.cpu_desc.empty()) json_.key("CPUName"), text(features.cpu_desc);
    if (features.cpus_online > 0) json_.key("logicalCPUs").number(features.cpus_online);
  }

  void write_categories() {
    constexpr std::pair<std::string_view, std::string_view> kCategories[] = {
        {"Other", "grey"}, {"User", "yellow"}, {"Kernel", "orange"}};
    json_.key("categories").array([&] {
      for (const auto& [name, color] : kCategories)
        json_.object([&] {
          json_.key("name").text(name);
          json_.key("color").text(color);
          json_.key("subcategories").array([&] { json_.text("Other"); });
        });
    });
  }

  void write_schema(const Event& event) {
    const auto field = [&](std::string_view key, std::string_view label) {
      json_.object([&] {
        json_.key("key").text(key);
        json_.key("label").text(label);
        json_.key("format").text("integer");
      });
    };
    json_.object([&] {
      json_.key("name"), text(event.label);
      json_.key("tooltipLabel"), text(event.label);
      json_.key("tableLabel").text("CPU {marker.data.cpu}, period {marker.data.period}");
      json_.key("chartLabel").text("{marker.data.period}");
      json_.key("display").array([&] {
        json_.text("marker-chart");
        json_.text("marker-table");
      });
      json_.key("fields").array([&] {
        field("cpu", "CPU");
        field("period", "Period");
      });
      json_.key("description"), text(event.about);
    });
  }

  void write_facts() {
    const auto section = [&](std::string_view label, auto&& fill) {
      json_.object([&] {
        json_.key("label"), text(label);
        json_.key("entries").array(fill);
      });
    };
    const auto entry = [&](std::string_view label, std::string_view value) {
      json_.object([&] {
        json_.key("label"), text(label);
        json_.key("format").text("string");
        json_.key("value"), text(value);
      });
    };
    section("Events", [&] {
      for (const Event& event : profile_.events) entry(event.label, event.about);
    });
    for (const Source& recording : profile_.recordings)
      section(recording.name, [&] {
        for (const auto& [name, value] : profile_.facts(recording)) entry(name, value);
      });
  }

  void write_lib(const Binary& part) {
    json_.object([&] {
      json_.key("arch"), text(perf_data::features_of(*profile_.recordings[0].file).arch);
      for (const std::string_view name : {"name", "debugName"})
        json_.key(name), text(last_part(part.file));
      for (const std::string_view name : {"path", "debugPath"}) json_.key(name), text(part.file);
      json_.key("breakpadId").text(breakpad_id(part.build_id));
      json_.key("codeId");
      if (part.build_id.empty())
        json_.null();
      else
        json_.text(hex_text(part.build_id));
    });
  }

  /// Returns the process's own name or, if the recording lacks it, the name of its first track.
  std::string process_name(const TrackKey& key) const {
    const auto known = processes_.find({key.recording, key.pid});
    const std::string& comm =
        profile_.strings[known != processes_.end()
                             ? known->second
                             : tracks_.lower_bound({key.recording, key.pid, INT32_MIN, 0})
                                   ->second.comm];
    return profile_.several() ? fmt::format("{}: {}", profile_.recordings[key.recording].name, comm)
                              : comm;
  }

  /// "cycles (work)"; for threads other than the first "cycles (work 123)", since tracks show no
  /// ids.
  std::string track_name(const TrackKey& key, const Track& track) const {
    const std::string& event = profile_.events[key.event].label;
    const std::string& comm = profile_.strings[track.comm];
    return key.tid == key.pid ? fmt::format("{} ({})", event, comm)
                              : fmt::format("{} ({} {})", event, comm, key.tid);
  }

  void write_thread(const TrackKey& key, const Track& track) {
    const Event& event = profile_.events[key.event];
    json_.object([&] {
      json_.key("processType").text("default");
      json_.key("processName"), text(process_name(key));
      json_.key("processStartupTime").number(0);
      json_.key("processShutdownTime").null();
      json_.key("registerTime").number(0);
      json_.key("unregisterTime").null();
      json_.key("pausedRanges").array([] {});
      json_.key("name"), text(track_name(key, track));
      json_.key("isMainThread").flag(false);
      json_.key("pid"),
          text(profile_.several()
                   ? fmt::format("{} ({})", key.pid, profile_.recordings[key.recording].name)
                   : fmt::format("{}", key.pid));
      json_.key("tid").integer(key.tid);
      json_.key("samples").object([&] { write_samples(track, event); });
      json_.key("markers").object([&] { write_markers(track, event); });
    });
  }

  void write_times(std::string_view name, const Track& track) {
    PackedColumn::Reader times(track.times);
    json_.column(name, track.count, [&](std::size_t) {
      const std::uint64_t time = times.next();
      json_.milliseconds(time - std::min(base_, time));
    });
  }

  void write_samples(const Track& track, const Event& event) {
    json_.key("length").number(track.count);
    PackedColumn::Reader stacks(track.stacks), periods(track.periods);
    json_.column("stack", track.count, [&](std::size_t) {
      const auto stack = static_cast<std::uint32_t>(stacks.next());
      stack == kNone ? json_.null() : json_.number(row_of(stack));
    });
    write_times("time", track);
    json_.column("weight", track.count, [&](std::size_t) {
      const std::uint64_t period = periods.next();
      if (event.is_time)
        json_.milliseconds(period);
      else
        json_.number(period);
    });
    json_.key("weightType").text(event.is_time ? "tracing-ms" : "samples");
  }

  void write_markers(const Track& track, const Event& event) {
    const std::size_t count = track.count;
    const Strings::Id name = id(event.label);
    json_.key("length").number(count);
    json_.column_of("category", count, std::to_string(kOther));
    json_.column_of("name", count, std::to_string(name));
    json_.column_of("phase", count, "0");
    write_times("startTime", track);
    json_.column_of("endTime", count, "null");
    std::string type, data;  // there is an object for each sample
    append_json_string(type += "{\"type\":", profile_.strings[name]);
    PackedColumn::Reader cpus(track.cpus), periods(track.periods);
    json_.column("data", count, [&](std::size_t) {
      const auto cpu = static_cast<std::uint32_t>(cpus.next());
      data = type;
      if (cpu != kNone) ((data += ",\"cpu\":") += fmt::format_int(cpu).str());
      ((data += ",\"period\":") += fmt::format_int(periods.next()).str()) += '}';
      json_.digits(data);
    });
  }

  /// The row of the stack table for a stack's innermost frame.
  std::size_t row_of(std::uint32_t stack) {
    if (rows_.empty()) {
      std::size_t row = 0;
      for (const Stacks::Node& node : profile_.stacks.nodes())
        rows_.push_back((row += lines_of(node).size()) - 1);
    }
    return rows_[stack];
  }

  const std::vector<Location::Line>& lines_of(const Stacks::Node& node) const {
    return profile_.stacks.locations()[node.location].lines;
  }

  void write_shared() {
    json_.key("stackTable").object([&] { write_stacks(); });
    json_.key("frameTable").object([&] { write_frames(); });
    json_.key("funcTable").object([&] { write_functions(); });
    json_.key("resourceTable").object([&] { write_resources(); });
    json_.key("nativeSymbols").object([&] {
      for (const std::string_view name : {"libIndex", "address", "name", "functionSize"})
        json_.column(name, 0, [](std::size_t) {});
      json_.key("length").number(0);
    });
    json_.key("sources").object([&] { write_sources(); });
    json_.column("stringArray", profile_.strings.size(),
                 [&](std::size_t i) { json_.text(profile_.strings[static_cast<Strings::Id>(i)]); });
  }

  /// A row for each frame of a location, the outermost first; frames are in the order of locations,
  /// the innermost first.
  void write_stacks() {
    const auto& nodes = profile_.stacks.nodes();
    std::vector<std::size_t> first_frames;
    std::size_t frames = 0, rows = 0;
    for (const Location& location : profile_.stacks.locations()) {
      first_frames.push_back(frames);
      frames += location.lines.size();
    }
    json_.column("frame", nodes.size(), [&](std::size_t i) {
      for (std::size_t line = lines_of(nodes[i]).size(); line-- > 0; ++rows)
        json_.number(first_frames[nodes[i].location] + line);
    });
    json_.key("length").number(rows);
    rows = 0;
    json_.column("prefix", nodes.size(), [&](std::size_t i) {
      nodes[i].caller == kNone ? json_.null() : json_.number(row_of(nodes[i].caller));
      for (std::size_t line = 1; line < lines_of(nodes[i]).size(); ++line) json_.number(rows++);
      ++rows;
    });
  }

  /// A column of the frame table; `each` writes the value of a line of a location.
  template <class Each>
  void frame_column(std::string_view name, Each&& each) {
    const auto& locations = profile_.stacks.locations();
    json_.column(name, locations.size(), [&](std::size_t i) {
      for (std::size_t line = 0; line < locations[i].lines.size(); ++line) each(locations[i], line);
    });
  }

  void write_frames() {
    std::size_t count = 0;
    frame_column("address", [&](const Location& location, std::size_t) {
      ++count;
      location.binary == kNone
          ? json_.integer(-1)
          : json_.number(profile_.stacks.binaries()[location.binary].file_offset(location.address));
    });
    json_.key("length").number(count);
    frame_column("inlineDepth", [&](const Location& location, std::size_t line) {
      json_.number(location.lines.size() - 1 - line);
    });
    frame_column("category", [&](const Location& location, std::size_t) {
      const auto& binaries = profile_.stacks.binaries();
      json_.number(location.binary == kNone           ? kOther
                   : binaries[location.binary].kernel ? kKernel
                                                      : kUser);
    });
    frame_column("subcategory", [&](const Location&, std::size_t) { json_.number(0); });
    frame_column("func", [&](const Location& location, std::size_t line) {
      json_.number(location.lines[line].function);
    });
    frame_column("line", [&](const Location& location, std::size_t line) {
      const std::uint32_t number = location.lines[line].line;
      number == 0 ? json_.null() : json_.number(number);
    });
    frame_column("innerWindowID", [&](const Location&, std::size_t) { json_.number(0); });
    for (const std::string_view name : {"nativeSymbol", "column"})
      frame_column(name, [&](const Location&, std::size_t) { json_.null(); });
  }

  void write_functions() {
    const auto& functions = profile_.stacks.functions();
    const std::size_t count = functions.size();
    json_.key("length").number(count);
    json_.column("name", count, [&](std::size_t i) { json_.number(functions[i].name); });
    for (const std::string_view name : {"isJS", "relevantForJS"})
      json_.column_of(name, count, "false");
    json_.column("resource", count, [&](std::size_t i) {
      functions[i].binary == kNone ? json_.integer(-1) : json_.number(functions[i].binary);
    });
    json_.column("source", count, [&](std::size_t i) {
      if (profile_.strings[functions[i].source].empty()) return json_.null();
      const auto [at, is_new] = source_rows_.try_emplace(functions[i].source, sources_.size());
      if (is_new) sources_.push_back(functions[i].source);
      json_.number(at->second);
    });
    for (const std::string_view name : {"lineNumber", "columnNumber"})
      json_.column_of(name, count, "null");
  }

  /// Each binary is a resource, and a library.
  void write_resources() {
    const auto& binaries = profile_.stacks.binaries();
    constexpr std::uint64_t kLibrary = 1;
    json_.key("length").number(binaries.size());
    json_.column("lib", binaries.size(), [&](std::size_t i) { json_.number(i); });
    json_.column("name", binaries.size(),
                 [&](std::size_t i) { json_.number(id(last_part(binaries[i].file))); });
    json_.column("host", binaries.size(), [&](std::size_t) { json_.null(); });
    json_.column("type", binaries.size(), [&](std::size_t) { json_.number(kLibrary); });
  }

  void write_sources() {
    const std::size_t count = sources_.size();
    json_.key("length").number(count);
    json_.column("filename", count, [&](std::size_t i) { json_.number(sources_[i]); });
    for (const std::string_view name : {"startLine", "startColumn"})
      json_.column_of(name, count, "1");
    for (const std::string_view name : {"id", "sourceMapURL"}) json_.column_of(name, count, "null");
  }

  Profile& profile_;
  Json json_;
  std::map<TrackKey, Track> tracks_;
  std::map<std::pair<std::uint32_t, std::int32_t>, Strings::Id> processes_;  ///< the last names
  std::vector<std::pair<const TrackKey*, const Track*>> order_;
  std::uint64_t latest_ = 0;         ///< of samples without a time
  std::uint64_t base_ = UINT64_MAX;  ///< the time that others count from
  std::vector<std::size_t> rows_;    ///< by stack
  std::map<Strings::Id, std::size_t> source_rows_;
  std::vector<Strings::Id> sources_;
};

}  // namespace

std::unique_ptr<Writer> make_firefox_writer(const WriterSetup& setup) {
  return std::make_unique<FirefoxWriter>(setup);
}

}  // namespace evname::profiles
