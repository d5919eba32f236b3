#pragma once
// Names that a caller resolves at high rates: one hash, no syntax tree, no allocation.

#include <bitset>
#include <optional>
#include <span>

#include "machine/state.hpp"
#include "resolver/term_fields.hpp"

namespace evname::event {

/// What was prepared for the bare names of a machine's tables. Immutable; the state it was made of
/// outlives it and does not change.
class DirectNames {
 public:
  explicit DirectNames(const detail::MachineState& state);

  /// How many encodings `text` has, the first of them in `out`; nullopt where it is not one name of
  /// the tables (with or without modifiers) or something else has a say in it: then the resolver
  /// gives the answer, which would be the same here.
  std::optional<std::size_t> resolve(std::string_view text, std::span<EventAttr> out) const;

 private:
  /// A model and, for each of its event lists, the PMUs it serves.
  struct Served {
    tables::ModelView model;
    std::vector<std::vector<std::uint16_t>> pmus;
  };
  struct Hit {
    std::uint16_t pmu;
    const Served* served;
    const tables::Event* event;
  };
  class Hits;
  static constexpr std::size_t kHashBits = 1 << 13;

  void add_tables(const detail::MachineState& state);
  void add_others(const detail::BoundPmu& bound);
  void add_other(std::string_view name);
  bool is_other(std::uint32_t hash) const;
  bool find(std::string_view name, std::uint32_t hash, Hits& hits) const;
  bool encode(const Hit& hit, const AttrBits& bits, EventAttr& attr) const;

  const detail::MachineState& state_;
  std::vector<Served> served_;
  std::vector<TermFields> fields_;  ///< of each PMU of the machine
  /// Hashes of names that not only the model's tables have, sorted; and a bit for each.
  std::vector<std::uint32_t> others_;
  std::bitset<kHashBits> other_bits_;
};

}  // namespace evname::event
