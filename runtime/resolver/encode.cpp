#include "resolver/encode.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "packing/decode.hpp"
#include "packing/overlap.hpp"
#include "resolver/encoding_access.hpp"
#include "syntax/kernel_names.hpp"
#include "syntax/lexer.hpp"

namespace evname::resolver {
namespace {

using detail::EncodingAccess;

/// A term list ready to be packed. Movable only: `terms` point into `storage`.
struct Expanded {
  std::vector<packing::PackTerm> terms;
  std::vector<syntax::Term> storage;
  machine::Alias alias;        ///< the event among the terms; may be empty
  std::size_t user_terms = 0;  ///< how many of `terms` are not the alias's

  /// cpu/cycles/ on a PMU without such an event: the generic code it stands for.
  struct Generic {
    std::uint32_t type;
    std::uint64_t config;
  };
  std::optional<Generic> generic;

  Expanded() = default;
  Expanded(Expanded&&) = default;
  Expanded& operator=(Expanded&&) = default;
};

class Expander {
 public:
  explicit Expander(const machine::BoundPmu& bound) : bound_(bound) {}

  Result<void> add(const syntax::Term& term);
  Expanded take() { return std::move(out_); }

 private:
  Result<void> add_bare(const syntax::Term& term);
  Result<void> add_alias(const syntax::Term& term, const machine::Alias& alias);
  bool add_generic(std::string_view word);
  void keep(packing::PackTerm term) {
    out_.terms.push_back(term);
    ++out_.user_terms;
  }

  const machine::BoundPmu& bound_;
  Expanded out_;
};

Result<void> Expander::add_alias(const syntax::Term& term, const machine::Alias& alias) {
  if (out_.alias)
    return syntax::syntax_error(
        term.offset, fmt::format("'{}' and '{}' are both events: only one can be "
                                 "counted at a time",
                                 machine::alias_name(out_.alias), machine::alias_name(alias)));
  out_.alias = alias;
  return machine::append_terms(alias, &out_.terms, &out_.storage);
}

/// Hardware and cache words stand for the generic code only where the PMU has no such event.
bool Expander::add_generic(std::string_view word) {
  if (!bound_.pmu.is_core) return false;
  if (const auto config = syntax::hardware_config(word)) {
    out_.generic = Expanded::Generic{kTypeHardware, *config};
    return true;
  }
  const auto cache = syntax::cache_config(word);
  if (!cache || !cache->valid) return false;
  out_.generic = Expanded::Generic{kTypeHwCache, cache->config};
  return true;
}

Result<void> Expander::add_bare(const syntax::Term& term) {
  if (!term.raw && bound_.pmu.find_format(term.name) != nullptr) {
    keep(packing::pack_term(term));
    return {};
  }
  if (const machine::Alias alias = machine::find_alias(bound_, term.name))
    return add_alias(term, alias);
  if (term.raw) {
    keep({"config", syntax::Term::Value::number, term.number, {}, term.offset});
    return {};
  }
  if (add_generic(term.name)) return {};
  return syntax::error_at(
      term.offset, Errc::not_found,
      fmt::format("'{}' is neither a term nor an event of PMU '{}'", term.name, bound_.pmu.name));
}

Result<void> Expander::add(const syntax::Term& term) {
  if (syntax::find_own_term(term.name) != nullptr) {
    keep(packing::pack_term(term));
    return {};
  }
  if (term.value == syntax::Term::Value::none) return add_bare(term);
  const bool names_event =
      term.value == syntax::Term::Value::text && tables::equal_ignoring_case(term.name, "event");
  if (names_event)
    if (const machine::Alias alias = machine::find_alias(bound_, term.text))
      return add_alias(term, alias);
  keep(packing::pack_term(term));
  return {};
}

Result<Expanded> expand(const machine::BoundPmu& bound, std::span<const syntax::Term> terms) {
  Expander expander(bound);
  for (const syntax::Term& term : terms)
    if (const auto done = expander.add(term); !done) return tl::unexpected<Error>(done.error());
  return expander.take();
}

/// What the event text alone says.
void start(const detail::MachineState& state, const syntax::Spec& spec, Source source,
           Encoding& out) {
  out.modifiers = spec.modifiers;
  out.matched_by = state.match.matched_by;
  out.source = source;
}

Draft draft(const detail::MachineState& state, const syntax::Spec& spec, Source source) {
  Draft draft;
  start(state, spec, source, draft.encoding);
  draft.name = spec.text;
  return draft;
}

void set_code(const pmu::Pmu& pmu, const packing::Packed& packed, Encoding& out) {
  out.pmu = pmu.name;
  out.code = make_code(pmu.type.value_or(0), packed.config);
  out.code.has_type = pmu.type.has_value();
  out.period = packed.period;
}

void describe(const machine::Alias& alias, Encoding& out) {
  out.source = alias.source();
  if (alias.event != nullptr) {
    out.model = alias.model.name();
    EncodingAccess::set_event(out, alias.model.arch(), *alias.event);
  }
  const machine::ScaleUnit unit = machine::scale_unit(alias);
  out.scale = unit.scale;
  out.unit = unit.unit;
}

void rename(std::span<const packing::PackTerm> terms, Draft& draft) {
  for (const packing::PackTerm& term : terms)
    if (term.name == "name" && term.value == syntax::Term::Value::text) draft.name = term.text;
}

bool is_encoded(const packing::PackTerm& term) {
  const syntax::OwnTerm* own = syntax::find_own_term(term.name);
  return own == nullptr || own->effect != syntax::OwnTerm::Effect::none;
}

std::string terms_text(const pmu::Pmu& pmu, std::span<const packing::PackTerm> terms) {
  std::string out;
  for (const packing::PackTerm& term : terms) {
    if (!is_encoded(term)) continue;
    if (!out.empty()) out += ',';
    out += packing::canonical_term(pmu, term);
  }
  return out;
}

Result<Draft> encode_in_pmu_generic(const detail::MachineState& state, const syntax::Spec& spec,
                                    const machine::BoundPmu& bound, const Expanded& expanded) {
  const auto cores = extended_cores(state);
  auto draft = encode_generic(state, spec, expanded.generic->type, expanded.generic->config,
                              cores.empty() ? nullptr : &bound);
  if (!draft) return draft;
  packing::Packed packed;
  packed.config = words_of(draft->encoding.code);
  if (const auto done = packing::pack_own_terms(expanded.terms, packed); !done)
    return tl::unexpected<Error>(done.error());
  draft->encoding.code = make_code(draft->encoding.code.type, packed.config);
  draft->encoding.period = packed.period;
  rename(expanded.terms, *draft);
  return draft;
}

}  // namespace

Encoding Draft::finish() && {
  EncodingAccess::own(encoding, {std::move(name), std::move(terms), std::move(warnings)});
  return std::move(encoding);
}

Result<void> encode_alias(const detail::MachineState& state, const syntax::Spec& spec,
                          const machine::BoundPmu& bound, const machine::Alias& alias,
                          Encoding& out) {
  const auto packed = machine::pack(bound, alias);
  if (!packed) return tl::unexpected<Error>(packed.error());
  start(state, spec, alias.source(), out);
  set_code(bound.pmu, *packed, out);
  if (alias.event != nullptr) {
    out.name = alias.model.arch().text(alias.event->name);
    if ((alias.model.model->flags & tables::kStandard) != 0)
      out.matched_by = MatchedBy::architecture;
  } else {
    EncodingAccess::own(out, {machine::alias_name(alias), alias.sysfs->terms, {}});
  }
  describe(alias, out);
  return {};
}

Result<void> encode_terms(const detail::MachineState& state, const syntax::Spec& spec,
                          const machine::BoundPmu& bound, std::span<const syntax::Term> terms,
                          Encoding& out) {
  const auto expanded = expand(bound, terms);
  if (!expanded) return tl::unexpected<Error>(expanded.error());
  if (expanded->generic) {
    auto generic = encode_in_pmu_generic(state, spec, bound, *expanded);
    if (!generic) return tl::unexpected<Error>(std::move(generic.error()));
    out = std::move(*generic).finish();
    return {};
  }
  if (expanded->alias && expanded->user_terms == 0)
    return encode_alias(state, spec, bound, expanded->alias, out);
  const auto packed = bound.packer().pack(expanded->terms);
  if (!packed) return tl::unexpected<Error>(packed.error());
  Draft spelled = draft(state, spec, Source::raw);
  set_code(bound.pmu, *packed, spelled.encoding);
  spelled.terms = terms_text(bound.pmu, expanded->terms);
  spelled.warnings = packing::overlap_warnings(bound.pmu, expanded->terms, *packed);
  if (expanded->alias) describe(expanded->alias, spelled.encoding);
  rename(expanded->terms, spelled);
  out = std::move(spelled).finish();
  return {};
}

Result<Draft> encode_generic(const detail::MachineState& state, const syntax::Spec& spec,
                             std::uint32_t type, std::uint64_t config,
                             const machine::BoundPmu* core) {
  std::vector<packing::PackTerm> terms;
  if (spec.kind != syntax::Kind::pmu)
    for (const syntax::Term& term : spec.terms) terms.push_back(packing::pack_term(term));
  if (core != nullptr && core->pmu.type)
    config |= static_cast<std::uint64_t>(*core->pmu.type) << 32;  // PERF_PMU_TYPE_SHIFT
  packing::Packed packed;
  packed.config[0] = config;
  if (const auto done = packing::pack_own_terms(terms, packed); !done)
    return tl::unexpected<Error>(done.error());
  Draft out = draft(state, spec, Source::kernel);
  const bool is_word = spec.kind != syntax::Kind::pmu && spec.kind != syntax::Kind::tracepoint;
  if (terms.empty() && is_word && !spec.name.empty()) out.name = spec.name;  // cycles//
  out.encoding.pmu = core != nullptr ? core->pmu.name : syntax::generic_type_name(type);
  out.encoding.code = make_code(type, packed.config);
  out.encoding.period = packed.period;
  out.terms = packing::plain_terms(packed.config);
  rename(terms, out);
  return out;
}

std::vector<const machine::BoundPmu*> extended_cores(const detail::MachineState& state) {
  std::vector<const machine::BoundPmu*> cores;
  for (const machine::BoundPmu& bound : state.pmus) {
    if (!bound.pmu.is_core) continue;
    if (!bound.pmu.type) return {};
    cores.push_back(&bound);
  }
  if (cores.size() < 2) cores.clear();
  return cores;
}

}  // namespace evname::resolver
