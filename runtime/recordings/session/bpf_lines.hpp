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

/// The source lines of functions that the kernel made from BPF programs. The features outlive the
/// object.
class BpfLines {
 public:
  explicit BpfLines(const perf_format::Features& features);
  /// Returns the lines of a function by its start and the tag in its name, since the kernel reuses
  /// addresses.
  std::span<const CodeLine> of(std::uint64_t start, std::string_view name) const;

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<CodeLine>> functions_;
};

}  // namespace evname::session
