#include "perf_format/symbol_lists.hpp"

namespace evname::perf_format {
namespace {

constexpr auto kOrder = std::endian::little;

Cursor cursor_of(std::string_view text) {
  return Cursor({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, kOrder);
}

}  // namespace

std::shared_ptr<const std::string> with_lists(const std::shared_ptr<const std::string>& others,
                                              const std::vector<SymbolList>& lists) {
  ByteWriter out(kOrder);
  if (others)
    out.raw(*others);
  else
    out.u32(kSymbolLists);
  for (const SymbolList& list : lists) {
    out.text(list.path, 1);
    for (const std::uint64_t number :
         {list.shift, std::uint64_t{list.counts_from_mapping}, std::uint64_t{list.symbols.size()}})
      out.u64(number);
    for (const ListedSymbol& symbol : list.symbols) {
      out.u64(symbol.start);
      out.u64(symbol.size);
      out.text(symbol.name, 1);
    }
  }
  return std::make_shared<const std::string>(out.bytes());
}

bool has_symbol_lists(std::string_view text) { return cursor_of(text).u32() == kSymbolLists; }

std::vector<SymbolList> read_symbol_lists(std::string_view text) {
  std::vector<SymbolList> lists;
  Cursor in = cursor_of(text);
  in.skip(sizeof kSymbolLists);
  while (in.ok() && in.remaining() > 0) {
    SymbolList& list = lists.emplace_back();
    list.path = in.line();
    list.shift = in.u64();
    list.counts_from_mapping = in.u64() != 0;
    for (std::uint64_t left = in.u64(); left > 0 && in.ok(); --left) {
      const std::uint64_t start = in.u64(), size = in.u64();
      list.symbols.push_back({start, size, in.line()});
    }
  }
  return lists;
}

}  // namespace evname::perf_format
