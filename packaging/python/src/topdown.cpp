// Top-down trees: their nodes, values and what to look at.

#include <evname/evname.h>
#include <pybind11/stl.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counts.hpp"

namespace evname_python {
namespace {

using Facts = std::unordered_map<std::string, double>;
using TreeHandle = std::unique_ptr<evname_topdown, decltype(&evname_topdown_free)>;
using FactsHandle = std::unique_ptr<evname_metrics, decltype(&evname_metrics_free)>;

struct TopdownTree {
  const evname_topdown* get() const { return handle.get(); }
  std::size_t count() const { return evname_topdown_count(get()); }
  std::string name(std::size_t index) const {
    evname_topdown_node node;
    evname_topdown_at(get(), index, &node);
    return node.name;
  }

  TreeHandle handle;
};

TopdownTree new_tree(const Machine& machine, const std::optional<std::string>& pmu, bool live,
                     const Facts& facts) {
  evname_metrics* metrics = nullptr;
  evname_topdown* tree = nullptr;
  evname_error error;
  check(evname_metrics_new(machine.get(), live ? 1 : 0, &metrics, &error), error);
  const FactsHandle owner(metrics, evname_metrics_free);
  for (const auto& [name, value] : facts)
    check(evname_metrics_set_fact(metrics, c_text(name), value, &error), error);
  check(evname_topdown_new(metrics, pmu ? c_text(*pmu) : nullptr, &tree, &error), error);
  return {TreeHandle(tree, evname_topdown_free)};
}

py::list nodes_of(const TopdownTree& self) {
  constexpr const char* kShares[] = {"", "slots", "clocks", "operations", "parent"};
  const py::object make = record("TopdownNode");
  py::list found;
  evname_topdown_node node;
  for (std::size_t i = 0; evname_topdown_at(self.get(), i, &node) == EVNAME_OK; ++i) {
    py::tuple samples(node.samples_count), events(node.events_count);
    for (std::size_t k = 0; k < node.samples_count; ++k) samples[k] = to_str(node.samples[k]);
    for (std::size_t k = 0; k < node.events_count; ++k) events[k] = node.events[k];
    const bool is_top = node.parent == EVNAME_NO_NODE;
    found.append(make(to_str(node.name), to_str(node.desc), node.level,
                      is_top ? py::object(py::none()) : py::object(py::int_(node.parent)),
                      to_str(kShares[node.share]), to_str(node.threshold), samples, events,
                      to_str(node.problem)));
  }
  return found;
}

py::list events_of(const TopdownTree& self) {
  const py::object make = record("MetricEvent");
  py::list found;
  evname_metric_event event;
  for (std::size_t i = 0; evname_topdown_event_at(self.get(), i, &event) == EVNAME_OK; ++i)
    found.append(make(to_str(event.text), to_str(event.problem), event.is_tool != 0,
                      event.for_threshold != 0));
  return found;
}

std::vector<evname_event_count> counts_for(const TopdownTree& self, const Counts& given) {
  return counts_of(given, [&](std::size_t i, evname_metric_event* event) {
    return evname_topdown_event_at(self.get(), i, event);
  });
}

struct Values {
  std::vector<double> values;
  std::vector<std::uint8_t> flagged;
};

Values values_of(const TopdownTree& self, const Counts& given) {
  const auto counts = counts_for(self, given);
  Values out{std::vector<double>(self.count()), std::vector<std::uint8_t>(self.count())};
  evname_error error;
  check(evname_topdown_evaluate(self.get(), counts.data(), counts.size(), out.values.data(),
                                out.flagged.data(), out.values.size(), &error),
        error);
  return out;
}

py::dict evaluate(const TopdownTree& self, const Counts& given) {
  const Values got = values_of(self, given);
  const py::object make = record("TopdownValue");
  py::dict found;
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    const bool has_value = !std::isnan(got.values[i]);
    found[to_str(self.name(i).c_str())] =
        make(has_value ? py::object(py::float_(got.values[i])) : py::object(py::none()),
             got.flagged[i] != 0);
  }
  return found;
}

py::object next(const TopdownTree& self, const Counts& given) {
  const Values got = values_of(self, given);
  const std::size_t index =
      evname_topdown_next(self.get(), got.values.data(), got.flagged.data(), got.values.size());
  if (index == EVNAME_NO_NODE) return py::none();
  return to_str(self.name(index).c_str());
}

std::string explain(const TopdownTree& self, const std::string& name, const Counts& given) {
  const auto counts = counts_for(self, given);
  std::size_t index = 0;
  while (index < self.count() && self.name(index) != name) ++index;
  if (index == self.count()) throw py::key_error(name);
  return explanation([&](auto... to) {
    return evname_topdown_explain(self.get(), index, counts.data(), counts.size(), to...);
  });
}

}  // namespace

void add_topdown(py::module_& module) {
  py::class_<TopdownTree>(module, "TopdownTree",
                          "The top-down tree of a core: what its issue slots were spent on.")
      .def(py::init(&new_tree), py::arg("machine"), py::arg("pmu") = py::none(), py::kw_only(),
           py::arg("live") = false, py::arg("facts") = Facts(),
           "The tree of a core PMU, or of the first that has one. `live`: this machine gives "
           "facts such as #smt_on; `facts` sets them.")
      .def_property_readonly("nodes", &nodes_of, "The nodes; parents come before their children.")
      .def_property_readonly("events", &events_of, "The events of all nodes, each once.")
      .def("evaluate", &evaluate, py::arg("counts"),
           "The value of each node in percent, by its name, from counts by the texts of `events`. "
           "KeyError: an unknown text.")
      .def("next", &next, py::arg("counts"),
           "The name of the node to look at next; None if nothing is flagged.")
      .def("explain", &explain, py::arg("name"), py::arg("counts"),
           "Why a node has no value for these counts; \"\" if it has one. KeyError: no such node.")
      .def("__repr__", [](const TopdownTree& self) {
        return shown("TopdownTree", std::to_string(self.count()) + " nodes");
      });
}

}  // namespace evname_python
