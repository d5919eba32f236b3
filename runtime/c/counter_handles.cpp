// Implements counters.h.

#include <algorithm>
#include <string>
#include <vector>

#include "c/handles.hpp"
#include "evname/counters.hpp"

using namespace evname::c;
using evname::Result;

struct evname_counters {
  explicit evname_counters(evname::Counters from) : counters(std::move(from)) {
    for (const evname::Encoding& e : counters.events()) names.emplace_back(e.name);
  }

  evname::Counters counters;
  std::vector<std::string> names;
};

namespace evname::c {

Result<CountTarget> count_target_of(const evname_count_target* from) {
  using Kind = CountTarget::Kind;
  CountTarget target;
  if (from == nullptr) return target;
  constexpr Kind kKinds[] = {Kind::this_thread, Kind::threads, Kind::processes, Kind::cpus,
                             Kind::cgroup};
  if (from->kind >= std::size(kKinds))
    return fail(Errc::invalid_argument, "kind is not an enum evname_count_kind");
  target.kind = kKinds[from->kind];
  if (auto good = check_reserved(from->reserved); !good) return fail(good);
  if (lacks({array(from->ids, from->ids_count), array(from->cpus, from->cpus_count)}))
    return fail(Errc::invalid_argument, "a list of the target is NULL");
  target.ids.assign(from->ids, from->ids + from->ids_count);
  target.cpus.assign(from->cpus, from->cpus + from->cpus_count);
  if (from->cgroup != nullptr) target.cgroup = from->cgroup;
  return target;
}

}  // namespace evname::c

namespace {

Result<evname::CounterOptions> options_of(std::uint32_t groups, std::uint32_t flags) {
  using evname::Grouping;
  constexpr Grouping kGroups[] = {Grouping::regrouped, Grouping::as_written, Grouping::scheduled,
                                  Grouping::single};
  constexpr std::uint32_t kAllFlags = 2 * EVNAME_COUNT_KERNEL_TOO - 1;
  if (groups >= std::size(kGroups))
    return evname::fail(evname::Errc::invalid_argument,
                        "groups is not an enum evname_count_groups");
  if (auto good = evname::c::check_flags(flags, kAllFlags); !good)
    return evname::fail(std::move(good));
  const auto has = [&](std::uint32_t flag) { return (flags & flag) != 0; };
  evname::CounterOptions options;
  options.groups = kGroups[groups];
  options.inherit = has(EVNAME_COUNT_INHERIT);
  options.enable_on_exec = has(EVNAME_COUNT_ENABLE_ON_EXEC);
  options.pinned = has(EVNAME_COUNT_PINNED);
  options.user_reads = !has(EVNAME_COUNT_NO_USER_READS);
  options.user_space_if_refused = !has(EVNAME_COUNT_KERNEL_TOO);
  options.partial = has(EVNAME_COUNT_PARTIAL);
  return options;
}

}  // namespace

int evname_counters_open(const evname_machine* machine, const char* events,
                         const evname_count_target* target, uint32_t groups, uint32_t flags,
                         evname_counters** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, events, out}, [&]() -> Result<void> {
    const auto where = evname::c::count_target_of(target);
    if (!where) return evname::fail(where);
    const auto how = options_of(groups, flags);
    if (!how) return evname::fail(how);
    return evname::c::hand_out(
        evname::Counters::open(machine->machine, std::string_view(events), *where, *how), out);
  });
}

void evname_counters_free(evname_counters* counters) { delete counters; }

size_t evname_counters_count(const evname_counters* counters) {
  return counters == nullptr ? 0 : counters->names.size();
}

int evname_counters_event_at(const evname_counters* counters, size_t index, evname_attr* out,
                             const char** name) {
  if (lacks({counters, out})) return EVNAME_INVALID_ARGUMENT;
  return evname::c::event_at(counters->counters.events(), counters->names, index, out, name);
}

int evname_counters_problem(const evname_counters* counters, size_t index, evname_error* error) {
  if (counters == nullptr)
    return evname::c::tell(EVNAME_INVALID_ARGUMENT, "a pointer is NULL", error);
  if (index >= counters->names.size())
    return evname::c::tell(EVNAME_OUT_OF_RANGE, "there is no such event", error);
  const evname::Error* const problem = counters->counters.problem(index);
  return problem == nullptr ? EVNAME_OK : evname::c::tell(*problem, error);
}

int evname_counters_enable(const evname_counters* counters, evname_error* error) {
  return guarded(error, {counters}, [&] { return counters->counters.enable(); });
}

int evname_counters_disable(const evname_counters* counters, evname_error* error) {
  return guarded(error, {counters}, [&] { return counters->counters.disable(); });
}

int evname_counters_read(const evname_counters* counters, evname_counter_value* out, size_t room,
                         evname_error* error) {
  return guarded(error, {counters, array(out, room)}, [&]() -> Result<void> {
    static thread_local std::vector<evname::CounterValue> values;
    if (values.size() < counters->names.size()) values.resize(counters->names.size());
    const std::size_t count = std::min(room, counters->names.size());
    if (auto done = counters->counters.read(std::span(values).first(count)); !done) return done;
    for (std::size_t i = 0; i < count; ++i)
      out[i] = {values[i].value, values[i].enabled, values[i].running, values[i].scaled};
    return {};
  });
}

size_t evname_counters_user_readable(const evname_counters* counters) {
  return counters == nullptr ? 0 : counters->counters.user_readable();
}
