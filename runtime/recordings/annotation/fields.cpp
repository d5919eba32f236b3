#include "recordings/annotation/fields.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "recordings/annotation/sample_parts.hpp"
#include "recordings/annotation/trace_fields.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::annotation {
namespace {

using namespace perfdata;

const Event& event_of(const Sample& sample) { return *detail::record_of(sample).event; }

// Formats: process_event and perf_sample__fprintf_start of tools/perf/builtin-script.c; what is
// not sampled is printed as evsel__parse_sample of tools/perf/util/evsel.c presets it.
void text_comm(const Sample& sample, FieldContext& context, Output& out) {
  const std::string_view comm = sample.tid() ? sample.comm() : ":-1";
  const std::size_t width =
      context.callchains && event_of(sample).attr.samples(kSampleCallchain) ? 0 : 16;
  const auto place = reinterpret_cast<std::uintptr_t>(comm.data());
  out.text(context.comm.of({comm.data(), comm.size(), width}, place, [&] {
    std::string name(comm);
    if (context.printable) make_printable(name);
    return fmt::format("{}{} ", std::string(width - std::min(width, comm.size()), ' '), name);
  }));
}

template <std::int32_t SampleRecord::*Number, RecentTexts<std::int32_t> FieldContext::*Recent>
void text_thread(const Sample& sample, FieldContext& context, Output& out) {
  const std::int32_t number = detail::record_of(sample).*Number;
  out.text((context.*Recent).of(number, static_cast<std::uint32_t>(number), [&] {
    return fmt::format("{:7} ", number);
  }));
}

void text_cpu(const Sample& sample, FieldContext&, Output& out) {
  const auto cpu = static_cast<std::int32_t>(detail::record_of(sample).cpu);
  out.text(cpu < 0 ? "[-" : "[");
  out.zeros(static_cast<std::uint64_t>(std::abs(std::int64_t{cpu})), cpu < 0 ? 2 : 3);
  out.text("] ");
}

// PERF_RECORD_MISC_*: each letter whose bits are all set, whatever else is.
struct Mode {
  std::uint16_t bits;
  char letter;
};
constexpr Mode kModes[] = {{1, 'K'}, {2, 'U'}, {3, 'H'}, {4, 'G'}, {5, 'g'}};

std::string_view modes_of(const Sample& sample, char (&letters)[5]) {
  std::size_t size = 0;
  for (const Mode& mode : kModes)
    if ((sample.misc() & mode.bits) == mode.bits) letters[size++] = mode.letter;
  return {letters, size};
}

void text_misc(const Sample& sample, FieldContext&, Output& out) {
  char letters[5];
  out.left(modes_of(sample, letters), 6);
}
void value_misc(const Sample& sample, FieldContext&, ValueWriter& out) {
  char letters[5];
  out.text(modes_of(sample, letters));
}

void text_time(const Sample& sample, FieldContext& context, Output& out) {
  const std::uint64_t time = detail::record_of(sample).time, second = time / 1'000'000'000;
  out.text(context.second.of(second, second, [&] { return fmt::format("{:5}.", second); }));
  out.six_digits(static_cast<std::uint32_t>((time - second * 1'000'000'000) / 1000));
  out.text(": ");
}

void text_event(const Sample& sample, FieldContext& context, Output& out) {
  out.text(context.padded_names[sample.event().attr]);
}

template <std::optional<std::uint64_t> (Sample::*Get)() const>
void text_hex(const Sample& sample, FieldContext&, Output& out) {
  out.hex((sample.*Get)().value_or(0), 16);
}
template <class T, std::optional<T> (Sample::*Get)() const>
void text_number(const Sample& sample, FieldContext&, Output& out) {
  out.decimal((sample.*Get)().value_or(0), 16);
}

void text_data_src(const Sample& sample, FieldContext& context, Output& out) {
  constexpr std::size_t kLongest = 99;              // perf's buffer
  constexpr std::uint64_t kNothing = 0x1e05080021;  // PERF_MEM_DATA_SRC_NONE
  const std::uint64_t source = sample.data_src().value_or(kNothing);
  const std::size_t start = out.size();
  out.hex(source, 16);
  out.put(' ');
  write_data_src(source, out);
  out.truncate(start + kLongest);
  const std::size_t size = out.size() - start;
  context.data_src_width = std::max(context.data_src_width, size);
  out.right("", context.data_src_width - size);
}

void text_ip(const Sample& sample, FieldContext& context, Output& out) {
  if (context.location_fields.any()) return write_location_text(sample, context, out);
  if (!event_of(sample).has_callchain()) {
    out.put(' ');
    return out.hex(sample.ip().value_or(0), 16);
  }
  out.put('\n');
  if (!sample.stack(context.stack) || !recording::has_chain(sample)) return;
  for (std::size_t i = 0; i < std::min(context.stack.size(), recording::kMostFrames); ++i) {
    out.put('\t');
    out.hex(context.stack[i].value, 16);
    out.put('\n');
  }
}

// What text prints with ip: write_location_text().
void text_with_ip(const Sample&, FieldContext&, Output&) {}

void value_symbol(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const Frame& frame = context.locations->at(sample).frames.back();
  frame.function.empty() ? out.absent() : out.text(frame.function);
}
void value_symbol_offset(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const Frame& frame = context.locations->at(sample).frames.back();
  frame.function.empty() ? out.absent() : out.number(frame.offset);
}
void value_dso(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const NamedLocation& location = context.locations->at(sample);
  location.is_mapped ? out.text(location.dso) : out.absent();
}
void value_build_id(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const NamedLocation& location = context.locations->at(sample);
  location.build_id.empty() ? out.absent() : out.text(location.build_id);
}
void value_source(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const std::string place = recording::source_place(context.locations->at(sample).frames.front());
  place.empty() ? out.absent() : out.text(place);
}

void text_cgroup(const Sample& sample, FieldContext& context, Output& out) {
  const std::string_view path = sample.cgroup_path();
  out.put(' ');
  if (path.empty() || !context.printable) return out.text(path.empty() ? "unknown" : path);
  std::string name(path);
  make_printable(name);
  out.text(name);
}

// "4K", "2M", "1024M": get_page_size_name and unit_number__scnprintf of tools/perf/util.
void write_page_size(std::uint64_t size, Output& out) {
  constexpr char kUnits[] = {'B', 'K', 'M', 'G'};
  if (size == 0) return out.text("N/A");
  std::size_t unit = 0;
  for (; size / 1024 > 1 && unit < 3; size /= 1024) ++unit;
  out.decimal(size);
  out.put(kUnits[unit]);
}

template <std::optional<std::uint64_t> (Sample::*Get)() const>
void text_page_size(const Sample& sample, FieldContext&, Output& out) {
  out.put(' ');
  write_page_size((sample.*Get)().value_or(0), out);
}

void text_code(const Sample& sample, FieldContext&, Output& out) {
  const Code& code = sample.event().code;
  out.text("0x");
  out.hex(code.config[0]);
  const std::uint64_t more[] = {code.config[1], code.config[2], code.config[3]};
  for (std::size_t i = 0; i < 3; ++i) {
    if (more[i] == 0) continue;
    out.text(",config");
    out.put(static_cast<char>('1' + i));
    out.text("=0x");
    out.hex(more[i]);
  }
  out.put(' ');
}

// evname's own fields stand with the event: after a callchain they would end its sample.
template <std::optional<std::uint64_t> (Sample::*Get)() const, bool Hex>
void text_own(const Sample& sample, FieldContext&, Output& out) {
  const auto value = (sample.*Get)();
  if (!value) return out.text("- ");
  if (Hex) out.text("0x");
  Hex ? out.hex(*value) : out.decimal(*value);
  out.put(' ');
}

template <class T, std::optional<T> (Sample::*Get)() const>
void value_number(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.number(*(sample.*Get)());
}
template <std::optional<std::uint64_t> (Sample::*Get)() const>
void value_hex(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.hex(*(sample.*Get)());
}

void value_callchain(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.begin_list();
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain[i] >= recording::kContextMax) continue;  // a marker
    out.next_item();
    out.hex(chain[i]);
  }
  out.end_list();
}

template <RegisterSet Set>
void text_registers(const Sample& sample, FieldContext& context, Output& out) {
  write_registers_text(sample, Set, context.arch, out);
}
template <RegisterSet Set>
void value_registers(const Sample& sample, FieldContext& context, ValueWriter& out) {
  write_registers_value(sample, Set, context.arch, out);
}

void text_full_name(const Sample& sample, FieldContext& context, Output& out) {
  out.text(context.full_names[sample.event().attr]);
  out.put(' ');
}

void text_desc(const Sample& sample, FieldContext& context, Output& out) {
  out.put('(');
  out.text(context.descs[sample.event().attr]);
  out.text(") ");
}

void text_trace(const Sample& sample, FieldContext& context, Output& out) {
  const auto* format = context.traces[sample.event().attr];
  if (format) write_trace_text(*format, sample.raw(), context.big_endian, out, context.printable);
}
void value_trace(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const auto* format = context.traces[sample.event().attr];
  if (!format) return out.absent();
  write_trace_value(*format, sample.raw(), context.big_endian, out);
}

using U64 = std::uint64_t;
using U16 = std::uint16_t;

constexpr FieldRow kRows[] = {
    {Field::file, "file", "path of the recording, as given", Unsampled::none, 0,
     [](const Sample&, FieldContext& c, Output& o) { o.text(c.file), o.text(": "); },
     [](const Sample&, FieldContext& c, ValueWriter& o) { o.text(c.file); }},
    {Field::comm, "comm", "name of the thread", Unsampled::none, 0, text_comm,
     [](const Sample& s, FieldContext&, ValueWriter& o) {
       s.tid() ? o.text(s.comm()) : o.absent();
     }},
    {Field::pid, "pid", "process", Unsampled::refuse, kSampleTid,
     text_thread<&SampleRecord::pid, &FieldContext::pid>, value_number<std::int32_t, &Sample::pid>},
    {Field::tid, "tid", "thread", Unsampled::refuse, kSampleTid,
     text_thread<&SampleRecord::tid, &FieldContext::tid>, value_number<std::int32_t, &Sample::tid>},
    {Field::cpu, "cpu", "CPU", Unsampled::refuse, kSampleCpu, text_cpu,
     value_number<std::uint32_t, &Sample::cpu>},
    {Field::misc, "misc", "K kernel, U user, H hypervisor, G and g guest", Unsampled::none, 0,
     text_misc, value_misc},
    {Field::time, "time", "seconds of the recording's clock", Unsampled::refuse, kSampleTime,
     text_time, [](const Sample& s, FieldContext&, ValueWriter& o) { o.seconds(*s.time()); }},
    {Field::period, "period", "how many of the events a sample stands for", Unsampled::none, 0,
     [](const Sample& s, FieldContext&, Output& o) { o.decimal(s.period(), 10), o.put(' '); },
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.number(s.period()); }},
    {Field::event, "event", "name of the event", Unsampled::none, 0, text_event,
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.text(s.event().name); }},
    {Field::full_name, "full_name", "the same with its modifiers, as report tells events apart",
     Unsampled::none, 0, text_full_name,
     [](const Sample& s, FieldContext& c, ValueWriter& o) {
       o.text(c.full_names[s.event().attr]);
     }},
    {Field::pmu, "pmu", "PMU of the event", Unsampled::none, 0,
     [](const Sample& s, FieldContext&, Output& o) { o.text(s.event().pmu), o.put(' '); },
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.text(s.event().pmu); }},
    {Field::code, "code", "code of the event", Unsampled::none, 0, text_code,
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.hex(s.event().code.config[0]); }},
    {Field::transaction, "transaction", "flags of a transaction's abort", Unsampled::own,
     kSampleTransaction, text_own<&Sample::transaction, true>, value_hex<&Sample::transaction>},
    {Field::id, "id", "the kernel's id of the event", Unsampled::own, kSampleId | kSampleIdentifier,
     text_own<&Sample::id, false>, value_number<U64, &Sample::id>},
    {Field::desc, "desc", "what the event counts", Unsampled::none, 0, text_desc,
     [](const Sample& s, FieldContext& c, ValueWriter& o) { o.text(c.descs[s.event().attr]); }},
    {Field::trace, "trace", "fields of a tracepoint", Unsampled::print, kSampleRaw, text_trace,
     value_trace},
    {Field::addr, "addr", "address the event is about", Unsampled::refuse, kSampleAddr,
     text_hex<&Sample::addr>, value_hex<&Sample::addr>},
    {Field::data_src, "data_src", "where data came from", Unsampled::refuse, kSampleDataSrc,
     text_data_src, value_hex<&Sample::data_src>},
    {Field::weight, "weight", "cost: mostly a latency in cycles", Unsampled::refuse,
     kSampleWeight | kSampleWeightStruct, text_number<U64, &Sample::weight>,
     value_number<U64, &Sample::weight>},
    {Field::ins_lat, "ins_lat", "latency of the instruction", Unsampled::refuse,
     kSampleWeightStruct, text_number<U16, &Sample::ins_lat>, value_number<U16, &Sample::ins_lat>},
    {Field::retire_lat, "retire_lat", "cycles until it retired", Unsampled::refuse,
     kSampleWeightStruct, text_number<U16, &Sample::retire_lat>,
     value_number<U16, &Sample::retire_lat>},
    {Field::cgroup, "cgroup", "id of the cgroup; in text its path", Unsampled::refuse,
     kSampleCgroup, text_cgroup, value_number<U64, &Sample::cgroup>},
    {Field::ip, "ip", "address of the instruction; in text with the callchain, where there is one",
     Unsampled::refuse, kSampleIp, text_ip, value_hex<&Sample::ip>},
    {Field::sym, "sym", "function of the instruction; in text with each address, as the next three",
     Unsampled::refuse, kSampleIp, text_with_ip, value_symbol},
    {Field::symoff, "symoff", "bytes from the function's start", Unsampled::refuse, kSampleIp,
     text_with_ip, value_symbol_offset},
    {Field::dso, "dso", "file of the instruction", Unsampled::refuse, kSampleIp, text_with_ip,
     value_dso},
    {Field::srcline, "srcline", "source file and line of the instruction", Unsampled::refuse,
     kSampleIp, text_with_ip, value_source},
    {Field::build_id, "build_id", "csv and jsonl: build id of that file", Unsampled::own, kSampleIp,
     nullptr, value_build_id},
    {Field::frames, "frames",
     "csv and jsonl: functions of the callchain, leaf first, with those inlined", Unsampled::own,
     kSampleIp | kSampleCallchain, nullptr, write_frames_value},
    {Field::callchain, "callchain", "csv and jsonl: return addresses, leaf first", Unsampled::own,
     kSampleCallchain, nullptr, value_callchain},
    {Field::iregs, "iregs", "registers at the interrupt", Unsampled::refuse, kSampleRegsIntr,
     text_registers<RegisterSet::interrupt>, value_registers<RegisterSet::interrupt>},
    {Field::uregs, "uregs", "registers of user space", Unsampled::refuse, kSampleRegsUser,
     text_registers<RegisterSet::user>, value_registers<RegisterSet::user>},
    {Field::brstack, "brstack",
     "branches: from/to/predicted/transaction/abort/cycles/type/speculation", Unsampled::print,
     kSampleBranchStack,
     [](const Sample& s, FieldContext& c, Output& o) { write_branches_text(s, c.arch, o); },
     [](const Sample& s, FieldContext& c, ValueWriter& o) { write_branches_value(s, c.arch, o); }},
    {Field::phys_addr, "phys_addr", "physical address", Unsampled::refuse, kSamplePhysAddr,
     text_hex<&Sample::phys_addr>, value_hex<&Sample::phys_addr>},
    {Field::data_page_size, "data_page_size", "page size of the data", Unsampled::refuse,
     kSampleDataPageSize, text_page_size<&Sample::data_page_size>,
     value_number<U64, &Sample::data_page_size>},
    {Field::code_page_size, "code_page_size", "page size of the code", Unsampled::refuse,
     kSampleCodePageSize, text_page_size<&Sample::code_page_size>,
     value_number<U64, &Sample::code_page_size>},
};

constexpr bool rows_follow_the_enum() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<std::size_t>(kRows[i].field) != i) return false;
  return true;
}
static_assert(rows_follow_the_enum());

}  // namespace

std::span<const FieldRow> field_rows() { return kRows; }
const FieldRow& row_of(Field field) { return kRows[static_cast<std::size_t>(field)]; }

bool has_field(const perfdata::Event& event, const FieldRow& row) {
  if (row.field == Field::callchain) return event.has_callchain();
  return row.sample_bits == 0 || (event.attr.sample_type & row.sample_bits) != 0;
}

}  // namespace evname::annotation
