#pragma once
// From config words to the events of a PMU. Built for a PMU when it is first asked for.

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "event/alias.hpp"

namespace evname::event {

using ConfigWords = std::array<std::uint64_t, 4>;

/// One event under its encoding.
struct NamedCode {
  ConfigWords config;
  Alias alias;

  std::string_view name() const;
  bool deprecated() const;
};

/// Thread-safe; part n belongs to PMU n of the machine.
class NameIndex {
 public:
  explicit NameIndex(std::size_t pmus) : parts_(std::make_unique<Part[]>(pmus)) {}

  /// The events of that PMU with exactly this encoding, best name first.
  std::span<const NamedCode> find(const detail::MachineState& state, std::size_t pmu,
                                  const ConfigWords& config) const;

 private:
  struct Part {
    std::once_flag built;
    std::vector<NamedCode> codes;  // sorted by encoding, then best name first
  };
  std::unique_ptr<Part[]> parts_;
};

}  // namespace evname::event
