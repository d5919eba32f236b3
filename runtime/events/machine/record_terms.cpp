// The terms ratio-to-prev and aux-action. Sources: evsel__apply_ratio_to_prev of
// tools/perf/util/evsel.c and arch/x86/util/evsel.c, util/auxtrace.c.
#include "events/machine/record_terms.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/machine/groups.hpp"

namespace evname::machine {
namespace {

constexpr std::string_view kRatio = "ratio-to-prev", kAuxAction = "aux-action";

/// Source: aux_action_opts of util/auxtrace.c.
struct Action {
  std::string_view word;
  std::uint32_t bit;
  bool of_aux;  ///< for the AUX event itself; else for others of its group
};
constexpr Action kActions[] = {
    {"start-paused", 1, true}, {"pause", 2, false}, {"resume", 4, false}};

void change_texts(Encoding& e, std::string_view term, std::string warning) {
  detail::EncodingTexts texts{std::string(e.name), e.terms(), {}};
  if (!term.empty()) texts.terms.append(texts.terms.empty() ? "" : ",").append(term);
  texts.sampling_terms = detail::EncodingAccess::sampling_terms(e);
  texts.warnings.assign(e.warnings().begin(), e.warnings().end());
  if (!warning.empty()) texts.warnings.push_back(std::move(warning));
  detail::EncodingAccess::own(e, std::move(texts));
}

void warn(Encoding& e, std::string warning) { change_texts(e, {}, std::move(warning)); }

void set_action(const tables::Term& term, Encoding& e) {
  const auto* const action = std::find_if(std::begin(kActions), std::end(kActions),
                                          [&](const Action& one) { return one.word == term.text; });
  if (action == std::end(kActions))
    return warn(e, fmt::format("perf record refuses aux-action={}: there are start-paused, pause "
                               "and resume",
                               term.text));
  e.aux_action = action->bit;
  if (action->of_aux == is_aux(e.pmu)) return;
  warn(e, fmt::format("perf record refuses this: aux-action={} is for {}", action->word,
                      action->of_aux ? "AUX events, such as intel_pt//"
                                     : "the other events of a group that an AUX event leads"));
}

/// Returns the number as a period, nullopt if it is invalid.
std::optional<std::uint64_t> whole(double period) {
  if (!(period >= 0 && period < 0x1p64)) return std::nullopt;
  return static_cast<std::uint64_t>(period);
}

std::string without(std::string_view why) {
  return fmt::format("perf record takes no notice of ratio-to-prev: {}", why);
}

/// Applies one ratio-to-prev to the events in perf's order.
class Ratio {
 public:
  Ratio(const detail::MachineState& state, const OpeningOrder& opening,
        std::span<Encoding* const> all)
      : state_(state), opening_(opening), all_(all) {}

  /// Sets the same members as perf record, and returns why it leaves some out; else "". `at` is the
  /// place of the event in the order, `group` the place of its leader.
  std::string apply(std::size_t at, std::size_t group, double ratio) const;

 private:
  const pmu::Pmu* core_pmu(std::size_t i) const;
  std::string reload(const pmu::Pmu& pmu, std::size_t at, std::size_t group) const;

  const detail::MachineState& state_;
  const OpeningOrder& opening_;
  std::span<Encoding* const> all_;
};

const pmu::Pmu* Ratio::core_pmu(std::size_t i) const {
  if (is_software(*all_[i])) return nullptr;
  for (const machine::BoundPmu& bound : state_.pmus)
    if (bound.pmu.is_core && bound.pmu.name == opening_.pmus[i]) return &bound.pmu;
  return nullptr;
}

/// Both counters are reloaded when one of them overflows: the field acr_mask has a bit for each
/// place in the group.
std::string Ratio::reload(const pmu::Pmu& pmu, std::size_t at, std::size_t group) const {
  const pmu::Format* const field = pmu.find_format("acr_mask");
  if (field == nullptr || field->word != 2)
    return fmt::format("PMU {} has no field acr_mask", pmu.name);
  const std::size_t i = opening_.order[at];
  Encoding& own = *all_[i];
  Encoding& before = *all_[opening_.order[at - 1]];
  if (!own.has_config() || !before.has_config()) return {};  // their words are not known
  if (before.code.config[2] != 0) return "the event before it has config2 already";
  const std::size_t place = at - group;
  if (place >= 64) return "there are more events before it than acr_mask has bits";
  before.code.config[2] = std::uint64_t{1} << place;
  own.code.config[2] = std::uint64_t{3} << (place - 1);
  for (Encoding* const e : {&before, &own})
    change_texts(*e, fmt::format("acr_mask={:#x}", e->code.config[2]), {});
  return {};
}

std::string Ratio::apply(std::size_t at, std::size_t group, double ratio) const {
  const std::size_t i = opening_.order[at];
  if (opening_.leaders[i] == i || at == 0 || opening_.order[at - 1] >= all_.size())
    return without("Invalid use of ratio-to-prev term without preceding element in group");
  const pmu::Pmu* const pmu = core_pmu(i);
  if (pmu == nullptr) return without("it is not an event of a core PMU");
  if (core_pmu(opening_.order[at - 1]) != pmu)
    return without("it and the event before it must have same PMU");
  std::uint64_t& own = all_[i]->period;
  std::uint64_t& before = all_[opening_.order[at - 1]]->period;
  if (own == 0 && before == 0)
    return without(
        "Event period term or count (-c) must be set when using ratio-to-prev term, for one of "
        "both");
  std::uint64_t& derived = before != 0 ? own : before;
  const auto period =
      whole(before != 0 ? static_cast<double>(before) * ratio : static_cast<double>(own) / ratio);
  if (!period) return without("the period would have more than 64 bits");
  derived = *period;
  const std::string why = reload(*pmu, at, group);
  if (why.empty()) return {};
  return fmt::format("perf record sets only a period by ratio-to-prev: {}", why);
}

bool is_led_by_aux(const OpeningOrder& opening, std::span<Encoding* const> all, std::size_t i) {
  const std::size_t leader = opening.leaders[i];
  return leader < all.size() && is_aux(all[leader]->pmu);
}

}  // namespace

bool RecordTerms::are_in(const syntax::Spec& spec) {
  return std::any_of(spec.terms.begin(), spec.terms.end(), [](const tables::Term& term) {
    return term.value == tables::Term::Value::text &&
           (term.name == kRatio || term.name == kAuxAction);
  });
}

void RecordTerms::note(const syntax::Spec& spec, std::size_t first,
                       std::span<Encoding* const> encodings) {
  for (const tables::Term& term : spec.terms) {
    if (term.value != tables::Term::Value::text) continue;
    if (term.name == kRatio) {
      double ratio = 0;
      read_double(term.text, ratio);
      for (std::size_t i = 0; i < encodings.size() && ratio > 0; ++i)
        ratios_.emplace_back(first + i, ratio);
    } else if (term.name == kAuxAction) {
      for (std::size_t i = 0; i < encodings.size(); ++i) {
        set_action(term, *encodings[i]);
        actions_.push_back(first + i);
      }
    }
  }
}

void RecordTerms::apply(const detail::MachineState& state, std::span<Encoding* const> all) const {
  std::vector<Encoding> copies;
  copies.reserve(all.size());
  for (const Encoding* const e : all) copies.push_back(*e);
  const OpeningOrder opening = opening_order(state, std::move(copies));
  const Ratio ratios(state, opening, all);
  std::vector<double> ratio_of(opening.leaders.size());
  for (const auto& [index, ratio] : ratios_) ratio_of[index] = ratio;
  std::size_t group = 0;
  for (std::size_t at = 0; at < opening.order.size(); ++at) {
    const std::size_t i = opening.order[at];
    if (opening.leaders[i] == i) group = at;
    if (ratio_of[i] == 0) continue;
    if (std::string why = ratios.apply(at, group, ratio_of[i]); !why.empty())
      warn(*all[i], std::move(why));
  }
  for (const std::size_t i : actions_)
    if (!is_led_by_aux(opening, all, i))
      warn(*all[i],
           "perf record refuses this: no AUX event, such as intel_pt//, leads the event "
           "with aux-action");
}

}  // namespace evname::machine
