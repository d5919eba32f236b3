#include "complete/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evname/event_text.hpp"
#include "evname/models.hpp"
#include "evname/perf_type.hpp"
#include "text.hpp"

namespace evname::tools {
namespace {

/// Where the last item of "a,{b,pmu/x=1,y=2/,c" begins; npos: inside the terms of a PMU.
std::size_t last_item(std::string_view typed) {
  std::size_t begin = 0;
  bool in_terms = false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] == '/') in_terms = !in_terms;
    if (!in_terms && (typed[i] == ',' || typed[i] == '{')) begin = i + 1;
  }
  return in_terms ? typed.npos : begin;
}

/// For a glob of models, as `evname emit` takes it, the first of them.
MachineOptions of_one_model(MachineOptions options) {
  if (options.cpu.find('*') == options.cpu.npos) return options;
  const std::string glob = to_lower(options.cpu);
  for (const Candidate& model : model_names())
    if (glob_match(glob, to_lower(model.text))) {
      options.cpu = model.text;
      break;
    }
  return options;
}

/// `name` from where `typed` ends, in capitals if that is.
std::string rest_of(std::string name, std::string_view typed) {
  const bool capitals = to_lower(typed) != typed &&
                        std::ranges::none_of(typed, [](char c) { return c >= 'a' && c <= 'z'; });
  name.erase(0, typed.size());
  if (capitals)
    for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

/// The kernel's own names; every machine has them.
void add_generic(std::map<std::string, std::string>& names) {
  for (GenericEvent& event : generic_events())
    if (event.type != kTypeHwCache)
      names.emplace(std::move(event.name), fmt::format("{} event", event.pmu));
}

}  // namespace

std::vector<Candidate> model_names() {
  std::vector<Candidate> out;
  for (const ModelInfo& model : models())
    out.push_back({std::string(model.name), std::string(model.arch)});
  return out;
}

std::vector<Candidate> pmu_names(const MachineOptions& options) {
  std::vector<Candidate> out;
  const auto machine = options.open();
  if (!machine) return out;
  for (const PmuInfo& pmu : machine->pmus()) out.push_back({pmu.name, {}});
  return out;
}

std::vector<Candidate> event_names(const MachineOptions& options, std::string_view typed) {
  const std::size_t begin = last_item(typed);
  if (begin == typed.npos) return {};
  const std::string_view item = typed.substr(begin);
  if (item.find_first_of(":/}*?[\\") != item.npos) return {};
  const auto machine = of_one_model(options).open();
  if (!machine) return {};
  std::map<std::string, std::string> names;
  for (EventInfo& event : machine->events(std::string(item) + "*"))
    names.emplace(std::move(event.name), std::move(event.desc));
  add_generic(names);
  std::vector<Candidate> out;
  const std::string lower = to_lower(item);
  for (auto& [name, about] : names)
    if (to_lower(name).starts_with(lower))
      out.push_back({std::string(typed) + rest_of(name, item), std::move(about)});
  return out;
}

}  // namespace evname::tools
