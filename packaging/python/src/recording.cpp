// Recording: its events, and its samples one by one.

#include <pybind11/stl.h>

#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "decoded.hpp"
#include "outputs.hpp"
#include "sample_rows.hpp"

namespace evname_python {
namespace {

#define EVNAME_NOTHING(...)

// A sample as an object of its own: it stays valid.
struct Sample {
  evname_sample fields;
  Recording recording;
  std::shared_ptr<const std::vector<py::object>> events;
  std::string comm, cgroup_path, raw;
  Stack stack;
#define EVNAME_LIST(name, ...) std::vector<std::uint64_t> name;
  EVNAME_SAMPLE_ROWS(EVNAME_NOTHING, EVNAME_NOTHING, EVNAME_LIST)
#undef EVNAME_LIST
};

// A record as an object of its own.
struct OwnRecord {
  evname_record fields;
  std::optional<Sample> sample;
#define EVNAME_RECORD_BYTES(name, NAME, type, what) std::string name;
#define EVNAME_RECORD_WORDS(name, ...) std::vector<std::uint64_t> name;
#include <evname/record_fields.def>
};

struct Samples {
  std::shared_ptr<Pass> pass;
  std::shared_ptr<const std::vector<py::object>> events;
};

Recording open_recording(const std::string& path, bool user_events) {
  evname_recording* recording = nullptr;
  evname_error error;
  check(evname_recording_open_with(c_text(path), user_events ? 0 : EVNAME_NO_USER_EVENTS,
                                   &recording, &error),
        error);
  return {{recording, evname_recording_free}};
}

Recording open_bytes(const py::bytes& bytes, const std::string& name, bool user_events) {
  const auto content = static_cast<std::string_view>(bytes);
  evname_recording* recording = nullptr;
  evname_error error;
  check(evname_recording_open_bytes(content.data(), content.size(), c_text(name),
                                    user_events ? 0 : EVNAME_NO_USER_EVENTS, &recording, &error),
        error);
  return {{recording, evname_recording_free}};
}

Recording open_descriptor(int descriptor, const std::string& name, bool user_events) {
  evname_recording* recording = nullptr;
  evname_error error;
  check(evname_recording_open_descriptor(
            descriptor, c_text(name), user_events ? 0 : EVNAME_NO_USER_EVENTS, &recording, &error),
        error);
  return {{recording, evname_recording_free}};
}

py::list warnings_of_recording(const Recording& self) {
  return warnings_of([&](std::size_t i) { return evname_recording_warning(self.get(), i); });
}

std::vector<py::object> events_of(const Recording& self) {
  static constexpr std::array by = {"recording", "kernel", "tables", "code"};
  const py::object make = record("RecordedEvent");
  std::vector<py::object> found;
  evname_recorded_event event;
  for (std::size_t i = 0; evname_recorded_event_at(self.get(), i, &event) == EVNAME_OK; ++i) {
    py::tuple words(EVNAME_CONFIG_WORDS), ids(event.ids_count);
    for (std::size_t k = 0; k < EVNAME_CONFIG_WORDS; ++k) words[k] = event.code.config[k];
    for (std::size_t k = 0; k < event.ids_count; ++k) ids[k] = event.ids[k];
    found.push_back(make(to_str(event.name), to_str(event.recorded_name), to_str(event.modifiers),
                         to_str(event.pmu), event.code.type, words, event.exact != 0,
                         by.at(event.named_by), ids, event.user_register_mask,
                         event.interrupt_register_mask));
  }
  return found;
}

Samples samples_of(const Recording& self, bool file_order, bool salvage,
                   const std::optional<Symbols>& symbols) {
  return {std::make_shared<Pass>(self, file_order, salvage, symbols ? symbols->handle : nullptr),
          std::make_shared<const std::vector<py::object>>(events_of(self))};
}

struct Records {
  Samples samples;
};

Records records_of(const Recording& self, bool file_order, bool salvage,
                   const std::optional<Symbols>& symbols) {
  return {samples_of(self, file_order, salvage, symbols)};
}

Sample copy_of(const evname_sample& from, const Samples& pass) {
  Sample to{};
  to.fields = from;
  to.recording = pass.pass->recording();
  to.events = pass.events;
  to.comm = from.comm;
  to.cgroup_path = from.cgroup_path;
  to.raw.assign(static_cast<const char*>(from.raw), from.raw_size);
#define EVNAME_LIST(name, ...) to.name.assign(from.name, from.name + from.name##_count);
  EVNAME_SAMPLE_ROWS(EVNAME_NOTHING, EVNAME_NOTHING, EVNAME_LIST)
#undef EVNAME_LIST
  return to;
}

Sample next_of(Samples& self) {
  std::optional<Sample> found;
  {
    py::gil_scoped_release released;
    const std::lock_guard guard(self.pass->lock());
    if (const evname_sample* sample = self.pass->next()) found = copy_of(*sample, self);
    if (found) found->stack = self.pass->stack();
  }
  if (found) return std::move(*found);
  self.pass->finish();
  throw py::stop_iteration();
}

OwnRecord copy_of(const evname_record& from, const Samples& pass) {
  OwnRecord to{};
  to.fields = from;
  if (from.sample != nullptr) {
    to.sample = copy_of(*from.sample, pass);
    to.sample->stack = pass.pass->stack();
  }
#define EVNAME_RECORD_BYTES(name, NAME, type, what) \
  to.name.assign(reinterpret_cast<const char*>(from.name), from.name##_size);
#define EVNAME_RECORD_WORDS(name, ...) to.name.assign(from.name, from.name + from.name##_count);
#include <evname/record_fields.def>
  return to;
}

/// Returns the fields that are not the identity, by their names without "own_". Numbers that say
/// whether something is so are bool, texts are str, other bytes are bytes.
py::dict fields_of(const OwnRecord& from) {
  py::dict fields;
  const auto set = [&](std::string_view name, unsigned bit, auto&& make) {
    if (bit <= EVNAME_RECORD_BIT_CPU || (from.fields.fields >> bit & 1) == 0) return;
    if (name.substr(0, 4) == "own_") name.remove_prefix(4);
    fields[py::str(name.data(), name.size())] = make();
  };
#define EVNAME_RECORD_NUMBER(name, NAME, type, what)                                             \
  set(#name, EVNAME_RECORD_BIT_##NAME, [&]() -> py::object {                                     \
    const std::string_view word(#name);                                                          \
    if (word.substr(0, 3) == "is_" || word == "by_bpf") return py::bool_(from.fields.name != 0); \
    return py::int_(from.fields.name);                                                           \
  });
#define EVNAME_RECORD_BYTES(name, NAME, type, what)                        \
  set(#name, EVNAME_RECORD_BIT_##NAME, [&]() -> py::object {               \
    if (std::is_same_v<type, char>) return py::str(valid_text(from.name)); \
    return py::bytes(from.name);                                           \
  });
#define EVNAME_RECORD_WORDS(name, NAME, what) \
  set(#name, EVNAME_RECORD_BIT_##NAME, [&] { return py::tuple(py::cast(from.name)); });
#include <evname/record_fields.def>
  return fields;
}

py::object object_of(OwnRecord& from, const std::vector<py::object>& events) {
  const evname_record& all = from.fields;
  const auto identity = [&](unsigned bit, auto value) {
    return or_none((all.fields >> bit & 1) != 0, value);
  };
  return record("Record")(
      evname_record_name(all.type), all.type, all.misc, identity(EVNAME_RECORD_BIT_PID, all.pid),
      identity(EVNAME_RECORD_BIT_TID, all.tid), identity(EVNAME_RECORD_BIT_TIME, all.time),
      identity(EVNAME_RECORD_BIT_CPU, all.cpu), identity(EVNAME_RECORD_BIT_ID, all.id),
      all.event < events.size() ? events[all.event] : py::object(py::none()),
      from.sample ? py::cast(std::move(*from.sample)) : py::object(py::none()), fields_of(from));
}

py::object next_record_of(Records& self) {
  Samples& samples = self.samples;
  std::optional<OwnRecord> found;
  {
    py::gil_scoped_release released;
    const std::lock_guard guard(samples.pass->lock());
    if (const evname_record* one = samples.pass->next_record()) found = copy_of(*one, samples);
  }
  if (found) return object_of(*found, *samples.events);
  samples.pass->finish();
  throw py::stop_iteration();
}

/// Returns the value of a field of a tracepoint; None if there is none.
py::object field_of(const Sample& self, const std::string& name) {
  evname_field field;
  const auto get = [&](std::size_t index) {
    return evname_sample_field(self.recording.get(), self.fields.event, self.raw.data(),
                               self.raw.size(), name.c_str(), index, &field) == EVNAME_OK;
  };
  const auto number = [&]() -> py::object {
    if (field.is_signed != 0) return py::int_(field.number);
    return py::int_(static_cast<std::uint64_t>(field.number));
  };
  if (!get(0)) return py::none();
  if (field.text != nullptr) return py::str(valid_text({field.text, field.text_size}));
  if (field.count == 0) return number();
  py::tuple items(field.count);
  for (std::size_t i = 0; i < items.size() && get(i); ++i) items[i] = number();
  return items;
}

// A number that the sample has, else None.
template <auto Member>
auto number(std::uint64_t bit) {
  using Value = std::remove_reference_t<decltype(std::declval<evname_sample>().*Member)>;
  return [bit](const Sample& self) {
    return self.fields.fields & bit ? std::optional<Value>(self.fields.*Member) : std::nullopt;
  };
}

/// Returns the words of a list; markers of a callchain as Context.
py::tuple words_of(const std::vector<std::uint64_t>& words, bool is_callchain) {
  py::tuple found(words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    found[i] = is_callchain && *evname_context_name(words[i]) != '\0'
                   ? record("Context")(words[i])
                   : py::object(py::int_(words[i]));
  return found;
}

py::object data_source_of(const Sample& self) {
  if ((self.fields.fields & EVNAME_SAMPLE_DATA_SRC) == 0) return py::none();
  return data_source_object(self.fields.data_src);
}

py::tuple branches_of(const Sample& self) {
  evname_cpu cpu;
  evname_machine_cpu(evname_recording_machine(self.recording.get()), &cpu);
  py::tuple found(self.branches.size() / 3);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint64_t* const words = &self.branches[3 * i];
    found[i] = branch_object({words[0], words[1], words[2]}, cpu.arch);
  }
  return found;
}

py::str sample_text(const Sample& self) {
  const py::object event = self.events->at(self.fields.event);
  std::string about = event.attr("name").cast<std::string>();
  const auto add = [&](const char* name, std::uint64_t bit, const std::string& value) {
    if (self.fields.fields & bit) about.append(" ").append(name).append("=").append(value);
  };
  add("comm", EVNAME_SAMPLE_TID, self.comm);
  add("tid", EVNAME_SAMPLE_TID, std::to_string(self.fields.tid));
  add("cpu", EVNAME_SAMPLE_CPU, std::to_string(self.fields.cpu));
  add("time", EVNAME_SAMPLE_TIME, std::to_string(self.fields.time));
  add("ip", EVNAME_SAMPLE_IP, py::str("{:#x}").format(self.fields.ip).cast<std::string>());
  return shown("Sample", about);
}

void add_sample(py::module_& module) {
  py::class_<Sample> sample(module, "Sample",
                            "A sample. Fields that its event does not sample are None or empty.");
  sample.def_property_readonly(
      "event", [](const Sample& self) { return self.events->at(self.fields.event); },
      "The RecordedEvent.");
  sample.def_property_readonly(
      "comm",
      [](const Sample& self) {
        return self.fields.fields & EVNAME_SAMPLE_TID ? std::optional(valid_text(self.comm))
                                                      : std::nullopt;
      },
      "Name of the thread at that time, \":TID\" if unknown.");
  sample.def_property_readonly(
      "cgroup_path", [](const Sample& self) { return valid_text(self.cgroup_path); },
      "Path of the cgroup; empty if unknown.");
  sample.def_property_readonly(
      "raw", [](const Sample& self) { return py::bytes(self.raw); },
      "Raw data, such as the fields of a tracepoint.");
  sample.def_property_readonly("data_source", &data_source_of,
                               "The DataSource of data_src; None if it is not sampled.");
  sample.def_property_readonly("decoded_branches", &branches_of,
                               "Each of the branches as Branch, newest first.");
  sample.def("field", &field_of, py::arg("name"),
             "The value of a field of a tracepoint, such as \"prev_state\": an int, a str, or a "
             "tuple of ints; None if there is no such field.");
  sample.def_property_readonly(
      "frames", [](const Sample& self) { return frame_objects(self.stack.frames); },
      "The functions of the stack, innermost first, as Frame; empty unless samples(symbols=…) "
      "asked for them.");
  sample.def_property_readonly(
      "mapping",
      [](const Sample& self) {
        return self.stack.mapping ? mapping_object(*self.stack.mapping) : py::object(py::none());
      },
      "The Mapping that has the instruction; None if it is unknown, or samples(symbols=…) did not "
      "ask for it.");
  sample.def("__repr__", &sample_text);
#define EVNAME_ALWAYS(name, NAME, type, what) \
  sample.def_property_readonly(               \
      #name, [](const Sample& self) { return self.fields.name; }, what);
#define EVNAME_NUMBER(name, NAME, type, what) \
  sample.def_property_readonly(#name, number<&evname_sample::name>(EVNAME_SAMPLE_##NAME), what);
#define EVNAME_LIST(name, NAME, type, what)                                          \
  sample.def_property_readonly(                                                      \
      #name,                                                                         \
      [](const Sample& self) {                                                       \
        return words_of(self.name, EVNAME_SAMPLE_##NAME == EVNAME_SAMPLE_CALLCHAIN); \
      },                                                                             \
      what);
  EVNAME_SAMPLE_ROWS(EVNAME_ALWAYS, EVNAME_NUMBER, EVNAME_LIST)
}

py::object tally_of(Pass& pass) {
  const evname_tally tally = pass.tally();
  return tally_object(tally);
}

}  // namespace

py::object tally_object(const evname_tally& tally) {
  return record("Tally")(tally.samples, tally.unknown_ids, tally.malformed, tally.lost);
}

Pass::Pass(Recording recording, bool file_order, bool salvage, SharedSymbols symbols,
           py::object progress)
    : recording_(std::move(recording)),
      symbols_(std::move(symbols)),
      progress_(std::move(progress)),
      frames_(nullptr, evname_frames_free),
      samples_(nullptr, evname_samples_free) {
  evname_samples* samples = nullptr;
  evname_frames* frames = nullptr;
  evname_error error;
  check(evname_frames_new(&frames, &error), error);
  frames_.reset(frames);
  const std::uint32_t flags =
      (file_order ? EVNAME_SAMPLES_FILE_ORDER : 0) | (salvage ? EVNAME_SAMPLES_SALVAGE : 0);
  check(evname_samples_open_with(recording_.get(), flags, progress_.callback(), &progress_,
                                 &samples, &error),
        error);
  samples_.reset(samples);
}

Pass::Pass(Recording recording, evname_samples* samples, SharedSymbols symbols)
    : recording_(std::move(recording)),
      symbols_(std::move(symbols)),
      frames_(nullptr, evname_frames_free),
      samples_(samples, evname_samples_free),
      is_live_(true) {
  evname_frames* frames = nullptr;
  evname_error error;
  check(evname_frames_new(&frames, &error), error);
  frames_.reset(frames);
}

std::mutex& Pass::lock() {
  if (progress_.is_here()) throw py::value_error("a progress function can't use its own pass");
  return lock_;
}

std::unique_lock<std::mutex> Pass::hold() {
  const py::gil_scoped_release released;
  return std::unique_lock(lock());
}

const evname_sample* Pass::next() {
  return !ended_ && moved(evname_samples_next(samples_.get(), &sample_)) ? &sample_ : nullptr;
}

const evname_record* Pass::next_record() {
  if (ended_ || !moved(evname_records_next(samples_.get(), &record_))) return nullptr;
  if (record_.sample != nullptr) sample_ = *record_.sample;
  return &record_;
}

bool Pass::moved(int result) {
  if (result == 1) return true;
  status_ = -result;
  ended_ = !is_live_ || result < 0;
  return false;
}

Stack Pass::stack() {
  Stack stack;
  if (!symbols_) return stack;
  evname_error error;
  if (evname_samples_stack(samples_.get(), symbols_.get(), frames_.get(), &error) != EVNAME_OK) {
    status_ = error.status;
    ended_ = true;
    return stack;
  }
  stack.frames = own_frames(frames_.get());
  evname_mapping m;
  const bool kernel = (sample_.misc & 7) == 1;  // PERF_RECORD_MISC_KERNEL
  if ((sample_.fields & EVNAME_SAMPLE_IP) != 0 &&
      evname_samples_mapping(samples_.get(), sample_.ip, kernel, &m, nullptr) == EVNAME_OK)
    stack.mapping = {
        m.file,       {m.build_id, m.build_id + m.build_id_size}, m.start, m.end, m.offset, m.pid,
        m.kernel != 0};
  return stack;
}

py::list Pass::warnings() {
  const auto held = hold();
  return warnings_of([&](std::size_t i) { return evname_samples_warning(samples_.get(), i); });
}

evname_tally Pass::tally() {
  const auto held = hold();
  evname_tally tally;
  if (evname_samples_tally(samples_.get(), &tally) != EVNAME_OK) throw std::bad_alloc();
  return tally;
}

void Pass::finish() {
  if (told_ || !ended_) return;
  told_ = true;
  progress_.rethrow();
  check(status_);
  warn(warnings());
}

py::object samples_object(std::shared_ptr<Pass> pass) {
  auto events = std::make_shared<const std::vector<py::object>>(events_of(pass->recording()));
  return py::cast(Samples{std::move(pass), std::move(events)});
}

void add_recordings(py::module_& module) {
  add_sample(module);
  py::class_<Samples>(module, "Samples",
                      "A pass over samples: an iterator of Sample, in constant memory.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next_of)
      .def_property_readonly(
          "warnings", [](const Samples& self) { return self.pass->warnings(); },
          "Descriptions of the faults of the records. All are there only at the end of the pass.")
      .def_property_readonly(
          "tally", [](const Samples& self) { return tally_of(*self.pass); },
          "The numbers that the pass has counted so far.")
      .def("__repr__", [](const Samples& self) {
        return shown("Samples", std::to_string(self.pass->tally().samples) + " read");
      });
  py::class_<Records>(module, "Records",
                      "A pass over all records: an iterator of Record, in constant memory.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next_record_of)
      .def_property_readonly(
          "warnings", [](const Records& self) { return self.samples.pass->warnings(); },
          "Descriptions of the faults of the records. All are there only at the end of the pass.")
      .def_property_readonly(
          "tally", [](const Records& self) { return tally_of(*self.samples.pass); },
          "The numbers that the pass has counted so far.")
      .def("__repr__", [](const Records& self) {
        return shown("Records",
                     std::to_string(self.samples.pass->tally().samples) + " samples read");
      });
  py::class_<Recording> recording(module, "_Recording");
  recording.def(py::init(&open_recording), py::arg("path"), py::arg("user_events"))
      .def_static("_of_bytes", &open_bytes)
      .def_static("_of_descriptor", &open_descriptor)
      .def(py::init([](const Recording& other) { return other; }), py::arg("other"))
      .def_property_readonly("machine",
                             [](const Recording& self) {
                               return Machine{{self.handle, evname_recording_machine(self.get())}};
                             })
      .def_property_readonly("events", &events_of)
      .def_property_readonly("warnings", &warnings_of_recording)
      .def("samples", &samples_of, py::kw_only(), py::arg("file_order") = false,
           py::arg("salvage") = false, py::arg("symbols") = py::none())
      .def("records", &records_of, py::kw_only(), py::arg("file_order") = false,
           py::arg("salvage") = false, py::arg("symbols") = py::none(),
           "All records, samples among them: an iterator of Record, in the order of samples(). "
           "Records without a time come as they are read.");
  add_outputs(recording);
}

}  // namespace evname_python
