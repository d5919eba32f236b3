// Names to codes: event text -> tree -> candidates on each PMU -> encodings.

#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/encode.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/machine/kernel_events.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"
#include "events/machine/pfm4_names.hpp"
#include "events/machine/record_terms.hpp"
#include "events/machine/unknown_names.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/events.hpp"
#include "events/syntax/lexer.hpp"
#include "events/syntax/modifiers.hpp"

namespace evname::machine {

namespace {

constexpr std::size_t kNoGroup = SIZE_MAX;

/// The encodings of one call: in the caller's buffer while it has room, then in allocated memory.
class EncodingList {
 public:
  explicit EncodingList(std::span<Encoding> buffer) : buffer_(buffer) {}

  std::size_t size() const { return used_ + more_.size(); }
  Encoding& operator[](std::size_t i) {
    return i < buffer_.size() ? buffer_[i] : more_[i - buffer_.size()];
  }
  /// Reserves room for this many that are added at once.
  void expect(std::size_t count) {
    if (more_.empty() && count > buffer_.size() - used_)
      more_.reserve(count - (buffer_.size() - used_));
  }
  Encoding& add() {
    if (used_ == buffer_.size()) return more_.emplace_back();
    return buffer_[used_++] = Encoding();
  }
  void remove_last() {
    if (more_.empty())
      --used_;
    else
      more_.pop_back();
  }
  void clear() {
    used_ = 0;
    more_.clear();
  }
  /// Valid until one is added.
  std::vector<Encoding*> from(std::size_t first) {
    std::vector<Encoding*> out;
    for (std::size_t i = first; i < size(); ++i) out.push_back(&(*this)[i]);
    return out;
  }
  std::vector<Encoding> take_more() { return std::move(more_); }

 private:
  std::span<Encoding> buffer_;
  std::size_t used_ = 0;
  std::vector<Encoding> more_;
};

/// Encodes one event after the other: one member function for each kind.
class Resolver {
 public:
  Resolver(const detail::MachineState& state, EncodingList& out) : state_(state), out_(out) {}

  Result<void> add(const syntax::Group& group);
  Result<void> add(const syntax::Spec& spec, std::string_view group_modifiers, std::size_t leader);
  /// Sets the members that depend on the place of events in their groups.
  void complete();

 private:
  Result<void> encode(const syntax::Spec& spec);
  Result<void> name(const syntax::Spec& spec);
  Result<void> name_of_possible(const syntax::Spec& spec);
  Result<void> pmu(const syntax::Spec& spec);
  Result<void> name_with_terms(const syntax::Spec& spec);
  Result<void> raw(const syntax::Spec& spec);
  Result<void> numeric(const syntax::Spec& spec);
  Result<void> tracepoint(const syntax::Spec& spec);
  Result<void> breakpoint(const syntax::Spec& spec);

  /// Keeps a success; remembers the first failure for the case that nothing succeeds.
  template <class Encode>
  void offer(Encode&& encode);
  void offer_terms(const syntax::Spec& spec, const BoundPmu& bound,
                   std::span<const tables::Term> terms, std::string_view box = {}) {
    offer([&](Encoding& out) { return encode_terms(state_, spec, bound, box, terms, out); });
  }
  void tell_apart(const syntax::Spec& spec);
  std::string_view one_of_core_pmus(const Encoding& encoding) const;
  void keep_written(const syntax::Spec& spec, std::size_t count, Encoding& encoding) const;
  Result<void> keep(Result<EncodingBuilder> draft);
  /// begin() forgets results and failures; finish() returns the first failure if nothing was kept
  /// since.
  void begin() { first_error_.reset(), kept_ = 0; }
  Result<void> finish() const;
  Result<void> code(const syntax::Spec& spec, std::uint32_t type);

  const detail::MachineState& state_;
  EncodingList& out_;
  std::optional<Error> first_error_;
  std::size_t kept_ = 0;
  RecordTerms record_terms_;
};

template <class Encode>
void Resolver::offer(Encode&& encode) {
  if (auto done = encode(out_.add())) {
    ++kept_;
  } else {
    out_.remove_last();
    if (!first_error_) first_error_ = std::move(done.error());
  }
}

Result<void> Resolver::keep(Result<EncodingBuilder> draft) {
  if (!draft) return fail(std::move(draft));
  out_.add() = std::move(*draft).finish();
  return {};
}

Result<void> Resolver::finish() const {
  if (kept_ > 0 || !first_error_) return {};
  return fail(*first_error_);
}

Result<void> Resolver::name(const syntax::Spec& spec) {
  begin();
  const auto found = state_.lookup().find(spec.name, spec.name_hash);
  if (found.size() == 0) return name_of_possible(spec);
  out_.expect(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    offer([&](Encoding& out) {
      return encode_alias(state_, spec, found.pmu(i), found.alias(i), out);
    });
  return finish();
}

/// An event that a driver adds to a PMU that the machine may have.
Result<void> Resolver::name_of_possible(const syntax::Spec& spec) {
  for (const BoundPmu& bound : state_.possible_pmus())
    if (const Alias alias = find_alias(bound, spec.name))
      offer([&](Encoding& out) { return encode_alias(state_, spec, bound, alias, out); });
  if (kept_ == 0 && !first_error_) return fail(unknown_event(state_, spec));
  return finish();
}

/// Exact PMU, else all matches of the name as a wildcard, else an event name with more terms.
/// "default_core" is the first core PMU.
Result<void> Resolver::pmu(const syntax::Spec& spec) {
  begin();
  const bool first_core = spec.name == "default_core";
  for (const BoundPmu& bound : state_.pmus) {
    const bool exact = first_core ? bound.pmu.is_core
                                  : bound.pmu.name == spec.name ||
                                        (!bound.pmu.alias.empty() && bound.pmu.alias == spec.name);
    if (!exact) continue;
    offer_terms(spec, bound, spec.terms);
    if (kept_ > 0) return {};
    break;
  }
  for (const BoundPmu& bound : state_.pmus)
    if (first_core ? bound.pmu.is_core : pmu::matches_wildcard(spec.name, bound.pmu))
      offer_terms(spec, bound, spec.terms, pmu::box_name(spec.name, bound.pmu));
  if (kept_ == 0 && !first_error_)
    for (const BoundPmu& bound : state_.possible_pmus())
      if (pmu::matches_wildcard(spec.name, bound.pmu))
        offer_terms(spec, bound, spec.terms, pmu::box_name(spec.name, bound.pmu));
  if (kept_ > 0) {
    tell_apart(spec);
    return {};
  }
  return name_with_terms(spec);
}

/// Gives each event of a text that matched several PMUs its own unambiguous text.
void Resolver::tell_apart(const syntax::Spec& spec) {
  if (kept_ < 2) return;
  for (Encoding* const one : out_.from(out_.size() - kept_)) {
    detail::EncodingTexts texts = detail::EncodingAccess::texts_of(*one);
    texts.text = fmt::format("{}{}", one->pmu, spec.text.substr(spec.name.size()));
    detail::EncodingAccess::own(*one, std::move(texts));
  }
}

Result<void> Resolver::name_with_terms(const syntax::Spec& spec) {
  std::vector<tables::Term> terms = spec.terms;
  tables::Term name;
  name.name = spec.name;
  name.offset = spec.offset;
  terms.push_back(name);  // perf appends it, so an alias's period beats the user's
  const auto found = state_.lookup().find(spec.name, 0);
  for (std::size_t i = 0; i < found.size(); ++i) offer_terms(spec, found.pmu(i), terms);
  if (kept_ == 0 && !first_error_) return fail(unknown_pmu(state_, spec));
  if (kept_ > 1) {
    const std::string_view rest = spec.text.substr(spec.name.size() + 1);
    const std::string text =
        fmt::format("{}/{},{}/", spec.name, rest.substr(0, rest.size() - 1), spec.name);
    syntax::Spec on_pmu = spec;
    on_pmu.text = text;
    tell_apart(on_pmu);
  }
  return finish();
}

/// Returns how to write a raw code that was meant as the number of an event, as r1c7 on AMD's CPUs,
/// where the upper bits of the event field are elsewhere. "" if the code has a name, or no event
/// has that number.
std::string split_event_hint(const detail::MachineState& state, std::size_t at,
                             std::uint64_t config) {
  const pmu::Format* const field = state.pmus[at].pmu.find_format("event");
  if (field == nullptr || field->word != 0 || (config & ~field->mask) == 0) return {};
  const auto meant = field->pack(config);
  if (!meant || *meant == config || !state.index->find(state, at, {config}).empty()) return {};
  const auto events = codes_of_event(state, at, {*meant});
  if (events.empty()) return {};
  return fmt::format("{:#x} is {}; event {:#x} ({}) is r{:x}", config,
                     packing::decode_terms(state.pmus[at].pmu, {config}), config,
                     events.front().name, *meant);
}

/// rHEX and TYPE:CONFIG, spelled with the fields of the PMU that will count them.
Result<void> Resolver::code(const syntax::Spec& spec, std::uint32_t type) {
  auto draft = encode_generic(state_, spec, type, {spec.config});
  if (!draft) return fail(std::move(draft));
  draft->encoding.source = Source::raw;
  if (!is_generic_type(type)) {
    if (const auto at = pmu_of_type(state_, type)) {
      const pmu::Pmu& pmu = state_.pmus[*at].pmu;
      draft->encoding.pmu = pmu.name;
      draft->terms = packing::decode_terms(pmu, words_of(draft->encoding.code));
      if (std::string hint = split_event_hint(state_, *at, spec.config); !hint.empty())
        draft->warnings.push_back(std::move(hint));
    }
  }
  return keep(std::move(draft));
}

Result<void> Resolver::raw(const syntax::Spec& spec) { return code(spec, kTypeRaw); }

Result<void> Resolver::numeric(const syntax::Spec& spec) {
  if (spec.type > std::numeric_limits<std::uint32_t>::max())
    return fail(Errc::out_of_range,
                fmt::format("{:#x} is not a PMU type: it has more than 32 bits", spec.type));
  return code(spec, static_cast<std::uint32_t>(spec.type));
}

/// Adds each tracepoint of the name or glob under its own name.
Result<void> Resolver::tracepoint(const syntax::Spec& spec) {
  const auto found = find_tracepoints(state_, std::string(spec.name), std::string(spec.event));
  if (!found) return fail(no_tracepoint(state_, spec, found.error()));
  const std::string written = fmt::format("{}:{}", spec.name, spec.event);
  for (const Tracepoint& one : *found) {
    auto draft = encode_generic(state_, spec, kTypeTracepoint, {one.id});
    if (draft) {
      for (std::string* const text : {&draft->name, &draft->text})
        if (text->starts_with(written)) text->replace(0, written.size(), one.name);
      draft->encoding.period = 1;  // every hit (evsel__newtp)
    }
    if (auto done = keep(std::move(draft)); !done) return done;
  }
  return {};
}

/// attr.config1 and config2 are bp_addr and bp_len there (perf_event.h); bp_type has its own place.
Result<void> Resolver::breakpoint(const syntax::Spec& spec) {
  constexpr std::uint32_t kReadWrite = 3, kExecute = 4;
  const std::uint32_t access = spec.access == 0 ? kReadWrite : spec.access;
  const std::uint64_t instruction = state_.cpu.arch == "arm64" ? 4 : 8;
  std::uint64_t length = spec.length;
  if (length == 0) length = access == kExecute ? instruction : 4;
  auto draft = encode_generic(state_, spec, kTypeBreakpoint, {0, spec.config, length});
  if (!draft) return fail(std::move(draft));
  draft->encoding.bp_type = access;
  if (draft->encoding.period == 0) draft->encoding.period = 1;
  const auto& words = draft->encoding.code.config;
  draft->terms = fmt::format("bp_addr={:#x},bp_type={},bp_len={}", words[1], access, words[2]);
  return keep(std::move(draft));
}

Result<void> Resolver::encode(const syntax::Spec& spec) {
  using Step = Result<void> (Resolver::*)(const syntax::Spec&);
  using enum syntax::Kind;
  constexpr auto kSteps = enum_values<syntax::Kind, Step>({
      {name, &Resolver::name},
      {pmu, &Resolver::pmu},
      {raw, &Resolver::raw},
      {numeric, &Resolver::numeric},
      {tracepoint, &Resolver::tracepoint},
      {breakpoint, &Resolver::breakpoint},
  });
  auto done = (this->*kSteps[spec.kind].value)(spec);
  if (!done && done.error().where.empty()) syntax::set_place(done.error(), spec.offset);
  return done;
}

/// Returns the event's core PMU if the machine has several; "" otherwise. The text of a generic
/// event names it.
std::string_view Resolver::one_of_core_pmus(const Encoding& encoding) const {
  const std::string_view text = encoding.text();
  for (const BoundPmu& bound : state_.pmus) {
    const std::string& name = bound.pmu.name;
    const bool is_named = text.starts_with(name) && text.substr(name.size()).starts_with('/');
    if (bound.is_extended && (is_named || encoding.pmu == name)) return name;
  }
  return {};
}

/// Returns the text with its PMU, as perf shows events of one of several core PMUs
/// (evsel__uniquify_counter of tools/perf/util/evsel.c).
std::string with_pmu(std::string_view text, std::string_view pmu) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view name = text.substr(0, slash);
  if (slash == text.size()) return fmt::format("{}/{}/", pmu, text);
  if (name == pmu) return std::string(text);
  const std::string_view terms = text.substr(slash + 1);
  return fmt::format("{}/{}{}{}", pmu, name, terms.starts_with('/') ? "" : ",", terms);
}

/// Keeps the text of an event that is one of `count` with the same text. perf shows no modifiers of
/// tracepoints.
void Resolver::keep_written(const syntax::Spec& spec, std::size_t count, Encoding& encoding) const {
  if (encoding.has_given_name()) return;
  const bool is_tracepoint = spec.kind == syntax::Kind::tracepoint;
  const std::string_view core = one_of_core_pmus(encoding);
  const std::string of_core = core.empty() ? std::string() : with_pmu(spec.text, core);
  const std::string_view text = is_tracepoint   ? encoding.name
                                : !core.empty() ? of_core
                                : count == 1    ? spec.text
                                                : encoding.text();
  detail::EncodingAccess::set_written(encoding, text,
                                      is_tracepoint ? std::string_view() : spec.own_modifiers);
}

/// `leader` is the index of the group's first encoding; kNoGroup for an event in no group.
Result<void> Resolver::add(const syntax::Spec& spec, std::string_view group_modifiers,
                           std::size_t leader) {
  const std::size_t first = out_.size();
  if (auto done = encode(spec); !done) return done;
  for (std::size_t i = first; i < out_.size(); ++i) {
    Encoding& encoding = out_[i];
    encoding.leader = leader == kNoGroup ? i : leader;
    if (!encoding.modifiers.empty())
      encoding.bits = syntax::attr_bits(spec.own_modifiers, group_modifiers, encoding.leader == i);
    keep_written(spec, out_.size() - first, encoding);
  }
  if (RecordTerms::are_in(spec)) record_terms_.note(spec, first, out_.from(first));
  return {};
}

void Resolver::complete() {
  if (!record_terms_.empty()) record_terms_.apply(state_, out_.from(0));
}

Result<void> Resolver::add(const syntax::Group& group) {
  const std::size_t leader = group.braces ? out_.size() : kNoGroup;
  for (const syntax::Spec& spec : group.specs)
    if (auto done = add(spec, group.modifiers, leader); !done) return done;
  return {};
}

Result<void> resolve_own(const detail::MachineState& state, std::string_view events,
                         EncodingList& out) {
  Resolver resolver(state, out);
  if (syntax::Spec plain; syntax::plain_event(events, plain))
    return resolver.add(plain, {}, kNoGroup);
  const auto groups = syntax::parse_events(events);
  if (!groups) return fail(groups);
  for (const syntax::Group& group : *groups)
    if (auto done = resolver.add(group); !done) return done;
  resolver.complete();
  return {};
}

/// A list that does not resolve may be in the form of an older perf, or have names of libpfm4.
Result<void> resolve_into(const detail::MachineState& state, std::string_view events,
                          EncodingList& out) {
  auto done = resolve_own(state, events, out);
  if (done) return done;
  if (const auto todays = syntax::with_modifiers_outside(events)) {
    out.clear();
    if (auto older = resolve_own(state, *todays, out)) return older;
  }
  auto translated = without_pfm4_names(state, events);
  if (!translated) return fail(std::move(translated));
  if (!*translated) return done;
  out.clear();
  return resolve_own(state, **translated, out);
}

}  // namespace
}  // namespace evname::machine

namespace evname {

Result<std::vector<Encoding>> Machine::resolve(std::string_view events) const {
  machine::EncodingList found({});
  if (auto done = machine::resolve_into(*state_, events, found); !done)
    return fail(std::move(done));
  std::vector<Encoding> out = found.take_more();
  for (Encoding& encoding : out) detail::EncodingAccess::keep(encoding, state_);
  return out;
}

Result<std::size_t> Machine::resolve(std::string_view events, std::span<Encoding> out) const {
  machine::EncodingList found(out);
  if (auto done = machine::resolve_into(*state_, events, found); !done)
    return fail(std::move(done));
  for (std::size_t i = 0; i < std::min(found.size(), out.size()); ++i)
    detail::EncodingAccess::keep(out[i], state_);
  return found.size();
}

}  // namespace evname
