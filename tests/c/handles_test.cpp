// What the functions of C promise about the structs that they fill: behind the last element of a
// list all members are 0 or "", whatever was there before; texts are cut off as snprintf(3) does,
// but between two characters; facts, options and directories are those that were given.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "c/handles.hpp"
#include "evname/evname.h"
#include "support/temp_dir.hpp"

namespace {

using evname::test::TempDir;
using Machine = std::unique_ptr<evname_machine, decltype(&evname_machine_free)>;
using Metrics = std::unique_ptr<evname_metrics, decltype(&evname_metrics_free)>;

Machine machine_of(const char* cpu, const char* events = nullptr) {
  evname_machine* machine = nullptr;
  evname_error error;
  evname_machine_options options{};
  options.events = events;
  options.flags = EVNAME_NO_USER_EVENTS;
  EXPECT_EQ(evname_machine_open(cpu, &options, &machine, &error), EVNAME_OK) << error.message;
  return {machine, evname_machine_free};
}

Metrics metrics_of(const Machine& machine) {
  evname_metrics* metrics = nullptr;
  EXPECT_EQ(evname_metrics_new(machine.get(), 0, &metrics, nullptr), EVNAME_OK);
  return {metrics, evname_metrics_free};
}

/// Expects that a call that fails for this index leaves "" in the members that are texts, and 0
/// in all others.
template <class Struct, class Call, class... Texts>
void expect_nothing(Call&& call, Texts... texts) {
  Struct out;
  std::memset(&out, 0xff, sizeof out);
  EXPECT_EQ(call(&out), EVNAME_OUT_OF_RANGE);
  const auto is_empty = [&](const char*& text) {
    ASSERT_NE(text, nullptr);
    EXPECT_STREQ(text, "");
    text = nullptr;
  };
  (is_empty(out.*texts), ...);
  const Struct zeros = {};
  EXPECT_EQ(std::memcmp(&out, &zeros, sizeof out), 0);
}

TEST(CHandles, BehindTheLastElementThereIsNothing) {
  const Machine machine = machine_of("skylakex");
  const Metrics metrics = metrics_of(machine);
  evname_events* events = nullptr;
  evname_schedule* schedule = nullptr;
  evname_topdown* tree = nullptr;
  evname_frames* frames = nullptr;
  evname_instruction_report* report = nullptr;
  ASSERT_EQ(evname_instruction_report_new(nullptr, nullptr, &report, nullptr), EVNAME_OK);
  ASSERT_EQ(evname_events_list(machine.get(), "inst_retired.any", &events, nullptr), EVNAME_OK);
  ASSERT_EQ(evname_schedule_new(machine.get(), "cycles", nullptr, &schedule, nullptr), EVNAME_OK);
  ASSERT_EQ(evname_metrics_set_fact(metrics.get(), "#smt_on", 0, nullptr), EVNAME_OK);
  ASSERT_EQ(evname_metrics_set_fact(metrics.get(), "#core_wide", 1, nullptr), EVNAME_OK);
  ASSERT_EQ(evname_topdown_new(metrics.get(), nullptr, &tree, nullptr), EVNAME_OK);
  ASSERT_EQ(evname_frames_new(&frames, nullptr), EVNAME_OK);
  for (const std::size_t far : {0, 1, 1000}) {
    expect_nothing<evname_model>(
        [&](auto* out) { return evname_model_at(evname_model_count() + far, out); },
        &evname_model::arch, &evname_model::name);
    expect_nothing<evname_event_directory>(
        [&](auto* out) { return evname_event_directory_at(machine.get(), far, out); },
        &evname_event_directory::directory, &evname_event_directory::version);
    expect_nothing<evname_pmu>(
        [&](auto* out) {
          return evname_pmu_at(machine.get(), evname_pmu_count(machine.get()) + far, out);
        },
        &evname_pmu::name, &evname_pmu::cpus);
    expect_nothing<evname_event>(
        [&](evname_event* out) {
          const int status = evname_events_at(events, evname_events_count(events) + far, out);
          EXPECT_EQ(out->scale, 1);
          out->scale = 0;
          return status;
        },
        &evname_event::name, &evname_event::pmu, &evname_event::topic, &evname_event::terms,
        &evname_event::desc, &evname_event::long_desc, &evname_event::unit, &evname_event::model,
        &evname_event::errata);
    expect_nothing<evname_attr>(
        [&](auto* out) { return evname_schedule_event_at(schedule, 1 + far, out, nullptr); },
        &evname_attr::pmu);
    expect_nothing<evname_scheduled_group>(
        [&](auto* out) { return evname_schedule_group_at(schedule, 1 + far, out); },
        &evname_scheduled_group::why);
    expect_nothing<evname_metric>(
        [&](auto* out) { return evname_metrics_at(metrics.get(), far, out); }, &evname_metric::name,
        &evname_metric::desc, &evname_metric::long_desc, &evname_metric::expr,
        &evname_metric::threshold, &evname_metric::unit, &evname_metric::pmu,
        &evname_metric::model);
    expect_nothing<evname_metric_event>(
        [&](auto* out) { return evname_metrics_event_at(metrics.get(), far, out); },
        &evname_metric_event::text, &evname_metric_event::problem);
    expect_nothing<evname_metric_event>(
        [&](auto* out) {
          return evname_topdown_event_at(tree, evname_topdown_event_count(tree) + far, out);
        },
        &evname_metric_event::text, &evname_metric_event::problem);
    expect_nothing<evname_topdown_node>(
        [&](auto* out) { return evname_topdown_at(tree, evname_topdown_count(tree) + far, out); },
        &evname_topdown_node::name, &evname_topdown_node::desc, &evname_topdown_node::threshold,
        &evname_topdown_node::problem);
    expect_nothing<evname_function>(
        [&](auto* out) { return evname_instruction_report_function_at(report, far, out); },
        &evname_function::name, &evname_function::dso, &evname_function::build_id);
    expect_nothing<evname_frame>([&](auto* out) { return evname_frames_at(frames, far, out); },
                                 &evname_frame::function, &evname_frame::source, &evname_frame::dso,
                                 &evname_frame::label);
  }
  EXPECT_STREQ(evname_instruction_report_event(report, 0), "");
  EXPECT_STREQ(evname_machine_warning(machine.get(), 0), "");
  EXPECT_STREQ(evname_schedule_warning(schedule, 1), "");
  EXPECT_STREQ(evname_metrics_warning(metrics.get(), 0), "");
  evname_instruction_report_free(report);
  evname_frames_free(frames);
  evname_topdown_free(tree);
  evname_schedule_free(schedule);
  evname_events_free(events);
}

TEST(CErrors, AreOneTextAsSnprintfWritesIt) {
  const struct {
    const char *where, *message, *hint, *text;
  } rows[] = {
      {"", "", "", ""},
      {"", "message", "", "message"},
      {"file", "message", "", "file: message"},
      {"", "message", "hint", "message (hint)"},
      {"file:1", "no", "x?", "file:1: no (x?)"},
      {"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"}};
  for (const auto& row : rows) {
    evname_error error = {};
    std::strcpy(error.where, row.where);
    std::strcpy(error.message, row.message);
    std::strcpy(error.hint, row.hint);
    const std::string text = row.text;
    EXPECT_EQ(evname_error_text(&error, nullptr, 0), text.size());
    for (std::size_t size = 1; size < text.size() + 3; ++size) {
      std::string buffer(size + 1, 'x');
      EXPECT_EQ(evname_error_text(&error, buffer.data(), size), text.size());
      std::size_t length = std::min(text.size(), size - 1);
      while (length < text.size() && (text[length] & 0xc0) == 0x80) --length;
      EXPECT_STREQ(buffer.c_str(), text.substr(0, length).c_str()) << size;
      EXPECT_EQ(buffer[size], 'x');
    }
  }
}

TEST(CErrors, OfLongNamesAreCutOff) {
  const Machine machine = machine_of("skylakex");
  for (const std::size_t size : {200, 290, 300, 319, 320, 321, 1000}) {
    const std::string name(size, 'q');
    evname_error error;
    std::memset(&error, 0xff, sizeof error);
    std::size_t count = 7;
    evname_attr attr;
    EXPECT_EQ(evname_resolve(machine.get(), name.c_str(), &attr, 1, &count, &error),
              EVNAME_NOT_FOUND);
    const std::string whole = "no event '" + name + "' on skylakex";
    EXPECT_EQ(std::string(error.message), whole.substr(0, sizeof error.message - 1)) << size;
    EXPECT_EQ(error.padding, 0u);
    EXPECT_EQ(error.offset, 0u);
    EXPECT_EQ(count, 0u);
  }
}

TEST(CErrors, HaveWordsForEachStatus) {
  const struct {
    int status;
    const char* text;
  } rows[] = {{EVNAME_OK, "ok"},
              {EVNAME_INVALID_ARGUMENT, "invalid argument"},
              {EVNAME_NOT_FOUND, "not found"},
              {EVNAME_OUT_OF_RANGE, "out of range"},
              {EVNAME_CORRUPT, "corrupt"},
              {EVNAME_IO, "refused"},
              {EVNAME_UNSUPPORTED, "unsupported"},
              {EVNAME_NO_MEMORY, "not enough memory"},
              {EVNAME_INTERNAL, "internal error"},
              {EVNAME_CANCELLED, "cancelled"},
              {EVNAME_CANCELLED + 1, "unknown status"},
              {-1, "unknown status"},
              {INT32_MIN, "unknown status"}};
  for (const auto& row : rows) EXPECT_STREQ(evname_status_text(row.status), row.text);
}

TEST(CHandles, FactsDecideWhatMetricsAreComputedFrom) {
  const Machine machine = machine_of("skylakex");
  for (const double smt : {0.0, 1.0}) {
    const Metrics metrics = metrics_of(machine);
    ASSERT_EQ(evname_metrics_set_fact(metrics.get(), "#smt_on", smt, nullptr), EVNAME_OK);
    ASSERT_EQ(evname_metrics_set_fact(metrics.get(), "#num_cpus", 12, nullptr), EVNAME_OK);
    ASSERT_EQ(evname_metrics_add_expression(metrics.get(), "a", "1 if #smt_on else 2", nullptr),
              EVNAME_OK);
    ASSERT_EQ(
        evname_metrics_add_expression(metrics.get(), "b", "#num_cpus * instructions", nullptr),
        EVNAME_OK);
    evname_event_count counts[2] = {{3, 0, 0}, {99, 0, 0}};
    evname_metric_value values[3];
    for (const std::size_t room : {0, 1, 2, 3}) {
      for (auto& value : values) value = {-7, 5, 5};
      ASSERT_EQ(evname_metrics_evaluate(metrics.get(), counts, 1, values, room, nullptr),
                EVNAME_OK);
      EXPECT_EQ(values[0].value, room > 0 ? (smt != 0 ? 1 : 2) : -7);
      EXPECT_EQ(values[1].value, room > 1 ? 36 : -7);
      EXPECT_EQ(values[1].beyond, room > 1 ? -1 : 5);
      EXPECT_EQ(values[2].value, -7);
    }
    evname_error error;
    EXPECT_EQ(evname_metrics_set_fact(metrics.get(), "#smt_on", 0, &error),
              EVNAME_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, "facts are set before metrics are added");
  }
}

TEST(CHandles, AListOfMetricsIsNoSet) {
  const Machine machine = machine_of("skylakex");
  evname_metrics* list = nullptr;
  ASSERT_EQ(evname_metrics_list(machine.get(), "tma_*", "TopdownL1", &list, nullptr), EVNAME_OK);
  EXPECT_EQ(evname_metrics_count(list), 4u);  // Yasin, A Top-Down Method: the first level
  evname_metric_value value;
  evname_topdown* tree = nullptr;
  EXPECT_EQ(evname_metrics_set_fact(list, "#smt_on", 0, nullptr), EVNAME_INVALID_ARGUMENT);
  EXPECT_EQ(evname_metrics_add(list, "IPC", nullptr), EVNAME_INVALID_ARGUMENT);
  EXPECT_EQ(evname_metrics_add_expression(list, "a", "1", nullptr), EVNAME_INVALID_ARGUMENT);
  EXPECT_EQ(evname_metrics_evaluate(list, nullptr, 0, &value, 1, nullptr), EVNAME_INVALID_ARGUMENT);
  EXPECT_EQ(evname_topdown_new(list, nullptr, &tree, nullptr), EVNAME_INVALID_ARGUMENT);
  EXPECT_STREQ(evname_metrics_warning(list, 0), "");
  evname_metric metric;
  ASSERT_EQ(evname_metrics_at(list, 0, &metric), EVNAME_OK);
  EXPECT_EQ(metric.events, nullptr);
  EXPECT_EQ(metric.events_count, 0u);
  EXPECT_STREQ(metric.model, "skylakex");
  EXPECT_GT(metric.groups_count, 0u);
  evname_metrics_free(list);
}

TEST(CHandles, DirectoriesOfEventsSayWhatTheyAre) {
  const std::string rows = "GenuineIntel-6-55-[01234],V1.36,skylakex,core\n";
  const TempDir dir{{"x86/mapfile.csv", "Family-model,Version,Filename,EventType\n" + rows},
                    {"x86/skylakex/a.json", R"([{"EventName":"MINE","EventCode":"0x77"}])"}};
  const Machine machine = machine_of("GenuineIntel-6-55-4", dir.path().c_str());
  ASSERT_EQ(evname_event_directory_count(machine.get()), 1u);
  evname_event_directory laid;
  std::memset(&laid, 0xff, sizeof laid);
  ASSERT_EQ(evname_event_directory_at(machine.get(), 0, &laid), EVNAME_OK);
  EXPECT_EQ(laid.directory, dir.path());
  EXPECT_STREQ(laid.version, "V1.36");
  EXPECT_EQ(laid.is_users, 0u);
  EXPECT_EQ(laid.padding, 0u);
  evname_attr attr;
  std::size_t count = 0;
  ASSERT_EQ(evname_resolve(machine.get(), "mine", &attr, 1, &count, nullptr), EVNAME_OK);
  EXPECT_EQ(attr.code.config[0], 0x77u);
}

// The kernel's files: Documentation/admin-guide/sysctl/kernel.rst and ABI/testing/sysfs-devices-
// system-cpu.
TEST(CHandles, OptionsOfSchedulesAreThoseOfTheKernelsFiles) {
  const struct {
    const char *watchdog, *smt;
    std::int32_t nmi_watchdog, is_smt;
  } rows[] = {
      {"1\n", "1\n", 1, 1}, {"0\n", "0\n", 0, 0}, {"1\n", "0\n", 1, 0}, {"0\n", "1\n", 0, 1}};
  for (const auto& row : rows) {
    const TempDir dir{{"sys/kernel/nmi_watchdog", row.watchdog},
                      {"devices/system/cpu/smt/active", row.smt}};
    evname_schedule_options options;
    std::memset(&options, 0xff, sizeof options);
    ASSERT_EQ(evname_schedule_options_live(dir.path().c_str(), dir.path().c_str(), &options),
              EVNAME_OK);
    EXPECT_EQ(options.nmi_watchdog, row.nmi_watchdog) << row.watchdog;
    EXPECT_EQ(options.smt, row.is_smt) << row.smt;
    EXPECT_EQ(options.constraint, static_cast<std::uint32_t>(EVNAME_GROUP_CAN));
    EXPECT_EQ(options.generic_counters, 0u);
  }
  const TempDir empty;
  evname_schedule_options options;
  ASSERT_EQ(evname_schedule_options_live(empty.path().c_str(), empty.path().c_str(), &options),
            EVNAME_OK);
  EXPECT_EQ(options.nmi_watchdog, 0);
  EXPECT_EQ(options.smt, 1);
}

TEST(CHandles, ConstraintsOfSchedulesAreThoseOfTheEnumeration) {
  const Machine machine = machine_of("skylakex");
  for (std::uint32_t constraint = 0; constraint < 6; ++constraint) {
    evname_schedule_options options = {};
    options.constraint = constraint;
    options.smt = 1;
    evname_schedule* schedule = nullptr;
    const int status =
        evname_schedule_new(machine.get(), "inst_retired.any,r1", &options, &schedule, nullptr);
    EXPECT_EQ(status, constraint <= EVNAME_GROUP_NOT_SMT ? EVNAME_OK : EVNAME_INVALID_ARGUMENT);
    if (schedule == nullptr) continue;
    evname_scheduled_group group;
    ASSERT_EQ(evname_schedule_group_at(schedule, 0, &group), EVNAME_OK);
    EXPECT_EQ(group.grouped, constraint == EVNAME_GROUP_CAN || constraint == EVNAME_GROUP_NOT_NMI);
    EXPECT_EQ(group.smallest, 1);
    evname_schedule_free(schedule);
  }
}

TEST(CHandles, NamesOfACodeFitIntoABufferOfTheSizeThatIsNeeded) {
  const Machine machine = machine_of("skylakex");
  evname_code code = {};
  code.config[0] = 0x1000000 | 0x20d1;  // with cmask=1, which no name has
  evname_names names;
  std::size_t needed = 0;
  ASSERT_EQ(evname_names_of(machine.get(), "cpu", &code, &names, nullptr, 0, &needed, nullptr),
            EVNAME_OK);
  EXPECT_EQ(names.count, 1u);
  EXPECT_STREQ(names.pmu, "");
  const std::string texts[] = {"mem_load_retired.l3_miss", "cmask=0x1", "cpu",
                               "cmask=0x1,event=0xd1,umask=0x20"};
  std::size_t sum = 0;
  for (const std::string& text : texts) sum += text.size() + 1;
  for (const std::size_t size : {needed - 1, needed, needed + 1}) {
    std::string buffer(size + 1, 'x');
    ASSERT_EQ(
        evname_names_of(machine.get(), "cpu", &code, &names, buffer.data(), size, nullptr, nullptr),
        EVNAME_OK);
    const bool fits = size >= needed;
    EXPECT_STREQ(names.names, fits ? texts[0].c_str() : "");
    EXPECT_STREQ(names.qualifiers, fits ? texts[1].c_str() : "");
    EXPECT_STREQ(names.pmu, fits ? texts[2].c_str() : "");
    EXPECT_EQ(std::strlen(names.terms), fits ? texts[3].size() : 0);
    EXPECT_EQ(names.exact, 0);
    EXPECT_EQ(buffer.back(), 'x');
  }
  EXPECT_EQ(needed, sum);
}

TEST(CHandles, TargetsAreThoseOfTheEnumeration) {
  using Kind = evname::CountTarget::Kind;
  const std::int32_t ids[] = {7, 8};
  const std::uint32_t cpus[] = {1, 2, 3};
  constexpr Kind kKinds[] = {Kind::this_thread, Kind::threads, Kind::processes, Kind::cpus,
                             Kind::cgroup};
  for (std::uint32_t kind = 0; kind < 7; ++kind) {
    evname_count_target from = {};
    from.kind = kind;
    const auto bare = evname::c::count_target_of(&from);
    ASSERT_EQ(bare.has_value(), kind < std::size(kKinds)) << kind;
    if (!bare) continue;
    EXPECT_EQ(bare->kind, kKinds[kind]);
    EXPECT_TRUE(bare->ids.empty() && bare->cpus.empty() && bare->cgroup.empty());
    from.ids = ids;
    from.ids_count = 2;
    from.cpus = cpus;
    from.cpus_count = 3;
    from.cgroup = "group";
    const auto full = evname::c::count_target_of(&from);
    ASSERT_TRUE(full);
    EXPECT_EQ(std::vector<int>(full->ids.begin(), full->ids.end()), (std::vector<int>{7, 8}));
    EXPECT_EQ(std::vector<int>(full->cpus.begin(), full->cpus.end()), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(full->cgroup, "group");
  }
  const auto none = evname::c::count_target_of(nullptr);
  EXPECT_EQ(none->kind, Kind::this_thread);
}

// Intel SDM vol. 3, 20.3.8: Skylake's core has four generic and three fixed counters a thread.
TEST(CHandles, GroupsOfAScheduleHaveAllTheirMembers) {
  const Machine machine = machine_of("skylakex");
  evname_schedule* schedule = nullptr;
  ASSERT_EQ(evname_schedule_new(machine.get(), "r1,r2,r3,r4,r5", nullptr, &schedule, nullptr),
            EVNAME_OK);
  ASSERT_EQ(evname_schedule_group_count(schedule), 2u);
  std::size_t events = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    evname_scheduled_group group;
    ASSERT_EQ(evname_schedule_group_at(schedule, i, &group), EVNAME_OK);
    ASSERT_EQ(group.pmus_count, 1u);
    EXPECT_STREQ(group.pmus[0], "cpu");
    EXPECT_EQ(group.generic_counters, 4u);
    EXPECT_EQ(group.fixed_counters, 3u);
    EXPECT_STREQ(group.why, "5 events (r1, r2, r3, r4, r5) for 4 counters of cpu (0-3)");
    for (std::size_t e = 0; e < group.events_count; ++e) EXPECT_EQ(group.events[e], events++);
    EXPECT_EQ(std::strlen(group.counters[0]), 1u);
  }
  EXPECT_EQ(events, 5u);
  evname_attr attr;
  const char* name = nullptr;
  ASSERT_EQ(evname_schedule_event_at(schedule, 4, &attr, &name), EVNAME_OK);
  EXPECT_STREQ(name, "r5");
  EXPECT_EQ(attr.code.config[0], 5u);
  EXPECT_EQ(evname_schedule_event_at(schedule, 5, &attr, &name), EVNAME_OUT_OF_RANGE);
  EXPECT_STREQ(name, "");
  evname_schedule_free(schedule);
  // On failure there is no handle, whatever was there before.
  evname_schedule* old = reinterpret_cast<evname_schedule*>(&attr);
  EXPECT_NE(evname_schedule_new(machine.get(), "no_such_event", nullptr, &old, nullptr), EVNAME_OK);
  EXPECT_EQ(old, nullptr);
}

TEST(CHandles, ABatchSaysWhereEachAnswerBegins) {
  const Machine machine = machine_of("skylakex");
  const char* const texts[] = {"cycles,instructions", "none", "branches", "cs,faults,cycles"};
  evname_attr attrs[6];
  evname_answer answers[4];
  evname_error errors[4];
  std::size_t total = 0;
  EXPECT_EQ(evname_resolve_batch(machine.get(), texts, 4, attrs, 6, &total, answers, errors),
            EVNAME_NOT_FOUND);
  EXPECT_EQ(total, 6u);
  const std::size_t firsts[] = {0, 2, 2, 3}, counts[] = {2, 0, 1, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(answers[i].first, firsts[i]) << i;
    EXPECT_EQ(answers[i].count, counts[i]) << i;
    EXPECT_EQ(answers[i].status, i == 1 ? EVNAME_NOT_FOUND : EVNAME_OK) << i;
    EXPECT_EQ(errors[i].status, answers[i].status) << i;
  }
  EXPECT_EQ(attrs[2].code.config[0], 4u);  // PERF_COUNT_HW_BRANCH_INSTRUCTIONS
  // Without room the places are those that a second call with more room fills.
  for (const std::size_t room : {0u, 1u, 3u}) {
    evname_resolve_batch(machine.get(), texts, 4, attrs, room, &total, answers, nullptr);
    EXPECT_EQ(total, 6u) << room;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answers[i].first, firsts[i]) << room;
  }
}

TEST(CHandles, FlagsThatMeanNothingAreRefused) {
  for (std::uint64_t flag = 1; flag != 0; flag <<= 1) {
    evname_symbol_options options = {};
    options.flags = flag;
    evname_symbols* symbols = nullptr;
    const int status = evname_symbols_new(&options, &symbols, nullptr);
    EXPECT_EQ(status, flag <= EVNAME_SYMBOLS_DEBUGINFOD ? EVNAME_OK : EVNAME_INVALID_ARGUMENT);
    EXPECT_EQ(symbols != nullptr, status == EVNAME_OK);
    evname_symbols_free(symbols);
    evname_machine* machine = nullptr;
    if (flag >> 32 != 0) continue;
    evname_machine_options how{};
    how.flags = static_cast<std::uint32_t>(flag);
    EXPECT_EQ(evname_machine_open("skylakex", &how, &machine, nullptr),
              flag == EVNAME_NO_USER_EVENTS ? EVNAME_OK : EVNAME_INVALID_ARGUMENT);
    evname_machine_free(machine);
  }
}

}  // namespace
