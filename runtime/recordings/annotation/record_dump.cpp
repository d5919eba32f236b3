#include "recordings/annotation/record_dump.hpp"

#include <algorithm>
#include <bit>

#include "perf_format/file_header.hpp"
#include "perf_format/scheduler_records.hpp"
#include "perf_format/typed_records.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;
using perf_format::Record;
using Typed = evname::Record;

// The formats follow dump_event, perf_event__fprintf_* and the stubs of tools/perf/util/session.c,
// event.c, header.c and tool.c; the layouts are in tools/lib/perf/include/perf/event.h.

void write_nothing(Cursor, const Record&, Output&) {}
void write_line_end(Cursor, const Record&, Output& out) { out.put('\n'); }

void write_ids(Cursor in, const Record&, Output& out) {
  constexpr std::uint64_t kEntry = 32, kGuest = 16;
  const std::uint64_t count = in.u64();
  const Bytes entries = in.array(count, kEntry);
  out.format(" nr: {}\n", count);
  if (!in.ok()) return;
  const bool has_guests = count > 0 && in.remaining() / kGuest >= count;
  for (Cursor entry(entries, in.order()); entry.remaining() > 0;) {
    const std::uint64_t id = entry.u64(), index = entry.u64();
    const auto cpu = static_cast<std::int64_t>(entry.u64());
    const auto tid = static_cast<std::int64_t>(entry.u64());
    out.format(" ... id: {}  idx: {}  cpu: {}  tid: {}", id, index, cpu, tid);
    const auto pid = static_cast<std::int64_t>(in.u64());
    const std::uint64_t vcpu = in.u64();
    if (has_guests) out.format("  machine_pid: {}  vcpu: {}", pid, vcpu);
    out.put('\n');
  }
}

void write_threads(Cursor in, const Record&, Output& out) {
  constexpr std::uint64_t kName = 16;
  const std::uint64_t count = std::min<std::uint64_t>(in.u64(), in.remaining() / (8 + kName));
  out.format(" nr: {} thread{}: ", count, count > 1 ? "s" : "");
  for (std::uint64_t i = 0; i < count; ++i, in.skip(kName))
    out.format("{}{}", i > 0 ? ", " : "", static_cast<std::int32_t>(in.u64()));
  out.put('\n');
}

/// Writes numbers, which come in order, as ranges.
class RangeText {
 public:
  explicit RangeText(Output& out) : out_(out) {}
  void add(std::int32_t number) {
    if (is_open_ && number == last_ + 1) {
      last_ = number;
      return;
    }
    end();
    first_ = last_ = number;
    is_open_ = true;
  }
  void end() {
    if (!is_open_) return;
    out_.format("{}{}", is_first_ ? "" : ",", first_);
    if (last_ != first_) out_.format("-{}", last_);
    is_first_ = is_open_ = false;
  }

 private:
  Output& out_;
  std::int32_t first_ = 0, last_ = 0;
  bool is_open_ = false, is_first_ = true;
};

void add_masked(Cursor& in, RangeText& out) {
  const std::uint16_t count = in.u16(), word_bytes = in.u16();
  if (word_bytes == 8) in.skip(4);
  for (std::int32_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t word = word_bytes == 8 ? in.u64() : in.u32();
    const auto bits = word_bytes * 8;
    for (std::int32_t bit = 0; bit < std::min(bits, 64) && in.ok(); ++bit)
      if (word >> bit & 1) out.add(i * bits + bit);
  }
}

/// Writes the CPUs of a perf_record_cpu_map_data.
void write_cpu_ranges(Cursor in, Output& out) {
  enum : std::uint16_t { kList, kMask, kRange };
  RangeText ranges(out);
  const std::uint16_t kind = in.u16();
  if (kind == kMask) {
    add_masked(in, ranges);
  } else if (kind == kList) {
    const std::uint16_t count = in.u16();
    for (std::uint16_t i = 0; i < count && in.remaining() > 1; ++i)
      ranges.add(static_cast<std::int16_t>(in.u16()));
  } else if (kind == kRange) {
    if (in.u8() != 0) ranges.add(-1);  // any CPU
    in.skip(1);
    const std::uint16_t first = in.u16(), last = in.u16();
    for (std::int32_t cpu = first; cpu <= last && in.ok(); ++cpu) ranges.add(cpu);
  }
  ranges.end();
  out.put('\n');
}

void write_cpus(Cursor in, const Record&, Output& out) {
  out.text(": ");
  write_cpu_ranges(in, out);
}

void write_update(Cursor in, const Record&, Output& out) {
  enum : std::uint64_t { kUnit, kScale, kName, kCpus };
  const std::uint64_t kind = in.u64(), id = in.u64();
  out.format("\n... id:    {}\n", id);
  if (kind == kUnit || kind == kName)
    out.format("... {}:  {}\n", kind == kUnit ? "unit" : "name", in.text(in.remaining()));
  else if (kind == kScale)
    out.format("... scale: {:f}\n", std::bit_cast<double>(in.u64()));
  else if (kind == kCpus)
    out.text("... "), write_cpu_ranges(in, out);
  else
    out.text("... unknown type\n");
}

void write_clock(Cursor in, const Record&, Output& out) {
  const std::uint64_t shift = in.u64(), factor = in.u64(), zero = in.u64();
  out.format("\n... Time Shift      {}\n... Time Multiplier {}\n... Time Zero       {}\n", shift,
             factor, zero);
  const std::uint64_t cycles = in.u64(), mask = in.u64();
  const unsigned has_zero = in.u8(), is_short = in.u8();
  if (in.ok())
    out.format(
        "... Time Cycles     {}\n... Time Mask       {}\n... Cap Time Zero   {}\n"
        "... Cap Time Short  {}\n",
        cycles, number_text(mask), has_zero, is_short);
}

void write_stat_config(Cursor in, const Record&, Output& out) {
  std::uint64_t values[3] = {};  // of aggr_mode, interval and scale
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.remaining() >= 16; ++i) {
    const std::uint64_t tag = in.u64(), value = in.u64();
    if (tag < std::size(values)) values[tag] = value;
  }
  out.format("\n... aggr_mode {}\n... scale     {}\n... interval  {}\n",
             static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[2]),
             static_cast<std::uint32_t>(values[1]));
}

void write_count(Cursor in, const Record&, Output& out) {
  const std::uint64_t id = in.u64();
  const auto cpu = static_cast<std::int32_t>(in.u32()),
             thread = static_cast<std::int32_t>(in.u32());
  const std::uint64_t value = in.u64(), enabled = in.u64(), running = in.u64();
  out.format("\n... id {}, cpu {}, thread {}\n... value {}, enabled {}, running {}\n", id, cpu,
             thread, value, enabled, running);
}

void write_round(Cursor in, const Record&, Output& out) {
  constexpr std::uint64_t kFinal = 1;
  const std::uint64_t kind = in.u64(), time = in.u64();
  out.format("\n... time {}, type {}\n", time, kind == kFinal ? "FINAL" : "INTERVAL");
}

void write_scheduler(Cursor in, const Record& record, Output& out) {
  const SchedulerStatistics one = read_scheduler_record(record, in.order());
  if (one.domain)
    out.format("\ndomain{} ", *one.domain);
  else
    out.format("\ncpu{} ", one.cpu);
  for (const auto& [name, count] : one.counts) out.format("{} ", count);
  if (one.counts.empty()) out.format("Unsupported /proc/schedstat version {}.\n", one.version);
}

void write(const Typed::Aux& aux, Output& out) {
  const auto flag = [&](std::uint64_t bit, const char* letter) {
    return aux.flags & bit ? letter : "";
  };
  out.format(" offset: {} size: {} flags: {} [{}{}{}{}]\n", number_text(aux.offset),
             number_text(aux.size), number_text(aux.flags), flag(kAuxTruncated, "T"),
             flag(kAuxOverwritten, "O"), flag(kAuxPartial, "P"), flag(kAuxCollision, "C"));
}

void write(const Typed::ItraceStart& start, Output& out) {
  out.format(" pid: {} tid: {}\n", static_cast<std::uint32_t>(start.pid),
             static_cast<std::uint32_t>(start.tid));
}

void write(const Typed::AuxOutputHwId& id, Output& out) {
  out.format(" hw_id: {}\n", number_text(id.hw_id));
}

void write(const Typed::Lost& lost, Output& out) {
  out.format(": id:{}: lost:{}\n", lost.id, lost.lost);
}

void write(const Typed::AuxtraceInfo& info, Output& out) { out.format(" type: {}\n", info.kind); }

void write(const Typed::Auxtrace& trace, Output& out) {
  out.format(" size: {}  offset: {}  ref: {}  idx: {}  tid: {}  cpu: {}\n", number_text(trace.size),
             number_text(trace.offset), number_text(trace.reference), trace.index, trace.tid,
             trace.cpu);
}

void write(const Typed::AuxtraceError& error, Output& out) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  out.format(" {} error type {}", error.kind == 1 ? "instruction trace" : "unknown AUX",
             error.kind);
  if (error.time != 0)
    out.format(" time {}.{:09}", error.time / kSecond, error.time % kSecond);
  else
    out.text(" time 0");
  out.format(" cpu {} pid {} tid {} ip {} code {}: {}\n", error.cpu, error.pid, error.tid,
             number_text(error.address), error.code, error.message);
}

/// Writes the content of a record that has one of the public kinds.
template <class T>
void write_typed(Cursor in, const Record& record, Output& out) {
  const Typed::Content content = content_of(record, in.order());
  if (const T* one = std::get_if<T>(&content))
    write(*one, out);
  else
    out.put('\n');
}

/// Subcommands of perf, as bits.
enum : std::uint8_t { kNeither = 0, kScript = 1, kReport = 2, kBoth = 3 };

/// A type of records with an own text: who prints it, and who does nothing with the record and
/// says so. The text of all other types is of write_record_text().
struct DumpRow {
  std::uint32_t type;
  std::uint8_t printed, unhandled;
  void (*write)(Cursor in, const Record& record, Output& out) = write_nothing;
};

constexpr DumpRow kDumpRows[] = {
    {kRecordLost, kBoth, kNeither, write_typed<Typed::Lost>},
    {kRecordThrottle, kNeither, kReport},
    {kRecordUnthrottle, kNeither, kReport},
    {kRecordRead, kNeither, kScript},
    {kRecordAux, kBoth, kNeither, write_typed<Typed::Aux>},
    {kRecordItraceStart, kBoth, kNeither, write_typed<Typed::ItraceStart>},
    {kRecordAuxOutputHwId, kBoth, kNeither, write_typed<Typed::AuxOutputHwId>},
    {kRecordCallchainDeferred, kNeither, kReport},
    {kRecordAttr, kNeither, kNeither},
    {kRecordEventType, kNeither, kNeither},
    {kRecordTracingData, kNeither, kNeither},
    {kRecordBuildId, kNeither, kNeither},
    {kRecordFinishedRound, kBoth, kNeither, write_line_end},
    {kRecordIdIndex, kBoth, kNeither, write_ids},
    {kRecordAuxtraceInfo, kBoth, kNeither, write_typed<Typed::AuxtraceInfo>},
    {kRecordAuxtrace, kBoth, kNeither, write_typed<Typed::Auxtrace>},
    {kRecordAuxtraceError, kScript, kReport, write_typed<Typed::AuxtraceError>},
    {kRecordThreadMap, kBoth, kReport, write_threads},
    {kRecordCpuMap, kBoth, kReport, write_cpus},
    {kRecordStatConfig, kReport, kReport, write_stat_config},
    {kRecordStat, kReport, kReport, write_count},
    {kRecordStatRound, kReport, kReport, write_round},
    {kRecordEventUpdate, kBoth, kNeither, write_update},
    {kRecordTimeConv, kBoth, kBoth, write_clock},
    {kRecordFeature, kNeither, kNeither},
    {kRecordFinishedInit, kNeither, kBoth},
    {kRecordSchedstatCpu, kBoth, kBoth, write_scheduler},
    {kRecordSchedstatDomain, kBoth, kBoth, write_scheduler},
};
constexpr DumpRow kOther = {0, kNeither, kNeither};

}  // namespace

RecordDump::RecordDump(const Recording& file, const DumpOptions& options, FieldContext& context,
                       Output& out)
    : state_(detail::state_of(file)),
      options_(options),
      context_(context),
      out_(out),
      is_pipe_(file.facts().form == FileFacts::Form::pipe),
      path_(is_pipe_ ? "pipe" : file.facts().path),
      events_(is_pipe_ ? 0 : state_.file.events.recorded()) {}

void RecordDump::write(session::RecordCursor& cursor) {
  if (cursor.is_sample() && options_.counts)
    EventCounts::add(options_.counts->samples, state_.file.events.index_of(*cursor.sample().event),
                     1);
  if (cursor.is_sample() && !cursor.is_first_of_record()) return write_thread(cursor);
  Record whole = cursor.record();
  read_record(cursor.record().bytes.data(), state_.file.header.order, whole);
  if (is_pipe_) whole.offset -= std::min<std::uint64_t>(whole.offset, kPipeHeader);
  write_place(whole);
  write_bytes(whole);
  write_identity(cursor);
  out_.format("{} [{}]: PERF_RECORD_{}", number_text(whole.offset), number_text(whole.bytes.size()),
              perf_format::record_name(whole.type));
  write_content(cursor);
}

/// Returns the file that a record is in, of a directory the one inside.
std::string RecordDump::path_of(const Record& record) const {
  const auto& streams = state_.file.streams;
  if (streams.size() == 1) return path_;
  std::string_view name = "data";
  for (const stream::Stream& stream : streams)
    if (!stream.name.empty() && record.bytes.data() >= stream.bytes.data() &&
        record.bytes.data() < stream.bytes.data() + stream.bytes.size())
      name = stream.name;
  return fmt::format("{}/{}", path_, name);
}

void RecordDump::write_place(const Record& whole) {
  const std::size_t start = out_.size();
  out_.format("\n{}@{} [{}]: event: {}", number_text(whole.offset), path_of(whole),
              number_text(whole.bytes.size()), whole.type);
  if (context_.printable) out_.make_printable(start + 1);
  out_.put('\n');
}

void RecordDump::write_bytes(const Record& whole) {
  constexpr std::size_t kLine = 16;
  const Bytes bytes = whole.bytes;
  out_.format(".\n. ... raw event: size {} bytes\n", bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += kLine) {
    const Bytes line = bytes.subspan(at, std::min(kLine, bytes.size() - at));
    out_.text(".  ");
    out_.hex_zeros(at, 4);
    out_.text(": ");
    for (const std::uint8_t byte : line) {
      out_.put(' ');
      out_.hex_zeros(byte, 2);
    }
    out_.left("", 3 * (kLine - line.size()) + 2);
    for (const std::uint8_t byte : line)
      out_.put(byte >= ' ' && byte < 0x7f ? static_cast<char>(byte) : '.');
    out_.left("", kLine - line.size());
    out_.put('\n');
  }
  out_.put('\n');
}

// evlist__print_tstamp of tools/perf/util/session.c. perf's own records have zeros.
void RecordDump::write_identity(session::RecordCursor& cursor) {
  const auto& events = state_.file.events.list();
  const bool is_own = cursor.record().type >= kRecordUserFirst;
  if (!cursor.is_sample() && (events_ == 0 || !events[0].attr.has(kSampleIdAll)))
    return out_.text("-1 -1 ");
  std::uint64_t sampled = 0;
  for (std::size_t i = 0; i < events_ && i < events.size(); ++i)
    sampled |= events[i].attr.sample_type;
  std::uint32_t cpu = is_own ? 0 : UINT32_MAX;
  std::uint64_t time = is_own ? 0 : UINT64_MAX;
  if (cursor.is_sample()) {
    cpu = cursor.sample().cpu;
    time = cursor.sample().time;
  } else if (const Event* event = cursor.event_of_other()) {
    Typed identity;
    read_identity(cursor.trailer(), *event, state_.file.header.order, identity);
    cpu = identity.cpu.value_or(cpu);
    time = identity.time.value_or(time);
  }
  if (sampled & kSampleCpu) out_.format("{} ", cpu);
  if (sampled & kSampleTime) out_.format("{} ", time);
}

void RecordDump::write_content(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  if (cursor.is_sample()) return write_sample(cursor);
  const std::size_t start = out_.size();
  const std::endian order = state_.file.header.order;
  const auto* found = std::ranges::find(kDumpRows, record.type, &DumpRow::type);
  const std::uint8_t asked = options_.is_of_report ? kReport : kScript;
  if (found == std::end(kDumpRows))
    write_other(cursor);
  else if (found->printed & asked)
    found->write(Cursor(record.body(), order), record, out_);
  else
    write_named(cursor);
  if (found == std::end(kDumpRows) ? record.type == kRecordBpfMetadata : found->unhandled & asked)
    out_.text(": unhandled!\n");
  if (context_.printable) out_.make_printable(start, true);
}

/// Writes a record whose text perf script also prints without -D, or one of an unknown type.
void RecordDump::write_other(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  if (record.type == kRecordLostSamples) return write_loss(cursor);
  write_record_text(record, state_.file.header.order, context_.printable, out_);
  out_.put('\n');
}

/// Writes the parts of a record that depend on the recording.
void RecordDump::write_named(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  const std::endian order = state_.file.header.order;
  if (record.type == kRecordAttr) out_.text(options_.attr_text(events_++));
  constexpr std::size_t kNumber = 8;  // all that the last FEATURE has
  if (record.type == kRecordFeature && record.body().size() > kNumber)
    out_.text(options_.feature_text(Cursor(record.body(), order).u64()));
  if (record.type == kRecordRead) write_counter(cursor);
  if (record.type != kRecordCallchainDeferred) return;
  const Typed::Content content = content_of(record, order);
  const auto* const part = std::get_if<Typed::CallchainDeferred>(&content);
  if (!part || !cursor.event_of_other()) return;
  Typed identity;
  read_identity(cursor.trailer(), *cursor.event_of_other(), order, identity);
  out_.format("(IP, 0x{:x}): {}/{}: {}\n", record.misc, identity.pid.value_or(-1),
              identity.tid.value_or(-1), number_text(part->cookie));
  dump_chain(part->callchain, out_);
}

void RecordDump::write_loss(session::RecordCursor& cursor) {
  Typed identity;
  const auto lost = read_as<Typed::LostSamples>(cursor.record(), state_.file.header.order);
  if (const Event* event = cursor.event_of_other())
    read_identity(cursor.trailer(), *event, state_.file.header.order, identity);
  if (const Event* event = cursor.event_of_other(); lost && event && options_.counts)
    EventCounts::add(options_.counts->lost, state_.file.events.index_of(*event), lost->lost);
  if (lost)
    out_.format(": id:{}: lost samples :{}{}\n", identity.id.value_or(UINT64_MAX), lost->lost,
                lost->by_bpf ? " (BPF)" : "");
}

void RecordDump::write_counter(session::RecordCursor& cursor) {
  constexpr std::pair<std::uint64_t, const char*> kMore[] = {{kReadTimeEnabled, "time enabled"},
                                                             {kReadTimeRunning, "time running"},
                                                             {kReadId, "id          "},
                                                             {kReadLost, "lost        "}};
  const Event* event = cursor.event_of_other();
  const Typed::Content content = content_of(cursor.record(), state_.file.header.order);
  const auto* const read = std::get_if<Typed::Read>(&content);
  if (!event || !read || read->values.empty()) return;
  out_.format(": {} {} {} {}\n", read->pid, read->tid,
              context_.names[state_.file.events.index_of(*event)], read->values[0]);
  std::size_t next = 1;
  for (const auto& [bit, name] : kMore)
    if (event->attr.read_format & bit && next < read->values.size())
      out_.format("... {} : {}\n", name, read->values[next++]);
}

/// Writes the sample as recorded: without the second part of its callchain, or one of its values
/// as period.
void RecordDump::write_sample(session::RecordCursor& cursor) {
  const std::endian order = state_.file.header.order;
  const Event& event = *state_.file.events.of_sample(cursor.record(), order);
  sample_.record = cursor.record();
  perf_format::parse_sample(event, order, sample_);
  dump_sample(detail::sample_of(state_, sample_, cursor.maps(), cursor.comm(), {}), context_.arch,
              order, out_);
  write_thread(cursor);
}

void RecordDump::write_thread(session::RecordCursor& cursor) {
  const Sample sample = detail::sample_at(state_, cursor);
  const session::Dso* dso =
      context_.locations->range(sample, perf_data::instruction_of(sample)).dso;
  const std::size_t start = out_.size();
  out_.format(" ... thread: {}:{}\n ...... dso: {}", cursor.comm(), sample_.tid,
              !dso                                  ? "<not found>"
              : symbols::is_kernel_image(dso->name) ? dso->shown_name()
                                                    : std::string_view(dso->name));
  if (context_.printable) out_.make_printable(start, true);
  out_.end_line();
}

}  // namespace evname::annotation
