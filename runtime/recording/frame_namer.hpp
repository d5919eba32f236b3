#pragma once
// Functions of the code that samples were taken in. Addresses come again and again: what was found
// is remembered.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evname/perf_data.hpp"
#include "evname/stacks.hpp"
#include "evname/symbols.hpp"
#include "perfdata/session/processes.hpp"
#include "perfdata/session/session.hpp"
#include "symbols/unwinder.hpp"

namespace evname::recording {

/// What is known of an address, and what those who count frames made of each.
struct NamedCode : NamedAddress {
  std::vector<std::uint32_t> numbers = {};  ///< one of each frame
  bool is_odd = false;                      ///< a name has a control character
};

/// For one thread at a time, and one pass. Not to be copied once it is used.
class FrameNamer {
 public:
  /// `inlines`: ask for more than the function alone; `lines`: for sources and lines, too.
  FrameNamer(const PerfData& file, const Symbols& symbols, bool inlines, bool lines = true);

  /// As Sample::stack(), and where the sample has registers and a copy of its stack (perf record
  /// --call-graph dwarf) the callers in user space, too.
  bool stack(const Sample& sample, std::vector<CodeAddress>& stack);
  /// The last stack has such callers.
  bool has_unwound() const { return !calls_.empty(); }

  /// Valid until the next call. It may be changed: changes last as long as it is remembered.
  NamedCode& at(const perfdata::session::SampleView& view, CodeAddress address);

 private:
  /// Slots are looked at in groups; the table grows to the most there may be.
  static constexpr unsigned kGroup = 4, kFirstBits = 12, kMostBits = 18;
  static constexpr std::size_t kMostNamed = 1 << 16;

  /// Where an address was when last asked for, and what is there.
  struct Place {
    std::uint64_t generation = UINT64_MAX;
    std::uint64_t address = 0;
    std::int32_t pid = 0;
    bool kernel = false;
    perfdata::session::CodePlace place = {};
    NamedCode* named = nullptr;  ///< nullptr: not asked for
  };
  struct Key {
    const perfdata::session::MappedCode* code;
    std::uint64_t offset;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  Place& place_of(const perfdata::session::SampleView& view, CodeAddress address);
  Place& slot_of(std::int32_t pid, CodeAddress address);
  void grow();
  NamedCode& name_of(const perfdata::session::SampleView& view, std::uint64_t address,
                     Place& place);
  void name(const perfdata::session::AddressMaps& maps, const perfdata::session::CodePlace& place,
            std::uint64_t address, NamedCode& known) const;

  void unwind(const detail::SampleRef& ref);

  std::string arch_;

  const Symbols* symbols_;
  bool inlines_, lines_;
  std::shared_ptr<symbols::Unwinder> unwinder_;  ///< made when it is needed
  std::vector<std::uint64_t> calls_, registers_;
  unsigned bits_ = kFirstBits;
  std::vector<Place> places_;
  std::unordered_map<Key, NamedCode, Hash> named_;
};

}  // namespace evname::recording
