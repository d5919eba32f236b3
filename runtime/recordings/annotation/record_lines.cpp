#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "base/text.hpp"
#include "perf_format/features.hpp"
#include "perf_format/typed_records.hpp"
#include "recordings/annotation/record_dump.hpp"
#include "recordings/annotation/sample_writers.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;
using perf_format::Record;

// The formats follow perf_event__fprintf and its callees in tools/perf/util/event.c; the layouts
// are in include/uapi/linux/perf_event.h.

using Typed = evname::Record;

/// Writes the device, inode and generation of a file, or its build id.
void write_file_id(const Typed::Map& map, bool is_build_id, Output& out) {
  if (!is_build_id)
    return out.format(" {:02x}:{:02x} {} {}", map.device_major, map.device_minor, map.inode,
                      map.generation);
  out.text(" <");
  out.text(hex_text(map.build_id));
  out.put('>');
}

void write(const Typed::Map& map, const Record& record, Output& out) {
  out.format(" {}/{}: [{}({}) @ {}", map.pid, map.tid, number_text(map.start),
             number_text(map.size), number_text(map.offset));
  if (record.type == kRecordMmap) return out.format("]: {} {}", map.is_data ? 'r' : 'x', map.file);
  write_file_id(map, record.misc & kMiscMmapBuildId, out);
  out.format("]: {}{}{}{} {}", map.protection & 1 ? 'r' : '-', map.protection & 2 ? 'w' : '-',
             map.protection & 4 ? 'x' : '-', map.flags & 1 ? 's' : 'p', map.file);
}

void write(const Typed::Comm& comm, const Record&, Output& out) {
  out.format("{}: {}:{}/{}", comm.is_exec ? " exec" : "", comm.name, comm.pid, comm.tid);
}

void write(const Typed::Task& task, const Record&, Output& out) {
  out.format("({}:{}):({}:{})", task.pid, task.tid, task.parent_pid, task.parent_tid);
}

void write(const Typed::Lost& lost, const Record&, Output& out) {
  out.format(" lost {}", lost.lost);
}

void write(const Typed::Switch& one, const Record& record, Output& out) {
  out.text(!one.is_out ? " IN         " : one.is_preempted ? " OUT preempt" : " OUT        ");
  if (record.type != kRecordSwitchCpuWide) return;
  out.format("  {} pid/tid: {:5}/{:<5}", one.is_out ? "next" : "prev", one.other_pid,
             one.other_tid);
}

void write(const Typed::Namespaces& all, const Record&, Output& out) {
  constexpr std::array<std::string_view, 7> kNames = {"net",  "uts", "ipc",   "pid",
                                                      "user", "mnt", "cgroup"};
  const std::size_t count = all.links.size() / 2;
  out.format(" {}/{} - nr_namespaces: {}\n\t\t[", all.pid, all.tid, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out.text(i % 4 == 0 ? ", \n\t\t " : ", ");
    out.format("{}/{}: {}/{}", i, i < kNames.size() ? kNames[i] : "unknown", all.links[2 * i],
               number_text(all.links[2 * i + 1]));
  }
  out.put(']');
}

void write(const Typed::Cgroup& cgroup, const Record&, Output& out) {
  out.format(" cgroup: {} {}", cgroup.id, cgroup.path);
}

void write(const Typed::Ksymbol& symbol, const Record&, Output& out) {
  out.format(" addr {:x} len {} type {} flags 0x{:x} name {}", symbol.address, symbol.size,
             symbol.kind, symbol.flags, symbol.name);
}

// perf also names the function of the kernel that contains the address.
void write(const Typed::TextPoke& poke, const Record&, Output& out) {
  constexpr std::size_t kLine = 16;
  out.format(" {:x}  old len {} new len {}", poke.address, poke.old_bytes.size(),
             poke.new_bytes.size());
  for (const auto& [title, bytes] :
       {std::pair("Old", poke.old_bytes), std::pair("New", poke.new_bytes)})
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % kLine == 0) out.format("\n            {} bytes:", title);
      out.format(" {:02x}", bytes[i]);
    }
}

void write(const Typed::BpfEvent& program, const Record&, Output& out) {
  out.format(" type {}, flags {}, id {}", program.kind, program.flags, program.id);
}

/// Writes the record if it is long enough. Returns false if it is not.
template <class T>
bool write_as(const Record& record, std::endian order, Output& out) {
  const auto content = read_as<T>(record, order);
  if (content) write(*content, record, out);
  return content.has_value();
}

bool write_bpf_program(const Record& record, std::endian order, Output& out) {
  Cursor in(record.body(), order);
  out.format(" prog {}", in.text(kBpfProgramBytes));
  return in.ok();
}

/// Writes a line for each variable of the program. Returns false if the record is too short.
bool write_bpf_variables(const Record& record, std::endian order, bool printable, Output& out) {
  constexpr std::size_t kKeyWidth = 20;
  Cursor in(record.body(), order);
  in.skip(kBpfProgramBytes);
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    out.format("\n  entry {}: ", i);
    const std::size_t start = out.size();
    out.right(in.text(kBpfKeyBytes), kKeyWidth);
    out.format(" = {}", in.text(kBpfValueBytes));
    if (printable) out.make_printable(start);
  }
  return in.ok();
}

/// A type of records: its option, the thread at the beginning of its line if the event has no
/// sample_id_all, and its format.
struct LineRow {
  std::uint32_t type;
  bool OtherRecords::*wanted;
  bool names_thread;  ///< the record begins with the thread
  bool (*write)(const Record& record, std::endian order, Output& out);
  /// Writes the lines after the first; nullptr: there are none.
  bool (*write_more)(const Record& record, std::endian order, bool printable,
                     Output& out) = nullptr;
};

constexpr LineRow kLines[] = {
    {kRecordMmap, &OtherRecords::mmaps, true, write_as<Typed::Map>},
    {kRecordMmap2, &OtherRecords::mmaps, true, write_as<Typed::Map>},
    {kRecordComm, &OtherRecords::tasks, true, write_as<Typed::Comm>},
    {kRecordFork, &OtherRecords::tasks, true, write_as<Typed::Task>},
    {kRecordExit, &OtherRecords::tasks, true, write_as<Typed::Task>},
    {kRecordSwitch, &OtherRecords::switches, false, write_as<Typed::Switch>},
    {kRecordSwitchCpuWide, &OtherRecords::switches, false, write_as<Typed::Switch>},
    {kRecordNamespaces, &OtherRecords::namespaces, true, write_as<Typed::Namespaces>},
    {kRecordCgroup, &OtherRecords::cgroups, false, write_as<Typed::Cgroup>},
    {kRecordLost, &OtherRecords::lost, false, write_as<Typed::Lost>},
    {kRecordKsymbol, &OtherRecords::bpf, false, write_as<Typed::Ksymbol>},
    {kRecordBpfEvent, &OtherRecords::bpf, false, write_as<Typed::BpfEvent>},
    {kRecordTextPoke, &OtherRecords::text_pokes, false, write_as<Typed::TextPoke>},
    {kRecordBpfMetadata, &OtherRecords::bpf, false, write_bpf_program, write_bpf_variables},
};

const LineRow* line_row(std::uint32_t type) {
  const auto row = std::find_if(std::begin(kLines), std::end(kLines),
                                [&](const LineRow& one) { return one.type == type; });
  return row == std::end(kLines) ? nullptr : row;
}

/// Returns true for records whose text has line feeds, and no names.
bool has_lines_of_its_own(std::uint32_t type) {
  return type == kRecordNamespaces || type == kRecordTextPoke;
}

/// KSYMBOL has two options.
bool is_wanted(const LineRow& row, const OtherRecords& others) {
  return others.*row.wanted || (row.type == kRecordKsymbol && others.text_pokes);
}

/// Returns the thread at the beginning of a record, and a time after it; -1 and 0 for others.
struct Begin {
  std::int32_t pid = -1, tid = -1;
  std::uint64_t time = 0;
};

Begin begin_of(const Record& record, std::endian order) {
  return std::visit(
      [](const auto& content) {
        Begin begin;
        if constexpr (requires { content.pid, content.tid; }) begin = {content.pid, content.tid};
        if constexpr (requires { content.parent_tid; }) begin.time = content.time;
        return begin;
      },
      content_of(record, order));
}

}  // namespace

std::string number_text(std::uint64_t value) {
  return value == 0 ? "0" : fmt::format("{:#x}", value);
}

bool write_record_text(const Record& record, std::endian order, bool printable, Output& out) {
  const LineRow* row = line_row(record.type);
  const std::size_t start = out.size();
  if (!row || !row->write(record, order, out)) return false;
  if (printable && !has_lines_of_its_own(record.type)) out.make_printable(start);
  return !row->write_more || row->write_more(record, order, printable, out);
}

RecordLines::RecordLines(const Recording& file, const ScriptOptions& options,
                         std::span<const Field> fields, FieldContext& context, Output& out)
    : state_(detail::state_of(file)),
      options_(options),
      context_(context),
      out_(out),
      counts_(file) {
  for (std::size_t i = 0; i < file.events().size(); ++i)
    cells_.push_back(text_cells(
        state_.file.events.list()[i],
        options.event_fields.empty() ? fields : std::span<const Field>(options.event_fields[i]),
        Field::time));
}

bool RecordLines::wants(std::uint32_t type) const {
  if (options_.others.counts && StatLines::wants(type)) return true;
  const LineRow* row = line_row(type);
  return row && is_wanted(*row, options_.others);
}

// print_event_with_time of tools/perf/builtin-script.c. perf's own records belong to no event.
bool RecordLines::place(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  const std::endian order = state_.file.header.order;
  const Event* event = cursor.event_of_other();
  line_.record = record;
  line_.event = event;
  line_.pid = line_.tid = -1;
  line_.time = UINT64_MAX;
  line_.cpu = UINT32_MAX;
  if (!event) return true;
  if (!event->attr.has(kSampleIdAll)) {
    const Begin begin = begin_of(record, order);
    line_.pid = begin.pid;
    line_.tid = begin.tid;
    line_.time = begin.time;
    line_.cpu = 0;
  } else {
    Typed identity;
    read_identity(cursor.trailer(), *event, order, identity);
    line_.pid = identity.pid.value_or(-1);
    line_.tid = identity.tid.value_or(-1);
    line_.time = identity.time.value_or(UINT64_MAX);
    line_.cpu = identity.cpu.value_or(UINT32_MAX);
  }
  const auto& cpus = options_.filter.cpus;
  return cpus.empty() || line_.cpu == UINT32_MAX ||
         std::find(cpus.begin(), cpus.end(), line_.cpu) != cpus.end();
}

bool RecordLines::write(session::RecordCursor& cursor) {
  const Record& record = cursor.record();
  if (options_.others.counts && StatLines::wants(record.type)) counts_.add(record, out_);
  const LineRow* row = line_row(record.type);
  if (!row || !is_wanted(*row, options_.others) || !place(cursor)) return true;
  const std::endian order = state_.file.header.order;
  const std::size_t start = out_.size();
  if (line_.event) {
    const auto [pid, tid, time] =
        row->names_thread ? begin_of(record, order) : Begin{line_.pid, line_.tid};
    const std::string_view comm = tid == -1 ? ":-1" : cursor.comm_of(pid, tid);
    const Sample begin = detail::sample_of(state_, line_, cursor.maps(), comm, {});
    for (const TextCell cell : cells_[state_.file.events.index_of(*line_.event)])
      cell(begin, context_, out_);
  }
  out_.text("PERF_RECORD_");
  out_.text(perf_format::record_name(record.type));
  if (!write_record_text(record, order, context_.printable, out_)) {
    out_.truncate(start);  // too short: the pass counts it
    return true;
  }
  return out_.end_line();
}

}  // namespace evname::annotation
