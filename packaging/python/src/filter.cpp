#include "filter.hpp"

#include <pybind11/stl.h>

namespace evname_python {
namespace {

/// Takes an argument out of `given`, if it is there and not None.
template <class T>
void take(py::kwargs& given, const char* name, T& value) {
  if (!given.contains(name)) return;
  if (const py::object object = given[name]; !object.is_none()) value = object.cast<T>();
  given.attr("pop")(name);
}

}  // namespace

Filter::Filter(py::kwargs given) {
  take(given, "event", event_);
  take(given, "cpus", cpus_);
  take(given, "pids", pids_);
  take(given, "tids", tids_);
  take(given, "comms", comms_);
  take(given, "sym", sym_);
  take(given, "dso", dso_);
  take(given, "time", time_);
  take(given, "min_latency", min_latency_);
  take(given, "file_order", file_order_);
  take(given, "salvage", salvage_);
  take(given, "jobs", jobs_);
  py::object progress;
  take(given, "progress", progress);
  progress_.set(std::move(progress));
  if (given.empty()) return;
  const auto name = py::str(given.begin()->first).cast<std::string>();
  throw py::type_error("unexpected keyword argument '" + name + "'");
}

evname_filter Filter::get() {
  names_.clear();
  for (const std::string& comm : comms_) names_.push_back(c_text(comm));
  const auto text = [](const std::string& given) {
    return given.empty() ? nullptr : c_text(given);
  };
  evname_filter filter{};
  filter.event = text(event_);
  filter.sym = text(sym_);
  filter.dso = text(dso_);
  filter.time_parts = text(time_);
  filter.cpus = cpus_.data(), filter.cpus_count = cpus_.size();
  filter.pids = pids_.data(), filter.pids_count = pids_.size();
  filter.tids = tids_.data(), filter.tids_count = tids_.size();
  filter.comms = names_.data(), filter.comms_count = names_.size();
  filter.min_latency = min_latency_;
  filter.samples_flags =
      (file_order_ ? EVNAME_SAMPLES_FILE_ORDER : 0) | (salvage_ ? EVNAME_SAMPLES_SALVAGE : 0);
  filter.jobs = jobs_;
  filter.progress = progress_.callback();
  filter.progress_context = &progress_;
  return filter;
}

}  // namespace evname_python
