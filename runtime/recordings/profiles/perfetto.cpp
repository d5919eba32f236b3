// Traces of Perfetto, written as samples come. Field numbers: protos/perfetto of
// github.com/google/perfetto. Each event of each recording is a sequence of packets, and so a
// separate sampling session, with a counter that describes the event.

#include <map>
#include <utility>
#include <vector>

#include "recordings/profiles/profile.hpp"
#include "recordings/profiles/proto_message.hpp"

namespace evname::profiles {
namespace {

using Tag = protozero::pbf_tag_type;

enum class TraceField : Tag { packet = 1 };
enum class Packet : Tag {
  process_tree = 2,
  timestamp = 8,
  sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  defaults = 59,
  track_descriptor = 60,
  perf_sample = 66,
};
enum class ProcessTree : Tag { processes = 1, threads = 2 };
enum class Process : Tag { pid = 1, cmdline = 3, cmdline_is_comm = 9 };
enum class ProcessThread : Tag { tid = 1, name = 2, tgid = 3 };
enum class TrackDescriptor : Tag { uuid = 1, name = 2, counter = 8, description = 14 };
enum class CounterDescriptor : Tag { unit = 3 };
enum class TrackEvent : Tag { type = 9, track_uuid = 11, counter_value = 30 };
enum class Defaults : Tag { perf_sample = 12 };
enum class PerfSampleDefaults : Tag { timebase = 1 };
enum class Timebase : Tag { period = 1, frequency = 2, raw_event = 5, name = 10 };
enum class RawEvent : Tag { type = 1, config = 2, config1 = 3, config2 = 4, pmu_name = 5 };
enum class PerfSample : Tag {
  cpu = 1,
  pid = 2,
  tid = 3,
  callstack_iid = 4,
  cpu_mode = 5,
  timebase_count = 6,
};
enum class Interned : Tag {
  function_names = 5,
  frames = 6,
  callstacks = 7,
  build_ids = 16,
  mapping_paths = 17,
  source_paths = 18,
  mappings = 19,
};
enum class InternedString : Tag { iid = 1, str = 2 };
enum class Mapping : Tag {
  iid = 1,
  build_id = 2,
  start_offset = 3,
  start = 4,
  end = 5,
  path_string_ids = 7,
  exact_offset = 8,
};
enum class Frame : Tag {
  iid = 1,
  function_name_id = 2,
  mapping_id = 3,
  rel_pc = 4,
  source_path_iid = 5,
  line_number = 6,
};
enum class Callstack : Tag { iid = 1, frame_ids = 2 };

template <class Field>
using TraceMessage = ProtoMessage<Field>;

constexpr std::uint32_t kStateCleared = 1, kNeedsState = 2;  // TracePacket.SequenceFlags
constexpr std::int32_t kTypeCounter = 4;                     // TrackEvent.Type
constexpr std::int32_t kUnitTimeNs = 1, kUnitCount = 2;      // CounterDescriptor.Unit
constexpr std::uint32_t kProcessSequence = 1, kFirstSequence = 2;
constexpr std::uint64_t kFirstTrack = 0x65766e616d65'0000;
constexpr std::uint32_t kPidLimit =
    1 << 22;  // the limit of Linux, so that ids of recordings don't collide

/// A set of numbers that were seen before.
class Seen {
 public:
  /// Adds a number; returns false if it was there.
  bool add(std::size_t number) {
    if (number >= seen_.size()) seen_.resize(number + number / 2 + 1);
    if (seen_[number]) return false;
    return seen_[number] = true;
  }

 private:
  std::vector<bool> seen_;
};

/// An event of a recording.
struct Sequence {
  Seen stacks, locations, functions, sources, binaries;
  std::map<std::uint32_t, std::uint64_t> counts;  ///< of the event by CPU
  std::uint64_t count = 0;
};

class PerfettoWriter final : public Writer {
 public:
  explicit PerfettoWriter(const WriterSetup& setup) : profile_(setup.profile), out_(setup.out) {}

  bool row(const Row& row) override {
    if (row.time) latest_ = *row.time;
    tell_thread(row);
    Sequence& sequence = begun_sequence(row);
    sequence.counts[row.cpu] += row.period;
    sequence.count += row.period;
    if (row.stack != kNone && sequence.stacks.add(row.stack))
      packet(number_of(row), latest_, [&](auto& packet) {
        packet.add_uint32(Packet::sequence_flags, kNeedsState);
        {
          TraceMessage<Interned> data(packet, Packet::interned_data);
          intern_stack(row.stack, sequence, data);
        }
        const ShortMessage<PerfSample> sample = sample_of(row, sequence);
        packet.add_message(Packet::perf_sample, sample.bytes().data(), sample.bytes().size());
      });
    else
      write_packet(row, [&](auto& packet) {
        packet.add(Packet::sequence_flags, kNeedsState);
        packet.add(Packet::perf_sample, sample_of(row, sequence).bytes());
      });
    write_packet(row, [&](auto& packet) {
      ShortMessage<TrackEvent> event;
      event.add(TrackEvent::type, kTypeCounter);
      event.add(TrackEvent::track_uuid, kFirstTrack + number_of(row));
      event.add(TrackEvent::counter_value, sequence.count);
      packet.add(Packet::track_event, event.bytes());
    });
    return out_.wanted();
  }

  void end() override {}

 private:
  std::uint32_t number_of(const Row& row) const {
    return static_cast<std::uint32_t>(kFirstSequence + row.recording * profile_.events.size() +
                                      row.event);
  }

  template <class Fill>
  void packet(std::uint32_t sequence, std::uint64_t time, Fill&& fill) {
    piece_.clear();
    {
      TraceMessage<TraceField> trace(piece_);
      TraceMessage<Packet> packet(trace, TraceField::packet);
      packet.add_uint64(Packet::timestamp, time);
      packet.add_uint32(Packet::sequence_id, sequence);
      fill(packet);
    }
    out_.append(piece_);
  }

  /// Writes a packet of few bytes.
  template <class Fill>
  void write_packet(const Row& row, Fill&& fill) {
    ShortMessage<Packet> packet;
    packet.add(Packet::timestamp, latest_);
    packet.add(Packet::sequence_id, number_of(row));
    fill(packet);
    ShortMessage<TraceField> trace;
    trace.add(TraceField::packet, packet.bytes());
    out_.append(trace.bytes());
  }

  ShortMessage<PerfSample> sample_of(const Row& row, Sequence& sequence) const {
    ShortMessage<PerfSample> sample;
    if (row.cpu != kNone) sample.add(PerfSample::cpu, row.cpu);
    if (row.tid != -1 || row.pid != -1) {
      sample.add(PerfSample::pid, static_cast<std::uint32_t>(own_id(row, row.pid)));
      sample.add(PerfSample::tid, static_cast<std::uint32_t>(own_id(row, row.tid)));
    }
    if (row.stack != kNone) sample.add(PerfSample::callstack_iid, std::uint64_t{row.stack} + 1);
    sample.add(PerfSample::cpu_mode, row.mode);
    sample.add(PerfSample::timebase_count, sequence.counts[row.cpu]);
    return sample;
  }

  /// The id of a thread or process, unique among all recordings.
  static std::int32_t own_id(const Row& row, std::int32_t id) {
    const std::uint32_t apart = row.recording % 512 * kPidLimit;
    return id > 0 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(id) + apart) : id;
  }

  std::string prefix(const Row& row) const {
    return profile_.several() ? profile_.recordings[row.recording].name + ": " : "";
  }

  /// Names a thread when it first appears and when its name changes.
  void tell_thread(const Row& row) {
    if (row.tid == -1 && row.pid == -1) return;
    const auto [at, is_new] = comms_.try_emplace({row.recording, row.tid}, row.comm);
    if (!is_new && std::exchange(at->second, row.comm) == row.comm) return;
    const std::string& comm = profile_.strings[row.comm];
    const Strings::Id process_name = row.process != kNone ? row.process : row.comm;
    const auto [told, is_new_process] =
        processes_.try_emplace({row.recording, row.pid}, process_name);
    const bool is_renamed = row.process != kNone && told->second != process_name;
    if (is_renamed) told->second = process_name;
    packet(kProcessSequence, latest_, [&](auto& packet) {
      TraceMessage<ProcessTree> tree(packet, Packet::process_tree);
      if (is_new_process || is_renamed) {
        TraceMessage<Process> process(tree, ProcessTree::processes);
        process.add_int32(Process::pid, own_id(row, row.pid));
        process.add_string(Process::cmdline, utf8(prefix(row) + profile_.strings[process_name]));
        process.add_bool(Process::cmdline_is_comm, true);
      }
      TraceMessage<ProcessThread> thread(tree, ProcessTree::threads);
      thread.add_int32(ProcessThread::tid, own_id(row, row.tid));
      thread.add_int32(ProcessThread::tgid, own_id(row, row.pid));
      thread.add_string(ProcessThread::name, comm);
    });
  }

  Sequence& begun_sequence(const Row& row) {
    const auto [at, is_new] = sequences_.try_emplace(number_of(row));
    if (is_new) {
      describe_event(row);
      describe_counter(row);
    }
    return at->second;
  }

  void describe_event(const Row& row) {
    const Source& recording = profile_.recordings[row.recording];
    const auto found = std::find(recording.events.begin(), recording.events.end(), row.event);
    const auto index = static_cast<std::size_t>(found - recording.events.begin());
    const RecordedEvent& event = recording.file->events()[index];
    const perf_format::Attr& attr = recording.file->attr(index);
    packet(number_of(row), latest_, [&](auto& packet) {
      packet.add_uint32(Packet::sequence_flags, kStateCleared);
      TraceMessage<Defaults> defaults(packet, Packet::defaults);
      TraceMessage<PerfSampleDefaults> samples(defaults, Defaults::perf_sample);
      TraceMessage<Timebase> timebase(samples, PerfSampleDefaults::timebase);
      timebase.add_uint64(attr.has(perf_format::kFreq) ? Timebase::frequency : Timebase::period,
                          attr.sample_period);
      {
        TraceMessage<RawEvent> raw(timebase, Timebase::raw_event);
        raw.add_uint32(RawEvent::type, event.code.type);
        raw.add_uint64(RawEvent::config, event.code.config[0]);
        raw.add_uint64(RawEvent::config1, event.code.config[1]);
        raw.add_uint64(RawEvent::config2, event.code.config[2]);
        raw.add_string(RawEvent::pmu_name, utf8(event.pmu));
      }
      timebase.add_string(Timebase::name, utf8(prefix(row) + profile_.events[row.event].label));
    });
  }

  void describe_counter(const Row& row) {
    const Event& event = profile_.events[row.event];
    packet(number_of(row), latest_, [&](auto& packet) {
      TraceMessage<TrackDescriptor> track(packet, Packet::track_descriptor);
      track.add_uint64(TrackDescriptor::uuid, kFirstTrack + number_of(row));
      track.add_string(TrackDescriptor::name, utf8(prefix(row) + event.label));
      {
        TraceMessage<CounterDescriptor> counter(track, TrackDescriptor::counter);
        counter.add_int32(CounterDescriptor::unit, event.is_time ? kUnitTimeNs : kUnitCount);
      }
      track.add_string(TrackDescriptor::description, utf8(event.about));
    });
  }

  // A sequence defines its references before or in the same packet.

  void intern_stack(std::uint32_t stack, Sequence& sequence, TraceMessage<Interned>& data) {
    profile_.stacks.locations_of(stack, locations_);
    frames_.clear();
    for (auto at = locations_.rbegin(); at != locations_.rend(); ++at) {
      const std::size_t lines = profile_.stacks.locations()[*at].lines.size();
      if (sequence.locations.add(*at)) intern_location(*at, sequence, data);
      for (std::size_t line = lines; line-- > 0;) frames_.push_back(frame_id(*at, line));
    }
    TraceMessage<Callstack> callstack(data, Interned::callstacks);
    callstack.add_uint64(Callstack::iid, stack + 1);
    for (const std::uint64_t frame : frames_) callstack.add_uint64(Callstack::frame_ids, frame);
  }

  static std::uint64_t frame_id(std::uint32_t location, std::size_t line) {
    return (std::uint64_t{location} << 16 | line) + 1;
  }

  void intern_location(std::uint32_t index, Sequence& sequence, TraceMessage<Interned>& data) {
    const Location& location = profile_.stacks.locations()[index];
    const bool mapped = location.binary != kNone;
    if (sequence.binaries.add(mapping_id(location.binary))) intern_binary(location.binary, data);
    for (std::size_t i = 0; i < location.lines.size(); ++i) {
      const Location::Line& line = location.lines[i];
      const Function& function = profile_.stacks.functions()[line.function];
      const std::string& source = profile_.strings[function.source];
      if (sequence.functions.add(line.function))
        intern_string(data, Interned::function_names, line.function + 1,
                      profile_.strings[function.name]);
      if (!source.empty() && sequence.sources.add(function.source))
        intern_string(data, Interned::source_paths, function.source + 1, source);
      TraceMessage<Frame> frame(data, Interned::frames);
      frame.add_uint64(Frame::iid, frame_id(index, i));
      frame.add_uint64(Frame::function_name_id, line.function + 1);
      frame.add_uint64(Frame::mapping_id, mapping_id(location.binary));
      frame.add_uint64(
          Frame::rel_pc,
          mapped ? profile_.stacks.binaries()[location.binary].file_offset(location.address)
                 : location.address);
      if (!source.empty()) frame.add_uint64(Frame::source_path_iid, function.source + 1);
      if (line.line != 0) frame.add_uint32(Frame::line_number, line.line);
    }
  }

  /// The first one is for addresses without a known mapping.
  static std::uint64_t mapping_id(std::uint32_t binary) {
    return binary == kNone ? 1 : std::uint64_t{binary} + 2;
  }

  void intern_binary(std::uint32_t index, TraceMessage<Interned>& data) {
    const std::uint64_t id = mapping_id(index);
    Binary unknown;
    unknown.file = "[unknown]";
    const Binary& part = index == kNone ? unknown : profile_.stacks.binaries()[index];
    intern_string(data, Interned::mapping_paths, id, utf8(part.file));
    if (!part.build_id.empty())
      intern_string(data, Interned::build_ids, id,
                    {reinterpret_cast<const char*>(part.build_id.data()), part.build_id.size()});
    TraceMessage<Mapping> mapping(data, Interned::mappings);
    mapping.add_uint64(Mapping::iid, id);
    if (!part.build_id.empty()) mapping.add_uint64(Mapping::build_id, id);
    mapping.add_uint64(Mapping::exact_offset, part.offset);
    mapping.add_uint64(Mapping::start_offset, part.offset);
    mapping.add_uint64(Mapping::start, part.start);
    mapping.add_uint64(Mapping::end, part.end);
    mapping.add_uint64(Mapping::path_string_ids, id);
  }

  static void intern_string(TraceMessage<Interned>& data, Interned field, std::uint64_t id,
                            const std::string& text) {
    TraceMessage<InternedString> string(data, field);
    string.add_uint64(InternedString::iid, id);
    string.add_bytes(InternedString::str, text);
  }

  static std::string utf8(const std::string& text) {
    std::string clean;
    append_utf8(clean, text);
    return clean;
  }

  Profile& profile_;
  Output& out_;
  std::uint64_t latest_ = 0;  ///< time of samples without one
  std::map<std::uint32_t, Sequence> sequences_;
  std::map<std::pair<std::uint32_t, std::int32_t>, Strings::Id> comms_;
  std::map<std::pair<std::uint32_t, std::int32_t>, Strings::Id> processes_;  ///< their names
  std::string piece_;
  std::vector<std::uint32_t> locations_;
  std::vector<std::uint64_t> frames_;
};

}  // namespace

std::unique_ptr<Writer> make_perfetto_writer(const WriterSetup& setup) {
  return std::make_unique<PerfettoWriter>(setup);
}

}  // namespace evname::profiles
