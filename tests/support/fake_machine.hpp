#pragma once
// A machine with hand-made PMUs and a few rows of the skylakex tables.

#include <memory>

#include "events/machine/machine_state.hpp"
#include "evname/machine.hpp"
#include "support/event_tables.hpp"

namespace evname::test {

/// "config:0-7" as text, by field name.
using FieldTexts = std::vector<std::pair<std::string, std::string>>;

pmu::Pmu make_pmu(std::string name, std::optional<std::uint32_t> type, const FieldTexts& fields,
                  const FieldTexts& events = {});

/// Returns a machine with these PMUs, bound to that model. The tables must outlive it.
Machine make_machine(const EventTables& tables, std::size_t model, std::vector<pmu::Pmu> pmus);

const EventTables& skylakex_tables();
std::vector<pmu::Pmu> skylakex_pmus();
Machine skylakex_machine();

}  // namespace evname::test
