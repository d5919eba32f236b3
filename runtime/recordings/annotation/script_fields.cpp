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
  types[kTypeRaw].fields |= set_of(
      {addr, data_src, weight, phys_addr, data_page_size, code_page_size, ins_lat, retire_lat});
  return types;
}

/// Only tracepoints have fields of their own.
bool is_valid(std::size_t type, Field field) {
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
  for (std::size_t i = first; i < end; ++i) {
    if (!changes) types[i].fields.reset();
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
      return fail(Errc::invalid_argument,
                  fmt::format("'{}' not valid for {} events.", row->name, of_type->text),
                  std::string(whole));
    for (std::size_t i = first; i < end; ++i) {
      if (!is_valid(i, row->field)) continue;
      types[i].fields.set(static_cast<std::size_t>(row->field), !removes);
      if (!of_type) types[i].asked.set(static_cast<std::size_t>(row->field), !removes);
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

/// Removes default fields that an event does not sample, and refuses requested ones.
Result<void> check_samples(const Event& event, const RecordedEvent& named, bool has_traces,
                           TypeFields& type) {
  const auto refuse = [](std::string_view why) { return fail(Errc::not_found, std::string(why)); };
  for (const Needed& row : kNeeded) {
    if (!has(type.fields, row.field) || (event.attr.sample_type & row.bits) != 0) continue;
    if (!has(type.asked, row.field)) {
      type.fields.reset(static_cast<std::size_t>(row.field));
      // perf drops both of them together.
      if (row.field == Field::tid) type.fields.reset(static_cast<std::size_t>(Field::pid));
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
  if (has(type.fields, Field::srcline) && !has(type.fields, Field::ip))
    return refuse(
        "Display of source line number requested but sample IP is not selected. Hence, no address "
        "to lookup the source line number.");
  return {};
}

Result<void> check_types(const Recording& file, std::array<TypeFields, kTypes>& types) {
  const std::vector<Event>& events = detail::state_of(file).file.events.list();
  const bool has_traces = perf_data::features_of(file).has(Feature::auxtrace);
  if (perf_data::features_of(file).has(Feature::stat)) return {};
  for (std::size_t i = 0; i < kTypes; ++i) {
    const auto event = std::find_if(events.begin(), events.end(), [&](const Event& one) {
      return type_of(one) == i && !perf_format::is_dummy(one.attr);
    });
    if (event == events.end() || types[i].fields.none()) continue;
    const auto index = static_cast<std::size_t>(event - events.begin());
    if (auto good = check_samples(*event, file.events()[index], has_traces, types[i]); !good)
      return good;
  }
  const bool chains = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.attr.code.type == kTypeTracepoint && event.has_callchain();
  });
  if (chains && !types[kTypeTracepoint].user_set)
    types[kTypeTracepoint].fields |= set_of({Field::ip, Field::sym, Field::symoff, Field::dso});
  return {};
}

}  // namespace

Result<FieldsByEvent> parse_script_fields(std::span<const std::string> arguments,
                                          const Recording& file) {
  auto types = default_types();
  for (const std::string& argument : arguments)
    if (auto good = apply_argument(argument, types); !good) return fail(good);
  if (auto good = check_types(file, types); !good) return fail(good);
  FieldsByEvent fields;
  for (const auto& event : detail::state_of(file).file.events.list()) {
    std::vector<Field>& own = fields.emplace_back();
    for (const FieldRow& row : field_rows())
      if (has(types[type_of(event)].fields, row.field)) own.push_back(row.field);
  }
  return fields;
}

}  // namespace evname::annotation
