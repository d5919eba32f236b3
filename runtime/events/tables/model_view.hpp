#pragma once
// Reads the tables: a model, an event and its terms, a metric.

#include <span>
#include <string>
#include <string_view>

#include "base/letters.hpp"
#include "events/tables/tables.hpp"

namespace evname::tables {

/// One model of an architecture's tables: two pointers, which the tables outlive.
struct ModelView {
  const Model* model = nullptr;

  ModelView() = default;
  ModelView(const ArchTables& arch, const Model* of) : model(of), arch_(&arch) {}
  ModelView(ArchTables&&, const Model*) = delete;

  explicit operator bool() const { return model != nullptr; }
  const ArchTables& arch() const { return *arch_; }
  std::string_view name() const { return arch_->text(model->name); }
  std::string_view source() const { return arch_->text(model->source); }
  std::string_view example_cpuid() const { return model ? arch_->text(model->example_cpuid) : ""; }
  std::span<const PmuEvents> pmus() const {
    return arch_->pmus.subspan(model->first_pmu, model->pmu_count);
  }
  std::size_t event_count() const {
    std::size_t count = 0;
    for (const PmuEvents& list : pmus()) count += list.count;
    return count;
  }
  const Event& event(const PmuEvents& pmu, std::size_t i) const {
    return arch_->events[event_of(arch_->entries[pmu.first + i])];
  }

 private:
  static constexpr ArchTables kNone{};
  const ArchTables* arch_ = &kNone;
};

/// An event that find_event finds.
struct EventHit {
  const PmuEvents* pmu;
  const Event* event;
  const Counters* counters;  ///< no counter at all: not known
};

/// Returns true if the event has that name, in any case.
inline bool has_name(const ArchTables& arch, const Event& event, std::string_view name) {
  const std::span<const char> from = arch.strings.subspan(event.name);
  if (name.size() >= from.size() || from[name.size()] != '\0') return false;
  const std::string_view known(from.data(), name.size());
  return known == name || equal_ignoring_case(known, name);
}

/// Calls fn(EventHit) for each event of the model with that name (any case), one for each table
/// PMU.
template <class Fn>
void find_event(const ModelView& view, std::string_view name, Fn&& fn);
/// Does the same with a known name_hash.
template <class Fn>
void find_event(const ModelView& view, std::string_view name, std::uint32_t hash, Fn&& fn);

/// Returns true if one of the models has an event of that name on that PMU of the tables.
bool has_event(std::span<const ModelView> models, std::string_view pmu, std::string_view name);

/// Returns the term with views of the tables.
Term term_of(const ArchTables& arch, const StoredTerm& stored);

/// Returns "event=0xd1,period=100007,umask=0x20", spelled as jevents spells it.
std::string terms_text(const ArchTables& arch, const Event& event);

/// Returns indexes of the terms of an event, in source order.
inline std::span<const std::uint16_t> term_list(const ArchTables& arch, const Event& event) {
  return arch.term_lists.subspan(event.terms, event.term_count);
}

/// Returns the PMU of an entry; a model's PMUs are adjacent in ArchTables::entries.
inline const PmuEvents& pmu_of_entry(std::span<const PmuEvents> pmus, std::uint32_t entry) {
  std::size_t at = 0;
  for (std::size_t left = pmus.size(); left > 1; left -= left / 2)
    at = pmus[at + left / 2].first <= entry ? at + left / 2 : at;
  return pmus[at];
}

template <class Fn>
void find_event(const ModelView& view, std::string_view name, Fn&& fn) {
  find_event(view, name, name_hash(name), fn);
}

template <class Fn>
void find_event(const ModelView& view, std::string_view name, std::uint32_t hash, Fn&& fn) {
  const Model& m = *view.model;
  if (m.slot_count == 0) return;
  const ArchTables& arch = view.arch();
  const std::uint32_t mask = m.slot_count - 1;
  const std::uint32_t first_entry = arch.pmus[m.first_pmu].first;
  for (std::uint32_t i = hash & mask;; i = (i + 1) & mask) {
    const std::uint32_t slot = arch.slots[m.first_slot + i];
    if (slot == 0) return;
    if (arch.slot_tags[m.first_slot + i] != slot_tag(hash)) continue;
    const std::uint32_t entry = first_entry + slot - 1;
    const Event& event = arch.events[event_of(arch.entries[entry])];
    if (!has_name(arch, event, name)) continue;
    fn(EventHit{&pmu_of_entry(view.pmus(), entry), &event,
                &arch.counters[counters_of(arch.entries[entry])]});
  }
}

/// Returns the steps and numbers of a program.
inline expression::Code code_of(const ArchTables& arch, const Program& program) {
  return {arch.steps.subspan(program.first_step, program.step_count),
          arch.numbers.subspan(program.first_number, program.number_count)};
}

/// Returns indexes into arch.symbols, in the order of the program's values.
inline std::span<const std::uint16_t> symbols_of(const ArchTables& arch, const Program& program) {
  return arch.symbol_lists.subspan(program.first_symbol, program.symbol_count);
}

/// Returns the name of a symbol without the escapes of expressions.
inline std::string_view name_of(const ArchTables& arch, const Symbol& symbol) {
  return {arch.strings.data() + symbol.name, symbol.size};
}

/// Copies a program into its own memory.
expression::Program program_of(const ArchTables& arch, const Program& program);

/// Returns indexes into arch.metrics, by PMU, then by name.
inline std::span<const std::uint16_t> metrics_of(const ModelView& view) {
  return view.arch().metric_entries.subspan(view.model->first_metric, view.model->metric_count);
}

}  // namespace evname::tables
