#include "events/machine/pfm4_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/code_lists.hpp"
#include "events/machine/lookup.hpp"
#include "events/packing/packer.hpp"
#include "events/pfm4/encode_name.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"
#include "events/tables/registry.hpp"

namespace evname::machine {
namespace {

constexpr std::string_view kSeparators = ":.";
constexpr std::size_t kLongest = 512;  ///< longer texts are not names

/// Modifiers of libpfm4 in perf's syntax: letters after the event, and terms.
struct PerfModifiers {
  std::string letters;
  std::string terms;  ///< ",edge,cmask=0x1"

  void add_term(std::string_view name, std::uint64_t value) {
    terms += fmt::format(",{}={:#x}", name, value);
  }
};

/// A modifier of libpfm4 and its name in perf.
struct KnownModifier {
  enum class Kind : std::uint8_t { letter, times, term };
  std::string_view name;
  Kind kind;
  std::string_view perf;
  bool is_number = false;  ///< it needs a value, which may exceed 1
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
                                             {"precise", KnownModifier::Kind::times, "p", true},
                                             {"e", KnownModifier::Kind::term, "edge"},
                                             {"i", KnownModifier::Kind::term, "inv"},
                                             {"c", KnownModifier::Kind::term, "cmask", true},
                                             {"t", KnownModifier::Kind::term, "any"},
                                             {"intx", KnownModifier::Kind::term, "in_tx"},
                                             {"intxcp", KnownModifier::Kind::term, "in_tx_cp"},
                                             {"ldlat", KnownModifier::Kind::term, "ldlat", true},
                                             {"period", KnownModifier::Kind::term, "period", true},
                                             {"freq", KnownModifier::Kind::term, "freq", true},
                                             {"cpu", KnownModifier::Kind::term, "cpu", true}};
/// Outside of the cores, t is not a flag.
constexpr KnownModifier kThreshold = {"t", KnownModifier::Kind::term, "thresh", true};
constexpr std::uint64_t kMostPrecise = 3;

std::optional<std::uint64_t> modifier_value(std::string_view text) {
  if (equal_ignoring_case(text, "y") || equal_ignoring_case(text, "t")) return 1;
  if (equal_ignoring_case(text, "n") || equal_ignoring_case(text, "f")) return 0;
  return parse_number(text);
}

const KnownModifier* known_modifier(std::string_view name, bool is_core) {
  if (!is_core && equal_ignoring_case(name, kThreshold.name)) return &kThreshold;
  const auto known = std::ranges::find_if(kKnownModifiers, [&](const KnownModifier& one) {
    return equal_ignoring_case(one.name, name);
  });
  return known == std::end(kKnownModifiers) ? nullptr : known;
}

/// Adds a modifier of an event of the machine's own tables. Returns false if it is unknown.
bool add_modifier(std::string_view piece, bool is_core, PerfModifiers& out) {
  const std::size_t equals = piece.find('=');
  const auto value = equals == piece.npos ? std::optional<std::uint64_t>(1)
                                          : modifier_value(piece.substr(equals + 1));
  const KnownModifier* const known = known_modifier(piece.substr(0, equals), is_core);
  if (!value || known == nullptr) return false;
  if (known->is_number ? equals == piece.npos : *value > 1) return false;
  switch (known->kind) {
    case KnownModifier::Kind::letter:
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
  if (*value != 0) out.add_term(known->perf, *value);
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
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    out.pieces.push_back(text.substr(at, end - at));
    if (end == text.size()) break;
    at = end + 1;
  }
  return out;
}

bool has_event(const detail::MachineState& state, std::string_view name) {
  if (syntax::is_kernel_name(name, name_hash(name))) return true;
  return state.lookup().find(name, 0).size() != 0;
}

/// Reads one choice of a preset's events; false: the machine lacks one. Names of the kernel contain
/// '-', so the longest text between separators is tried first.
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

  /// Returns the text in perf's syntax; nullopt: unknown.
  Result<std::optional<std::string>> run();

 private:
  std::optional<std::string> preset() const;
  Result<bool> find_pmu();
  std::optional<std::string> own_event() const;
  std::optional<std::string> own_events_together() const;
  Result<std::optional<std::string>> by_dictionary() const;
  Result<std::string> text_of_code(const pfm4::Encoded& found) const;
  Result<std::string> event_of_code(const pfm4::Pmu& pmu, std::string_view perf,
                                    const ConfigWords& words, std::string& counted_by) const;
  bool is_here(const BoundPmu& bound) const;

  const detail::MachineState& state_;
  std::string_view text_;
  ForeignName name_;
  const pfm4::Pmu* pmu_ = nullptr;  ///< that the text names
  std::string perf_pmu_;            ///< its name in the kernel; "" if the text names none
};

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

/// Returns the index of the machine's PMU for `pmu`, which is `perf` in sysfs; nullopt: there is
/// none. With several kinds of cores, it is the kernel's PMU for raw codes.
std::optional<std::size_t> place_of(const detail::MachineState& state, const pfm4::Pmu& pmu,
                                    std::string_view perf) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < state.pmus.size(); ++i) {
    if (!matches_pmu(state.pmus[i], perf)) continue;
    if (!first || (perf.empty() && state.pmus[i].pmu.type == kTypeRaw)) first = i;
  }
  if (first) return first;
  const auto places = places_of(state, pmu);
  return places.empty() ? std::nullopt : std::optional(places.front());
}

/// A name of a PMU: "skx_unc_cha1" and "uncore_cha_1" end with the number of a box.
struct BoxName {
  std::string_view kind, number;

  explicit BoxName(std::string_view name) : kind(name) {
    const std::size_t end = name.find_last_not_of("0123456789") + 1;
    number = name.substr(end);
    kind = name.substr(0, end);
    if (!number.empty() && kind.ends_with('_')) kind.remove_suffix(1);
  }
};

/// Returns the kernel's name of the PMU or box `text` in libpfm4's spelling, if `own` is libpfm4's
/// name of this PMU; else "".
std::string name_here(std::string_view text, std::string_view own, const pmu::Pmu& pmu) {
  const BoxName asked(text), known(own);
  if (!equal_ignoring_case(asked.kind, known.kind)) return {};
  if (asked.number == known.number) return pmu.name;
  return known.number.empty() ? pmu::box_name(fmt::format("{}_{}", pmu.name, asked.number), pmu)
                              : std::string();
}

/// Finds the machine's PMU for the text before "::". Returns false if it is unknown.
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
    if (perf_pmu_.empty())
      if (const auto place = place_of(state_, *pmu_, names))
        perf_pmu_ = state_.pmus[*place].pmu.name;
    return true;
  }
  for (const BoundPmu& bound : state_.pmus)
    for (const std::string& name : {bound.pmu.name, pfm4_pmu_name(state_, bound)})
      if (std::string here = name_here(name_.pmu, name, bound.pmu); !here.empty()) {
        perf_pmu_ = std::move(here);
        return true;
      }
  // New models have names given by evname.
  const tables::ModelView model = cpu::find_model(name_.pmu).model;
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
    bool is_found = false, is_core = true, has_box = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!is_here(found.pmu(i))) continue;
      is_found = true;
      is_core &= found.pmu(i).pmu.is_core;
      if (!name_.pmu.empty() || found.size() == 1) pmu = found.pmu(i).pmu.name;
      if (std::string box = pmu::box_name(perf_pmu_, found.pmu(i).pmu); !box.empty()) {
        pmu = std::move(box);
        has_box = true;
      }
    }
    if (!is_found) continue;
    PerfModifiers modifiers;
    bool fits = true;
    for (std::size_t i = count; i < name_.pieces.size() && fits; ++i)
      fits = add_modifier(name_.pieces[i], is_core, modifiers);
    // Terms come before the event's own unless they are in one list with it.
    const bool needs_pmu =
        !modifiers.terms.empty() || has_box || (!name_.pmu.empty() && found.size() > 1);
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

/// The kernel's modifiers of a libpfm4 text.
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

/// Returns the name of the event, else its terms, and sets the PMU that counts it.
Result<std::string> Translation::event_of_code(const pfm4::Pmu& pmu, std::string_view perf,
                                               const ConfigWords& words,
                                               std::string& counted_by) const {
  counted_by = perf;
  if (const auto place = place_of(state_, pmu, perf)) {
    const BoundPmu& bound = state_.pmus[*place];
    if (bound.pmu.is_core) counted_by = bound.pmu.name;
    const auto codes = state_.index->find(state_, *place, words);
    return codes.empty() ? packing::decode_terms(bound.pmu, words)
                         : std::string(codes.front().name);
  }
  for (const BoundPmu& bound : state_.possible_pmus())
    if (matches_pmu(bound, perf))
      if (const auto events = driver_events(bound, words); !events.empty())
        return events.front()->name;
  return fail(Errc::not_found, fmt::format("this machine has no PMU '{}' that counts {}",
                                           pfm4::dictionary().text(pmu.perf), text_));
}

Result<std::string> Translation::text_of_code(const pfm4::Encoded& found) const {
  const pfm4::OsAttr& attr = found.attr;
  PerfModifiers modifiers = modifiers_of(found);
  if (found.pmu->type == pfm4::PmuType::generic) {
    const std::vector<std::string> words = attr.type == kTypeSoftware
                                               ? syntax::legacy_names(attr.type, attr.config)
                                               : std::vector<std::string>();
    return fmt::format("{}{}{}",
                       attr.type == kTypeRaw ? fmt::format("r{:x}", attr.config)
                       : words.empty()       ? fmt::format("{}:{:#x}", attr.type, attr.config)
                                             : words[0],
                       modifiers.letters.empty() ? "" : ":", modifiers.letters);
  }
  const ConfigWords words{attr.config, attr.config1, attr.config2};
  std::string perf = pfm4::dictionary().text(found.pmu->perf);
  perf = perf.substr(0, perf.find(','));
  if (!perf_pmu_.empty()) perf = perf_pmu_;
  if (name_.pmu.empty()) perf = without_number(perf);
  std::string pmu;
  const auto event = event_of_code(*found.pmu, perf, words, pmu);
  if (!event) return fail(event);
  return text_of(pmu, *event, modifiers);
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
  // Errors in the kernel's events and the makers' EVENT.MASK are reported elsewhere.
  const bool is_others = found.pmu->type == pfm4::PmuType::generic ||
                         found.pmu->id >= pfm4::kFirstOwnId || text_.find('.') != text_.npos;
  if (error != pfm4::Error::none && is_others && pmu_ == nullptr) return std::nullopt;
  if (error != pfm4::Error::none)
    return fail(Errc::invalid_argument,
                fmt::format("'{}' is an event of {}PMU {}, but {}", name_.pieces.front(),
                            found.pmu->id < pfm4::kFirstOwnId ? "libpfm4's " : "the ",
                            names.text(found.pmu->name), reason_of(error)));
  auto out = text_of_code(found);
  if (!out) return fail(std::move(out));
  return std::optional(std::move(*out));
}

Result<std::optional<std::string>> Translation::run() {
  if (text_.empty() || text_.size() > kLongest ||
      kSeparators.find(text_[0]) != kSeparators.npos ||  // perf refuses ":cycles", too
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

/// Returns true if only libpfm4 can know this event of a list, or it does not resolve on this
/// machine.
bool is_known(const detail::MachineState& state, std::string_view event) {
  if (event.find('/') != event.npos) return true;
  const std::size_t colon = event.find(':');
  const std::string_view name = event.substr(0, colon);
  const std::string_view rest = colon == event.npos ? "" : event.substr(colon + 1);
  const bool is_plain = rest.find_first_not_of("ukhpPGHIeSDWbRX") == rest.npos;
  if (!is_plain) return false;
  return syntax::is_kernel_name(name, name_hash(name)) || state.lookup().find(name, 0).size() != 0;
}

}  // namespace

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
    if (!event.empty() && !is_group_modifier && !is_known(state, event) &&
        tables::bring(tables::kPfm4Tables)) {
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

std::vector<PapiPreset> papi_presets(const Machine& machine) {
  std::vector<PapiPreset> out;
  for (const pfm4::Preset& preset : pfm4::dictionary().presets)
    if (auto found = preset_of(detail::state_of(machine), preset)) out.push_back(std::move(*found));
  return out;
}

}  // namespace evname::machine
