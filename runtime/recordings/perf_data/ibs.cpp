// Sources: arch/x86/include/asm/amd/ibs.h (registers), tools/perf/util/amd-sample-raw.c (output)
// and arch/x86/events/amd/ibs.c (order of raw data).
#include "recordings/perf_data/ibs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "base/text.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::perf_data {
namespace {

/// The registers of a sample, and the CPU that they are from.
struct IbsWords {
  const IbsModel& cpu;
  const std::uint64_t (&words)[8];

  bool bit(std::size_t word, unsigned at) const { return words[word] >> at & 1; }
  /// Erratum 1293: a miss without a buffer, or a prefetch, has no valid IbsOpData2.
  bool has_data2() const { return !is_early_zen3() || !(bit(4, 16) || bit(4, 21)); }
  bool is_early_zen3() const { return cpu.family == 0x19 && cpu.model < 0x10; }
  /// Returns true if the physical address of a fetch says whether its status is valid.
  bool fetch_depends_on_address() const {
    const auto within = [&](unsigned first, unsigned last) {
      return cpu.model >= first && cpu.model <= last;
    };
    return cpu.family > 0x1a ||
           (cpu.family == 0x1a && (within(0x50, 0x5f) || within(0x80, 0xaf) || within(0xc0, 0xcf)));
  }
  bool has_fetch_status() const { return !fetch_depends_on_address() || bit(0, 52); }
  std::uint64_t source() const {
    const std::uint64_t low = words[3] & 7;
    return cpu.zen4 ? low | (words[3] >> 6 & 3) << 3 : low;
  }
};

/// perf's conditions for showing a register or a part of it.
namespace when {

using Rule = bool (*)(const IbsWords& in);
#define EVNAME_IBS_RULE(name, condition) \
  constexpr Rule name = [](const IbsWords& in) -> bool { return condition; }

constexpr Rule always = nullptr;
EVNAME_IBS_RULE(zen4, in.cpu.zen4);
EVNAME_IBS_RULE(ldlat, in.cpu.ldlat);
EVNAME_IBS_RULE(rmtsocket, in.cpu.rmtsocket);
EVNAME_IBS_RULE(strmst, in.cpu.strmst);
EVNAME_IBS_RULE(fetch_status, in.has_fetch_status());
EVNAME_IBS_RULE(ic_miss, in.has_fetch_status() && !in.is_early_zen3());  // erratum 1238
EVNAME_IBS_RULE(fetch_physical, in.bit(0, 52));
constexpr Rule fetch_page = fetch_physical;
EVNAME_IBS_RULE(fetch_l2, in.has_fetch_status() && in.bit(0, 50));
EVNAME_IBS_RULE(fetch_l3, in.has_fetch_status() && in.cpu.zen4);
EVNAME_IBS_RULE(fetch_l3_only, in.cpu.zen4 || !in.has_fetch_status());
EVNAME_IBS_RULE(rip, !in.bit(2, 38));
EVNAME_IBS_RULE(branch, in.bit(2, 37));
EVNAME_IBS_RULE(data2, in.has_data2());
EVNAME_IBS_RULE(from_cache,
                in.source() == 2 || (in.cpu.zen4 && (in.source() == 1 || in.source() == 5)));
EVNAME_IBS_RULE(has_source, in.source() > 0 && in.source() < 13);
EVNAME_IBS_RULE(tlb_miss, !in.cpu.dtlb_pgsize || in.bit(4, 18));
EVNAME_IBS_RULE(tlb_hits, !in.cpu.dtlb_pgsize);
EVNAME_IBS_RULE(data_page_size, in.cpu.dtlb_pgsize&& in.bit(4, 18));
EVNAME_IBS_RULE(has_width, (in.words[4] >> 22 & 15) != 0);
EVNAME_IBS_RULE(tlb_refill, !in.cpu.zen4 || in.bit(4, 18));
EVNAME_IBS_RULE(data_linear, in.bit(4, 17));
EVNAME_IBS_RULE(data_physical,
                in.bit(4, 18) && in.words[6] != 0 && (!in.cpu.zen4 || in.bit(4, 17)));
EVNAME_IBS_RULE(target, in.bit(2, 37) && in.words[7] != 0);
#undef EVNAME_IBS_RULE

}  // namespace when

/// The ways to write the bits of a part.
namespace form {

struct Form {
  std::uint8_t width = 1;
  bool gap = false;
  std::string_view unit = {};
  bool names = false;  ///< some values have names
  /// Makes a value of the bits; nullptr: they are the number.
  IbsValue (*make)(std::uint64_t bits, const IbsWords& in) = nullptr;
};

template <std::size_t Size>
IbsValue named(std::uint64_t number, const std::array<std::string_view, Size>& names) {
  return {number, number < Size ? names[number] : std::string_view{}};
}

constexpr Form number = {}, number2 = {2}, number3 = {3}, number5 = {5}, number9 = {9},
               after_gap = {1, true};
constexpr Form times16_7 = {
    7, false, {}, false, [](std::uint64_t bits, const IbsWords&) { return IbsValue{bits << 4}; }};
// Bits 20 to 26 of the register are the upper ones of the count.
constexpr Form op_count = {9, false, {}, false, [](std::uint64_t bits, const IbsWords& in) {
                             return IbsValue{(bits | (in.words[0] >> 20 & 0x7f) << 16) << 4};
                           }};
constexpr Form count_unit = {1, false, {}, true, [](std::uint64_t bits, const IbsWords&) {
                               return named<2>(bits, {"0=cycles", "1=uOps"});
                             }};
constexpr Form cache_state = {1, false, {}, true, [](std::uint64_t bits, const IbsWords&) {
                                return named<2>(bits, {"0=M-state", "1=O-State"});
                              }};
// Erratum 1347 has sizes of its own.
constexpr Form code_page = {1, false, {}, true, [](std::uint64_t bits, const IbsWords& in) {
                              return in.is_early_zen3()
                                         ? named<4>(bits, {"4KB", "16KB", "2MB", "1GB"})
                                         : named<4>(bits, {"4KB", "2MB", "1GB", "RESERVED"});
                            }};
constexpr Form data_page = {4, false, {}, true, [](std::uint64_t bits, const IbsWords&) {
                              return named<4>(bits, {"4K", "2M", "1G", "??"});
                            }};
constexpr Form width = {2, false, " bytes", false, [](std::uint64_t bits, const IbsWords&) {
                          return IbsValue{bits > 0 ? std::uint64_t{1} << (bits - 1) : 0};
                        }};

IbsValue name_source(std::uint64_t, const IbsWords& in) {
  static constexpr std::array<std::string_view, 13> kExtended = {
      "",
      "1=Local L3 or other L1/L2 in CCX",
      "2=Another CCX cache in the same NUMA node",
      "3=DRAM",
      "4=(reserved)",
      "5=Another CCX cache in a different NUMA node",
      "6=Long-latency DIMM",
      "7=MMIO/Config/PCI/APIC",
      "8=Extension Memory",
      "9=(reserved)",
      "10=(reserved)",
      "11=(reserved)",
      "12=Coherent Memory of a different processor type"};
  static constexpr std::array<std::string_view, 8> kDefault = {"",
                                                               "1=(reserved)",
                                                               "2=Local node cache",
                                                               "3=DRAM",
                                                               "4=Remote node cache",
                                                               "5=(reserved)",
                                                               "6=(reserved)",
                                                               "7=Other"};
  return in.cpu.zen4 ? named(in.source(), kExtended) : named(in.source(), kDefault);
}
constexpr Form source = {1, false, {}, true, name_source};

}  // namespace form

struct IbsRow {
  IbsStyle style;
  IbsKind kind;       ///< of a register
  std::uint8_t word;  ///< of a register
  std::uint8_t from, bits;
  when::Rule rule;
  decltype(form::Form::make) make;
};

constexpr IbsRow register_row(std::string_view label, IbsKind kind, std::uint8_t word,
                              when::Rule rule) {
  return {{label, true, false, 16}, kind, word, 0, 64, rule, nullptr};
}
constexpr IbsRow part_row(std::string_view label, std::uint8_t from, std::uint8_t bits,
                          const form::Form& form, when::Rule rule) {
  return {{label, false, !form.names, form.width, form.gap, form.unit},
          {},
          0,
          from,
          bits,
          rule,
          form.make};
}

constexpr IbsRow kIbsRows[] = {
#define EVNAME_IBS_REGISTER(name, label, kind, word, rule, what) \
  register_row(label, IbsKind::kind, word, when::rule),
#define EVNAME_IBS_PART(name, label, from, bits, style, rule, what) \
  part_row(label, from, bits, form::style, when::rule),
#include "recordings/perf_data/ibs.def"
};
constexpr std::size_t kIbsItems = std::size(kIbsRows);

/// The register of each item.
constexpr auto kRegisterOf = [] {
  std::array<std::uint8_t, kIbsItems> found{};
  for (std::size_t i = 0; i < kIbsItems; ++i)
    found[i] = kIbsRows[i].style.is_register ? static_cast<std::uint8_t>(i) : found[i - 1];
  return found;
}();

const IbsRow& register_of(IbsItem item) {
  return kIbsRows[kRegisterOf[static_cast<std::size_t>(item)]];
}

// "AuthenticAMD,25,17,1", as get_cpuid of tools/perf/arch/x86/util/header.c writes it.
void read_cpu(std::string_view cpuid, IbsModel& model) {
  const auto words = split(cpuid, ',');
  const auto number = [&](std::size_t at, std::uint32_t& to) {
    if (at < words.size())
      std::from_chars(words[at].data(), words[at].data() + words[at].size(), to);
  };
  number(1, model.family);
  number(2, model.model);
}

void read_caps(const perf_format::Features& features, IbsModel& model) {
  const std::pair<std::string_view, bool IbsModel::*> kCaps[] = {
      {"zen4_ibs_extensions", &IbsModel::zen4},
      {"ldlat", &IbsModel::ldlat},
      {"dtlb_pgsize", &IbsModel::dtlb_pgsize},
      {"rmtsocket", &IbsModel::rmtsocket},
      {"strmst", &IbsModel::strmst}};
  for (const perf_format::PmuCaps& caps : features.caps)
    for (const auto& [name, value] : caps.values)
      for (const auto& [cap, member] : kCaps)
        if (caps.pmu == "ibs_op" && name == cap) model.*member = true;
}

/// Sets what the caps in a sample say: IBS_CAPS_* of arch/x86/include/asm/perf_event.h.
void set_caps(std::uint32_t caps, IbsModel& model) {
  model.zen4 = caps >> 11 & 1;
  model.ldlat = caps >> 12 & 1;
  model.rmtsocket = model.strmst = caps >> 16 & 1;
  model.dtlb_pgsize = caps >> 19 & 1;
}

/// Returns the number of registers that the kernel stores: IbsBrTarget and the second control
/// register of fetches are not on all CPUs.
std::size_t least_words(IbsKind kind, std::uint32_t caps) {
  return kind == IbsKind::op ? 7 + (caps >> 5 & 1) : 3 + (caps >> 9 & 1);
}

IbsKind kind_of(const perf_format::Event& event, std::string_view pmu) {
  if (!event.attr.samples(perf_format::kSampleRaw)) return IbsKind::none;
  return pmu.starts_with("ibs_op")      ? IbsKind::op
         : pmu.starts_with("ibs_fetch") ? IbsKind::fetch
                                        : IbsKind::none;
}

}  // namespace

const IbsStyle& ibs_style(IbsItem item) { return kIbsRows[static_cast<std::size_t>(item)].style; }

std::span<const IbsItem> ibs_items(IbsKind kind) {
  static const auto kLists = [] {
    std::array<std::vector<IbsItem>, 3> lists;
    for (std::size_t i = 0; i < kIbsItems; ++i)
      lists[static_cast<std::size_t>(register_of(static_cast<IbsItem>(i)).kind)].push_back(
          static_cast<IbsItem>(i));
    return lists;
  }();
  return kLists[static_cast<std::size_t>(kind)];
}

std::optional<IbsReader> IbsReader::of(const Recording& file) {
  const detail::RecordingState& state = detail::state_of(file);
  IbsReader reader;
  for (const RecordedEvent& event : file.events())
    reader.kinds_.push_back(kind_of(state.file.events.list()[event.attr], event.pmu));
  if (std::all_of(reader.kinds_.begin(), reader.kinds_.end(),
                  [](IbsKind kind) { return kind == IbsKind::none; }))
    return std::nullopt;
  const perf_format::Features& features = perf_data::features_of(file);
  reader.order_ = state.file.header.order;
  reader.has_caps_ = features.has(perf_format::Feature::pmu_caps);
  read_cpu(features.cpuid, reader.recorded_);
  read_caps(features, reader.recorded_);
  return reader;
}

bool IbsReader::read(std::size_t attr, std::string_view raw) {
  kind_ = IbsKind::none;
  const IbsKind kind = kinds_[attr];
  if (kind == IbsKind::none) return true;
  Cursor in({reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size()}, order_);
  model_ = recorded_;
  const std::uint32_t caps = in.u32();
  if (!has_caps_) set_caps(caps, model_);
  std::fill(std::begin(words_), std::end(words_), 0);
  for (count_ = 0; count_ < std::size(words_) && in.remaining() >= 8; ++count_)
    words_[count_] = in.u64();
  constexpr std::uint64_t kOpValid = 3u << 17, kFetchValid = std::uint64_t{3} << 48;
  const std::uint64_t valid = kind == IbsKind::op ? kOpValid : kFetchValid;
  if ((words_[0] & valid) != valid) return false;
  kind_ = kind;
  return count_ >= least_words(kind, caps);
}

std::optional<IbsValue> IbsReader::value(IbsItem item) const {
  const IbsRow &row = kIbsRows[static_cast<std::size_t>(item)], &whole = register_of(item);
  if (whole.kind != kind_ || whole.word >= count_) return std::nullopt;
  const IbsWords words{model_, words_};
  if ((whole.rule && !whole.rule(words)) || (row.rule && !row.rule(words))) return std::nullopt;
  const std::uint64_t mask = row.bits == 64 ? UINT64_MAX : (std::uint64_t{1} << row.bits) - 1;
  const std::uint64_t bits = words_[whole.word] >> row.from & mask;
  return row.make ? row.make(bits, words) : IbsValue{bits};
}

}  // namespace evname::perf_data
