// Counters: events counted on the machine that this program runs on.

#include <evname/evname.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <vector>

#include "targets.hpp"

namespace evname_python {
namespace {

/// Open counters; none after close().
struct Counters {
  std::shared_ptr<evname_counters> handle;

  evname_counters* get() const {
    if (!handle) throw py::value_error("the counters are closed");
    return handle.get();
  }
};

std::uint32_t groups_of(const std::string& name) {
  constexpr std::array names = {"regrouped", "as_written", "scheduled", "single"};
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw py::value_error("groups is regrouped, as_written, scheduled or single");
  return static_cast<std::uint32_t>(at - names.begin());
}

Counters open_counters(const Machine& machine, const std::string& events, const Ids& tids,
                       const Ids& pids, const Cpus& cpus, const std::optional<std::string>& cgroup,
                       const std::string& groups, bool inherit, bool pinned, bool partial,
                       bool user_space_if_refused) {
  const evname_count_target target = target_of(tids, pids, cpus, cgroup);
  const std::uint32_t flags =
      (inherit ? EVNAME_COUNT_INHERIT : 0) | (pinned ? EVNAME_COUNT_PINNED : 0) |
      (partial ? EVNAME_COUNT_PARTIAL : 0) | (user_space_if_refused ? 0 : EVNAME_COUNT_KERNEL_TOO);
  evname_counters* counters = nullptr;
  evname_error error;
  check(evname_counters_open(machine.get(), c_text(events), &target, groups_of(groups), flags,
                             &counters, &error),
        error);
  return {{counters, evname_counters_free}};
}

std::string name_of(const evname_counters* counters, std::size_t index) {
  evname_attr attr;
  const char* name = "";
  evname_counters_event_at(counters, index, &attr, &name);
  return valid_text(name);
}

py::list events_of(const Counters& self) {
  const py::object make = record("Counter");
  py::list found;
  evname_attr attr;
  const char* name = "";
  for (std::size_t i = 0; evname_counters_event_at(self.get(), i, &attr, &name) == EVNAME_OK; ++i) {
    evname_error error;
    const bool counted = evname_counters_problem(self.get(), i, &error) == EVNAME_OK;
    found.append(
        make(to_str(name), to_str(attr.pmu), counted ? py::str("") : to_str(error.message)));
  }
  return found;
}

py::list read(const Counters& self) {
  std::vector<evname_counter_value> values(evname_counters_count(self.get()));
  evname_error error;
  check(evname_counters_read(self.get(), values.data(), values.size(), &error), error);
  const py::object make = record("CounterValue");
  py::list found;
  for (std::size_t i = 0; i < values.size(); ++i)
    found.append(make(name_of(self.get(), i), values[i].value, values[i].enabled, values[i].running,
                      or_none(values[i].running != 0, values[i].scaled)));
  return found;
}

void enable(const Counters& self) {
  evname_error error;
  check(evname_counters_enable(self.get(), &error), error);
}

void disable(const Counters& self) {
  evname_error error;
  check(evname_counters_disable(self.get(), &error), error);
}

py::str text_of(const Counters& self) {
  std::string about = self.handle ? "" : "closed";
  for (std::size_t i = 0; self.handle && i < evname_counters_count(self.get()); ++i)
    about += (i > 0 ? ", " : "") + name_of(self.get(), i);
  return shown("Counters", about);
}

}  // namespace

evname_count_target target_of(const Ids& tids, const Ids& pids, const Cpus& cpus,
                              const std::optional<std::string>& cgroup) {
  if (tids.has_value() + pids.has_value() + (cpus.has_value() || cgroup.has_value()) > 1)
    throw py::value_error("events are of threads, of processes, or of CPUs and a cgroup");
  evname_count_target target{};
  if (const Ids& ids = tids ? tids : pids) {
    target.kind = tids ? EVNAME_COUNT_THREADS : EVNAME_COUNT_PROCESSES;
    target.ids = ids->data();
    target.ids_count = ids->size();
  } else if (cpus || cgroup) {
    target.kind = cgroup ? EVNAME_COUNT_CGROUP : EVNAME_COUNT_CPUS;
    target.cgroup = cgroup ? c_text(*cgroup) : nullptr;
    target.cpus = cpus ? cpus->data() : nullptr;
    target.cpus_count = cpus ? cpus->size() : 0;
  }
  return target;
}

void add_counters(py::module_& module) {
  py::class_<Counters>(
      module, "Counters",
      "Counters of events on this machine. `with` enables them, and disables them at its end; they "
      "can still be read then.")
      .def(
          py::init(&open_counters), py::arg("machine"), py::arg("events"), py::kw_only(),
          py::arg("tids") = py::none(), py::arg("pids") = py::none(), py::arg("cpus") = py::none(),
          py::arg("cgroup") = py::none(), py::arg("groups") = "regrouped",
          py::arg("inherit") = false, py::arg("pinned") = false, py::arg("partial") = false,
          py::arg("user_space_if_refused") = true,
          "Opens events in the syntax of `perf -e`: of this thread, of threads, of processes, of "
          "`cpus` ([]: all), or of a cgroup on them. `groups`: regrouped as perf does, as_written, "
          "scheduled or single. `partial`: leave out what can't be counted.")
      .def("enable", &enable, "Starts all counters.")
      .def("disable", &disable, "Stops them; they can still be read.")
      .def("read", &read, "The CounterValue of each event since the counters were opened.")
      .def(
          "close", [](Counters& self) { self.handle.reset(); }, "Closes them.")
      .def("__enter__", [](py::object self) { return enable(self.cast<Counters&>()), self; })
      .def("__exit__",
           [](Counters& self, const py::object&, const py::object&, const py::object&) {
             if (self.handle) disable(self);
           })
      .def_property_readonly("events", &events_of, "The events that were opened, as Counter.")
      .def("__repr__", &text_of);
}

}  // namespace evname_python
