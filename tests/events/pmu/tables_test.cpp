// Every event of this build's tables can be encoded without the machine it is meant for.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "events/pmu/builtin.hpp"
#include "events/syntax/events.hpp"
#include "support/built_models.hpp"

namespace evname::pmu {
namespace {

/// Terms that perf takes without a format file.
bool is_builtin_term(std::string_view name) {
  return name == "period" || name == "config" || name == "config1" || name == "config2";
}

/// The terms of an event that this PMU has no room for; empty if it can be encoded.
std::string misfits(const tables::ArchTables& arch, const tables::Event& event, const Pmu& pmu) {
  std::string out;
  for (const std::uint32_t index : tables::term_list(arch, event)) {
    const tables::StoredTerm& term = arch.terms[index];
    const std::string_view name = arch.text(arch.term_names[term.name]);
    const Format* format = pmu.find_format(name);
    if (format == nullptr ? is_builtin_term(name) : format->pack(term.value).has_value()) continue;
    out += " " + std::string(name);
  }
  return out;
}

void check_model(const tables::ModelView& model) {
  const auto pmus = builtin_pmus(model.arch().arch, {}, model);
  for (const tables::PmuEvents& table : model.pmus()) {
    const std::string_view name = model.arch().text(table.pmu);
    const auto serving = [&](const Pmu& pmu) { return serves(name, pmu); };
    EXPECT_EQ(std::count_if(pmus.begin(), pmus.end(), serving), 1) << model.name() << " " << name;
    const auto pmu = std::find_if(pmus.begin(), pmus.end(), serving);
    if (pmu == pmus.end()) continue;
    for (std::uint32_t i = 0; i < table.count; ++i) {
      const tables::Event& event = model.event(table, i);
      EXPECT_EQ(misfits(model.arch(), event, *pmu), "")
          << model.name() << " " << pmu->name << " " << model.arch().text(event.name);
    }
  }
}

TEST(BuiltinPmus, EncodeEveryEventOfEveryModel) {
  for (const tables::ModelView& model : test::built_models()) check_model(model);
}

/// The terms of a driver's event that a PMU with these fields has no room for.
std::string misfits(std::string_view text, const tables::CpuFacts& facts,
                    std::span<const tables::FormatField> fields) {
  std::string out;
  const auto terms = syntax::parse_terms(text);
  if (!terms) return terms.error().text();
  for (const tables::Term& term : *terms) {
    const auto field = std::ranges::find_if(
        fields, [&](const tables::FormatField& f) { return facts.text(f.name) == term.name; });
    const bool is_open = term.value == tables::Term::Value::text && term.text == "?";
    const bool fits = field == fields.end()
                          ? is_builtin_term(term.name)
                          : is_open || Format{"", 0, field->mask}.pack(term.number).has_value();
    if (!fits) out += " " + std::string(term.name);
  }
  return out;
}

/// Returns true if a row of pmus.csv describes a PMU of this name that has room for all events.
bool has_room(std::string_view name, const tables::PmuEventFact& events,
              const tables::CpuFacts& facts) {
  return std::ranges::any_of(facts.pmus, [&](const tables::PmuFact& row) {
    if (row.scope.arch != events.scope.arch && row.scope.arch != 0) return false;
    if (!tables::is_instance_of_any(name, facts.text(row.scope.pmus))) return false;
    const auto fields = facts.fields.subspan(row.first_field, row.field_count);
    const auto all = facts.pmu_events.subspan(events.first_event, events.event_count);
    return std::ranges::all_of(all, [&](const tables::PmuEvent& event) {
      return misfits(facts.text(event.terms), facts, fields).empty();
    });
  });
}

TEST(BuiltinPmus, HaveRoomForEveryEventOfTheirDrivers) {
  std::size_t found = 0;
  for (const tables::CpuFacts& facts : tables::built_in_facts())
    for (const tables::PmuEventFact& row : facts.event_facts)
      for (const std::string_view pattern : split(facts.text(row.scope.pmus), '|')) {
        std::string instance = tables::name_of_pattern(pattern).value_or(std::string(pattern));
        std::ranges::replace(instance, '*', '1');
        EXPECT_TRUE(has_room(instance, row, facts)) << facts.text(row.scope.arch) << ' ' << pattern;
        found += row.event_count;
      }
  EXPECT_GE(found, 2500u);
}

TEST(BuiltinPmus, DescribeEveryUnitOfEveryModel) {
  for (const tables::ModelView& model : test::built_models())
    for (const tables::PmuEvents& table : model.pmus()) {
      std::string name(model.arch().text(table.pmu));
      if (name == "default_core") continue;
      std::replace(name.begin(), name.end(), ',', '_');
      EXPECT_TRUE(find_fact({model.arch().arch, name, model.example_cpuid(), model.name()}))
          << model.name() << " " << name;
    }
}

}  // namespace
}  // namespace evname::pmu
