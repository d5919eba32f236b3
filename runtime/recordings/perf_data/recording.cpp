#include "evname/recording.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/hash_map.hpp"
#include "base/parallel.hpp"
#include "events/machine/machine_state.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/session/waits.hpp"
#include "recordings/stream/perf_refusals.hpp"

namespace evname {
namespace {

pmu::RecordedPmus recorded_pmus_of(const perf_format::Features& features) {
  pmu::RecordedPmus pmus;
  pmus.mappings = features.pmu_mappings;
  pmus.hybrid = features.hybrid;
  for (const auto& caps : features.caps) pmus.caps.push_back({caps.pmu, caps.values});
  return pmus;
}

/// Returns the tracepoints of TRACING_DATA, and those known only from the names of events.
std::vector<std::pair<std::uint64_t, std::string>> tracepoints_of(const stream::File& file) {
  std::vector<std::pair<std::uint64_t, std::string>> tracepoints;
  std::set<std::uint64_t> known;
  for (const perf_format::TraceFormat& format : file.features.tracing.formats) {
    tracepoints.emplace_back(format.id, format.system + ':' + format.name);
    known.insert(format.id);
  }
  for (const perf_format::Event& event : file.events.list()) {
    if (event.attr.code.type != kTypeTracepoint || !event.name) continue;
    std::string name(perf_data::read_generic_event_name(*event.name, 1).name);
    if (name.find(':') != name.npos && known.insert(event.attr.code.config[0]).second)
      tracepoints.emplace_back(event.attr.code.config[0], std::move(name));
  }
  return tracepoints;
}

/// Tells tracepoints their formats, which must not move from here on.
void set_formats(stream::File& file) {
  HashMap<std::uint64_t, const perf_format::TraceFormat*> formats;
  for (const perf_format::TraceFormat& format : file.features.tracing.formats)
    formats.try_emplace(format.id, &format);
  for (std::size_t i = 0; i < file.events.size(); ++i) {
    perf_format::Event& event = file.events.at(i);
    if (event.attr.code.type != kTypeTracepoint) continue;
    const auto at = formats.find(event.attr.code.config[0]);
    if (at != formats.end()) event.format = at->second;
  }
}

// The letters of --itrace: itrace_do_parse_synth_opts of tools/perf/util/auxtrace.c.

struct KindLetter {
  char letter;
  TraceKind kind;
};
constexpr KindLetter kKindLetters[] = {
    {'f', TraceKind::first_level}, {'m', TraceKind::last_level}, {'t', TraceKind::tlb},
    {'b', TraceKind::branches},    {'c', TraceKind::branches},   {'r', TraceKind::branches},
    {'a', TraceKind::remote},      {'M', TraceKind::memory},     {'i', TraceKind::instructions}};
constexpr std::string_view kWithoutEffect = "xwpoIqAZT ,y";
constexpr std::string_view kWithNumber = "gGL", kWithFlags = "ed";
constexpr std::uint64_t kMostBranches = 1024, kUsualBranches = 64;

class LetterReader {
 public:
  explicit LetterReader(std::string_view text) : text_(text) {}

  /// Returns false for an unknown letter, or a letter without the number that it needs.
  bool read(TraceOptions& options) {
    while (!text_.empty()) {
      const char letter = text_.front();
      text_.remove_prefix(1);
      if (!read_one(letter, options)) return false;
    }
    return true;
  }

 private:
  bool read_one(char letter, TraceOptions& options) {
    for (const KindLetter& row : kKindLetters)
      if (row.letter == letter) options.kinds |= static_cast<unsigned>(row.kind);
    if (letter == 'i' || letter == 'y') return read_period(options.period);
    if (letter == 'l') return read_count(options.branch_stack = kUsualBranches);
    if (letter == 's') return number(skipped_);
    if (kWithNumber.find(letter) != kWithNumber.npos) return read_count(skipped_);
    if (kWithFlags.find(letter) != kWithFlags.npos) return skip_flags();
    for (const KindLetter& row : kKindLetters)
      if (row.letter == letter) return true;
    return kWithoutEffect.find(letter) != kWithoutEffect.npos;
  }
  /// Operations are the only unit that SPE has.
  bool read_period(std::uint64_t& period) {
    period = 1;
    skip_space();
    if (!number(period)) return true;
    skip_space();
    if (!text_.empty() && text_.front() != 'i') return false;
    text_.remove_prefix(text_.empty() ? 0 : 1);
    return true;
  }
  bool read_count(std::uint64_t& count) {
    skip_space();
    return !number(count) || (count > 0 && count <= kMostBranches);
  }
  bool skip_flags() {
    while (text_.size() > 1 && (text_[0] == '+' || text_[0] == '-')) {
      if (text_[1] < 'a' || text_[1] > 'z') return false;
      text_.remove_prefix(2);
    }
    return true;
  }
  void skip_space() { text_.remove_prefix(std::min(text_.find_first_not_of(" ,"), text_.size())); }
  bool number(std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return error == std::errc();
  }

  std::string_view text_;
  std::uint64_t skipped_ = 0;
};

}  // namespace

Result<Recording> Recording::open(const std::string& path, UserEvents user_events) {
  return open(path, user_events, TraceOptions::none());
}

Result<Recording> Recording::open(const std::string& path, UserEvents user_events,
                                  const TraceOptions& traces) {
  if (path.find('\0') != path.npos) return fail(Errc::invalid_argument, "the path has a NUL in it");
  return over(stream::File::open(path, traces), user_events);
}

Result<Recording> Recording::open(std::vector<std::uint8_t> bytes, std::string name,
                                  UserEvents user_events, const TraceOptions& traces) {
  return over(stream::File::of_bytes(std::move(bytes), std::move(name), traces), user_events);
}

Result<Recording> Recording::open(int descriptor, std::string name, UserEvents user_events,
                                  const TraceOptions& traces) {
  return over(stream::File::of_descriptor(descriptor, std::move(name), traces), user_events);
}

Result<Recording> Recording::over(Result<stream::File> file, UserEvents user_events) {
  if (!file) return fail(file);
  const perf_format::Features& features = file->features;
  const std::string arch =
      perf_format::architecture(features, file->header.order == std::endian::big);
  Machine machine = recorded_machine(arch, features.cpuid, recorded_pmus_of(features),
                                     tracepoints_of(*file), user_events, features.cpu_desc);
  auto events = perf_data::name_recorded_events(*file, machine);
  auto state = std::make_shared<detail::RecordingState>(
      detail::RecordingState{std::move(*file), std::move(machine), std::move(events)});
  set_formats(state->file);
  return Recording(std::move(state));
}

// Without `i` perf leaves the period 0.
Result<TraceOptions> parse_trace_options(std::string_view letters) {
  if (letters.empty()) return TraceOptions{};
  TraceOptions options = TraceOptions::none();
  if (LetterReader(letters).read(options)) return options;
  return fail(Errc::invalid_argument,
              "not a list of letters for trace data, such as bl or i10i (f, m, t, b, a, M, i, l)",
              std::string(letters));
}

Recording::Recording(std::shared_ptr<const detail::RecordingState> state)
    : state_(std::move(state)) {}

Machine Recording::machine() const { return state_->machine; }
std::span<const RecordedEvent> Recording::events() const { return state_->events; }
const perf_format::Attr& Recording::attr(std::size_t index) const {
  return state_->file.events.list()[index].attr;
}

std::vector<std::string> Recording::refused_by_perf(bool all_records) const {
  using stream::Looked;
  return stream::perf_refusals(state_->file, all_records ? Looked::all : Looked::first);
}

FileFacts Recording::facts() const {
  const stream::File& file = state_->file;
  FileFacts facts;
  facts.path = file.path;
  facts.decodes_traces = file.trace != nullptr;
  facts.undecoded_traces = file.undecoded_traces;
  facts.form = file.header.pipe          ? FileFacts::Form::pipe
               : file.streams.size() > 1 ? FileFacts::Form::directory
                                         : FileFacts::Form::file;
  facts.big_endian = file.header.order == std::endian::big;
  facts.header_size = file.header.size;
  facts.attr_size = file.header.attr_size;
  facts.data_offset = file.header.data.offset;
  facts.data_size = file.header.data.size;
  for (const stream::Stream& stream : file.streams)
    if (!stream.name.empty()) facts.streams.push_back(stream.name);
  const perf_format::Features& features = file.features;
  facts.hostname = features.hostname;
  facts.os_release = features.os_release;
  facts.perf_version = features.version;
  facts.command_line = features.command_line;
  return facts;
}

const perf_format::Features& perf_data::features_of(const Recording& file) {
  return detail::state_of(file).file.features;
}

std::string_view record_name(std::uint32_t type) { return perf_format::record_name(type); }

std::span<const std::string> Recording::warnings() const { return state_->file.warnings; }

namespace perf_data {

// Threads take memory, and more threads than cores have nothing to do; a few more do no harm.
bool has_durations(const RecordedEvent& event) {
  return perf_format::is_off_cpu(event.recorded_name, event.code);
}

Result<void> check_waits(const Recording& file, const PassOptions& pass) {
  return pass.waits ? session::Waits::check(detail::state_of(file).file.events) : Result<void>();
}

unsigned jobs_of(const PassOptions& options) {
  constexpr unsigned kAlways = 16;
  const unsigned cores = core_count();
  return options.jobs > 0 ? std::min(options.jobs, std::max(cores, kAlways)) : cores;
}

Result<void> check_sampled_by_all(const Recording& file, std::uint64_t bits, std::string_view field,
                                  std::string hint) {
  constexpr std::size_t kOtherTypes = kTypeBreakpoint + 1;
  std::array<bool, kOtherTypes + 1> seen{};
  for (const RecordedEvent& event : file.events()) {
    const perf_format::Attr& attr = file.attr(event.attr);
    const std::size_t type = std::min<std::size_t>(attr.code.type, kOtherTypes);
    if (perf_format::is_dummy(attr) || std::exchange(seen[type], true) ||
        (attr.sample_type & bits) != 0)
      continue;
    return fail(Errc::not_found,
                fmt::format("event '{}' does not sample '{}'", event.recorded_name, field),
                file.facts().path, std::move(hint));
  }
  return {};
}

}  // namespace perf_data

}  // namespace evname
