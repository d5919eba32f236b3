#pragma once
// Finds the code of a JIT compiler by address and time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "evname/error.hpp"
#include "evname/symbols.hpp"
#include "recordings/elf/machine_code.hpp"
#include "recordings/symbols/function_place.hpp"

namespace evname::symbols {

/// The time of a mapping, on the clocks that a dump may have.
struct CodeTime {
  std::uint64_t monotonic = 0, counter = 0;
  explicit CodeTime(const Mapping& mapping) : monotonic(mapping.time), counter(mapping.counter) {}
};

/// The code of one dump. A piece of code occupies its addresses from its time on until other code
/// takes them.
class CodeHistory {
 public:
  /// A piece of code at one place.
  struct Code {
    std::uint64_t start = 0, end = 0;
    std::uint64_t time = 0;    ///< start of its lifetime, on the dump's clock
    std::uint64_t name = 0;    ///< place of the name among the texts
    std::uint32_t detail = 0;  ///< its number in details_, which begins with an empty one
    std::uint64_t place = 0;   ///< of its machine code in the dump
  };
  /// A line of the source that begins so many bytes after the start of the code.
  struct Line {
    std::uint64_t offset = 0;
    std::uint64_t source = 0;  ///< place of the path among the texts
    std::uint32_t line = 0;
  };
  /// The tables for unwinding, as they follow the code.
  struct Unwinding {
    std::uint64_t code_size = 0;  ///< as it was loaded
    Bytes table = {};             ///< the content of .eh_frame
  };

  /// Reads ".../jit-PID.dump" (tools/perf/Documentation/jitdump-specification.txt). If there are
  /// `owners`, the file must belong to one of these users.
  static Result<CodeHistory> read(const std::string& path,
                                  std::span<const std::uint32_t> owners = {});
  /// Does the same for the content of the file, whose name is for errors.
  static Result<CodeHistory> of_bytes(Bytes dump, const std::string& name);

  std::size_t size() const { return codes_.size(); }
  /// Returns true if the dump's clock is the CPU's counter, not CLOCK_MONOTONIC.
  bool has_counter() const { return has_counter_; }
  /// Returns true if the time is known on the dump's clock.
  bool knows(const CodeTime& time) const { return time_of(time) != 0; }
  /// Returns the number of pieces of code up to a time, which determines the code at all addresses;
  /// the same number for all unknown times.
  std::uint64_t epoch(const CodeTime& time) const;
  /// Returns true if there was code at an address at any time.
  bool has(std::uint64_t address) const { return count(address) > 0; }
  /// Returns how many pieces of code were at an address.
  std::size_t count(std::uint64_t address) const;
  /// Returns the code that was at an address at a time; nullptr if there was none. If the time is
  /// not known: the code, if all code that was ever there has the same name and start.
  const Code* find(std::uint64_t address, const CodeTime& time) const;

  std::string_view name(const Code& code) const { return texts_.c_str() + code.name; }
  /// Returns a number that no other code of the history has, from 1 on.
  std::uint64_t number(const Code& code) const {
    return static_cast<std::uint64_t>(&code - codes_.data()) + 1;
  }
  /// Returns the code of a number; nullptr if there is none.
  const Code* numbered(std::uint64_t number) const {
    return number - 1 < codes_.size() ? &codes_[number - 1] : nullptr;
  }
  /// Returns the source and the line at an address; an empty source if none is known.
  std::pair<std::string_view, std::uint32_t> line(const Code& code, std::uint64_t address) const;
  bool has_lines(const Code& code) const { return details_[code.detail].lines != 0; }
  /// Returns the table of the code; an empty one if there is none.
  Unwinding unwinding(const Code& code) const;

  ///@{
  /// The machine of the code: EM_* of elf.h, and its byte order.
  std::uint16_t machine() const { return machine_; }
  bool is_big_endian() const { return is_big_endian_; }
  ///@}

  /// Describes the parts of the dump that could not be read; empty: all were.
  const std::string& damage() const { return damage_; }

 private:
  class Reader;

  struct Detail {
    std::uint64_t first_line = 0, lines = 0;
    std::uint64_t table = 0, table_size = 0, code_size = 0;
  };

  std::uint64_t time_of(const CodeTime& time) const {
    return has_counter_ ? time.counter : time.monotonic;
  }
  /// Returns true if both are one function's. Their names may be long, and many.
  static bool is_same(const Code& one, const Code& other) {
    return one.start == other.start && one.name == other.name;
  }
  void arrange();
  /// Calls visit(list of codes, number of the list) for the lists that have the code of an address.
  template <class Visit>
  void for_each_list(std::uint64_t address, Visit&& visit) const;

  bool has_counter_ = false, is_big_endian_ = false;
  std::uint16_t machine_ = 0;
  std::string damage_;
  std::vector<Code> codes_;  ///< in order of time
  std::vector<Detail> details_{1};
  std::vector<Line> lines_;
  std::string texts_{'\0'};  ///< each ends with NUL
  std::vector<std::uint8_t> tables_;

  // A segment tree over the ranges between all begins and ends of code. Code is in the lists of the
  // few nodes that its ranges make up, so all lists of an address are on one path to the root.
  std::vector<std::uint64_t> bounds_;     ///< sorted
  std::vector<std::uint32_t> list_ends_;  ///< by node; each begins where the one before ends
  std::vector<std::uint32_t> lists_;      ///< indices of codes_, in order
  std::vector<bool> is_mixed_;            ///< by node: names or starts differ
};

/// Returns what a dump says about the code at some addresses, which are sorted, at any time: the
/// same answers, without machine code. Empty if there is none.
std::string part_of_dump(Bytes dump, std::span<const std::uint64_t> addresses);

/// The history of a mapping.
struct KnownCode {
  const CodeHistory* history = nullptr;  ///< nullptr: none; lives as long as the Symbols
  std::uint64_t first_number = 0;        ///< its code's numbers follow it

  /// Returns a number that no other code of the Symbols has; 0 if there is none at the address.
  std::uint64_t number(std::uint64_t address, const CodeTime& time) const {
    const CodeHistory::Code* const code = history ? history->find(address, time) : nullptr;
    return code ? first_number + history->number(*code) : 0;
  }
};

/// A file that is inside another one.
struct InnerFile {
  std::string name = {};
  std::vector<std::uint8_t> build_id = {};
  std::string build_id_text = {};  ///< in hexadecimal
  std::uint64_t origin = 0;        ///< from where offsets of mappings count
};

/// The names of all places that Symbols was asked for.
struct Collected {
  std::string packed;        ///< as Mapping::names has them; empty: none
  std::uint64_t places = 0;  ///< with a name
};

}  // namespace evname::symbols

struct evname::detail::SymbolsAccess {
  /// Returns the file that is mapped, if it is inside the one that the mapping names; nullptr
  /// otherwise. It lives as long as the Symbols.
  static const symbols::InnerFile* inner_file(const Symbols& symbols, const Mapping& mapping);
  /// Returns the history of the JIT compiler that made what is mapped. Does the same as all members
  /// of Symbols that look at a mapping: reads the file when it is first asked about.
  static symbols::KnownCode code_of(const Symbols& symbols, const Mapping& mapping);
  /// Returns the function at an address of the mapping. Without a file if nothing is known of it.
  static symbols::FunctionPlace function_place(const Symbols& symbols, std::uint64_t address,
                                               const Mapping& mapping);
  /// Returns up to `size` bytes of the code at an address of the mapping, as the file has them.
  static elf::CodePiece code_at(const Symbols& symbols, std::uint64_t address,
                                const Mapping& mapping, std::uint64_t size);
  /// Makes the object remember what it is asked for from now on.
  static void collect(const Symbols& symbols);
  /// Returns the names of all places that it was asked for.
  static symbols::Collected collected(const Symbols& symbols);
  /// See ElfSymbols::frame_table_path().
  static std::string frame_table_path(const Symbols& symbols, const Mapping& mapping);
};
