#pragma once
// perf's metric expressions, parsed. Source: perf, util/expr.y (rules, not code).
//
//   EXPR if EXPR else …   then, from loosest to tightest, all from left to right:
//   |   ^   &   < >   + -   * / %   unary -
//   min(a, b)  max(a, b)  d_ratio(a, b)  source_count(NAME)  aggr_nr(NAME)
//   has_event(NAME)  strcmp_cpuid_str(ID)  #literal  1.5e-3  NaN  NAME  (EXPR if …)
//
// An event's slashes are written @, and , - in a name take a backslash, = may.

#include <optional>
#include <string>
#include <string_view>

#include "events/expression/program.hpp"
#include "evname/error.hpp"

namespace evname::expression {

/// The facts of a machine that an expression can name, in their one spelling. Source: perf,
/// util/expr.c.
inline constexpr std::string_view kLiterals[] = {
    "#core_wide",        // the counts cover whole cores
    "#has_pmem",         // persistent memory is there
    "#num_cores",        // online
    "#num_cpus",         // present
    "#num_cpus_online",  //
    "#num_dies",         // online
    "#num_packages",     // online
    "#slots",            // issue slots a cycle; Arm only
    "#smt_on",           // simultaneous multithreading is in use
    "#system_tsc_freq",  // Hz
    "#target_cpu",       // the counts are of CPUs, not a process
};

/// Returns the spelling in kLiterals of a literal as written: "#smt_on" of "#SMT_on".
std::optional<std::string_view> find_literal(std::string_view written);

/// Parses an expression. Errors: invalid_argument, or out_of_range for one that is too deep or too
/// long and for too large a number;
/// `where` is "metric expression, column N".
Result<Program> parse_expression(std::string_view text);

/// Returns a symbol's name as an event text: "cpu@event=0x3c@u" is "cpu/event=0x3c/u", and '?' is
/// the runtime parameter.
std::string event_text(std::string_view name, unsigned parameter = 0);

}  // namespace evname::expression
