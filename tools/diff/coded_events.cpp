#include "diff/coded_events.hpp"

#include "machine/alias.hpp"

namespace evname::tools {
namespace {

CodedEvent coded(const detail::BoundPmu& bound, const event::Alias& alias) {
  const tables::ArchTables& arch = alias.model.arch();
  CodedEvent out;
  out.pmu = bound.pmu.name;
  out.name = arch.text(alias.event->name);
  if (const auto words = event::pack(bound.pmu, alias)) out.code = words->config;
  out.is_core = bound.pmu.is_core;
  out.deprecated = (alias.event->flags & tables::kDeprecated) != 0;
  out.desc = arch.text(alias.event->desc);
  return out;
}

}  // namespace

std::vector<CodedEvent> coded_events(const Machine& machine) {
  std::vector<CodedEvent> out;
  for (const detail::BoundPmu& bound : machine.state().pmus)
    for (const tables::PmuEvents* list : bound.tables)
      for (std::size_t i = 0; i < list->count; ++i) {
        const tables::Event& event = bound.model.event(*list, i);
        const event::Alias alias = event::find_alias(bound, bound.model.arch().text(event.name));
        if (alias.event == &event) out.push_back(coded(bound, alias));  // else another list's
      }
  return out;
}

}  // namespace evname::tools
