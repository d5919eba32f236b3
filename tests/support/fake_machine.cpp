#include "support/fake_machine.hpp"

#include <algorithm>

#include "events/machine/machine_state.hpp"

namespace evname::test {
namespace {

const FieldTexts kCoreFields = {
    {"any", "config:21"},      {"cmask", "config:24-31"},       {"edge", "config:18"},
    {"event", "config:0-7"},   {"frontend", "config1:0-23"},    {"inv", "config:23"},
    {"ldlat", "config1:0-15"}, {"offcore_rsp", "config1:0-63"}, {"split", "config:0-3,60-63"},
    {"umask", "config:8-15"},
};
const FieldTexts kUncoreFields = {{"event", "config:0-7"}, {"umask", "config:8-15"}};

const FieldTexts kCoreEvents = {
    {"cpu-cycles", "event=0x3c"},
    {"instructions", "event=0xc0"},
    {"mem-loads", "event=0xcd,umask=0x1,ldlat=3"},
    {"inst_retired.any", "event=0x11"},
    {"MYUP", "event=0x22"},
    {"MixedCase", "event=0x33"},
    {"param", "event=0x44,umask=?"},
    {"wide", "event=0x1ff"},
};

pmu::Pmu uncore(std::string name, std::uint32_t type, const FieldTexts& events = {}) {
  pmu::Pmu pmu = make_pmu(std::move(name), type, kUncoreFields, events);
  pmu.is_uncore = true;
  pmu.cpus = "0";
  return pmu;
}

}  // namespace

pmu::Pmu make_pmu(std::string name, std::optional<std::uint32_t> type, const FieldTexts& fields,
                  const FieldTexts& events) {
  pmu::Pmu pmu;
  pmu.name = std::move(name);
  pmu.type = type;
  pmu.origin = pmu::Origin::sysfs;
  for (const auto& [field, text] : fields) pmu.formats.push_back(*pmu::parse_format(field, text));
  for (const auto& [event, terms] : events) {
    pmu::SysfsEvent row;
    row.name = event;
    row.terms = terms;
    pmu.events.push_back(row);
  }
  std::sort(pmu.formats.begin(), pmu.formats.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(pmu.events.begin(), pmu.events.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return pmu;
}

Machine make_machine(const EventTables& tables, std::size_t model, std::vector<pmu::Pmu> pmus) {
  auto state = std::make_shared<detail::MachineState>();
  state->match.model = tables.view(model);
  state->models = {state->match.model};
  state->match.matched_by = MatchedBy::cpuid;
  state->cpu.arch = state->match.model.arch().arch;
  state->cpu.model = state->match.model.name();
  state->cpu.matched_by = MatchedBy::cpuid;
  machine::bind_pmus(std::move(pmus), state.get());
  return detail::Access::make<Machine>(state);
}

const EventTables& skylakex_tables() {
  static const EventTables* const kTables = [] {
    auto* tables = new EventTables("x86");
    tables->add_model(
        "skylakex",
        {
            {.name = "INST_RETIRED.ANY", .terms = "event=0xc0,period=2000003", .desc = "Retired."},
            {.name = "cpu_clk_unhalted.thread", .terms = "event=0x3c,period=2000003"},
            {.name = "offcore_response.demand_data_rd.any_response",
             .terms = "event=0xb7,period=100003,umask=1,offcore_rsp=0x10001"},
            {.name = "mem_trans_retired.load_latency_gt_4",
             .terms = "event=0xcd,period=100003,umask=1,ldlat=0x4"},
            {.name = "frontend_retired.dsb_miss",
             .terms = "event=0xc6,period=100007,umask=1,frontend=0x11"},
            {.pmu = "uncore_cha", .name = "unc_cha_clockticks", .terms = "event=0"},
            {.pmu = "uncore_cha", .name = "unc_cha_requests.reads", .terms = "event=0x50,umask=3"},
            {.pmu = "uncore_imc",
             .name = "llc_misses.mem_read",
             .terms = "event=0x4,umask=0x3",
             .scale_unit = "64Bytes"},
            {.pmu = "uncore_iio",
             .name = "unc_iio_data_req_of_cpu.mem_read.part0",
             .terms = "event=0x83,umask=4"},
        });
    return tables;
  }();
  return *kTables;
}

std::vector<pmu::Pmu> skylakex_pmus() {
  std::vector<pmu::Pmu> pmus;
  pmus.push_back(make_pmu("cpu", 4, kCoreFields, kCoreEvents));
  pmus.back().is_core = true;
  pmus.push_back(uncore("uncore_cbox_0", 20, {{"clockticks", "event=0xff"}}));
  pmus.push_back(uncore("uncore_cbox_1", 21, {{"clockticks", "event=0xff"}}));
  pmus.push_back(uncore("uncore_cha_0", 24));
  pmus.push_back(uncore("uncore_cha_1f", 25));
  pmus.push_back(uncore("uncore_imc_0", 22));
  pmus.push_back(uncore("uncore_imc_free_running_0", 23, {{"read", "event=0xff,umask=0x20"}}));
  return pmus;
}

Machine skylakex_machine() { return make_machine(skylakex_tables(), 0, skylakex_pmus()); }

}  // namespace evname::test
