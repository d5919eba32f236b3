#include "perf_format/scheduler_records.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace evname::perf_format {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint16_t kFirstKnown = 15, kBusyFirst = 16, kFourImbalances = 17, kLastKnown = 17;
/// The counts of a CPU that have 64 bits; the others have 32.
constexpr std::string_view kWide[] = {"rq_cpu_time", "run_delay", "pcount"};

Names make_domain_names(std::uint16_t version) {
  Names names;
  const auto balanced_when = [&](std::string_view state) {
    const auto add = [&](std::initializer_list<std::string_view> ends) {
      for (const std::string_view end : ends)
        names.push_back(std::string(state) + "_lb_" + std::string(end));
    };
    add({"count", "balanced", "failed"});
    if (version >= kFourImbalances)
      add({"imbalance_load", "imbalance_util", "imbalance_task", "imbalance_misfit"});
    else
      add({"imbalance"});
    add({"gained", "hot_gained", "nobusyq", "nobusyg"});
  };
  const bool busy_first = version >= kBusyFirst;
  for (const std::string_view state : {busy_first ? "busy" : "idle", busy_first ? "idle" : "busy"})
    balanced_when(state);
  balanced_when("newidle");
  for (const char* name : {"alb_count", "alb_failed", "alb_pushed", "sbe_count", "sbe_balanced",
                           "sbe_pushed", "sbf_count", "sbf_balanced", "sbf_pushed",
                           "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance"})
    names.emplace_back(name);
  return names;
}

/// Returns the names of a record's counts, in their order; they live as long as the program.
const Names& names_of(bool of_domain, std::uint16_t version) {
  static const Names cpu = {"yld_count",    "array_exp",  "sched_count",
                            "sched_goidle", "ttwu_count", "ttwu_local",
                            "rq_cpu_time",  "run_delay",  "pcount"};
  static const Names domains[] = {make_domain_names(15), make_domain_names(16),
                                  make_domain_names(17)};
  return of_domain ? domains[version - kFirstKnown] : cpu;
}

bool is_wide(std::string_view name) {
  return std::find(std::begin(kWide), std::end(kWide), name) != std::end(kWide);
}

}  // namespace

SchedulerStatistics read_scheduler_record(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  SchedulerStatistics out;
  out.from = out.to = in.u64();
  out.cpu = in.u32();
  out.version = in.u16();
  const std::uint16_t domain = in.u16();
  const bool of_domain = record.type == kRecordSchedstatDomain;
  if (of_domain) out.domain = domain;
  if (out.version < kFirstKnown || out.version > kLastKnown) return out;
  for (const std::string& name : names_of(of_domain, out.version)) {
    const std::uint64_t value = is_wide(name) ? in.u64() : in.u32();
    if (!in.ok()) break;
    out.counts.emplace_back(name, value);
  }
  return out;
}

void SchedulerSums::add(const Record& record, std::endian order) {
  SchedulerStatistics now = read_scheduler_record(record, order);
  const std::pair key{now.cpu, now.domain ? static_cast<std::int32_t>(*now.domain) : -1};
  const auto [place, is_new] = places_.try_emplace(key, known_.size());
  if (is_new) {
    now.records = 1;
    known_.push_back({std::move(now), {}});
    return;
  }
  Known& known = known_[place->second];
  ++known.first.records;
  known.first.to = now.to;
  known.last.clear();
  if (now.version != known.first.version) return;  // another kernel's: nothing to compare
  for (const auto& [name, value] : now.counts) known.last.push_back(value);
}

std::vector<SchedulerStatistics> SchedulerSums::take() {
  std::vector<SchedulerStatistics> out;
  for (Known& known : known_) {
    auto& counts = known.first.counts;
    if (known.first.records > 1) counts.resize(std::min(counts.size(), known.last.size()));
    for (std::size_t i = 0; i < counts.size() && known.first.records > 1; ++i) {
      const std::uint64_t grown = known.last[i] - counts[i].second;
      counts[i].second = is_wide(counts[i].first) ? grown : static_cast<std::uint32_t>(grown);
    }
    out.push_back(std::move(known.first));
  }
  return out;
}

}  // namespace evname::perf_format
