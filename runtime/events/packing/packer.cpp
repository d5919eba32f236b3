// Terms to config words.
//
//     terms       event=0x3c, umask=0x1, inv, ldlat=30, period=1000
//                   |           |         |     |          |
//     formats     config:0-7  config:8-15 |   config1:0-15 | (a term of perf: Target::period)
//                   |           |    config:23  |          |
//                   v           v         v     v          v
//     config      63 ...... 24|23|22 ... 16|15 .. 8|7 .. 0|    Packed::period
//     config1     63 ................... 16|15 ........ 0|
//
// A field whose bits do not stand together takes the value's bits from the lowest on:
//
//     format  config:0-7,32-35     value 0x1a5
//                                        | `--> bits 0-7:   0xa5
//                                        `----> bits 32-35: 0x1
//
// All fields are ORed over the words that config, config1, ... set as a whole.

#include "events/packing/packer.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/syntax/lexer.hpp"

namespace evname::packing {
namespace {

constexpr std::string_view kIntelPt = "intel_pt", kCoreSight = "cs_etm", kArmSpe = "arm_spe_";

/// A cap, which drivers write in hexadecimal.
std::uint64_t cap_of(const pmu::Pmu& pmu, std::string_view name, std::uint64_t unknown) {
  const std::string* const text = pmu.find_cap(name);
  return text == nullptr ? unknown : parse_number("0x" + *text).value_or(unknown);
}

/// Chooses one of the periods in a cap, which has a bit for each: the longest up to number 3, else
/// the shortest.
std::optional<std::uint64_t> period_of(std::uint64_t periods) {
  constexpr std::uint64_t kUpTo3 = 0xf;
  if (periods == 0) return std::nullopt;
  if (const std::uint64_t low = periods & kUpTo3; low != 0) return std::bit_width(low) - 1;
  return std::countr_zero(periods);
}

std::optional<std::uint64_t> one_if(bool on) {
  return on ? std::optional<std::uint64_t>(1) : std::nullopt;
}

using Value = tables::Term::Value;

tl::unexpected<Error> bad_value(std::string message) {
  return fail(Errc::invalid_argument, std::move(message));
}

tl::unexpected<Error> no_number(const tables::Term& term) {
  return bad_value(fmt::format("expected a number for term '{}', not '{}'", term.name, term.text));
}

void put_perf_number(const syntax::PerfTerm& own, std::uint64_t value, Packed& out) {
  if (own.effect == syntax::PerfTerm::Effect::config) out.config[own.word] = value;
  if (own.effect == syntax::PerfTerm::Effect::period) out.period = value;
}

Result<void> check_perf_term(const syntax::PerfTerm& own, const tables::Term& term) {
  const auto* text = term.value == Value::text ? &term.text : nullptr;
  std::string problem = syntax::value_problem(own, term.number, text);
  if (problem.empty()) return {};
  return bad_value(std::move(problem));
}

/// Adds where in the event text the term stands.
tl::unexpected<Error> at_term(Error error, const tables::Term& term) {
  if (error.where.empty() && term.offset != tables::Term::kNotInText)
    syntax::set_place(error, term.offset);
  return fail(std::move(error));
}

std::string field_names(const pmu::Pmu& pmu) {
  std::string names;
  for (const pmu::Format& format : pmu.formats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names.empty() ? "it has no format fields" : "its terms are " + names;
}

/// `umask=?` takes its value from a numeric term of that name elsewhere in the list.
template <class Terms>
Result<tables::Term> fill_in(const tables::Term& term, const Terms& terms) {
  if (term.value != Value::text || term.text != "?") return term;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (const tables::Term other = terms.term(i);
        other.value == Value::number && other.name == term.name)
      return other;
  return bad_value(fmt::format("the event needs a value for its parameter '{}'", term.name));
}

}  // namespace

bool has_defaults(const pmu::Pmu& pmu) {
  return pmu.name == kIntelPt || pmu.name == kCoreSight || pmu.name.starts_with(kArmSpe);
}

std::uint64_t default_config(const pmu::Pmu& pmu) {
  if (pmu.name != kIntelPt) return 0;
  const std::uint64_t mtc_periods = cap_of(pmu, "mtc", 1) != 0 ? cap_of(pmu, "mtc_periods", 0) : 0;
  const bool has_psb = cap_of(pmu, "psb_cyc", 1) != 0 && mtc_periods != 0;
  const std::uint64_t psb_periods = has_psb ? cap_of(pmu, "psb_periods", 0) : 0;
  const bool has_pt = pmu.find_format("pt") != nullptr && pmu.find_format("branch") != nullptr;
  struct Default {
    std::string_view field;
    std::optional<std::uint64_t> value;
  };
  const Default defaults[] = {
      {"tsc", 1},
      {"mtc", one_if(mtc_periods != 0)},
      {"mtc_period", period_of(mtc_periods)},
      {"psb_period", period_of(psb_periods)},
      {"pt", one_if(has_pt)},
      {"branch", one_if(has_pt)},
  };
  std::uint64_t config = 0;
  for (const auto& [field, value] : defaults) {
    if (!value) continue;
    const pmu::Format* const format = pmu.find_format(field);
    const bool fits = format != nullptr && format->word == 0;
    const auto bits = fits ? format->pack(*value) : std::nullopt;
    if (!bits) return 0;  // as in perf, which then sets nothing
    config |= *bits;
  }
  return config;
}

std::uint64_t default_period(const pmu::Pmu& pmu) {
  constexpr std::uint64_t kLongest = 4096;  // that PMSIDR_EL1.INTERVAL can name
  if (pmu.name == kCoreSight) return 1;
  if (!pmu.name.starts_with(kArmSpe)) return 0;
  const std::string* const text = pmu.find_cap("min_interval");
  return text == nullptr ? kLongest : parse_number(*text).value_or(kLongest);
}

/// Terms as they were written.
struct Packer::TextTerms {
  const Packer& packer;
  std::span<const tables::Term> terms;

  std::size_t size() const { return terms.size(); }
  Slot slot(std::size_t i) const { return packer.slot_of(terms[i].name); }
  tables::Term term(std::size_t i) const { return terms[i]; }
};

/// Terms of an event of the tables.
struct Packer::TableTerms {
  std::span<const Slot> slots;
  const tables::ArchTables& arch;
  std::span<const std::uint16_t> list;

  std::size_t size() const { return list.size(); }
  const Slot& slot(std::size_t i) const { return slots[arch.terms[list[i]].name]; }
  tables::Term term(std::size_t i) const { return tables::term_of(arch, arch.terms[list[i]]); }
};

Packer::Packer(const pmu::Pmu& pmu, std::span<const tables::ArchTables* const> arches,
               bool extended)
    : pmu_(pmu),
      extended_(extended),
      replaces_(has_defaults(pmu)),
      default_config_(default_config(pmu)),
      default_period_(default_period(pmu)) {
  for (const tables::ArchTables* const arch : arches) {
    std::vector<Slot>& slots = slots_.emplace_back(TermSlots{arch->term_names.data(), {}}).slots;
    slots.reserve(arch->term_names.size());
    for (const tables::Text name : arch->term_names) slots.push_back(slot_of(arch->text(name)));
  }
}

Packer::Slot Packer::slot_of(std::string_view name) const {
  if (const syntax::PerfTerm* own = syntax::find_perf_term(name)) return {.own = own};
  const pmu::Format* format = pmu_.find_format(name);
  if (format == nullptr) return {};
  const int shift = format->mask == 0 ? 0 : std::countr_zero(format->mask);
  return {.format = format,
          .shift = static_cast<std::uint8_t>(shift),
          .width = static_cast<std::uint8_t>(format->width()),
          .has_holes = std::popcount((format->mask >> shift) + 1) > 1};
}

tl::unexpected<Error> Packer::unknown_term(std::string_view name) const {
  return fail(Errc::not_found, fmt::format("unknown term '{}' of PMU '{}'", name, pmu_.name), {},
              field_names(pmu_));
}

/// The value of a field replaces the PMU's default.
template <class Terms>
void Packer::clear_defaults(const Terms& terms, Words& out) const {
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (const Slot& slot = terms.slot(i); slot.format != nullptr)
      out.own.config[slot.format->word] &= ~slot.format->mask;
}

/// ORs a value into its field; false if it is too wide.
bool Packer::put_number(const Slot& slot, std::uint64_t value, Words& out) const {
  std::uint64_t bits = value << slot.shift;
  if (slot.has_holes) {
    const auto spread = slot.format->pack(value);
    if (!spread) return false;
    bits = *spread;
  } else if (slot.width < 64 && value >> slot.width != 0) {
    return false;
  }
  std::uint64_t& word = out.fields[slot.format->word];
  if (replaces_) word &= ~slot.format->mask;
  word |= bits;
  return true;
}

Result<void> Packer::put(const Slot& slot, const tables::Term& term, Words& out) const {
  if (slot.own != nullptr) return put_perf_term(*slot.own, term, out.own);
  if (slot.format == nullptr) return unknown_term(term.name);
  if (slot.format->word >= EVNAME_CONFIG_WORDS)
    return fail(Errc::unsupported, fmt::format("term '{}' of PMU '{}' lies in config{}, which "
                                               "perf_event_attr does not have",
                                               term.name, pmu_.name, slot.format->word));
  const bool bare = term.value == Value::none;
  if (bare && slot.width > 1)
    return bad_value(
        fmt::format("term '{}' needs a value: it is {} bits wide", term.name, slot.width));
  if (term.value == Value::text) return no_number(term);
  if (!put_number(slot, term.number, out))
    return fail(Errc::out_of_range,
                fmt::format("value {:#x} is too big for term '{}' of PMU '{}', which has {} bits",
                            term.number, term.name, pmu_.name, slot.width));
  return {};
}

Result<void> Packer::put_legacy(const syntax::PerfTerm& own, std::uint64_t number,
                                Packed& out) const {
  constexpr int kTypeShift = 32;  // PERF_PMU_TYPE_SHIFT
  if (!pmu_.is_core || out.generic)
    return bad_value(fmt::format("term '{}' needs a core PMU{}", own.name,
                                 out.generic ? " and can be given once only" : ""));
  out.generic = own.word;
  out.config[0] = number;
  if (extended_) out.config[0] |= std::uint64_t{pmu_.type.value_or(0)} << kTypeShift;
  return {};
}

Result<void> Packer::put_perf_term(const syntax::PerfTerm& own, const tables::Term& term,
                                   Packed& out) const {
  if (auto done = check_perf_term(own, term); !done) return done;
  if (own.effect == syntax::PerfTerm::Effect::legacy) return put_legacy(own, term.number, out);
  put_perf_number(own, term.number, out);
  return {};
}

template <class Terms>
Result<Packed> Packer::pack_all(const Terms& terms) const {
  Packed own;
  own.config[0] = default_config_;
  own.period = default_period_;
  Words words{own};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Slot& slot = terms.slot(i);
    const tables::Term term = terms.term(i);
    const auto given = slot.own != nullptr ? Result<tables::Term>(term) : fill_in(term, terms);
    if (!given) return at_term(given.error(), term);
    if (auto done = put(slot, *given, words); !done) return at_term(done.error(), term);
  }
  if (replaces_) clear_defaults(terms, words);
  for (std::size_t i = 0; i < words.fields.size(); ++i) own.config[i] |= words.fields[i];
  return own;
}

Result<Packed> Packer::pack(std::span<const tables::Term> terms) const {
  return pack_all(TextTerms{*this, terms});
}

Result<Packed> Packer::pack(const tables::ArchTables& arch, const tables::Event& event) const {
  const auto list = tables::term_list(arch, event);
  for (const TermSlots& known : slots_)
    if (known.names == arch.term_names.data()) return pack_all(TableTerms{known.slots, arch, list});
  std::vector<tables::Term> terms;
  for (const std::uint32_t index : list) terms.push_back(tables::term_of(arch, arch.terms[index]));
  return pack(terms);
}

Result<void> pack_perf_terms(std::span<const tables::Term> terms, bool tracepoint, Packed& out) {
  for (const tables::Term& term : terms) {
    const syntax::PerfTerm* own = syntax::find_perf_term(term.name);
    const bool driver = term.name.starts_with('@');
    if (own == nullptr || driver || own->effect == syntax::PerfTerm::Effect::legacy)
      return at_term({Errc::not_found,
                      fmt::format("term '{}' can't be used on an event without PMU", term.name),
                      {},
                      "write PMU/term,.../ to use the fields of a PMU"},
                     term);
    if (tracepoint && !own->of_tracepoints)
      return at_term({Errc::invalid_argument,
                      fmt::format("term '{}' can't be used on a tracepoint", term.name),
                      {},
                      {}},
                     term);
    if (auto done = check_perf_term(*own, term); !done) return at_term(done.error(), term);
    put_perf_number(*own, term.number, out);
  }
  return {};
}

}  // namespace evname::packing
