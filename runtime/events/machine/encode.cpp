#include "events/machine/encode.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"

namespace evname::machine {
namespace {

using detail::EncodingAccess;

/// A term list ready to be packed.
struct Expanded {
  std::vector<tables::Term> terms;
  Alias alias;                 ///< the event among the terms; may be empty
  std::size_t user_terms = 0;  ///< number of `terms` that are not the alias's
};

class Expander {
 public:
  explicit Expander(const BoundPmu& bound) : bound_(bound) {}

  Result<void> add(const tables::Term& term);
  /// perf applies the user's terms again after it inserts an event's terms, and then uses the
  /// generic type if the PMU is not a core PMU.
  bool applies_legacy_twice() const { return has_legacy_ && out_.alias; }
  Expanded take() { return std::move(out_); }

 private:
  Result<void> add_bare(const tables::Term& term);
  Result<void> add_alias(const tables::Term& term, const Alias& alias);
  void keep(tables::Term term) {
    out_.terms.push_back(term);
    ++out_.user_terms;
  }

  const BoundPmu& bound_;
  std::string_view event_;  ///< the word of out_.alias
  bool has_legacy_ = false;
  Expanded out_;
};

Result<void> Expander::add_alias(const tables::Term& term, const Alias& alias) {
  const std::string_view event = term.text.empty() ? term.name : term.text;
  if (out_.alias)
    return syntax::syntax_error(
        term.offset, fmt::format("'{}' and '{}' are both events: only one can be counted at a time",
                                 event_, event));
  event_ = event;
  out_.alias = alias;
  return append_terms(alias, &out_.terms);
}

Result<void> Expander::add_bare(const tables::Term& term) {
  if (!term.is_raw && bound_.pmu.find_format(term.name) != nullptr) {
    keep(term);
    return {};
  }
  if (const Alias alias = find_alias(bound_, term.name)) return add_alias(term, alias);
  if (term.is_raw) {
    keep({"config", tables::Term::Value::number, term.number, {}, term.offset});
    return {};
  }
  return syntax::error_at(
      term.offset, Errc::not_found,
      fmt::format("'{}' is neither a term nor an event of PMU '{}'", term.name, bound_.pmu.name));
}

Result<void> Expander::add(const tables::Term& term) {
  if (const syntax::PerfTerm* own = syntax::find_perf_term(term.name)) {
    has_legacy_ |= own->effect == syntax::PerfTerm::Effect::legacy;
    keep(term);
    return {};
  }
  if (term.value == tables::Term::Value::none) return add_bare(term);
  const bool names_event =
      term.value == tables::Term::Value::text && equal_ignoring_case(term.name, "event");
  if (names_event)
    if (const Alias alias = find_alias(bound_, term.text)) return add_alias(term, alias);
  keep(term);
  return {};
}

Result<Expanded> expand(const BoundPmu& bound, std::span<const tables::Term> terms) {
  Expander expander(bound);
  for (const tables::Term& term : terms)
    if (const auto done = expander.add(term); !done) return fail(done);
  if (expander.applies_legacy_twice())
    return fail(Errc::invalid_argument,
                "an event and a generic code (legacy-…-config) can't be given together");
  return expander.take();
}

/// Sets the members that depend only on the event's text.
void start(const detail::MachineState& state, const syntax::Spec& spec, Source source,
           Encoding& out) {
  if (!spec.modifiers.empty()) out.modifiers = spec.modifiers;
  out.matched_by = state.match.matched_by;
  out.source = source;
}

/// Returns the terms that say how an event is sampled, separated by slashes.
std::string sampling_terms_of(const syntax::Spec& spec) {
  std::string out;
  for (const tables::Term& term : spec.terms) {
    if (term.is_raw || term.name == "name" || !syntax::is_sampling_term(term.name)) continue;
    if (!out.empty()) out += '/';
    out += term.value == tables::Term::Value::text ? fmt::format("{}={}", term.name, term.text)
                                                   : fmt::format("{}={}", term.name, term.number);
  }
  return out;
}

/// Warns of each sign before a number of a term, which perf's lexer skips.
std::vector<std::string> sign_warnings(std::string_view text) {
  std::vector<std::string> out;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') is_quoted = !is_quoted;
    if (text[at] != '=' || is_quoted) continue;
    const std::string_view value = text.substr(at + 1, text.find_first_of(",/", at) - at - 1);
    if (value.size() > 1 && (value[0] == '-' || value[0] == '+') && value[1] >= '0' &&
        value[1] <= '9')
      out.push_back(fmt::format("the sign of '{}' is skipped, as perf does", value));
  }
  return out;
}

EncodingBuilder start_text(const detail::MachineState& state, const syntax::Spec& spec,
                           Source source) {
  EncodingBuilder out;
  start(state, spec, source, out.encoding);
  out.name = spec.text;
  out.sampling_terms = sampling_terms_of(spec);
  out.warnings = sign_warnings(spec.text);
  return out;
}

/// Sets the period that the kernel implies: programs write bpf-output events one at a time.
void set_period(Encoding& out) {
  constexpr std::uint64_t kBpfOutput = 10;
  if (out.period == 0 && is_type(out.code, kTypeSoftware) && out.code.config[0] == kBpfOutput)
    out.period = 1;
}

/// A generic code on one of several core PMUs contains the PMU's type, which only the machine
/// knows.
void mark_untyped(const BoundPmu& bound, Encoding& out, std::vector<std::string>& warnings) {
  out.pmu = bound.pmu.name;
  out.code = {};
  warnings.push_back(
      fmt::format("the type of PMU {} is only known on the machine itself, and the code of this "
                  "event contains it, so there is no config",
                  bound.pmu.name));
}

void set_code(const BoundPmu& bound, const packing::Packed& packed, Encoding& out) {
  const bool extended = packed.generic && bound.is_extended;
  out.pmu = packed.generic && !extended ? syntax::generic_type_name(*packed.generic)
                                        : std::string_view(bound.pmu.name);
  out.code = make_code(packed.generic.value_or(bound.pmu.type.value_or(0)), packed.config);
  out.code.has_type = (packed.generic && !extended) || bound.pmu.type.has_value();
  out.period = packed.period;
  set_period(out);
}

void describe(const Alias& alias, Encoding& out) {
  out.source = alias.source();
  if (alias.event != nullptr) {
    out.model = alias.model.name();
    EncodingAccess::set_event(out, alias.model.arch(), *alias.event);
  }
  const ScaleUnit unit = scale_unit(alias);
  out.scale = unit.scale;
  out.unit = unit.unit;
}

/// Takes the event's name from a term; the first one counts.
void rename(std::span<const tables::Term> terms, EncodingBuilder& out) {
  for (const tables::Term& term : terms)
    if (term.name == "name" && term.value == tables::Term::Value::text) {
      out.text = std::exchange(out.name, std::string(term.text));
      return;
    }
}

/// Warns of bits that the driver clears; the event of the other bits is counted.
std::vector<std::string> cleared_warning(const pmu::Pmu& pmu, const Code& code) {
  const std::uint64_t cleared = code.config[0] & pmu.cleared_bits;
  if (cleared == 0) return {};
  return {
      fmt::format("the kernel's driver of {} clears {:#x} of config {:#x}, and {:#x} counts "
                  "another event",
                  pmu.name, cleared, code.config[0], code.config[0] & ~cleared)};
}

void warn_of_cleared_bits(const pmu::Pmu& pmu, Encoding& out) {
  if ((out.code.config[0] & pmu.cleared_bits) == 0) return;
  detail::EncodingTexts texts = EncodingAccess::texts_of(out);
  texts.warnings = cleared_warning(pmu, out.code);
  EncodingAccess::own(out, std::move(texts));
}

Result<void> set_box(const detail::MachineState& state, std::string_view box, Encoding& out) {
  if (box.empty()) return {};
  const auto name = state.box(box);
  if (!name)
    return fail(Errc::out_of_range,
                fmt::format("more boxes of PMUs than a machine can have: '{}'", box));
  out.pmu = *name;
  return {};
}

bool is_cpu_list(std::string_view text) {
  return text.find_first_not_of("0123456789-,") == text.npos && !parse_cpu_list(text, 1).empty();
}

/// perf leaves out an event that none of the requested CPUs can count.
Result<void> check_pmu_cpus(const detail::MachineState& state, const pmu::Pmu& pmu,
                            std::span<const tables::Term> terms) {
  const auto own = parse_cpu_list(pmu.cpus);
  if (own.empty()) return {};
  bool asked = false;
  for (const tables::Term& term : terms) {
    if (term.name != "cpu") continue;
    asked = true;
    std::string list(term.text);
    if (term.value != tables::Term::Value::text) list = fmt::format("{}", term.number);
    for (const BoundPmu& other : state.pmus)
      if (other.pmu.name == term.text) list = other.pmu.cpus;
    const auto cpus = parse_cpu_list(list);
    if (cpus.empty() ||
        std::find_first_of(own.begin(), own.end(), cpus.begin(), cpus.end()) != own.end())
      return {};
  }
  if (!asked) return {};
  return fail(Errc::invalid_argument,
              fmt::format("PMU {} counts on CPUs {} only", pmu.name, pmu.cpus));
}

/// cpu=0, cpu=0-1 or cpu=PMU.
Result<void> check_cpus(const detail::MachineState& state, std::span<const tables::Term> terms) {
  for (const tables::Term& term : terms) {
    if (term.name != "cpu") continue;
    const bool text = term.value == tables::Term::Value::text;
    const bool pmu = text && std::any_of(state.pmus.begin(), state.pmus.end(),
                                         [&](const auto& b) { return b.pmu.name == term.text; });
    if (pmu || (text ? is_cpu_list(term.text) : term.number < state.present_cpus)) continue;
    return syntax::syntax_error(
        term.offset, text ? fmt::format("'{}' is neither a PMU nor a list of CPUs", term.text)
                          : fmt::format("there is no CPU {}: the machine has {}", term.number,
                                        state.present_cpus));
  }
  return {};
}

bool is_encoded(const tables::Term& term) {
  const syntax::PerfTerm* own = syntax::find_perf_term(term.name);
  return own == nullptr || own->effect != syntax::PerfTerm::Effect::none;
}

std::string terms_text(const pmu::Pmu& pmu, std::span<const tables::Term> terms) {
  std::string out;
  for (const tables::Term& term : terms) {
    if (!is_encoded(term)) continue;
    if (!out.empty()) out += ',';
    out += packing::canonical_term(pmu, term);
  }
  return out;
}

/// Returns a core PMU's own code of a generic event, if the machine has several core PMUs and a
/// generic code would need a type that only the machine knows.
std::optional<std::uint64_t> own_code(const detail::MachineState& state, const BoundPmu& bound,
                                      std::uint64_t hardware) {
  const auto untyped = [](const BoundPmu& one) { return one.pmu.is_core && !one.pmu.type; };
  if (!bound.is_extended || std::ranges::none_of(state.pmus, untyped)) return std::nullopt;
  return core_code(state, static_cast<std::size_t>(&bound - state.pmus.data()), hardware);
}

/// Replaces generic codes by these. Returns true if there were any.
bool use_own_codes(const detail::MachineState& state, const BoundPmu& bound,
                   std::vector<tables::Term>& terms) {
  bool used = false;
  for (tables::Term& term : terms) {
    const bool is_hardware = term.name == syntax::legacy_term(kTypeHardware) &&
                             term.value == tables::Term::Value::number;
    const auto code = is_hardware ? own_code(state, bound, term.number) : std::nullopt;
    if (!code) continue;
    term.name = "config";
    term.number = *code;
    used = true;
  }
  return used;
}

/// A generic event without further terms, named as in perf with several core PMUs.
EncodingBuilder legacy_text(const detail::MachineState& state, const syntax::Spec& spec,
                            const BoundPmu& bound, const Alias& alias, packing::Packed packed) {
  EncodingBuilder out = start_text(state, spec, alias.source());
  const auto code = alias.legacy->type == kTypeHardware
                        ? own_code(state, bound, alias.legacy->config)
                        : std::nullopt;
  if (code) packed = {{*code}, packed.period, std::nullopt};
  set_code(bound, packed, out.encoding);
  if (spec.kind == syntax::Kind::name || spec.terms.empty())
    out.name = bound.is_extended ? fmt::format("{}/{}/", bound.pmu.name, spec.name) : spec.name;
  out.terms =
      code ? packing::decode_terms(bound.pmu, packed.config) : packing::plain_terms(packed.config);
  if (code) out.encoding.source = Source::raw;
  if (!code && !out.encoding.code.has_type) {
    mark_untyped(bound, out.encoding, out.warnings);
    out.terms =
        fmt::format("{}={:#x}", syntax::legacy_term(alias.legacy->type), alias.legacy->config);
  }
  return out;
}

}  // namespace

Encoding EncodingBuilder::finish() && {
  const bool has_given_name = !text.empty();
  EncodingAccess::own(encoding, {std::move(name), std::move(terms), std::move(warnings),
                                 std::move(sampling_terms), std::move(text), has_given_name});
  return std::move(encoding);
}

Result<void> encode_alias(const detail::MachineState& state, const syntax::Spec& spec,
                          const BoundPmu& bound, const Alias& alias, Encoding& out) {
  const auto packed = pack(bound, alias);
  if (!packed) return fail(packed);
  if (alias.legacy) {
    out = legacy_text(state, spec, bound, alias, *packed).finish();
    return {};
  }
  start(state, spec, alias.source(), out);
  set_code(bound, *packed, out);
  if (alias.event != nullptr) {
    out.name = alias.model.arch().text(alias.event->name);
    if ((alias.model.model->flags & tables::kStandard) != 0)
      out.matched_by = MatchedBy::architecture;
  } else {
    EncodingAccess::own(out, {alias_name(alias), alias.sysfs->terms, {}});
  }
  describe(alias, out);
  warn_of_cleared_bits(bound.pmu, out);
  return {};
}

Result<void> encode_terms(const detail::MachineState& state, const syntax::Spec& spec,
                          const BoundPmu& bound, std::string_view box,
                          std::span<const tables::Term> terms, Encoding& out) {
  auto expanded = expand(bound, terms);
  if (!expanded) return fail(expanded);
  if (expanded->alias && expanded->user_terms == 0) {
    if (auto done = encode_alias(state, spec, bound, expanded->alias, out); !done) return done;
    return set_box(state, box, out);
  }
  const bool own = use_own_codes(state, bound, expanded->terms);
  if (auto done = check_cpus(state, expanded->terms); !done) return done;
  if (auto done = check_pmu_cpus(state, bound.pmu, expanded->terms); !done) return done;
  const auto packed = bound.packer().pack(expanded->terms);
  if (!packed) return fail(packed);
  EncodingBuilder spelled = start_text(state, spec, Source::raw);
  set_code(bound, *packed, spelled.encoding);
  spelled.terms = terms_text(bound.pmu, expanded->terms);
  for (std::string& warning : packing::overlap_warnings(bound.pmu, expanded->terms, *packed))
    spelled.warnings.push_back(std::move(warning));
  for (std::string& warning : cleared_warning(bound.pmu, spelled.encoding.code))
    spelled.warnings.push_back(std::move(warning));
  if (expanded->alias) describe(expanded->alias, spelled.encoding);
  if (own) spelled.encoding.source = Source::raw;
  if (packed->generic && !spelled.encoding.code.has_type)
    mark_untyped(bound, spelled.encoding, spelled.warnings);
  rename(expanded->terms, spelled);
  out = std::move(spelled).finish();
  return set_box(state, box, out);
}

Result<EncodingBuilder> encode_generic(const detail::MachineState& state, const syntax::Spec& spec,
                                       std::uint32_t type, const ConfigWords& config) {
  std::vector<tables::Term> terms;
  for (const tables::Term& term : spec.terms)
    if (!term.is_raw) terms.push_back(term);  // perf ignores them
  if (auto done = check_cpus(state, terms); !done) return fail(done);
  packing::Packed packed;
  packed.config = config;
  const bool tracepoint = spec.kind == syntax::Kind::tracepoint;
  if (tracepoint && terms.size() < spec.terms.size())
    return fail(Errc::invalid_argument, "a raw code can't be used on a tracepoint");
  if (const auto done = packing::pack_perf_terms(terms, tracepoint, packed); !done)
    return fail(done);
  EncodingBuilder out = start_text(state, spec, Source::kernel);
  out.encoding.pmu = type == kTypeTool ? syntax::kToolPmu : syntax::generic_type_name(type);
  out.encoding.code = make_code(type, packed.config);
  out.encoding.period = packed.period;
  set_period(out.encoding);
  out.terms = packing::plain_terms(packed.config);
  rename(terms, out);
  return out;
}

}  // namespace evname::machine
