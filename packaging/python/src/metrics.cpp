// Metrics: what there is, which events they need, and their values.

#include <evname/evname.h>
#include <pybind11/stl.h>

#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "counts.hpp"

namespace evname_python {
namespace {

using MetricsHandle = std::unique_ptr<evname_metrics, decltype(&evname_metrics_free)>;

struct MetricSet {
  MetricsHandle handle;
};

py::list metrics_of(const evname_metrics* metrics) {
  const py::object make = record("Metric");
  py::list found;
  evname_metric metric;
  for (std::size_t i = 0; evname_metrics_at(metrics, i, &metric) == EVNAME_OK; ++i) {
    py::tuple groups(metric.groups_count), events(metric.events_count);
    for (std::size_t k = 0; k < metric.groups_count; ++k) groups[k] = to_str(metric.groups[k]);
    for (std::size_t k = 0; k < metric.events_count; ++k) events[k] = metric.events[k];
    found.append(make(to_str(metric.name), to_str(metric.desc), to_str(metric.long_desc),
                      to_str(metric.expr), to_str(metric.threshold), to_str(metric.unit),
                      to_str(metric.pmu), to_str(metric.model), groups, events));
  }
  return found;
}

py::list list_metrics(const Machine& machine, const std::optional<std::string>& glob,
                      const std::optional<std::string>& group) {
  evname_metrics* metrics = nullptr;
  evname_error error;
  check(evname_metrics_list(machine.get(), glob ? c_text(*glob) : nullptr,
                            group ? c_text(*group) : nullptr, &metrics, &error),
        error);
  return metrics_of(MetricsHandle(metrics, evname_metrics_free).get());
}

MetricSet new_set(const Machine& machine, bool live) {
  evname_metrics* metrics = nullptr;
  evname_error error;
  check(evname_metrics_new(machine.get(), live ? 1 : 0, &metrics, &error), error);
  return {MetricsHandle(metrics, evname_metrics_free)};
}

void add(MetricSet& self, const std::string& name) {
  evname_error error;
  check(evname_metrics_add(self.handle.get(), c_text(name), &error), error);
}

void add_expression(MetricSet& self, const std::string& name, const std::string& expr) {
  evname_error error;
  check(evname_metrics_add_expression(self.handle.get(), c_text(name), c_text(expr), &error),
        error);
}

void set_fact(MetricSet& self, const std::string& name, double value) {
  evname_error error;
  check(evname_metrics_set_fact(self.handle.get(), c_text(name), value, &error), error);
}

py::list events_of(const MetricSet& self) {
  const py::object make = record("MetricEvent");
  py::list found;
  evname_metric_event event;
  for (std::size_t i = 0; evname_metrics_event_at(self.handle.get(), i, &event) == EVNAME_OK; ++i)
    found.append(make(to_str(event.text), to_str(event.problem), event.is_tool != 0,
                      event.for_threshold != 0));
  return found;
}

py::dict evaluate(const MetricSet& self, const Counts& given) {
  const auto counts = counts_of(given, [&](std::size_t i, evname_metric_event* event) {
    return evname_metrics_event_at(self.handle.get(), i, event);
  });
  std::vector<evname_metric_value> values(evname_metrics_count(self.handle.get()));
  evname_error error;
  check(evname_metrics_evaluate(self.handle.get(), counts.data(), counts.size(), values.data(),
                                values.size(), &error),
        error);
  const py::object make = record("MetricValue");
  py::dict found;
  evname_metric metric;
  for (std::size_t i = 0;
       i < values.size() && evname_metrics_at(self.handle.get(), i, &metric) == EVNAME_OK; ++i) {
    const bool has_value = values[i].has_value != 0;
    found[to_str(metric.name)] =
        make(has_value ? py::object(py::float_(values[i].value)) : py::object(py::none()),
             to_str(metric.unit),
             values[i].beyond < 0 ? py::object(py::none())
                                  : py::object(py::bool_(values[i].beyond == 1)),
             to_str(explanation([&](auto... to) {
                      return evname_metrics_explain(self.handle.get(), i, counts.data(),
                                                    counts.size(), to...);
                    }).c_str()));
  }
  return found;
}

}  // namespace

void add_metrics(py::module_& module) {
  module.def("list_metrics", &list_metrics, py::arg("machine"), py::arg("glob") = py::none(),
             py::arg("group") = py::none(),
             "The metrics of a machine whose name matches and that are in the group.");
  py::class_<MetricSet>(module, "MetricSet",
                        "Metrics that are computed together. One thread at a time adds to it.")
      .def(py::init(&new_set), py::arg("machine"), py::kw_only(), py::arg("live") = false,
           "An empty set. `live`: facts such as #num_cpus come from this machine.")
      .def("add", &add, py::arg("name"), "Adds a metric, or all metrics of a group.")
      .def("add_expression", &add_expression, py::arg("name"), py::arg("expr"),
           "Adds a metric of your own.")
      .def("set_fact", &set_fact, py::arg("name"), py::arg("value"),
           "Sets a fact (\"#num_cpus\"), before adding.")
      .def_property_readonly(
          "metrics", [](const MetricSet& self) { return metrics_of(self.handle.get()); },
          "The metrics.")
      .def_property_readonly("events", &events_of, "The events to count, each once.")
      .def_property_readonly(
          "warnings",
          [](const MetricSet& self) {
            return warnings_of(
                [&](std::size_t i) { return evname_metrics_warning(self.handle.get(), i); });
          },
          "Descriptions of the metrics of a group that could not be added.")
      .def("__repr__",
           [](const MetricSet& self) {
             std::string about;
             evname_metric metric;
             for (std::size_t i = 0; evname_metrics_at(self.handle.get(), i, &metric) == EVNAME_OK;
                  ++i)
               about += (i > 0 ? ", " : "") + std::string(metric.name);
             return shown("MetricSet", about);
           })
      .def("evaluate", &evaluate, py::arg("counts"),
           "The value of each metric by its name, from counts by the texts of `events`. KeyError: "
           "an unknown text.");
}

}  // namespace evname_python
