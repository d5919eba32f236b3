#include "naming/namer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "naming/decode.hpp"
#include "syntax/kernel_names.hpp"
#include "syntax/lexer.hpp"
#include "machine/tracepoints.hpp"

namespace evname::event {
namespace {

/// Fields that change how an event is counted, not what it is.
constexpr std::string_view kQualifiers[] = {
    "any",
    "cmask",
    "edge",
    "ev_cntmask",
    "in_tx",
    "in_tx_cp",
    "inv",
    "invert",
    "long",
    "pc",
    "pmc",
    "rdpmc",
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

/// Bits of IA32_PERFEVTSELx that the kernel sets itself and takes out of a config: codes copied
/// from the register carry them (Intel SDM vol. 3, figure 20-1).
const pmu::Format kRegisterBits[] = {{"usr", 0, std::uint64_t{1} << 16},
                                     {"os", 0, std::uint64_t{1} << 17},
                                     {"int", 0, std::uint64_t{1} << 20},
                                     {"en", 0, std::uint64_t{1} << 22}};

std::vector<const pmu::Format*> qualifiers_in(const detail::MachineState& state,
                                              const pmu::Pmu& pmu, const ConfigWords& config) {
  std::vector<const pmu::Format*> found;
  if (state.cpu.arch == "x86" && pmu.is_core)
    for (const pmu::Format& bit : kRegisterBits)
      if ((config[0] & bit.mask) != 0) found.push_back(&bit);
  for (const std::string_view name : kQualifiers)
    if (const pmu::Format* format = pmu.find_format(name))
      if (format->word < config.size() && (config[format->word] & format->mask) != 0 &&
          found.size() < kMaxQualifiers)
        found.push_back(format);
  return found;
}

/// The same code without the chosen qualifiers (bit n: found[n]).
ConfigWords without(const ConfigWords& config, std::span<const pmu::Format* const> found,
                    unsigned chosen) {
  ConfigWords rest = config;
  for (std::size_t i = 0; i < found.size(); ++i)
    if ((chosen >> i & 1) != 0) rest[found[i]->word] &= ~found[i]->mask;
  return rest;
}

std::string spell(const pmu::Pmu& pmu, const ConfigWords& config,
                  std::span<const pmu::Format* const> found, unsigned chosen) {
  std::string out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if ((chosen >> i & 1) == 0) continue;
    if (!out.empty()) out += ',';
    const std::uint64_t value = found[i]->extract(config[found[i]->word]);
    out += canonical_term(pmu, {found[i]->name, Term::Value::number, value, {}});
  }
  return out;
}

/// Fewest qualifiers first: what an event's own encoding holds of them stays in its name.
Alias find_reduced(const detail::MachineState& state, std::size_t at, const ConfigWords& config,
                   CodeNames* out) {
  const pmu::Pmu& pmu = state.pmus[at].pmu;
  const auto found = qualifiers_in(state, pmu, config);
  for (int count = 1; count <= static_cast<int>(found.size()); ++count) {
    for (unsigned chosen = 1; chosen < 1u << found.size(); ++chosen) {
      if (std::popcount(chosen) != count) continue;
      const auto codes = state.index->find(state, at, without(config, found, chosen));
      if (codes.empty()) continue;
      add_names(codes, out);
      out->qualifiers = spell(pmu, config, found, chosen);
      return codes.front().alias();
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
  if (const auto codes = state.index->find(state, at, config); !codes.empty()) {
    add_names(codes, &out);
    out.exact = true;
    like = codes.front().alias();
  } else {
    like = find_reduced(state, at, config, &out);
  }
  out.terms = decode_terms(pmu, config, like);
  return out;
}

/// Types whose codes mean the same on every machine.
CodeNames names_of_generic(const detail::MachineState& state, const Code& code) {
  CodeNames out;
  out.pmu = generic_type_name(code.type);
  out.terms = plain_terms({code.config, code.config1, code.config2, code.config3});
  const bool can_extend = code.type == kTypeHardware || code.type == kTypeHwCache;
  const auto extended = static_cast<std::uint32_t>(code.config >> 32);
  if (can_extend && extended != 0) {
    // PERF_PMU_TYPE_SHIFT of perf_event.h: the upper half names the core PMU.
    const auto at = pmu_of_type(state, extended);
    if (!at) return out;
    out.pmu = state.pmus[*at].pmu.name;
  }
  if (code.type == kTypeTracepoint)
    out.names = state.tracepoint_index->names(state, code.config);
  else if (code.config1 == 0 && code.config2 == 0 && code.config3 == 0)
    out.names = legacy_names(code.type, can_extend ? code.config & 0xffffffff : code.config);
  out.exact = !out.names.empty();
  return out;
}

/// "4:0x1a8" or "27:0x1ff/config1=0x3/": right whatever the machine.
std::string numeric_form(std::uint32_t type, const ConfigWords& config) {
  const std::string head = fmt::format("{}:{:#x}", type, config[0]);
  if (config[1] == 0 && config[2] == 0 && config[3] == 0) return head;
  const std::string terms = plain_terms({0, config[1], config[2], config[3]});
  return fmt::format("{}/{}/", head, terms.substr(terms.find(',') + 1));
}

/// Would perf read the bare name as this event? Not if it is also a code (read) or a word of the
/// kernel (instructions).
bool can_stand_alone(std::string_view name) {
  Lexer lexer(name, 0, name.size());
  const Token token = lexer.next(Place::top);
  return token.kind == TokenKind::name && token.text.size() == name.size() &&
         !hardware_config(name) && !software_config(name) && !is_tool_event(name);
}

std::string best_form(const CodeNames& names) {
  if (names.names.empty()) return fmt::format("{}/{}/", names.pmu, names.terms);
  const std::string& name = names.names.front();
  if (names.exact) return can_stand_alone(name) ? name : fmt::format("{}/{}/", names.pmu, name);
  return fmt::format("{}/{},{}/", names.pmu, names.names.front(), names.qualifiers);
}

std::string generic_form(const detail::MachineState& state, const Code& code) {
  if (code.type == kTypeBreakpoint && code.config == 0)
    return fmt::format("mem:{:#x}/{}", code.config1, code.config2);
  const CodeNames names = names_of_generic(state, code);
  if (!names.exact)
    return numeric_form(code.type, {code.config, code.config1, code.config2, code.config3});
  if (names.pmu == generic_type_name(code.type)) return names.names.front();
  return fmt::format("{}/{}/", names.pmu, names.names.front());
}

}  // namespace

std::optional<std::size_t> pmu_of_type(const detail::MachineState& state, std::uint32_t type) {
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.type == type && (type != kTypeRaw || state.pmus[i].pmu.is_core)) return i;
  if (type != kTypeRaw) return std::nullopt;
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.is_core) return i;
  return std::nullopt;
}

CodeNames names_of(const detail::MachineState& state, const Code& code) {
  const ConfigWords config{code.config, code.config1, code.config2, code.config3};
  if (is_generic_type(code.type)) return names_of_generic(state, code);
  if (const auto at = pmu_of_type(state, code.type)) return names_on_pmu(state, *at, config);
  CodeNames out;
  out.pmu = generic_type_name(code.type);
  out.terms = plain_terms(config);
  return out;
}

CodeNames names_of(const detail::MachineState& state, std::string_view pmu, const Code& code) {
  const ConfigWords config{code.config, code.config1, code.config2, code.config3};
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.name == pmu) return names_on_pmu(state, i, config);
  CodeNames out;
  out.pmu = pmu;
  out.terms = plain_terms(config);
  return out;
}

std::string_view exact_name(const detail::MachineState& state, const Code& code) {
  if (is_generic_type(code.type)) return {};
  const auto at = pmu_of_type(state, code.type);
  if (!at) return {};
  const auto codes =
      state.index->find(state, *at, {code.config, code.config1, code.config2, code.config3});
  return codes.empty() ? std::string_view() : codes.front().name;
}

std::string name_of(const detail::MachineState& state, const Encoding& encoding) {
  const ConfigWords config{encoding.config, encoding.config1, encoding.config2, encoding.config3};
  for (std::size_t i = 0; i < state.pmus.size(); ++i) {
    const pmu::Pmu& pmu = state.pmus[i].pmu;
    const bool generic = encoding.type && is_generic_type(*encoding.type);
    if (pmu.name == encoding.pmu && !generic && (!encoding.type || encoding.type == pmu.type))
      return best_form(names_on_pmu(state, i, config));
  }
  if (!encoding.type) return fmt::format("{}/{}/", encoding.pmu, plain_terms(config));
  const Code code{*encoding.type, config[0], config[1], config[2], config[3]};
  if (is_generic_type(code.type)) return generic_form(state, code);
  const CodeNames names = names_of(state, code);
  return names.pmu.empty() || names.pmu == generic_type_name(code.type)
             ? numeric_form(code.type, config)
             : best_form(names);
}

}  // namespace evname::event
