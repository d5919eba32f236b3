// Implements the schedules, metrics and top-down trees of events.h.

#include <algorithm>
#include <optional>

#include "c/handles.hpp"
#include "evname/metric.hpp"
#include "evname/schedule.hpp"
#include "evname/topdown.hpp"

using namespace evname::c;

namespace {

using evname::Errc;
using evname::fail;
using evname::GroupConstraint;
using evname::Result;

static_assert(static_cast<int>(GroupConstraint::none) == EVNAME_GROUP_CAN);
static_assert(static_cast<int>(GroupConstraint::no_group_events) == EVNAME_GROUP_NEVER);
static_assert(static_cast<int>(GroupConstraint::no_group_events_nmi) == EVNAME_GROUP_NOT_NMI);
static_assert(static_cast<int>(GroupConstraint::no_group_events_smt) == EVNAME_GROUP_NOT_SMT);
static_assert(static_cast<int>(GroupConstraint::no_threshold_and_nmi) ==
              EVNAME_GROUP_NOT_NMI_THRESHOLD);
static_assert(static_cast<int>(evname::TopdownNode::Share::parent) == EVNAME_SHARE_OF_PARENT);
static_assert(evname::TopdownNode::kNone == EVNAME_NO_NODE);

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

std::vector<evname::EventCount> counts_of(const evname_event_count* counts, std::size_t count) {
  std::vector<evname::EventCount> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({counts[i].value, counts[i].sources});
  return out;
}

void fill(const evname::MetricEvent& event, evname_metric_event* out) {
  *out = {event.text.c_str(), event.problem.c_str(), event.encodings.size(),
          event.is_tool(),    event.for_threshold,   {}};
}

Result<evname::ScheduleOptions> options_of(const evname_schedule_options* from) {
  evname::ScheduleOptions to;
  if (from == nullptr) return to;
  if (auto good = check_reserved(from->reserved); !good) return fail(good);
  if (from->constraint > EVNAME_GROUP_NOT_SMT)
    return fail(Errc::invalid_argument, "there is no such constraint");
  to.constraint = static_cast<GroupConstraint>(from->constraint);
  to.nmi_watchdog = from->nmi_watchdog != 0;
  to.smt = from->smt != 0;
  if (from->generic_counters > 0) to.generic_counters = from->generic_counters;
  return to;
}

/// Writes the text of a gap, which `find` returns.
template <class Find>
int write_gap(Needed used, char* buffer, std::size_t size, std::size_t* needed, evname_error* error,
              Find&& find) {
  set(needed, 0);
  if (size > 0) set(buffer, '\0');
  return guarded(error, used, [&]() -> Result<void> {
    const Result<evname::MetricSet::Gap> gap = find();
    if (!gap) return fail(gap);
    const std::size_t length = copy_text(gap->text, buffer, size);
    if (needed != nullptr) *needed = length;
    return {};
  });
}

}  // namespace

struct evname_schedule {
  /// The lists of a group that C has pointers to.
  struct GroupArrays {
    const evname::Schedule::Pmu* pmu;
    std::vector<const char*> pmus, counters;
    std::vector<std::size_t> events;
  };

  evname_schedule(evname::Machine resolved, evname::Schedule found)
      : machine(std::move(resolved)), schedule(std::move(found)) {
    for (const evname::Encoding& event : schedule.events) names.emplace_back(event.name);
    for (const evname::Schedule::Pmu& pmu : schedule.pmus)
      for (const evname::Schedule::Group& group : pmu.groups) add(pmu, group);
  }

  void add(const evname::Schedule::Pmu& pmu, const evname::Schedule::Group& group) {
    GroupArrays& arrays = groups.emplace_back();
    arrays.pmu = &pmu;
    arrays.pmus = pointers_to(pmu.pmus);
    for (const evname::Schedule::Event& event : group) {
      arrays.events.push_back(event.event);
      arrays.counters.push_back(event.counter.c_str());
    }
  }

  evname::Machine machine;  ///< owns the texts of the events
  evname::Schedule schedule;
  std::vector<std::string> names;
  std::vector<GroupArrays> groups;
};

struct evname_metrics {
  std::span<const evname::MetricInfo> all() const { return set ? set->metrics() : listed; }

  /// Adds metrics by calling `add`. If there is no memory for them, the set is empty afterwards.
  template <class Add>
  Result<void> change(Add&& add) {
    groups.clear();
    Result<void> done = add();
    std::vector<std::vector<const char*>> fresh;
    for (const evname::MetricInfo& metric : all()) fresh.push_back(pointers_to(metric.groups));
    groups = std::move(fresh);
    return done;
  }

  /// The set of metrics; nullopt for a list.
  std::optional<evname::MetricSet> set;
  std::optional<evname::Machine> machine;
  std::optional<evname::MetricFacts> facts;
  std::vector<evname::MetricInfo> listed;
  std::vector<std::vector<const char*>> groups;  ///< of each metric
};

struct evname_topdown {
  explicit evname_topdown(evname::TopdownTree built) : tree(std::move(built)) {
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
      samples.push_back(pointers_to(tree.nodes()[i].sample));
      events.push_back(tree.events_of(std::span(&i, 1)));
    }
  }

  evname::TopdownTree tree;
  std::vector<std::vector<const char*>> samples;  ///< of each node
  std::vector<std::vector<std::size_t>> events;   ///< of each node
};

int evname_schedule_options_live(const char* sysfs, const char* procfs,
                                 evname_schedule_options* out) {
  set(out, {EVNAME_GROUP_CAN, 0, 1, 0, {}});
  return guarded(nullptr, {out}, [&] {
    const auto live = evname::ScheduleOptions::live(roots_of(sysfs, procfs));
    out->nmi_watchdog = live.nmi_watchdog;
    out->smt = live.smt;
    out->generic_counters = live.generic_counters.value_or(0);
  });
}

int evname_schedule_new(const evname_machine* machine, const char* events,
                        const evname_schedule_options* options, evname_schedule** out,
                        evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, events, out}, [&]() -> Result<void> {
    const auto how = options_of(options);
    if (!how) return evname::fail(how);
    auto found = evname::schedule(machine->machine, std::string_view(events), *how);
    if (!found) return evname::fail(std::move(found));
    *out = new evname_schedule(machine->machine, std::move(*found));
    return {};
  });
}

void evname_schedule_free(evname_schedule* schedule) { delete schedule; }

size_t evname_schedule_event_count(const evname_schedule* schedule) {
  return schedule == nullptr ? 0 : schedule->names.size();
}

int evname_schedule_event_at(const evname_schedule* schedule, size_t index, evname_attr* out,
                             const char** name) {
  if (lacks({schedule, out})) return EVNAME_INVALID_ARGUMENT;
  return evname::c::event_at(schedule->schedule.events, schedule->names, index, out, name);
}

size_t evname_schedule_group_count(const evname_schedule* schedule) {
  return schedule == nullptr ? 0 : schedule->groups.size();
}

int evname_schedule_group_at(const evname_schedule* schedule, size_t index,
                             evname_scheduled_group* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->why = "";
  if (schedule == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= schedule->groups.size()) return EVNAME_OUT_OF_RANGE;
  const evname_schedule::GroupArrays& group = schedule->groups[index];
  out->pmus = group.pmus.data();
  out->pmus_count = group.pmus.size();
  out->events = group.events.data();
  out->counters = group.counters.data();
  out->events_count = group.events.size();
  out->generic_counters = group.pmu->generic_counters;
  out->fixed_counters = group.pmu->fixed_counters;
  out->grouped = group.pmu->grouped;
  out->smallest = group.pmu->smallest;
  out->why = group.pmu->why.c_str();
  return EVNAME_OK;
}

const char* evname_schedule_warning(const evname_schedule* schedule, size_t index) {
  return schedule == nullptr ? "" : warning_at(schedule->schedule.warnings, index);
}

int evname_metrics_list(const evname_machine* machine, const char* glob, const char* group,
                        evname_metrics** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, out}, [&]() -> Result<void> {
    auto metrics = std::make_unique<evname_metrics>();
    metrics->change([&]() -> Result<void> {
      metrics->listed = evname::list_metrics(machine->machine, glob == nullptr ? "*" : glob,
                                             group == nullptr ? "" : group);
      return {};
    });
    *out = metrics.release();
    return {};
  });
}

int evname_metrics_new(const evname_machine* machine, int live, evname_metrics** out,
                       evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, out}, [&] {
    auto metrics = std::make_unique<evname_metrics>();
    const evname::Machine& from = machine->machine;
    metrics->machine = from;
    metrics->facts = live ? evname::MetricFacts::live(from) : evname::MetricFacts(from);
    metrics->set.emplace(from, *metrics->facts);
    *out = metrics.release();
  });
}

void evname_metrics_free(evname_metrics* metrics) { delete metrics; }

int evname_metrics_set_fact(evname_metrics* metrics, const char* name, double value,
                            evname_error* error) {
  return guarded(error, {metrics, name}, [&]() -> Result<void> {
    if (!metrics->set || !metrics->set->metrics().empty())
      return fail(Errc::invalid_argument, "facts are set before metrics are added");
    if (!metrics->facts->set(name, value))
      return fail(Errc::not_found, std::string("there is no fact ") + name);
    evname::MetricSet fresh(*metrics->machine, *metrics->facts);
    metrics->set = std::move(fresh);
    return {};
  });
}

int evname_metrics_add(evname_metrics* metrics, const char* name, evname_error* error) {
  return guarded(error, {metrics, name}, [&]() -> Result<void> {
    if (!metrics->set) return fail(Errc::invalid_argument, "nothing can be added to a list");
    return metrics->change([&] { return metrics->set->add(name); });
  });
}

int evname_metrics_add_expression(evname_metrics* metrics, const char* name, const char* expr,
                                  evname_error* error) {
  return guarded(error, {metrics, name, expr}, [&]() -> Result<void> {
    if (!metrics->set) return fail(Errc::invalid_argument, "nothing can be added to a list");
    return metrics->change([&] { return metrics->set->add_expression(name, expr); });
  });
}

const char* evname_metrics_warning(const evname_metrics* metrics, size_t index) {
  return metrics != nullptr && metrics->set ? warning_at(metrics->set->warnings(), index) : "";
}

size_t evname_metrics_count(const evname_metrics* metrics) {
  return metrics == nullptr ? 0 : metrics->groups.size();
}

int evname_metrics_at(const evname_metrics* metrics, size_t index, evname_metric* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->name = out->desc = out->long_desc = out->expr = out->threshold = "";
  out->unit = out->pmu = out->model = "";
  if (metrics == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= metrics->groups.size()) return EVNAME_OUT_OF_RANGE;
  const evname::MetricInfo& metric = metrics->all()[index];
  out->name = metric.name.c_str();
  out->desc = metric.desc.c_str();
  out->long_desc = metric.long_desc.c_str();
  out->expr = metric.expr.c_str();
  out->threshold = metric.threshold.c_str();
  out->unit = metric.unit.c_str();
  out->pmu = metric.pmu.c_str();
  out->model = metric.model.c_str();
  out->groups = metrics->groups[index].data();
  out->groups_count = metrics->groups[index].size();
  if (metrics->set) {
    out->events = metrics->set->events_of(index).data();
    out->events_count = metrics->set->events_of(index).size();
  }
  out->constraint = static_cast<std::uint32_t>(metric.constraint);
  return EVNAME_OK;
}

size_t evname_metrics_event_count(const evname_metrics* metrics) {
  return metrics == nullptr ? 0 : metrics->set ? metrics->set->events().size() : 0;
}

int evname_metrics_event_at(const evname_metrics* metrics, size_t index, evname_metric_event* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", 0, 0, 0, {}};
  if (metrics == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= evname_metrics_event_count(metrics)) return EVNAME_OUT_OF_RANGE;
  fill(metrics->set->events()[index], out);
  return EVNAME_OK;
}

int evname_metrics_evaluate(const evname_metrics* metrics, const evname_event_count* counts,
                            size_t counts_count, evname_metric_value* out, size_t room,
                            evname_error* error) {
  return guarded(
      error, {metrics, array(counts, counts_count), array(out, room)}, [&]() -> Result<void> {
        if (!metrics->set) return fail(Errc::invalid_argument, "a list has no values");
        const auto values = metrics->set->evaluate(counts_of(counts, counts_count));
        for (std::size_t i = 0; i < std::min(room, values.size()); ++i)
          out[i] = {values[i].value, values[i].has_value(),
                    values[i].beyond ? static_cast<std::int32_t>(*values[i].beyond) : -1};
        return {};
      });
}

int evname_metrics_explain(const evname_metrics* metrics, size_t index,
                           const evname_event_count* counts, size_t counts_count, char* buffer,
                           size_t size, size_t* needed, evname_error* error) {
  const Needed used = {metrics, array(counts, counts_count), array(buffer, size)};
  return write_gap(used, buffer, size, needed, error, [&]() -> Result<evname::MetricSet::Gap> {
    if (!metrics->set || index >= metrics->set->metrics().size())
      return fail(Errc::out_of_range, "there is no such metric");
    return metrics->set->explain(index, counts_of(counts, counts_count));
  });
}

int evname_topdown_new(const evname_metrics* metrics, const char* pmu, evname_topdown** out,
                       evname_error* error) {
  set(out, nullptr);
  return guarded(error, {metrics, out}, [&]() -> Result<void> {
    if (!metrics->set) return fail(Errc::invalid_argument, "a list has no facts");
    auto tree = evname::TopdownTree::of(*metrics->machine, *metrics->facts,
                                        pmu == nullptr ? std::string_view() : pmu);
    if (!tree) return fail(std::move(tree));
    *out = std::make_unique<evname_topdown>(std::move(*tree)).release();
    return {};
  });
}

void evname_topdown_free(evname_topdown* topdown) { delete topdown; }

size_t evname_topdown_count(const evname_topdown* topdown) {
  return topdown == nullptr ? 0 : topdown->samples.size();
}

int evname_topdown_at(const evname_topdown* topdown, size_t index, evname_topdown_node* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->name = out->desc = out->threshold = out->problem = "";
  if (topdown == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= topdown->samples.size()) return EVNAME_OUT_OF_RANGE;
  const evname::TopdownNode& node = topdown->tree.nodes()[index];
  out->name = node.name.c_str();
  out->desc = node.desc.c_str();
  out->threshold = node.threshold.c_str();
  out->problem = node.problem.c_str();
  out->samples = topdown->samples[index].data();
  out->samples_count = topdown->samples[index].size();
  out->events = topdown->events[index].data();
  out->events_count = topdown->events[index].size();
  out->parent = node.parent;
  out->level = node.level;
  out->share = static_cast<std::uint32_t>(node.share);
  return EVNAME_OK;
}

size_t evname_topdown_event_count(const evname_topdown* topdown) {
  return topdown == nullptr ? 0 : topdown->tree.events().size();
}

int evname_topdown_event_at(const evname_topdown* topdown, size_t index, evname_metric_event* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", 0, 0, 0, {}};
  if (topdown == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= topdown->tree.events().size()) return EVNAME_OUT_OF_RANGE;
  fill(topdown->tree.events()[index], out);
  return EVNAME_OK;
}

int evname_topdown_evaluate(const evname_topdown* topdown, const evname_event_count* counts,
                            size_t counts_count, double* values, uint8_t* flagged, size_t room,
                            evname_error* error) {
  return guarded(error, {topdown, array(counts, counts_count), array(values, room)}, [&] {
    topdown->tree.evaluate(counts_of(counts, counts_count), {values, room},
                           {flagged, flagged == nullptr ? 0 : room});
  });
}

size_t evname_topdown_next(const evname_topdown* topdown, const double* values,
                           const uint8_t* flagged, size_t count) {
  if (lacks({topdown, array(values, count), array(flagged, count)})) return EVNAME_NO_NODE;
  return topdown->tree.next({values, count}, {flagged, count});
}

int evname_topdown_explain(const evname_topdown* topdown, size_t index,
                           const evname_event_count* counts, size_t counts_count, char* buffer,
                           size_t size, size_t* needed, evname_error* error) {
  const Needed used = {topdown, array(counts, counts_count), array(buffer, size)};
  return write_gap(used, buffer, size, needed, error, [&]() -> Result<evname::MetricSet::Gap> {
    if (index >= topdown->samples.size()) return fail(Errc::out_of_range, "there is no such node");
    return topdown->tree.explain(index, counts_of(counts, counts_count));
  });
}
