#pragma once
// Which PMUs of a machine have an event of a name: one hash of the name, whatever the number of
// PMUs, where nothing but the model's tables has a say in it.

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "events/machine/alias.hpp"

namespace evname::machine {

/// Made once for a machine. Immutable; the state it was made of outlives it and does not change.
class EventLookup {
 public:
  explicit EventLookup(const detail::MachineState& state);

  /// A model and, for each of its event lists, the PMUs it serves.
  struct Served {
    tables::ModelView model;
    std::vector<std::vector<std::uint16_t>> pmus;
  };

  /// The PMUs that have the event, in perf's order, and the alias that counts on each.
  class Found {
   public:
    std::size_t size() const { return general_.empty() ? size_ : general_.size(); }
    const BoundPmu& pmu(std::size_t i) const;
    Alias alias(std::size_t i) const;

   private:
    friend class EventLookup;
    struct Hit {
      std::uint16_t pmu;
      const Served* served;
      const tables::Event* event;
    };
    /// False: too many for hits_, or two of one PMU.
    bool add(const Hit& hit);

    explicit Found(const detail::MachineState& state) : state_(state) {}

    const detail::MachineState& state_;
    std::array<Hit, 64> hits_;  // left uninitialized: that would take longer than all the rest
    std::size_t size_ = 0;
    std::vector<std::pair<const BoundPmu*, Alias>> general_;  // instead of hits_
  };

  /// Any case. `hash` is the name's name_hash, 0 if it is not known; it is known of names that
  /// stand for no generic event only. No allocation for a name of the tables.
  Found find(std::string_view name, std::uint32_t hash) const;

 private:
  static constexpr std::size_t kHashBits = 1 << 13;

  void add_tables();
  void add_other(std::string_view name);
  bool is_other(std::uint32_t hash) const;
  bool find_in_tables(std::string_view name, std::uint32_t hash, Found& found) const;

  const detail::MachineState& state_;
  std::vector<Served> served_;
  /// Hashes of names that not only the model's tables have, sorted; and a bit for each.
  std::vector<std::uint32_t> others_;
  std::bitset<kHashBits> other_bits_;
};

/// Index of the PMU that counts codes of this type; raw codes: the core PMU of type 4, else the
/// first core PMU. nullopt if the machine has none.
std::optional<std::size_t> pmu_of_type(const detail::MachineState& state, std::uint32_t type);

}  // namespace evname::machine
