#include "recordings/annotation/record_lines.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "perf_format/features.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;

// The formats follow perf_event__fprintf and its callees in tools/perf/util/event.c; the layouts
// are in include/uapi/linux/perf_event.h.

/// Writes a number as C's "%#x" does: 0 has no prefix.
void write_hex(std::uint64_t value, Output& out) {
  if (value != 0) out.text("0x");
  out.hex(value);
}

void write_pair(std::int32_t first, char between, std::int32_t second, Output& out) {
  out.decimal(first);
  out.put(between);
  out.decimal(second);
}

std::int32_t read_int(Cursor& in) { return static_cast<std::int32_t>(in.u32()); }

std::string_view rest_of(Cursor& in) { return in.text(in.remaining()); }

/// Writes " PID/TID: [START(LENGTH) @ OFFSET".
void write_range(Cursor& in, Output& out) {
  const std::int32_t pid = read_int(in), tid = read_int(in);
  const std::uint64_t start = in.u64(), length = in.u64(), offset = in.u64();
  out.put(' ');
  write_pair(pid, '/', tid, out);
  out.text(": [");
  write_hex(start, out);
  out.put('(');
  write_hex(length, out);
  out.text(") @ ");
  write_hex(offset, out);
}

void write_mmap(Cursor& in, const Record& record, Output& out) {
  write_range(in, out);
  out.text(record.misc & kMiscMmapData ? "]: r " : "]: x ");
  out.text(rest_of(in));
}

void write_two_digits(std::uint32_t value, Output& out) {
  if (value < 16) out.put('0');
  out.hex(value);
}

/// Writes the device, inode and generation of a file, or its build id.
void write_file_id(Cursor& in, bool is_build_id, Output& out) {
  out.put(' ');
  if (!is_build_id) {
    const std::uint32_t major = in.u32(), minor = in.u32();
    write_two_digits(major, out);
    out.put(':');
    write_two_digits(minor, out);
    for (int i = 0; i < 2; ++i) {
      out.put(' ');
      out.decimal(in.u64());
    }
    return;
  }
  constexpr std::size_t kSpace = 20;
  const std::size_t size = std::min<std::size_t>(in.u8(), kSpace);
  in.skip(3);
  const Bytes id = in.bytes(kSpace);
  out.put('<');
  for (std::size_t i = 0; i < std::min(size, id.size()); ++i) write_two_digits(id[i], out);
  out.put('>');
}

void write_mmap2(Cursor& in, const Record& record, Output& out) {
  write_range(in, out);
  write_file_id(in, record.misc & kMiscMmapBuildId, out);
  const std::uint32_t protection = in.u32(), flags = in.u32();
  out.text("]: ");
  out.put(protection & 1 ? 'r' : '-');
  out.put(protection & 2 ? 'w' : '-');
  out.put(protection & 4 ? 'x' : '-');
  out.put(flags & 1 ? 's' : 'p');
  out.put(' ');
  out.text(rest_of(in));
}

void write_comm(Cursor& in, const Record& record, Output& out) {
  const std::int32_t pid = read_int(in), tid = read_int(in);
  out.text(record.misc & kMiscCommExec ? " exec: " : ": ");
  out.text(rest_of(in));
  out.put(':');
  write_pair(pid, '/', tid, out);
}

void write_task(Cursor& in, const Record&, Output& out) {
  const std::int32_t pid = read_int(in), parent = read_int(in);
  const std::int32_t tid = read_int(in), parent_thread = read_int(in);
  out.put('(');
  write_pair(pid, ':', tid, out);
  out.text("):(");
  write_pair(parent, ':', parent_thread, out);
  out.put(')');
}

void write_lost(Cursor& in, const Record&, Output& out) {
  in.skip(8);
  out.text(" lost ");
  out.decimal(in.u64());
}

void write_switch(Cursor& in, const Record& record, Output& out) {
  const bool is_out = record.misc & kMiscSwitchOut, preempted = record.misc & kMiscSwitchPreempted;
  out.text(!is_out ? " IN         " : preempted ? " OUT preempt" : " OUT        ");
  if (record.type != kRecordSwitchCpuWide) return;
  const std::int32_t pid = read_int(in), tid = read_int(in);
  out.text(is_out ? "  next pid/tid: " : "  prev pid/tid: ");
  out.decimal(pid, 5);
  out.put('/');
  const std::size_t start = out.size();
  out.decimal(tid);
  out.right("", 5 - std::min<std::size_t>(out.size() - start, 5));
}

void write_namespaces(Cursor& in, const Record&, Output& out) {
  constexpr std::array<std::string_view, 7> kNames = {"net",  "uts", "ipc",   "pid",
                                                      "user", "mnt", "cgroup"};
  const std::int32_t pid = read_int(in), tid = read_int(in);
  const std::uint64_t count = std::min<std::uint64_t>(in.u64(), in.remaining() / 16);
  out.put(' ');
  write_pair(pid, '/', tid, out);
  out.text(" - nr_namespaces: ");
  out.decimal(count);
  out.text("\n\t\t[");
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) out.text(i % 4 == 0 ? ", \n\t\t " : ", ");
    out.decimal(i);
    out.put('/');
    out.text(i < kNames.size() ? kNames[i] : "unknown");
    out.text(": ");
    out.decimal(in.u64());
    out.put('/');
    write_hex(in.u64(), out);
  }
  out.put(']');
}

void write_cgroup(Cursor& in, const Record&, Output& out) {
  out.text(" cgroup: ");
  out.decimal(in.u64());
  out.put(' ');
  out.text(rest_of(in));
}

void write_ksymbol(Cursor& in, const Record&, Output& out) {
  const std::uint64_t address = in.u64();
  const std::uint32_t length = in.u32();
  const std::uint16_t type = in.u16(), flags = in.u16();
  out.text(" addr ");
  out.hex(address);
  out.text(" len ");
  out.decimal(length);
  out.text(" type ");
  out.decimal(type);
  out.text(" flags 0x");
  out.hex(flags);
  out.text(" name ");
  out.text(rest_of(in));
}

void write_bpf_event(Cursor& in, const Record&, Output& out) {
  const std::uint16_t type = in.u16(), flags = in.u16();
  out.text(" type ");
  out.decimal(type);
  out.text(", flags ");
  out.decimal(flags);
  out.text(", id ");
  out.decimal(in.u32());
}

void write_bpf_program(Cursor& in, const Record&, Output& out) {
  out.text(" prog ");
  out.text(in.text(kBpfProgramBytes));
}

/// Writes a line for each variable of the program.
void write_bpf_variables(Cursor& in, bool printable, Output& out) {
  constexpr std::size_t kKeyWidth = 20;
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    out.text("\n  entry ");
    out.decimal(i);
    out.text(": ");
    const std::size_t start = out.size();
    out.right(in.text(kBpfKeyBytes), kKeyWidth);
    out.text(" = ");
    out.text(in.text(kBpfValueBytes));
    if (printable) out.make_printable(start);
  }
}

/// A type of records: its option, the thread at the beginning of its line if the event has no
/// sample_id_all, and its format.
struct LineRow {
  std::uint32_t type;
  bool OtherRecords::*wanted;
  bool names_thread;  ///< the record begins with the thread
  void (*write)(Cursor& in, const Record& record, Output& out);
  /// Writes the lines after the first; nullptr: there are none.
  void (*write_more)(Cursor& in, bool printable, Output& out) = nullptr;
};

constexpr LineRow kLines[] = {
    {kRecordMmap, &OtherRecords::mmaps, true, write_mmap},
    {kRecordMmap2, &OtherRecords::mmaps, true, write_mmap2},
    {kRecordComm, &OtherRecords::tasks, true, write_comm},
    {kRecordFork, &OtherRecords::tasks, true, write_task},
    {kRecordExit, &OtherRecords::tasks, true, write_task},
    {kRecordSwitch, &OtherRecords::switches, false, write_switch},
    {kRecordSwitchCpuWide, &OtherRecords::switches, false, write_switch},
    {kRecordNamespaces, &OtherRecords::namespaces, true, write_namespaces},
    {kRecordCgroup, &OtherRecords::cgroups, false, write_cgroup},
    {kRecordLost, &OtherRecords::lost, false, write_lost},
    {kRecordKsymbol, &OtherRecords::bpf, false, write_ksymbol},
    {kRecordBpfEvent, &OtherRecords::bpf, false, write_bpf_event},
    {kRecordBpfMetadata, &OtherRecords::bpf, false, write_bpf_program, write_bpf_variables},
};

const LineRow* line_row(std::uint32_t type) {
  const auto row = std::find_if(std::begin(kLines), std::end(kLines),
                                [&](const LineRow& one) { return one.type == type; });
  return row == std::end(kLines) ? nullptr : row;
}

/// Returns the thread at the beginning of a record. In FORK and EXIT, pid and tid are not adjacent.
std::pair<std::int32_t, std::int32_t> own_thread(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  const std::int32_t pid = read_int(in);
  if (record.type == kRecordFork || record.type == kRecordExit) in.skip(4);
  return {pid, read_int(in)};
}

}  // namespace

RecordLines::RecordLines(const PerfData& file, const AnnotateOptions& options,
                         std::span<const Field> fields, FieldContext& context, Output& out)
    : state_(detail::state_of(file)), options_(options), context_(context), out_(out) {
  for (std::size_t i = 0; i < file.events().size(); ++i)
    cells_.push_back(text_cells(
        options.event_fields.empty() ? fields : std::span<const Field>(options.event_fields[i]),
        Field::time));
}

bool RecordLines::wants(std::uint32_t type) const {
  const LineRow* row = line_row(type);
  return row && options_.others.*row->wanted;
}

// print_event_with_time of tools/perf/builtin-script.c. perf's own records belong to no event.
bool RecordLines::place(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  const std::endian order = state_.file.header.order;
  const Bytes trailer = cursor.trailer();
  Record whole = record;
  whole.bytes = {record.bytes.data(), record.bytes.size() + trailer.size()};
  const bool is_of_perf = record.type >= kRecordUserFirst;
  const Event* event = is_of_perf ? nullptr : state_.file.events.of_other(whole, order);
  line_.record = record;
  line_.event = event;
  line_.pid = line_.tid = -1;
  line_.time = UINT64_MAX;
  line_.cpu = UINT32_MAX;
  if (!event) return true;
  const auto at = [&](std::int16_t place) { return trailer.data() + trailer.size() - place; };
  const SampleLayout& layout = event->trailer;
  if (!event->attr.has(kSampleIdAll)) {
    std::tie(line_.pid, line_.tid) = own_thread(record, order);
    line_.time = 0;
    line_.cpu = 0;
    constexpr std::size_t kTimeOfFork = kRecordHeader + 16;
    if ((record.type == kRecordFork || record.type == kRecordExit) &&
        record.bytes.size() >= kTimeOfFork + 8)
      line_.time = load<std::uint64_t>(record.bytes.data() + kTimeOfFork, order);
  } else if (trailer.size() >= static_cast<std::size_t>(layout.size)) {
    if (layout.tid != SampleLayout::kAbsent) {
      line_.pid = static_cast<std::int32_t>(load<std::uint32_t>(at(layout.tid), order));
      line_.tid = static_cast<std::int32_t>(load<std::uint32_t>(at(layout.tid) + 4, order));
    }
    if (layout.time != SampleLayout::kAbsent)
      line_.time = load<std::uint64_t>(at(layout.time), order);
    if (layout.cpu != SampleLayout::kAbsent) line_.cpu = load<std::uint32_t>(at(layout.cpu), order);
  }
  const auto& cpus = options_.filter.cpus;
  return cpus.empty() || line_.cpu == UINT32_MAX ||
         std::find(cpus.begin(), cpus.end(), line_.cpu) != cpus.end();
}

bool RecordLines::write(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  const LineRow* row = line_row(record.type);
  if (!row || !(options_.others.*row->wanted) || !place(cursor)) return true;
  const std::endian order = state_.file.header.order;
  const std::size_t start = out_.size();
  if (line_.event) {
    const auto [pid, tid] =
        row->names_thread ? own_thread(record, order) : std::pair(line_.pid, line_.tid);
    const std::string_view comm = tid == -1 ? ":-1" : cursor.comm_of(pid, tid);
    const Sample begin = detail::sample_of(state_, line_, cursor.maps(), comm, {});
    for (const TextCell cell : cells_[state_.file.events.index_of(*line_.event)])
      cell(begin, context_, out_);
  }
  const std::size_t body = out_.size();
  out_.text("PERF_RECORD_");
  out_.text(perf_format::record_name(record.type));
  Cursor in(record.body(), order);
  row->write(in, record, out_);
  if (context_.printable && record.type != kRecordNamespaces) out_.make_printable(body);
  if (row->write_more) row->write_more(in, context_.printable, out_);
  if (!in.ok()) {
    out_.truncate(start);  // too short: the pass counts it
    return true;
  }
  return out_.end_line();
}

}  // namespace evname::annotation
