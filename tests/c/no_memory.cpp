// Every function of the C interface with each of its allocations failing in turn: it says
// EVNAME_NO_MEMORY, nothing is thrown or lost, and afterwards the same call succeeds.
// Arguments: a recording, and the list of exported functions.

#include <evname/evname.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "call_table.hpp"
#include "checks.h"
#include "plain_calls.hpp"
#include "recording_calls.hpp"

namespace {

void open_machines(Table& table) {
  opens<evname_machine>(table, "evname_machine_recorded", evname_machine_free,
                        [](Fixture& f, auto** out, auto* e) {
                          return evname_machine_recorded(f.recording_path.c_str(), out, e);
                        });
  opens<evname_machine>(table, "evname_machine_with_events", evname_machine_free,
                        [](Fixture& f, auto** out, auto* e) {
                          return evname_machine_with_events(f.small, f.events.c_str(), out, e);
                        });
  opens<evname_machine>(table, "evname_machine_open", evname_machine_free,
                        [](Fixture& f, auto** out, auto* e) {
                          evname_machine_options options{};
                          options.events = f.events.c_str();
                          return evname_machine_open("cf_z10", &options, out, e);
                        });
}

/// The error is reported, or the lack of memory for it; copying an error takes memory.
void mistakes(Table& table) {
  constexpr const char* kTexts[] = {"quux_that_is_no_event",      "mem_load_retired.l3_mis",
                                    "cpu/no_such_term_at_all=1/", "cpu/event=0x123456789/",
                                    "no_such_pmu/event=1/",       "{cycles,}:S",
                                    "cycles:with_no_modifier",    "{cycles,no_such_event_here}:S"};
  table["evname_resolve"] = [=](const char* name, Fixture& f) {
    for (const char* text : kTexts)
      fail_each(name, [&](evname_error* e) {
        evname_attr attrs[1];
        std::size_t count;
        const int status = evname_resolve(f.machine, text, attrs, 1, &count, e);
        CHECK(status != EVNAME_OK && status != EVNAME_INTERNAL);
        return status == EVNAME_NO_MEMORY ? status : int{EVNAME_OK};
      });
  };
  const auto told = [](int status) {
    CHECK(status != EVNAME_OK && status != EVNAME_INTERNAL);
    return status == EVNAME_NO_MEMORY ? status : int{EVNAME_OK};
  };
  table["evname_machine_open"] = [=](const char* name, Fixture&) {
    fail_each(name, [&](evname_error* e) {
      evname_machine* machine;
      return told(evname_machine_open("no_such_cpu_anywhere", nullptr, &machine, e));
    });
  };
  table["evname_recording_open"] = [=](const char* name, Fixture& f) {
    for (const std::string& path :
         {f.events + "/not_there_at_all", f.events + "/mine.json", f.events})
      fail_each(name, [&](evname_error* e) {
        evname_recording* recording;
        return told(evname_recording_open(path.c_str(), &recording, e));
      });
  };
  table["evname_report_new"] = [=](const char* name, Fixture&) {
    fail_each(name, [&](evname_error* e) {
      evname_report* report;
      return told(evname_report_new("event,no_such_key_at_all", nullptr, &report, e));
    });
  };
  table["evname_parse_times"] = [=](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      std::size_t count;
      return told(evname_parse_times(f.recording, "10%-no_time_at_all", nullptr, 0, &count, e));
    });
  };
  table["evname_extract"] = [=](const char* name, Fixture& f) {
    const std::string path = f.events + "/no/such/directory/out.data";
    fail_each(name, [&](evname_error* e) {
      return told(evname_extract(f.recording, nullptr, path.c_str(), nullptr, nullptr, e));
    });
  };
  table["evname_metrics_list"] = [=](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      evname_metrics* metrics = nullptr;
      if (const int status = evname_metrics_new(f.machine, 0, &metrics, e)) return status;
      const int status = evname_metrics_add_expression(metrics, "mine", "(instructions / ", e);
      evname_metrics_free(metrics);
      return told(status);
    });
  };
  table["evname_counters_open"] = [=](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      evname_counters* counters = nullptr;
      return told(
          evname_counters_open(f.machine, "no_such_event_to_count", nullptr, 0, 0, &counters, e));
    });
  };
}

/// A new machine for each: the first call builds an index of codes.
void names_and_codes(Table& table) {
  table["evname_resolve"] = [](const char* name, Fixture& f) {
    for (const char* text : {"mem_load_retired.l3_miss", "{instructions:u,cycles}:S",
                             "cpu/event=0xc4,umask=0x20,name=x/", "L1-dcache-load-misses"})
      fail_each(name, [&](evname_error* e) {
        evname_attr attrs[4];
        std::size_t count;
        return evname_resolve(f.machine, text, attrs, 4, &count, e);
      });
  };
  table["evname_resolve_batch"] = [](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      const char* const texts[] = {"cpu/event=0xc4,umask=0x20/", "{instructions:u,cycles}:S"};
      evname_attr attrs[4];
      evname_answer answers[2];
      evname_error errors[2];
      std::size_t total;
      *e = {};
      return evname_resolve_batch(f.machine, texts, 2, attrs, 4, &total, answers, errors);
    });
  };
  table["evname_attr_fill"] = [](const char* name, Fixture& f) {
    evname_attr attr = {};
    std::size_t count;
    CHECK(evname_resolve(f.machine, "cycles", &attr, 1, &count, nullptr) == EVNAME_OK);
    fail_each(name, [&](evname_error* e) {
      std::uint64_t bytes[17] = {};
      return evname_attr_fill(&attr, bytes, sizeof bytes, e);
    });
  };
  const auto fresh = [] {
    evname_machine* machine = nullptr;
    CHECK(evname_machine_open("skylakex", nullptr, &machine, nullptr) == EVNAME_OK);
    return std::shared_ptr<evname_machine>(machine, evname_machine_free);
  };
  table["evname_exact_name"] = [fresh](const char* name, Fixture&) {
    fail_each(name, std::function<Call()>([&]() -> Call {
                return [machine = fresh()](evname_error*) {
                  const evname_code code = code_of(4, 0x20d1), none = code_of(4, 0xffff);
                  const char* const found = evname_exact_name(machine.get(), nullptr, &code);
                  const char* const nothing = evname_exact_name(machine.get(), "cpu", &none);
                  if (found == nullptr || nothing == nullptr) return int{EVNAME_NO_MEMORY};
                  CHECK_TEXT(found, "mem_load_retired.l3_miss");
                  CHECK_TEXT(nothing, "");
                  return int{EVNAME_OK};
                };
              }));
  };
  table["evname_names_of"] = [fresh](const char* name, Fixture&) {
    fail_each(name, std::function<Call()>([&]() -> Call {
                return [machine = fresh()](evname_error* e) {
                  const evname_code code = code_of(4, 0x10020d1);
                  evname_names names;
                  char buffer[1024];
                  std::size_t needed;
                  return evname_names_of(machine.get(), "cpu", &code, &names, buffer, sizeof buffer,
                                         &needed, e);
                };
              }));
  };
  table["evname_name_of"] = [fresh](const char* name, Fixture&) {
    fail_each(name, std::function<Call()>([&]() -> Call {
                return [machine = fresh()](evname_error*) {
                  const evname_code code = code_of(4, 0x10020d1);
                  char buffer[100];
                  const std::size_t size =
                      evname_name_of(machine.get(), nullptr, &code, buffer, sizeof buffer);
                  if (size == 0) return int{EVNAME_NO_MEMORY};
                  CHECK_TEXT(buffer, "mem_load_retired.l3_miss with cmask=0x1");
                  return int{EVNAME_OK};
                };
              }));
  };
  opens<evname_events>(table, "evname_events_list", evname_events_free,
                       [](Fixture& f, auto** out, auto* e) {
                         return evname_events_list(f.machine, "mem_load*", out, e);
                       });
}

void measures(Table& table) {
  table["evname_schedule_options_live"] = [](const char* name, Fixture&) {
    fail_each(name, [&](evname_error*) {
      evname_schedule_options options;
      return evname_schedule_options_live(nullptr, nullptr, &options);
    });
  };
  opens<evname_schedule>(
      table, "evname_schedule_new", evname_schedule_free, [](Fixture& f, auto** out, auto* e) {
        return evname_schedule_new(f.machine, "cycles,instructions,cache-misses", nullptr, out, e);
      });
  opens<evname_metrics>(table, "evname_metrics_list", evname_metrics_free,
                        [](Fixture& f, auto** out, auto* e) {
                          return evname_metrics_list(f.machine, "ipc", nullptr, out, e);
                        });
  opens<evname_metrics>(
      table, "evname_metrics_new", evname_metrics_free,
      [](Fixture& f, auto** out, auto* e) { return evname_metrics_new(f.machine, 1, out, e); });
  const auto fresh = [](Fixture& f) {
    evname_metrics* metrics = nullptr;
    CHECK(evname_metrics_new(f.machine, 0, &metrics, nullptr) == EVNAME_OK);
    return std::shared_ptr<evname_metrics>(metrics, evname_metrics_free);
  };
  const auto on_fresh = [fresh](int (*call)(evname_metrics*, evname_error*)) {
    return [fresh, call](const char* name, Fixture& f) {
      fail_each(name, std::function<Call()>([&]() -> Call {
                  return [call, metrics = fresh(f)](evname_error* e) {
                    const int status = call(metrics.get(), e);
                    for (std::size_t i = 0; i < evname_metrics_count(metrics.get()); ++i) {
                      evname_metric metric;
                      CHECK(evname_metrics_at(metrics.get(), i, &metric) == EVNAME_OK);
                      CHECK(std::strlen(metric.name) > 0);
                    }
                    return status;
                  };
                }));
    };
  };
  table["evname_metrics_set_fact"] = on_fresh([](evname_metrics* metrics, evname_error* e) {
    return evname_metrics_set_fact(metrics, "#num_cpus", 4, e);
  });
  table["evname_metrics_add"] = on_fresh([](evname_metrics* metrics, evname_error* e) {
    return evname_metrics_add(metrics, "ipc", e);
  });
  table["evname_metrics_add_expression"] = on_fresh([](evname_metrics* metrics, evname_error* e) {
    return evname_metrics_add_expression(metrics, "mine", "instructions / cycles", e);
  });
  table["evname_metrics_evaluate"] = on_fresh([](evname_metrics* metrics, evname_error* e) {
    if (evname_metrics_count(metrics) == 0)
      if (const int status = evname_metrics_add(metrics, "ipc", e)) return status;
    const evname_event_count counts[2] = {{1, 1, 0}, {2, 1, 0}};
    evname_metric_value value;
    return evname_metrics_evaluate(metrics, counts, 2, &value, 1, e);
  });
  table["evname_metrics_explain"] = on_fresh([](evname_metrics* metrics, evname_error* e) {
    if (evname_metrics_count(metrics) == 0)
      if (const int status = evname_metrics_add(metrics, "ipc", e)) return status;
    char text[20];
    return evname_metrics_explain(metrics, 0, nullptr, 0, text, sizeof text, nullptr, e);
  });
  const auto tree_of = [](Fixture& f, evname_topdown** out, evname_error* e) {
    evname_metrics* facts = nullptr;
    *out = nullptr;
    if (const int status = evname_metrics_new(f.machine, 0, &facts, e)) return status;
    const int status = evname_topdown_new(facts, nullptr, out, e);
    evname_metrics_free(facts);
    return status;
  };
  opens<evname_topdown>(table, "evname_topdown_new", evname_topdown_free, tree_of);
  const auto on_tree = [tree_of](int (*call)(evname_topdown*, evname_error*)) {
    return [tree_of, call](const char* name, Fixture& f) {
      evname_topdown* tree = nullptr;
      CHECK(tree_of(f, &tree, nullptr) == EVNAME_OK);
      fail_each(name, [&](evname_error* e) { return call(tree, e); });
      evname_topdown_free(tree);
    };
  };
  table["evname_topdown_evaluate"] = on_tree([](evname_topdown* tree, evname_error* e) {
    const evname_event_count counts[2] = {{1, 1, 0}, {2, 1, 0}};
    double values[2];
    return evname_topdown_evaluate(tree, counts, 2, values, nullptr, 2, e);
  });
  table["evname_topdown_explain"] = on_tree([](evname_topdown* tree, evname_error* e) {
    char text[20];
    return evname_topdown_explain(tree, 0, nullptr, 0, text, sizeof text, nullptr, e);
  });
}

/// Software events, which any kernel counts for a program itself.
int open_counters(const Fixture& f, evname_counters** out, evname_error* e) {
  return evname_counters_open(f.machine, "{page-faults:u,task-clock:u},duration_time", nullptr,
                              EVNAME_COUNT_REGROUPED, EVNAME_COUNT_PARTIAL, out, e);
}

void counts(Table& table) {
  opens<evname_counters>(table, "evname_counters_open", evname_counters_free,
                         [](Fixture& f, auto** out, auto* e) { return open_counters(f, out, e); });
}

int open_sampler(const Fixture& f, evname_sampler** out, evname_error* e) {
  evname_sampled_events events = {};
  events.events = "page-faults:u";
  events.fields = "addr";
  evname_sampler_options options = {};
  options.keep = 4096;
  options.flags = EVNAME_SAMPLER_THREAD;
  return evname_sampler_open(f.machine, &events, 1, nullptr, &options, out, e);
}

/// A row for a function that makes a handle of a sampler.
template <class Handle, class Open>
void opens_of_sampler(Table& table, const char* function, void (*free)(Handle*), Open open) {
  table[function] = [=](const char* name, Fixture& f) {
    evname_sampler* sampler = nullptr;
    CHECK(open_sampler(f, &sampler, nullptr) == EVNAME_OK);
    fail_each(name, [&](evname_error* e) {
      return opened<Handle>(free, [&](auto** out) { return open(sampler, out, e); });
    });
    evname_sampler_free(sampler);
  };
}

void live_samples(Table& table) {
  opens<evname_sampler>(table, "evname_sampler_open", evname_sampler_free,
                        [](Fixture& f, auto** out, auto* e) { return open_sampler(f, out, e); });
  opens_of_sampler<evname_samples>(table, "evname_sampler_samples", evname_samples_free,
                                   evname_sampler_samples);
  opens_of_sampler<evname_recording>(table, "evname_sampler_recording", evname_recording_free,
                                     evname_sampler_recording);
  opens_of_sampler<evname_recording>(table, "evname_sampler_take_recording", evname_recording_free,
                                     evname_sampler_take_recording);
  table["evname_sampler_start"] = [](const char* name, Fixture& f) {
    evname_sampler* of = nullptr;
    CHECK(open_sampler(f, &of, nullptr) == EVNAME_OK);
    fail_each(name, [&](evname_error* e) {
      const int status = evname_sampler_start(
          of, [](void*) { return 0; }, nullptr, 100, e);
      if (status == EVNAME_OK) CHECK(evname_sampler_stop(of, nullptr) == EVNAME_OK);
      return status;
    });
    evname_sampler_free(of);
  };
  static evname_symbols* symbols = nullptr;  // they outlive the rows
  CHECK(evname_symbols_new(nullptr, &symbols, nullptr) == EVNAME_OK);
  opens_of_sampler<evname_scope>(table, "evname_scope_new", evname_scope_free,
                                 [](evname_sampler* of, auto** out, auto* e) {
                                   return evname_scope_new(of, symbols, out, e);
                                 });
  const auto of_scope = [&](const char* function, auto call) {
    table[function] = [=](const char* name, Fixture& f) {
      evname_sampler* of = nullptr;
      evname_scope* scope = nullptr;
      CHECK(open_sampler(f, &of, nullptr) == EVNAME_OK);
      CHECK(evname_scope_new(of, symbols, &scope, nullptr) == EVNAME_OK);
      fail_each(name, [&](evname_error* e) { return call(scope, e); });
      evname_scope_free(scope);
      evname_sampler_free(of);
    };
  };
  of_scope("evname_scope_start", evname_scope_start);
  of_scope("evname_scope_stop", evname_scope_stop);
  of_scope("evname_scope_function", [](evname_scope* scope, evname_error*) {
    evname_sampled_function function;
    const int status = evname_scope_function(scope, 0, 0, &function);
    return status == EVNAME_OUT_OF_RANGE ? int{EVNAME_OK} : status;
  });
}

/// The other functions take no memory: they are tried with every allocation failing.
void plain(Table& table, const Fixture& f) {
  using namespace evname::test;
  machine = f.machine;
  recording = f.recording;
  CHECK(evname_report_new(nullptr, nullptr, &report, nullptr) == EVNAME_OK);
  CHECK(evname_report_add(report, recording, nullptr, nullptr) == EVNAME_OK);
  CHECK(evname_instruction_report_new(nullptr, nullptr, &instruction_report, nullptr) == EVNAME_OK);
  CHECK(evname_instruction_report_add(instruction_report, recording, nullptr, nullptr) ==
        EVNAME_OK);
  CHECK(evname_instructions_new(instruction_report, 0, 0, &instructions, nullptr) == EVNAME_OK);
  CHECK(evname_schedule_new(machine, "cycles", nullptr, &schedule, nullptr) == EVNAME_OK);
  CHECK(evname_metrics_new(machine, 0, &metrics, nullptr) == EVNAME_OK);
  CHECK(evname_metrics_add(metrics, "ipc", nullptr) == EVNAME_OK);
  CHECK(evname_topdown_new(metrics, nullptr, &topdown, nullptr) == EVNAME_OK);
  CHECK(open_counters(f, &counters, nullptr) == EVNAME_OK);
  CHECK(open_sampler(f, &sampler, nullptr) == EVNAME_OK);
  evname_counters_read(counters, values, 3, nullptr);  // makes room once for each thread
  CHECK(evname_events_list(machine, "mem*", &events, nullptr) == EVNAME_OK);
  CHECK(evname_inject(recording, nullptr, &renames, nullptr) == EVNAME_OK);
  CHECK(evname_samples_open(recording, 0, &samples, nullptr) == EVNAME_OK);
  CHECK(evname_symbols_new(nullptr, &symbols, nullptr) == EVNAME_OK);
  CHECK(evname_frames_new(&frames, nullptr) == EVNAME_OK);
  CHECK(evname_scope_new(sampler, symbols, &scope, nullptr) == EVNAME_OK);
  std::filesystem::remove_all(f.parts);
  CHECK(evname_split(recording, EVNAME_SPLIT_EVENT, nullptr, f.parts.c_str(), &parts, nullptr,
                     nullptr) == EVNAME_OK);
  CHECK(evname_machine_with_events(f.small, f.events.c_str(), &laid, nullptr) == EVNAME_OK);
  for (const PlainCall& plain : kPlainCalls)
    table[plain.name] = [call = plain.call](const char* what, Fixture&) {
      made = 0;
      left = 0;
      call();
      left = -1;
      if (made == 0) return;
      ++failed_checks;
      std::fprintf(stderr, "%s: allocates\n", what);
    };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  namespace fs = std::filesystem;
  char folder[] = "/tmp/evname-no-memory-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return 2;
  Fixture fixture;
  fixture.recording_path = argv[1];
  fixture.events = folder;
  fixture.out = std::string(folder) + "/out.data";
  fixture.parts = std::string(folder) + "/parts";
  std::ofstream(fixture.events + "/mine.json")
      << R"([{"EventName": "my.event", "EventCode": "0x10", "UMask": "0x1", "BriefDescription": "Mine"}])";
  CHECK(evname_model_count() > 0);  // the list is made once
  CHECK(evname_machine_open("skylakex", nullptr, &fixture.machine, nullptr) == EVNAME_OK);
  CHECK(evname_machine_open("cf_z10", nullptr, &fixture.small, nullptr) == EVNAME_OK);
  CHECK(evname_recording_open(argv[1], &fixture.recording, nullptr) == EVNAME_OK);

  Table table;
  open_machines(table);
  names_and_codes(table);
  mistakes(table);
  recordings(table);
  reports(table);
  profiles(table);
  addresses(table);
  instructions_of_functions(table);
  measures(table);
  counts(table);
  live_samples(table);
  plain(table, fixture);
  std::set<std::string> tried;
  for (const auto& [name, attempt] : table.rows) {
    const long before = in_use;
    attempt(name.c_str(), fixture);
    if (std::getenv("EVNAME_VERBOSE")) std::fprintf(stderr, "%s done\n", name.c_str());
    const bool frees = name.ends_with("_free");
    if (!frees && in_use - before > 64) {  // what is made once and kept
      ++failed_checks;
      std::fprintf(stderr, "%s: %ld blocks are lost\n", name.c_str(), in_use - before);
    }
    tried.insert(name);
  }
  std::ifstream exported(argv[2]);
  for (std::string name; exported >> name;) CHECK(tried.contains(name));
  evname_machine_free(evname::test::laid);
  evname_machine_free(fixture.small);
  fs::remove_all(folder);
  return failed_checks > 0;
}
