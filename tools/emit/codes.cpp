#include "emit/codes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"
#include "evname/machine.hpp"
#include "input/machine.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// "" if the event fits in a table of codes; else why not.
std::string_view unfit(const syntax::EventText& event) {
  if (event.group) return "groups have no place in a table of codes";
  if (!event.modifiers.empty()) return "modifiers have no place in a table of codes";
  if (event.form == syntax::EventForm::breakpoint) return "a breakpoint is more than a code";
  if (event.form == syntax::EventForm::tool) return "perf measures that itself; it has no code";
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::ranges::all_of(event.text, printable)) return "only printable ASCII can be emitted";
  return {};
}

/// "" if a row can hold the code; else why not.
const char* no_place(const Encoding& e) {
  if (!e.has_config()) return "its code holds the PMU's type, which only the machine knows";
  if (e.aux_action != 0) return "aux_action has no place in a table of codes";
  return e.code.config[4] == 0 ? "" : "config4 has no place in a table of codes";
}

/// The codes of an event on a machine, or one with the reason why there is none.
std::vector<EmittedCode> codes_of(const Machine& machine, const std::string& event) {
  const auto encodings = machine.resolve(event);
  if (!encodings) return {{event, {}, {}, {}, error_text(encodings.error())}};
  print_warnings(event, *encodings);
  if (const auto directory = encodings->front().directory(); !directory.empty())
    tell_note("{}: its code is from {}", event, directory);
  std::vector<EmittedCode> out;
  for (const Encoding& e : *encodings) {
    const auto& words = e.code.config;
    out.push_back({event,
                   std::string(e.pmu),
                   e.code.has_type ? std::optional(e.code.type) : std::nullopt,
                   {words[0], words[1], words[2], words[3]},
                   no_place(e)});
  }
  return out;
}

EmittedModel emit_model(const CpuRow& row, const std::vector<std::string>& events) {
  EmittedModel out{row.arch, row.model, {}};
  const auto machine =
      Machine::named(fmt::format("{}/{}", row.arch, row.model), {}, {}, user_events());
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
  const auto split = syntax::split_events(list);
  if (!split) return fail(split);
  for (const syntax::EventText& event : *split) {
    if (const auto why = unfit(event); !why.empty())
      return fail(Errc::invalid_argument, std::string(why),
                  fmt::format("event text, column {}", event.offset + 1), {}, event.offset);
    if (std::ranges::find(events, event.text) == events.end()) events.push_back(event.text);
  }
  return {};
}

Emitted emit_codes(const std::vector<CpuRow>& rows, const std::vector<std::string>& events) {
  Emitted out;
  out.models.reserve(rows.size());  // EmittedCpu points to them
  for (const CpuRow& row : rows) {
    EmittedCpu cpu{row.arch, row.pattern, row.model, nullptr};
    if (row.wanted) {
      const auto known = std::ranges::find_if(out.models, [&](const EmittedModel& one) {
        return one.arch == row.arch && one.name == row.model;
      });
      cpu.codes =
          known != out.models.end() ? &*known : &out.models.emplace_back(emit_model(row, events));
    }
    out.cpus.push_back(cpu);
  }
  return out;
}

}  // namespace evname::tools
