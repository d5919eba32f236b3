#pragma once
// Adds texts, terms, term lists, events and metrics to tables, which hold each distinct one once.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tsl/robin_map.h>

#include "base/text_pool.hpp"
#include "events/compiler/encode_entry.hpp"
#include "events/compiler/entry.hpp"
#include "events/tables/arrays.hpp"

namespace evname::compiler {

/// Adds to the arrays it is given; these must outlive it and not be changed by others.
class Interner {
 public:
  explicit Interner(tables::TableArrays& arrays);
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;

  tables::Text text(std::string_view text) { return texts_.add(text); }
  std::string_view view(tables::Text text) const { return arrays_.strings.data() + text; }
  /// Puts the names of terms next to each other, since packing codes reads all of them.
  void gather_term_names();
  /// Fills name, texts, terms and flags of an event. Returns nullopt if the tables, whose indexes
  /// have 16 bits, have no room for it; lack() names the full array.
  std::optional<tables::Event> event(const Entry& entry);
  /// Does the same with a metric.
  std::optional<tables::Metric> metric(const Entry& entry);
  /// Returns the index into TableArrays::metrics; nullopt if there is no room.
  std::optional<std::uint16_t> metric_index(const tables::Metric& metric);
  std::string_view lack() const { return lack_; }
  /// Returns the index into TableArrays::counters; nullopt if there are too many distinct ones.
  std::optional<std::uint8_t> counters(const tables::Counters& counters);
  /// Returns the index into TableArrays::latencies; 0 if there are too many distinct ones.
  std::uint8_t latency(const tables::Latency& latency);
  /// Returns the index into TableArrays::events.
  std::uint32_t event_index(const tables::Event& event);

 private:
  /// Hashes and compares plain values by their bytes.
  struct BytesHash {
    template <class T>
    std::size_t operator()(const T& value) const noexcept {
      static_assert(std::has_unique_object_representations_v<T>);
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&value), sizeof value});
    }
  };
  struct BytesEqual {
    template <class T>
    bool operator()(const T& a, const T& b) const {
      return std::memcmp(&a, &b, sizeof a) == 0;
    }
  };
  template <class T>
  using IndexOf = tsl::robin_map<T, std::uint32_t, BytesHash, BytesEqual>;

  /// Returns the index of `value` in `values`, where it is added if it is new and there is room.
  template <class T>
  std::uint16_t index16(IndexOf<T>& known, std::vector<T>& values, const T& value,
                        std::string_view what);
  /// Returns a number that must have 16 bits.
  std::uint16_t fitting(std::size_t number, std::string_view what);
  std::uint16_t term(const tables::Term& term);
  std::uint32_t term_list(const std::vector<tables::Term>& terms);
  std::uint16_t symbol(const expression::Symbol& symbol, const Formula& formula);
  std::uint32_t program(const Formula& formula);

  tables::TableArrays& arrays_;
  std::string_view lack_;  ///< empty: all of the last entry had room
  UniqueTexts texts_;
  IndexOf<tables::Text> term_names_;
  IndexOf<tables::StoredTerm> terms_;
  IndexOf<tables::Event> events_;
  IndexOf<tables::EventTraits> traits_;
  IndexOf<tables::Metric> metrics_;
  IndexOf<tables::Program> programs_;
  tsl::robin_map<std::string, std::uint32_t> lists_, symbol_lists_, step_runs_,
      number_runs_;  ///< by their bytes
  tsl::robin_map<std::string, std::uint16_t> symbols_;
};

}  // namespace evname::compiler
