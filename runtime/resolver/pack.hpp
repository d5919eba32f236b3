#pragma once
// Terms to config words, as perf does it (util/pmu.c, pmu_config_term).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "syntax/events.hpp"
#include "evname/error.hpp"
#include "pmu/pmu.hpp"
#include "tables/lookup.hpp"

namespace evname::event {

/// A term whichever source it came from. Views point into the tables or into parsed Terms.
struct PackTerm {
  std::string_view name;
  Term::Value value = Term::Value::none;
  std::uint64_t number = 0;
  std::string_view text;
  std::size_t offset = kNotInText;  ///< in the event text, for errors

  static constexpr std::size_t kNotInText = static_cast<std::size_t>(-1);
};

PackTerm pack_term(const Term& term);
PackTerm pack_term(const tables::ArchTables& arch, const tables::Term& term);

/// What is encoded: config, config1, config2, config3 and the sample period (0: none given).
struct Words {
  std::array<std::uint64_t, 4> config{};
  std::uint64_t period = 0;
};

/// What a term without format field is for. Most steer the recording and encode nothing.
struct BuiltinEffect {
  enum class Kind : std::uint8_t { config, period, none } kind = Kind::none;
  std::uint8_t word = 0;  ///< config: which
};

/// config, config1, …, period, name and the others that need no format field; else nullopt.
std::optional<BuiltinEffect> builtin_effect(std::string_view name);
bool is_builtin_term(std::string_view name);

/// PMUs that perf fills in defaults for: there alone a value replaces what its field holds
/// (pmu_config_term's `zero`; perf_pmu__arch_init of tools/perf/arch).
bool has_defaults(const pmu::Pmu& pmu);

/// ORs the terms into words. config, config1, … go first, whatever their place; of several periods
/// the last counts. Errors: out_of_range for a value too wide for its field, not_found for an
/// unknown term, invalid_argument for a value that is missing or of the wrong kind; `where` is the
/// term's column if the user wrote it, else empty.
Result<Words> pack(const pmu::Pmu& pmu, std::span<const PackTerm> terms);

/// The same for an event of the tables, without an allocation unless it fails.
Result<Words> pack(const pmu::Pmu& pmu, const tables::ArchTables& arch, const tables::Event& event);

/// Terms of an event that belongs to no PMU's formats (cycles, r1a8): only those that need no
/// field.
Result<void> pack_builtins(std::span<const PackTerm> terms, Words& words);

/// "umask=0x20", "inv=1", "period=100003": how a term is spelled where the source doesn't say.
std::string canonical_term(const pmu::Pmu& pmu, const PackTerm& term);

}  // namespace evname::event
