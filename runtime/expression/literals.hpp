#pragma once
// The facts of a machine that a metric expression can name.

#include <optional>
#include <string_view>

namespace evname::metric {

/// Their one spelling each. Source: perf, util/expr.c.
inline constexpr std::string_view kLiterals[] = {
    "#core_wide",        // what is counted covers whole cores
    "#has_pmem",         // persistent memory is there
    "#num_cores",        // online
    "#num_cpus",         // present
    "#num_cpus_online",  //
    "#num_dies",         // online
    "#num_packages",     // online
    "#slots",            // issue slots a cycle; Arm only
    "#smt_on",           // simultaneous multithreading is in use
    "#system_tsc_freq",  // Hz
};

/// The spelling in kLiterals of a literal as written: "#SMT_on" is "#smt_on".
std::optional<std::string_view> find_literal(std::string_view written);

}  // namespace evname::metric
