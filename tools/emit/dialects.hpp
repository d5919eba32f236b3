#pragma once
// What the languages that codes are emitted in differ in. Forms are those of fmt::format.

#include <string_view>

namespace evname::tools {

struct Dialect {
  std::string_view preamble;    ///< types
  std::string_view codes_open;  ///< {0} identifier of the model, {1} count
  std::string_view
      code;  ///< {0} event, {1} PMU, {2} type, {3} to {6} config words; without line end
  std::string_view codes_close;  ///< no form
  std::string_view cpus_open;    ///< no form
  std::string_view cpu;  ///< {0} architecture, {1} pattern, {2} model, {3} identifier, {4} count
  std::string_view other_cpu;      ///< {0} architecture, {1} pattern, {2} model
  std::string_view cpus_close;     ///< no form
  std::string_view cpus_name;      ///< of the table of CPUs
  std::string_view pmu, no_pmu;    ///< {0} text; of a code that there is, and that there is not
  std::string_view no_pmu_words;   ///< the latter in a sentence
  std::string_view type, no_type;  ///< {0} number
  bool capitals;                   ///< identifiers of tables
  bool escapes_question;           ///< "\?" is known
};

extern const Dialect kC, kCpp, kRust;

}  // namespace evname::tools
