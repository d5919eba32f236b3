#include "emit/pfm_tables.hpp"
#include "events/machine/code_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "evname/machine.hpp"
#include "input/machine.hpp"

namespace evname::tools {
namespace {

/// A core PMU of a model, and libpfm4's names of its events.
class NamedCore {
 public:
  NamedCore(const Machine& machine, std::string pmu) : machine_(machine), pmu_(std::move(pmu)) {
    for (const machine::Pfm4Name& name : machine::pfm4_names(machine)) {
      if (name.pmu != pmu_) continue;
      if (name_.empty()) name_ = name.name.substr(0, name.name.find("::"));
      auto& known = names_[{name.code.config[0], name.code.config[1]}];
      if (known.empty() || !name.is_alias) known = name.name.substr(name.name.find("::") + 2);
    }
  }

  const std::string& name() const { return name_; }

  /// Returns libpfm4's name of an event of this PMU; "" if there is none.
  std::string name_of(const std::string& event) const {
    const auto encodings = machine_.resolve(event);
    if (!encodings) return {};
    for (const Encoding& e : *encodings) {
      if (const auto native = std::ranges::find(kGeneric, event, &Generic::name);
          native != std::end(kGeneric))
        for (const std::string_view choice : split(native->natives, '|'))
          if (std::string name = name_of(std::string(choice)); !name.empty()) return name;
      if (e.pmu != pmu_) continue;
      const auto at = names_.find({e.code.config[0], e.code.config[1]});
      if (at != names_.end()) return at->second;
    }
    return {};
  }

  /// Returns the first existing name.
  std::string first_of(std::string_view events) const {
    for (const std::string_view event : split(events, '|'))
      if (std::string name = name_of(std::string(event)); !name.empty()) return name;
    return {};
  }

  /// Returns the names that begin with one of these.
  std::vector<std::string> that_begin(std::string_view beginnings) const {
    std::set<std::string> out;
    for (const auto& [code, name] : names_)
      for (const std::string_view beginning : split(beginnings, '|'))
        if (to_lower(name).starts_with(beginning)) out.insert(name);
    return {out.begin(), out.end()};
  }

 private:
  /// Events of the kernel, and equivalent events of CPUs.
  struct Generic {
    std::string_view name, natives;
  };
  static constexpr Generic kGeneric[] = {
      {"cycles",
       "cpu_clk_unhalted.thread_p|cpu_clk_unhalted.core_p|cpu_clk_unhalted.core|ls_not_halted_cyc|"
       "cpu_cycles|pm_cyc"},
      {"instructions", "inst_retired.any_p|ex_ret_instr|inst_retired|pm_inst_cmpl"},
      {"ref-cycles", "cpu_clk_unhalted.ref_tsc_p|cpu_clk_unhalted.ref_tsc"}};

  const Machine& machine_;
  std::string pmu_, name_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names_;
};

/// Calls fn(machine, core) for each core PMU of the rows' models. If models share a PMU, which has
/// one table, the first counts.
template <class Fn>
void for_each_core(std::span<const CpuRow> rows, Fn&& fn) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::set<std::string> named;
  for (const CpuRow& row : rows) {
    if (!row.wanted || !seen.emplace(row.arch, row.model).second) continue;
    const auto machine =
        Machine::named(fmt::format("{}/{}", row.arch, row.model), {}, {}, user_events());
    if (!machine) continue;
    for (const PmuInfo& pmu : machine->pmus()) {
      if (!pmu.is_core) continue;
      const NamedCore core(*machine, pmu.name);
      if (!core.name().empty() && named.insert(core.name()).second) fn(*machine, row, core);
    }
  }
}

/// Returns "PRESET,…" of a preset; "" if libpfm4 has no name for one of its events.
std::string preset_line(const machine::PapiPreset& preset, const NamedCore& core) {
  std::string natives;
  for (const auto* list : {&preset.added, &preset.taken})
    for (const std::string& event : *list) {
      const std::string name = core.name_of(event);
      if (name.empty()) return {};
      natives += "," + name;
    }
  const bool is_one = preset.added.size() == 1 && preset.taken.empty();
  const std::string_view kind = is_one                 ? "NOT_DERIVED"
                                : preset.taken.empty() ? "DERIVED_ADD"
                                                       : "DERIVED_SUB";
  return fmt::format("PRESET,{},{}{}\n", preset.name, kind, natives);
}

/// LLVM's events for checking its measurements (llvm/Target/TargetPfmCounters.td), and equivalent
/// events.
constexpr std::pair<std::string_view, std::string_view> kValidation[] = {
    {"InstructionRetired", "instructions"},
    {"L1DCacheLoadMiss",
     "mem_load_retired.l1_miss|mem_load_uops_retired.l1_miss|l1d_cache_refill_rd|l1d_cache_refill"},
    {"L1DCacheStoreMiss", "l2_rqsts.rfo_miss|l1d_cache_refill_wr"},
    {"L1ICacheLoadMiss", "icache_64b.iftag_miss|icache_tag.misses|icache.misses|l1i_cache_refill"},
    {"DataTLBLoadMiss",
     "dtlb_load_misses.miss_causes_a_walk|dtlb_load_misses.walk_completed|l1d_tlb_refill_rd"},
    {"DataTLBStoreMiss",
     "dtlb_store_misses.miss_causes_a_walk|dtlb_store_misses.walk_completed|l1d_tlb_refill_wr"},
    {"InstructionTLBLoadMiss",
     "itlb_misses.miss_causes_a_walk|itlb_misses.walk_completed|l1i_tlb_refill"},
    {"BranchPredictionMiss",
     "br_misp_retired.all_branches|ex_ret_brn_misp|br_mis_pred_retired|br_mis_pred"}};

constexpr std::string_view kUops =
    "uops_issued.any|uops_retired.retire_slots|uops_retired.slots|ex_ret_ops|op_retired|inst_spec";
constexpr std::string_view kPorts =
    "uops_dispatched_port:port|uops_dispatched:port|uops_executed_port:port";

/// "GraniteRapids" of "granite-rapids": an identifier of TableGen.
std::string identifier_of(std::string_view name) {
  std::string out;
  bool starts = true;
  for (const char letter : name) {
    if (!is_alphanumeric(letter)) {
      starts = true;
      continue;
    }
    out += starts && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
    starts = false;
  }
  return out;
}

std::string counters_of(const CpuRow& row, const NamedCore& core) {
  std::string out = fmt::format("// {} {}: libpfm4's PMU {}\n", row.arch, row.model, core.name());
  const std::string record = identifier_of(core.name());
  out += fmt::format("def {}PfmCounters : ProcPfmCounters {{\n", record);
  if (const std::string cycles = core.name_of("cycles"); !cycles.empty())
    out += fmt::format("  let CycleCounter = PfmCounter<\"{}\">;\n", cycles);
  if (const std::string uops = core.first_of(kUops); !uops.empty())
    out += fmt::format("  let UopsCounter = PfmCounter<\"{}\">;\n", uops);
  if (const auto ports = core.that_begin(kPorts); !ports.empty()) {
    out += "  // The scheduling model defines the resources.\n  let IssueCounters = [\n";
    for (const std::string& port : ports) {
      if (port.ends_with("_CORE")) continue;  // of both threads
      out += fmt::format("    PfmIssueCounter<\"{}{}\", \"{}\">,\n", record,
                         identifier_of(to_lower(port.substr(port.find(':') + 1))), port);
    }
    out += "  ];\n";
  }
  std::string checks;
  for (const auto& [event, choices] : kValidation)
    if (const std::string name = core.first_of(choices); !name.empty())
      checks += fmt::format("    PfmValidationCounter<{}, \"{}\">,\n", event, name);
  if (!checks.empty()) out += "  let ValidationCounters = [\n" + checks + "  ];\n";
  return out + "}\n\n";
}

}  // namespace

std::string papi_presets(std::span<const CpuRow> rows) {
  std::string out = "# Presets of PAPI by evname; PAPI_CSV_EVENT_FILE names the file.\n";
  for_each_core(rows, [&](const Machine& machine, const CpuRow& row, const NamedCore& core) {
    out += fmt::format("#\n# {} {}\nCPU,{}\n", row.arch, row.model, core.name());
    for (const machine::PapiPreset& preset : machine::papi_presets(machine))
      out += preset_line(preset, core);
  });
  return out;
}

std::string llvm_counters(std::span<const CpuRow> rows) {
  std::string out = "// Counters of scheduling models by evname, in the names of libpfm4.\n\n";
  for_each_core(rows, [&](const Machine&, const CpuRow& row, const NamedCore& core) {
    out += counters_of(row, core);
  });
  return out;
}

}  // namespace evname::tools
