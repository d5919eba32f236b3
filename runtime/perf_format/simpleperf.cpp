#include "perf_format/simpleperf.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "perf_format/features.hpp"
#include "perf_format/symbol_lists.hpp"

namespace evname::perf_format {
namespace {

/// The kinds of files: DsoType of dso.h.
enum FileKind : std::uint32_t { kKernel, kModule, kElf, kDex, kSymbolMap };

constexpr std::string_view kKernelPath = "[kernel.kallsyms]";
constexpr std::uint64_t kUnknown = UINT64_MAX;

/// A file as a feature describes it.
struct ListedFile {
  SymbolList list;
  std::uint32_t kind = 0;
  std::uint64_t first_address = 0;       ///< of its executable code
  std::uint64_t first_place = kUnknown;  ///< of that address: in the file, of a module in memory
};

/// Sets where the symbols of a file are: ElfDso, KernelModuleDso and others of dso.cpp.
void set_places(ListedFile& file) {
  if (file.kind != kElf && file.kind != kModule) return;
  const bool is_known = file.first_place != kUnknown;
  file.list.counts_from_mapping = file.kind == kElf && !is_known;
  file.list.shift = (is_known ? file.first_place : 0) - file.first_address;
}

/// Adds the pages of functions that a JIT compiler made, in "perf-PID.map".
void add_run_time_code(const SymbolList& list, std::vector<RunTimeCode>& out) {
  constexpr std::uint64_t kPage = 4096;
  std::string_view name = list.path;
  if (!name.starts_with("perf-") || !name.ends_with(".map")) return;
  const auto pid = parse_decimal(name.substr(5, name.size() - 9));
  if (!pid || *pid > INT32_MAX) return;
  const std::size_t first = out.size();
  for (const ListedSymbol& symbol : list.symbols) {
    const std::uint64_t start = symbol.start / kPage * kPage;
    const std::uint64_t end = (symbol.start + symbol.size + kPage - 1) / kPage * kPage;
    if (out.size() > first && start >= out.back().start && start <= out.back().end)
      out.back().end = std::max(out.back().end, end);
    else if (start < end)
      out.push_back({static_cast<std::int32_t>(*pid), start, end});
  }
}

void add_files(std::vector<ListedFile>& files, Features& out) {
  std::vector<SymbolList> lists;
  for (ListedFile& file : files) {
    set_places(file);
    if (file.kind == kSymbolMap) add_run_time_code(file.list, out.run_time_code);
    lists.push_back(std::move(file.list));
  }
  out.symbol_lists = with_lists(out.symbol_lists, lists);
}

bool is_function(const ListedSymbol& symbol) {
  return !symbol.name.empty() && symbol.size > 0 && symbol.size <= UINT64_MAX - symbol.start;
}

bool read_file(Cursor& in, ListedFile& out) {
  Cursor entry(in.bytes(in.u32()), in.order());
  out.list.path = entry.line();
  out.kind = entry.u32();
  out.first_address = entry.u64();
  for (std::uint32_t left = entry.u32(); left > 0 && entry.ok(); --left) {
    const std::uint64_t start = entry.u64(), size = entry.u32();
    const ListedSymbol symbol{start, size, entry.line()};
    if (is_function(symbol)) out.list.symbols.push_back(symbol);
  }
  if (out.kind == kDex) entry.skip_array(entry.u32(), 8);  // places of DEX files in it
  if ((out.kind == kElf || out.kind == kModule) && entry.remaining() > 0)
    out.first_place = entry.u64();
  return entry.ok();
}

/// A field of a Protocol Buffers message.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  Bytes bytes = {};

  std::string_view text() const { return Cursor::until_nul(bytes); }
};

std::uint64_t read_varint(Cursor& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = in.u8();
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/// Calls visit(const Field&) for each field. Returns false if the message is damaged.
template <class Visit>
bool each_field(Bytes message, Visit&& visit) {
  enum Form : std::uint8_t { kVarint = 0, kWide = 1, kBytes = 2, kNarrow = 5 };
  Cursor in(message, std::endian::little);
  while (in.remaining() > 0) {
    const std::uint64_t key = read_varint(in);
    Field field{.number = static_cast<std::uint32_t>(key >> 3)};
    switch (key & 7) {
      case kVarint:
        field.value = read_varint(in);
        break;
      case kWide:
        field.value = in.u64();
        break;
      case kBytes:
        field.bytes = in.bytes(read_varint(in));
        break;
      case kNarrow:
        field.value = in.u32();
        break;
      default:
        return false;
    }
    if (!in.ok() || !visit(field)) return false;
  }
  return true;
}

/// FileFeature.Symbol of record_file.proto.
bool read_symbol(Bytes message, std::vector<ListedSymbol>& out) {
  ListedSymbol symbol;
  const bool is_whole = each_field(message, [&](const Field& field) {
    if (field.number == 1) symbol.start = field.value;
    if (field.number == 2) symbol.size = field.value;
    if (field.number == 3) symbol.name = field.text();
    return true;
  });
  if (is_function(symbol)) out.push_back(symbol);
  return is_whole;
}

/// FileFeature; the members of its ElfFile and KernelModule have the same number.
bool read_file_message(Bytes message, ListedFile& out) {
  return each_field(message, [&](const Field& field) {
    if (field.number == 1) out.list.path = field.text();
    if (field.number == 2) out.kind = static_cast<std::uint32_t>(field.value);
    if (field.number == 3) out.first_address = field.value;
    if (field.number == 4) return read_symbol(field.bytes, out.list.symbols);
    if (field.number != 6 && field.number != 7) return true;
    out.first_place = 0;
    return each_field(field.bytes, [&](const Field& inner) {
      if (inner.number == 1) out.first_place = inner.value;
      return true;
    });
  });
}

template <class Read>
void decode_files(Cursor& in, Features& out, Read read) {
  std::vector<ListedFile> files;
  while (in.ok() && in.remaining() > 0) {
    ListedFile file;
    if (!read(file)) in.skip(UINT64_MAX);
    if (in.ok() && !file.list.symbols.empty()) files.push_back(std::move(file));
  }
  add_files(files, out);
}

}  // namespace

void decode_file_list(Cursor& in, Features& out) {
  decode_files(in, out, [&](ListedFile& file) { return read_file(in, file); });
}

void decode_file_messages(Cursor& in, Features& out) {
  decode_files(in, out, [&](ListedFile& file) {
    const Bytes message = in.bytes(in.u32());
    return in.ok() && read_file_message(message, file);
  });
}

void decode_meta_info(Cursor& in, Features& out) {
  constexpr std::size_t kMost = 1024;  // far above any known number
  while (in.ok() && in.remaining() > 0) {
    const std::string_view key = in.line(), value = in.line();
    if (key.empty() || value.empty() || out.meta_info.size() == kMost) return in.skip(UINT64_MAX);
    out.meta_info.emplace_back(key, value);
  }
}

namespace {

/// Removes and returns the first line.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// A line of event_type_info, "cpu-cycles,0,0": name, type and config.
struct EventType {
  std::string_view name;
  std::uint64_t type = 0, config = 0;
};

std::optional<EventType> read_event_type(std::string_view line) {
  const std::size_t second = line.rfind(','), first = line.rfind(',', second - 1);
  if (second == line.npos || second == 0 || first == line.npos) return std::nullopt;
  const auto type = parse_decimal(line.substr(first + 1, second - first - 1));
  const auto config = parse_decimal(line.substr(second + 1));
  if (!type || !config || first == 0) return std::nullopt;
  return EventType{line.substr(0, first), *type, *config};
}

/// As GetEventNameByAttr of event_attr.cpp.
std::string_view modifier_of(const Attr& attr) {
  const bool user = !attr.has(kExcludeUser), kernel = !attr.has(kExcludeKernel);
  return user == kernel ? "" : user ? ":u" : ":k";
}

}  // namespace

void name_by_meta_info(const Features& features, Events& events) {
  constexpr std::size_t kMost = 4096;  // of hostile files, as each is compared with each event
  const auto info = std::ranges::find(features.meta_info, "event_type_info",
                                      &std::pair<std::string, std::string>::first);
  if (info == features.meta_info.end() || events.size() > kMost) return;
  std::string_view text = info->second;
  for (std::size_t left = kMost; left > 0 && !text.empty(); --left) {
    const auto known = read_event_type(take_line(text));
    for (std::size_t i = 0; known && i < events.size(); ++i) {
      Event& event = events.at(i);
      const Code& code = event.attr.code;
      if (!event.name && code.type == known->type && code.config[0] == known->config)
        event.set_name(std::string(known->name).append(modifier_of(event.attr)));
    }
  }
}

bool is_of_simpleperf(const Features& features, std::uint32_t first_type) {
  return features.has(Feature::simpleperf_file) || features.has(Feature::simpleperf_meta_info) ||
         features.has(Feature::simpleperf_file2) || first_type == kRecordTracingData ||
         first_type >= kRecordKernelSymbol;
}

namespace {

/// The kernel's symbols, as /proc/kallsyms lists them; a function ends where the next one begins.
void add_kallsyms(std::string_view text, Features& out) {
  constexpr std::string_view kFunctions = "TtWw";
  constexpr std::uint64_t kLast = 4096;
  std::vector<ListedFile> kernel(1);
  SymbolList& list = kernel[0].list;
  list.path = kKernelPath;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t type = line.find(' ');
    if (type == line.npos || line.size() < type + 4 || line[type + 2] != ' ') continue;
    const auto start = parse_hex(line.substr(0, type));
    const std::string_view name = line.substr(type + 3);
    if (start && *start != 0 && kFunctions.find(line[type + 1]) != line.npos)
      list.symbols.push_back({*start, kLast, name.substr(0, name.find('\t'))});
  }
  sort_stably(list.symbols,
              [](const ListedSymbol& a, const ListedSymbol& b) { return a.start < b.start; });
  for (std::size_t i = 1; i < list.symbols.size(); ++i)
    list.symbols[i - 1].size = list.symbols[i].start - list.symbols[i - 1].start;
  add_files(kernel, out);
}

}  // namespace

void SimpleperfRecords::add(const Record& record) {
  constexpr std::size_t kMost = 256 << 20;
  if (record.type == kRecordSplitEnd) return join(record.offset);
  if (record.type != kRecordSplit) return read(record.type, record.body(), record.offset);
  if (pieces_.size() < kMost) pieces_ += base::text_of(record.body());
}

/// The pieces are a record whose size has 32 bits, the upper half in place of `misc`.
void SimpleperfRecords::join(std::uint64_t offset) {
  const std::string whole = std::exchange(pieces_, {});
  Cursor in({reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size()}, order_);
  const std::uint32_t type = in.u32(), upper = in.u16(), lower = in.u16();
  if (!in.ok() || (upper << 16 | lower) != whole.size())
    return warnings_.add(offset, "the pieces of a record are not a whole record");
  read(type, in.bytes(in.remaining()), offset);
}

void SimpleperfRecords::read(std::uint32_t type, Bytes body, std::uint64_t offset) {
  if (type == kRecordEventId) return add_ids(body);
  if (type != kRecordTracingData && type != kRecordTracing && type != kRecordKernelSymbol) return;
  Cursor in(body, order_);
  const Bytes content = in.bytes(in.u32());
  if (!in.ok()) return warnings_.add(offset, "a record is shorter than its contents");
  if (type == kRecordKernelSymbol) return add_kallsyms(base::text_of(content), features_);
  decode_feature(static_cast<std::uint64_t>(Feature::tracing_data), content, order_, offset,
                 features_, warnings_);
}

void SimpleperfRecords::add_ids(Bytes body) {
  Cursor in(body, order_);
  for (std::uint64_t left = in.u64(); left > 0 && in.remaining() >= 16; --left) {
    const std::uint64_t event = in.u64();
    events_.add_id(event, in.u64());
  }
}

}  // namespace evname::perf_format
