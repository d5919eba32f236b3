#include "event/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evname::event {
namespace {

std::uint64_t value_of(const PackTerm& term) {
  return term.value == Term::Value::none ? 1 : term.number;
}

bool is_users(const PackTerm& term) { return term.offset != PackTerm::kNotInText; }

/// All terms of the list that name one field.
class FieldTerms {
 public:
  FieldTerms(std::string_view name, std::span<const PackTerm> terms) {
    for (const PackTerm& term : terms) {
      if (term.name != name || term.value == Term::Value::text) continue;
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

}  // namespace

std::vector<std::string> overlap_warnings(const pmu::Pmu& pmu, std::span<const PackTerm> terms,
                                          const Words& words) {
  std::vector<std::string> warnings;
  for (const PackTerm& term : terms) {
    const pmu::Format* format = pmu.find_format(term.name);
    if (format == nullptr || term.value == Term::Value::text || is_builtin_term(term.name))
      continue;
    const bool again = std::any_of(terms.data(), &term, [&](const PackTerm& other) {
      return other.name == term.name && other.value != Term::Value::text;
    });
    if (again) continue;
    const FieldTerms field(term.name, terms);
    const std::uint64_t got = format->extract(words.config[format->word]);
    if (got != field.wanted()) warnings.push_back(field.warning(got));
  }
  return warnings;
}

}  // namespace evname::event
