#include "recordings/profiles/profile.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::profiles {
// A part of several binaries stays with the first.
std::uint32_t Stacks::Parts::find(std::uint64_t begin, std::uint64_t end) {
  if (const auto known = exact_.find({begin, end}); known != exact_.end()) return known->second;
  auto after = wide_.upper_bound(begin);
  if (after == wide_.begin() || (--after)->second.end < end) return kNone;
  exact_.emplace(std::pair(begin, end), after->second.binary);
  return after->second.binary;
}

void Stacks::Parts::add(std::uint64_t begin, std::uint64_t end, std::uint32_t binary, bool whole) {
  exact_.emplace(std::pair(begin, end), binary);
  if (!whole) return;
  auto at = wide_.lower_bound(begin);
  while (at != wide_.end() && at->second.end <= end) at = wide_.erase(at);
  wide_.emplace(begin, Wide{end, binary});
}

std::uint32_t Stacks::binary_of(const session::MappedRange& range,
                                const symbols::InnerFile* inner) {
  if (!range.dso) return kNone;
  const bool is_memory =
      symbols::is_without_file(range.dso->name) || symbols::is_named_memory(range.dso->name);
  Binary binary{std::string(range.dso->kernel ? range.dso->shown_name() : range.dso->name),
                range.dso->build_id,
                range.start,
                range.end,
                range.offset,
                is_memory ? range.dso->pid : -1,
                range.dso->kernel};
  if (binary.file.empty()) binary.file = "[unknown]";
  if (inner) {
    binary.file = inner->name;
    binary.build_id = inner->build_id;
    binary.offset -= inner->origin;
  }
  const bool is_file = !binary.kernel && binary.pid == -1;
  const std::uint64_t begin = is_file ? binary.offset : binary.start;
  const std::uint64_t size = binary.end - binary.start;
  const std::uint64_t end = begin + std::min(size, UINT64_MAX - begin);
  Parts& parts = by_file_[{binary.file, binary.build_id, binary.pid, binary.kernel}];
  std::uint32_t found = parts.find(begin, end);
  if (found == kNone) {
    found = static_cast<std::uint32_t>(binaries_.size());
    parts.add(begin, end, found, is_file);
    binaries_.push_back(std::move(binary));
  }
  return found;
}

std::uint32_t Stacks::function(const Function& function) {
  const auto [at, is_new] =
      by_name_.try_emplace(function, static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back(function);
  return at->second;
}

void Stacks::name(Location& location, const Place& place, std::span<const Frame> frames) {
  if (frames.empty() || frames[0].function.empty()) {
    const std::uint64_t address = location.address + place.call;
    const Binary* binary = location.binary == kNone ? nullptr : &binaries_[location.binary];
    const std::string text = binary
                                 ? locations::place_text(binary->file, binary->file_offset(address))
                                 : fmt::format("0x{:x}", address);
    location.lines = {{function({strings_.id(text), strings_.id(""), location.binary, false}), 0}};
    return;
  }
  for (const Frame& frame : frames)
    location.lines.push_back(
        {function({strings_.id(frame.function), strings_.id(frame.source), location.binary, true}),
         frame.line});
}

std::uint32_t Stacks::location(const Place& place,
                               const std::function<std::span<const Frame>()>& frames) {
  Location location;
  location.binary = place.binary;
  location.address = place.address - place.call;
  if (location.binary != kNone) {
    const Binary& shown = binaries_[location.binary];
    if (!shown.kernel)
      location.address += (shown.start - shown.offset) - (place.range.start - place.range.offset);
  }
  const auto [at, is_new] =
      by_address_.try_emplace({location.binary, location.address, place.call, place.code},
                              static_cast<std::uint32_t>(locations_.size()));
  if (is_new) {
    name(location, place, frames());
    locations_.push_back(std::move(location));
  }
  return at->second;
}

std::uint32_t Stacks::push(std::uint32_t caller, std::uint32_t location) {
  const auto [at, is_new] = by_caller_.try_emplace(std::uint64_t{caller} << 32 | location,
                                                   static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({caller, location});
  return at->second;
}

void Stacks::locations_of(std::uint32_t stack, std::vector<std::uint32_t>& out) const {
  out.clear();
  for (; stack != kNone; stack = nodes_[stack].caller) out.push_back(nodes_[stack].location);
}

namespace {

constexpr std::uint64_t kCpuClock = 0, kTaskClock = 1;  // PERF_COUNT_SW_*

std::string code_text(const RecordedEvent& event) {
  std::string text = fmt::format("PMU {}, code 0x{:x}", event.pmu, event.code.config[0]);
  for (std::size_t i = 1; i < std::size(event.code.config); ++i)
    if (event.code.config[i] != 0)
      text += fmt::format(", config{} 0x{:x}", i, event.code.config[i]);
  return text;
}

std::string about(const Recording& file, const RecordedEvent& event) {
  std::string text = code_text(event);
  if (event.recorded_name != event.full_name())
    text += fmt::format(", recorded as {}", event.recorded_name);
  const std::string description = perf_data::description_of(file.machine(), event);
  return description.empty() ? text : text + ": " + description;
}

/// Merges events of the same name, PMU and, in one recording, code.
class EventList {
 public:
  explicit EventList(Profile& profile) : profile_(profile) {}

  std::uint32_t add(std::size_t recording, const RecordedEvent& event) {
    const std::string name = event.full_name() + '\0' + event.pmu;
    const auto next = static_cast<std::uint32_t>(profile_.events.size());
    const auto [first, is_new] = by_name_.try_emplace(name, next);
    if (!is_new && profile_.events[first->second].recording != recording) return first->second;
    const auto [same, is_new_code] = by_code_.try_emplace(
        fmt::format("{} {} {}", name, event.code.type, code_text(event)), next);
    if (!is_new_code) return same->second;
    Event added;
    const std::string own = event.full_name();
    added.label = labels_.of(labels_.has(own) ? perf_data::name_with_pmu(event) : own);
    added.code = code_text(event);
    added.about = about(*profile_.recordings[recording].file, event);
    added.is_time = event.code.type == kTypeSoftware &&
                    (event.code.config[0] == kCpuClock || event.code.config[0] == kTaskClock);
    added.recording = recording;
    added.attr = event.attr;
    profile_.events.push_back(std::move(added));
    return next;
  }

 private:
  Profile& profile_;
  std::unordered_map<std::string, std::uint32_t> by_name_;  ///< name and PMU: the first such event
  std::unordered_map<std::string, std::uint32_t> by_code_;  ///< the same with the code
  perf_data::DistinctNames labels_;
};

/// Writes the samples of one recording as rows of a format.
class RowWriter {
 public:
  RowWriter(Profile& profile, std::size_t recording, const ProfileOptions& options,
            const Symbols& none, Writer& writer)
      : profile_(profile),
        recording_(profile.recordings[recording]),
        writer_(writer),
        named_(options.symbols != nullptr),
        locations_(*recording_.file, named_ ? *options.symbols : none, true),
        selection_(detail::Access::make<Selection>(options.filter, *recording_.file, &locations_)) {
    row_.recording = static_cast<std::uint32_t>(recording);
  }

  /// Writes the sample that the range is at. Returns false if the format wants no more.
  bool write(const Sample& sample, const SampleRange& range) {
    if (!selection_.accepts(sample)) return true;
    row_.event = recording_.events[sample.event().attr];
    row_.pid = sample.pid().value_or(-1);
    row_.tid = sample.tid().value_or(-1);
    row_.cpu = sample.cpu().value_or(kNone);
    row_.time = sample.time();
    row_.comm = name_of(sample.comm());
    row_.process = row_.tid == row_.pid ? row_.comm : process_name(detail::process_comm(range));
    row_.period = sample.period();
    row_.mode = static_cast<std::uint8_t>(sample.misc() & perf_format::kCpuMode);
    row_.stack = stack_of(sample);
    if (row_.time) {
      recording_.first = std::min(recording_.first, *row_.time);
      recording_.last = std::max(recording_.last, *row_.time);
      if (profile_.several()) *row_.time -= recording_.first;
    }
    Event& event = profile_.events[row_.event];
    ++event.samples;
    event.count += row_.period;
    ++written_;
    return writer_.row(row_);
  }

  std::uint64_t written() const { return written_; }

 private:
  /// Looks up a name by its address, since names do not move during a pass.
  Strings::Id name_of(std::string_view name) {
    if (const auto known = names_.find(name.data()); known != names_.end()) return known->second;
    return names_[name.data()] = profile_.strings.id(name);
  }
  Strings::Id process_name(std::string_view name) { return name.empty() ? kNone : name_of(name); }

  std::uint32_t location(const Sample& sample, Address at, bool call) {
    const Address instruction{at.value - call, at.kernel};
    locations::RecentRanges::Range& range = locations_.range(sample, instruction);
    if (range.number == range.kNone)
      range.number =
          profile_.stacks.binary_of(range, named_ ? locations_.inner_file(sample, range) : nullptr);
    // A binary has several places of a DSO, if its parts are mapped apart.
    const locations::Location where = locations_.place(sample, instruction);
    return known_.of(where, (range.number + 1) << 1 | std::uint32_t{call}, [&] {
      return profile_.stacks.location({at.value, call, range, range.number, where.code}, [&] {
        return named_ ? locations_.at(sample, instruction).frames : std::span<const Frame>();
      });
    });
  }

  /// Returns the stack of a sample. The kernel's and the user's part each begin with the
  /// interrupted instruction; the other addresses are inside or after calls.
  std::uint32_t stack_of(const Sample& sample) {
    locations_.stack(sample, addresses_);
    if (addresses_.empty()) return kNone;
    const Address own = addresses_[0];
    const std::uint32_t callers = callers_of(sample, own);
    return profile_.stacks.push(callers, location(sample, own, false));
  }

  /// Returns the stack without the first address.
  std::uint32_t callers_of(const Sample& sample, Address own) {
    const auto callers = std::span<const Address>(addresses_).subspan(1);
    std::uint32_t stack = kNone;
    if (callers.empty()) return stack;
    const std::size_t in_calls = locations_.in_calls(), leaf_caller = locations_.leaf_caller();
    const std::uint64_t form =
        std::uint64_t{in_calls} << 32 | std::uint64_t{leaf_caller} << 1 | std::uint64_t{own.kernel};
    if (const auto* known = callers_.find(locations_.whose(sample, form), callers)) return *known;
    for (std::size_t i = addresses_.size() - 1; i > 0; --i) {
      const bool call = addresses_.size() - i > in_calls && i != leaf_caller &&
                        addresses_[i].kernel == addresses_[i - 1].kernel;
      stack = profile_.stacks.push(stack, location(sample, addresses_[i], call));
    }
    callers_.set(stack);
    return stack;
  }

  Profile& profile_;
  Source& recording_;
  Writer& writer_;
  bool named_;
  locations::LocationCache locations_;
  Selection selection_;
  locations::ByLocation<std::uint32_t> known_;   ///< locations, by binary; of calls apart
  locations::ByCallers<std::uint32_t> callers_;  ///< their stacks
  std::vector<Address> addresses_;
  Row row_;
  HashMap<const char*, Strings::Id> names_;  ///< by address
  std::uint64_t written_ = 0;
};

Result<void> check_options(const Profile& profile, const ProfileOptions& options) {
  for (const Source& recording : profile.recordings) {
    if (auto done = options.filter.check(*recording.file); !done) return done;
    if (auto done = perf_data::check_waits(*recording.file, options.pass); !done) return done;
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Profile::facts(const Source& recording) const {
  const perf_format::Features& features = perf_data::features_of(*recording.file);
  std::vector<std::pair<std::string, std::string>> facts = {
      {"recording", recording.file->facts().path},
      {"command", joined(features.command_line, " ")},
      {"host", features.hostname},
      {"kernel", features.os_release},
      {"CPU", features.cpu_desc.empty() ? features.cpuid : features.cpu_desc}};
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

Profile::Profile(std::span<const Recording> files) : stacks(strings) {
  perf_data::DistinctNames names;
  std::map<std::string, int> short_names;
  for (const Recording& file : files) ++short_names[std::string(last_part(file.facts().path))];
  EventList list(*this);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = files[i].facts().path;
    Source& recording = recordings.emplace_back();
    recording.file = &files[i];
    const std::string name(last_part(path));
    recording.name = names.of(short_names[name] > 1 ? path : name);
    for (const RecordedEvent& event : files[i].events())
      recording.events.push_back(list.add(i, event));
  }
}

Result<ProfileTally> walk(Profile& profile, const ProfileOptions& options, Writer& writer) {
  if (auto done = check_options(profile, options); !done) return fail(done);
  ProfileTally tally;
  const Symbols none;
  writer.begin();
  for (std::size_t i = 0; i < profile.recordings.size(); ++i) {
    RowWriter rows(profile, i, options, none, writer);
    PassOptions how = options.pass;
    SampleRange samples = profile.recordings[i].file->samples(how);
    for (const Sample& sample : samples)
      if (!rows.write(sample, samples)) break;
    samples.stop();
    tally.files.push_back(samples.tally());
    if (auto whole = perf_data::unless_cancelled(tally.files.back()); !whole) return fail(whole);
    tally.files.back().selected = rows.written();
    tally.samples += rows.written();
  }
  writer.end();
  return tally;
}

}  // namespace evname::profiles
