// Things that differ in one part of their identity alone: the box of a PMU, the PMU, the code under
// one given name, the value of a field that users set. Everything that the C++ and C interfaces say
// about one of them means that one and not the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "evname/evname.h"
#include "evname/machine.hpp"
#include "evname/schedule.hpp"

namespace evname {
namespace {

struct Pair {
  const char* differs_in;
  const char* cpu;
  std::array<const char*, 2> texts;
  std::array<const char*, 2>
      identities;  ///< "PMU config,config1": perf's parser, the kernel's rules
};

/// The codes are from perf 7.3's parser with a sysfs tree of the CPU. If a machine is only named,
/// it has no boxes, and the text's own box identifies the event.
constexpr Pair kPairs[] = {
    {"box",
     "skylakex",
     {"uncore_cha_0/unc_cha_clockticks/", "uncore_cha_1/unc_cha_clockticks/"},
     {"uncore_cha_0 0x0,0x0", "uncore_cha_1 0x0,0x0"}},
    {"box, spelled out",
     "skylakex",
     {"uncore_imc_2/event=4,umask=3/", "imc_5/event=4,umask=3/"},
     {"uncore_imc_2 0x304,0x0", "uncore_imc_5 0x304,0x0"}},
    {"box or all boxes",
     "skylakex",
     {"uncore_imc/unc_m_cas_count.rd/", "uncore_imc_3/unc_m_cas_count.rd/"},
     {"uncore_imc 0x304,0x0", "uncore_imc_3 0x304,0x0"}},
    {"box, as libpfm4 spells it",
     "skylakex",
     {"skx_unc_imc3::UNC_M_CAS_COUNT:RD", "skx_unc_imc4::UNC_M_CAS_COUNT:RD"},
     {"uncore_imc_3 0x304,0x0", "uncore_imc_4 0x304,0x0"}},
    {"box of a PMU that libpfm4 does not have",
     "graniterapids",
     {"gnr_unc_iio0::UNC_IIO_CLOCKTICKS", "gnr_unc_iio11::UNC_IIO_CLOCKTICKS"},
     {"uncore_iio_0 0x1,0x0", "uncore_iio_11 0x1,0x0"}},
    {"PMU",
     "alderlake",
     {"cpu_core/event=0xc0/", "cpu_atom/event=0xc0/"},
     {"cpu_core 0xc0,0x0", "cpu_atom 0xc0,0x0"}},
    {"umask under one name",
     "amdzen5",
     {"cpu/event=0xa9,umask=0x1,name=de_op_queue_empty/", "cpu/event=0xa9,name=de_op_queue_empty/"},
     {"cpu 0x1a9,0x0", "cpu 0xa9,0x0"}},
    {"event and name",
     "skylakex",
     {"cpu/inst_retired.any_p,name=x/", "cpu/br_inst_retired.all_branches,name=x/"},
     {"cpu 0xc0,0x0", "cpu 0xc4,0x0"}},
    {"value of ldlat",
     "skylakex",
     {"cpu/mem-loads,ldlat=30/", "cpu/mem-loads,ldlat=0x80/"},
     {"cpu 0x1cd,0x1f", "cpu 0x1cd,0x83"}},
};

std::string identity_of(std::string_view pmu, const Code& code) {
  return fmt::format("{} {:#x},{:#x}", pmu, code.config[0], code.config[1]);
}

std::string resolved(const Machine& machine, std::string_view text) {
  const auto found = machine.resolve(text);
  if (!found) return found.error().text();
  std::string out;
  for (const Encoding& e : *found) out += (out.empty() ? "" : " + ") + identity_of(e.pmu, e.code);
  return out;
}

class Identity : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    auto named = Machine::named(GetParam().cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(named) << named.error().text();
    machine_ = std::make_unique<Machine>(std::move(*named));
  }
  Encoding one(std::size_t i) const {
    const auto found = machine_->resolve(GetParam().texts[i]);
    EXPECT_TRUE(found) << found.error().text();
    return found ? found->front() : Encoding();
  }
  std::unique_ptr<Machine> machine_;
};

TEST_P(Identity, IsResolved) {
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(resolved(*machine_, GetParam().texts[i]), GetParam().identities[i]);
}

TEST_P(Identity, IsThatOfTheTextWhateverTheNameIs) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Encoding e = one(i);
    if (e.source != Source::raw && !e.has_given_name()) continue;
    EXPECT_EQ(resolved(*machine_, e.text()), GetParam().identities[i]) << e.text();
  }
}

TEST_P(Identity, IsThatOfTheNameOfTheCode) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Encoding e = one(i);
    const std::string name = machine_->name_of(e);
    EXPECT_EQ(resolved(*machine_, name), GetParam().identities[i]) << name;
    const CodeNames names = machine_->names_of(e.pmu, e.code);
    EXPECT_EQ(names.pmu, e.pmu);
    ASSERT_FALSE(names.names.empty() && names.terms.empty());
    const std::string event = names.names.empty() ? names.terms
                              : names.exact       ? names.names.front()
                                                  : names.names.front() + "," + names.qualifiers;
    EXPECT_EQ(resolved(*machine_, fmt::format("{}/{}/", names.pmu, event)),
              GetParam().identities[i])
        << event;
  }
}

TEST_P(Identity, KeepsEventsOfAScheduleApart) {
  const Pair& pair = GetParam();
  const auto made =
      schedule(*machine_, fmt::format("{},{},{}", pair.texts[0], pair.texts[1], pair.texts[0]));
  ASSERT_TRUE(made) << made.error().text();
  std::multiset<std::string> scheduled;
  for (const Schedule::Pmu& pmu : made->pmus)
    for (const Schedule::Group& group : pmu.groups)
      for (const Schedule::Event& event : group)
        for (const std::string& name : pmu.pmus) {
          const Encoding& e = made->events[event.event];
          const bool joined = pmu.pmus.size() > 1;
          scheduled.insert(identity_of(joined ? std::string_view(name) : e.pmu, e.code));
        }
  EXPECT_EQ(scheduled, (std::multiset<std::string>{pair.identities[0], pair.identities[1]}));
}

TEST_P(Identity, IsThatOfC) {
  const Pair& pair = GetParam();
  evname_machine* machine = nullptr;
  evname_machine_options options{};
  options.flags = EVNAME_NO_USER_EVENTS;
  ASSERT_EQ(evname_machine_open(pair.cpu, &options, &machine, nullptr), EVNAME_OK);
  std::array<evname_attr, 2> attrs{};
  for (std::size_t i = 0; i < 2; ++i) {
    std::size_t count = 0;
    evname_error error;
    ASSERT_EQ(evname_resolve(machine, pair.texts[i], &attrs[i], 1, &count, &error), EVNAME_OK)
        << error.message;
    EXPECT_EQ(count, 1u);
  }
  for (std::size_t i = 0; i < 2; ++i)  // after both: what attrs point to lives with the machine
    EXPECT_EQ(identity_of(attrs[i].pmu, attrs[i].code), pair.identities[i]);
  evname_machine_free(machine);
}

INSTANTIATE_TEST_SUITE_P(Pairs, Identity, testing::ValuesIn(kPairs), [](const auto& info) {
  std::string name(info.param.differs_in);
  for (char& letter : name)
    if (letter == ' ' || letter == ',') letter = '_';
  return name;
});

/// The names of codes whose fields a user has set: the events of perf's sysfs files and of the
/// makers, with what perf ORs to them.
TEST(FieldsOfUsers, AreQualifiersOfAName) {
  struct Row {
    const char *cpu, *code, *name, *qualifiers;
  };
  constexpr Row kRows[] = {
      {"skylakex", "cpu/config=0x1cd,config1=0x1f/", "mem-loads", "ldlat=0x1f"},
      {"alderlake", "cpu_core/config=0x1cd,config1=0x1f/", "mem-loads", "ldlat=0x1f"},
      {"alderlake", "cpu_atom/config=0x5d0,config1=0x1f/", "mem-loads", "ldlat=0x1f"},
      {"skylakex", "cpu/event=0xcd,umask=1,config1=0x3,cmask=1/", "mem-loads", "cmask=0x1"},
      {"skylakex", "uncore_cha/event=0,config1=0x100000000/", "unc_cha_clockticks", "filter_rem=1"},
      {"amdzen4", "amd_l3/event=0x4,umask=0xff,threadmask=3/",
       "l3_lookup_state.all_coherent_accesses_to_l3", "threadmask=0x3"},
  };
  for (const Row& row : kRows) {
    const auto machine = Machine::named(row.cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine);
    const auto asked = machine->resolve(row.code);
    ASSERT_TRUE(asked) << asked.error().text();
    const CodeNames names = machine->names_of(asked->front().pmu, asked->front().code);
    ASSERT_FALSE(names.names.empty()) << row.code;
    EXPECT_EQ(names.names.front(), row.name) << row.code;
    EXPECT_EQ(names.qualifiers, row.qualifiers) << row.code;
    const std::string typed = fmt::format("{}/{},{}/", names.pmu, row.name, row.qualifiers);
    EXPECT_EQ(resolved(*machine, typed), resolved(*machine, row.code)) << typed;
  }
}

/// A value that perf cannot make of the event, as it only adds bits, is not named after it.
TEST(FieldsOfUsers, NameNothingThatPerfCannotMake) {
  const auto machine = Machine::named("skylakex", {}, {}, UserEvents::leave_out);
  ASSERT_TRUE(machine);
  const CodeNames names = machine->names_of("cpu", make_code(4, {0x1cd, 0x1c}));
  EXPECT_TRUE(names.names.empty()) << names.names.front();
  EXPECT_EQ(names.terms, "event=0xcd,umask=0x1,ldlat=0x1c");
}

/// arch/x86/events/amd/core.c: from family 17h on event 0x003 takes an even counter and the next.
TEST(PairedCounters, AreTwo) {
  struct Row {
    const char *cpu, *events;
    std::size_t groups;  ///< 0: cannot be counted at once
  };
  constexpr const char* kFive =
      "ex_ret_instr,ls_not_halted_cyc,ex_ret_ops,ex_ret_brn,ex_ret_brn_misp";
  const std::string fits =
      "{fp_ret_sse_avx_ops.all,ex_ret_instr,ls_not_halted_cyc,ex_ret_ops,ex_ret_brn}";
  const std::string too_many = fmt::format("{{fp_ret_sse_avx_ops.all,{}}}", kFive);
  const std::string alone = fmt::format("fp_ret_sse_avx_ops.all,{}", kFive);
  const Row rows[] = {
      {"amdzen5", fits.c_str(), 1},
      {"amdzen5", too_many.c_str(), 0},
      {"amdzen5", alone.c_str(), 2},
      {"amdzen2", "cpu/event=3,umask=1/,cpu/event=3,umask=2/,cpu/event=3,umask=4/", 1},
      {"amdzen2",
       "cpu/event=3,umask=1/,cpu/event=3,umask=2/,cpu/event=3,umask=4/,cpu/event=3,umask=8/", 2},
      {"AuthenticAMD-21-2-0",
       "cpu/event=3,umask=1/,cpu/event=3,umask=2/,cpu/event=3,umask=4/,cpu/event=3,umask=8/", 1},
  };
  for (const Row& row : rows) {
    const auto machine = Machine::named(row.cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine) << row.cpu;
    const auto made = schedule(*machine, row.events);
    if (row.groups == 0) {
      EXPECT_FALSE(made) << row.events;
      continue;
    }
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->pmus.front().groups.size(), row.groups) << row.cpu << ' ' << row.events;
  }
}

}  // namespace
}  // namespace evname
