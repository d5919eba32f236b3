#include "recordings/report/sort_keys.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "evname/attr.hpp"
#include "evname/decoded.hpp"
#include "perf_format/data_src.hpp"
#include "perf_format/trace_data.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/report/data_places.hpp"
#include "recordings/session/waits.hpp"

namespace evname::report {
namespace {

using perf_data::IbsItem;

template <class T>
std::uint32_t number(const std::optional<T>& value) {
  return value ? static_cast<std::uint32_t>(*value) : kAbsent;
}

std::uint32_t cgroup_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const auto id = sample->cgroup();
  if (!id) return kAbsent;
  const std::string_view path = sample->cgroup_path();
  return path.empty() ? context.texts.id(fmt::format("{}", *id)) : context.texts.id(path);
}

std::uint32_t state_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const std::string_view text = session::off_cpu_text(detail::record_of(*sample).off_cpu);
  return text.empty() ? kAbsent : context.texts.id(text);
}

namespace source = perf_format::data_source;

/// A key that is a part of the data source.
struct SourceKey {
  SortKey key;
  std::uint64_t mask;
  std::string (DataSource::*text)() const;
};

constexpr SourceKey kSourceKeys[] = {
    {SortKey::op, source::kOp.mask(), &DataSource::op_text},
    {SortKey::mem,
     source::kLevel.mask() | source::kLevelNumber.mask() | source::kRemote.mask() |
         source::kHops.mask(),
     &DataSource::level_text},
    {SortKey::snoop, source::kSnoop.mask() | source::kSnoopX.mask(), &DataSource::snoop_text},
    {SortKey::tlb, source::kTlb.mask(), &DataSource::tlb_text},
    {SortKey::locked, source::kLock.mask(), &DataSource::lock_text},
    {SortKey::blocked, source::kBlock.mask(), &DataSource::blocked_text},
};
constexpr const SourceKey& source_key(SortKey key) {
  return kSourceKeys[static_cast<std::size_t>(key) - static_cast<std::size_t>(SortKey::op)];
}

/// Returns the number of the text of a value; make() makes it once.
template <class Make>
TextPool::Id text_once(KeyContext& context, HashMap<std::uint64_t, TextPool::Id>& known,
                       std::uint64_t value, Make&& make) {
  const auto [at, is_new] = known.try_emplace(value);
  if (is_new) at.value() = context.texts.id(make());
  return at->second;
}

template <SortKey Key>
std::uint32_t source_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const auto value = sample->data_src();
  if (!value) return kAbsent;
  constexpr std::uint64_t kKey = static_cast<std::uint64_t>(Key) << 56;
  static_assert(source_key(Key).key == Key && source_key(Key).mask >> 56 == 0);
  return text_once(context, context.sources, kKey | (*value & source_key(Key).mask),
                   [&] { return source_text(Key, *value); });
}

template <BranchEnd BranchKeys::*End, std::uint32_t FrameKeys::*Member>
std::uint32_t end_of(KeyContext& context, const RecordedEvent&, const Sample*) {
  return (context.branch->*End).keys.*Member;
}

template <BranchEnd BranchKeys::*End>
std::uint32_t end_address_of(KeyContext& context, const RecordedEvent&, const Sample*) {
  return (context.branch->*End).address;
}

/// Returns a fact about a branch in words; kAbsent if it is unknown.
template <std::string_view (*Text)(const Branch& branch, std::string_view arch)>
std::uint32_t branch_text_of(KeyContext& context, const RecordedEvent&, const Sample*) {
  const std::string_view text = Text(context.branch->branch, context.arch);
  return text.empty() ? kAbsent : context.texts.id(text);
}

// The letters are perf's: hist_entry__mispredict_snprintf and others of tools/perf/util/sort.c.

std::string_view mispredict_text(const Branch& branch, std::string_view) {
  return branch.predicted ? "N" : branch.mispredicted ? "Y" : "";
}
std::string_view in_tx_text(const Branch& branch, std::string_view) {
  return branch.in_transaction ? "T" : ".";
}
std::string_view abort_text(const Branch& branch, std::string_view) {
  return branch.abort ? "A" : ".";
}
std::string_view type_text(const Branch& branch, std::string_view arch) {
  return branch.type_text(arch);
}
std::string_view privilege_text(const Branch& branch, std::string_view) {
  return branch.privilege_text();
}

std::uint32_t cycles_of(KeyContext& context, const RecordedEvent&, const Sample*) {
  const std::uint16_t cycles = context.branch->branch.cycles;
  if (cycles == 0) return kAbsent;
  return text_once(context, context.decimals, cycles, [&] { return fmt::format("{}", cycles); });
}

template <auto Get>
std::uint32_t decimal_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const auto value = (sample->*Get)();
  if (!value) return kAbsent;
  return text_once(context, context.decimals, *value, [&] { return fmt::format("{}", *value); });
}

std::uint32_t latency_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const auto value = sample->weight();
  return value ? context.texts.id(latency_text(static_cast<unsigned>(std::bit_width(*value))))
               : kAbsent;
}

// hist_entry__simd_snprintf of tools/perf/util/sort.c.
std::uint32_t simd_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  constexpr std::string_view kSets[] = {"", "SVE", "SME", "ASE"};
  constexpr std::string_view kLanes = ".pefd";
  const perf_format::Simd simd = detail::record_of(*sample).simd;
  const auto set = static_cast<std::size_t>(simd.set), lanes = static_cast<std::size_t>(simd.lanes);
  if (set == 0 || set >= std::size(kSets) || lanes >= kLanes.size()) return kAbsent;
  return text_once(context, context.simds, set << 8 | lanes,
                   [&] { return fmt::format("[{}] {}", kLanes[lanes], kSets[set]); });
}

std::uint32_t physical_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const auto value = sample->phys_addr();
  if (!value) return kAbsent;
  return text_once(context, context.addresses, *value,
                   [&] { return fmt::format("{:#x}", *value); });
}

template <std::uint32_t (DataPlaces::*Get)(const Sample&)>
std::uint32_t data_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  return (context.data->*Get)(*sample);
}

std::uint32_t ibs_of(KeyContext& context, const RecordedEvent& event, const Sample* sample,
                     IbsItem item) {
  if (!context.ibs) return kAbsent;
  context.ibs->read(event.attr, sample->raw());
  const auto value = context.ibs->value(item);
  if (!value) return kAbsent;
  if (!value->name.empty()) return context.texts.id(value->name);
  const bool hex = perf_data::ibs_style(item).is_register;
  return text_once(context, hex ? context.addresses : context.decimals, value->number, [&] {
    return hex ? fmt::format("{:#x}", value->number) : fmt::format("{}", value->number);
  });
}

template <std::size_t N>
std::uint32_t field_of(KeyContext& context, const RecordedEvent& event, const Sample* sample) {
  if (N >= context.trace_fields.size()) return kAbsent;
  const perf_format::TraceField* const field = context.trace_fields[N][event.attr];
  if (field == nullptr) return kAbsent;
  const auto text = perf_format::text_of(*field, sample->raw(), context.order);
  return text ? context.texts.id(*text) : kAbsent;
}

template <std::size_t N>
constexpr KeyRow field_row(SortKey key) {
  return {key, "", KeyNeeds::sample, KeyRow::Value::text, field_of<N>};
}

/// The keys of IBS follow the named ones.
constexpr std::size_t kFirstIbs = static_cast<std::size_t>(SortKey::field7) + 1;

template <IbsItem Item>
constexpr KeyRow ibs_row(std::string_view name) {
  return {static_cast<SortKey>(kFirstIbs + static_cast<std::size_t>(Item)), name, KeyNeeds::ibs,
          KeyRow::Value::text, [](KeyContext& c, const RecordedEvent& e, const Sample* s) {
            return ibs_of(c, e, s, Item);
          }};
}

using enum KeyNeeds;
constexpr BranchEnd BranchKeys::*kFrom = &BranchKeys::from, BranchKeys::*kTo = &BranchKeys::to;
constexpr auto kText = KeyRow::Value::text, kDecimal = KeyRow::Value::decimal,
               kNumber = KeyRow::Value::number;

constexpr auto kKeys = enum_table<&KeyRow::key>({
    {SortKey::event, "event", event, KeyRow::Value::event, nullptr},
    {SortKey::file, "file", event, kText,
     [](KeyContext& c, const RecordedEvent&, const Sample*) {
       return c.texts.id(c.file.facts().path);
     }},
    {SortKey::pmu, "pmu", event, kText,
     [](KeyContext& c, const RecordedEvent& e, const Sample*) { return c.texts.id(e.pmu); }},
    {SortKey::comm, "comm", order, kText,
     [](KeyContext& c, const RecordedEvent&, const Sample* s) { return c.comm_of(*s); }},
    {SortKey::pid, "pid", sample, kNumber,
     [](KeyContext&, const RecordedEvent&, const Sample* s) { return number(s->pid()); }},
    {SortKey::tid, "tid", sample, kNumber,
     [](KeyContext&, const RecordedEvent&, const Sample* s) { return number(s->tid()); }},
    {SortKey::cpu, "cpu", sample, kNumber,
     [](KeyContext&, const RecordedEvent&, const Sample* s) { return number(s->cpu()); }},
    {SortKey::cgroup, "cgroup", order, kText, cgroup_of},
    {SortKey::state, "state", sample, kText, state_of},
    {SortKey::sym, "sym", location, kText, nullptr, &FrameKeys::sym},
    {SortKey::dso, "dso", location, kText, nullptr, &FrameKeys::dso},
    {SortKey::srcfile, "srcfile", location, kText, nullptr, &FrameKeys::srcfile},
    {SortKey::srcline, "srcline", location, kText, nullptr, &FrameKeys::srcline},
    {SortKey::op, "op", sample, kText, source_of<SortKey::op>},
    {SortKey::mem, "mem", sample, kText, source_of<SortKey::mem>},
    {SortKey::snoop, "snoop", sample, kText, source_of<SortKey::snoop>},
    {SortKey::tlb, "tlb", sample, kText, source_of<SortKey::tlb>},
    {SortKey::locked, "locked", sample, kText, source_of<SortKey::locked>},
    {SortKey::blocked, "blocked", sample, kText, source_of<SortKey::blocked>},
    {SortKey::simd, "simd", sample, kText, simd_of},
    {SortKey::latency, "latency", sample, kText, latency_of},
    {SortKey::local_weight, "local_weight", sample, kDecimal, decimal_of<&Sample::weight>},
    {SortKey::local_ins_lat, "local_ins_lat", sample, kDecimal, decimal_of<&Sample::ins_lat>},
    {SortKey::local_retire_lat, "local_retire_lat", sample, kDecimal,
     decimal_of<&Sample::retire_lat>},
    {SortKey::symbol_daddr, "symbol_daddr", data, kText, data_of<&DataPlaces::address_text>},
    {SortKey::data_sym, "data_sym", data, kText, data_of<&DataPlaces::symbol_text>},
    {SortKey::dso_daddr, "dso_daddr", data, kText, data_of<&DataPlaces::dso_text>},
    {SortKey::dcacheline, "dcacheline", data, kText, data_of<&DataPlaces::line_text>},
    {SortKey::phys_daddr, "phys_daddr", sample, kText, physical_of},
    {SortKey::sym_from, "sym_from", branch_end, kText, end_of<kFrom, &FrameKeys::sym>},
    {SortKey::sym_to, "sym_to", branch_end, kText, end_of<kTo, &FrameKeys::sym>},
    {SortKey::dso_from, "dso_from", branch_end, kText, end_of<kFrom, &FrameKeys::dso>},
    {SortKey::dso_to, "dso_to", branch_end, kText, end_of<kTo, &FrameKeys::dso>},
    {SortKey::srcline_from, "srcline_from", branch_end, kText, end_of<kFrom, &FrameKeys::srcline>},
    {SortKey::srcline_to, "srcline_to", branch_end, kText, end_of<kTo, &FrameKeys::srcline>},
    {SortKey::addr_from, "addr_from", branch_end, kText, end_address_of<kFrom>},
    {SortKey::addr_to, "addr_to", branch_end, kText, end_address_of<kTo>},
    {SortKey::mispredict, "mispredict", branch, kText, branch_text_of<mispredict_text>},
    {SortKey::in_tx, "in_tx", branch, kText, branch_text_of<in_tx_text>},
    {SortKey::abort, "abort", branch, kText, branch_text_of<abort_text>},
    {SortKey::cycles, "cycles", branch, kDecimal, cycles_of},
    {SortKey::branch_type, "branch_type", branch, kText, branch_text_of<type_text>},
    {SortKey::priv, "priv", branch, kText, branch_text_of<privilege_text>},
    field_row<0>(SortKey::field0),
    field_row<1>(SortKey::field1),
    field_row<2>(SortKey::field2),
    field_row<3>(SortKey::field3),
    field_row<4>(SortKey::field4),
    field_row<5>(SortKey::field5),
    field_row<6>(SortKey::field6),
    field_row<7>(SortKey::field7),
#define EVNAME_IBS_REGISTER(name, ...) ibs_row<IbsItem::name>(#name),
#define EVNAME_IBS_PART(name, ...) ibs_row<IbsItem::name>(#name),
#include "recordings/perf_data/ibs.def"
});

/// Words that people try first.
using OtherName = std::pair<SortKey, std::string_view>;
constexpr OtherName kOtherNames[] = {{SortKey::comm, "thread"},
                                     {SortKey::sym, "function"},
                                     {SortKey::dso, "library"},
                                     {SortKey::srcline, "file:line"}};

constexpr std::size_t kFirstField = static_cast<std::size_t>(SortKey::field0);
constexpr std::size_t kMostFields = kFirstIbs - kFirstField;

/// Parts of IBS's registers are numbers unless some of their values have names.
bool is_number(const KeyRow& row) {
  if (row.needs != ibs) return row.value == kDecimal || row.value == kNumber;
  const auto item = static_cast<std::size_t>(row.key) - kFirstIbs;
  return perf_data::ibs_style(static_cast<IbsItem>(item)).is_number;
}

/// Returns true for "prev_comm" and "sched:sched_switch.prev_comm".
bool may_be_field(std::string_view word) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.";
  return !word.empty() && word.find_first_not_of(kLetters) == word.npos &&
         !(word[0] >= '0' && word[0] <= '9');
}

std::string all_names() {
  std::string names;
  for (const KeyRow& row : kKeys)
    if (row.needs != ibs && !row.name.empty()) (names += names.empty() ? "" : ", ") += row.name;
  return names + ", the fields of annotate that begin with ibs_, and fields of tracepoints";
}

}  // namespace

std::string source_text(SortKey key, std::uint64_t source) {
  const std::string text = (DataSource(source).*source_key(key).text)();
  return std::string(trim(text));
}

std::string latency_text(unsigned bits) {
  if (bits < 2) return bits == 0 ? "0" : "1";
  const std::uint64_t first = std::uint64_t{1} << (bits - 1);
  return fmt::format("{}-{}", first, first - 1 + first);
}

std::uint32_t KeyContext::comm_of(const Sample& sample) {
  if (!sample.tid()) return kAbsent;
  const std::string_view comm = sample.comm();
  const auto [at, is_new] = comms.try_emplace(comm.data());
  if (is_new) at.value() = texts.id(comm);
  return at->second;
}

const KeyRow& row_of(SortKey key) { return kKeys[key]; }

std::vector<const perf_format::TraceField*> find_field(const Recording& file,
                                                       std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view of = dot == name.npos ? "" : name.substr(0, dot);
  const std::string_view field = name.substr(dot == name.npos ? 0 : dot + 1);
  const auto& events = detail::state_of(file).file.events.list();
  std::vector<const perf_format::TraceField*> out(events.size());
  for (const RecordedEvent& event : file.events()) {
    const bool is_meant = of.empty() || event.name == of || event.recorded_name == of ||
                          event.name.ends_with(":" + std::string(of));
    if (is_meant) out[event.attr] = perf_format::field_named(events[event.attr].format, field);
  }
  return out;
}

void add_branch(Report::Branches& sums, const Branch& branch) {
  sums.predicted += branch.predicted;
  sums.mispredicted += branch.mispredicted;
  sums.in_transaction += branch.in_transaction;
  sums.aborted += branch.abort;
  if (branch.cycles == 0) return;
  sums += {.timed = 1, .cycles = branch.cycles, .least = branch.cycles};
}

std::string text_of(const KeyRow& row, const TextPool& texts, std::uint32_t value) {
  if (value == kAbsent) return "-";
  if (row.value != kNumber) return texts[value];
  return fmt::format("{}", static_cast<std::int32_t>(value));
}

}  // namespace evname::report

namespace evname {

namespace report {

Error no_key(std::string_view word) {
  return {Errc::invalid_argument, fmt::format("no key '{}'", word), "", all_names()};
}

namespace {

/// Returns the key of a word; `fields` may be nullptr.
Result<SortKey> key_of(std::string_view word, std::vector<std::string>* fields) {
  const auto* const row = std::ranges::find(kKeys, word, &KeyRow::name);
  if (row != kKeys.end() && !word.empty()) return row->key;
  for (const SortKeyInfo& key : sort_keys())
    if (!word.empty() && key.other_name == word) return key.key;
  if (fields == nullptr || !may_be_field(word)) return fail(no_key(word));
  auto at = std::ranges::find(*fields, word);
  if (at == fields->end()) at = fields->insert(at, std::string(word));
  const auto number = static_cast<std::size_t>(at - fields->begin());
  if (number < kMostFields) return static_cast<SortKey>(kFirstField + number);
  return fail(Errc::invalid_argument,
              fmt::format("'{}': at most {} fields of tracepoints can be keys", word, kMostFields));
}

Result<std::vector<SortKey>> keys_of(std::string_view text, std::vector<std::string>* fields) {
  std::vector<SortKey> keys;
  for (const std::string_view word : split(text, ',')) {
    const auto key = key_of(word, fields);
    if (!key) return fail(key);
    if (std::ranges::find(keys, *key) == keys.end()) keys.push_back(*key);
  }
  return keys;
}

}  // namespace
}  // namespace report

Result<std::vector<SortKey>> parse_sort_keys(std::string_view text) {
  return report::keys_of(text, nullptr);
}

Result<std::vector<SortKey>> parse_sort_keys(std::string_view text,
                                             std::vector<std::string>& fields) {
  return report::keys_of(text, &fields);
}

std::span<const SortKeyInfo> sort_keys() {
  static const std::vector<SortKeyInfo> kInfos = [] {
    std::vector<SortKeyInfo> infos;
    for (const report::KeyRow& row : report::kKeys) {
      using enum SortKeyInfo::Of;
      const auto of = row.needs == report::KeyNeeds::ibs ? ibs
                      : row.key >= SortKey::field0       ? tracepoints
                      : row.key >= SortKey::sym_from     ? branches
                      : row.key >= SortKey::op           ? memory
                                                         : samples;
      const auto* const other =
          std::ranges::find(report::kOtherNames, row.key, &report::OtherName::first);
      infos.push_back({row.key, row.name, report::is_number(row), of,
                       other == std::end(report::kOtherNames) ? "" : other->second});
    }
    return infos;
  }();
  return kInfos;
}

}  // namespace evname
