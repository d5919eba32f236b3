#pragma once
// Tables of functions as Go writes them, and a program that has one.

#include <elf.h>

#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "recordings/elf/dwarf.hpp"
#include "recordings/elf/elf_file.hpp"
#include "recordings/go/go_table.hpp"
#include "support/bytes_out.hpp"

namespace evname::test {

/// Two functions: "main.work" is 0x20 long, has the lines 7 and, from 0x10 on, 4 of a.go; from 8 on
/// "main.outer" is inlined, and in that from 0x10 on "main.inner". "main.main" is as long and has
/// line 900 of b.go.
struct GoProgram {
  /// Where the table is. In a program that is loaded at any address, relocations hold addresses.
  enum class Place { fixed, relocated, among_data };
  go::GoTable::Layout layout = go::GoTable::Layout::go1_20;
  std::endian order = std::endian::little;
  unsigned pointer = 8;
  std::uint64_t text = ElfParts::kAddress;
  int file = 1;  ///< the number of a.go; 0: no file
  unsigned quantum = 1;
  Place place = Place::fixed;

  /// Words that relocations set: place and value.
  using Words = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  bool is_relative() const { return layout >= go::GoTable::Layout::go1_18; }
  /// The table's addresses are 0 if they are asked for.
  std::string table(Words* addresses = nullptr) const;
  /// runtime.inlinedCall of "main.outer", called at offset 0 of "main.work", and of "main.inner",
  /// called at offset 8.
  std::string inlined_calls() const;
  /// An ELF file with the table, the start of runtime.moduledata, and these sections.
  std::string program(std::vector<ElfParts::Extra> sections = {}) const;

 private:
  void add_word(BytesOut& out, std::uint64_t value) const {
    pointer == 8 ? out.u64(value) : out.u32(static_cast<std::uint32_t>(value));
  }
  void add_address(BytesOut& out, std::uint64_t value, Words* addresses) const {
    if (addresses) addresses->emplace_back(out.size(), value);
    add_word(out, addresses ? 0 : value);
  }
};

// Layouts: src/debug/gosym/pclntab.go of Go 1.26; src/runtime/symtab.go and runtime2.go
// of 1.15, 1.19 and 1.26.
inline std::string GoProgram::table(Words* addresses) const {
  using Layout = go::GoTable::Layout;
  // Numbers of the table are places in it; parts follow each other, the functions last, but in the
  // first layout, where places of texts are counted from the start.
  const std::string names = std::string("\0main.work\0main.main\0main.inner\0main.outer\0", 43);
  const std::string files = std::string("\0/src/a.go\0/src/b.go\0", 21);
  constexpr unsigned kWork = 1, kMain = 11, kA = 1, kB = 11;
  // Value and length: zigzag from -1, then what is added to it; a 0 ends them. None is at 0.
  const bool is_first = layout == Layout::go1_2;
  const auto values = [this](std::initializer_list<std::pair<int, unsigned>> steps) {
    std::string out;
    for (const auto& [change, length] : steps)
      out += uleb(static_cast<std::uint64_t>(change < 0 ? -change * 2 - 1 : change * 2)) +
             uleb(length / quantum);
    return out + '\0';
  };
  std::string lists(1, '\0');
  const auto list = [&lists](const std::string& one) {
    const std::size_t at = lists.size();
    lists += one;
    return static_cast<std::uint32_t>(at);
  };
  const std::uint32_t lines_of_work = list(values({{8, 0x10}, {-3, 0x10}})),
                      lines_of_main = list(values({{901, 0x20}})),
                      file_a = list(values({{file + 1, 0x20}})),
                      file_b = list(values({{is_first ? 3 : 2, 0x20}})),
                      inlined = list(values({{0, 8}, {1, 8}, {1, 0x10}}));
  const unsigned size = is_relative() ? 4 : pointer;
  const unsigned header = 8 + (is_first ? 1 : is_relative() ? 8 : 7) * pointer;
  const unsigned index = 5 * size + (is_first ? 4 : 0);
  const unsigned record =
      (is_relative() ? 4 : pointer) + (layout == Layout::go1_20 ? 40 : 36) + 12 + 16;
  // Places of the parts.
  const unsigned index_at = header, records_at = index_at + index,
                 names_at = records_at + 2 * record, units_at = names_at + 43,
                 files_at = units_at + 12, lists_at = files_at + 24;
  const auto text_place = [&](unsigned at, unsigned offset) {
    return is_first ? at + offset : offset;
  };
  BytesOut out(order);
  constexpr std::array kMagics = {0xfffffffbU, 0xfffffffaU, 0xfffffff0U, 0xfffffff1U};
  out.u32(kMagics[static_cast<unsigned>(layout)])
      .u16(0)
      .u8(static_cast<std::uint8_t>(quantum))
      .u8(static_cast<std::uint8_t>(pointer));
  add_word(out, 2);
  if (!is_first) {
    add_word(out, 2);
    if (is_relative()) add_address(out, text, addresses);
    for (const unsigned at : {names_at, units_at, files_at, lists_at, index_at}) add_word(out, at);
  }
  const auto entry = [&](std::uint64_t offset) {
    if (is_relative()) return (void)out.u32(static_cast<std::uint32_t>(offset));
    add_address(out, text + offset, addresses);
  };
  const auto number = [&](std::uint64_t value) {
    is_relative() ? (void)out.u32(static_cast<std::uint32_t>(value)) : add_word(out, value);
  };
  const unsigned first_record = is_first ? records_at : index;
  for (unsigned i = 0; i < 2; ++i) {
    entry(i * 0x20);
    number(first_record + i * record);
  }
  entry(0x40);
  if (is_first) out.u32(units_at);
  const unsigned lists_from = is_first ? lists_at : 0;
  for (unsigned i = 0; i < 2; ++i) {
    const std::size_t start = out.size();
    entry(i * 0x20);
    out.u32(text_place(names_at, i == 0 ? kWork : kMain)).u32(0).u32(0).u32(0);
    out.u32(lists_from + (i == 0 ? file_a : file_b))
        .u32(lists_from + (i == 0 ? lines_of_work : lines_of_main));
    out.u32(3).u32(is_first ? 0 : i);  // tables of values, first file of the unit
    if (layout == Layout::go1_20) out.u32(1);
    out.u8(0).u8(0).u8(0).u8(4);
    out.u32(0).u32(0).u32(i == 0 ? inlined : 0);
    for (unsigned data = 0; data < 4; ++data) out.u32(i == 0 && data == 3 ? 4 : UINT32_MAX);
    out.pad(record - (out.size() - start));
  }
  out.raw(names);
  if (is_first)
    out.u32(3).u32(files_at + kA).u32(files_at + kB);
  else
    out.u32(UINT32_MAX).u32(kA).u32(kB);
  out.raw(files).pad(3).raw(lists);
  return out.str();
}

inline std::string GoProgram::inlined_calls() const {
  constexpr unsigned kInner = 21, kOuter = 32;
  BytesOut out(order);
  out.u32(UINT32_MAX);  // of another function
  const bool is_older = layout == go::GoTable::Layout::go1_18;
  for (const auto& [name, parent] : {std::pair(kOuter, 0U), {kInner, 8U}}) {
    out.u32(0);
    if (is_older) out.u32(0).u32(0);
    out.u32(name).u32(parent);
    if (!is_older) out.u32(0);
  }
  return out.str();
}

inline std::string GoProgram::program(std::vector<ElfParts::Extra> sections) const {
  constexpr std::uint64_t kTable = 0x500000, kCalls = 0x510000, kModule = 0x520000;
  constexpr std::size_t kBefore = 40;  // in the section, whose start is not where a table may start
  Words words;
  Words* const addresses = place == Place::fixed ? nullptr : &words;
  const std::string content = table(addresses);
  for (auto& [at, value] : words) at += kTable;
  const std::uint64_t names = kTable + content.find(std::string("\0main.work", 10));
  BytesOut module(order);
  Words of_module;
  const unsigned last = layout == go::GoTable::Layout::go1_18 ? 38 : 40;
  for (unsigned i = 0; i <= last; ++i) {
    const std::uint64_t value = i == 0      ? kTable
                                : i == 1    ? names
                                : i == 22   ? text
                                : i == last ? kCalls
                                            : 0;
    add_address(module, value, addresses ? &of_module : nullptr);
  }
  std::string relocations;
  for (const auto& [at, value] : of_module) words.emplace_back(kModule + at, value);
  for (const auto& [at, value] : words)
    relocations += bytes_of_struct(
        Elf64_Rela{at, ELF64_R_INFO(0, R_X86_64_RELATIVE), static_cast<Elf64_Sxword>(value)});
  // It adds the address of a symbol, so it says nothing of the load address.
  relocations +=
      bytes_of_struct(Elf64_Rela{kModule + 22 * pointer, ELF64_R_INFO(1, R_X86_64_64), 0x77});
  const auto add = [&](std::string_view name, std::string_view bytes, std::uint64_t address,
                       std::uint64_t flags = SHF_ALLOC) {
    sections.push_back({name, std::string(bytes), SHT_PROGBITS, 0, address, flags});
  };
  add(".rodata", inlined_calls(), kCalls);
  add(".noptrdata", module.str(), kModule, SHF_ALLOC | SHF_WRITE);
  sections.push_back({".rela.dyn", relocations, SHT_RELA, sizeof(Elf64_Rela), 0, SHF_ALLOC});
  if (place == Place::among_data) {
    add(".data.rel.ro", std::string(kBefore, '\0') + content, kTable - kBefore);
    add(".go.buildinfo", "go", 0x530000);
  } else {
    add(place == Place::fixed ? ".gopclntab" : ".data.rel.ro.gopclntab", content, kTable);
  }
  return elf_file({.symbols_type = SHT_PROGBITS, .sections = std::move(sections)});
}

}  // namespace evname::test
