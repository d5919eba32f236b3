#pragma once
// Functions of the code that samples were taken in. Addresses come again and again: what was found
// is remembered.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evname/perf_data.hpp"
#include "evname/stacks.hpp"
#include "evname/symbols.hpp"
#include "perfdata/session/processes.hpp"
#include "perfdata/session/session.hpp"
#include "symbols/unwinder.hpp"

namespace evname::recording {

/// What is known of an address, and what those who write or count frames made of each.
struct NamedCode : NamedAddress {
  std::vector<std::string> texts;
  std::string whole;                   ///< the same of all frames as one
  std::vector<std::uint32_t> numbers;  ///< one of each frame
};

/// For one thread at a time, and one pass. Not to be copied once it is used.
class FrameNamer {
 public:
  /// `inlines`: ask for more than the function alone.
  FrameNamer(const PerfData& file, const Symbols& symbols, bool inlines);

  /// As Sample::stack(), and where the sample has registers and a copy of its stack (perf record
  /// --call-graph dwarf) the callers in user space, too.
  bool stack(const Sample& sample, std::vector<CodeAddress>& stack);
  /// The last stack has such callers.
  bool has_unwound() const { return !calls_.empty(); }

  /// Valid until the next call. It may be changed: changes last as long as it is remembered.
  NamedCode& at(const perfdata::session::SampleView& view, CodeAddress address);

 private:
  static constexpr std::size_t kPlaces = 1 << 12, kNamed = 1 << 15;

  /// Where an address was when last asked for.
  struct Place {
    std::uint64_t generation = UINT64_MAX;
    std::uint64_t address = 0;
    std::int32_t pid = 0;
    bool kernel = false;
    perfdata::session::CodePlace place = {};
  };
  struct Named {
    const perfdata::session::MappedCode* code = nullptr;
    std::uint64_t offset = 0;
    bool is_set = false;
    NamedCode known;
  };

  const perfdata::session::CodePlace& place_of(const perfdata::session::SampleView& view,
                                               CodeAddress address);
  void name(const perfdata::session::AddressMaps& maps, const perfdata::session::CodePlace& place,
            std::uint64_t address, NamedCode& known) const;

  void unwind(const detail::SampleRef& ref);

  std::string arch_;

  const Symbols* symbols_;
  bool inlines_;
  std::shared_ptr<symbols::Unwinder> unwinder_;  ///< made when it is needed
  std::vector<std::uint64_t> calls_, registers_;
  std::vector<Place> places_;
  std::vector<Named> named_;
};

}  // namespace evname::recording
