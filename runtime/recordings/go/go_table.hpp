#pragma once
// Reads the table of functions that Go puts into every program for its own stack traces.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"

namespace evname::go {

/// The content of .gopclntab in the layouts of Go 1.2, 1.16, 1.18 and 1.20, which later versions
/// kept (src/debug/gosym/pclntab.go and src/runtime/symtab.go of Go). Names are views of the table,
/// which must outlive the object. For one thread at a time.
class GoTable {
 public:
  /// The layouts, by the first version of Go with each.
  enum class Layout : std::uint8_t { go1_2, go1_16, go1_18, go1_20 };

  struct Function {
    std::uint64_t start = 0, end = 0;
    const char* name = nullptr;  ///< nullptr: it can't be read
  };
  /// A function, or a call inlined into it, and the line in it.
  struct Call {
    std::string_view function = {};  ///< empty for the function itself, which is last
    std::string_view file = {};      ///< empty: unknown
    std::uint32_t line = 0;
  };

  /// Returns nullopt if the header is invalid.
  static std::optional<GoTable> read(Bytes table);

  Layout layout() const { return layout_; }
  std::endian order() const { return order_; }
  unsigned pointer_size() const { return pointer_; }
  /// Returns true if addresses of functions are relative to the start of Go's code.
  bool is_relative() const { return layout_ >= Layout::go1_18; }
  /// Returns that start as in the table; 0 if a relocation sets it.
  std::uint64_t text() const { return text_; }
  void set_text(std::uint64_t address) { text_ = address; }
  /// Returns the place of the functions' names in the table.
  std::uint64_t names_offset() const { return names_; }
  /// Sets the data of inlined calls ("go:func.*").
  void set_inlined_calls(Bytes calls) { inlined_calls_ = calls; }

  /// Returns the number of functions.
  std::size_t size() const { return count_; }
  Function function(std::size_t index) const;
  /// Returns the calls at an address, innermost first; none if no function is there. Without
  /// `inlines`, there is only the function.
  std::vector<Call> calls(std::uint64_t address, bool inlines);

 private:
  /// The value up to an offset from the function's start.
  struct Step {
    std::uint32_t end;
    std::int32_t value;
  };
  using Steps = std::vector<Step>;
  /// The known facts about a function.
  struct Code {
    std::uint64_t start = 0;
    std::uint64_t record = 0;  ///< place of its _func in the table
    Steps files, lines, inlined;
    std::uint32_t first_file = 0;             ///< of its unit, in the list of all units' files
    std::optional<std::uint32_t> calls = {};  ///< place of its tree of inlined calls
  };

  GoTable(Bytes table, std::endian order) : table_(table), order_(order) {}
  Cursor at(Bytes bytes, std::uint64_t offset) const {
    return Cursor(bytes.subspan(std::min<std::uint64_t>(offset, bytes.size())), order_);
  }
  std::uint64_t word(std::uint64_t offset, unsigned size) const;
  std::uint32_t field(std::uint64_t record, unsigned number) const;
  bool read_header();
  std::uint64_t entry(std::size_t index) const;
  std::uint64_t record_of(std::size_t index) const;
  const char* text_at(std::uint64_t start, std::uint64_t offset) const;
  const Code& code_of(std::size_t index);
  void read_inlined(Code& code);
  Steps steps(std::uint64_t offset);
  static std::int32_t value_at(const Steps& steps, std::uint64_t offset);
  std::string_view file_at(const Code& code, std::uint64_t offset) const;

  Bytes table_, inlined_calls_;
  std::endian order_;
  Layout layout_ = Layout::go1_2;
  unsigned quantum_ = 1, pointer_ = 8;
  std::size_t count_ = 0;
  std::uint64_t text_ = 0;
  ///@{
  /// Places of the parts: texts, files of units, files, values by address, functions.
  std::uint64_t names_ = 0, units_ = 0, files_ = 0, values_ = 0, functions_ = 0, index_ = 0;
  ///@}
  std::uint64_t steps_left_ = 0;  ///< that may be read: a damaged table may repeat them
  std::unordered_map<std::size_t, Code> codes_;
};

}  // namespace evname::go
