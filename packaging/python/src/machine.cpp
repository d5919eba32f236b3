// Machine: names to codes and back.

#include <linux/perf_event.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "handles.hpp"

namespace evname_python {
namespace {

using OptionalText = std::optional<std::string>;
using Words = std::variant<std::uint64_t, std::vector<std::uint64_t>>;  // config, or all words

struct Encoding {
  std::string pmu;
  evname_attr attr;  ///< its `pmu` may be gone
};

struct Names {
  std::vector<std::string> names;
  std::string qualifiers, pmu, terms;
  bool exact;
};

const char* text_of(const OptionalText& text) { return text ? c_text(*text) : nullptr; }

Machine open_machine(const OptionalText& cpu, const OptionalText& sysfs, const OptionalText& procfs,
                     const OptionalText& events, bool user_events) {
  evname_machine* machine = nullptr;
  evname_error error;
  evname_machine_options options{};
  options.sysfs = text_of(sysfs);
  options.procfs = text_of(procfs);
  options.events = text_of(events);
  if (!user_events) options.flags = EVNAME_NO_USER_EVENTS;
  check(evname_machine_open(text_of(cpu), &options, &machine, &error), error);
  return {{machine, evname_machine_free}};
}

std::vector<Encoding> resolve(const Machine& machine, const std::string& text) {
  std::vector<evname_attr> attrs(16);
  std::size_t count = 0;
  evname_error error;
  check(evname_resolve(machine.get(), c_text(text), attrs.data(), attrs.size(), &count, &error),
        error);
  if (count > attrs.size()) {
    attrs.resize(count);
    check(evname_resolve(machine.get(), c_text(text), attrs.data(), count, &count, &error), error);
  }
  std::vector<Encoding> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back({valid_text(attrs[i].pmu), attrs[i]});
  return found;
}

py::bytes attr_of(const Encoding& encoding) {
  perf_event_attr attr{};
  evname_attr from = encoding.attr;
  from.pmu = encoding.pmu.c_str();
  evname_error error;
  check(evname_attr_fill(&from, &attr, sizeof attr, &error), error);
  return py::bytes(reinterpret_cast<const char*>(&attr), sizeof attr);
}

evname_code code_of(const Words& given) {
  evname_code code{};
  if (const auto* config = std::get_if<std::uint64_t>(&given)) {
    code.config[0] = *config;
    return code;
  }
  const auto& words = std::get<std::vector<std::uint64_t>>(given);
  if (words.empty() || words.size() > EVNAME_CONFIG_WORDS)
    throw py::value_error("a code has one to five config words");
  std::copy(words.begin(), words.end(), code.config);
  return code;
}

Names names_of(const Machine& machine, const Words& given, const OptionalText& pmu) {
  const evname_code code = code_of(given);
  std::string buffer;
  std::size_t needed = 1024;
  evname_names found;
  evname_error error;
  while (needed > buffer.size()) {
    buffer.resize(needed);
    check(evname_names_of(machine.get(), text_of(pmu), &code, &found, buffer.data(), buffer.size(),
                          &needed, &error),
          error);
  }
  Names names{{}, found.qualifiers, found.pmu, found.terms, found.exact != 0};
  const char* name = found.names;
  for (std::size_t i = 0; i < found.count; ++i, name += names.names.back().size() + 1)
    names.names.emplace_back(name);
  return names;
}

std::string name_of(const Machine& machine, const Words& given, const OptionalText& pmu) {
  const evname_code code = code_of(given);
  const std::size_t size = evname_name_of(machine.get(), text_of(pmu), &code, nullptr, 0);
  std::string name(size + 1, '\0');
  evname_name_of(machine.get(), text_of(pmu), &code, name.data(), name.size());
  name.pop_back();
  return name;
}

const char* precision_of(std::uint32_t flags) {
  if ((flags & EVNAME_EVENT_MUST_BE_PRECISE) != 0) return "required";
  return (flags & EVNAME_EVENT_PRECISE) != 0 ? "possible" : "";
}

py::list list_events(const Machine& machine, const OptionalText& glob) {
  evname_events* list = nullptr;
  evname_error error;
  check(evname_events_list(machine.get(), text_of(glob), &list, &error), error);
  const std::unique_ptr<evname_events, decltype(&evname_events_free)> events(list,
                                                                             evname_events_free);
  const py::object make = py::module_::import("evname._records").attr("Event");
  py::list found;
  evname_event event;
  for (std::size_t i = 0; evname_events_at(events.get(), i, &event) == EVNAME_OK; ++i)
    found.append(make(to_str(event.name), to_str(event.pmu), to_str(event.topic),
                      to_str(event.terms), to_str(event.desc), to_str(event.long_desc),
                      to_str(event.unit), event.scale, (event.flags & EVNAME_EVENT_DEPRECATED) != 0,
                      precision_of(event.flags), (event.flags & EVNAME_EVENT_PRECISE_ADDRESS) != 0,
                      to_str(event.errata)));
  return found;
}

py::object cpu_of(const Machine& machine) {
  static constexpr std::array how = {"none", "cpuid", "name", "caps", "architecture"};
  evname_cpu cpu;
  evname_machine_cpu(machine.get(), &cpu);
  return py::module_::import("evname._records")
      .attr("Cpu")(to_str(cpu.arch), to_str(cpu.cpuid), to_str(cpu.model), how.at(cpu.matched_by),
                   to_str(cpu.note));
}

py::list list_pmus(const Machine& machine) {
  const py::object make = py::module_::import("evname._records").attr("Pmu");
  py::list found;
  evname_pmu pmu;
  for (std::size_t i = 0; evname_pmu_at(machine.get(), i, &pmu) == EVNAME_OK; ++i)
    found.append(make(
        to_str(pmu.name),
        pmu.flags & EVNAME_PMU_HAS_TYPE ? py::object(py::int_(pmu.type)) : py::object(py::none()),
        (pmu.flags & EVNAME_PMU_CORE) != 0, (pmu.flags & EVNAME_PMU_PRESENT) != 0,
        to_str(pmu.cpus)));
  return found;
}

py::tuple config_words(const evname_code& code) {
  return py::make_tuple(code.config[0], code.config[1], code.config[2], code.config[3],
                        code.config[4]);
}

py::str encoding_text(const Encoding& encoding) {
  const py::str format("<Encoding {} config={:#x}>");
  return format.format(encoding.pmu, encoding.attr.code.config[0]);
}

void add_encoding(py::module_& module) {
  using E = Encoding;
  const auto flag = [](std::uint32_t bit) {
    return [bit](const E& self) { return (self.attr.flags & bit) != 0; };
  };
  const auto number = [](auto evname_attr::*member) {
    return [member](const E& self) { return self.attr.*member; };
  };
  py::class_<E> encoding(module, "Encoding",
                         "One way to open an event: what it sets of perf_event_attr.");
  encoding
      .def_readonly("pmu", &E::pmu,
                    "\"cpu\", \"uncore_imc_0\"; \"hardware\", \"software\", … for generic types.")
      .def_property_readonly(
          "type",
          [](const E& self) {
            return self.attr.code.has_type ? std::optional(self.attr.code.type) : std::nullopt;
          },
          "perf_event_attr.type; None if only the live machine knows it.")
      .def_property_readonly(
          "config", [](const E& self) { return self.attr.code.config[0]; },
          "perf_event_attr.config.")
      .def_property_readonly(
          "words", [](const E& self) { return config_words(self.attr.code); },
          "config, config1 to config4.")
      .def_property_readonly("period", number(&evname_attr::period),
                             "Sample period that the event's table suggests; 0: none.")
      .def_property_readonly("precise_ip", number(&evname_attr::precise_ip),
                             "0 to 3, as modifiers ask.")
      .def_property_readonly("leader", number(&evname_attr::leader),
                             "Index, in its list, of its group's leader; its own if it leads.")
      .def("attr", &attr_of,
           "struct perf_event_attr of <linux/perf_event.h> as bytes: the members that the event "
           "sets, and `size`. Raises NotFoundError if only the live machine knows the type.")
      .def("__repr__", &encoding_text);
#define EVNAME_ATTR_BIT(name, NAME, ...)                          \
  encoding.def_property_readonly(#name, flag(EVNAME_ATTR_##NAME), \
                                 "True if a modifier asks for it.");
#include <evname/attr_bits.def>
}

}  // namespace

void add_machines(py::module_& module) {
  add_encoding(module);
  py::class_<Names>(module, "Names", "The names of a code.")
      .def_readonly("names", &Names::names, "Best first; empty if no name has this code.")
      .def_readonly("qualifiers", &Names::qualifiers,
                    "To be added to the names: \"cmask=0x1\"; \"\" if exact.")
      .def_readonly("pmu", &Names::pmu, "\"cpu\".")
      .def_readonly("terms", &Names::terms,
                    "The code as terms, always exact: \"event=0xd1,umask=0x20\".")
      .def_readonly("exact", &Names::exact, "Whether the names have exactly this code.")
      .def("__repr__", [](const Names& self) {
        return "<Names " +
               (self.names.empty() ? self.pmu + "/" + self.terms + "/" : self.names.front()) + ">";
      });
  py::class_<Machine>(module, "Machine",
                      "A CPU, its event tables and its PMUs. Threads may share it.")
      .def(py::init(&open_machine), py::arg("cpu") = py::none(), py::kw_only(),
           py::arg("sysfs") = py::none(), py::arg("procfs") = py::none(),
           py::arg("events") = py::none(), py::arg("user_events") = true,
           "The machine that `cpu` names: a CPUID string, a model (\"skylakex\"), a short name "
           "(\"skx\"). None: this "
           "machine. `events`: a directory whose event files are laid over the tables.")
      .def("__repr__",
           [](const Machine& self) {
             evname_cpu cpu;
             evname_machine_cpu(self.get(), &cpu);
             return shown("Machine", *cpu.model == '\0'
                                         ? cpu.cpuid
                                         : cpu.model + (" " + std::string(cpu.cpuid)));
           })
      .def("resolve", &resolve, py::arg("text"),
           "Events in the syntax of `perf -e`, as a list of Encoding: one per event and PMU.")
      .def("names", &names_of, py::arg("code"), py::arg("pmu") = py::none(),
           "All names of a code: config, or a sequence of config words. Without a PMU, the first "
           "core PMU's.")
      .def("name", &name_of, py::arg("code"), py::arg("pmu") = py::none(),
           "The best name of a code, with its qualifiers; \"cpu/event=0x3/\" if it has no name.")
      .def("events", &list_events, py::arg("glob") = py::none(),
           "The events whose name matches, ignoring case.")
      .def_property_readonly("cpu", &cpu_of, "The CPU, and how its model was found.")
      .def_property_readonly("pmus", &list_pmus, "The PMUs; core PMUs come first.")
      .def_property_readonly(
          "warnings",
          [](const Machine& self) {
            return warnings_of(
                [&](std::size_t i) { return evname_machine_warning(self.get(), i); });
          },
          "Descriptions of what was skipped while the machine was read.");
}

}  // namespace evname_python
