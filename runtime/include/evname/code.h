#ifndef EVNAME_CODE_H
#define EVNAME_CODE_H
/* Which event a perf_event_attr counts: the one type for this in evname, in C and in C++. */

#ifdef __cplusplus
#include <array>
#include <cstddef>
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/** How many config words perf_event_attr has: config, config1, … config4 (since Linux 6.18). */
#define EVNAME_CONFIG_WORDS 5

/** The members of a struct perf_event_attr that say which event is counted.
 * Source: include/uapi/linux/perf_event.h. */
typedef struct evname_code {
  uint64_t config[EVNAME_CONFIG_WORDS]; /**< config[1] is the attr's config1, … */
  uint32_t type;                        /**< of perf_event_attr; 0 unless has_type */
  uint32_t has_type; /**< 0: only the live machine knows the number of the PMU; else 1 */
} evname_code;

#ifdef __cplusplus
}

namespace evname {

using Code = ::evname_code;

/// The config words alone.
using ConfigWords = std::array<std::uint64_t, EVNAME_CONFIG_WORDS>;

/// A code whose type is known.
constexpr Code make_code(std::uint32_t type, const ConfigWords& config) {
  Code code{};
  for (std::size_t i = 0; i < config.size(); ++i) code.config[i] = config[i];
  code.type = type;
  code.has_type = 1;
  return code;
}

/// Is the code known to be of this type?
constexpr bool is_type(const Code& code, std::uint32_t type) {
  return code.has_type != 0 && code.type == type;
}

/// The config words, to compare and to pass on.
constexpr ConfigWords words_of(const Code& code) {
  ConfigWords words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = code.config[i];
  return words;
}

}  // namespace evname
#endif

#endif
