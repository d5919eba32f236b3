#include "recordings/go/go_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace evname::go {
namespace {

constexpr std::uint32_t kNoValue = UINT32_MAX;

struct TableMagic {
  std::uint32_t number;
  GoTable::Layout layout;
};
constexpr TableMagic kMagics[] = {{0xfffffffb, GoTable::Layout::go1_2},
                                  {0xfffffffa, GoTable::Layout::go1_16},
                                  {0xfffffff0, GoTable::Layout::go1_18},
                                  {0xfffffff1, GoTable::Layout::go1_20}};

/// The fields of a _func after its start, each of 4 bytes, by their numbers.
enum Field : unsigned {
  kNameField = 1,
  kFilesField = 5,
  kLinesField = 6,
  kTablesField = 7,
  kUnitField = 8
};

/// The size of a _func in a relative layout (the list of its tables follows), and the size and
/// offsets of a runtime.inlinedCall.
struct InliningLayout {
  unsigned record, call, name, parent;
};
constexpr InliningLayout kInlining1_18{40, 20, 12, 16}, kInlining1_20{44, 16, 4, 8};

// abi.PCDATA_InlTreeIndex and abi.FUNCDATA_InlTree.
constexpr unsigned kInlinedTable = 2, kInlinedTree = 3;

/// Reads a number of 7 bits a byte, the lowest first.
std::uint32_t varint(Cursor& in) {
  std::uint32_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const std::uint8_t byte = in.u8();
    value |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return value;
}

}  // namespace

std::optional<GoTable> GoTable::read(Bytes table) {
  if (table.size() < 8) return std::nullopt;
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (const TableMagic& magic : kMagics) {
      if (load<std::uint32_t>(table.data(), order) != magic.number) continue;
      GoTable found(table, order);
      found.layout_ = magic.layout;
      if (found.read_header()) return found;
    }
  return std::nullopt;
}

/// Returns a number of 4 or 8 bytes; 0 beyond the end.
std::uint64_t GoTable::word(std::uint64_t offset, unsigned size) const {
  Cursor in = at(table_, offset);
  return size == 4 ? in.u32() : in.u64();
}

bool GoTable::read_header() {
  quantum_ = table_[6];
  pointer_ = table_[7];
  if (table_[4] != 0 || table_[5] != 0 || (quantum_ != 1 && quantum_ != 2 && quantum_ != 4) ||
      (pointer_ != 4 && pointer_ != 8))
    return false;
  const auto header = [&](unsigned number) { return word(8 + number * pointer_, pointer_); };
  const std::uint64_t count = header(0);
  const unsigned size = is_relative() ? 4 : pointer_;
  if (count == 0 || count > table_.size() / (2 * size)) return false;
  count_ = count;
  if (layout_ == Layout::go1_2) {
    index_ = 8 + pointer_;
    files_ = word(index_ + (2 * count + 1) * size, 4);
  } else {
    const unsigned first = is_relative() ? 3 : 2;
    if (is_relative()) text_ = header(2);
    names_ = header(first);
    units_ = header(first + 1);
    files_ = header(first + 2);
    values_ = header(first + 3);
    index_ = functions_ = header(first + 4);
  }
  steps_left_ = 2 * table_.size();
  // Words beyond the end read as 0, so a part that begins in the header shows that the table is
  // truncated.
  const std::uint64_t end = 8 + (layout_ == Layout::go1_2 ? 1 : is_relative() ? 8 : 7) * pointer_;
  const bool is_whole =
      layout_ == Layout::go1_2 || std::min({names_, units_, files_, values_, functions_}) >= end;
  return end <= table_.size() && is_whole && index_ < table_.size() &&
         (2 * count + 1) * size <= table_.size() - index_;
}

/// Returns the start of a function; for the number of functions, the end of the last one.
std::uint64_t GoTable::entry(std::size_t index) const {
  const unsigned size = is_relative() ? 4 : pointer_;
  const std::uint64_t start = word(index_ + std::uint64_t{2} * index * size, size);
  return is_relative() ? text_ + start : start;
}

std::uint64_t GoTable::record_of(std::size_t index) const {
  const unsigned size = is_relative() ? 4 : pointer_;
  const std::uint64_t offset = word(index_ + (std::uint64_t{2} * index + 1) * size, size);
  return offset < table_.size() ? functions_ + offset : UINT64_MAX;
}

std::uint32_t GoTable::field(std::uint64_t record, unsigned number) const {
  const unsigned start = is_relative() ? 4 : pointer_;
  if (record >= table_.size()) return 0;
  return static_cast<std::uint32_t>(word(record + start + std::uint64_t{4} * (number - 1), 4));
}

/// Returns a text with the NUL behind it; nullptr if there is none.
const char* GoTable::text_at(std::uint64_t start, std::uint64_t offset) const {
  if (start >= table_.size() || offset >= table_.size() - start) return nullptr;
  const Bytes rest = table_.subspan(start + offset);
  if (rest[0] == 0 || !std::memchr(rest.data(), 0, rest.size())) return nullptr;
  return reinterpret_cast<const char*>(rest.data());
}

GoTable::Function GoTable::function(std::size_t index) const {
  const std::uint64_t record = record_of(index);
  const std::uint64_t start = entry(index), end = entry(index + 1);
  const std::uint64_t own =
      word(record, is_relative() ? 4 : pointer_) + (is_relative() ? text_ : 0);
  const std::uint64_t size = (is_relative() ? 4 : pointer_) + 4 * kUnitField;
  const bool is_whole = record < table_.size() && table_.size() - record >= size;
  const bool is_sound = is_whole && own == start && start < end;
  return {start, end, is_sound ? text_at(names_, field(record, kNameField)) : nullptr};
}

/// Reads values by address: pairs of increments of the value (zigzag) and the address. Offset 0
/// means no table.
GoTable::Steps GoTable::steps(std::uint64_t offset) {
  Steps found;
  if (offset == 0 || offset >= table_.size() || values_ >= table_.size() - offset) return found;
  Cursor in = at(table_, values_ + offset);
  std::uint64_t end = 0;
  std::uint32_t value = kNoValue;  // -1
  while (steps_left_ > 0) {
    const std::uint32_t change = varint(in);
    if (change == 0 && !found.empty()) break;
    value += change & 1 ? ~(change >> 1) : change >> 1;
    end += std::uint64_t{varint(in)} * quantum_;
    if (!in.ok() || end > kNoValue) break;
    --steps_left_;
    found.push_back({static_cast<std::uint32_t>(end), static_cast<std::int32_t>(value)});
  }
  return found;
}

std::int32_t GoTable::value_at(const Steps& steps, std::uint64_t offset) {
  const auto step = std::upper_bound(steps.begin(), steps.end(), offset,
                                     [](std::uint64_t a, const Step& b) { return a < b.end; });
  return step == steps.end() ? -1 : step->value;
}

void GoTable::read_inlined(Code& code) {
  const std::uint32_t tables = field(code.record, kTablesField);
  const std::uint64_t lists =
      code.record + (layout_ == Layout::go1_18 ? kInlining1_18 : kInlining1_20).record;
  if (lists > table_.size() || tables <= kInlinedTable || tables > table_.size() / 4 ||
      table_[lists - 1] <= kInlinedTree)  // nfuncdata
    return;
  const std::uint64_t tree = word(lists + 4 * (std::uint64_t{tables} + kInlinedTree), 4);
  if (tree >= inlined_calls_.size()) return;  // -1: the function has none
  code.calls = static_cast<std::uint32_t>(tree);
  code.inlined = steps(word(lists + 4 * kInlinedTable, 4));
}

const GoTable::Code& GoTable::code_of(std::size_t index) {
  const auto [at, is_new] = codes_.try_emplace(index);
  Code& code = at->second;
  if (!is_new) return code;
  code.start = entry(index);
  code.record = record_of(index);
  code.files = steps(field(code.record, kFilesField));
  code.lines = steps(field(code.record, kLinesField));
  code.first_file = layout_ == Layout::go1_2 ? 0 : field(code.record, kUnitField);
  if (is_relative() && !inlined_calls_.empty()) read_inlined(code);
  return code;
}

std::string_view GoTable::file_at(const Code& code, std::uint64_t offset) const {
  const std::int32_t number = value_at(code.files, offset);
  if (number < 0 || code.first_file == kNoValue) return {};
  const std::uint64_t place = std::uint64_t{code.first_file} + static_cast<std::uint32_t>(number);
  const char* path = nullptr;
  if (layout_ == Layout::go1_2) {
    path = number == 0 ? nullptr : text_at(0, word(files_ + 4 * place, 4));
  } else if (const auto file = word(units_ + 4 * place, 4); file != kNoValue) {
    path = text_at(files_, file);
  }
  return path ? path : std::string_view();
}

std::vector<GoTable::Call> GoTable::calls(std::uint64_t address, bool inlines) {
  constexpr unsigned kMostInlined = 1000;  // a damaged tree may have cycles
  std::size_t first = 0;
  for (std::size_t end = count_; first < end;) {  // the first that begins after the address
    const std::size_t middle = first + (end - first) / 2;
    if (entry(middle) > address)
      end = middle;
    else
      first = middle + 1;
  }
  if (first == 0 || address >= entry(first)) return {};
  const Code& code = code_of(first - 1);
  std::uint64_t offset = address - code.start;
  std::vector<Call> found;
  const auto add = [&](std::string_view function) {
    const std::int32_t line = value_at(code.lines, offset);
    found.push_back(
        {function, file_at(code, offset), static_cast<std::uint32_t>(std::max(line, 0))});
  };
  const InliningLayout& layout = layout_ == Layout::go1_18 ? kInlining1_18 : kInlining1_20;
  while (inlines && code.calls && found.size() < kMostInlined) {
    const std::int32_t number = value_at(code.inlined, offset);
    if (number < 0) break;
    const std::uint64_t call =
        *code.calls + static_cast<std::uint64_t>(number) * std::uint64_t{layout.call};
    Cursor name = at(inlined_calls_, call + layout.name);
    Cursor parent = at(inlined_calls_, call + layout.parent);
    const std::uint32_t name_at = name.u32(), parent_at = parent.u32();
    const char* function = parent.ok() ? text_at(names_, name_at) : nullptr;
    if (!function) break;
    add(function);
    offset = parent_at;
  }
  add({});
  return found;
}

}  // namespace evname::go
