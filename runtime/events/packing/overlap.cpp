#include "events/packing/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evname::packing {
namespace {

std::uint64_t value_of(const PackTerm& term) {
  return term.value == syntax::Term::Value::none ? 1 : term.number;
}

bool is_users(const PackTerm& term) { return term.offset != PackTerm::kNotInText; }

/// All terms of the list that name one field.
class FieldTerms {
 public:
  FieldTerms(std::string_view name, std::span<const PackTerm> terms) {
    for (const PackTerm& term : terms) {
      if (term.name != name || term.value == syntax::Term::Value::text) continue;
      if (last_ == nullptr || is_users(term) || !is_users(*last_)) last_ = &term;
      const std::uint64_t value = value_of(term);
      if (std::find(values_.begin(), values_.end(), value) == values_.end())
        values_.push_back(value);
    }
  }

  std::uint64_t wanted() const { return value_of(*last_); }
  std::string warning(std::uint64_t got) const {
    if (values_.size() > 1)
      return fmt::format("'{}' is given as {:#x}: perf ORs that to {:#x}", last_->name,
                         fmt::join(values_, " and "), got);
    return fmt::format(
        "'{}={:#x}' ends up as {:#x}: other terms set bits of that field, and perf ORs them",
        last_->name, wanted(), got);
  }

 private:
  const PackTerm* last_ = nullptr;
  std::vector<std::uint64_t> values_;  // without repetitions
};

/// Bits of the field that other terms name more narrowly, as `pmc` does inside `event` on POWER:
/// there it is meant to be added to.
std::uint64_t refined_bits(const pmu::Pmu& pmu, const pmu::Format& field,
                           std::span<const PackTerm> terms) {
  std::uint64_t bits = 0;
  for (const PackTerm& term : terms) {
    const pmu::Format* other = pmu.find_format(term.name);
    if (other != nullptr && other->word == field.word && other->mask != field.mask &&
        (other->mask & ~field.mask) == 0)
      bits |= other->mask;
  }
  return bits;
}

}  // namespace

std::vector<std::string> overlap_warnings(const pmu::Pmu& pmu, std::span<const PackTerm> terms,
                                          const Packed& words) {
  std::vector<std::string> warnings;
  for (const PackTerm& term : terms) {
    const pmu::Format* format = pmu.find_format(term.name);
    if (format == nullptr || term.value == syntax::Term::Value::text ||
        syntax::find_own_term(term.name) != nullptr)
      continue;
    const bool again = std::any_of(terms.data(), &term, [&](const PackTerm& other) {
      return other.name == term.name && other.value != syntax::Term::Value::text;
    });
    if (again) continue;
    const FieldTerms field(term.name, terms);
    const std::uint64_t word = words.config[format->word];
    const std::uint64_t wrong = (word ^ format->pack(field.wanted()).value_or(0)) & format->mask;
    if ((wrong & ~refined_bits(pmu, *format, terms)) != 0)
      warnings.push_back(field.warning(format->extract(word)));
  }
  return warnings;
}

}  // namespace evname::packing
