// Names to codes and back, over every core event of a large model; libpfm4 does the same with its
// own names of the same CPU.

#include <benchmark/benchmark.h>

#include <cctype>
#include <string>
#include <vector>

#include "bench/allocations.hpp"
#include "evname/evname.h"
#include "evname/machine.hpp"

#ifdef HAVE_PFM
#include <perfmon/pfmlib_perf_event.h>
#endif

namespace evname {
namespace {

// The models of the peer's tables that are of the same CPU.
struct Cpu {
  const char* model;
  const char* pfm;
  const char* event;
};
constexpr Cpu kCpus[] = {{"skylakex", "skx", "mem_load_retired.l3_miss"},
                         {"sapphirerapids", "spr", "mem_load_retired.l3_miss"},
                         {"arm/neoverse-n1", "arm_n1", "br_mis_pred_retired"}};

std::vector<std::string> core_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const EventInfo& event : machine.events())
    if (event.source == Source::table && (event.pmu == "cpu" || event.pmu.starts_with("armv8")))
      names.push_back(event.name);
  return names;
}

/// Tells what a call allocates, beside its time.
class Allocations {
 public:
  explicit Allocations(benchmark::State& state) : state_(state), before_(bench::allocations()) {}
  ~Allocations() {
    state_.counters["allocations"] = benchmark::Counter(
        static_cast<double>(bench::allocations() - before_), benchmark::Counter::kAvgIterations);
  }

 private:
  benchmark::State& state_;
  std::uint64_t before_;
};

void resolve_into_buffer(benchmark::State& state) {
  const auto machine = Machine::named(kCpus[state.range(0)].model);
  const auto names = core_names(*machine);
  state.SetLabel(std::string(kCpus[state.range(0)].model) + ", " + std::to_string(names.size()) +
                 " events");
  Encoding event;
  for (const std::string& name : names)
    if (!machine->resolve(name, {&event, 1})) state.SkipWithError(name.c_str());
  const Allocations allocations(state);
  for (std::size_t i = 0; auto _ : state) {
    benchmark::DoNotOptimize(machine->resolve(names[i], {&event, 1}));
    if (++i == names.size()) i = 0;
  }
}
BENCHMARK(resolve_into_buffer)->DenseRange(0, 2);

void resolve_through_c(benchmark::State& state) {
  const auto names = core_names(*Machine::named(kCpus[state.range(0)].model));
  evname_machine* machine;
  evname_machine_open(kCpus[state.range(0)].model, nullptr, &machine, nullptr);
  evname_attr attr;
  std::size_t count;
  for (const std::string& name : names)
    if (evname_resolve(machine, name.c_str(), &attr, 1, &count, nullptr) != EVNAME_OK)
      state.SkipWithError(name.c_str());
  {
    const Allocations allocations(state);
    for (std::size_t i = 0; auto _ : state) {
      benchmark::DoNotOptimize(
          evname_resolve(machine, names[i].c_str(), &attr, 1, &count, nullptr));
      if (++i == names.size()) i = 0;
    }
  }
  evname_machine_free(machine);
}
BENCHMARK(resolve_through_c)->DenseRange(0, 2);

void resolve_with_texts(benchmark::State& state) {
  const auto machine = Machine::named(kCpus[state.range(0)].model);
  const auto names = core_names(*machine);
  const Allocations allocations(state);
  for (std::size_t i = 0; auto _ : state) {
    benchmark::DoNotOptimize(machine->resolve(names[i]));
    if (++i == names.size()) i = 0;
  }
}
BENCHMARK(resolve_with_texts)->DenseRange(0, 2);

std::vector<Code> core_codes(const Machine& machine) {
  std::vector<Code> codes;
  for (const std::string& name : core_names(machine))
    if (const auto found = machine.resolve(name))
      for (const Encoding& e : *found) codes.push_back(make_code(4, words_of(e.code)));
  return codes;
}

void name_a_code(benchmark::State& state) {
  const auto machine = Machine::named(kCpus[state.range(0)].model);
  const auto codes = core_codes(*machine);
  const std::string pmu = machine->names_of(codes.front()).pmu;
  for (const Code& code : codes)
    if (machine->exact_name(pmu, code).empty()) state.SkipWithError("a code without a name");
  const Allocations allocations(state);
  for (std::size_t i = 0; auto _ : state) {
    benchmark::DoNotOptimize(machine->exact_name(pmu, codes[i]));
    if (++i == codes.size()) i = 0;
  }
}
BENCHMARK(name_a_code)->DenseRange(0, 2);

void open_machine_and_resolve_one(benchmark::State& state) {
  for (auto _ : state) {
    const auto machine = Machine::named(kCpus[state.range(0)].model);
    Encoding event;
    benchmark::DoNotOptimize(machine->resolve(kCpus[state.range(0)].event, {&event, 1}));
  }
}
BENCHMARK(open_machine_and_resolve_one)->DenseRange(0, 2);

void open_machine_and_name_one(benchmark::State& state) {
  for (auto _ : state) {
    const auto machine = Machine::named(kCpus[state.range(0)].model);
    benchmark::DoNotOptimize(machine->exact_name("cpu", make_code(4, {0x20d1})));
  }
}
BENCHMARK(open_machine_and_name_one)->DenseRange(0, 2);

#ifdef HAVE_PFM

/// "skx::MEM_LOAD_RETIRED:L3_MISS": each event with each of its unit masks.
std::vector<std::string> pfm_names(const std::string& pmu) {
  std::vector<std::string> names;
  pfm_pmu_info_t info{};
  info.size = sizeof info;
  for (int i = 0; i < PFM_PMU_MAX; ++i) {
    if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(i), &info) != PFM_SUCCESS || pmu != info.name)
      continue;
    for (int at = info.first_event; at != -1; at = pfm_get_event_next(at)) {
      pfm_event_info_t event{};
      event.size = sizeof event;
      if (pfm_get_event_info(at, PFM_OS_NONE, &event) != PFM_SUCCESS) continue;
      const std::size_t before = names.size();
      for (int a = 0; a < event.nattrs; ++a) {
        pfm_event_attr_info_t attr{};
        attr.size = sizeof attr;
        if (pfm_get_event_attr_info(at, a, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
            attr.type == PFM_ATTR_UMASK)
          names.push_back(pmu + "::" + event.name + ":" + attr.name);
      }
      if (names.size() == before) names.push_back(pmu + "::" + event.name);
    }
  }
  return names;
}

bool pfm_encodes(const std::string& name) {
  std::uint64_t* codes = nullptr;
  int count = 0;
  const bool done = pfm_get_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, nullptr, nullptr,
                                           &codes, &count) == PFM_SUCCESS;
  std::free(codes);
  return done;
}

void libpfm4_resolve(benchmark::State& state) {
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  pfm_initialize();
  auto names = pfm_names(kCpus[state.range(0)].pfm);
  std::erase_if(names, [](const std::string& name) { return !pfm_encodes(name); });
  state.SetLabel(std::string(kCpus[state.range(0)].pfm) + ", " + std::to_string(names.size()) +
                 " events");
  if (names.empty()) return state.SkipWithError("libpfm4 has no such CPU");
  std::uint64_t buffer[8];
  for (std::size_t i = 0; auto _ : state) {
    std::uint64_t* codes = buffer;
    int count = 8;
    benchmark::DoNotOptimize(pfm_get_event_encoding(names[i].c_str(), PFM_PLM0 | PFM_PLM3, nullptr,
                                                    nullptr, &codes, &count));
    if (++i == names.size()) i = 0;
  }
}
BENCHMARK(libpfm4_resolve)->DenseRange(0, 2);

#endif

}  // namespace
}  // namespace evname
