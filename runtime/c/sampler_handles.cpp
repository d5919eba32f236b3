// Implements sampler.h.

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/enum_table.hpp"
#include "c/handles.hpp"
#include "evname/sampler.hpp"

using namespace evname::c;
using evname::Result;

struct evname_sampler {
  explicit evname_sampler(evname::Sampler from)
      : sampler(std::make_shared<evname::Sampler>(std::move(from))) {}

  std::shared_ptr<evname::Sampler> sampler;  ///< its samples have it, too
};

struct evname_scope {
  evname_scope(std::shared_ptr<evname::Sampler> of, std::shared_ptr<const evname::Symbols> with)
      : sampler(std::move(of)), symbols(std::move(with)), scope(*sampler, *symbols) {}

  std::shared_ptr<evname::Sampler> sampler;
  std::shared_ptr<const evname::Symbols> symbols;
  evname::SampleScope scope;
  std::map<std::size_t, std::vector<evname::SampleScope::Function>> functions = {};  ///< by event
};

namespace {

Result<evname::SampledEvents> sampled_events_of(const evname_sampled_events& from) {
  using evname::CallChains;
  constexpr auto kChains = evname::enum_values<evname_call_chains, CallChains>(
      {{EVNAME_CHAINS_NONE, CallChains::none},
       {EVNAME_CHAINS_FRAME_POINTERS, CallChains::frame_pointers},
       {EVNAME_CHAINS_STACK_COPIES, CallChains::stack_copies},
       {EVNAME_CHAINS_BRANCH_RECORDS, CallChains::branch_records}});
  if (from.chains >= kChains.size())
    return evname::fail(evname::Errc::invalid_argument, "chains is not an enum evname_call_chains");
  if (auto good = evname::c::check_reserved(from.reserved); !good) return evname::fail(good);
  evname::SampledEvents to;
  if (from.events != nullptr) to.events = from.events;
  to.sampling.period = from.period;
  to.sampling.frequency = from.frequency;
  if (from.fields != nullptr) to.sampling.fields = from.fields;
  to.sampling.chains = kChains[static_cast<evname_call_chains>(from.chains)].value;
  if (from.stack_size != 0) to.sampling.stack_size = from.stack_size;
  if (from.max_stack > UINT16_MAX)
    return evname::fail(evname::Errc::out_of_range, "max_stack is more than 65,535");
  to.sampling.max_stack = static_cast<std::uint16_t>(from.max_stack);
  to.sampling.branches = from.branches;
  return to;
}

Result<evname::SamplerOptions> sampler_options_of(const evname_sampler_options* from) {
  evname::SamplerOptions to;
  if (from == nullptr) return to;
  constexpr std::uint32_t kAllFlags = 2 * EVNAME_SAMPLER_THREAD - 1;
  if (auto good = evname::c::check_flags(from->flags, kAllFlags); !good)
    return evname::fail(std::move(good));
  if (auto good = evname::c::check_reserved(from->reserved); !good) return evname::fail(good);
  const auto has = [&](std::uint32_t flag) { return (from->flags & flag) != 0; };
  to.inherit = has(EVNAME_SAMPLER_INHERIT);
  to.setup.enable_on_exec = has(EVNAME_SAMPLER_ENABLE_ON_EXEC);
  to.setup.data_mappings = has(EVNAME_SAMPLER_DATA_MAPPINGS);
  to.thread = has(EVNAME_SAMPLER_THREAD);
  to.setup.user_space_if_refused = !has(EVNAME_SAMPLER_KERNEL_TOO);
  to.setup.buffer_pages = from->buffer_pages;
  to.setup.trace_pages = from->trace_pages;
  to.keep = static_cast<std::size_t>(from->keep);
  return to;
}

}  // namespace

int evname_sampler_open(const evname_machine* machine, const evname_sampled_events* events,
                        size_t count, const evname_count_target* target,
                        const evname_sampler_options* options, evname_sampler** out,
                        evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, array(events, count), out}, [&]() -> Result<void> {
    std::vector<evname::SampledEvents> lists;
    for (std::size_t i = 0; i < count; ++i) {
      auto list = sampled_events_of(events[i]);
      if (!list) return evname::fail(std::move(list));
      lists.push_back(std::move(*list));
    }
    const auto where = evname::c::count_target_of(target);
    if (!where) return evname::fail(where);
    const auto how = sampler_options_of(options);
    if (!how) return evname::fail(how);
    return evname::c::hand_out(evname::Sampler::open(machine->machine, lists, *where, *how), out);
  });
}

void evname_sampler_free(evname_sampler* sampler) {
  if (sampler != nullptr) guarded(nullptr, [&] { return sampler->sampler->stop(); });
  delete sampler;
}

const char* evname_sampler_warning(const evname_sampler* sampler, size_t index) {
  return sampler == nullptr ? "" : evname::c::warning_at(sampler->sampler->warnings(), index);
}

int evname_sampler_enable(evname_sampler* sampler, evname_error* error) {
  return guarded(error, {sampler}, [&] { return sampler->sampler->enable(); });
}

int evname_sampler_disable(evname_sampler* sampler, evname_error* error) {
  return guarded(error, {sampler}, [&] { return sampler->sampler->disable(); });
}

int evname_sampler_wait(evname_sampler* sampler, uint32_t milliseconds, int32_t* alive,
                        evname_error* error) {
  if (alive != nullptr) *alive = 1;
  return guarded(error, {sampler}, [&]() -> Result<void> {
    const auto going_on = sampler->sampler->wait(milliseconds);
    if (!going_on) return evname::fail(going_on);
    if (alive != nullptr) *alive = *going_on;
    return {};
  });
}

int evname_sampler_samples(evname_sampler* sampler, evname_samples** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {sampler, out}, [&] { *out = new evname_samples(sampler->sampler); });
}

int evname_sampler_start(evname_sampler* sampler, evname_sample_reader reader, void* context,
                         uint32_t milliseconds, evname_error* error) {
  return guarded(error, {sampler, reader ? "" : nullptr}, [&] {
    const auto read = [=](evname::SampleRange&) {
      if (const int status = reader(context); status != 0)
        throw std::runtime_error("its reader returned " + std::to_string(status));
    };
    return sampler->sampler->start_reading(read, milliseconds);
  });
}

int evname_sampler_stop(evname_sampler* sampler, evname_error* error) {
  return guarded(error, {sampler}, [&] { return sampler->sampler->stop(); });
}

int evname_sampler_recording(const evname_sampler* sampler, evname_recording** out,
                             evname_error* error) {
  set(out, nullptr);
  return guarded(error, {sampler, out},
                 [&] { *out = new evname_recording(sampler->sampler->recording()); });
}

int evname_sampler_take_recording(evname_sampler* sampler, evname_recording** out,
                                  evname_error* error) {
  set(out, nullptr);
  return guarded(error, {sampler, out},
                 [&] { return evname::c::hand_out(sampler->sampler->take_recording(), out); });
}

int evname_sampler_losses(const evname_sampler* sampler, evname_losses* out) {
  set(out, {});
  return guarded(nullptr, {sampler, out}, [&] {
    const evname::Sampler::Losses losses = sampler->sampler->losses();
    *out = {losses.lost, losses.damaged, losses.not_kept, {}};
  });
}

int evname_scope_new(evname_sampler* sampler, const evname_symbols* symbols, evname_scope** out,
                     evname_error* error) {
  set(out, nullptr);
  return guarded(error, {sampler, out}, [&] {
    auto with = symbols ? symbols->symbols : std::make_shared<const evname::Symbols>();
    *out = new evname_scope(sampler->sampler, std::move(with));
  });
}

void evname_scope_free(evname_scope* scope) { delete scope; }

int evname_scope_start(evname_scope* scope, evname_error* error) {
  return guarded(error, {scope}, [&] { return scope->scope.start(); });
}

int evname_scope_stop(evname_scope* scope, evname_error* error) {
  return guarded(error, {scope}, [&] {
    scope->functions.clear();
    return scope->scope.stop();
  });
}

int evname_scope_function(evname_scope* scope, size_t event, size_t index,
                          evname_sampled_function* out) {
  set(out, {"", "", 0, 0, {}});
  return guarded(nullptr, {scope, out}, [&]() -> Result<void> {
    auto found = scope->functions.find(event);
    if (found == scope->functions.end())
      found = scope->functions.emplace(event, scope->scope.functions(event)).first;
    if (index >= found->second.size())
      return evname::fail(evname::Errc::out_of_range, "there is no such function");
    const evname::SampleScope::Function& one = found->second[index];
    *out = {one.function.c_str(), one.dso.c_str(), one.samples, one.period, {}};
    return {};
  });
}
