// Report: what the samples of recordings add up to.

#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "pass.hpp"

namespace evname_python {
namespace {

using OptionalText = std::optional<std::string>;

struct Report {
  std::shared_ptr<evname_report> handle;
  std::vector<std::string> keys;
};

Report new_report(const std::vector<std::string>& keys, const OptionalText& event,
                  const std::vector<std::uint32_t>& cpus, const std::vector<std::int32_t>& pids,
                  const std::vector<std::int32_t>& tids, const std::vector<std::string>& comms,
                  const OptionalText& sym, const OptionalText& dso, const OptionalText& time,
                  bool salvage, std::uint32_t jobs) {
  const auto text = [](const OptionalText& given) { return given ? given->c_str() : nullptr; };
  std::vector<const char*> names;
  for (const std::string& comm : comms) names.push_back(comm.c_str());
  evname_filter filter{};
  filter.event = text(event);
  filter.sym = text(sym);
  filter.dso = text(dso);
  filter.time_parts = text(time);
  filter.cpus = cpus.data(), filter.cpus_count = cpus.size();
  filter.pids = pids.data(), filter.pids_count = pids.size();
  filter.tids = tids.data(), filter.tids_count = tids.size();
  filter.comms = names.data(), filter.comms_count = names.size();
  filter.samples_flags = salvage ? EVNAME_SAMPLES_SALVAGE : 0;
  filter.jobs = jobs;
  std::string joined;
  for (const std::string& key : keys) joined += (joined.empty() ? "" : ",") + key;
  evname_report* report = nullptr;
  evname_error error;
  check(evname_report_new(joined.c_str(), &filter, &report, &error), error);
  return {{report, evname_report_free}, keys};
}

py::object add(Report& self, const Recording& recording) {
  evname_tally tally;
  evname_error error;
  int status;
  {
    py::gil_scoped_release released;
    status = evname_report_add(self.handle.get(), recording.get(), &tally, &error);
  }
  check(status, error);
  return tally_object(tally);
}

py::list rows_of(const Report& self) {
  const py::object make = record("ReportRow");
  py::list found;
  evname_report_row row;
  for (std::size_t i = 0; evname_report_row_at(self.handle.get(), i, &row) == EVNAME_OK; ++i) {
    py::dict keys;
    for (std::size_t k = 0; k < row.keys_count; ++k) {
      const std::string value = row.keys[k];
      keys[py::str(self.keys[k])] = value == "-" ? py::object(py::none()) : to_str(row.keys[k]);
    }
    const bool timed = row.first <= row.last;
    found.append(make(keys, row.samples, row.period, row.share, row.of, or_none(timed, row.first),
                      or_none(timed, row.last), row.lost, row.throttled));
  }
  return found;
}

py::str text_of(const Report& self) {
  std::string about;
  for (const std::string& key : self.keys) about += (about.empty() ? "by " : ", ") + key;
  return shown("Report",
               about + ": " + std::to_string(evname_report_row_count(self.handle.get())) + " rows");
}

}  // namespace

void add_reports(py::module_& module) {
  py::class_<Report>(module, "Report",
                     "Adds the samples of recordings up. By one thread at a time.")
      .def(py::init(&new_report), py::arg("keys") = std::vector<std::string>{"event"},
           py::kw_only(), py::arg("event") = py::none(),
           py::arg("cpus") = std::vector<std::uint32_t>(),
           py::arg("pids") = std::vector<std::int32_t>(),
           py::arg("tids") = std::vector<std::int32_t>(),
           py::arg("comms") = std::vector<std::string>(), py::arg("sym") = py::none(),
           py::arg("dso") = py::none(), py::arg("time") = py::none(), py::arg("salvage") = false,
           py::arg("jobs") = 0,
           "An empty report. `keys` distinguish its rows: event, file, pmu, comm, pid, tid, cpu, "
           "cgroup, sym, dso, srcfile, srcline. The other arguments select samples; `event`, `sym` "
           "and `dso` are globs, and `time` has seconds, \"12.5,13\", or shares, \"10%-20%\".")
      .def(
          "add", &add, py::arg("recording"),
          "Adds the samples of a recording; rows with the same keys are merged. Returns the Tally.")
      .def_property_readonly("rows", &rows_of,
                             "The rows as ReportRow, those with most samples first.")
      .def("__repr__", &text_of);
}

}  // namespace evname_python
