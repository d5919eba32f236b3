// What counts as a difference between the events of two CPUs. Expected rows are written by hand.

#include "diff/compare.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evname::tools {
namespace {

CodedEvent on(std::string_view pmu, std::string_view name, std::uint64_t config) {
  return {pmu, name, ConfigWords{config}, pmu.starts_with("cpu"), false, {}};
}
CodedEvent cpu(std::string_view name, std::uint64_t config) { return on("cpu", name, config); }
CodedEvent deprecated(std::string_view name, std::uint64_t config) {
  CodedEvent event = cpu(name, config);
  event.deprecated = true;
  return event;
}
CodedEvent without_code(std::string_view name) {
  CodedEvent event = cpu(name, 0);
  event.code.reset();
  return event;
}

/// "name: cpu/old -> cpu/new", one a line.
std::string rows_of(const std::vector<CodedEvent>& a, const std::vector<CodedEvent>& b) {
  constexpr const char* kChanges[] = {"only_a", "only_b", "code", "name"};
  const auto text = [](const CodedEvent* event) {
    return event == nullptr ? "-" : std::string(event->pmu) + "/" + std::string(event->name);
  };
  std::string out;
  for (const Difference& row : compare_events(a, b))
    out += std::string(kChanges[static_cast<std::size_t>(row.change)]) + ": " + text(row.a) +
           " -> " + text(row.b) + (row.change == Change::name && row.kept ? " (kept)\n" : "\n");
  return out;
}

struct CompareCase {
  const char* what;
  std::vector<CodedEvent> a, b;
  const char* rows;
};

const CompareCase kCases[] = {
    {"nothing of nothing", {}, {}, ""},
    {"the same event is no difference", {cpu("e", 1)}, {cpu("e", 1)}, ""},
    {"a name and code of one side",
     {cpu("old", 1)},
     {cpu("new", 2)},
     "only_a: cpu/old -> -\nonly_b: - -> cpu/new\n"},
    {"another code", {cpu("e", 1)}, {cpu("e", 2)}, "code: cpu/e -> cpu/e\n"},
    {"another name", {cpu("old", 1)}, {cpu("new", 1)}, "name: cpu/old -> cpu/new\n"},
    {"a name less for a code that keeps one",
     {cpu("e", 1), cpu("old", 1)},
     {cpu("e", 1)},
     "name: cpu/old -> cpu/e\n"},
    {"a name more for a code that has one",
     {cpu("e", 1)},
     {cpu("e", 1), cpu("new", 1)},
     "name: cpu/e -> cpu/new (kept)\n"},
    {"the best of several names, and then the others",
     {cpu("old", 1)},
     {cpu("long_one", 1), cpu("new", 1)},
     "name: cpu/old -> cpu/new\nname: cpu/old -> cpu/long_one\n"},
    {"a deprecated name comes last",
     {cpu("old", 1), cpu("x", 2)},
     {deprecated("n", 1), cpu("current", 1), cpu("n2", 2), cpu("x", 2)},
     "name: cpu/old -> cpu/current\nname: cpu/old -> cpu/n\nname: cpu/x -> cpu/n2 (kept)\n"},
    {"names that change places have other codes",
     {cpu("e", 1), cpu("f", 2)},
     {cpu("e", 2), cpu("f", 1)},
     "code: cpu/e -> cpu/e\ncode: cpu/f -> cpu/f\n"},
    {"codes of different PMUs are not compared",
     {on("uncore_imc", "e", 1)},
     {on("uncore_cha", "f", 1)},
     "only_a: uncore_imc/e -> -\nonly_b: - -> uncore_cha/f\n"},
    {"a core PMU without namesake is compared with all that have none",
     {cpu("e", 1), cpu("old", 3), cpu("gone", 9)},
     {on("cpu_atom", "e", 2), on("cpu_core", "e", 1), on("cpu_core", "new", 3),
      on("cpu_atom", "more", 4)},
     "only_a: cpu/gone -> -\nonly_b: - -> cpu_atom/more\ncode: cpu/e -> cpu_atom/e\n"
     "name: cpu/old -> cpu_core/new\n"},
    {"and the other way round",
     {on("cpu_atom", "e", 2), on("cpu_core", "e", 1)},
     {cpu("e", 1)},
     "code: cpu_atom/e -> cpu/e\n"},
    {"core PMUs with a namesake are compared with nothing else",
     {on("cpu_atom", "e", 1), on("cpu_core", "f", 1)},
     {on("cpu_atom", "f", 1), on("cpu_core", "f", 1)},
     "name: cpu_atom/e -> cpu_atom/f\n"},
    {"a core PMU without namesake is not compared with one that has its own",
     {cpu("e", 1), on("cpu_atom", "x", 5)},
     {on("cpu_atom", "e", 1), on("cpu_atom", "x", 5)},
     "only_a: cpu/e -> -\nonly_b: - -> cpu_atom/e\n"},
    {"an event without code is known by its name only",
     {without_code("e"), without_code("old")},
     {cpu("e", 1), without_code("new")},
     "only_a: cpu/old -> -\nonly_b: - -> cpu/new\n"},
};

TEST(CompareEvents, TellsEachDifferenceInTheRightRow) {
  for (const CompareCase& row : kCases) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(rows_of(row.a, row.b), row.rows);
  }
}

TEST(CompareEvents, AllFourWordsCount) {
  for (std::size_t word = 0; word < 4; ++word) {
    CodedEvent a = cpu("e", 0), b = cpu("e", 0);
    (*b.code)[word] = 1;
    EXPECT_EQ(rows_of({a}, {b}), "code: cpu/e -> cpu/e\n") << word;
  }
}

}  // namespace
}  // namespace evname::tools
