// Chooses fields for each event as perf script does: by its type and its sampled fields. Source:
// output[], parse_output_fields and perf_session__check_output_opt of tools/perf/builtin-script.c.

#include <algorithm>
#include <array>
#include <bitset>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/annotation/script_options.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;
using FieldSet = std::bitset<256>;  // of Field, a byte

FieldSet set_of(std::initializer_list<Field> fields) {
  FieldSet set;
  for (const Field field : fields) set.set(static_cast<std::size_t>(field));
  return set;
}
bool has(const FieldSet& set, Field field) { return set[static_cast<std::size_t>(field)]; }

/// The types of events that perf script keeps apart: the types of perf_event_attr, then all others,
/// then its samples from Intel PT, which no event of a recording has.
constexpr std::size_t kOtherTypes = 6, kSynthesized = 7, kTypes = 8;
constexpr std::uint32_t kTypeRaw = 4;

/// A name of a type in "-F TYPE:FIELDS", and in messages.
struct TypeName {
  std::uint32_t type;
  std::string_view option, text;
};
constexpr TypeName kTypeNames[] = {
    {0, "hw", "hardware"},    {1, "sw", "software"},      {kTypeTracepoint, "trace", "tracepoint"},
    {kTypeRaw, "raw", "raw"}, {5, "break", "breakpoint"}, {kSynthesized, "synth", "synth"}};

/// The fields of a type.
struct TypeFields {
  FieldSet fields, asked;  ///< to print; and the part of them that was requested for all types
  FieldSet removed;        ///< the part that was removed for all types
  bool user_set = false;
};

std::size_t type_of(const Event& event) {
  return std::min<std::size_t>(event.attr.code.type, kOtherTypes);
}

std::array<TypeFields, kTypes> default_types() {
  using enum Field;
  const FieldSet common = set_of({comm, tid, cpu, time, event});
  std::array<TypeFields, kTypes> types;
  for (TypeFields& type : types) type.fields = common | set_of({ip, sym, symoff, dso, period});
  types[kTypeTracepoint].fields = common | set_of({trace});
  types[kTypeSoftware].fields |= set_of({bpf_output});
  types[kTypeRaw].fields |= set_of(
      {addr, data_src, weight, phys_addr, data_page_size, code_page_size, ins_lat, retire_lat});
  return types;
}

/// Some types of events have fields of their own.
bool is_valid(std::size_t type, Field field) {
  if (field == Field::bpf_output) return type == kTypeSoftware || type == kTypeTracepoint;
  return field != Field::trace || type == kTypeTracepoint;
}

/// One argument of -F.
Result<void> apply_argument(std::string_view text, std::array<TypeFields, kTypes>& types) {
  const std::string_view whole = text;
  std::size_t first = 0, end = kTypes;
  const TypeName* of_type = nullptr;
  if (const std::size_t colon = text.find(':'); colon != text.npos) {
    of_type = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                           [&](auto& one) { return one.option == text.substr(0, colon); });
    if (of_type == std::end(kTypeNames))
      return fail(Errc::invalid_argument, "Invalid event type in field string.",
                  std::string(whole));
    first = of_type->type;
    end = first + 1;
    text.remove_prefix(colon + 1);
  } else if (text.empty()) {
    return fail(Errc::invalid_argument, "Cannot set fields to 'none' for all event types.");
  }
  const bool changes = text.find_first_of("+-") == 0;
  const bool replaces = text.find_first_of("+-") == text.npos;  // the name bpf-output never does
  for (std::size_t i = first; i < end; ++i) {
    if (replaces) types[i].fields.reset();
    types[i].user_set = true;
  }
  if (text.empty()) return {};
  for (std::string_view word : split(text, ',')) {
    if (word.empty()) continue;  // as in perf
    const bool is_signed = word.starts_with('+') || word.starts_with('-');
    if (is_signed != changes)
      return fail(Errc::invalid_argument, "Cannot mix +-field with overridden fields",
                  std::string(whole));
    const bool removes = word.starts_with('-');
    const FieldRow* row = find_row(word.substr(is_signed));
    if (!row || !row->text) return no_field(word.substr(is_signed));
    if (of_type && !is_valid(first, row->field))
      return fail(
          Errc::invalid_argument,
          fmt::format("'{}' not valid for {} events.", word.substr(is_signed), of_type->text),
          std::string(whole));
    for (std::size_t i = first; i < end; ++i) {
      if (!is_valid(i, row->field)) continue;
      types[i].fields.set(static_cast<std::size_t>(row->field), !removes);
      if (of_type) continue;
      types[i].asked.set(static_cast<std::size_t>(row->field), !removes);
      types[i].removed.set(static_cast<std::size_t>(row->field), removes);
    }
  }
  return {};
}

/// A field that an event must sample, and perf's name for it.
struct Needed {
  Field field;
  std::uint64_t bits;
  std::string_view name;
  bool traces_may_lack;  ///< no error in a recording of trace hardware
};
constexpr Needed kNeeded[] = {
    {Field::ip, kSampleIp, "IP", false},
    {Field::addr, kSampleAddr, "ADDR", true},
    {Field::data_src, kSampleDataSrc, "DATA_SRC", true},
    {Field::weight, kSampleWeight | kSampleWeightStruct, "WEIGHT", true},
    {Field::tid, kSampleTid, "TID", false},
    {Field::pid, kSampleTid, "TID", false},
    {Field::time, kSampleTime, "TIME", false},
    {Field::cpu, kSampleCpu, "CPU", true},
    {Field::iregs, kSampleRegsIntr, "IREGS", true},
    {Field::uregs, kSampleRegsUser, "UREGS", false},
    {Field::phys_addr, kSamplePhysAddr, "PHYS_ADDR", true},
    {Field::data_page_size, kSampleDataPageSize, "DATA_PAGE_SIZE", false},
    {Field::code_page_size, kSampleCodePageSize, "CODE_PAGE_SIZE", false},
    {Field::ins_lat, kSampleWeightStruct, "WEIGHT_STRUCT", false},
    {Field::cgroup, kSampleCgroup, "CGROUP", false},
    {Field::retire_lat, kSampleWeightStruct, "WEIGHT_STRUCT", false},
};

Result<void> refuse(std::string_view why, std::string_view hint = "") {
  return fail(Errc::not_found, std::string(why), {}, std::string(hint));
}

/// Refuses fields that need branches or counts of them.
Result<void> check_branches(const std::vector<Event>& events, bool has_traces,
                            const FieldSet& fields) {
  std::uint64_t branches = 0;
  for (const Event& event : events) branches |= event.attr.branch_sample_type;
  const FieldSet code =
      set_of({Field::brstackinsn, Field::brstackinsnlen, Field::brstackdisasm}) & fields;
  if (code.any() && !has_traces && (branches & kBranchAny) == 0)
    return refuse("Display of branch stack assembler requested, but non all-branch filter set",
                  "record -b");
  if (has(fields, Field::brcntr) && (branches & kBranchCounters) == 0)
    return refuse("Display of branch counter requested but it's not enabled",
                  "record -j any,counter");
  return {};
}

/// Removes default fields that an event does not sample, and refuses requested ones.
Result<void> check_samples(const Event& event, const RecordedEvent& named, bool has_traces,
                           TypeFields& type) {
  for (const Needed& row : kNeeded) {
    if (!has(type.fields, row.field) || (event.attr.sample_type & row.bits) != 0) continue;
    if (!has(type.asked, row.field)) {
      type.fields.reset(static_cast<std::size_t>(row.field));
    } else if (!row.traces_may_lack || !has_traces) {
      return refuse(
          fmt::format("Samples for '{}' event do not have {} attribute set. Cannot print "
                      "'{}' field.",
                      named.recorded_name, row.name, row_of(row.field).name));
    }
  }
  const bool has_address = event.attr.sample_type & (kSampleIp | kSampleAddr);
  if (has(type.fields, Field::sym) && !has_address)
    return refuse(
        "Display of symbols requested but neither sample IP nor sample address available. Hence, "
        "no addresses to convert to symbols.");
  if (has(type.fields, Field::symoff) && !has(type.fields, Field::sym))
    return refuse("Display of offsets requested but symbol is not selected.");
  if (has(type.fields, Field::dso) && !has_address)
    return refuse("Display of DSO requested but no address to convert.");
  const FieldSet lines = set_of({Field::srcline, Field::srccode}) & type.fields;
  if (lines.any() && !has(type.fields, Field::ip))
    return refuse(
        "Display of source line number requested but sample IP is not selected. Hence, no address "
        "to lookup the source line number.");
  return {};
}

/// In a pipe, perf adds the fields of callers to the first event of each type, if that or an
/// earlier event has callers: process_attr of tools/perf/builtin-script.c.
void add_chain_fields(std::span<const Event> events, TypeFields& type) {
  std::uint64_t bits = 0;
  for (const Event& event : events) bits |= event.attr.sample_type;
  constexpr std::uint64_t kCopies = kSampleRegsUser | kSampleStackUser;
  if ((bits & (kSampleCallchain | kSampleBranchStack)) != 0 || (bits & kCopies) == kCopies)
    type.fields |= set_of({Field::ip, Field::sym}) & ~type.removed;
}

/// `hides_callers`: without callchains.
Result<void> check_types(const Recording& file, bool hides_callers,
                         std::array<TypeFields, kTypes>& types) {
  const bool is_pipe = file.facts().form == FileFacts::Form::pipe;
  const std::vector<Event>& events = detail::state_of(file).file.events.list();
  const bool has_traces = perf_data::features_of(file).has(Feature::auxtrace);
  if (perf_data::features_of(file).has(Feature::stat)) return {};
  for (std::size_t i = 0; i < kTypes; ++i) {
    const auto event = std::find_if(events.begin(), events.end(), [&](const Event& one) {
      return type_of(one) == i && !perf_format::is_dummy(one.attr);
    });
    if (event == events.end() || types[i].fields.none()) continue;
    const auto index = static_cast<std::size_t>(event - events.begin());
    // In a pipe perf checks only the types that the kernel numbers, and no events that only count.
    if (is_pipe && (i >= kOtherTypes || event->attr.sample_type == 0)) continue;
    auto good = check_samples(*event, file.events()[index], has_traces, types[i]);
    if (good) good = check_branches(events, has_traces, types[i].fields);
    if (!good) return good;
    if (!is_pipe && has(types[i].fields, Field::tod) && !perf_data::features_of(file).clock)
      return refuse(
          "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
    // dsoff has the file with it, but not in a pipe.
    if (!is_pipe && has(types[i].fields, Field::dsoff)) types[i].fields |= set_of({Field::dso});
    if (is_pipe && !hides_callers) add_chain_fields(std::span(events).first(index + 1), types[i]);
  }
  const bool chains = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.attr.code.type == kTypeTracepoint && event.has_callchain();
  });
  if (chains && !hides_callers && !is_pipe && !types[kTypeTracepoint].user_set)
    types[kTypeTracepoint].fields |= set_of({Field::ip, Field::sym, Field::symoff, Field::dso});
  return {};
}

}  // namespace

Result<FieldsByEvent> parse_script_fields(std::span<const std::string> arguments,
                                          const Recording& file, bool hides_callers) {
  auto types = default_types();
  for (const std::string& argument : arguments)
    if (auto good = apply_argument(argument, types); !good) return fail(good);
  if (auto good = check_types(file, hides_callers, types); !good) return fail(good);
  FieldsByEvent fields;
  for (const auto& event : detail::state_of(file).file.events.list()) {
    std::vector<Field>& own = fields.emplace_back();
    TypeFields type = types[type_of(event)];
    const bool has_target = perf_format::is_branch_trace(event.attr) &&
                            event.attr.samples(kSampleAddr) && !type.user_set;
    if (has_target && type.fields.any()) type.fields.set(static_cast<std::size_t>(Field::addr));
    for (const FieldRow& row : field_rows())
      if (has(type.fields, row.field)) own.push_back(row.field);
  }
  return fields;
}

}  // namespace evname::annotation
