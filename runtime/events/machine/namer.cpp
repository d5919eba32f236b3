// Converts codes to names. A name is returned only if it stands for exactly that code, alone or
// with the returned qualifiers.

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/kernel_events.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"
#include "evname/machine.hpp"

namespace evname::machine {

namespace {

/// Fields of the first word that change how or where an event is counted, not the event itself. All
/// fields of config1 and later words are qualifiers, too: drivers put filters, thresholds and
/// values of further registers there. If several fields have the same bits, such as ldlat and
/// offcore_rsp, the field that an event of the same number has counts.
constexpr std::string_view kQualifiers[] = {
    "any",
    "bynodeid",
    "ch_mask",
    "cmask",
    "coreid",
    "edge",
    "enallcores",
    "enallslices",
    "eq",
    "ev_cntmask",
    "fc_mask",
    "in_tx",
    "in_tx_cp",
    "inv",
    "invert",
    "long",
    "nodeid",
    "occ_edge",
    "occ_edge_det",
    "occ_invert",
    "pc",
    "pmc",
    "rdpmc",
    "sliceid",
    "slicemask",
    "thresh_ext",
    "threadmask",
    "tid_en",
    "tid_en2",
    "thresh",
    "threshold",
    "threshold_compare",
    "threshold_count",
};
constexpr std::size_t kMaxQualifiers = 8;  // more than that are never set at once

void add_names(std::span<const NamedCode> codes, CodeNames* out) {
  for (const NamedCode& code : codes) {
    if (std::find(out->names.begin(), out->names.end(), code.name) == out->names.end())
      out->names.emplace_back(code.name);
  }
}

/// Bits of IA32_PERFEVTSELx that the kernel sets itself and removes from a config: codes copied
/// from the register carry them (Intel SDM vol. 3, figure 20-1).
std::span<const pmu::Format> register_bits() {
  static const pmu::Format kBits[] = {{"usr", 0, std::uint64_t{1} << 16},
                                      {"os", 0, std::uint64_t{1} << 17},
                                      {"int", 0, std::uint64_t{1} << 20},
                                      {"en", 0, std::uint64_t{1} << 22}};
  return kBits;
}

/// Returns the terms of the nearest event of that number that has fields in config1 or later.
std::vector<tables::Term> terms_of_nearest(const detail::MachineState& state, std::size_t at,
                                           const ConfigWords& config) {
  std::vector<tables::Term> terms;
  for (const NamedCode& near : codes_of_event(state, at, config)) {
    if (!append_terms(near.alias(), &terms)) terms.clear();
    const auto is_extra = [&](const tables::Term& term) {
      const pmu::Format* const format = state.pmus[at].pmu.find_format(term.name);
      return format != nullptr && format->word > 0;
    };
    if (std::ranges::any_of(terms, is_extra)) return terms;
    terms.clear();
  }
  return terms;
}

bool only_config(const ConfigWords& config) {
  return std::all_of(config.begin() + 1, config.end(),
                     [](std::uint64_t word) { return word == 0; });
}

/// Returns true if no other field has bits of this one.
bool is_alone(const pmu::Pmu& pmu, const pmu::Format& format) {
  return std::ranges::none_of(pmu.formats, [&](const pmu::Format& other) {
    return &other != &format && other.word == format.word && (other.mask & format.mask) != 0;
  });
}

std::vector<const pmu::Format*> qualifiers_in(const detail::MachineState& state, std::size_t at,
                                              const ConfigWords& config,
                                              std::span<const tables::Term> nearest) {
  const pmu::Pmu& pmu = state.pmus[at].pmu;
  std::vector<const pmu::Format*> found;
  const auto add = [&](const pmu::Format* format) {
    if (format != nullptr && format->word < config.size() &&
        (config[format->word] & format->mask) != 0 && found.size() < kMaxQualifiers &&
        std::ranges::find(found, format) == found.end())
      found.push_back(format);
  };
  if (state.cpu.arch == "x86" && pmu.is_core)
    for (const pmu::Format& bit : register_bits()) add(&bit);
  for (const std::string_view name : kQualifiers) add(pmu.find_format(name));
  if (only_config(config)) return found;
  for (const tables::Term& term : nearest)
    if (const pmu::Format* format = pmu.find_format(term.name); format && format->word > 0)
      add(format);
  for (const pmu::Format& format : pmu.formats)
    if (format.word > 0 && is_alone(pmu, format)) add(&format);
  return found;
}

/// Returns the code without the chosen qualifiers (bit n: found[n]).
ConfigWords without(const ConfigWords& config, std::span<const pmu::Format* const> found,
                    unsigned chosen) {
  ConfigWords rest = config;
  for (std::size_t i = 0; i < found.size(); ++i)
    if ((chosen >> i & 1) != 0) rest[found[i]->word] &= ~found[i]->mask;
  return rest;
}

bool is_register_bit(const pmu::Format* format) {
  return std::ranges::any_of(register_bits(),
                             [&](const pmu::Format& bit) { return &bit == format; });
}

/// Bits outside of all fields are written as a config term, which comes before the event's own
/// terms.
std::string spell(const pmu::Pmu& pmu, const ConfigWords& config,
                  std::span<const pmu::Format* const> found, unsigned chosen) {
  std::vector<std::string> terms;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if ((chosen >> i & 1) == 0) continue;
    if (is_register_bit(found[i])) {
      bits |= found[i]->mask;
      continue;
    }
    const std::uint64_t value = found[i]->extract(config[found[i]->word]);
    terms.push_back(
        packing::canonical_term(pmu, {found[i]->name, tables::Term::Value::number, value, {}}));
  }
  if (bits != 0) terms.insert(terms.begin(), fmt::format("config={:#x}", bits));
  return joined(terms, ",");
}

/// Returns the driver's own events with a field in config1 or later that users set, such as
/// mem-loads: its ldlat=3 is the least value, and perf ORs the user's value to it.
std::vector<NamedCode> adjustable_events(const detail::MachineState& state, std::size_t at,
                                         const ConfigWords& config) {
  std::vector<NamedCode> out;
  if (only_config(config)) return out;
  for (const NamedCode& code : state.index->all(state, at)) {
    bool is_within = code.event == nullptr && !only_config(code.config);
    for (std::size_t i = 0; i < config.size(); ++i) is_within &= (code.config[i] & ~config[i]) == 0;
    if (is_within) out.push_back(code);
  }
  return out;
}

/// Fewest qualifiers first, so that the qualifiers in an event's own encoding stay in its name.
Alias find_reduced(const detail::MachineState& state, std::size_t at, const ConfigWords& config,
                   std::span<const tables::Term> nearest, CodeNames* out) {
  const auto found = qualifiers_in(state, at, config, nearest);
  const auto adjustable = adjustable_events(state, at, config);
  const auto take = [&](std::span<const NamedCode> codes, unsigned chosen) {
    add_names(codes, out);
    out->qualifiers = spell(state.pmus[at].pmu, config, found, chosen);
    return codes.front().alias();
  };
  for (int count = 1; count <= static_cast<int>(found.size()); ++count) {
    for (unsigned chosen = 1; chosen < 1u << found.size(); ++chosen) {
      if (std::popcount(chosen) != count) continue;
      const ConfigWords rest = without(config, found, chosen);
      if (const auto codes = state.index->find(state, at, rest); !codes.empty())
        return take(codes, chosen);
      for (const NamedCode& code : adjustable)
        if (code.config[0] == rest[0] && without(code.config, found, chosen) == rest)
          return take({&code, 1}, chosen);
    }
  }
  return {};
}

CodeNames names_on_pmu(const detail::MachineState& state, std::size_t at,
                       const ConfigWords& config) {
  CodeNames out;
  const pmu::Pmu& pmu = state.pmus[at].pmu;
  out.pmu = pmu.name;
  Alias like;
  std::vector<tables::Term> nearest, preferred;
  if (const auto codes = state.index->find(state, at, config); !codes.empty()) {
    add_names(codes, &out);
    out.exact = true;
    like = codes.front().alias();
  } else {
    if (!only_config(config)) nearest = terms_of_nearest(state, at, config);
    like = find_reduced(state, at, config, nearest, &out);
  }
  if (like && !append_terms(like, &preferred)) preferred.clear();
  preferred.insert(preferred.end(), nearest.begin(), nearest.end());
  out.terms = packing::decode_terms(pmu, config, preferred);
  return out;
}

/// The same on a PMU that the machine may have.
CodeNames names_on_possible(const BoundPmu& bound, const ConfigWords& config) {
  CodeNames out;
  out.pmu = bound.pmu.name;
  for (const pmu::SysfsEvent* const event : driver_events(bound, config))
    out.names.push_back(to_lower(event->name));
  out.exact = !out.names.empty();
  out.terms = packing::decode_terms(bound.pmu, config);
  return out;
}

/// The upper half names one of several core PMUs (PERF_PMU_TYPE_SHIFT of perf_event.h).
CodeNames names_of_extended(const detail::MachineState& state, const Code& code, CodeNames out) {
  const ConfigWords config = words_of(code);
  const std::uint64_t generic = config[0] & 0xffffffff;
  const auto at = pmu_of_type(state, static_cast<std::uint32_t>(config[0] >> 32));
  auto names = syntax::legacy_names(code.type, generic);
  if (!at || !state.pmus[*at].is_extended || !only_config(config) || names.empty()) return out;
  out.pmu = state.pmus[*at].pmu.name;
  out.terms = fmt::format("{}={:#x}", syntax::legacy_term(code.type), generic);
  out.names = std::move(names);
  out.exact = true;
  return out;
}

/// Types whose codes mean the same on every machine.
CodeNames names_of_generic(const detail::MachineState& state, const Code& code) {
  CodeNames out;
  out.pmu = syntax::generic_type_name(code.type);
  const ConfigWords config = words_of(code);
  out.terms = packing::plain_terms(config);
  const bool can_extend = code.type == kTypeHardware || code.type == kTypeHwCache;
  if (can_extend && config[0] >> 32 != 0) return names_of_extended(state, code, std::move(out));
  if (code.type == kTypeTracepoint)
    out.names = state.tracepoint_index->names(state, config[0]);
  else if (only_config(config))
    out.names = syntax::legacy_names(code.type, config[0]);
  out.exact = !out.names.empty();
  return out;
}

/// "4:0x1a8" or "27:0x1ff/config1=0x3/": valid on any machine.
std::string numeric_form(std::uint32_t type, const ConfigWords& config) {
  const std::string head = fmt::format("{}:{:#x}", type, config[0]);
  if (only_config(config)) return head;
  const std::string terms = packing::plain_terms(config);
  return fmt::format("{}/{}/", head, terms.substr(terms.find(',') + 1));
}

/// Returns true if perf reads the bare name as this event, and not as a code (read) or a word of
/// the kernel (instructions).
bool can_stand_alone(std::string_view name) {
  syntax::Lexer lexer(name, syntax::Place::outside);
  const syntax::Token token = lexer.next();
  return token.is(syntax::TokenKind::name) && token.text.size() == name.size();
}

/// The beginning of the terms of generic codes (legacy-hardware-config).
constexpr std::string_view kLegacyTerm = "legacy-";

/// The name, alone if it can be, then the PMU's own terms, then its words.
std::vector<std::string> forms(const CodeNames& names, const ConfigWords& config) {
  std::vector<std::string> out;
  if (!names.names.empty()) {
    const std::string& name = names.names.front();
    if (names.exact && can_stand_alone(name)) out.push_back(name);
    out.push_back(names.exact ? fmt::format("{}/{}/", names.pmu, name)
                              : fmt::format("{}/{},{}/", names.pmu, name, names.qualifiers));
  }
  out.push_back(fmt::format("{}/{}/", names.pmu, names.terms));
  out.push_back(fmt::format("{}/{}/", names.pmu, packing::plain_terms(config)));
  return out;
}

std::string breakpoint_form(const Encoding& e) {
  std::string access;
  for (const auto& [bit, letter] : {std::pair(1u, 'r'), std::pair(2u, 'w'), std::pair(4u, 'x')})
    if ((e.bp_type & bit) != 0) access += letter;
  std::string out = fmt::format("mem:{:#x}/{}", e.code.config[1], e.code.config[2]);
  return access.empty() || access == "rw" ? out : out + ':' + access;
}

std::vector<std::string> generic_forms(const detail::MachineState& state, const Encoding& e) {
  if (e.code.type == kTypeBreakpoint && e.code.config[0] == 0 && e.code.config[2] != 0)
    return {breakpoint_form(e)};
  const CodeNames names = names_of_generic(state, e.code);
  if (!names.exact) return {};
  if (names.pmu != syntax::generic_type_name(e.code.type))
    return {fmt::format("{}/{}/", names.pmu, names.names.front()),
            fmt::format("{}/{}/", names.pmu, names.terms)};
  std::vector<std::string> out = {names.names.front()};
  for (const BoundPmu& bound : state.pmus)
    if (bound.pmu.is_core && e.code.type != kTypeSoftware && e.code.type != kTypeTracepoint)
      out.push_back(fmt::format("{}/{}/", bound.pmu.name, names.names.front()));
  return out;
}

std::string_view exact_name_on(const detail::MachineState& state, std::size_t pmu,
                               const Code& code) {
  const auto codes = state.index->find(state, pmu, words_of(code));
  return codes.empty() ? std::string_view() : codes.front().name;
}

CodeNames names_of(const detail::MachineState& state, const Code& code) {
  const ConfigWords config = words_of(code);
  const std::uint32_t type = type_of(code);
  if (is_generic_type(type)) return names_of_generic(state, code);
  if (const auto at = pmu_of_type(state, type)) return names_on_pmu(state, *at, config);
  CodeNames out;
  out.pmu = syntax::generic_type_name(type);
  out.terms = packing::plain_terms(config);
  return out;
}

CodeNames names_of(const detail::MachineState& state, std::string_view pmu, const Code& code) {
  const ConfigWords config = words_of(code);
  if (const auto at = pmu_of_name(state, pmu)) {
    CodeNames out = names_on_pmu(state, *at, config);
    out.pmu = pmu;
    return out;
  }
  for (const BoundPmu& bound : state.possible_pmus())
    if (pmu::matches_wildcard(pmu, bound.pmu)) return names_on_possible(bound, config);
  CodeNames out;
  out.pmu = pmu;
  out.terms = packing::plain_terms(config);
  return out;
}

std::string_view exact_name(const detail::MachineState& state, std::string_view pmu,
                            const Code& code) {
  const auto at = pmu_of_name(state, pmu);
  return at ? exact_name_on(state, *at, code) : std::string_view();
}

/// Returns texts for an encoding, the best first and a purely numeric one last. Some may not
/// resolve to the encoding.
std::vector<std::string> spellings(const detail::MachineState& state, const Encoding& encoding) {
  const Code& code = encoding.code;
  const ConfigWords config = words_of(code);
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  const bool generic = code.has_type && is_generic_type(code.type);
  const auto at = generic ? std::nullopt : pmu_of_name(state, encoding.pmu);
  if (at && (!code.has_type || code.type == state.pmus[*at].pmu.type)) {
    if (!code.has_type && encoding.terms().starts_with(kLegacyTerm))
      return {fmt::format("{}/{}/", encoding.pmu, encoding.terms())};
    for (std::string& form : forms(names_of(state, encoding.pmu, code), config))
      add(std::move(form));
  }
  if (!code.has_type) {
    add(fmt::format("{}/{}/", encoding.pmu, packing::plain_terms(config)));
    return out;
  }
  if (generic)
    for (std::string& form : generic_forms(state, encoding)) add(std::move(form));
  else if (out.empty())
    if (const CodeNames names = names_of(state, code);
        !names.pmu.empty() && names.pmu != syntax::generic_type_name(code.type))
      for (std::string& form : forms(names, config)) add(std::move(form));
  add(numeric_form(code.type, config));
  return out;
}

bool is_same_pmu(const Encoding& a, const Encoding& b) {
  return a.code.has_type && b.code.has_type ? a.code.type == b.code.type : a.pmu == b.pmu;
}

/// Returns true if the text resolves to the wanted encoding, and to nothing on another PMU.
bool resolves_to(const Machine& machine, const std::string& text, const Encoding& wanted) {
  const auto found = machine.resolve(text);
  if (!found) return false;
  return std::all_of(found->begin(), found->end(), [&](const Encoding& e) {
    return words_of(e.code) == words_of(wanted.code) && is_same_pmu(e, wanted) &&
           (wanted.bp_type == 0 || e.bp_type == wanted.bp_type);
  });
}

}  // namespace
}  // namespace evname::machine

namespace evname {

CodeNames Machine::names_of(const Code& code) const { return machine::names_of(*state_, code); }

CodeNames Machine::names_of(std::string_view pmu, const Code& code) const {
  return machine::names_of(*state_, pmu, code);
}

std::string_view Machine::exact_name(std::string_view pmu, const Code& code) const {
  return machine::exact_name(*state_, pmu, code);
}

std::string CodeNames::text() const {
  if (names.empty()) return fmt::format("{}/{}/", pmu, terms);
  return exact ? names.front() : fmt::format("{} with {}", names.front(), qualifiers);
}

std::string Machine::name_of(const Encoding& encoding) const {
  std::vector<std::string> texts = machine::spellings(*state_, encoding);
  for (std::string& text : texts)
    if (machine::resolves_to(*this, text, encoding)) return std::move(text);
  return texts.empty() ? std::string() : std::move(texts.back());
}

}  // namespace evname
