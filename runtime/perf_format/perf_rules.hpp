#pragma once
// Checks the form of features as perf 7.3 does, which refuses the whole file if one is wrong.

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace evname::perf_format {

/// The facts that perf compares features with.
struct PerfReader {
  std::endian order;                   ///< the recorder's
  std::uint32_t cpus = 0, online = 0;  ///< of NRCPUS
  std::size_t events = 0;              ///< number of attrs
  bool is_directory = false;           ///< the recording is one
};

/// The form that perf asks of a feature: process_* of tools/perf/util/header.c.
struct PerfRule {
  /// A sequence of items:
  /// - u, U: 32 and 64 bits; v, V: the same, which must be 1 (a version);
  /// - s: a text, which has a byte at least; c: a text that is a list of CPUs;
  /// - p, t, m: an entry of BPF_PROG_INFO, BPF_BTF and MEM_TOPOLOGY;
  /// - [N …]: a number of items of 32 bits, at most N, and the items; {N …}: of 64 bits.
  std::string_view layout = {};
  /// What the layout does not say: returns why perf refuses the file, as why_perf_refuses().
  std::string_view (*check)(Cursor& in, const PerfReader& reader) = nullptr;
  bool native = false;  ///< perf leaves it alone in files of the other byte order
};

///@{
/// Checks of the features with these names.
std::string_view check_cpus(Cursor& in, const PerfReader& reader);
std::string_view check_block(Cursor& in, const PerfReader& reader);
std::string_view check_directory(Cursor& in, const PerfReader& reader);
std::string_view check_topology(Cursor& in, const PerfReader& reader);
std::string_view check_groups(Cursor& in, const PerfReader& reader);
std::string_view check_auxtrace(Cursor& in, const PerfReader& reader);
std::string_view check_domains(Cursor& in, const PerfReader& reader);
///@}

/// Returns why perf refuses a file whose feature has this content: "is broken"; "" if it takes it.
std::string_view why_perf_refuses(const PerfRule& rule, Bytes content, const PerfReader& reader);

}  // namespace evname::perf_format
