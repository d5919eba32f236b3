#include "annotate/fields.hpp"

#include "annotate/data_src.hpp"
#include "annotate/registers.hpp"
#include "annotate/trace_fields.hpp"

namespace evname {
namespace {

using namespace perfdata;

using Text = void (*)(const Sample&, FieldContext&, Output&);
using Value = void (*)(const Sample&, FieldContext&, ValueWriter&);

bool has_callchain(const Sample& sample) {
  return sample.state().view.event.attr.samples(kSampleCallchain);
}

// Formats: tools/perf/builtin-script.c.
void text_comm(const Sample& sample, FieldContext& context, Output& out) {
  const bool plain = context.callchains && has_callchain(sample);
  out.right(sample.tid() ? sample.comm() : ":-1", plain ? 0 : 16);
  out.put(' ');
}

// perf prints -1 and the largest time where they are not sampled.
template <class T, std::optional<T> (Sample::*Get)() const>
void text_thread(const Sample& sample, FieldContext&, Output& out) {
  out.decimal((sample.*Get)().value_or(-1), 5);
  out.put(' ');
}

void text_cpu(const Sample& sample, FieldContext&, Output& out) {
  out.put('[');
  out.zeros(*sample.cpu(), 3);
  out.text("] ");
}

void text_time(const Sample& sample, FieldContext&, Output& out) {
  const std::uint64_t time = sample.time().value_or(UINT64_MAX);
  out.decimal(time / 1'000'000'000, 5);
  out.put('.');
  out.zeros(time % 1'000'000'000 / 1000, 6);
  out.text(": ");
}

void text_event(const Sample& sample, FieldContext& context, Output& out) {
  out.right(context.names[sample.event().attr], context.name_width);
  out.text(": ");
}

template <class T, std::optional<T> (Sample::*Get)() const>
void text_hex(const Sample& sample, FieldContext&, Output& out) {
  out.hex(*(sample.*Get)(), 16);
}
template <class T, std::optional<T> (Sample::*Get)() const>
void text_number(const Sample& sample, FieldContext&, Output& out) {
  out.decimal(*(sample.*Get)(), 16);
}

void text_data_src(const Sample& sample, FieldContext& context, Output& out) {
  constexpr std::size_t kLongest = 99;  // perf's buffer
  const std::size_t start = out.size();
  out.hex(*sample.data_src(), 16);
  out.put(' ');
  write_data_src(*sample.data_src(), out);
  out.truncate(start + kLongest);
  const std::size_t size = out.size() - start;
  context.data_src_width = std::max(context.data_src_width, size);
  out.right("", context.data_src_width - size);
}

void text_ip(const Sample& sample, FieldContext&, Output& out) {
  if (!has_callchain(sample)) {
    out.put(' ');
    return out.hex(*sample.ip(), 16);
  }
  out.put('\n');
  for_each_frame(sample, true, [&](std::uint64_t address) {
    out.put('\t');
    out.hex(address, 16);
    out.put('\n');
  });
}

// One name for each bit of the mask.
template <class Each>
void for_each_register(std::uint64_t mask, const SampleWords& values, const FieldContext& context,
                       Each&& each) {
  std::size_t next = 0;
  for (unsigned bit = 0; bit < 64 && next < values.size(); ++bit)
    if (mask >> bit & 1) each(register_name(context.arch, bit), bit, values[next++]);
}

template <bool User>
std::uint64_t mask_of(const Attr& attr) {
  return User ? attr.regs_user : attr.regs_intr;
}
template <bool User>
SampleWords registers_of(const Sample& sample) {
  return User ? sample.user_registers() : sample.interrupt_registers();
}

template <bool User>
void text_registers(const Sample& sample, FieldContext& context, Output& out) {
  const SampleTail& tail = sample.state().view.tail;
  const SampleWords values = registers_of<User>(sample);
  if (values.empty()) return;
  out.text(" ABI:");
  out.decimal(User ? tail.regs_user_abi : tail.regs_intr_abi);
  out.put(' ');
  for_each_register(mask_of<User>(sample.state().view.event.attr), values, context,
                    [&](std::string_view name, unsigned, std::uint64_t value) {
                      out.right(name, 5);
                      out.text(":0x");
                      out.hex(value);
                      out.put(' ');
                    });
}

// Flags of perf_branch_entry: 0 mispredicted, 1 predicted, 2 in_tx, 3 abort, 4 to 19 cycles, 20
// to 23 type.
struct Branch {
  std::uint64_t from, to, flags;
  char prediction() const { return flags & 2 ? 'P' : flags & 1 ? 'M' : '-'; }
  char transaction() const { return flags & 4 ? 'X' : '-'; }
  char abort() const { return flags & 8 ? 'A' : '-'; }
  std::string_view type() const {
    constexpr std::string_view kTypes[16] = {
        "",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
        "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", ""};
    return kTypes[flags >> 20 & 15];
  }
  std::uint64_t cycles() const { return flags >> 4 & 0xffff; }
};

template <class Each>
void for_each_branch(const Sample& sample, Each&& each) {
  const SampleWords words = sample.branches();
  for (std::size_t i = 0; i + 2 < words.size(); i += 3)
    each(Branch{words[i], words[i + 1], words[i + 2]});
}

void text_branch(const Branch& branch, Output& out) {
  out.text("0x");
  out.hex(branch.from);
  out.text("/0x");
  out.hex(branch.to);
  for (const char flag : {branch.prediction(), branch.transaction(), branch.abort()}) {
    out.put('/');
    out.put(flag);
  }
  out.put('/');
  out.decimal(branch.cycles());
  out.put('/');
  out.text(branch.type());
}

void text_branches(const Sample& sample, FieldContext&, Output& out) {
  for_each_branch(sample, [&](const Branch& branch) {
    out.put(' ');
    text_branch(branch, out);
    out.put(' ');
  });
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
  write_page_size(*(sample.*Get)(), out);
}

void text_code(const Sample& sample, FieldContext&, Output& out) {
  const Code& code = sample.event().code;
  out.text("0x");
  out.hex(code.config);
  const std::uint64_t more[] = {code.config1, code.config2, code.config3};
  for (std::size_t i = 0; i < 3; ++i) {
    if (more[i] == 0) continue;
    out.text(",config");
    out.put(static_cast<char>('1' + i));
    out.text("=0x");
    out.hex(more[i]);
  }
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
  for_each_frame(sample, false, [&](std::uint64_t address) {
    out.next_item();
    out.hex(address);
  });
  out.end_list();
}

template <bool User>
void value_registers(const Sample& sample, FieldContext& context, ValueWriter& out) {
  out.begin_pairs();
  for_each_register(mask_of<User>(sample.state().view.event.attr), registers_of<User>(sample),
                    context, [&](std::string_view name, unsigned bit, std::uint64_t value) {
                      out.next_pair(name.empty() ? fmt::format("reg{}", bit) : std::string(name));
                      out.hex(value);
                    });
  out.end_pairs();
}

void value_branches(const Sample& sample, FieldContext&, ValueWriter& out) {
  out.begin_list();
  for_each_branch(sample, [&](const Branch& branch) {
    out.next_item();
    if (out.json()) out.out().put('"');
    text_branch(branch, out.out());
    if (out.json()) out.out().put('"');
  });
  out.end_list();
}

void text_trace(const Sample& sample, FieldContext& context, Output& out) {
  const auto* format = context.traces[sample.event().attr];
  if (format) write_trace_text(*format, sample.raw(), context.big_endian, out);
}
void value_trace(const Sample& sample, FieldContext& context, ValueWriter& out) {
  const auto* format = context.traces[sample.event().attr];
  if (!format) return out.absent();
  write_trace_value(*format, sample.raw(), context.big_endian, out);
}

using U64 = std::uint64_t;

constexpr FieldRow kRows[] = {
    {Field::comm, "comm", "name of the thread", 0, text_comm, "",
     [](const Sample& s, FieldContext&, ValueWriter& o) {
       s.tid() ? o.text(s.comm()) : o.absent();
     }},
    {Field::pid, "pid", "process", kSampleTid, text_thread<std::int32_t, &Sample::pid>, "   -1 ",
     value_number<std::int32_t, &Sample::pid>},
    {Field::tid, "tid", "thread", kSampleTid, text_thread<std::int32_t, &Sample::tid>, "   -1 ",
     value_number<std::int32_t, &Sample::tid>},
    {Field::cpu, "cpu", "CPU", kSampleCpu, text_cpu, "[-01] ",
     value_number<std::uint32_t, &Sample::cpu>},
    {Field::time, "time", "seconds of the recording's clock", kSampleTime, text_time,
     "18446744073.709551: ",
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.seconds(*s.time()); }},
    {Field::period, "period", "how many of the events a sample stands for", 0,
     [](const Sample& s, FieldContext&, Output& o) { o.decimal(s.period(), 10), o.put(' '); }, "",
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.number(s.period()); }},
    {Field::event, "event", "name of the event", 0, text_event, "",
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.text(s.event().name); }},
    {Field::pmu, "pmu", "PMU of the event", 0,
     [](const Sample& s, FieldContext&, Output& o) { o.text(s.event().pmu), o.put(' '); }, "",
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.text(s.event().pmu); }},
    {Field::code, "code", "code of the event", 0,
     [](const Sample& s, FieldContext& c, Output& o) { text_code(s, c, o), o.put(' '); }, "",
     [](const Sample& s, FieldContext&, ValueWriter& o) { o.hex(s.event().code.config); }},
    {Field::trace, "trace", "fields of a tracepoint", kSampleRaw, text_trace, "", value_trace},
    {Field::addr, "addr", "address the event is about", kSampleAddr, text_hex<U64, &Sample::addr>,
     "               -", value_hex<&Sample::addr>},
    {Field::data_src, "data_src", "where data came from", kSampleDataSrc, text_data_src,
     "               -", value_hex<&Sample::data_src>},
    {Field::weight, "weight", "cost: mostly a latency in cycles",
     kSampleWeight | kSampleWeightStruct, text_number<U64, &Sample::weight>, "               -",
     value_number<U64, &Sample::weight>},
    {Field::ins_lat, "ins_lat", "latency of the instruction", kSampleWeightStruct,
     text_number<std::uint16_t, &Sample::ins_lat>, "               -",
     value_number<std::uint16_t, &Sample::ins_lat>},
    {Field::retire_lat, "retire_lat", "cycles until it retired", kSampleWeightStruct,
     text_number<std::uint16_t, &Sample::retire_lat>, "               -",
     value_number<std::uint16_t, &Sample::retire_lat>},
    {Field::ip, "ip", "instruction, or callchain where there is one", kSampleIp | kSampleCallchain,
     text_ip, "                -",
     [](const Sample& s, FieldContext&, ValueWriter& o) { s.ip() ? o.hex(*s.ip()) : o.absent(); }},
    {Field::callchain, "callchain", "csv and jsonl: return addresses, leaf first", kSampleCallchain,
     nullptr, "", value_callchain},
    {Field::iregs, "iregs", "registers at the interrupt", kSampleRegsIntr, text_registers<false>,
     "", value_registers<false>},
    {Field::uregs, "uregs", "registers of user space", kSampleRegsUser, text_registers<true>, "",
     value_registers<true>},
    {Field::brstack, "brstack", "branches: from/to/predicted/transaction/abort/cycles",
     kSampleBranchStack, text_branches, "", value_branches},
    {Field::phys_addr, "phys_addr", "physical address", kSamplePhysAddr,
     text_hex<U64, &Sample::phys_addr>, "               -", value_hex<&Sample::phys_addr>},
    {Field::data_page_size, "data_page_size", "page size of the data", kSampleDataPageSize,
     text_page_size<&Sample::data_page_size>, " -", value_number<U64, &Sample::data_page_size>},
    {Field::code_page_size, "code_page_size", "page size of the code", kSampleCodePageSize,
     text_page_size<&Sample::code_page_size>, " -", value_number<U64, &Sample::code_page_size>},
    {Field::cgroup, "cgroup", "id of the cgroup", kSampleCgroup,
     [](const Sample& s, FieldContext&, Output& o) { o.put(' '), o.decimal(*s.cgroup()); }, " -",
     value_number<U64, &Sample::cgroup>},
    {Field::transaction, "transaction", "flags of a transaction's abort", kSampleTransaction,
     text_hex<U64, &Sample::transaction>, "               -", value_hex<&Sample::transaction>},
    {Field::id, "id", "the kernel's id of the event", kSampleId | kSampleIdentifier,
     text_number<U64, &Sample::id>, "               -", value_number<U64, &Sample::id>},
    {Field::desc, "desc", "what the event counts", 0,
     [](const Sample& s, FieldContext& c, Output& o) {
       o.put(' '), o.text(c.descs[s.event().attr]);
     },
     "", [](const Sample& s, FieldContext& c, ValueWriter& o) { o.text(c.descs[s.event().attr]); }},
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

bool has_field(const Attr& attr, const FieldRow& row) {
  return row.sample_bits == 0 || (attr.sample_type & row.sample_bits) != 0;
}

}  // namespace evname
