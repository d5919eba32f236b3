#include "emit/dialects.hpp"

namespace evname::tools {

// C99. To be included in one source file, or compiled with the declarations in a header; beside
// <evname/evname.h>, too.
const Dialect kC = {
    .preamble = R"(
#include <stddef.h>
#include <stdint.h>

struct evname_emitted_code {
  const char *event; // as it was asked for
  const char *pmu;   // NULL: these CPUs have no such event
  int64_t type;      // of perf_event_attr; -1: see above
  uint64_t config, config1, config2, config3;
};

struct evname_emitted_cpu {
  const char *arch;
  const char *cpuid; // pattern; NULL after the last row
  const char *model;
  const struct evname_emitted_code *codes; // NULL: not asked for
  size_t count;
};

extern const struct evname_emitted_cpu evname_cpus[];
)",
    .codes_open = "\nstatic const struct evname_emitted_code evname_codes_{0}[] = {{\n",
    .code = "  {{{0}, {1}, {2}, {3:#x}, {4:#x}, {5:#x}, {6:#x}}},",
    .codes_close = "};\n",
    .cpus_open = "\nconst struct evname_emitted_cpu evname_cpus[] = {\n",
    .cpu = "  {{{0}, {1}, {2}, evname_codes_{3}, {4}}},\n",
    .other_cpu = "  {{{0}, {1}, {2}, NULL, 0}},\n",
    .cpus_close = "  {NULL, NULL, NULL, NULL, 0},\n};\n",
    .cpus_name = "evname_cpus",
    .pmu = "{0}",
    .no_pmu = "NULL",
    .no_pmu_words = "NULL",
    .type = "{0}",
    .no_type = "-1",
    .capitals = false,
    .escapes_question = true,
};

// C++17, as a header or a source file.
const Dialect kCpp = {
    .preamble = R"(
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evname_codes {

struct Code {
  std::string_view event; // as it was asked for
  std::string_view pmu;   // empty: these CPUs have no such event
  std::int64_t type;      // of perf_event_attr; -1: see above
  std::uint64_t config, config1, config2, config3;
};

struct Cpu {
  std::string_view arch;
  std::string_view cpuid; // pattern
  std::string_view model;
  const Code *codes; // nullptr: not asked for
  std::size_t count;
};
)",
    .codes_open = "\ninline constexpr Code codes_{0}[] = {{\n",
    .code = "  {{{0}, {1}, {2}, {3:#x}, {4:#x}, {5:#x}, {6:#x}}},",
    .codes_close = "};\n",
    .cpus_open = "\ninline constexpr Cpu cpus[] = {\n",
    .cpu = "  {{{0}, {1}, {2}, codes_{3}, {4}}},\n",
    .other_cpu = "  {{{0}, {1}, {2}, nullptr, 0}},\n",
    .cpus_close = "};\n\n} // namespace evname_codes\n",
    .cpus_name = "evname_codes::cpus",
    .pmu = "{0}",
    .no_pmu = "\"\"",
    .no_pmu_words = "empty",
    .type = "{0}",
    .no_type = "-1",
    .capitals = false,
    .escapes_question = true,
};

// Rust 2021, as a module of its own.
const Dialect kRust = {
    .preamble = R"(
#[allow(dead_code)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// As it was asked for.
    pub event: &'static str,
    /// None: these CPUs have no such event.
    pub pmu: Option<&'static str>,
    /// Of perf_event_attr; None: see above.
    pub type_: Option<u32>,
    /// config, config1, config2, config3.
    pub config: [u64; 4],
}

#[allow(dead_code)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    pub arch: &'static str,
    /// Pattern.
    pub cpuid: &'static str,
    pub model: &'static str,
    /// Empty: not asked for.
    pub codes: &'static [Code],
}
)",
    .codes_open =
        "\n#[allow(dead_code)]\n#[rustfmt::skip]\npub static CODES_{0}: [Code; {1}] = [\n",
    .code =
        "    Code {{ event: {0}, pmu: {1}, type_: {2}, "
        "config: [{3:#x}, {4:#x}, {5:#x}, {6:#x}] }},",
    .codes_close = "];\n",
    .cpus_open = "\n#[allow(dead_code)]\n#[rustfmt::skip]\npub static CPUS: &[Cpu] = &[\n",
    .cpu = "    Cpu {{ arch: {0}, cpuid: {1}, model: {2}, codes: &CODES_{3} }},\n",
    .other_cpu = "    Cpu {{ arch: {0}, cpuid: {1}, model: {2}, codes: &[] }},\n",
    .cpus_close = "];\n",
    .cpus_name = "CPUS",
    .pmu = "Some({0})",
    .no_pmu = "None",
    .no_pmu_words = "None",
    .type = "Some({0})",
    .no_type = "None",
    .capitals = true,
    .escapes_question = false,
};

}  // namespace evname::tools
