// What can be told of event lists without a machine, as users of the library see it.

#include "evname/encoding.hpp"

#include "events/syntax/events.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"

namespace evname {
namespace {

/// perf knows no words but the names of PMUs' events; which of them the kernel or perf itself
/// counts is told by the word.
EventForm form_of(const syntax::Spec& spec) {
  switch (spec.kind) {
    case syntax::Kind::raw:
      return EventForm::raw;
    case syntax::Kind::numeric:
      return EventForm::numeric;
    case syntax::Kind::tracepoint:
      return EventForm::tracepoint;
    case syntax::Kind::breakpoint:
      return EventForm::breakpoint;
    default:
      break;
  }
  if (syntax::hardware_config(spec.name)) return EventForm::hardware;
  if (syntax::software_config(spec.name)) return EventForm::software;
  if (syntax::tool_config(spec.name)) return EventForm::tool;
  if (syntax::cache_config(spec.name)) return EventForm::cache;
  return spec.kind == syntax::Kind::pmu ? EventForm::terms : EventForm::name;
}

void add_generic(std::uint32_t type, std::uint64_t config, std::vector<GenericEvent>& out) {
  for (std::string& name : syntax::legacy_names(type, config))
    out.push_back({std::move(name), syntax::generic_type_name(type), type, config});
}

}  // namespace

Result<std::vector<EventText>> split_events(std::string_view list) {
  auto groups = syntax::parse_events(list);
  if (!groups) return tl::unexpected<Error>(std::move(groups.error()));
  std::vector<EventText> out;
  std::size_t braces = 0;
  for (syntax::Group& group : *groups) {
    for (syntax::Spec& spec : group.specs)
      out.push_back({form_of(spec), std::string(spec.text), std::move(spec.modifiers), spec.offset,
                     group.braces ? std::optional(braces) : std::nullopt});
    braces += group.braces ? 1 : 0;
  }
  return out;
}

std::vector<GenericEvent> generic_events() {
  constexpr std::uint64_t kMost = 32;  // hardware and software codes there could be
  std::vector<GenericEvent> out;
  for (const std::uint32_t type : {kTypeHardware, kTypeSoftware})
    for (std::uint64_t config = 0; config < kMost; ++config) add_generic(type, config, out);
  for (std::uint64_t result = 0; result < 2; ++result)
    for (std::uint64_t op = 0; op < 3; ++op)
      for (std::uint64_t cache = 0; cache < 7; ++cache)
        add_generic(kTypeHwCache, cache | op << 8 | result << 16, out);
  return out;
}

}  // namespace evname
