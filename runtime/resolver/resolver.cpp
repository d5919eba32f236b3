#include "resolver/resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "naming/decode.hpp"
#include "resolver/direct_names.hpp"
#include "resolver/encode.hpp"
#include "syntax/kernel_names.hpp"
#include "syntax/lexer.hpp"
#include "naming/namer.hpp"
#include "resolver/not_found.hpp"
#include "syntax/events.hpp"
#include "machine/tracepoints.hpp"

namespace evname::event {
namespace {

using detail::BoundPmu;

/// Encodes one Spec after the other; one member function a kind.
class Resolver {
 public:
  explicit Resolver(const detail::MachineState& state) : state_(state) {}

  Result<void> add(const Group& group);
  std::vector<Encoding> take() { return std::move(out_); }

 private:
  Result<void> add(const Spec& spec);
  Result<void> name(const Spec& spec);
  Result<void> pmu(const Spec& spec);
  Result<void> name_with_terms(const Spec& spec);
  Result<void> raw(const Spec& spec);
  Result<void> numeric(const Spec& spec);
  Result<void> hardware(const Spec& spec);
  Result<void> software(const Spec& spec);
  Result<void> tool(const Spec& spec);
  Result<void> cache(const Spec& spec);
  Result<void> tracepoint(const Spec& spec);
  Result<void> breakpoint(const Spec& spec);

  /// Keeps a success; remembers the first failure for the case that nothing succeeds.
  void offer(Result<Encoding> encoding);
  Result<void> keep(Result<Encoding> encoding);
  /// Whether anything was kept since begin(); else the first failure.
  void begin() { first_error_.reset(), kept_ = 0; }
  Result<void> finish() const;
  Result<void> code(const Spec& spec, std::uint32_t type);

  const detail::MachineState& state_;
  std::vector<Encoding> out_;
  std::optional<Error> first_error_;
  std::size_t kept_ = 0;
};

void Resolver::offer(Result<Encoding> encoding) {
  if (encoding) {
    out_.push_back(std::move(*encoding));
    ++kept_;
  } else if (!first_error_) {
    first_error_ = std::move(encoding.error());
  }
}

Result<void> Resolver::keep(Result<Encoding> encoding) {
  if (!encoding) return tl::unexpected<Error>(std::move(encoding.error()));
  out_.push_back(std::move(*encoding));
  return {};
}

Result<void> Resolver::finish() const {
  if (kept_ > 0 || !first_error_) return {};
  return tl::unexpected<Error>(*first_error_);
}

Result<void> Resolver::name(const Spec& spec) {
  begin();
  resolve_name(state_, spec.name, [&](const BoundPmu& bound, const Alias& alias) {
    offer(encode_alias(state_, spec, bound, alias));
  });
  if (kept_ == 0 && !first_error_) return tl::unexpected<Error>(unknown_event(state_, spec));
  return finish();
}

/// Exact PMU, else all that the name means as a wildcard, else an event name with more terms.
Result<void> Resolver::pmu(const Spec& spec) {
  begin();
  for (const BoundPmu& bound : state_.pmus)
    if (bound.pmu.name == spec.name || (!bound.pmu.alias.empty() && bound.pmu.alias == spec.name))
      offer(encode_terms(state_, spec, bound, spec.terms));
  if (kept_ > 0) return {};
  for (const BoundPmu& bound : state_.pmus)
    if (bound.pmu.name != spec.name && pmu::matches_wildcard(spec.name, bound.pmu))
      offer(encode_terms(state_, spec, bound, spec.terms));
  if (kept_ > 0) return {};
  return name_with_terms(spec);
}

Result<void> Resolver::name_with_terms(const Spec& spec) {
  std::vector<Term> terms = spec.terms;
  Term name;
  name.name = spec.name;
  name.offset = spec.offset;
  terms.push_back(std::move(name));  // perf appends it, so an alias's period beats the user's
  resolve_name(state_, spec.name, [&](const BoundPmu& bound, const Alias&) {
    offer(encode_terms(state_, spec, bound, terms));
  });
  if (kept_ == 0 && !first_error_) return tl::unexpected<Error>(unknown_pmu(state_, spec));
  return finish();
}

/// rHEX and TYPE:CONFIG, told with the fields of the PMU that will count them.
Result<void> Resolver::code(const Spec& spec, std::uint32_t type) {
  auto encoding = encode_generic(state_, spec, type, spec.config, nullptr);
  if (!encoding) return tl::unexpected<Error>(std::move(encoding.error()));
  encoding->source = Source::raw;
  if (!is_generic_type(type)) {
    if (const auto at = pmu_of_type(state_, type)) {
      const pmu::Pmu& pmu = state_.pmus[*at].pmu;
      encoding->pmu = pmu.name;
      encoding->terms = decode_terms(
          pmu, {encoding->config, encoding->config1, encoding->config2, encoding->config3});
    }
  }
  return keep(std::move(encoding));
}

Result<void> Resolver::raw(const Spec& spec) { return code(spec, kTypeRaw); }

Result<void> Resolver::numeric(const Spec& spec) {
  if (spec.type > std::numeric_limits<std::uint32_t>::max())
    return fail(Errc::out_of_range,
                fmt::format("{:#x} is no PMU type: it has more than 32 bits", spec.type));
  return code(spec, static_cast<std::uint32_t>(spec.type));
}

Result<void> Resolver::hardware(const Spec& spec) {
  const auto cores = extended_cores(state_);
  if (cores.empty()) return keep(encode_generic(state_, spec, kTypeHardware, spec.config, nullptr));
  for (const BoundPmu* core : cores)
    if (auto done = keep(encode_generic(state_, spec, kTypeHardware, spec.config, core)); !done)
      return done;
  return {};
}

Result<void> Resolver::software(const Spec& spec) {
  return keep(encode_generic(state_, spec, kTypeSoftware, spec.config, nullptr));
}

/// perf measures these itself; the kernel's part is a dummy software event (config 9).
Result<void> Resolver::tool(const Spec& spec) {
  constexpr std::uint64_t kDummy = 9;
  auto encoding = encode_generic(state_, spec, kTypeSoftware, kDummy, nullptr);
  if (encoding) {
    encoding->pmu = kToolPmu;
    encoding->unit = "ns";
  }
  return keep(std::move(encoding));
}

/// A PMU's own event of that name beats the generic code, PMU by PMU.
Result<void> Resolver::cache(const Spec& spec) {
  begin();
  const auto word = cache_config(spec.name);
  const auto cores = extended_cores(state_);
  bool plain = cores.empty();
  for (const BoundPmu& bound : state_.pmus) {
    if (find_alias(bound, spec.name)) {
      std::vector<Term> terms = spec.terms;
      Term name;
      name.name = spec.name;
      terms.push_back(std::move(name));
      offer(encode_terms(state_, spec, bound, terms));
      if (bound.pmu.is_core) plain = false;
    } else if (bound.pmu.is_core && word->valid && !cores.empty()) {
      offer(encode_generic(state_, spec, kTypeHwCache, word->config, &bound));
    }
  }
  if (plain && word->valid)
    offer(encode_generic(state_, spec, kTypeHwCache, word->config, nullptr));
  if (kept_ == 0 && !first_error_)
    return syntax_error(spec.offset,
                        fmt::format("'{}': that cache has no such operation", spec.name));
  return finish();
}

/// Each tracepoint that the name or glob means, under its own name.
Result<void> Resolver::tracepoint(const Spec& spec) {
  const auto found = find_tracepoints(state_, spec.name, spec.event);
  if (!found) return tl::unexpected<Error>(found.error());
  const std::string written = spec.name + ":" + spec.event;
  for (const Tracepoint& one : *found) {
    auto encoding = encode_generic(state_, spec, kTypeTracepoint, one.id, nullptr);
    if (!encoding) return tl::unexpected<Error>(std::move(encoding.error()));
    if (encoding->name.starts_with(written)) encoding->name.replace(0, written.size(), one.name);
    if (encoding->period == 0) encoding->period = 1;  // every hit counts (evsel__newtp)
    out_.push_back(std::move(*encoding));
  }
  return {};
}

/// attr.config1 and config2 are bp_addr and bp_len there (perf_event.h); bp_type has its own place.
Result<void> Resolver::breakpoint(const Spec& spec) {
  constexpr std::uint32_t kReadWrite = 3, kExecute = 4;
  const std::uint32_t access = spec.access == 0 ? kReadWrite : spec.access;
  const std::uint64_t instruction = state_.cpu.arch == "arm64" ? 4 : 8;
  std::uint64_t length = spec.length;
  if (length == 0) length = access == kExecute ? instruction : 4;
  auto encoding = encode_generic(state_, spec, kTypeBreakpoint, 0, nullptr);
  if (!encoding) return tl::unexpected<Error>(std::move(encoding.error()));
  encoding->name = spec.text;
  encoding->config1 = spec.config;
  encoding->config2 = length;
  encoding->bp_type = access;
  if (encoding->period == 0) encoding->period = 1;
  encoding->terms = fmt::format("bp_addr={:#x},bp_type={},bp_len={}", spec.config, access, length);
  return keep(std::move(encoding));
}

Result<void> Resolver::add(const Spec& spec) {
  using Step = Result<void> (Resolver::*)(const Spec&);
  constexpr Step kSteps[] = {
      &Resolver::name,       &Resolver::pmu,        &Resolver::raw,  &Resolver::numeric,
      &Resolver::hardware,   &Resolver::software,   &Resolver::tool, &Resolver::cache,
      &Resolver::tracepoint, &Resolver::breakpoint,
  };  // in the order of Kind
  auto done = (this->*kSteps[static_cast<std::size_t>(spec.kind)])(spec);
  if (!done && done.error().where.empty()) set_place(done.error(), spec.offset);
  return done;
}

Result<void> Resolver::add(const Group& group) {
  const std::size_t first = out_.size();
  for (const Spec& spec : group.specs) {
    std::size_t i = out_.size();
    if (auto done = add(spec); !done) return done;
    for (; i < out_.size(); ++i) {
      out_[i].leader = group.braces ? first : i;
      if (!out_[i].modifiers.empty())
        out_[i].bits = attr_bits(spec.own_modifiers, group.modifiers, out_[i].leader == i);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Encoding>> resolve(const detail::MachineState& state, std::string_view events) {
  const auto groups = parse_events(events);
  if (!groups) return tl::unexpected<Error>(groups.error());
  Resolver resolver(state);
  for (const Group& group : *groups)
    if (const auto done = resolver.add(group); !done) return tl::unexpected<Error>(done.error());
  return resolver.take();
}

namespace {

/// The PMU's name where it lives as long as the machine.
std::string_view lasting_name(const detail::MachineState& state, const Encoding& encoding) {
  for (const BoundPmu& bound : state.pmus)
    if (bound.pmu.name == encoding.pmu) return bound.pmu.name;
  return encoding.pmu == kToolPmu ? kToolPmu
         : encoding.type          ? generic_type_name(*encoding.type)
                                  : std::string_view();
}

EventAttr attr_of(const detail::MachineState& state, const Encoding& encoding) {
  return {lasting_name(state, encoding),
          encoding.type,
          encoding.config,
          encoding.config1,
          encoding.config2,
          encoding.config3,
          encoding.bp_type,
          encoding.period,
          encoding.bits,
          !encoding.modifiers.empty(),
          encoding.leader};
}

}  // namespace

Result<std::size_t> resolve(const detail::MachineState& state, std::string_view events,
                            std::span<EventAttr> out) {
  if (const auto count = state.direct_names().resolve(events, out)) return *count;
  const auto encodings = resolve(state, events);
  if (!encodings) return tl::unexpected<Error>(encodings.error());
  for (std::size_t i = 0; i < std::min(encodings->size(), out.size()); ++i)
    out[i] = attr_of(state, (*encodings)[i]);
  return encodings->size();
}

}  // namespace evname::event
