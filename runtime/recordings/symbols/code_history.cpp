#include "recordings/symbols/code_history.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/read_file.hpp"
#include "base/text_pool.hpp"

namespace evname::symbols {

std::uint64_t CodeHistory::epoch(const CodeTime& time) const {
  const std::uint64_t at = time_of(time);
  if (at == 0) return 0;
  return static_cast<std::uint64_t>(std::ranges::upper_bound(codes_, at, {}, &Code::time) -
                                    codes_.begin());
}

template <class Visit>
void CodeHistory::for_each_list(std::uint64_t address, Visit&& visit) const {
  const auto after = std::ranges::upper_bound(bounds_, address);
  if (after == bounds_.begin() || after == bounds_.end()) return;
  const auto range = static_cast<std::size_t>(after - bounds_.begin()) - 1;
  for (std::size_t node = range + bounds_.size() - 1; node > 0; node /= 2) {
    const std::size_t start = list_ends_[node - 1], end = list_ends_[node];
    if (start != end) visit(std::span(lists_).subspan(start, end - start), node);
  }
}

std::size_t CodeHistory::count(std::uint64_t address) const {
  std::size_t count = 0;
  for_each_list(address,
                [&](std::span<const std::uint32_t> list, std::size_t) { count += list.size(); });
  return count;
}

const CodeHistory::Code* CodeHistory::find(std::uint64_t address, const CodeTime& time) const {
  const Code* found = nullptr;
  if (!knows(time)) {
    bool differ = false;
    for_each_list(address, [&](std::span<const std::uint32_t> list, std::size_t node) {
      const Code& one = codes_[list.back()];
      differ |= is_mixed_[node] || (found && !is_same(one, *found));
      if (!found || found < &one) found = &one;
    });
    return differ ? nullptr : found;
  }
  const auto until = static_cast<std::uint32_t>(epoch(time));
  for_each_list(address, [&](std::span<const std::uint32_t> list, std::size_t) {
    const auto after = std::ranges::lower_bound(list, until);
    if (after == list.begin()) return;
    const Code& latest = codes_[*(after - 1)];
    if (!found || found < &latest) found = &latest;
  });
  return found;
}

std::pair<std::string_view, std::uint32_t> CodeHistory::line(const Code& code,
                                                             std::uint64_t address) const {
  const Detail& detail = details_[code.detail];
  const auto lines = std::span(lines_).subspan(detail.first_line, detail.lines);
  const auto after = std::ranges::upper_bound(lines, address - code.start, {}, &Line::offset);
  if (after == lines.begin()) return {};
  const Line& at = *(after - 1);
  return {texts_.c_str() + at.source, at.line};
}

CodeHistory::Unwinding CodeHistory::unwinding(const Code& code) const {
  const Detail& detail = details_[code.detail];
  return {detail.code_size, Bytes(tables_).subspan(detail.table, detail.table_size)};
}

// Each range is a leaf of a tree whose node N has the children 2 N and 2 N + 1.
void CodeHistory::arrange() {
  if (!std::ranges::is_sorted(codes_, {}, &Code::time))
    std::ranges::stable_sort(codes_, {}, &Code::time);
  bounds_.reserve(codes_.size() * 2);
  for (const Code& code : codes_) {
    bounds_.push_back(code.start);
    bounds_.push_back(code.end);
  }
  std::ranges::sort(bounds_);
  bounds_.erase(std::ranges::unique(bounds_).begin(), bounds_.end());
  if (bounds_.empty()) return;
  const std::size_t ranges = bounds_.size() - 1;
  const auto for_each_node = [&](const Code& code, auto&& visit) {
    const auto leaf = [&](std::uint64_t bound) {
      return static_cast<std::size_t>(std::ranges::lower_bound(bounds_, bound) - bounds_.begin()) +
             ranges;
    };
    for (std::size_t first = leaf(code.start), last = leaf(code.end); first < last;
         first /= 2, last /= 2) {
      if (first % 2 == 1) visit(first++);
      if (last % 2 == 1) visit(--last);
    }
  };
  list_ends_.resize(2 * ranges);
  for (const Code& code : codes_)
    for_each_node(code, [&](std::size_t node) { ++list_ends_[node]; });
  std::partial_sum(list_ends_.begin(), list_ends_.end(), list_ends_.begin());
  std::vector<std::uint32_t> next(list_ends_.size());
  std::copy(list_ends_.begin(), list_ends_.end() - 1, next.begin() + 1);
  lists_.resize(list_ends_.back());
  is_mixed_.resize(list_ends_.size());
  for (std::uint32_t i = 0; i < codes_.size(); ++i)
    for_each_node(codes_[i], [&](std::size_t node) {
      if (next[node] > list_ends_[node - 1]) {
        const Code& before = codes_[lists_[next[node] - 1]];
        is_mixed_[node] = is_mixed_[node] || !is_same(before, codes_[i]);
      }
      lists_[next[node]++] = i;
    });
}

namespace {

constexpr std::uint32_t kMagic = 0x4a695444;  // "JiTD"
constexpr std::uint64_t kHeader = 40, kPrefix = 16;
constexpr std::uint64_t kCounterTimes = 1;  // JITDUMP_FLAGS_ARCH_TIMESTAMP
// V8 adds the size of an ELF header to the addresses of lines, as early versions of perf wanted it
// (src/diagnostics/perf-jit.cc). Its dumps have a number in the unused word of the header.
constexpr std::uint32_t kV8 = 0xdeadbeef;
constexpr std::uint64_t kV8Lines = 64;

enum class RecordType : std::uint32_t { load = 0, move = 1, debug_info = 2, unwinding = 4 };

}  // namespace

/// Reads the records of a dump. Lines and tables of unwinding belong to the next loaded code.
/// JIT_CODE_CLOSE changes nothing: loaded code stays.
class CodeHistory::Reader {
 public:
  /// `lines_after`: the number added to the addresses of lines.
  Reader(Cursor in, std::uint64_t lines_after, CodeHistory& out)
      : in_(in), lines_after_(lines_after), out_(out) {}

  void read() {
    while (in_.remaining() >= kPrefix) {
      const std::size_t place = in_.position();
      const auto type = static_cast<RecordType>(in_.u32());
      const std::uint32_t size = in_.u32();
      const std::uint64_t time = in_.u64();
      if (size < kPrefix) {
        out_.damage_ = "a record at " + std::to_string(place) + " is too short";
        break;
      }
      Cursor record(in_.bytes(size - kPrefix), in_.order());
      if (!in_.ok()) break;  // the process was still writing it
      if (type == RecordType::load) read_load(record, time, place + kPrefix);
      if (type == RecordType::move) read_move(record, time);
      if (type == RecordType::debug_info) read_lines(record);
      if (type == RecordType::unwinding) read_table(record);
    }
    place_moved();
  }

 private:
  /// Code that was moved, until all is read.
  struct Moved {
    std::uint64_t index = 0;
    std::size_t after = 0;  ///< number of loaded pieces of code
    Code code = {};
  };

  /// `place`: where the record's contents begin in the dump.
  void read_load(Cursor record, std::uint64_t time, std::uint64_t place) {
    record.skip(4 + 4 + 8);  // pid, tid, vma
    const std::uint64_t start = record.u64(), size = record.u64(), index = record.u64();
    const std::string_view name = record.line();
    Detail detail = std::exchange(detail_, {});
    if (!record.ok() || size == 0 || size > UINT64_MAX - start) return;
    Code code{start, start + size, time, keep(name), 0, place + record.position()};
    if (lines_of_ != start) detail.lines = 0;
    if (detail.lines != 0 || detail.table_size != 0) {
      detail.code_size = size;
      code.detail = static_cast<std::uint32_t>(out_.details_.size());
      out_.details_.push_back(detail);
    }
    out_.codes_.push_back(code);
    indices_.push_back(index);
  }

  void read_move(Cursor record, std::uint64_t time) {
    record.skip(4 + 4 + 8 + 8);  // pid, tid, vma, old address
    const std::uint64_t start = record.u64(), size = record.u64(), index = record.u64();
    if (!record.ok() || size == 0 || size > UINT64_MAX - start) return;
    moved_.push_back({index, indices_.size(), {start, start + size, time, 0, 0, 0}});
  }

  // Entries with the same file as the previous entry have the name "\xff".
  void read_lines(Cursor record) {
    constexpr std::uint64_t kEntry = 17;  // with an empty name
    const std::uint64_t of = record.u64(), count = record.u64();
    if (!record.ok() || count > record.remaining() / kEntry) return;
    detail_.first_line = out_.lines_.size();
    lines_of_ = of;
    std::uint64_t source = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      Line line{record.u64(), 0, record.u32()};
      record.skip(4);
      const std::string_view name = record.line();
      if (!record.ok()) break;
      if (name != "\xff" && name != out_.texts_.c_str() + source) source = keep(name);
      line.source = source;
      if (line.offset < of || line.offset - of < lines_after_) continue;
      line.offset -= of + lines_after_;
      out_.lines_.push_back(line);
    }
    detail_.lines = out_.lines_.size() - detail_.first_line;
    std::ranges::stable_sort(std::span(out_.lines_).subspan(detail_.first_line), {}, &Line::offset);
  }

  // The header follows the table, though the specification says the opposite
  // (jit_add_eh_frame_info of tools/perf/util/genelf.c).
  void read_table(Cursor record) {
    const std::uint64_t size = record.u64(), header = record.u64();
    record.skip(8);  // how much of it the process has mapped
    const Bytes table = record.bytes(size);
    if (!record.ok() || header > size) return;
    detail_.table = out_.tables_.size();
    detail_.table_size = size - header;
    const Bytes kept = table.first(size - header);
    out_.tables_.insert(out_.tables_.end(), kept.begin(), kept.end());
  }

  void place_moved() {
    if (moved_.empty()) return;
    std::vector<std::pair<std::uint64_t, std::size_t>> loads;
    for (std::size_t i = 0; i < indices_.size(); ++i) loads.emplace_back(indices_[i], i);
    std::ranges::sort(loads);
    for (Moved& one : moved_) {
      const auto after = std::ranges::lower_bound(loads, std::pair(one.index, one.after));
      if (after == loads.begin() || (after - 1)->first != one.index) continue;
      const Code& from = out_.codes_[(after - 1)->second];
      one.code.name = from.name;
      one.code.detail = from.detail;
      one.code.place = from.place;
      out_.codes_.push_back(one.code);
    }
  }

  /// Keeps each text once, up to 4 GB.
  std::uint64_t keep(std::string_view text) {
    const std::size_t place = out_.texts_.size();
    if (place + text.size() < UINT32_MAX) return texts_.add(text);
    out_.texts_.append(text).push_back('\0');
    return place;
  }

  Cursor in_;
  std::uint64_t lines_after_;
  CodeHistory& out_;
  UniqueTexts texts_{out_.texts_};
  Detail detail_;                       ///< of the next code
  std::uint64_t lines_of_ = 0;          ///< the address of the code of these lines
  std::vector<std::uint64_t> indices_;  ///< of the code that was loaded
  std::vector<Moved> moved_;
};

namespace {

/// The head of a dump.
struct DumpHead {
  std::endian order = std::endian::native;
  std::uint32_t version = 0, size = 0;
  bool is_of_v8 = false;
  std::uint64_t flags = 0;
  std::uint32_t machine = 0;  ///< EM_* of elf.h
  bool is_known = false;      ///< it is whole, and a dump's
};

DumpHead head_of(Bytes dump) {
  DumpHead head;
  if (Cursor(dump).u32() != kMagic)
    head.order =
        std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  Cursor in(dump, head.order);
  const bool known = in.u32() == kMagic;
  head.version = in.u32();
  head.size = in.u32();
  head.machine = in.u32();
  head.is_of_v8 = in.u32() == kV8;
  in.skip(4 + 8);  // pid, time
  head.flags = in.u64();
  head.is_known = known && in.ok() && head.size >= kHeader;
  return head;
}

}  // namespace

Result<CodeHistory> CodeHistory::read(const std::string& path,
                                      std::span<const std::uint32_t> owners) {
  auto file = MappedFile::open(path, owners);
  return file ? of_bytes(file->bytes(), path) : fail(file);
}

Result<CodeHistory> CodeHistory::of_bytes(Bytes dump, const std::string& name) {
  const DumpHead head = head_of(dump);
  if (!head.is_known) return fail(Errc::corrupt, "not a jitdump file", name);
  if (head.version > 1 || (head.flags & ~kCounterTimes) != 0)
    return fail(Errc::unsupported,
                "the jitdump file is of a later version than 1, or has unknown flags", name);
  Cursor in(dump, head.order);
  in.skip(head.size);
  CodeHistory history;
  history.machine_ = static_cast<std::uint16_t>(head.machine);
  history.is_big_endian_ = head.order == std::endian::big;
  history.has_counter_ = (head.flags & kCounterTimes) != 0;
  Reader(in, head.is_of_v8 ? kV8Lines : 0, history).read();
  history.arrange();
  return history;
}

namespace {

/// The parts of a dump's record that decide whether it is needed.
struct DumpRecord {
  Bytes bytes;
  RecordType type;
  std::uint64_t start = 0, size = 0, index = 0;  ///< of code that is loaded or moved
  std::size_t described = 0;                     ///< bytes before the machine code
};

/// Calls visit(const DumpRecord&) for all records.
template <class Visit>
void for_each_record(Bytes dump, const DumpHead& head, Visit&& visit) {
  Cursor in(dump, head.order);
  in.skip(head.size);
  while (in.remaining() >= kPrefix) {
    Cursor prefix(dump.subspan(in.position()), head.order);
    DumpRecord record{.bytes = {}, .type = static_cast<RecordType>(prefix.u32())};
    record.bytes = in.bytes(prefix.u32());
    if (record.bytes.size() < kPrefix) return;
    Cursor body(record.bytes.subspan(kPrefix), head.order);
    const bool is_move = record.type == RecordType::move;
    if (is_move || record.type == RecordType::load) {
      body.skip(4 + 4 + 8 + (is_move ? 8 : 0));
      record.start = body.u64();
      record.size = body.u64();
      record.index = body.u64();
      if (!is_move) body.line();
      if (!body.ok()) continue;
      record.described = kPrefix + body.position();
    }
    visit(record);
  }
}

}  // namespace

std::string part_of_dump(Bytes dump, std::span<const std::uint64_t> addresses) {
  const DumpHead head = head_of(dump);
  if (!head.is_known || head.size > dump.size()) return {};
  const auto is_asked = [&](const DumpRecord& record) {
    const auto at = std::ranges::lower_bound(addresses, record.start);
    return at != addresses.end() && *at - record.start < record.size;
  };
  std::unordered_set<std::uint64_t> moved;  // indices of code
  for_each_record(dump, head, [&](const DumpRecord& record) {
    if (record.type == RecordType::move && is_asked(record)) moved.insert(record.index);
  });
  ByteWriter out(head.order);
  std::vector<Bytes> before;  // of the next code: lines and tables
  out.raw(dump.first(head.size));
  const std::size_t nothing = out.size();
  for_each_record(dump, head, [&](const DumpRecord& record) {
    if (record.type == RecordType::move && is_asked(record)) out.raw(record.bytes);
    if (record.type == RecordType::debug_info) before.push_back(record.bytes);
    if (record.type != RecordType::load) return;
    if (is_asked(record) || moved.contains(record.index)) {
      for (const Bytes bytes : before) out.raw(bytes);
      out.raw(record.bytes.first(4));
      out.u32(static_cast<std::uint32_t>(record.described));
      out.raw(record.bytes.subspan(8, record.described - 8));
    }
    before.clear();
  });
  return out.size() == nothing ? std::string() : out.bytes();
}

}  // namespace evname::symbols
