#pragma once
// The codes of a PMU's events.

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/lazy.hpp"
#include "events/machine/lookup.hpp"

namespace evname::machine {

/// An event and its code. Its views live as long as the machine.
struct NamedCode {
  ConfigWords config;
  std::string_view name;           ///< lower case
  const tables::ModelView* model;  ///< of `event`
  const tables::Event* event;      ///< of a table; nullptr: of sysfs
  const pmu::SysfsEvent* sysfs;

  bool deprecated() const { return event != nullptr && (event->flags & tables::kDeprecated) != 0; }
  Alias alias() const { return {event != nullptr ? *model : tables::ModelView{}, event, sysfs}; }
};

/// Finds events by their config words. Part n belongs to PMU n of the machine and is built on first
/// use. Thread-safe.
class CodeIndex {
 public:
  explicit CodeIndex(std::size_t pmus) : parts_(std::make_unique<Lazy<Part>[]>(pmus)) {}

  /// Returns the events of that PMU with exactly this code, best name first.
  std::span<const NamedCode> find(const detail::MachineState& state, std::size_t pmu,
                                  const ConfigWords& config) const;
  /// Returns all events of that PMU, sorted by code.
  std::span<const NamedCode> all(const detail::MachineState& state, std::size_t pmu) const;

 private:
  class Part {
   public:
    explicit Part(const BoundPmu& bound);
    std::span<const NamedCode> all() const { return codes_; }
    std::span<const NamedCode> find(const ConfigWords& config) const;

   private:
    void add(const BoundPmu& bound, const tables::ModelView& model, const tables::Event& event);
    void add_common(const BoundPmu& bound);
    void add_sysfs(const BoundPmu& bound, const pmu::SysfsEvent& event);

    std::vector<NamedCode> codes_;     // sorted by encoding, then best name first
    std::deque<std::string> lowered_;  // names of sysfs that are not lower case there
  };
  const Part& part(const detail::MachineState& state, std::size_t pmu) const;

  std::unique_ptr<Lazy<Part>[]> parts_;
};

/// Returns the events of the PMU with the same event field, nearest first; none if the PMU has no
/// such field.
std::vector<NamedCode> codes_of_event(const detail::MachineState& state, std::size_t pmu,
                                      const ConfigWords& config);

}  // namespace evname::machine
