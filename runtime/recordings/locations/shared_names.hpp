#pragma once
// What is known of the code that samples were taken in, once for all threads of a pass.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evname/stacks.hpp"
#include "evname/symbols.hpp"
#include "recordings/session/address_maps.hpp"

namespace evname::recording {

/// What is known of an address.
struct NamedCode : NamedAddress {
  bool is_odd = false;       ///< a name has a control character
  std::uint32_t serial = 0;  ///< its own, among all of a SharedNames
  /// What a writer made of each frame, one after the other, and where each but the last ends.
  /// Empty: nothing, or too much to be kept.
  std::string_view text = {};
  std::span<const std::uint32_t> ends = {};
};

/// The text of a NamedCode as it is made.
struct CodeText {
  std::string text;
  std::vector<std::uint32_t> ends;
};

/// Any number of threads.
class SharedNames {
 public:
  /// `inlines`: ask for more than the function alone; `lines`: for sources and lines, too.
  /// `most`: bytes to remember, about.
  SharedNames(const Symbols& symbols, bool inlines, bool lines,
              std::size_t most = std::size_t{48} << 20)
      : symbols_(&symbols),
        inlines_(inlines),
        lines_(lines),
        most_(most),
        table_(std::make_shared<Table>()) {}

  /// Makes the text of each new code, before others see it. To be set before use.
  using Write = std::function<void(const NamedCode& code, CodeText& text)>;
  void set_writer(Write write) { write_ = std::move(write); }

  /// What is remembered. It goes away when it is full, once nobody uses it.
  class Table;
  std::shared_ptr<Table> table() const;
  bool is_current(const Table* table) const {
    return current_.load(std::memory_order_relaxed) == table;
  }

  /// What is at an address of a place. Valid as long as the table.
  const NamedCode& at(Table& table, const perfdata::session::ProcessMaps& maps,
                      const perfdata::session::CodePlace& place, std::uint64_t address);

 private:
  /// As code_file_name() has it, and in hexadecimal.
  struct FileTexts {
    std::string file, build_id;
  };

  /// A code, and what its views are of.
  struct Draft {
    NamedCode code;
    std::vector<Frame> frames;
    CodeText text;
  };

  void name(const perfdata::session::ProcessMaps& maps, const perfdata::session::CodePlace& place,
            std::uint64_t address, Draft& draft);
  const FileTexts& texts_of(const perfdata::session::MappedCode& code, const Mapping& mapping);
  void retire(const Table& full);

  const Symbols* symbols_;
  bool inlines_, lines_;
  std::size_t most_;
  Write write_;
  std::atomic<std::uint32_t> serials_ = 0;
  mutable std::mutex mutex_;  ///< of table_ and texts_
  std::shared_ptr<Table> table_;
  std::atomic<const Table*> current_ = table_.get();
  std::unordered_map<const perfdata::session::MappedCode*, FileTexts> texts_;
};

class SharedNames::Table {
 private:
  friend SharedNames;

  struct Key {
    const perfdata::session::MappedCode* code;
    std::uint64_t offset;
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    Key key = {};
    const NamedCode* named = nullptr;  ///< nullptr: free
  };
  /// Threads seldom meet in one of many parts. Open addressing.
  struct Part {
    std::mutex mutex;
    std::vector<Slot> slots;
    std::pmr::monotonic_buffer_resource bytes;  ///< of what was named
    std::size_t count = 0;

    Slot& find(const Key& key);
    void grow();
    const NamedCode& keep(const Draft& draft);
    template <class One>
    std::span<const One> copy(std::span<const One> some);
  };
  static std::uint64_t hash(const Key& key);

  static constexpr unsigned kPartBits = 6;
  std::array<Part, 1 << kPartBits> parts_;
  std::atomic<std::size_t> bytes_ = 0;  ///< about
};

}  // namespace evname::recording
