// Every event of the oracle files: what perf 6.12 encoded on real tables and a sysfs tree, but for
// the events whose facts have changed since then.
// Needs EVNAME_SHARED (oracle/*.tsv.gz, sysfs/*.tgz) and tables of these models.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "base/text.hpp"
#include "events/pmu/pmu.hpp"
#include "events/tables/registry.hpp"
#include "evname/machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

struct OracleCase {
  const char* name;
  const char* cpuid;
};
void PrintTo(const OracleCase& c, std::ostream* out) { *out << c.name; }

/// What perf set for one event on one PMU.
struct Row {
  std::string event, pmu;
  std::uint64_t config, config1, config2, period;
  bool operator==(const Row&) const = default;
};

std::string output_of(const std::string& command) {
  std::string out;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char block[65536];
  for (std::size_t got; pipe && (got = fread(block, 1, sizeof block, pipe.get())) > 0;)
    out.append(block, got);
  return out;
}

std::string text_of(const Row& row) {
  return fmt::format("{} on {}: {:#x} {:#x} {:#x} period {}", row.event, row.pmu, row.config,
                     row.config1, row.config2, row.period);
}

/// The kernel 7.3 has no such event any more.
constexpr std::string_view kRemoved = "upi_data_bandwidth_tx";

// Intel's UMaskExt of 2026 for the packet headers of Skylake-SP, which has a unit mask of 0 and
// which the kernel's tables leave out; the format of uncore_upi has its bits from config:32 up.
constexpr std::pair<std::string_view, std::uint64_t> kHeaders[] = {
    {"unc_upi_txl_hdr_match.loc", 0x02},           {"unc_upi_txl_hdr_match.rem", 0x04},
    {"unc_upi_txl_hdr_match.data_hdr", 0x08},      {"unc_upi_txl_hdr_match.non_data_hdr", 0x10},
    {"unc_upi_txl_hdr_match.dual_slot_hdr", 0x20}, {"unc_upi_txl_hdr_match.sgl_slot_hdr", 0x40}};

/// What the facts of later years make of a row of perf 6.12. perf 7.3 has the filters of the CHA
/// (config1=0x40233) 32 bits lower than 6.12.
Row brought_up_to_date(Row row) {
  if (row.event.starts_with("unc_cha_tor_") && (row.config1 & 0xffffffff) == 0) row.config1 >>= 32;
  for (const auto& [event, extension] : kHeaders)
    if (row.event == event) row.config |= extension << 32;
  return row;
}

class Oracle : public testing::TestWithParam<OracleCase> {
 protected:
  void SetUp() override {
    const char* shared = getenv("EVNAME_SHARED");
    if (shared == nullptr) GTEST_SKIP() << "EVNAME_SHARED is not set";
    if (tables::architectures().empty()) GTEST_SKIP() << "no tables are built in";
    shared_ = shared;
    read_rows();
  }

  void read_rows() {
    const std::string file = fmt::format("{}/oracle/{}.tsv.gz", shared_, GetParam().name);
    const std::string all = output_of("zcat " + file);
    const auto hex = [](std::string_view text) { return parse_number(text).value_or(~0ull); };
    for (const std::string_view line : split(all, '\n')) {
      const auto cells = split(line, '\t');
      if (cells.size() != 7 || cells[0] == "cpu_dir") continue;
      if (cells[1] == kRemoved) continue;
      rows_.push_back(
          brought_up_to_date({std::string(cells[1]), std::string(cells[2]), hex(cells[3]),
                              hex(cells[4]), hex(cells[5]), hex(cells[6])}));
    }
    ASSERT_FALSE(rows_.empty()) << file;
  }

  std::string shared_;
  std::vector<Row> rows_;
};

Row row_of(const std::string& event, const Encoding& e) {
  return {event,   std::string(e.pmu), e.code.config[0], e.code.config[1], e.code.config[2],
          e.period};
}

/// Mismatches are counted and the first few shown; a wrong rule breaks thousands.
class Mismatches {
 public:
  void add(const std::string& text) {
    if (++count_ <= 10) ADD_FAILURE() << text;
  }
  ~Mismatches() { EXPECT_EQ(count_, 0); }

 private:
  int count_ = 0;
};

TEST_P(Oracle, EveryEventIsEncodedAsPerfDoesOnItsSysfsTree) {
  const TempDir tree;
  ASSERT_TRUE(unpack_shared(tree, fmt::format("sysfs/{}.tgz", GetParam().name)));
  const auto machine = Machine::named(GetParam().cpuid, tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  Mismatches mismatches;
  std::map<std::string, std::vector<Row>> wanted;
  for (const Row& row : rows_) wanted[row.event].push_back(row);
  for (const auto& [event, rows] : wanted) {
    const auto found = machine->resolve(event);
    if (!found) {
      mismatches.add(event + ": " + found.error().text());
      continue;
    }
    if (found->size() != rows.size())
      mismatches.add(
          fmt::format("{}: {} encodings instead of {}", event, found->size(), rows.size()));
    for (const Row& row : rows) {
      const auto at = std::find_if(found->begin(), found->end(),
                                   [&](const Encoding& e) { return e.pmu == row.pmu; });
      if (at == found->end())
        mismatches.add("missing: " + text_of(row));
      else if (!(row_of(event, *at) == row))
        mismatches.add("wanted " + text_of(row) + " got " + text_of(row_of(event, *at)));
    }
  }
}

TEST_P(Oracle, EveryEventIsEncodedTheSameWithoutTheMachine) {
  const auto machine = Machine::named(GetParam().cpuid);
  ASSERT_TRUE(machine) << machine.error().text();
  Mismatches mismatches;
  for (const Row& row : rows_) {
    const auto found = machine->resolve(row.event);
    if (!found) {
      mismatches.add(row.event + ": " + found.error().text());
      continue;
    }
    bool same = false;
    for (const Encoding& e : *found)
      same |= row_of(row.event, e) == Row{row.event,   std::string(e.pmu), row.config,
                                          row.config1, row.config2,        row.period} &&
              (e.pmu == row.pmu || pmu::matches_ignoring_suffix(row.pmu, e.pmu));
    if (!same)
      mismatches.add("wanted " + text_of(row) + " got " +
                     text_of(row_of(row.event, found->front())));
  }
}

TEST_P(Oracle, EveryEncodingHasANameThatStandsForIt) {
  const auto machine = Machine::named(GetParam().cpuid);
  ASSERT_TRUE(machine) << machine.error().text();
  Mismatches mismatches;
  for (const Row& row : rows_) {
    const auto found = machine->resolve(row.event);
    if (!found) continue;  // the test above says so
    const Encoding& e = found->front();
    const auto back = machine->resolve(machine->name_of(e));
    bool same = false;
    for (const Encoding& b : back.value_or(std::vector<Encoding>()))
      same |= b.pmu == e.pmu && words_of(b.code) == words_of(e.code);
    if (!same) mismatches.add(row.event + " is named " + machine->name_of(e));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Oracle,
                         testing::Values(OracleCase{"skylakex", "GenuineIntel-6-55-4"},
                                         OracleCase{"skylake", "GenuineIntel-6-9E-9"},
                                         OracleCase{"amdzen4", "AuthenticAMD-25-61-2"},
                                         OracleCase{"neoverse-n1", "0x00000000410fd0c0"}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace evname::test
