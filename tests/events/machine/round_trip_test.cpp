// Every event of every model that is built in: its encoding leads back to its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "evname/machine.hpp"
#include "support/built_models.hpp"

namespace evname {
namespace {

/// Does some encoding of the event, resolved as perf takes it, have the event among its names?
bool comes_back(const Machine& machine, const EventInfo& event) {
  auto encodings = machine.resolve(event.name);
  if (encodings && encodings->front().source == Source::raw)  // "read" is r0xead
    encodings = machine.resolve(std::string(event.pmu) + "/" + std::string(event.name) + "/");
  if (!encodings) return false;
  return std::all_of(encodings->begin(), encodings->end(), [&](const Encoding& e) {
    const CodeNames names = machine.names_of(e.pmu, e.code);
    return names.exact &&
           std::find(names.names.begin(), names.names.end(), event.name) != names.names.end();
  });
}

TEST(RoundTrip, EveryEventOfEveryModelIsAmongTheNamesOfItsCode) {
  if (tables::architectures().empty()) GTEST_SKIP() << "no tables are built in";
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> lost;
  std::size_t events = 0;
  for (const tables::ModelView& view : test::built_models(tables::kStandard)) {
    const std::string model = std::string(view.arch().arch) + "/" + std::string(view.name());
    const auto machine = Machine::named(model);
    ASSERT_TRUE(machine) << model << ": " << machine.error().text();
    for (const EventInfo& event : machine->events()) {
      ++events;
      if (!comes_back(*machine, event)) lost[{model, event.pmu}].push_back(event.name);
    }
  }
  EXPECT_GT(events, 1000u);
  for (const auto& [where, names] : lost)
    ADD_FAILURE() << where.first << " " << where.second << ": " << names.size() << " events, first "
                  << names.front();
}

}  // namespace
}  // namespace evname
