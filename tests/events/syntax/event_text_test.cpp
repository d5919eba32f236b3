// Event lists, parsed without a machine.

#include "evname/encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "events/syntax/events.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"

namespace evname {
namespace {

TEST(SplitEvents, TellsTextModifiersGroupAndPlaceOfEach) {
  const auto events =
      syntax::split_events("cycles:k, {cpu/event=0x3c,umask=1/p,page-faults}:u,{r1a8}");
  ASSERT_TRUE(events) << events.error().text();
  ASSERT_EQ(events->size(), 4u);
  const syntax::EventText &alone = (*events)[0], &terms = (*events)[1], &faults = (*events)[2],
                          &raw = (*events)[3];
  EXPECT_EQ(alone.text, "cycles");
  EXPECT_EQ(alone.form, syntax::EventForm::hardware);
  EXPECT_EQ(alone.modifiers, "k");
  EXPECT_EQ(alone.group, std::nullopt);
  EXPECT_EQ(terms.text, "cpu/event=0x3c,umask=1/");
  EXPECT_EQ(terms.form, syntax::EventForm::terms);
  EXPECT_EQ(terms.modifiers, "pu");
  EXPECT_EQ(terms.group, 0u);
  EXPECT_EQ(terms.offset, 11u);
  EXPECT_EQ(faults.form, syntax::EventForm::software);
  EXPECT_EQ(faults.group, 0u);
  EXPECT_EQ(raw.form, syntax::EventForm::raw);
  EXPECT_EQ(raw.group, 1u);
}

TEST(SplitEvents, KnowsEveryForm) {
  const std::pair<const char*, syntax::EventForm> kForms[] = {
      {"inst_retired.any", syntax::EventForm::name},
      {"4:0x20d1", syntax::EventForm::numeric},
      {"duration_time", syntax::EventForm::tool},
      {"L1-dcache-loads", syntax::EventForm::cache},
      {"sched:sched_switch", syntax::EventForm::tracepoint},
      {"mem:0x1000/8:rw", syntax::EventForm::breakpoint}};
  for (const auto& [text, form] : kForms) {
    const auto events = syntax::split_events(text);
    ASSERT_TRUE(events && events->size() == 1) << text;
    EXPECT_EQ(events->front().form, form) << text;
  }
}

TEST(SplitEvents, AnErrorTellsWhere) {
  const auto events = syntax::split_events("cycles,,");
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, Errc::invalid_argument);
  EXPECT_EQ(events.error().offset, 7u);
  EXPECT_EQ(events.error().where, "event text, column 8");
}

// perf_event.h: PERF_COUNT_HW_BRANCH_INSTRUCTIONS 4, PERF_COUNT_SW_PAGE_FAULTS 2; the L1 data
// cache is 0, a read 0, a miss 1.
TEST(GenericEvents, HaveTheCodesOfTheKernelsHeader) {
  const auto events = syntax::generic_events();
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(events, name, &syntax::GenericEvent::name);
  };
  EXPECT_EQ(named("branches").config, 4u);
  EXPECT_EQ(named("branch-instructions").config, 4u);
  EXPECT_EQ(named("page-faults").type, kTypeSoftware);
  EXPECT_EQ(named("page-faults").config, 2u);
  EXPECT_EQ(named("L1-dcache-load-misses").type, kTypeHwCache);
  EXPECT_EQ(named("L1-dcache-load-misses").config, 0x10000u);
  EXPECT_EQ(named("L1-dcache-load-misses").pmu, "hw_cache");
  EXPECT_EQ(named("cycles").pmu, "hardware");
  EXPECT_EQ(named("cgroup-switches").pmu, "software");
  EXPECT_EQ(named("node-prefetch-misses").config, 0x10206u);
  // 14 and 15 words; the 32 spellings of legacy-cache.json that are not deprecated.
  EXPECT_EQ(events.size(), 14u + 15 + 32);
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, [](const syntax::GenericEvent& event) {
    return std::pair(event.type, event.config);
  }));
}

}  // namespace
}  // namespace evname
