// Recording: its events, and its samples one by one.

#include <pybind11/stl.h>

#include <array>
#include <optional>

#include "pass.hpp"

namespace evname_python {
namespace {

// A sample as an object of its own: it stays valid.
struct Sample {
  evname_sample fields;
  std::shared_ptr<const std::vector<py::object>> events;
  std::string comm;
  std::vector<std::uint64_t> callchain;
};

struct Samples {
  std::shared_ptr<Pass> pass;
  std::shared_ptr<const std::vector<py::object>> events;
};

Recording open_recording(const std::string& path, bool user_events) {
  evname_recording* recording = nullptr;
  evname_error error;
  check(evname_recording_open_with(path.c_str(), user_events ? 0 : EVNAME_NO_USER_EVENTS,
                                   &recording, &error),
        error);
  return {{recording, evname_recording_free}};
}

py::list warnings_of_recording(const Recording& self) {
  return warnings_of([&](std::size_t i) { return evname_recording_warning(self.get(), i); });
}

std::vector<py::object> events_of(const Recording& self) {
  static constexpr std::array by = {"recording", "kernel", "tables", "code"};
  const py::object make = py::module_::import("evname._records").attr("RecordedEvent");
  std::vector<py::object> found;
  evname_recorded_event event;
  for (std::size_t i = 0; evname_recorded_event_at(self.get(), i, &event) == EVNAME_OK; ++i) {
    py::tuple words(EVNAME_CONFIG_WORDS), ids(event.ids_count);
    for (std::size_t k = 0; k < EVNAME_CONFIG_WORDS; ++k) words[k] = event.code.config[k];
    for (std::size_t k = 0; k < event.ids_count; ++k) ids[k] = event.ids[k];
    found.push_back(make(to_str(event.name), to_str(event.recorded_name), to_str(event.modifiers),
                         to_str(event.pmu), event.code.type, words, event.exact != 0,
                         by.at(event.named_by), ids));
  }
  return found;
}

Samples samples_of(const Recording& self, bool file_order, bool salvage) {
  return {std::make_shared<Pass>(self, file_order, salvage),
          std::make_shared<const std::vector<py::object>>(events_of(self))};
}

Sample next_of(Samples& self) {
  std::optional<Sample> found;
  {
    py::gil_scoped_release released;
    const std::lock_guard guard(self.pass->lock());
    if (const evname_sample* sample = self.pass->next())
      found = {*sample,
               self.events,
               sample->comm,
               {sample->callchain, sample->callchain + sample->callchain_count}};
  }
  if (found) return std::move(*found);
  self.pass->finish();
  throw py::stop_iteration();
}

// A field that the sample has, else None.
template <auto Member>
auto field(std::uint64_t bit) {
  using Value = std::remove_reference_t<decltype(std::declval<evname_sample>().*Member)>;
  return [bit](const Sample& self) {
    return self.fields.fields & bit ? std::optional<Value>(self.fields.*Member) : std::nullopt;
  };
}

void add_sample(py::module_& module) {
  using S = evname_sample;
  py::class_<Sample>(module, "Sample", "A sample. Fields that its event does not sample are None.")
      .def_property_readonly(
          "event", [](const Sample& self) { return self.events->at(self.fields.event); },
          "The RecordedEvent.")
      .def_property_readonly(
          "period", [](const Sample& self) { return self.fields.period; },
          "The event's if the sample has none.")
      .def_property_readonly(
          "misc", [](const Sample& self) { return self.fields.misc; }, "Of the record header.")
      .def_property_readonly(
          "comm",
          [](const Sample& self) {
            return self.fields.fields & EVNAME_SAMPLE_TID ? std::optional(valid_text(self.comm))
                                                          : std::nullopt;
          },
          "Name of the thread at that time, \":TID\" if unknown.")
      .def_property_readonly("pid", field<&S::pid>(EVNAME_SAMPLE_TID), "Process.")
      .def_property_readonly("tid", field<&S::tid>(EVNAME_SAMPLE_TID), "Thread.")
      .def_property_readonly("cpu", field<&S::cpu>(EVNAME_SAMPLE_CPU), "CPU it was taken on.")
      .def_property_readonly("time", field<&S::time>(EVNAME_SAMPLE_TIME),
                             "ns of the recording's clock.")
      .def_property_readonly("ip", field<&S::ip>(EVNAME_SAMPLE_IP), "Address of the instruction.")
      .def_property_readonly("addr", field<&S::addr>(EVNAME_SAMPLE_ADDR),
                             "Address that the event is about.")
      .def_property_readonly("id", field<&S::id>(EVNAME_SAMPLE_ID), "The kernel's id of the event.")
      .def_property_readonly("weight", field<&S::weight>(EVNAME_SAMPLE_WEIGHT),
                             "Usually a latency in cycles.")
      .def_property_readonly("data_src", field<&S::data_src>(EVNAME_SAMPLE_DATA_SRC),
                             "union perf_mem_data_src.")
      .def_property_readonly("transaction", field<&S::transaction>(EVNAME_SAMPLE_TRANSACTION),
                             "PERF_TXN_… bits.")
      .def_property_readonly("phys_addr", field<&S::phys_addr>(EVNAME_SAMPLE_PHYS_ADDR),
                             "Of the data.")
      .def_property_readonly("cgroup", field<&S::cgroup>(EVNAME_SAMPLE_CGROUP), "Its id.")
      .def_property_readonly("data_page_size",
                             field<&S::data_page_size>(EVNAME_SAMPLE_DATA_PAGE_SIZE), "Bytes.")
      .def_property_readonly("code_page_size",
                             field<&S::code_page_size>(EVNAME_SAMPLE_CODE_PAGE_SIZE), "Bytes.")
      .def_property_readonly(
          "callchain", [](const Sample& self) { return py::tuple(py::cast(self.callchain)); },
          "Return addresses, leaf first, with perf's context markers; empty if not sampled.");
}

py::object tally_of(Pass& pass) {
  const evname_tally tally = pass.tally();
  return py::module_::import("evname._records")
      .attr("Tally")(tally.samples, tally.unknown_ids, tally.malformed, tally.lost);
}

}  // namespace

Pass::Pass(Recording recording, bool file_order, bool salvage)
    : recording_(std::move(recording)), samples_(nullptr, evname_samples_free) {
  evname_samples* samples = nullptr;
  evname_error error;
  const std::uint32_t flags =
      (file_order ? EVNAME_SAMPLES_FILE_ORDER : 0) | (salvage ? EVNAME_SAMPLES_SALVAGE : 0);
  check(evname_samples_open(recording_.get(), flags, &samples, &error), error);
  samples_.reset(samples);
}

const evname_sample* Pass::next() {
  if (ended_) return nullptr;
  const int result = evname_samples_next(samples_.get(), &sample_);
  if (result == 1) return &sample_;
  status_ = -result;
  ended_ = true;
  return nullptr;
}

py::list Pass::warnings() {
  const std::lock_guard guard(lock_);
  return warnings_of([&](std::size_t i) { return evname_samples_warning(samples_.get(), i); });
}

evname_tally Pass::tally() {
  const std::lock_guard guard(lock_);
  evname_tally tally;
  if (evname_samples_tally(samples_.get(), &tally) != EVNAME_OK) throw std::bad_alloc();
  return tally;
}

void Pass::finish() {
  if (told_) return;
  told_ = true;
  if (status_ != EVNAME_OK) {
    evname_error error{};
    error.status = status_;
    error.offset = EVNAME_NO_OFFSET;
    std::snprintf(error.message, sizeof error.message, "%s", evname_status_text(status_));
    raise_error(error);
  }
  warn(warnings());
}

void add_recordings(py::module_& module) {
  add_sample(module);
  py::class_<Samples>(module, "Samples",
                      "A pass over samples: an iterator of Sample, in constant memory.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next_of)
      .def_property_readonly(
          "warnings", [](const Samples& self) { return self.pass->warnings(); },
          "What is wrong with the records; complete only at the end.")
      .def_property_readonly(
          "tally", [](const Samples& self) { return tally_of(*self.pass); },
          "What the pass found so far.");
  py::class_<Recording>(module, "_Recording")
      .def(py::init(&open_recording), py::arg("path"), py::arg("user_events"))
      .def_property_readonly("machine",
                             [](const Recording& self) {
                               return Machine{{self.handle, evname_recording_machine(self.get())}};
                             })
      .def_property_readonly("events", &events_of)
      .def_property_readonly("warnings", &warnings_of_recording)
      .def("samples", &samples_of, py::kw_only(), py::arg("file_order") = false,
           py::arg("salvage") = false);
}

}  // namespace evname_python
