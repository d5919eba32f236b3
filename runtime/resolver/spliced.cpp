#include "resolver/spliced.hpp"

#include <fmt/format.h>

#include "syntax/kernel_names.hpp"
#include "syntax/lexer.hpp"

namespace evname::event {
namespace {

class Expander {
 public:
  explicit Expander(const detail::BoundPmu& bound) : bound_(bound) {}

  Result<void> add(const Term& term);
  Expanded take() { return std::move(out_); }

 private:
  Result<void> add_bare(const Term& term);
  Result<void> add_alias(const Term& term, const Alias& alias);
  bool add_generic(std::string_view word);
  void keep(PackTerm term) {
    out_.terms.push_back(term);
    ++out_.user_terms;
  }

  const detail::BoundPmu& bound_;
  Expanded out_;
};

Result<void> Expander::add_alias(const Term& term, const Alias& alias) {
  if (out_.alias)
    return syntax_error(term.offset, fmt::format("'{}' and '{}' are both events: only one can be "
                                                 "counted at a time",
                                                 alias_name(out_.alias), alias_name(alias)));
  out_.alias = alias;
  return append_terms(alias, &out_.terms, &out_.storage);
}

/// Hardware and cache words stand for the generic code only where the PMU has no such event.
bool Expander::add_generic(std::string_view word) {
  if (!bound_.pmu.is_core) return false;
  if (const auto config = hardware_config(word)) {
    out_.generic = Expanded::Generic{kTypeHardware, *config};
    return true;
  }
  const auto cache = cache_config(word);
  if (!cache || !cache->valid) return false;
  out_.generic = Expanded::Generic{kTypeHwCache, cache->config};
  return true;
}

Result<void> Expander::add_bare(const Term& term) {
  if (!term.raw && bound_.pmu.find_format(term.name) != nullptr) {
    keep(pack_term(term));
    return {};
  }
  if (const Alias alias = find_alias(bound_, term.name)) return add_alias(term, alias);
  if (term.raw) {
    keep({"config", Term::Value::number, term.number, {}, term.offset});
    return {};
  }
  if (add_generic(term.name)) return {};
  return error_at(
      term.offset, Errc::not_found,
      fmt::format("'{}' is neither a term nor an event of PMU '{}'", term.name, bound_.pmu.name));
}

Result<void> Expander::add(const Term& term) {
  if (is_builtin_term(term.name)) {
    keep(pack_term(term));
    return {};
  }
  if (term.value == Term::Value::none) return add_bare(term);
  const bool names_event =
      term.value == Term::Value::text && tables::equal_ignoring_case(term.name, "event");
  if (names_event)
    if (const Alias alias = find_alias(bound_, term.text)) return add_alias(term, alias);
  keep(pack_term(term));
  return {};
}

}  // namespace

Result<Expanded> expand(const detail::BoundPmu& bound, std::span<const Term> terms) {
  Expander expander(bound);
  for (const Term& term : terms)
    if (const auto done = expander.add(term); !done) return tl::unexpected<Error>(done.error());
  return expander.take();
}

}  // namespace evname::event
