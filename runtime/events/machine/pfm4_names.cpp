#include "events/machine/pfm4_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "events/cpu/find_model.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/lookup.hpp"
#include "events/packing/decode.hpp"
#include "events/pfm4/encode_name.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"

namespace evname::machine {
namespace {

constexpr std::string_view kSeparators = ":.";
constexpr std::size_t kLongest = 512;  ///< longer texts are no names
constexpr std::size_t kMostPieces = 32;

/// Modifiers of libpfm4 in perf's syntax: letters after the event, and terms.
struct PerfModifiers {
  std::string letters;
  std::string terms;  ///< ",edge,cmask=0x1"

  void add_term(std::string_view name, std::uint64_t value) {
    terms += fmt::format(",{}={:#x}", name, value);
  }
};

/// A modifier of libpfm4 and what perf calls it.
struct KnownModifier {
  enum class Kind : std::uint8_t { letter, times, term };
  std::string_view name;
  Kind kind;
  std::string_view perf;
};
constexpr KnownModifier kKnownModifiers[] = {{"u", KnownModifier::Kind::letter, "u"},
                                             {"k", KnownModifier::Kind::letter, "k"},
                                             {"h", KnownModifier::Kind::letter, "h"},
                                             {"hv", KnownModifier::Kind::letter, "h"},
                                             {"mg", KnownModifier::Kind::letter, "G"},
                                             {"mh", KnownModifier::Kind::letter, "H"},
                                             {"pinned", KnownModifier::Kind::letter, "D"},
                                             {"excl", KnownModifier::Kind::letter, "e"},
                                             {"hw_smpl", KnownModifier::Kind::letter, "p"},
                                             {"precise", KnownModifier::Kind::times, "p"},
                                             {"e", KnownModifier::Kind::term, "edge"},
                                             {"i", KnownModifier::Kind::term, "inv"},
                                             {"c", KnownModifier::Kind::term, "cmask"},
                                             {"t", KnownModifier::Kind::term, "any"},
                                             {"intx", KnownModifier::Kind::term, "in_tx"},
                                             {"intxcp", KnownModifier::Kind::term, "in_tx_cp"},
                                             {"ldlat", KnownModifier::Kind::term, "ldlat"},
                                             {"period", KnownModifier::Kind::term, "period"},
                                             {"freq", KnownModifier::Kind::term, "freq"},
                                             {"cpu", KnownModifier::Kind::term, "cpu"}};
constexpr std::uint64_t kMostPrecise = 3;

std::optional<std::uint64_t> modifier_value(std::string_view text) {
  if (pfm4::same_name(text, "y") || pfm4::same_name(text, "t")) return 1;
  if (pfm4::same_name(text, "n") || pfm4::same_name(text, "f")) return 0;
  return parse_number(text);
}

/// Adds a modifier of an event of the machine's own tables. Returns false if it is none.
bool add_modifier(std::string_view piece, bool is_core, PerfModifiers& out) {
  const std::size_t equals = piece.find('=');
  const auto value = equals == piece.npos ? std::optional<std::uint64_t>(1)
                                          : modifier_value(piece.substr(equals + 1));
  const auto known = std::ranges::find_if(kKnownModifiers, [&](const KnownModifier& one) {
    return pfm4::same_name(one.name, piece.substr(0, equals));
  });
  if (!value || known == std::end(kKnownModifiers)) return false;
  const bool needs_value = known->kind == KnownModifier::Kind::times || known->perf.size() > 4;
  if (needs_value && equals == piece.npos && known->kind != KnownModifier::Kind::letter)
    return false;
  switch (known->kind) {
    case KnownModifier::Kind::letter:
      if (*value > 1) return false;
      if (*value == 1 && out.letters.find(known->perf) == std::string::npos)
        out.letters += known->perf;
      return true;
    case KnownModifier::Kind::times:
      if (*value > kMostPrecise) return false;
      out.letters.append(*value, known->perf.front());
      return true;
    case KnownModifier::Kind::term:
      break;
  }
  const bool is_threshold = known->name == "t" && !is_core;
  if (*value != 0) out.add_term(is_threshold ? "thresh" : known->perf, *value);
  return true;
}

std::string text_of(const std::string& pmu, std::string_view event,
                    const PerfModifiers& modifiers) {
  if (pmu.empty() && modifiers.terms.empty())
    return fmt::format("{}{}{}", event, modifiers.letters.empty() ? "" : ":", modifiers.letters);
  if (pmu.empty())
    return fmt::format("{}/{}/{}", event, modifiers.terms.substr(1), modifiers.letters);
  return fmt::format("{}/{}{}/{}", pmu, event, modifiers.terms, modifiers.letters);
}

/// An event of libpfm4: the PMU before "::", and the pieces after it.
struct ForeignName {
  std::string_view pmu;
  std::vector<std::string_view> pieces;
};

ForeignName taken_apart(std::string_view text) {
  ForeignName out;
  if (const std::size_t colons = text.find("::"); colons != text.npos) {
    out.pmu = text.substr(0, colons);
    text.remove_prefix(colons + 2);
  }
  for (std::size_t at = 0; out.pieces.size() < kMostPieces;) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    out.pieces.push_back(text.substr(at, end - at));
    if (end == text.size()) break;
    at = end + 1;
  }
  return out;
}

bool has_event(const detail::MachineState& state, std::string_view name) {
  if (syntax::is_kernel_name(name, tables::name_hash(name))) return true;
  return state.lookup().find(name, 0).size() != 0;
}

/// Reads one choice of a preset's events; false: the machine lacks one. Names of the kernel contain
/// '-', so what is between separators is tried as long as possible.
bool read_choice(const detail::MachineState& state, std::string_view events, PapiPreset& out) {
  for (char sign = '+'; !events.empty();) {
    std::size_t end = events.size();
    while (!has_event(state, events.substr(0, end))) {
      end = end == 0 ? events.npos : events.find_last_of("+-", end - 1);
      if (end == events.npos || end == 0) return false;
    }
    (sign == '+' ? out.added : out.taken).emplace_back(events.substr(0, end));
    if (end == events.size()) break;
    sign = events[end];
    events.remove_prefix(end + 1);
  }
  return !out.added.empty();
}

/// Returns the first choice of the preset's events that the machine has; nullopt: it has none.
std::optional<PapiPreset> preset_of(const detail::MachineState& state, const pfm4::Preset& preset) {
  const pfm4::Dictionary& names = pfm4::dictionary();
  for (const std::string_view choice : split(names.text(preset.events), '|')) {
    PapiPreset out{names.text(preset.name), names.text(preset.meaning), {}, {}};
    if (read_choice(state, choice, out)) return out;
  }
  return std::nullopt;
}

/// One text of libpfm4 or PAPI on its way to perf's syntax.
class Translation {
 public:
  Translation(const detail::MachineState& state, std::string_view text)
      : state_(state), text_(text), name_(taken_apart(text)) {}

  /// Returns the text in perf's syntax; nullopt: nobody knows it.
  Result<std::optional<std::string>> run();

 private:
  std::optional<std::string> preset() const;
  Result<bool> find_pmu();
  std::optional<std::string> own_event() const;
  std::optional<std::string> own_events_together() const;
  Result<std::optional<std::string>> by_dictionary() const;
  std::string text_of_code(const pfm4::Encoded& found) const;
  bool is_here(const BoundPmu& bound) const;

  const detail::MachineState& state_;
  std::string_view text_;
  ForeignName name_;
  const pfm4::Pmu* pmu_ = nullptr;  ///< that the text names
  std::string perf_pmu_;            ///< its name in the kernel; "" if the text names none
};

bool matches_pmu(const BoundPmu& bound, std::string_view name) {
  return name.empty() ? bound.pmu.is_core : pmu::matches_wildcard(name, bound.pmu);
}

/// Returns the positions of the machine's PMUs that a PMU of the dictionary is, in the order of its
/// names. A core whose name in sysfs the machine does not have, since it is only named, is its
/// only core PMU.
std::vector<std::size_t> places_of(const detail::MachineState& state, const pfm4::Pmu& pmu) {
  std::vector<std::size_t> out, cores;
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.is_core) cores.push_back(i);
  for (const std::string_view name : split(pfm4::dictionary().text(pmu.perf), ','))
    for (std::size_t i = 0; i < state.pmus.size(); ++i)
      if (matches_pmu(state.pmus[i], name)) out.push_back(i);
  if (out.empty() && pmu.type == pfm4::PmuType::core && cores.size() == 1) return cores;
  return out;
}

bool Translation::is_here(const BoundPmu& bound) const {
  return name_.pmu.empty() || matches_pmu(bound, perf_pmu_);
}

std::optional<std::string> Translation::preset() const {
  const pfm4::Preset* preset = pfm4::find_preset(name_.pieces.front());
  if (preset == nullptr || !name_.pmu.empty()) return std::nullopt;
  PerfModifiers modifiers;
  for (std::size_t i = 1; i < name_.pieces.size(); ++i)
    if (!add_modifier(name_.pieces[i], true, modifiers)) return std::nullopt;
  const auto found = preset_of(state_, *preset);
  if (!found) return std::nullopt;
  std::string out;
  for (const auto* list : {&found->added, &found->taken})
    for (const std::string& event : *list)
      out += (out.empty() ? "" : ",") + text_of({}, event, modifiers);
  return out;
}

/// Finds what the PMU before "::" is on this machine. Returns false if nobody knows it.
Result<bool> Translation::find_pmu() {
  if (name_.pmu.empty()) return true;
  pmu_ = pfm4::find_pmu(name_.pmu);
  const bool is_absent = pmu_ != nullptr && pmu_->type != pfm4::PmuType::generic &&
                         std::ranges::count(pfm4_pmus(state_), pmu_) == 0;
  if (is_absent && pmu_->id >= pfm4::kFirstOwnId) pmu_ = nullptr;
  if (pmu_ != nullptr) {
    if (is_absent)
      return fail(Errc::not_found, fmt::format("the CPU {} has no PMU '{}' of libpfm4",
                                               state_.cpu.cpuid, name_.pmu));
    const std::string_view names = pfm4::dictionary().text(pmu_->perf);
    for (const std::string_view name : split(names, ','))
      if (std::ranges::any_of(state_.pmus,
                              [&](const BoundPmu& one) { return matches_pmu(one, name); })) {
        perf_pmu_ = name;
        break;
      }
    const auto places = places_of(state_, *pmu_);
    if (perf_pmu_.empty() && !places.empty()) perf_pmu_ = state_.pmus[places.front()].pmu.name;
    return true;
  }
  for (const BoundPmu& bound : state_.pmus)
    if (pfm4::same_name(bound.pmu.name, name_.pmu) ||
        pfm4::same_name(pfm4_pmu_name(state_, bound), name_.pmu))
      return perf_pmu_ = bound.pmu.name, true;
  // New models have the names that evname gives them.
  const tables::ModelView model = cpu::find_model(name_.pmu);
  return model.model != nullptr && model.model == state_.match.model.model;
}

/// EVENT:MASK of libpfm4 is EVENT.MASK of the makers.
std::optional<std::string> Translation::own_event() const {
  std::string name;
  std::vector<std::string> names;
  for (const std::string_view piece : name_.pieces) {
    if (piece.find('=') != piece.npos) break;
    name += (name.empty() ? "" : ".") + std::string(piece);
    names.push_back(name);
  }
  for (std::size_t count = names.size(); count > 0; --count) {
    const auto found = state_.lookup().find(names[count - 1], 0);
    std::string pmu;
    bool is_found = false, is_core = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!is_here(found.pmu(i))) continue;
      is_found = true;
      is_core &= found.pmu(i).pmu.is_core;
      if (!name_.pmu.empty() || found.size() == 1) pmu = found.pmu(i).pmu.name;
    }
    if (!is_found) continue;
    PerfModifiers modifiers;
    bool fits = true;
    for (std::size_t i = count; i < name_.pieces.size() && fits; ++i)
      fits = add_modifier(name_.pieces[i], is_core, modifiers);
    // Terms count before those of the event unless they are in one list with it.
    const bool needs_pmu = !modifiers.terms.empty() || (!name_.pmu.empty() && found.size() > 1);
    if (fits) return text_of(needs_pmu ? pmu : "", to_lower(names[count - 1]), modifiers);
  }
  return std::nullopt;
}

/// EVENT:MASK:MASK is the sum of EVENT.MASK and EVENT.MASK if they differ in nothing but the mask.
std::optional<std::string> Translation::own_events_together() const {
  constexpr std::uint64_t kMask = 0xff00 | std::uint64_t{0xff} << 40;  // umask, and its upper bits
  for (const BoundPmu& bound : state_.pmus) {
    if (!bound.pmu.is_core || !is_here(bound)) continue;
    std::optional<ConfigWords> words;
    std::size_t used = 1;
    for (; used < name_.pieces.size(); ++used) {
      const Alias alias =
          find_alias(bound, fmt::format("{}.{}", name_.pieces[0], name_.pieces[used]));
      if (!alias || alias.event == nullptr) break;
      const auto packed = pack(bound, alias);
      if (!packed) break;
      if (words && (((*words)[0] ^ packed->config[0]) & ~kMask) != 0) return std::nullopt;
      if (!words)
        words = packed->config;
      else
        (*words)[0] |= packed->config[0];
    }
    PerfModifiers modifiers;
    for (; words && used < name_.pieces.size(); ++used)
      if (!add_modifier(name_.pieces[used], true, modifiers)) words.reset();
    if (words) return text_of(bound.pmu.name, packing::decode_terms(bound.pmu, *words), modifiers);
  }
  return std::nullopt;
}

/// The kernel's modifiers that a text of libpfm4 asked for.
PerfModifiers modifiers_of(const pfm4::Encoded& found) {
  const pfm4::OsAttr& attr = found.attr;
  PerfModifiers out;
  const std::uint8_t levels = found.pmu->type == pfm4::PmuType::generic ? 0xff : found.pmu->levels;
  const bool no_user = attr.exclude_user, no_kernel = attr.exclude_kernel;
  const bool no_hv = attr.exclude_hv && (levels & pfm4::kHypervisor) != 0;
  if (no_user || no_kernel || no_hv) {
    if (!no_user) out.letters += 'u';
    if (!no_kernel) out.letters += 'k';
    if ((levels & pfm4::kHypervisor) != 0 && !no_hv) out.letters += 'h';
  }
  if (!attr.exclude_guest && attr.exclude_host) out.letters += 'G';
  out.letters.append(attr.precise_ip, 'p');
  if (attr.pinned) out.letters += 'D';
  if (attr.exclusive) out.letters += 'e';
  if (attr.sample_period != 0) out.add_term(attr.freq ? "freq" : "period", attr.sample_period);
  if (attr.cpu >= 0) out.add_term("cpu", static_cast<unsigned>(attr.cpu));
  return out;
}

/// Returns the name of the PMU without the number of its box: all boxes count if the text names
/// none.
std::string_view without_number(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end != name.npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

std::string Translation::text_of_code(const pfm4::Encoded& found) const {
  const pfm4::OsAttr& attr = found.attr;
  PerfModifiers modifiers = modifiers_of(found);
  if (found.pmu->type == pfm4::PmuType::generic) {
    if (attr.type == 4)
      return fmt::format("r{:x}{}{}", attr.config, modifiers.letters.empty() ? "" : ":",
                         modifiers.letters);
    return fmt::format("{}:{:#x}{}{}", attr.type, attr.config, modifiers.letters.empty() ? "" : ":",
                       modifiers.letters);
  }
  const ConfigWords words{attr.config, attr.config1, attr.config2};
  std::string perf = pfm4::dictionary().text(found.pmu->perf);
  perf = perf.substr(0, perf.find(','));
  if (!perf_pmu_.empty()) perf = perf_pmu_;
  if (name_.pmu.empty()) perf = without_number(perf);
  std::size_t place = 0;
  while (place < state_.pmus.size() && !matches_pmu(state_.pmus[place], perf)) ++place;
  if (place == state_.pmus.size()) {
    const auto places = places_of(state_, *found.pmu);
    if (places.empty()) return {};
    place = places.front();
  }
  const BoundPmu& bound = state_.pmus[place];
  const std::string pmu = bound.pmu.is_core ? bound.pmu.name : perf;
  const auto codes = state_.index->find(state_, place, words);
  const std::string event =
      codes.empty() ? packing::decode_terms(bound.pmu, words) : std::string(codes.front().name);
  return text_of(pmu, event, modifiers);
}

std::string_view reason_of(pfm4::Error error) {
  switch (error) {
    case pfm4::Error::combination:
      return "these unit masks cannot be combined";
    case pfm4::Error::mask:
      return "it needs a unit mask";
    case pfm4::Error::attribute:
      return "it has no such unit mask or modifier, or needs one that is missing";
    case pfm4::Error::attribute_value:
      return "the value of a modifier is out of range or missing";
    case pfm4::Error::attribute_set:
      return "a modifier has two values";
    case pfm4::Error::too_many:
      return "it has too many unit masks and modifiers";
    default:
      return "it cannot be encoded";
  }
}

Result<std::optional<std::string>> Translation::by_dictionary() const {
  const pfm4::Dictionary& names = pfm4::dictionary();
  std::vector<std::uint16_t> here;
  std::uint8_t levels = 0;
  for (const pfm4::Pmu* pmu : pfm4_pmus(state_)) {
    if (pmu_ != nullptr && pmu != pmu_) continue;
    here.push_back(static_cast<std::uint16_t>(pmu - names.pmus.data()));
    if (pmu->type == pfm4::PmuType::core) levels |= pmu->levels;
  }
  const pfm4::Scope scope{here, false, levels == 0 ? std::uint8_t{0xff} : levels, nullptr};
  constexpr std::uint8_t kEverywhere = pfm4::kUser | pfm4::kKernel | pfm4::kHypervisor;
  pfm4::Encoded found;
  const std::string text =
      name_.pmu.empty() || pmu_ != nullptr ? std::string(text_) : std::string();
  const pfm4::Error error = pfm4::encode(scope, text, kEverywhere, pfm4::Os::perf_event_ext, found);
  if (error == pfm4::Error::not_found || error == pfm4::Error::invalid) return std::nullopt;
  // Wrong texts about the kernel's events and the makers' EVENT.MASK are explained by others.
  const bool is_others = found.pmu->type == pfm4::PmuType::generic ||
                         found.pmu->id >= pfm4::kFirstOwnId || text_.find('.') != text_.npos;
  if (error != pfm4::Error::none && is_others && pmu_ == nullptr) return std::nullopt;
  if (error != pfm4::Error::none)
    return fail(Errc::invalid_argument,
                fmt::format("'{}' is an event of {}PMU {}, but {}", name_.pieces.front(),
                            found.pmu->id < pfm4::kFirstOwnId ? "libpfm4's " : "the ",
                            names.text(found.pmu->name), reason_of(error)));
  std::string out = text_of_code(found);
  if (out.empty())
    return fail(Errc::not_found, fmt::format("this machine has no PMU '{}', which counts {}",
                                             names.text(found.pmu->perf), text_));
  return out;
}

Result<std::optional<std::string>> Translation::run() {
  if (text_.empty() || text_.size() > kLongest ||
      text_.find_first_of("/@ \t\n*?\\'\"") != text_.npos)
    return std::nullopt;
  if (auto text = preset()) return text;
  const Result<bool> has_pmu = find_pmu();
  if (!has_pmu) return fail(has_pmu);
  if (!*has_pmu) return std::nullopt;
  const bool is_generic = pmu_ != nullptr && pmu_->type == pfm4::PmuType::generic;
  if (!is_generic && (!name_.pmu.empty() || name_.pieces.size() > 1))
    if (auto text = own_event()) return text;
  const auto known = by_dictionary();
  if (known && *known) return known;
  if (name_.pieces.size() > 1)
    if (auto text = own_events_together()) return text;
  return known;
}

/// Returns true if nothing but libpfm4 could know this event of a list, or it does not resolve on
/// this machine.
bool is_known(const detail::MachineState& state, std::string_view event) {
  if (event.find('/') != event.npos) return true;
  const std::size_t colon = event.find(':');
  const std::string_view name = event.substr(0, colon);
  const std::string_view rest = colon == event.npos ? "" : event.substr(colon + 1);
  const bool is_plain = rest.find_first_not_of("ukhpPGHIeSDWbRX") == rest.npos;
  if (!is_plain) return false;
  return syntax::is_kernel_name(name, tables::name_hash(name)) ||
         state.lookup().find(name, 0).size() != 0;
}

}  // namespace

const std::vector<const pfm4::Pmu*>& pfm4_pmus(const detail::MachineState& state) {
  return state.pfm4_pmus.get([&] {
    std::vector<const pfm4::Pmu*> out;
    const pfm4::CpuNumber cpu = pfm4::cpu_number(state.cpu.cpuid);
    for (const pfm4::Pmu& pmu : pfm4::dictionary().pmus)
      if (pmu.type == pfm4::PmuType::generic || pfm4::is_of_cpu(pmu, cpu)) out.push_back(&pmu);
    return out;
  });
}

std::string pfm4_pmu_name(const detail::MachineState& state, const BoundPmu& bound) {
  std::string model;
  for (const ModelInfo& one : models())
    if (one.arch == state.cpu.arch && one.name == state.cpu.model)
      model = one.short_names.empty() ? std::string(last_part(one.name))
                                      : std::string(one.short_names.front());
  std::ranges::replace(model, '-', '_');
  const std::string_view pmu = bound.pmu.name;
  if (model.empty()) return bound.pmu.name;
  if (!bound.pmu.is_core)
    return fmt::format("{}_unc_{}", model, pmu.starts_with("uncore_") ? pmu.substr(7) : pmu);
  return model + (pmu.starts_with("cpu_") ? std::string(pmu.substr(3)) : std::string());
}

Result<std::optional<std::string>> without_pfm4_names(const detail::MachineState& state,
                                                      std::string_view events) {
  if (pfm4::dictionary().pmus.empty()) return std::nullopt;
  std::string out;
  bool is_changed = false;
  unsigned slashes = 0;
  for (std::size_t at = 0; at < events.size();) {
    // An event ends at a comma or brace outside of its terms.
    std::size_t end = at;
    for (; end < events.size(); ++end) {
      if (events[end] == '/') ++slashes;
      if (slashes % 2 == 0 && std::strchr(",{} \t\n", events[end]) != nullptr) break;
    }
    const std::string_view event = events.substr(at, end - at);
    const bool is_group_modifier = at > 0 && events[at - 1] == '}';
    if (!event.empty() && !is_group_modifier && !is_known(state, event)) {
      auto text = Translation(state, event).run();
      if (!text) {
        syntax::set_place(text.error(), at);
        return fail(std::move(text));
      }
      is_changed |= text->has_value();
      out += text->value_or(std::string(event));
    } else {
      out += event;
    }
    if (end < events.size()) out += events[end];
    at = end + 1;
  }
  if (!is_changed) return std::nullopt;
  return out;
}

namespace {

/// Lists the names of a machine's PMUs.
class Pfm4Lister {
 public:
  explicit Pfm4Lister(const detail::MachineState& state) : state_(state) {}
  std::vector<Pfm4Name> run();

 private:
  void add_pmu(const pfm4::Pmu& pmu);
  void add(const pfm4::Pmu& pmu, const pfm4::Event& event, const pfm4::Mask* mask);
  void add_own(std::size_t pmu);

  const detail::MachineState& state_;
  std::vector<std::uint16_t> here_;
  const BoundPmu* bound_ = nullptr;  ///< of the PMU that is listed
  std::vector<Pfm4Name> out_;
};

void Pfm4Lister::add(const pfm4::Pmu& pmu, const pfm4::Event& event, const pfm4::Mask* mask) {
  const pfm4::Dictionary& names = pfm4::dictionary();
  Pfm4Name name;
  name.name =
      fmt::format("{}::{}{}{}", names.text(pmu.name), names.text(event.name),
                  mask != nullptr ? ":" : "", mask != nullptr ? names.text(mask->name) : "");
  name.is_alias = *names.text(names.traits_of(event).alias) != '\0' ||
                  (mask != nullptr && *names.text(names.traits_of(*mask).alias) != '\0');
  const pfm4::Scope scope{here_, false};
  constexpr std::uint8_t kAll = pfm4::kUser | pfm4::kKernel | pfm4::kHypervisor;
  pfm4::Encoded found;
  const auto os = pfm4::Os::perf_event_ext;
  if (pfm4::encode(scope, name.name, kAll, os, found) != pfm4::Error::none)
    return;  // needs modifiers
  name.pmu = bound_ != nullptr ? bound_->pmu.name
                               : std::string(syntax::generic_type_name(found.attr.type));
  name.code =
      make_code(found.attr.type, {found.attr.config, found.attr.config1, found.attr.config2});
  if (bound_ != nullptr) {
    name.code.has_type = bound_->pmu.type.has_value();
    name.code.type = bound_->pmu.type.value_or(0);
  }
  out_.push_back(std::move(name));
}

void Pfm4Lister::add_pmu(const pfm4::Pmu& pmu) {
  const pfm4::Dictionary& names = pfm4::dictionary();
  const auto events = names.events_of(pmu);
  for (int i = pfm4::next_event(pmu, 0); i >= 0;
       i = pfm4::next_event(pmu, static_cast<unsigned>(i) + 1)) {
    const pfm4::Event& event = events[static_cast<std::size_t>(i)];
    bool has_masks = false;
    for (const pfm4::Mask& mask : names.masks_of(event)) {
      if (!pfm4::has(pmu, names.traits_of(mask))) continue;
      has_masks = true;
      add(pmu, event, &mask);
    }
    if (!has_masks) add(pmu, event, nullptr);
  }
}

/// Adds the names of a PMU's tables: EVENT.MASK as EVENT:MASK.
void Pfm4Lister::add_own(std::size_t pmu) {
  const BoundPmu& bound = state_.pmus[pmu];
  const std::string own_name = pfm4_pmu_name(state_, bound);
  for (const NamedCode& one : state_.index->all(state_, pmu)) {
    if (one.event == nullptr) continue;
    std::string text(one.name);
    for (char& letter : text)
      letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
    if (const std::size_t dot = text.find('.'); dot != text.npos) text[dot] = ':';
    Pfm4Name name{fmt::format("{}::{}", own_name, text), bound.pmu.name, {}, false};
    name.code =
        make_code(bound.pmu.type.value_or(0), {one.config[0], one.config[1], one.config[2]});
    name.code.has_type = bound.pmu.type.has_value();
    out_.push_back(std::move(name));
  }
}

std::vector<Pfm4Name> Pfm4Lister::run() {
  const pfm4::Dictionary& names = pfm4::dictionary();
  if (names.pmus.empty()) return {};
  const auto& pmus = pfm4_pmus(state_);
  for (const pfm4::Pmu* pmu : pmus)
    here_.push_back(static_cast<std::uint16_t>(pmu - names.pmus.data()));
  std::vector<bool> is_known(state_.pmus.size());
  std::vector<std::uint16_t> tables;
  for (const pfm4::Pmu* pmu : pmus) {
    bound_ = nullptr;
    const bool is_generic = pmu->type == pfm4::PmuType::generic;
    const auto places = is_generic ? std::vector<std::size_t>() : places_of(state_, *pmu);
    for (const std::size_t i : places) is_known[i] = true;
    if (!places.empty()) bound_ = &state_.pmus[places.front()];
    if ((bound_ == nullptr && !is_generic) || (pmu->flags & pfm4::kDeprecated) != 0) continue;
    if (std::ranges::count(tables, pmu->table) != 0 && pmu->type == pfm4::PmuType::uncore)
      continue;  // a further box
    tables.push_back(pmu->table);
    add_pmu(*pmu);
  }
  for (std::size_t i = 0; i < state_.pmus.size(); ++i)
    if (!is_known[i]) add_own(i);
  return std::move(out_);
}

}  // namespace
}  // namespace evname::machine

namespace evname {

std::vector<Pfm4Name> Machine::pfm4_names() const { return machine::Pfm4Lister(*state_).run(); }

std::vector<PapiPreset> Machine::papi_presets() const {
  std::vector<PapiPreset> out;
  for (const pfm4::Preset& preset : pfm4::dictionary().presets)
    if (auto found = machine::preset_of(*state_, preset)) out.push_back(std::move(*found));
  return out;
}

}  // namespace evname
