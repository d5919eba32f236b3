#include "resolver/encode.hpp"

#include <fmt/format.h>

#include "naming/decode.hpp"
#include "resolver/overlap.hpp"
#include "resolver/spliced.hpp"
#include "syntax/kernel_names.hpp"

namespace evname::event {
namespace {

void describe(const Alias& alias, Encoding* encoding) {
  encoding->source = alias.source();
  if (alias.event != nullptr) {
    encoding->model = alias.model.name();
    encoding->desc = alias.model.arch().text(alias.event->desc);
  }
  ScaleUnit unit = scale_unit(alias);
  encoding->scale = unit.scale;
  encoding->unit = std::move(unit.unit);
}

void rename(std::span<const PackTerm> terms, Encoding* encoding) {
  for (const PackTerm& term : terms)
    if (term.name == "name" && term.value == Term::Value::text) encoding->name = term.text;
}

bool is_encoded(const PackTerm& term) {
  return term.name.starts_with("config") || term.name == "period" || !is_builtin_term(term.name);
}

std::string terms_text(const pmu::Pmu& pmu, std::span<const PackTerm> terms) {
  std::string out;
  for (const PackTerm& term : terms) {
    if (!is_encoded(term)) continue;
    if (!out.empty()) out += ',';
    out += canonical_term(pmu, term);
  }
  return out;
}

Result<Encoding> encode_in_pmu_generic(const detail::MachineState& state, const Spec& spec,
                                       const detail::BoundPmu& bound, const Expanded& expanded) {
  const auto cores = extended_cores(state);
  auto encoding = encode_generic(state, spec, expanded.generic->type, expanded.generic->config,
                                 cores.empty() ? nullptr : &bound);
  if (!encoding) return encoding;
  Words words{{encoding->config, 0, 0, 0}, 0};
  if (const auto done = pack_builtins(expanded.terms, words); !done)
    return tl::unexpected<Error>(done.error());
  set_words(words, &*encoding);
  rename(expanded.terms, &*encoding);
  return encoding;
}

}  // namespace

Encoding start_encoding(const detail::MachineState& state, const Spec& spec, Source source) {
  Encoding encoding;
  encoding.name = spec.text;
  encoding.modifiers = spec.modifiers;
  encoding.matched_by = state.match.matched_by;
  encoding.source = source;
  return encoding;
}

void set_words(const Words& words, Encoding* encoding) {
  encoding->config = words.config[0];
  encoding->config1 = words.config[1];
  encoding->config2 = words.config[2];
  encoding->config3 = words.config[3];
  encoding->period = words.period;
}

Result<Encoding> encode_alias(const detail::MachineState& state, const Spec& spec,
                              const detail::BoundPmu& bound, const Alias& alias) {
  const auto words = pack(bound.pmu, alias);
  if (!words) return tl::unexpected<Error>(words.error());
  Encoding encoding = start_encoding(state, spec, alias.source());
  encoding.name = alias_name(alias);
  if (alias.event != nullptr && (alias.model.model->flags & tables::kStandard) != 0)
    encoding.matched_by = MatchedBy::architecture;
  encoding.pmu = bound.pmu.name;
  encoding.type = bound.pmu.type;
  set_words(*words, &encoding);
  encoding.terms = alias_terms_text(alias);
  describe(alias, &encoding);
  return encoding;
}

Result<Encoding> encode_terms(const detail::MachineState& state, const Spec& spec,
                              const detail::BoundPmu& bound, std::span<const Term> terms) {
  const auto expanded = expand(bound, terms);
  if (!expanded) return tl::unexpected<Error>(expanded.error());
  if (expanded->generic) return encode_in_pmu_generic(state, spec, bound, *expanded);
  if (expanded->alias && expanded->user_terms == 0)
    return encode_alias(state, spec, bound, expanded->alias);
  const auto words = pack(bound.pmu, expanded->terms);
  if (!words) return tl::unexpected<Error>(words.error());
  Encoding encoding = start_encoding(state, spec, Source::raw);
  encoding.pmu = bound.pmu.name;
  encoding.type = bound.pmu.type;
  set_words(*words, &encoding);
  encoding.terms = terms_text(bound.pmu, expanded->terms);
  encoding.warnings = overlap_warnings(bound.pmu, expanded->terms, *words);
  if (expanded->alias) describe(expanded->alias, &encoding);
  rename(expanded->terms, &encoding);
  return encoding;
}

Result<Encoding> encode_generic(const detail::MachineState& state, const Spec& spec,
                                std::uint32_t type, std::uint64_t config,
                                const detail::BoundPmu* core) {
  std::vector<PackTerm> terms;
  if (spec.kind != Kind::pmu)
    for (const Term& term : spec.terms) terms.push_back(pack_term(term));
  if (core != nullptr && core->pmu.type)
    config |= static_cast<std::uint64_t>(*core->pmu.type) << 32;  // PERF_PMU_TYPE_SHIFT
  Words words{{config, 0, 0, 0}, 0};
  if (const auto done = pack_builtins(terms, words); !done)
    return tl::unexpected<Error>(done.error());
  Encoding encoding = start_encoding(state, spec, Source::kernel);
  const bool is_word = spec.kind != Kind::pmu && spec.kind != Kind::tracepoint;
  if (terms.empty() && is_word && !spec.name.empty()) encoding.name = spec.name;  // cycles//
  encoding.pmu = core != nullptr ? core->pmu.name : std::string(generic_type_name(type));
  encoding.type = type;
  set_words(words, &encoding);
  encoding.terms = plain_terms(words.config);
  rename(terms, &encoding);
  return encoding;
}

std::vector<const detail::BoundPmu*> extended_cores(const detail::MachineState& state) {
  std::vector<const detail::BoundPmu*> cores;
  for (const detail::BoundPmu& bound : state.pmus) {
    if (!bound.pmu.is_core) continue;
    if (!bound.pmu.type) return {};
    cores.push_back(&bound);
  }
  if (cores.size() < 2) cores.clear();
  return cores;
}

}  // namespace evname::event
