// A measured piece of code.

#include <algorithm>

#include "evname/counters.hpp"

namespace evname {

CountScope::CountScope(const Counters& counters)
    : counters_(&counters),
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
