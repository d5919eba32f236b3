// Counters: opened group by group and place by place, read into the caller's array.

#include <fmt/format.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>

#include "counting/counter_sets.hpp"
#include "counting/counters_state.hpp"
#include "counting/refusal.hpp"

namespace evname {
namespace {

using counting::CounterSet;
using counting::OpenCounter;

double scaled_of(std::uint64_t value, std::uint64_t enabled, std::uint64_t running) {
  if (running >= enabled) return static_cast<double>(value);
  if (running == 0) return 0;
  return static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running);
}

void add(CounterValue& sum, std::uint64_t value, std::uint64_t enabled, std::uint64_t running) {
  sum.value += value;
  sum.enabled += enabled;
  sum.running += running;
  sum.scaled += scaled_of(value, enabled, running);
}

/// Returns false if a counter can't be read in user space now; nothing is added then.
bool add_itself(std::span<const OpenCounter> counters, std::span<CounterValue> out) {
  counting::UserCounts counts;
  if (!counting::read_user(counters, counts)) return false;
  for (std::size_t i = 0; i < counters.size(); ++i)
    add(out[counters[i].event], counts.values[i], counts.enabled, counts.running);
  return true;
}

Result<void> read_failed(const Encoding& event, int error) {
  return fail(Errc::io, fmt::format("{}: its counter can't be read: {}", counting::name_of(event),
                                    std::strerror(error)));
}

/// Reads a group: their number, time_enabled, time_running, and the value of each. Returns false
/// and sets errno on failure.
bool read_group(std::span<const OpenCounter> counters, std::span<CounterValue> out) {
  std::uint64_t words[3 + counting::kMaxGroup];
  const std::size_t size = (3 + counters.size()) * sizeof words[0];
  const ssize_t got = ::read(counters[0].file, words, size);
  if (got == 0) return true;  // pinned, and removed from its counter for good
  if (got != static_cast<ssize_t>(size)) {
    if (got > 0) errno = EIO;
    return false;
  }
  for (std::size_t i = 0; i < counters.size(); ++i)
    add(out[counters[i].event], words[3 + i], words[1], words[2]);
  return true;
}

}  // namespace

CounterValue CounterValue::since(const CounterValue& earlier) const {
  CounterValue out;
  out.value = value - earlier.value;
  out.enabled = enabled - earlier.enabled;
  out.running = running - earlier.running;
  out.scaled = scaled_of(out.value, out.enabled, out.running);
  return out;
}

CounterValue& CounterValue::operator+=(const CounterValue& other) {
  value += other.value;
  enabled += other.enabled;
  running += other.running;
  scaled += other.scaled;
  return *this;
}

Counters::Counters(std::unique_ptr<State> state) : state_(std::move(state)) {}
Counters::Counters(Counters&&) noexcept = default;
Counters& Counters::operator=(Counters&&) noexcept = default;
Counters::~Counters() = default;

Result<Counters> Counters::open(const Machine& machine, std::span<const Encoding> events,
                                const CountTarget& target, const CounterOptions& options) {
  auto state = State::open(machine, events, target, options);
  if (!state) return fail(std::move(state));
  return Counters(std::move(*state));
}

Result<Counters> Counters::open(const Machine& machine, std::string_view events,
                                const CountTarget& target, const CounterOptions& options) {
  const auto encodings = machine.resolve(events);
  if (!encodings) return fail(encodings);
  return open(machine, *encodings, target, options);
}

std::span<const Encoding> Counters::events() const { return state_->events; }

const Error* Counters::problem(std::size_t event) const {
  const auto& problem = state_->problems.at(event);
  return problem ? &*problem : nullptr;
}

std::span<const Counters::Place> Counters::places() const { return state_->places; }

bool Counters::has_counter(std::size_t event, std::size_t place) const {
  for (const CounterSet& set : state_->files.sets) {
    if (set.place != place) continue;
    for (const OpenCounter& counter : state_->members(set))
      if (counter.event == event) return true;
  }
  return std::ranges::any_of(state_->clocks, [&](const counting::ClockAt& clock) {
    return clock.event == event && clock.place == place;
  });
}

Result<void> Counters::State::order(unsigned long request, bool only_on_cpus) const {
  for (const CounterSet& set : files.sets) {
    if (only_on_cpus && places[set.place].cpu < 0) continue;
    const OpenCounter& leader = files.counters[set.first];
    if (ioctl(leader.file, request, 0) != 0) return read_failed(events[leader.event], errno);
  }
  return {};
}

Result<void> Counters::State::start(bool only_on_cpus) {
  for (counting::ClockAt& clock : clocks) clock.clock.start();
  return order(PERF_EVENT_IOC_ENABLE, only_on_cpus);
}

Result<void> Counters::enable() const { return state_->start(false); }

Result<void> Counters::disable() const {
  auto done = state_->order(PERF_EVENT_IOC_DISABLE);
  for (counting::ClockAt& clock : state_->clocks) clock.clock.stop();
  return done;
}

Result<void> Counters::State::read(std::size_t place, std::span<CounterValue> out) const {
  if (out.size() < events.size())
    return fail(Errc::invalid_argument, "there is no room for the values of all events");
  std::ranges::fill(out.first(events.size()), CounterValue{});
  const bool is_owner = counting::is_this_thread(owner);
  for (const CounterSet& set : files.sets) {
    if (place != kAllPlaces && set.place != place) continue;
    const auto counters = members(set);
    if (is_owner && set.in_user_space && add_itself(counters, out)) continue;
    if (!read_group(counters, out)) return read_failed(events[counters[0].event], errno);
  }
  for (const counting::ClockAt& clock : clocks)
    if (place == kAllPlaces || clock.place == place) out[clock.event] += clock.clock.read();
  return {};
}

bool Counters::State::read_itself(std::span<CounterValue> out) const {
  if (out.size() < events.size() || !counting::is_this_thread(owner)) return false;
  counting::UserCounts counts;
  for (const CounterSet& set : files.sets) {
    const auto counters = members(set);
    if (!counting::read_user(counters, counts)) return false;
    for (std::size_t i = 0; i < counters.size(); ++i)
      out[counters[i].event] = {counts.values[i], counts.enabled, counts.running,
                                scaled_of(counts.values[i], counts.enabled, counts.running)};
  }
  return true;
}

Result<void> Counters::State::read(std::span<CounterValue> out) const {
  if (only_in_user_space && read_itself(out)) return {};
  return read(kAllPlaces, out);
}

Result<void> Counters::read(std::span<CounterValue> out) const { return state_->read(out); }

Result<void> Counters::read_at(std::size_t place, std::span<CounterValue> out) const {
  return state_->read(place, out);
}

std::size_t Counters::user_readable() const {
  if (!counting::is_this_thread(state_->owner)) return 0;
  std::size_t count = 0;
  counting::UserCounts unused;
  for (const CounterSet& set : state_->files.sets) {
    const auto counters = state_->members(set);
    if (set.in_user_space && counting::read_user(counters, unused)) count += counters.size();
  }
  return count;
}

std::string Counters::why_not_counted(std::size_t event, const CounterValue& value) const {
  if (value.is_counted() || state_->problems.at(event)) return {};
  if (value.enabled == 0) return "nothing ran that it could count";
  const auto is_own = [&](const Encoding& e) { return e.leader == state_->events[event].leader; };
  const bool grouped = std::ranges::count_if(state_->events, is_own) > 1;
  const bool watchdog = counting::watchdog_counts(state_->roots);
  return fmt::format(
      "it never got a counter: {}{}",
      grouped ? "its group needs more counters than are free" : "others have all that it can use",
      watchdog ? "; the NMI watchdog has one of them (sysctl "
                 "kernel.nmi_watchdog=0 frees it)"
               : "");
}

CountScope::CountScope(const Counters& counters)
    : counters_(counters.state_.get()),
      before_(counters.events().size()),
      counted_(before_.size()),
      cost_(before_.size()) {}

Result<void> CountScope::start() { return counters_->read(before_); }

Result<void> CountScope::stop() {
  if (auto done = counters_->read(counted_); !done) return done;
  for (std::size_t i = 0; i < counted_.size(); ++i) counted_[i] = counted_[i].since(before_[i]);
  return {};
}

Result<void> CountScope::measure_cost(unsigned rounds) {
  for (unsigned round = 0; round < std::max(rounds, 1U); ++round) {
    if (auto done = start(); !done) return done;
    if (auto done = stop(); !done) return done;
    for (std::size_t i = 0; i < cost_.size(); ++i)
      if (round == 0 || counted_[i].scaled < cost_[i].scaled) cost_[i] = counted_[i];
  }
  return {};
}

CounterValue CountScope::net(std::size_t event) const {
  CounterValue out = counted_[event];
  out.value -= std::min(out.value, cost_[event].value);
  out.scaled = std::max(out.scaled - cost_[event].scaled, 0.0);
  return out;
}

}  // namespace evname
