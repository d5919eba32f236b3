// Lines that programs naturally have, and that are right because objects own or share what they
// use; refused.cpp has lines that must not compile. Sanitizers and valgrind see uses after the end.
// Arguments: a recording; a directory of events that has my.event for skylakex.
#include <cstdio>
#include <cstdlib>
#include <evname/evname.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

std::string recording_path, events_path;

#define CHECK(condition) \
  if (!(condition)) std::exit(std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition))

evname::Recording recording() { return *evname::Recording::open(recording_path); }

// 1. A filter of functions needs Locations. A temporary filter is copied.
void filters() {
  const auto file = recording();
  const auto refused = evname::Selection::make({.sym = "main"}, file);
  CHECK(!refused && refused.error().code == evname::Errc::invalid_argument);
  auto selection = evname::Selection::make({.comms = {"no such", "neither"}}, recording());
  for (const evname::Sample& sample : file.samples()) CHECK(!selection->accepts(sample));
}

// 2. An event of a machine that is gone.
void events_of_a_temporary_machine() {
  const auto found = evname::Machine::named("skylakex", {}, events_path)->resolve("my.event");
  CHECK(found && found->front().name == "my.event" && found->front().desc() == "Mine");
  const auto copy = found->front();
  CHECK(copy.directory() == events_path);
}

// 3. Samples without options have mappings, for functions and for filters of files.
void locations_without_options() {
  const auto file = recording();
  const evname::Symbols symbols;
  evname::Locations locations(file, symbols);
  auto selection = evname::Selection::make({.dso = "busybox"}, file, &locations);
  std::size_t mapped = 0, selected = 0;
  for (const evname::Sample& sample : file.samples()) {
    mapped += locations.at(sample, {sample.ip().value_or(0)}).is_mapped;
    selected += selection->accepts(sample);
  }
  CHECK(mapped > 200 && selected > 200);
}

// 6. A code is named on a PMU.
void names_of_codes() {
  const auto machine = evname::Machine::named("skylakex");
  const evname::Code code = evname::make_code(0, {0x20d1});
  CHECK(machine->exact_name("cpu", code) == "mem_load_retired.l3_miss");
  CHECK(machine->names_of("cpu", code).names.front() == "mem_load_retired.l3_miss");
}

// 7. A file that is missing.
void missing_files() {
  const auto file = evname::Recording::open("/no/such/file");
  CHECK(!file && file.error().code == evname::Errc::not_found);
}

// A range, and a machine, of a recording that is gone.
void parts_of_a_temporary_recording() {
  std::size_t samples = 0;
  for (const evname::Sample& sample : recording().samples()) samples += !sample.comm().empty();
  CHECK(samples > 200);
  const auto& machine = recording().machine();
  CHECK(!machine.cpu().arch.empty());
}

// The functions of two passes by one object, which forgets the first pass.
void two_passes() {
  const evname::Symbols symbols;
  evname::Locations locations(recording(), symbols);
  std::set<std::string> files[2];
  std::vector<evname::Address> stack;
  for (auto& seen : files)
    for (const evname::Sample& sample : recording().samples()) {
      locations.stack(sample, stack);
      for (const evname::Address address : stack) seen.emplace(locations.at(sample, address).dso);
    }
  CHECK(files[0].contains("/usr/bin/busybox") && files[0] == files[1]);
}

// The counts of a set that is gone, and of one that has got more metrics.
void counts_of_a_temporary_set() {
  const auto machine = evname::Machine::named("skylakex");
  const auto set = [&](const char* name) {
    evname::MetricSet made(*machine, evname::MetricFacts(*machine));
    CHECK(made.add(name));
    return made;
  };
  evname::CountMatcher gone(*machine, set("tma_info_thread_ipc").events());
  const auto counts = evname::read_counts_text("2000,,INST_RETIRED.ANY,1,100.00,,\n");
  CHECK(counts && gone.match(counts->groups[0])[0].value == 2000);
}

// Counters that move while a scope counts. perf measures duration_time itself: any machine has it.
void counters_that_move() {
  auto opened = evname::Counters::open(*evname::Machine::named("skylakex"), "duration_time");
  CHECK(opened && opened->enable());
  evname::CountScope scope(*opened);
  const evname::Counters counters = std::move(*opened);
  CHECK(scope.start() && scope.stop() && counters.events().front().name == "duration_time");
  CHECK(scope.counted().size() == 1);
}

// The views of a tree that moves.
void a_tree_that_moves() {
  const auto machine = evname::Machine::named("skylakex");
  auto tree = evname::TopdownTree::of(*machine, evname::MetricFacts(*machine));
  const auto nodes = tree->nodes();
  const evname::TopdownTree moved = std::move(*tree);
  CHECK(nodes.data() == moved.nodes().data() && !nodes.front().name.empty());
}

// Values that are no enumerators are refused, as in C.
void enumerators_that_are_none() {
  using namespace evname;
  const auto file = ::recording();
  const auto machine = Machine::named("skylakex");
  const TextSink sink = [](std::string_view) { return true; };
  const auto refused = [](const auto& result) {
    CHECK(!result && result.error().code == Errc::invalid_argument);
  };
  refused(annotate(file, {.format = Format{4}}, sink));
  refused(annotate(file, {.format = Format::csv, .fields = {Field{250}}}, sink));
  refused(export_profile({{file}}, {.format = ProfileFormat{99}}, sink));
  refused(Report({.keys = {SortKey{250}}}).add(file));
  refused(split(file, SplitKey{4}, {}, "/no/such"));
  refused(schedule(*machine, "r1", {.constraint = GroupConstraint{5}}));
  CountTarget nobody;
  nobody.kind = CountTarget::Kind{5};
  refused(Counters::open(*machine, "duration_time", nobody));
  refused(Counters::open(*machine, "duration_time", {}, {.groups = Grouping{4}}));
  refused(Counters::open(*machine, "duration_time", {}, {.space = CounterOptions::Space{3}}));
  refused(Recording::open(recording_path + std::string("\0more", 5)));
  CHECK(default_fields(Format{4}).empty());
  CHECK(MetricFacts(*machine).instances(MetricInfo::Aggregation{3}) == 1);
  CHECK(to_string(Source{4}) == std::string("unknown"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  recording_path = argv[1];
  events_path = argv[2];
  filters();
  events_of_a_temporary_machine();
  locations_without_options();
  names_of_codes();
  missing_files();
  parts_of_a_temporary_recording();
  two_passes();
  counts_of_a_temporary_set();
  counters_that_move();
  a_tree_that_moves();
  enumerators_that_are_none();
}
