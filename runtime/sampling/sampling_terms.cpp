#include "sampling/sampling_terms.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/syntax/term_names.hpp"
#include "evname/attr.hpp"

namespace evname {
namespace sampling {
namespace {

struct ChainWord {
  std::string_view word;
  CallChains chains;
};
constexpr ChainWord kChainWords[] = {{"fp", CallChains::frame_pointers},
                                     {"dwarf", CallChains::stack_copies},
                                     {"lbr", CallChains::branch_records},
                                     {"no", CallChains::none}};

using Value = std::string_view;

std::uint64_t number_of(Value value) { return parse_decimal(value).value_or(0); }

bool set_event_chains(Value value, RecordOptions& out) {
  const auto parts = split(value, ',');
  const auto* const row = std::ranges::find(kChainWords, parts.front(), &ChainWord::word);
  if (row == std::end(kChainWords)) return false;
  out.chains = row->chains;
  return true;
}

bool set_event_branches(Value value, RecordOptions& out) {
  const auto types = value == "no" ? Result<std::uint64_t>(0) : parse_branch_types(value);
  out.branches = types.value_or(0);
  return types.has_value();
}

/// Sets the option of a term. Returns false if its value is invalid.
struct SamplingTerm {
  std::string_view name;
  bool (*set)(Value value, RecordOptions& out);
};
constexpr SamplingTerm kSamplingTerms[] = {
    {"period",
     [](Value value, RecordOptions& out) {
       out.period = number_of(value);
       out.frequency = 0;
       return true;
     }},
    {"freq",
     [](Value value, RecordOptions& out) {
       out.frequency = number_of(value);
       out.period = 0;
       return true;
     }},
    {"call-graph", set_event_chains},
    {"stack-size",
     [](Value value, RecordOptions& out) {
       out.stack_size = static_cast<std::uint32_t>(number_of(value));
       return out.stack_size % 8 == 0 && out.stack_size < 65536;
     }},
    {"max-stack",
     [](Value value, RecordOptions& out) {
       out.max_stack =
           static_cast<std::uint16_t>(std::min<std::uint64_t>(number_of(value), UINT16_MAX));
       return true;
     }},
    {"inherit",
     [](Value value, RecordOptions& out) {
       out.inherit = number_of(value) != 0;
       return true;
     }},
    {"no-inherit",
     [](Value value, RecordOptions& out) {
       out.inherit = number_of(value) == 0;
       return true;
     }},
    {"branch_type", set_event_branches},
};

/// Terms for things that evname does not record.
constexpr std::string_view kTermsOfPerf[] = {"aux-output", "aux-sample-size", "overwrite"};

}  // namespace
}  // namespace sampling

Result<std::uint64_t> parse_branch_types(std::string_view words) {
  constexpr std::uint64_t kPrivileges =
      perf_format::kBranchUser | perf_format::kBranchKernel | perf_format::kBranchHv;
  std::uint64_t out = 0;
  for (const std::string_view word : split(words, ',')) {
    const auto bit = syntax::branch_bit(word);
    if (!bit)
      return fail(Errc::invalid_argument, fmt::format("'{}' is not a branch type; there are {}",
                                                      word, syntax::branch_words()));
    out |= *bit;
  }
  return (out & ~kPrivileges) == 0 ? out | perf_format::kBranchAny : out;
}

namespace sampling {

Result<RecordOptions> options_of_event(const Encoding& event, const RecordOptions& common) {
  RecordOptions out = common;
  const std::string_view terms = detail::EncodingAccess::sampling_terms(event);
  if (terms.empty()) return out;
  for (const std::string_view term : split(terms, '/')) {
    const std::size_t equals = std::min(term.find('='), term.size());
    const std::string_view name = term.substr(0, equals);
    const std::string_view value = term.substr(std::min(equals + 1, term.size()));
    if (std::ranges::count(kTermsOfPerf, name) > 0 && value != "0")
      return fail(Errc::unsupported,
                  fmt::format("{}: evname does not record with {}", event.name, name), {},
                  "leave it out, or take perf record");
    const auto* const row = std::ranges::find(kSamplingTerms, name, &SamplingTerm::name);
    if (row == std::end(kSamplingTerms)) continue;
    if (!row->set(value, out))
      return fail(Errc::invalid_argument,
                  fmt::format("{}: {} can't be '{}'", event.name, row->name, value));
  }
  return out;
}

bool has_own_rate(const Encoding& event) {
  return std::ranges::any_of(split(detail::EncodingAccess::sampling_terms(event), '/'),
                             [](std::string_view term) {
                               return term.starts_with("period=") || term.starts_with("freq=");
                             });
}

}  // namespace sampling
}  // namespace evname
