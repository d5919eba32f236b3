#pragma once
// The source lines of BPF programs.

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "evname/features.hpp"
#include "evname/symbols.hpp"

namespace evname::session {

/// The lines that a recording has of the functions that the kernel made of BPF programs. Views are
/// of the features, which outlive the object.
class BpfLines {
 public:
  explicit BpfLines(const perf_format::Features& features);
  /// Returns the lines of a function, by its start and its name, which has its tag: the kernel puts
  /// other programs where one was.
  std::span<const CodeLine> of(std::uint64_t start, std::string_view name) const;

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<CodeLine>> functions_;
};

}  // namespace evname::session
