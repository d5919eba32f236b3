#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"
#include "perf_format/features.hpp"
#include "recordings/annotation/sample_writers.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;

// The formats follow perf_event__fprintf and its callees in tools/perf/util/event.c; the layouts
// are in include/uapi/linux/perf_event.h.

std::int32_t read_int(Cursor& in) { return static_cast<std::int32_t>(in.u32()); }

std::string_view rest_of(Cursor& in) { return in.text(in.remaining()); }

/// Returns a number as C's "%#x" prints it: 0 has no prefix.
std::string number_text(std::uint64_t value) {
  return value == 0 ? "0" : fmt::format("{:#x}", value);
}

/// Writes " PID/TID: [START(LENGTH) @ OFFSET".
void write_range(Cursor& in, Output& out) {
  const std::int32_t pid = read_int(in), tid = read_int(in);
  const std::uint64_t start = in.u64(), length = in.u64(), offset = in.u64();
  out.format(" {}/{}: [{}({}) @ {}", pid, tid, number_text(start), number_text(length),
             number_text(offset));
}

void write_mmap(Cursor& in, const Record& record, Output& out) {
  write_range(in, out);
  out.format("]: {} {}", record.misc & kMiscMmapData ? 'r' : 'x', rest_of(in));
}

/// Writes the device, inode and generation of a file, or its build id.
void write_file_id(Cursor& in, bool is_build_id, Output& out) {
  if (!is_build_id) {
    const std::uint32_t major = in.u32(), minor = in.u32();
    const std::uint64_t inode = in.u64(), generation = in.u64();
    return out.format(" {:02x}:{:02x} {} {}", major, minor, inode, generation);
  }
  constexpr std::size_t kSpace = 20;
  const std::size_t size = std::min<std::size_t>(in.u8(), kSpace);
  in.skip(3);
  const Bytes id = in.bytes(kSpace);
  out.text(" <");
  out.text(hex_text(id.first(std::min(size, id.size()))));
  out.put('>');
}

void write_mmap2(Cursor& in, const Record& record, Output& out) {
  write_range(in, out);
  write_file_id(in, record.misc & kMiscMmapBuildId, out);
  const std::uint32_t protection = in.u32(), flags = in.u32();
  out.format("]: {}{}{}{} {}", protection & 1 ? 'r' : '-', protection & 2 ? 'w' : '-',
             protection & 4 ? 'x' : '-', flags & 1 ? 's' : 'p', rest_of(in));
}

void write_comm(Cursor& in, const Record& record, Output& out) {
  const std::int32_t pid = read_int(in), tid = read_int(in);
  out.format("{}: {}:{}/{}", record.misc & kMiscCommExec ? " exec" : "", rest_of(in), pid, tid);
}

void write_task(Cursor& in, const Record&, Output& out) {
  const std::int32_t pid = read_int(in), parent = read_int(in);
  const std::int32_t tid = read_int(in), parent_thread = read_int(in);
  out.format("({}:{}):({}:{})", pid, tid, parent, parent_thread);
}

void write_lost(Cursor& in, const Record&, Output& out) {
  in.skip(8);
  out.format(" lost {}", in.u64());
}

void write_switch(Cursor& in, const Record& record, Output& out) {
  const bool is_out = record.misc & kMiscSwitchOut, preempted = record.misc & kMiscSwitchPreempted;
  out.text(!is_out ? " IN         " : preempted ? " OUT preempt" : " OUT        ");
  if (record.type != kRecordSwitchCpuWide) return;
  const std::int32_t pid = read_int(in), tid = read_int(in);
  out.format("  {} pid/tid: {:5}/{:<5}", is_out ? "next" : "prev", pid, tid);
}

void write_namespaces(Cursor& in, const Record&, Output& out) {
  constexpr std::array<std::string_view, 7> kNames = {"net",  "uts", "ipc",   "pid",
                                                      "user", "mnt", "cgroup"};
  const std::int32_t pid = read_int(in), tid = read_int(in);
  const std::uint64_t count = std::min<std::uint64_t>(in.u64(), in.remaining() / 16);
  out.format(" {}/{} - nr_namespaces: {}\n\t\t[", pid, tid, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) out.text(i % 4 == 0 ? ", \n\t\t " : ", ");
    const std::uint64_t device = in.u64(), inode = in.u64();
    out.format("{}/{}: {}/{}", i, i < kNames.size() ? kNames[i] : "unknown", device,
               number_text(inode));
  }
  out.put(']');
}

void write_cgroup(Cursor& in, const Record&, Output& out) {
  const std::uint64_t id = in.u64();
  out.format(" cgroup: {} {}", id, rest_of(in));
}

void write_ksymbol(Cursor& in, const Record&, Output& out) {
  const std::uint64_t address = in.u64();
  const std::uint32_t length = in.u32();
  const std::uint16_t type = in.u16(), flags = in.u16();
  out.format(" addr {:x} len {} type {} flags 0x{:x} name {}", address, length, type, flags,
             rest_of(in));
}

void write_bpf_event(Cursor& in, const Record&, Output& out) {
  const std::uint16_t type = in.u16(), flags = in.u16();
  out.format(" type {}, flags {}, id {}", type, flags, in.u32());
}

void write_bpf_program(Cursor& in, const Record&, Output& out) {
  out.format(" prog {}", in.text(kBpfProgramBytes));
}

/// Writes a line for each variable of the program.
void write_bpf_variables(Cursor& in, bool printable, Output& out) {
  constexpr std::size_t kKeyWidth = 20;
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    out.format("\n  entry {}: ", i);
    const std::size_t start = out.size();
    out.right(in.text(kBpfKeyBytes), kKeyWidth);
    out.format(" = {}", in.text(kBpfValueBytes));
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

RecordLines::RecordLines(const Recording& file, const ScriptOptions& options,
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
