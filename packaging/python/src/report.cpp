// Report: what the samples of recordings add up to.

#include <pybind11/stl.h>

#include <vector>

#include "filter.hpp"
#include "pass.hpp"

namespace evname_python {
namespace {

struct Report {
  std::shared_ptr<Filter> filter;  ///< that the handle refers to
  std::shared_ptr<evname_report> handle;
  std::vector<std::string> keys;
};

Report new_report(const std::vector<std::string>& keys, const py::kwargs& given) {
  auto filter = std::make_shared<Filter>(given);
  const evname_filter chosen = filter->get();
  std::string joined;
  for (const std::string& key : keys) joined += (joined.empty() ? "" : ",") + key;
  evname_report* report = nullptr;
  evname_error error;
  check(evname_report_new(c_text(joined), &chosen, &report, &error), error);
  return {std::move(filter), {report, evname_report_free}, keys};
}

py::object add(Report& self, const Recording& recording) {
  evname_tally tally;
  self.filter->call([&](evname_error* error) {
    return evname_report_add(self.handle.get(), recording.get(), &tally, error);
  });
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
      .def(
          py::init(&new_report), py::arg("keys") = std::vector<std::string>{"event"},
          "An empty report. `keys` distinguish its rows: event, file, pmu, comm, pid, tid, cpu, "
          "cgroup, sym, dso, srcfile, srcline. The other arguments select samples: event, sym and "
          "dso are globs, cpus, pids, tids and comms are lists, and time has seconds, \"12.5,13\", "
          "or shares, \"10%-20%\"; min_latency, file_order, salvage and jobs. `progress` is called "
          "now and then with the "
          "bytes read and their total (0: unknown); an exception in it cancels the call.")
      .def(
          "add", &add, py::arg("recording"),
          "Adds the samples of a recording; rows with the same keys are merged. Returns the Tally.")
      .def_property_readonly("rows", &rows_of,
                             "The rows as ReportRow, those with most samples first.")
      .def("__repr__", &text_of);
}

}  // namespace evname_python
