#include "events/packing/packer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "events/packing/default_config.hpp"
#include "events/syntax/lexer.hpp"

namespace evname::packing {
namespace {

using Value = syntax::Term::Value;

tl::unexpected<Error> bad_value(std::string message) {
  return fail(Errc::invalid_argument, std::move(message));
}

tl::unexpected<Error> no_number(const PackTerm& term) {
  return bad_value(fmt::format("expected a number for term '{}', not '{}'", term.name, term.text));
}

void put_own_number(const syntax::OwnTerm& own, std::uint64_t value, Packed& out) {
  if (own.effect == syntax::OwnTerm::Effect::config) out.config[own.word] = value;
  if (own.effect == syntax::OwnTerm::Effect::period) out.period = value;
}

Result<void> check_own(const syntax::OwnTerm& own, const PackTerm& term) {
  const auto* text = term.value == Value::text ? &term.text : nullptr;
  std::string problem = syntax::value_problem(own, number_of(term), text);
  if (problem.empty()) return {};
  return bad_value(std::move(problem));
}

/// Adds where in the event text the term stands.
tl::unexpected<Error> at_term(Error error, const PackTerm& term) {
  if (error.where.empty() && term.offset != PackTerm::kNotInText)
    syntax::set_place(error, term.offset);
  return tl::unexpected<Error>(std::move(error));
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
Result<PackTerm> fill_in(const PackTerm& term, const Terms& terms) {
  if (term.value != Value::text || term.text != "?") return term;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (const PackTerm other = terms.term(i);
        other.value == Value::number && other.name == term.name)
      return other;
  return bad_value(fmt::format("the event needs a value for its parameter '{}'", term.name));
}

}  // namespace

PackTerm pack_term(const syntax::Term& term) {
  return PackTerm{term.name, term.value, term.number, term.text, term.offset};
}

PackTerm pack_term(const tables::ArchTables& arch, const tables::Term& term) {
  const std::string_view name = arch.text(arch.term_names[term.name]);
  if (term.spelling == tables::Spelling::bare)
    return {name, Value::none, 0, {}, PackTerm::kNotInText};
  if (term.spelling == tables::Spelling::text && term.numeric == 0)
    return {name, Value::text, 0, arch.text(term.text)};
  return {name, Value::number, term.value, {}};
}

/// Terms as they were written.
struct Packer::TextTerms {
  const Packer& packer;
  std::span<const PackTerm> terms;

  std::size_t size() const { return terms.size(); }
  Slot slot(std::size_t i) const { return packer.slot_of(terms[i].name); }
  PackTerm term(std::size_t i) const { return terms[i]; }
  bool number(std::size_t, std::uint64_t&) const { return false; }
};

/// Terms of an event of the tables.
struct Packer::TableTerms {
  const Packer& packer;
  const tables::ArchTables& arch;
  std::span<const std::uint32_t> list;

  std::size_t size() const { return list.size(); }
  const Slot& slot(std::size_t i) const { return packer.slots_[arch.terms[list[i]].name]; }
  PackTerm term(std::size_t i) const { return pack_term(arch, arch.terms[list[i]]); }
  /// The value of a plain number, which needs none of a PackTerm's texts.
  bool number(std::size_t i, std::uint64_t& value) const {
    const tables::Term& term = arch.terms[list[i]];
    value = term.value;
    return term.spelling == tables::Spelling::hex || term.spelling == tables::Spelling::decimal;
  }
};

Packer::Packer(const pmu::Pmu& pmu, const tables::ArchTables* arch, bool extended)
    : pmu_(pmu),
      extended_(extended),
      replaces_(has_defaults(pmu)),
      default_config_(default_config(pmu)),
      default_period_(default_period(pmu)),
      names_of_(nullptr) {
  if (arch == nullptr) return;
  names_of_ = arch->term_names.data();
  slots_.reserve(arch->term_names.size());
  for (const tables::Text name : arch->term_names) slots_.push_back(slot_of(arch->text(name)));
}

Packer::Slot Packer::slot_of(std::string_view name) const {
  if (const syntax::OwnTerm* own = syntax::find_own_term(name)) {
    using Effect = syntax::OwnTerm::Effect;
    const Target target = own->effect == Effect::config   ? Target::config
                          : own->effect == Effect::period ? Target::period
                                                          : Target::other;
    return {.own = own, .target = target, .word = own->word};
  }
  const pmu::Format* format = pmu_.find_format(name);
  if (format == nullptr) return {};
  const int shift = format->mask == 0 ? 0 : std::countr_zero(format->mask);
  return {.format = format,
          .target = format->word < EVNAME_CONFIG_WORDS ? Target::field : Target::other,
          .word = format->word,
          .shift = static_cast<std::uint8_t>(shift),
          .width = static_cast<std::uint8_t>(format->width()),
          .has_holes = std::popcount((format->mask >> shift) + 1) > 1};
}

tl::unexpected<Error> Packer::unknown_term(std::string_view name) const {
  return fail(Errc::not_found, fmt::format("unknown term '{}' of PMU '{}'", name, pmu_.name), {},
              field_names(pmu_));
}

/// The value of a field takes the place of the PMU's default.
template <class Terms>
void Packer::clear_defaults(const Terms& terms, Words& out) const {
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (const Slot& slot = terms.slot(i); slot.target == Target::field)
      out.own.config[slot.word] &= ~slot.format->mask;
}

/// ORs a value into its field; false if it is too wide.
inline bool Packer::put_number(const Slot& slot, std::uint64_t value, Words& out) const {
  std::uint64_t bits = value << slot.shift;
  if (slot.has_holes) {
    const auto spread = slot.format->pack(value);
    if (!spread) return false;
    bits = *spread;
  } else if (slot.width < 64 && value >> slot.width != 0) {
    return false;
  }
  if (replaces_) out.fields[slot.word] &= ~slot.format->mask;
  out.fields[slot.word] |= bits;
  return true;
}

/// A plain number of the tables; false if it takes put() to say what is wrong with it.
inline bool Packer::put_plain(const Slot& slot, std::uint64_t value, Words& out) const {
  switch (slot.target) {
    case Target::field:
      return put_number(slot, value, out);
    case Target::config:
      out.own.config[slot.word] = value;
      return true;
    case Target::period:
      out.own.period = value;
      return true;
    default:
      return false;
  }
}

Result<void> Packer::put(const Slot& slot, const PackTerm& term, Words& out) const {
  if (slot.own != nullptr) return put_own(*slot.own, term, out.own);
  if (slot.format == nullptr) return unknown_term(term.name);
  if (slot.target != Target::field)
    return fail(Errc::unsupported, fmt::format("term '{}' of PMU '{}' lies in config{}, which "
                                               "perf_event_attr does not have",
                                               term.name, pmu_.name, slot.format->word));
  const bool bare = term.value == Value::none;
  if (bare && slot.width > 1)
    return bad_value(
        fmt::format("term '{}' needs a value: it is {} bits wide", term.name, slot.width));
  if (term.value == Value::text) return no_number(term);
  const std::uint64_t value = bare ? 1 : term.number;
  if (!put_number(slot, value, out))
    return fail(Errc::out_of_range,
                fmt::format("value {:#x} is too big for term '{}' of PMU '{}', which has {} bits",
                            value, term.name, pmu_.name, slot.width));
  return {};
}

Result<void> Packer::put_legacy(const syntax::OwnTerm& own, std::uint64_t number,
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

Result<void> Packer::put_own(const syntax::OwnTerm& own, const PackTerm& term, Packed& out) const {
  if (auto done = check_own(own, term); !done) return done;
  if (own.effect == syntax::OwnTerm::Effect::legacy) return put_legacy(own, number_of(term), out);
  put_own_number(own, number_of(term), out);
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
    if (std::uint64_t value; terms.number(i, value) && put_plain(slot, value, words)) continue;
    const PackTerm term = terms.term(i);
    const auto given = slot.own != nullptr ? Result<PackTerm>(term) : fill_in(term, terms);
    if (!given) return at_term(given.error(), term);
    if (auto done = put(slot, *given, words); !done) return at_term(done.error(), term);
  }
  if (replaces_) clear_defaults(terms, words);
  for (std::size_t i = 0; i < words.fields.size(); ++i) own.config[i] |= words.fields[i];
  return own;
}

Result<Packed> Packer::pack(std::span<const PackTerm> terms) const {
  return pack_all(TextTerms{*this, terms});
}

Result<Packed> Packer::pack(const tables::ArchTables& arch, const tables::Event& event) const {
  const auto list = tables::term_list(arch, event);
  if (arch.term_names.data() == names_of_) return pack_all(TableTerms{*this, arch, list});
  std::vector<PackTerm> terms;
  for (const std::uint32_t index : list) terms.push_back(pack_term(arch, arch.terms[index]));
  return pack(terms);
}

Result<void> pack_own_terms(std::span<const PackTerm> terms, bool tracepoint, Packed& out) {
  for (const PackTerm& term : terms) {
    const syntax::OwnTerm* own = syntax::find_own_term(term.name);
    const bool driver = term.name.starts_with('@');
    if (own == nullptr || driver || own->effect == syntax::OwnTerm::Effect::legacy)
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
    if (auto done = check_own(*own, term); !done) return at_term(done.error(), term);
    put_own_number(*own, number_of(term), out);
  }
  return {};
}

}  // namespace evname::packing
