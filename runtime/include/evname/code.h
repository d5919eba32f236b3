#ifndef EVNAME_CODE_H
#define EVNAME_CODE_H
/* The code of an event: the members of perf_event_attr that select it. Shared by C and C++. */

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

/** Number of config words of perf_event_attr: config, config1, … config4 (since Linux 6.18). */
#define EVNAME_CONFIG_WORDS 5

/** The members of struct perf_event_attr that select the event to count.
 * Source: include/uapi/linux/perf_event.h. */
typedef struct evname_code {
  uint64_t config[EVNAME_CONFIG_WORDS]; /**< config[1] is the attr's config1, … */
  uint32_t type;                        /**< perf_event_attr.type; 0 unless has_type */
  uint32_t has_type; /**< 1 if `type` is known, 0 if only the live machine knows it */
} evname_code;

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && __cplusplus > 201703L
#include <array>
#include <cstddef>

namespace evname {

using Code = ::evname_code;

/// The config words alone.
using ConfigWords = std::array<std::uint64_t, EVNAME_CONFIG_WORDS>;

/// Makes a code with a known type.
constexpr Code make_code(std::uint32_t type, const ConfigWords& config) {
  Code code{};
  for (std::size_t i = 0; i < config.size(); ++i) code.config[i] = config[i];
  code.type = type;
  code.has_type = 1;
  return code;
}

/// Returns true if the code's type is known and equal to `type`.
constexpr bool is_type(const Code& code, std::uint32_t type) {
  return code.has_type != 0 && code.type == type;
}

/// Returns the config words of a code.
constexpr ConfigWords words_of(const Code& code) {
  ConfigWords words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = code.config[i];
  return words;
}

}  // namespace evname

/// Compares all members.
constexpr bool operator==(const evname_code& a, const evname_code& b) {
  return a.type == b.type && a.has_type == b.has_type && evname::words_of(a) == evname::words_of(b);
}
#endif

#endif
