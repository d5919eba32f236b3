#include "recordings/annotation/fields.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "recordings/annotation/sample_parts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;
using perf_data::IbsItem;

const Event& event_of(const Sample& sample) { return *detail::record_of(sample).event; }

// sample_addr_correlates_sym of tools/perf/util/event.c.
bool is_place(const Attr& attr) {
  constexpr std::uint64_t kPageFaults[] = {2, 5, 6};  // PERF_COUNT_SW_PAGE_FAULTS, _MIN, _MAJ
  return is_branch_trace(attr) || (attr.code.type == kTypeSoftware &&
                                   std::find(std::begin(kPageFaults), std::end(kPageFaults),
                                             attr.code.config[0]) != std::end(kPageFaults));
}

// The formats follow process_event and perf_sample__fprintf_start of tools/perf/builtin-script.c.
// Fields that are not sampled have the defaults of evsel__parse_sample of tools/perf/util/evsel.c.
void text_comm(const Sample& sample, FieldContext& context, Output& out) {
  const std::string_view comm = event_of(sample).attr.samples(kSampleTid) ? sample.comm() : ":-1";
  const std::size_t start = out.size();
  if (context.style.latency_columns)
    out.right(comm.substr(0, 8), 8);
  else
    out.right(comm, context.has_chains[sample.event().attr] ? 0 : 16);
  if (context.printable) out.make_printable(start);
  out.put(' ');
}

template <auto Get>
void text_thread_id(const Sample& sample, FieldContext&, Output& out) {
  const SampleRecord& record = detail::record_of(sample);
  out.decimal(Get == &Sample::pid ? record.pid : record.tid, 7);
  out.put(' ');
}

void text_cpu(const Sample& sample, FieldContext& context, Output& out) {
  const auto cpu = static_cast<std::int32_t>(detail::record_of(sample).cpu);
  if (context.style.latency_columns) {
    out.decimal(cpu, 3);
    return out.put(' ');
  }
  out.text(cpu < 0 ? "[-" : "[");
  out.zeros(static_cast<std::uint64_t>(std::abs(std::int64_t{cpu})), cpu < 0 ? 2 : 3);
  out.text("] ");
}

// PERF_RECORD_MISC_*: text has each letter whose bits are all set.
struct Mode {
  std::uint16_t bits;
  char letter;
};
constexpr Mode kModes[] = {{kCpuModeKernel, 'K'},
                           {kCpuModeUser, 'U'},
                           {kCpuModeHypervisor, 'H'},
                           {kCpuModeGuestKernel, 'G'},
                           {kCpuModeGuestUser, 'g'}};

std::string_view modes_of(const Sample& sample, char (&letters)[5]) {
  std::size_t size = 0;
  for (const Mode& mode : kModes)
    if ((sample.misc() & mode.bits) == mode.bits) letters[size++] = mode.letter;
  return {letters, size};
}

// Records other than samples have their own letters after the mode: MMAP_DATA, COMM_EXEC,
// SWITCH_OUT and SWITCH_OUT_PREEMPT.
std::string_view letters_of_other(std::uint32_t type, std::uint32_t misc) {
  if (type == kRecordMmap || type == kRecordMmap2) return misc & kMiscMmapData ? "M" : "";
  if (type == kRecordComm) return misc & kMiscCommExec ? "E" : "";
  if (type == kRecordSwitch || type == kRecordSwitchCpuWide) {
    if ((misc & kMiscSwitchOut) == 0) return "";
    return misc & kMiscSwitchPreempted ? "Sp" : "S";
  }
  return "";
}

void text_misc(const Sample& sample, FieldContext&, Output& out) {
  if (detail::record_of(sample).event->is_made) return out.right("", 6);  // perf has none
  char letters[5];
  const std::string_view modes = modes_of(sample, letters);
  const perf_format::Record& record = detail::record_of(sample).record;
  const std::string_view more = letters_of_other(record.type, record.misc);
  out.text(modes);
  out.text(more);
  out.right("", 6 - modes.size() - more.size());
}
void value_misc(const Sample& sample, FieldContext&, ValueWriter& out) {
  char letters[5];
  out.text(modes_of(sample, letters));
}

/// Returns the time to print for a sample's, from what the style says. A time 0 counts as none.
std::uint64_t counted_time(std::uint64_t time, FieldContext& context) {
  if (context.style.times == TimesFrom::clock) return time;
  if (context.first_time == 0) context.first_time = time;
  const std::uint64_t last = std::exchange(context.last_time, time);
  if (context.style.times == TimesFrom::first_sample) return time - context.first_time;
  return last == 0 ? 0 : time - last;
}

void text_time(const Sample& sample, FieldContext& context, Output& out) {
  const std::uint64_t time = counted_time(detail::record_of(sample).time, context);
  if (context.style.nanoseconds) {
    out.decimal(time / 1'000'000'000, 5);
    out.put('.');
    out.zeros(time % 1'000'000'000, 9);
    return out.text(": ");
  }
  const fmt::format_int micros(1'000'000 + time % 1'000'000'000 / 1000);  // for leading zeros
  out.decimal(time / 1'000'000'000, 5);
  out.put('.');
  out.text({micros.data() + 1, 6});
  out.text(": ");
}

// tod_scnprintf of tools/perf/builtin-script.c.
void text_time_of_day(const Sample& sample, FieldContext& context, Output& out) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  if (!context.clock) return out.text("disabled ");
  const std::uint64_t time =
      context.clock->wall_clock + (detail::record_of(sample).time - context.clock->clock);
  const auto seconds = static_cast<std::time_t>(time / kSecond);
  std::tm local{};
  char text[64] = "";
  if (::localtime_r(&seconds, &local))
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  out.text(text);
  out.put('.');
  if (context.style.nanoseconds)
    out.zeros(time % kSecond, 9);
  else
    out.zeros(time % kSecond / 1000, 6);
  out.put(' ');
}

void text_event(const Sample& sample, FieldContext& context, Output& out) {
  out.text(context.padded_names[sample.event().attr]);
}

template <auto Get>
void text_hex(const Sample& sample, FieldContext&, Output& out) {
  out.hex((sample.*Get)().value_or(0), 16);
}
template <auto Get>
void text_decimal(const Sample& sample, FieldContext&, Output& out) {
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
  if (location_fields_of(sample, context).any()) return write_location_text(sample, context, out);
  if (!writes_chain(event_of(sample), context)) {
    const SampleRecord& record = detail::record_of(sample);
    out.put(' ');
    return out.hex(record.event->attr.samples(kSampleIp) ? record.ip : 0, 16);
  }
  out.put('\n');
  auto& locations = context.locations;
  const bool is_known =
      locations ? locations->stack(sample, context.stack) : sample.stack(context.stack);
  const bool has_callers = perf_data::has_chain(sample) || (locations && locations->has_unwound());
  if (!is_known || !has_callers) return;
  for (std::size_t i = 0; i < std::min(context.stack.size(), context.style.most_frames); ++i) {
    out.put('\t');
    out.hex(context.stack[i].value, 16);
    out.put('\n');
  }
}

// Addresses of page faults and of branches are places in code or data.
template <auto Get>
void text_address(const Sample& sample, FieldContext& context, Output& out) {
  const std::uint64_t value = (sample.*Get)().value_or(0);
  out.hex(value, 16);
  const LocationFields& fields = location_fields_of(sample, context);
  if (!is_place(event_of(sample).attr) || !context.locations || !fields.any()) return;
  const Address address = context.locations->branch_address(sample, value);
  const Frame& frame = context.locations->at(sample, address).frames.back();
  if (fields.function) {
    out.put(' ');
    write_function(frame, fields.offset, out);
  }
  if (fields.file) write_file(sample, address, context, out);
}

// Text has these fields with ip: write_location_text().
void text_with_ip(const Sample&, FieldContext&, Output&) {}

void value_symbol(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const Frame& frame = context.locations->at(sample).frames.back();
  out.text_or_absent(frame.function);
}
void value_symbol_offset(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const Frame& frame = context.locations->at(sample).frames.back();
  if (frame.function.empty())
    out.absent();
  else
    out.number(frame.offset);
}
void value_dso(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const Locations::Named& location = context.locations->at(sample);
  if (location.is_mapped)
    out.text(location.dso);
  else
    out.absent();
}
void value_build_id(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const Locations::Named& location = context.locations->at(sample);
  out.text_or_absent(location.build_id);
}
void value_source(const Sample& sample, FieldContext& context, ValueWriter& out) {
  out.text_or_absent(locations::source_place(context.locations->at(sample).frames.front()));
}

void text_cgroup(const Sample& sample, FieldContext& context, Output& out) {
  const std::string_view path = sample.cgroup_path();
  out.put(' ');
  const std::size_t start = out.size();
  out.text(path.empty() ? "unknown" : path);
  if (context.printable) out.make_printable(start);
}

template <auto Get>
void text_page_size(const Sample& sample, FieldContext&, Output& out) {
  out.put(' ');
  write_page_size((sample.*Get)().value_or(0), out);
}

void text_code(const Sample& sample, FieldContext&, Output& out) {
  const Code& code = sample.event().code;
  out.text("0x");
  out.hex(code.config[0]);
  for (std::size_t i = 1; i < std::size(code.config); ++i) {
    if (code.config[i] == 0) continue;
    out.text(",config");
    out.put(static_cast<char>('0' + i));
    out.text("=0x");
    out.hex(code.config[i]);
  }
  out.put(' ');
}

// Writes a field of evname's own next to the event. After a callchain it would look like another
// sample.
template <auto Get, bool Hex>
void text_own(const Sample& sample, FieldContext&, Output& out) {
  const auto value = (sample.*Get)();
  if (!value) return out.text("- ");
  if (Hex) out.text("0x");
  if (Hex)
    out.hex(*value);
  else
    out.decimal(*value);
  out.put(' ');
}

template <auto Get>
void value_decimal(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.number(*(sample.*Get)());
}
template <auto Get>
void value_hex(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.hex(*(sample.*Get)());
}

void value_callchain(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.begin_list();
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain[i] >= perf_data::kContextMax) continue;  // a marker
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

/// Appends the function at an address of the kernel, which is looked up as a sample's address is.
bool name_function(const Sample& sample, FieldContext& context, std::uint64_t address,
                   bool has_offset, std::string& out) {
  const Frame& frame = context.locations->at(sample, {address, true}).frames.back();
  if (frame.function.empty()) return false;
  out += frame.function;
  if (has_offset) out += fmt::format("+0x{:x}", frame.offset);
  return true;
}

void text_trace(const Sample& sample, FieldContext& context, Output& out) {
  const auto* format = event_of(sample).format;
  if (!format) return;
  const PrintFormat& print = context.prints[sample.event().attr];
  PrintFormat::NameFunction name;
  if (print.names_functions() && context.locations)
    name = [&](std::uint64_t address, bool has_offset, std::string& text) {
      return name_function(sample, context, address, has_offset, text);
    };
  if (!print.write(sample.raw(), context.big_endian, context.print_text, name))
    return write_trace_text(*format, sample.raw(), context.big_endian, out, context.printable);
  if (context.printable) make_printable(context.print_text);
  out.text(context.print_text);
}
void value_trace(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const auto* format = event_of(sample).format;
  if (!format) return out.absent();
  write_trace_value(*format, sample.raw(), context.big_endian, out);
}

/// The format of a field.
struct FieldFormat {
  Unsampled unsampled;
  decltype(FieldRow::text) text;
  decltype(FieldRow::value) value;
};

/// The formats of perf_format/sample_fields.def: of numbers, which fields share, and of the other
/// fields, by name.
namespace formats {

using enum Unsampled;

template <auto Get>
constexpr FieldFormat decimal = {refuse, text_decimal<Get>, value_decimal<Get>};
template <auto Get>
constexpr FieldFormat hex = {refuse, text_hex<Get>, value_hex<Get>};
template <auto Get>
constexpr FieldFormat address = {refuse, text_address<Get>, value_hex<Get>};
template <auto Get>
constexpr FieldFormat own_decimal = {own, text_own<Get, false>, value_decimal<Get>};
template <auto Get>
constexpr FieldFormat own_hex = {own, text_own<Get, true>, value_hex<Get>};
template <auto Get>
constexpr FieldFormat thread_id = {refuse, text_thread_id<Get>, value_decimal<Get>};
template <auto Get>
constexpr FieldFormat page_size = {refuse, text_page_size<Get>, value_decimal<Get>};
template <auto Get>
constexpr FieldFormat cpu = {refuse, text_cpu, value_decimal<Get>};
template <auto Get>
constexpr FieldFormat data_src = {refuse, text_data_src, value_hex<Get>};
template <auto Get>
constexpr FieldFormat cgroup = {refuse, text_cgroup, value_decimal<Get>};
template <auto Get>
constexpr FieldFormat ip = {refuse, text_ip, value_hex<Get>};
template <auto Get>
constexpr FieldFormat time = {
    refuse, text_time,
    [](const Sample& s, FieldContext&, ValueWriter& o) { o.seconds(*(s.*Get)()); }};

/// Text alone has these fields.
constexpr FieldFormat of_text(Unsampled unsampled, decltype(FieldRow::text) text) {
  return {unsampled, text, nullptr};
}

constexpr FieldFormat tod = of_text(print, text_time_of_day);
constexpr FieldFormat dsoff = of_text(refuse, text_with_ip);
constexpr FieldFormat brstacksym = of_text(print, write_branches_by_function);
constexpr FieldFormat brstackoff = of_text(print, write_branches_by_offset);
constexpr FieldFormat insnlen = of_text(print, write_instruction_length);
constexpr FieldFormat insn = of_text(print, write_instruction_bytes);
constexpr FieldFormat disasm = of_text(print, write_instruction_text);
constexpr FieldFormat brstackinsn = of_text(print, write_branch_code);
constexpr FieldFormat brstackinsnlen = of_text(print, write_branch_code);
constexpr FieldFormat brstackdisasm = of_text(print, write_branch_code);
constexpr FieldFormat srccode = of_text(print, write_source_code);
constexpr FieldFormat bpf_output =
    of_text(print, [](const Sample& s, FieldContext&, Output& o) { write_bpf_output(s, o); });

constexpr FieldFormat misc = {none, text_misc, value_misc};
constexpr FieldFormat period = {
    none, [](const Sample& s, FieldContext&, Output& o) { o.decimal(s.period(), 10), o.put(' '); },
    [](const Sample& s, FieldContext&, ValueWriter& o) { o.number(s.period()); }};
constexpr FieldFormat file = {
    none, [](const Sample&, FieldContext& c, Output& o) { o.text(c.file), o.text(": "); },
    [](const Sample&, FieldContext& c, ValueWriter& o) { o.text(c.file); }};
constexpr FieldFormat comm = {none, text_comm, [](const Sample& s, FieldContext&, ValueWriter& o) {
                                if (s.tid())
                                  o.text(s.comm());
                                else
                                  o.absent();
                              }};
constexpr FieldFormat event = {
    none, text_event,
    [](const Sample& s, FieldContext&, ValueWriter& o) { o.text(s.event().name); }};
constexpr FieldFormat full_name = {
    none, text_full_name,
    [](const Sample& s, FieldContext& c, ValueWriter& o) { o.text(c.full_names[s.event().attr]); }};
constexpr FieldFormat pmu = {
    none, [](const Sample& s, FieldContext&, Output& o) { o.text(s.event().pmu), o.put(' '); },
    [](const Sample& s, FieldContext&, ValueWriter& o) { o.text(s.event().pmu); }};
constexpr FieldFormat code = {none, text_code, [](const Sample& s, FieldContext&, ValueWriter& o) {
                                o.hex(s.event().code.config[0]);
                              }};
constexpr FieldFormat desc = {
    none, text_desc,
    [](const Sample& s, FieldContext& c, ValueWriter& o) { o.text(c.descs[s.event().attr]); }};
constexpr FieldFormat flags = {none,
                               [](const Sample& s, FieldContext&, Output& o) {
                                 write_branch_flags_text(detail::record_of(s).flags, o);
                               },
                               [](const Sample& s, FieldContext&, ValueWriter& o) {
                                 write_branch_flags_value(detail::record_of(s).flags, o);
                               }};
constexpr FieldFormat trace = {print, text_trace, value_trace};
constexpr FieldFormat sym = {refuse, text_with_ip, value_symbol};
constexpr FieldFormat symoff = {refuse, text_with_ip, value_symbol_offset};
constexpr FieldFormat dso = {refuse, text_with_ip, value_dso};
constexpr FieldFormat srcline = {refuse, text_with_ip, value_source};
constexpr FieldFormat build_id = {own, nullptr, value_build_id};
constexpr FieldFormat frames = {own, nullptr, write_frames_value};
constexpr FieldFormat callchain = {own, nullptr, value_callchain};
constexpr FieldFormat iregs = {refuse, text_registers<RegisterSet::interrupt>,
                               value_registers<RegisterSet::interrupt>};
constexpr FieldFormat uregs = {refuse, text_registers<RegisterSet::user>,
                               value_registers<RegisterSet::user>};
constexpr FieldFormat brstack = {
    print,
    [](const Sample& s, FieldContext& c, Output& o) {
      write_branches_text(s, c.arch, c.branch_texts, o);
    },
    [](const Sample& s, FieldContext& c, ValueWriter& o) { write_branches_value(s, c.arch, o); }};
constexpr FieldFormat brcntr = {
    print, [](const Sample&, FieldContext& c, Output& o) { o.text(c.branch_counters.list); },
    [](const Sample& s, FieldContext& c, ValueWriter& o) {
      write_branch_counters_value(s, c.branch_counters, o);
    }};
constexpr FieldFormat brcounts = {own,
                                  [](const Sample& s, FieldContext& c, Output& o) {
                                    write_branch_counters_text(s, c.branch_counters, o);
                                  },
                                  brcntr.value};
constexpr FieldFormat counters = {
    own, [](const Sample& s, FieldContext& c, Output& o) { write_read_text(s, c, o); },
    [](const Sample& s, FieldContext& c, ValueWriter& o) { write_read_value(s, c, o); }};
constexpr FieldFormat ibs = {
    own, [](const Sample&, FieldContext& c, Output& o) { write_ibs_text(c.ibs, o); },
    [](const Sample&, FieldContext& c, ValueWriter& o) { write_ibs_value(c.ibs, o); }};
template <IbsItem Item>
constexpr FieldFormat ibs_item = {
    own, [](const Sample&, FieldContext& c, Output& o) { write_ibs_text(c.ibs, Item, o); },
    [](const Sample&, FieldContext& c, ValueWriter& o) { write_ibs_value(c.ibs, Item, o); }};

}  // namespace formats

constexpr FieldRow row(Field field, std::string_view name, std::string_view what,
                       std::uint32_t sample_bits, const FieldFormat& format) {
  return {field, name, what, format.unsampled, sample_bits, format.text, format.value};
}

/// The fields of IBS follow the named ones.
template <IbsItem Item>
constexpr FieldRow ibs_row(std::string_view name, std::string_view what) {
  constexpr auto kField = static_cast<std::size_t>(Field::ibs) + 1 + static_cast<std::size_t>(Item);
  return row(static_cast<Field>(kField), name, what, kSampleRaw, formats::ibs_item<Item>);
}

constexpr auto kRows = enum_table<&FieldRow::field>({
#define EVNAME_FIELD(name, sampled, what) row(Field::name, #name, what, sampled, formats::name),
#define EVNAME_SAMPLE_NUMBER(name, NAME, sampled, format, what) \
  row(Field::name, #name, what, sampled, formats::format<&Sample::name>),
#include "perf_format/sample_fields.def"
#define EVNAME_IBS_REGISTER(name, label, kind, word, when, what) \
  ibs_row<IbsItem::name>(#name, what),
#define EVNAME_IBS_PART(name, label, from, bits, form, when, what) \
  ibs_row<IbsItem::name>(#name, what),
#include "recordings/perf_data/ibs.def"
});

}  // namespace

std::span<const FieldRow> field_rows() { return kRows; }
const FieldRow& row_of(Field field) { return kRows[field]; }

bool has_field(const perf_format::Event& event, const FieldRow& row) {
  if (row.field == Field::callchain) return event.has_callchain();
  return row.sample_bits == 0 || (event.attr.sample_type & row.sample_bits) != 0;
}

}  // namespace evname::annotation
