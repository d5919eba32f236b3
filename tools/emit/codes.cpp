#include "emit/codes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "evname/machine.hpp"
#include "input/queries.hpp"
#include "syntax/events.hpp"
#include "syntax/lexer.hpp"

namespace evname::tools {
namespace {

/// "" if the event can stand in a table of codes; else why not.
std::string_view unfit(const event::Group& group, const event::Spec& spec) {
  if (group.braces) return "groups have no place in a table of codes";
  if (!spec.modifiers.empty()) return "modifiers have no place in a table of codes";
  if (spec.kind == event::Kind::breakpoint) return "a breakpoint is more than a code";
  if (spec.kind == event::Kind::tool) return "perf measures that itself; it has no code";
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::ranges::all_of(spec.text, printable)) return "only printable ASCII can be emitted";
  return {};
}

/// The codes of an event on a machine, or one that says why there is none.
std::vector<EmittedCode> codes_of(const Machine& machine, const std::string& event) {
  const auto encodings = machine.resolve(event);
  if (!encodings) return {{event, {}, {}, {}, error_text(encodings.error())}};
  print_warnings(event, *encodings);
  std::vector<EmittedCode> out;
  for (const Encoding& e : *encodings)
    out.push_back({event, e.pmu, e.type, {e.config, e.config1, e.config2, e.config3}, {}});
  return out;
}

EmittedModel emit_model(const tables::ModelView& model, const std::vector<std::string>& events) {
  EmittedModel out{model.name(), {}};
  const auto machine = Machine::named(fmt::format("{}/{}", model.arch.arch, model.name()));
  for (const std::string& event : events) {
    if (machine)
      std::ranges::move(codes_of(*machine, event), std::back_inserter(out.codes));
    else
      out.codes.push_back({event, {}, {}, {}, machine.error().text()});
  }
  return out;
}

}  // namespace

Result<void> add_events(const std::string& list, std::vector<std::string>& events) {
  const auto groups = event::parse_events(list);
  if (!groups) return tl::unexpected(groups.error());
  for (const event::Group& group : *groups)
    for (const event::Spec& spec : group.specs) {
      if (const auto why = unfit(group, spec); !why.empty())
        return event::syntax_error(spec.offset, std::string(why));
      if (std::ranges::find(events, spec.text) == events.end()) events.push_back(spec.text);
    }
  return {};
}

Emitted emit_codes(const std::vector<CpuRow>& rows, const std::vector<std::string>& events) {
  Emitted out;
  out.models.reserve(rows.size());  // EmittedCpu points to them
  std::vector<std::pair<const tables::Model*, const EmittedModel*>> known;
  for (const CpuRow& row : rows) {
    EmittedCpu cpu{row.model.arch.arch, row.pattern, row.model.name(), nullptr};
    if (row.wanted) {
      auto at =
          std::ranges::find(known, row.model.model, [](const auto& one) { return one.first; });
      if (at == known.end())
        at = known.insert(
            at, {row.model.model, &out.models.emplace_back(emit_model(row.model, events))});
      cpu.codes = at->second;
    }
    out.cpus.push_back(cpu);
  }
  return out;
}

}  // namespace evname::tools
