// Sampler: events that are sampled while the program runs.

#include <evname/evname.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "pass.hpp"
#include "targets.hpp"

namespace evname_python {
namespace {

/// A function that the thread of a sampler calls, and the exception that has ended it.
struct Reader {
  py::function function;
  py::object raised;
};

/// An open sampler; none after close().
struct Sampler {
  std::shared_ptr<Reader> reader;  ///< between start() and stop()
  std::shared_ptr<evname_sampler> handle;

  evname_sampler* get() const {
    if (!handle) throw py::value_error("the sampler is closed");
    return handle.get();
  }
};

std::uint32_t chains_of(const std::string& name) {
  constexpr std::array names = {"", "fp", "dwarf", "lbr"};
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw py::value_error("call_graph is fp, dwarf, lbr or empty");
  return static_cast<std::uint32_t>(at - names.begin());
}

/// Lists of events, and the texts that they point to.
class Lists {
 public:
  explicit Lists(const py::list& from) : texts_(from.size() * 2) {
    for (const py::handle one : from) {
      evname_sampled_events to{};
      to.events = keep(one.attr("events"));
      to.period = one.attr("period").cast<std::uint64_t>();
      to.frequency = one.attr("frequency").cast<std::uint64_t>();
      to.fields = keep(one.attr("fields"));
      to.chains = chains_of(one.attr("call_graph").cast<std::string>());
      to.stack_size = one.attr("stack_size").cast<std::uint32_t>();
      lists_.push_back(to);
    }
  }
  const evname_sampled_events* data() const { return lists_.data(); }
  std::size_t size() const { return lists_.size(); }

 private:
  const char* keep(const py::object& text) {
    texts_[used_] = text.cast<std::string>();
    return c_text(texts_[used_++]);
  }

  std::vector<std::string> texts_;
  std::size_t used_ = 0;
  std::vector<evname_sampled_events> lists_;
};

Sampler open_sampler(const Machine& machine, const py::list& events, const Ids& tids,
                     const Ids& pids, const Cpus& cpus, const std::optional<std::string>& cgroup,
                     bool inherit, bool data_mappings, bool thread, bool user_space_if_refused,
                     std::uint32_t buffer_pages, std::uint32_t trace_pages, std::uint64_t keep) {
  const evname_count_target target = target_of(tids, pids, cpus, cgroup);
  const Lists lists(events);
  evname_sampler_options options{};
  options.flags = (inherit ? EVNAME_SAMPLER_INHERIT : 0) |
                  (data_mappings ? EVNAME_SAMPLER_DATA_MAPPINGS : 0) |
                  (thread ? EVNAME_SAMPLER_THREAD : 0) |
                  (user_space_if_refused ? 0 : EVNAME_SAMPLER_KERNEL_TOO);
  options.buffer_pages = buffer_pages;
  options.trace_pages = trace_pages;
  options.keep = keep;
  evname_sampler* sampler = nullptr;
  evname_error error;
  check(evname_sampler_open(machine.get(), lists.data(), lists.size(), &target, &options, &sampler,
                            &error),
        error);
  return {nullptr, {sampler, [](evname_sampler* of) {
                      py::gil_scoped_release released;  // its thread may be in Python
                      evname_sampler_free(of);
                    }}};
}

template <class Call>
void order(const Sampler& self, Call call) {
  evname_error error;
  check(call(self.get(), &error), error);
}

bool wait(const Sampler& self, std::uint32_t milliseconds) {
  std::int32_t alive = 0;
  evname_error error;
  int status = EVNAME_OK;
  {
    evname_sampler* const sampler = self.get();
    py::gil_scoped_release released;
    status = evname_sampler_wait(sampler, milliseconds, &alive, &error);
  }
  check(status, error);
  return alive != 0;
}

int read_in_thread(void* context) {
  const py::gil_scoped_acquire held;
  Reader& reader = *static_cast<Reader*>(context);
  try {
    reader.function();
    return 0;
  } catch (const py::error_already_set& error) {
    reader.raised = error.value();
    return 1;
  }
}

void start(Sampler& self, py::function read, std::uint32_t milliseconds) {
  auto reader = std::make_shared<Reader>(Reader{std::move(read), {}});
  order(self, [&](evname_sampler* sampler, evname_error* error) {
    return evname_sampler_start(sampler, read_in_thread, reader.get(), milliseconds, error);
  });
  self.reader = std::move(reader);
}

/// Stops the thread, and returns its function, which the thread itself can't do.
std::shared_ptr<Reader> stop_thread(Sampler& self, int& status, evname_error& error) {
  evname_sampler* const sampler = self.get();
  {
    py::gil_scoped_release released;
    status = evname_sampler_stop(sampler, &error);
  }
  if (status == EVNAME_INVALID_ARGUMENT) raise_error(error);
  return std::exchange(self.reader, nullptr);
}

void stop(Sampler& self) {
  int status = EVNAME_OK;
  evname_error error;
  const auto reader = stop_thread(self, status, error);
  if (reader && reader->raised) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(reader->raised.ptr())),
                    reader->raised.ptr());
    throw py::error_already_set();
  }
  check(status, error);
}

void close(Sampler& self) {
  if (!self.handle) return;
  int status = EVNAME_OK;
  evname_error error;
  stop_thread(self, status, error);
  self.handle.reset();
}

template <class Get>
Recording recording_of(const Sampler& self, Get get) {
  evname_recording* recording = nullptr;
  evname_error error;
  check(get(self.get(), &recording, &error), error);
  return {{recording, evname_recording_free}};
}

py::object losses_of(const Sampler& self) {
  evname_losses losses;
  if (evname_sampler_losses(self.get(), &losses) != EVNAME_OK) throw std::bad_alloc();
  return record("Losses")(losses.lost, losses.damaged, losses.not_kept);
}

py::object samples_of_sampler(const Sampler& self, const std::optional<Symbols>& symbols) {
  evname_samples* samples = nullptr;
  evname_error error;
  check(evname_sampler_samples(self.get(), &samples, &error), error);
  return samples_object(std::make_shared<Pass>(recording_of(self, evname_sampler_recording),
                                               samples, symbols ? symbols->handle : nullptr));
}

/// Functions of a block.
struct Scope {
  std::unique_ptr<evname_scope, decltype(&evname_scope_free)> handle;
};

Scope make_scope(const Sampler& sampler, const std::optional<Symbols>& given) {
  evname_error error;
  Symbols symbols;
  if (given) {
    symbols = *given;
  } else {
    evname_symbols* own = nullptr;
    check(evname_symbols_new(nullptr, &own, &error), error);
    symbols.handle = {own, evname_symbols_free};
  }
  evname_scope* scope = nullptr;
  check(evname_scope_new(sampler.get(), symbols.handle.get(), &scope, &error), error);
  return {{scope, evname_scope_free}};
}

template <class Call>
void order(const Scope& self, Call call) {
  evname_error error;
  check(call(self.handle.get(), &error), error);
}

py::list functions_of(const Scope& self, std::size_t event) {
  const py::object make = record("SampledFunction");
  py::list found;
  evname_sampled_function one;
  while (evname_scope_function(self.handle.get(), event, found.size(), &one) == EVNAME_OK)
    found.append(make(to_str(one.function), to_str(one.dso), one.samples, one.period));
  return found;
}

void add_scope(py::module_& module) {
  py::class_<Scope>(module, "SampleScope",
                    "Finds the functions that cause events in the blocks of `with`. Nothing "
                    "else may read the samples of its sampler.")
      .def(py::init(&make_scope), py::arg("sampler"), py::arg("symbols") = py::none())
      .def(
          "start", [](const Scope& self) { order(self, evname_scope_start); },
          "Drops the samples that were taken before, and starts the events.")
      .def(
          "stop", [](const Scope& self) { order(self, evname_scope_stop); },
          "Stops the events, and adds the samples since start().")
      .def("functions", &functions_of, py::arg("event") = 0,
           "Returns the functions of all blocks as SampledFunction, the one with most events "
           "first. `event` is an index of Sampler.events.")
      .def("__repr__",
           [](const Scope& self) {
             return shown("SampleScope",
                          std::to_string(functions_of(self, 0).size()) + " functions");
           })
      .def("__enter__",
           [](py::object self) {
             order(self.cast<Scope&>(), evname_scope_start);
             return self;
           })
      .def("__exit__", [](const Scope& self, const py::object&, const py::object&,
                          const py::object&) { order(self, evname_scope_stop); });
}

}  // namespace

void add_samplers(py::module_& module) {
  py::class_<Sampler>(module, "_Sampler")
      .def(py::init(&open_sampler), py::arg("machine"), py::arg("events"), py::arg("tids"),
           py::arg("pids"), py::arg("cpus"), py::arg("cgroup"), py::arg("inherit"),
           py::arg("data_mappings"), py::arg("thread"), py::arg("user_space_if_refused"),
           py::arg("buffer_pages"), py::arg("trace_pages"), py::arg("keep"))
      .def(
          "enable", [](const Sampler& self) { order(self, evname_sampler_enable); },
          "Starts all events.")
      .def(
          "disable", [](const Sampler& self) { order(self, evname_sampler_disable); },
          "Stops them; what was sampled can still be read.")
      .def("wait", &wait, py::arg("milliseconds"),
           "Waits until a buffer is half full, a sampled thread ends or the time is over. Returns "
           "False if no thread is left.")
      .def("samples", &samples_of_sampler, py::kw_only(), py::arg("symbols") = py::none(),
           "An iterator of Sample. It ends after the samples that are there now, and goes on when "
           "it is iterated over again.")
      .def("_start", &start, py::arg("read"), py::arg("milliseconds"))
      .def("stop", &stop,
           "Waits until the thread has handed out all samples, and ends it. Raises the exception "
           "that ended it before.")
      .def("close", &close, "Stops the thread, and closes the events.")
      .def("__enter__",
           [](py::object self) {
             order(self.cast<Sampler&>(), evname_sampler_enable);
             return self;
           })
      .def("__exit__",
           [](Sampler& self, const py::object&, const py::object&, const py::object&) {
             if (self.handle) order(self, evname_sampler_disable);
           })
      .def_property_readonly("losses", &losses_of, "The losses so far.")
      .def_property_readonly(
          "warnings",
          [](const Sampler& self) {
            return warnings_of(
                [&](std::size_t i) { return evname_sampler_warning(self.get(), i); });
          },
          "Sentences on what the kernel refused and what is sampled instead.")
      .def("_recording",
           [](const Sampler& self) { return recording_of(self, evname_sampler_recording); })
      .def("_take_recording",
           [](const Sampler& self) { return recording_of(self, evname_sampler_take_recording); })
      .def_property_readonly("_is_closed", [](const Sampler& self) { return !self.handle; })
      .def_property_readonly("_is_started",
                             [](const Sampler& self) { return self.reader != nullptr; });
  add_scope(module);
}

}  // namespace evname_python
