// All events of a machine's tables with their codes.

#include "events/machine/alias.hpp"

namespace evname {
namespace {

EventCode code_of(const machine::BoundPmu& bound, const machine::Alias& alias) {
  const tables::ArchTables& arch = alias.model.arch();
  EventCode out;
  out.pmu = bound.pmu.name;
  out.name = arch.text(alias.event->name);
  out.desc = arch.text(alias.event->desc);
  if (const auto packed = machine::pack(bound, alias)) {
    out.code = make_code(bound.pmu.type.value_or(0), packed->config);
    out.code->has_type = bound.pmu.type.has_value();
  }
  out.is_core = bound.pmu.is_core;
  out.deprecated = (alias.event->flags & tables::kDeprecated) != 0;
  return out;
}

}  // namespace

std::vector<EventCode> Machine::event_codes() const {
  std::vector<EventCode> out;
  for (const machine::BoundPmu& bound : state_->pmus)
    for (const tables::PmuEvents* list : bound.tables)
      for (std::size_t i = 0; i < list->count; ++i) {
        const tables::Event& event = bound.model.event(*list, i);
        const machine::Alias alias =
            machine::find_alias(bound, bound.model.arch().text(event.name));
        if (alias.event == &event) out.push_back(code_of(bound, alias));  // else another list's
      }
  return out;
}

}  // namespace evname
