#include "resolver/pack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "syntax/lexer.hpp"

namespace evname::event {
namespace {

using Effect = BuiltinEffect::Kind;

struct Builtin {
  std::string_view name;
  Effect effect;
  std::uint8_t word;
  bool text;    ///< takes a word, not a number
  bool needed;  ///< the value can't be left out
};

constexpr Builtin kBuiltins[] = {
    {"config", Effect::config, 0, false, true},
    {"config1", Effect::config, 1, false, true},
    {"config2", Effect::config, 2, false, true},
    {"config3", Effect::config, 3, false, true},
    {"period", Effect::period, 0, false, true},
    {"name", Effect::none, 0, true, true},
    {"freq", Effect::none, 0, false, true},
    {"branch_type", Effect::none, 0, true, true},
    {"time", Effect::none, 0, false, false},
    {"call-graph", Effect::none, 0, true, true},
    {"stack-size", Effect::none, 0, false, true},
    {"max-stack", Effect::none, 0, false, true},
    {"nr", Effect::none, 0, false, true},
    {"inherit", Effect::none, 0, false, false},
    {"no-inherit", Effect::none, 0, false, false},
    {"overwrite", Effect::none, 0, false, false},
    {"no-overwrite", Effect::none, 0, false, false},
    {"percore", Effect::none, 0, false, false},
    {"aux-output", Effect::none, 0, false, false},
    {"aux-sample-size", Effect::none, 0, false, true},
    {"metric-id", Effect::none, 0, true, true},
};

const Builtin* find_builtin(std::string_view name) {
  const auto at = std::find_if(std::begin(kBuiltins), std::end(kBuiltins),
                               [&](const Builtin& row) { return row.name == name; });
  return at == std::end(kBuiltins) ? nullptr : at;
}

tl::unexpected<Error> bad_value(std::string message) {
  return fail(Errc::invalid_argument, std::move(message));
}

Result<void> pack_builtin(const Builtin& row, const PackTerm& term, Words& words) {
  if (term.value == Term::Value::none && row.needed)
    return bad_value(fmt::format("term '{}' needs a value", term.name));
  if (term.value == Term::Value::text && !row.text)
    return bad_value(
        fmt::format("expected a number for term '{}', not '{}'", term.name, term.text));
  if (row.effect == Effect::config) words.config[row.word] = term.number;
  if (row.effect == Effect::period) words.period = term.number;
  return {};
}

std::string field_names(const pmu::Pmu& pmu) {
  std::string names;
  for (const pmu::Format& format : pmu.formats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names.empty() ? "it has no format fields" : "its terms are " + names;
}

tl::unexpected<Error> unknown_term(const pmu::Pmu& pmu, std::string_view name) {
  return fail(Errc::not_found, fmt::format("unknown term '{}' of PMU '{}'", name, pmu.name), {},
              field_names(pmu));
}

/// ORs one value into its field.
Result<void> pack_field(const pmu::Pmu& pmu, const PackTerm& term, Words& words) {
  const pmu::Format* format = pmu.find_format(term.name);
  if (format == nullptr) return unknown_term(pmu, term.name);
  if (format->word >= words.config.size())
    return fail(Errc::unsupported, fmt::format("term '{}' of PMU '{}' lies in config{}, which "
                                               "perf_event_attr does not have",
                                               term.name, pmu.name, format->word));
  const bool bare = term.value == Term::Value::none;
  if (bare && format->width() > 1)
    return bad_value(
        fmt::format("term '{}' needs a value: it is {} bits wide", term.name, format->width()));
  if (term.value == Term::Value::text)
    return bad_value(
        fmt::format("expected a number for term '{}', not '{}'", term.name, term.text));
  const std::uint64_t value = bare ? 1 : term.number;
  const auto bits = format->pack(value);
  if (!bits)
    return fail(Errc::out_of_range,
                fmt::format("value {:#x} is too big for term '{}' of PMU '{}', which has {} bits",
                            value, term.name, pmu.name, format->width()));
  if (has_defaults(pmu)) words.config[format->word] &= ~format->mask;
  words.config[format->word] |= *bits;
  return {};
}

/// `umask=?` takes its value from a numeric term of that name elsewhere in the list.
Result<PackTerm> fill_in(const PackTerm& term, std::span<const PackTerm> terms) {
  if (term.value != Term::Value::text || term.text != "?") return term;
  for (const PackTerm& other : terms)
    if (other.value == Term::Value::number && other.name == term.name) return other;
  return bad_value(fmt::format("the event needs a value for its parameter '{}'", term.name));
}

/// Adds where in the event text the term stands.
tl::unexpected<Error> at_term(Error error, const PackTerm& term) {
  if (error.where.empty() && term.offset != PackTerm::kNotInText) set_place(error, term.offset);
  return tl::unexpected<Error>(std::move(error));
}

Result<void> pack_any_field(const pmu::Pmu& pmu, const PackTerm& term,
                            std::span<const PackTerm> terms, Words& words) {
  const auto filled = fill_in(term, terms);
  if (!filled) return tl::unexpected<Error>(filled.error());
  return pack_field(pmu, *filled, words);
}

}  // namespace

PackTerm pack_term(const Term& term) {
  return PackTerm{term.name, term.value, term.number, term.text, term.offset};
}

PackTerm pack_term(const tables::ArchTables& arch, const tables::Term& term) {
  const std::string_view name = arch.text(arch.term_names[term.name]);
  if (term.spelling == tables::Spelling::bare)
    return {name, Term::Value::none, 0, {}, PackTerm::kNotInText};
  if (term.spelling == tables::Spelling::text && term.numeric == 0)
    return {name, Term::Value::text, 0, arch.text(term.text)};
  return {name, Term::Value::number, term.value, {}};
}

std::optional<BuiltinEffect> builtin_effect(std::string_view name) {
  if (name.starts_with('@')) return BuiltinEffect{};
  const Builtin* row = find_builtin(name);
  if (row == nullptr) return std::nullopt;
  return BuiltinEffect{row->effect, row->word};
}

bool is_builtin_term(std::string_view name) { return builtin_effect(name).has_value(); }

bool has_defaults(const pmu::Pmu& pmu) {
  return pmu.name == "intel_pt" || pmu.name == "cs_etm" || pmu.name.starts_with("arm_spe_");
}

Result<Words> pack(const pmu::Pmu& pmu, std::span<const PackTerm> terms) {
  Words words;
  for (const PackTerm& term : terms) {
    const Builtin* row = find_builtin(term.name);
    if (row == nullptr) continue;
    if (const auto done = pack_builtin(*row, term, words); !done)
      return at_term(done.error(), term);
  }
  for (const PackTerm& term : terms) {
    if (is_builtin_term(term.name)) continue;
    if (const auto done = pack_any_field(pmu, term, terms, words); !done)
      return at_term(done.error(), term);
  }
  return words;
}

Result<Words> pack(const pmu::Pmu& pmu, const tables::ArchTables& arch,
                   const tables::Event& event) {
  constexpr std::size_t kMaxTerms = 32;  // the longest event of the kernel's tables has nine
  std::array<PackTerm, kMaxTerms> terms;
  const auto list = tables::term_list(arch, event);
  if (list.size() > kMaxTerms)
    return fail(Errc::unsupported,
                fmt::format("event '{}' has more than {} terms", arch.text(event.name), kMaxTerms));
  for (std::size_t i = 0; i < list.size(); ++i) terms[i] = pack_term(arch, arch.terms[list[i]]);
  return pack(pmu, std::span(terms).first(list.size()));
}

Result<void> pack_builtins(std::span<const PackTerm> terms, Words& words) {
  for (const PackTerm& term : terms) {
    if (term.name.starts_with('@')) continue;
    const Builtin* row = find_builtin(term.name);
    if (row == nullptr)
      return at_term({Errc::not_found,
                      fmt::format("term '{}' can't be used on an event without PMU", term.name),
                      {},
                      "write PMU/term,.../ to use the fields of a PMU"},
                     term);
    if (const auto done = pack_builtin(*row, term, words); !done)
      return at_term(done.error(), term);
  }
  return {};
}

std::string canonical_term(const pmu::Pmu& pmu, const PackTerm& term) {
  switch (term.value) {
    case Term::Value::none:
      return std::string(term.name);
    case Term::Value::text:
      return fmt::format("{}={}", term.name, term.text);
    case Term::Value::number:
      break;
  }
  const pmu::Format* format = pmu.find_format(term.name);
  const Builtin* row = find_builtin(term.name);
  const bool decimal =
      row != nullptr ? row->effect != Effect::config : format != nullptr && format->width() == 1;
  return decimal ? fmt::format("{}={}", term.name, term.number)
                 : fmt::format("{}={:#x}", term.name, term.number);
}

}  // namespace evname::event
