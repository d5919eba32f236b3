#include "recordings/elf/elf_symbols.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/sorting.hpp"
#include "recordings/elf/plt_entries.hpp"
#include "recordings/elf/symbol_table.hpp"

namespace evname::elf {
namespace {

/// Returns true for "$x" and the like, which mark the bytes that follow as instructions or data
/// (the ABIs of Arm and RISC-V).
bool is_mapping_symbol(GElf_Half machine, std::string_view name) {
  if (name.size() < 2 || name[0] != '$') return false;
  if (machine == EM_ARM || machine == EM_AARCH64)
    return std::string_view("adtx").find(name[1]) != name.npos &&
           (name.size() == 2 || name[2] == '.');
  return machine == EM_RISCV && (name[1] == 'd' || name[1] == 'x');
}

bool is_function_or_object(const GElf_Sym& symbol) {
  const unsigned type = GELF_ST_TYPE(symbol.st_info);
  return ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_name != 0 &&
          symbol.st_shndx != SHN_UNDEF) ||
         (type == STT_OBJECT && symbol.st_name != 0 && symbol.st_shndx != SHN_UNDEF);
}

bool is_label(const GElf_Sym& symbol) {
  const unsigned visibility = GELF_ST_VISIBILITY(symbol.st_other);
  return GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE && symbol.st_name != 0 &&
         symbol.st_shndx != SHN_UNDEF && visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

/// One symbol section of an image on its way into a table.
class Reader {
 public:
  Reader(const ElfNames& names, SymbolTable& table)
      : symbols_(names.symbols),
        runtime_(names.runtime),
        layout_(names.layout),
        demangle_(names.demangle),
        budget_(names.budget),
        table_(table) {
    std::size_t count = 0;
    if (elf_getshdrnum(symbols_.elf(), &count) != 0) return;
    for (std::size_t i = 0; i < count; ++i) sections_.push_back(placed_section(i));
    table_.reserve(table_.size() + symbol_count(false) + symbol_count(true));
    if (layout_ == Layout::module) find_module_text();
    const Section descriptors = runtime_.section(".opd");
    if (!descriptors.section || descriptors.header.sh_type != SHT_PROGBITS) return;
    descriptors_ = descriptors;
    descriptor_data_ = descriptors.data();
  }

  void read(bool dynamic) {
    const Section section = symbols_.symbol_section(dynamic);
    Elf_Data* data = section.data();
    if (!data) return;
    const std::size_t count = data->d_size / section.header.sh_entsize;
    GElf_Sym symbol;
    const std::uint64_t most = budget_.room(file_size_);
    for (std::size_t i = 0; i < count && i < INT32_MAX && names_size_ <= most; ++i)
      if (gelf_getsym(data, static_cast<int>(i), &symbol)) add(symbol, section.header.sh_link);
    budget_.take(names_size_, file_size_, "part of a file's list of symbols");
    table_.arrange();
  }

 private:
  /// Returns the number of symbols that fit in a section.
  std::size_t symbol_count(bool dynamic) const {
    const Elf_Data* data = symbols_.symbol_section(dynamic).data();
    return data ? data->d_size / sizeof(Elf64_Sym) : 0;
  }

  /// Returns a section; if it was stripped, from the other file.
  Section placed_section(std::size_t index) const {
    const Section section = symbols_.section_at(index);
    return section.header.sh_type == SHT_NOBITS ? runtime_.section_at(index) : section;
  }

  void add(GElf_Sym symbol, std::size_t names) {
    const bool label = is_label(symbol);
    if ((!label && !is_function_or_object(symbol)) || symbol.st_shndx == SHN_ABS) return;
    const GElf_Half machine = symbols_.header().e_machine;
    const char* name = symbols_.text_at(names, symbol.st_name);
    if (!name) return;
    names_size_ += std::strlen(name);  // any number of names may end with the same bytes
    if (is_mapping_symbol(machine, name)) return;
    if (layout_ != Layout::file && is_ignored_kernel_symbol(name)) return;
    follow_descriptor(symbol);
    if (symbol.st_shndx >= sections_.size()) return;
    const Section& section = sections_[symbol.st_shndx];
    if (!section.section || !(section.header.sh_flags & SHF_ALLOC)) return;
    if (label && section.name.find("text") == section.name.npos &&
        section.name.find("data") == section.name.npos)
      return;
    if (machine == EM_ARM && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
      symbol.st_value &= ~GElf_Addr{1};  // Thumb
    const auto start = place_of(symbol.st_value, section.header);
    if (!start || symbol.st_size > UINT64_MAX - *start) return;
    table_.add({*start, *start + symbol.st_size, name,
                static_cast<std::uint8_t>(GELF_ST_TYPE(symbol.st_info)),
                static_cast<std::uint8_t>(GELF_ST_BIND(symbol.st_info)), demangle_});
  }

  std::optional<std::uint64_t> place_of(std::uint64_t value, const GElf_Shdr& section) const {
    if (layout_ == Layout::addresses) return value;
    const std::uint64_t in_section = value - section.sh_addr + section.sh_offset;
    if (layout_ == Layout::file) return runtime_.offset_of(value).value_or(in_section);
    if (!is_executable(section) || section.sh_offset < text_ || section.sh_offset >= text_end_)
      return std::nullopt;
    return in_section - text_;
  }

  static bool is_executable(const GElf_Shdr& section) {
    return (section.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR);
  }

  // The kernel loads a module's executable sections one after the other, without the ones that it
  // drops (max_text_section of tools/perf/util/symbol-elf.c). If others come before .text, its
  // place is unknown.
  void find_module_text() {
    for (const Section& section : sections_) {
      if (!is_executable(section.header)) continue;
      const GElf_Shdr& header = section.header;
      const std::uint64_t align = std::max<std::uint64_t>(header.sh_addralign, 1);
      const bool follows = text_end_ == 0
                               ? section.name == ".text"
                               : (text_end_ + align - 1) / align * align == header.sh_offset;
      if (!follows || section.name.starts_with(".init") || section.name.starts_with(".exit"))
        return;
      if (text_end_ == 0) text_ = header.sh_offset;
      text_end_ = header.sh_offset + header.sh_size;
    }
  }

  /// On PowerPC a symbol may be a function's descriptor, which has the function's address.
  void follow_descriptor(GElf_Sym& symbol) const {
    if (!descriptor_data_ || symbol.st_shndx >= sections_.size() ||
        sections_[symbol.st_shndx].name != ".opd")
      return;
    const std::uint64_t at = symbol.st_value - descriptors_.header.sh_addr;
    if (descriptor_data_->d_size < 8 || at > descriptor_data_->d_size - 8) return;
    GElf_Addr address = 0;
    Elf_Data from = *descriptor_data_, to = *descriptor_data_;
    from.d_buf = static_cast<char*>(descriptor_data_->d_buf) + at;
    from.d_type = to.d_type = ELF_T_ADDR;
    from.d_size = to.d_size = sizeof address;
    to.d_buf = &address;
    // elf_getdata() converts to this machine's byte order only sections of a known type.
    if (!gelf_xlatetom(runtime_.elf(), &to, &from, runtime_.header().e_ident[EI_DATA])) return;
    symbol.st_value = address;
    constexpr std::size_t kMost =
        4096;  // more than real programs have, so that no file takes hours
    for (std::size_t i = 0; i < std::min(sections_.size(), kMost); ++i) {
      const GElf_Shdr& header = sections_[i].header;
      if ((header.sh_flags & SHF_ALLOC) && address >= header.sh_addr &&
          address - header.sh_addr < header.sh_size)
        symbol.st_shndx = static_cast<GElf_Section>(i);
    }
  }

  const ElfImage& symbols_;
  const ElfImage& runtime_;
  Layout layout_;
  bool demangle_;
  Budget& budget_;
  const std::size_t file_size_ = symbols_.size();
  std::uint64_t names_size_ = 0;
  std::uint64_t text_ = 0, text_end_ = 0;  ///< offsets of a module's executable sections
  SymbolTable& table_;
  std::vector<Section> sections_;  ///< by index
  Section descriptors_;
  Elf_Data* descriptor_data_ = nullptr;
};

}  // namespace

SymbolTable read_elf_symbols(const ElfNames& names) {
  SymbolTable table(&names.budget);
  Reader reader(names, table);
  reader.read(false);
  reader.read(true);
  if (names.packed) {
    ElfNames dynamic{names.runtime, names.runtime,  false,
                     names.layout,  names.demangle, names.budget};
    Reader(dynamic, table).read(true);
  }
  return table;
}

namespace {

/// A relocation: its place and its symbol.
struct Relocation {
  std::uint64_t place = 0;
  std::size_t symbol = 0;
  std::uint64_t type = 0;
  std::int64_t addend = 0;
  std::size_t symbols = 0;  ///< the section of the symbol
};

/// Returns the relocations of a section from this number on.
std::vector<Relocation> relocations_of(const Section& section, std::uint64_t first = 0) {
  std::vector<Relocation> found;
  Elf_Data* data = section.data();
  if (!data || section.header.sh_entsize == 0) return found;
  const auto count = static_cast<int>(
      std::min<std::uint64_t>(data->d_size / section.header.sh_entsize, INT32_MAX));
  for (int i = static_cast<int>(std::min<std::uint64_t>(first, INT32_MAX)); i < count; ++i) {
    GElf_Rela with = {};
    GElf_Rel without = {};
    if (section.header.sh_type == SHT_RELA && gelf_getrela(data, i, &with)) {
    } else if (section.header.sh_type == SHT_REL && gelf_getrel(data, i, &without)) {
      with = {without.r_offset, without.r_info, 0};
    } else {
      break;
    }
    found.push_back({with.r_offset, static_cast<std::size_t>(GELF_R_SYM(with.r_info)),
                     GELF_R_TYPE(with.r_info), with.r_addend, section.header.sh_link});
  }
  return found;
}

/// Returns the type of relocations whose function is chosen at start (IRELATIVE); 0: unknown.
std::uint64_t chosen_type(GElf_Half machine) {
  constexpr std::pair<GElf_Half, std::uint32_t> kTypes[] = {
      {EM_X86_64, R_X86_64_IRELATIVE},   {EM_386, R_386_IRELATIVE},
      {EM_AARCH64, R_AARCH64_IRELATIVE}, {EM_ARM, R_ARM_IRELATIVE},
      {EM_RISCV, R_RISCV_IRELATIVE},     {EM_LOONGARCH, R_LARCH_IRELATIVE},
      {EM_S390, R_390_IRELATIVE}};
  for (const auto& [of, type] : kTypes)
    if (of == machine) return type;
  return 0;
}

/// The relocations of slots in the GOT. .rela.dyn may have very many, so it is read only for a slot
/// that .rela.plt lacks.
class Slots {
 public:
  explicit Slots(const ElfImage& image)
      : image_(image), chosen_(chosen_type(image.header().e_machine)) {
    read(".rela.plt", ".rel.plt", 0);
  }

  /// Returns nullptr if the slot does not get a function's address.
  const Relocation* at(std::uint64_t slot) {
    const Relocation* found = find(slot);
    if (found || std::exchange(has_all_, true)) return found;
    read(".rela.dyn", ".rel.dyn", relative_count());
    return find(slot);
  }
  bool is_chosen(const Relocation& one) const { return chosen_ != 0 && one.type == chosen_; }

 private:
  void read(std::string_view with_addends, std::string_view without, std::uint64_t first) {
    Section section = image_.section(with_addends);
    if (!section.section) section = image_.section(without);
    std::vector<Relocation> more = relocations_of(section, first);
    std::erase_if(more, [&](const Relocation& one) { return one.symbol == 0 && !is_chosen(one); });
    relocations_.insert(relocations_.end(), more.begin(), more.end());
    sort_stably_by(relocations_, &Relocation::place);
  }

  const Relocation* find(std::uint64_t slot) const {
    const auto found = std::ranges::lower_bound(relocations_, slot, {}, &Relocation::place);
    return found != relocations_.end() && found->place == slot ? &*found : nullptr;
  }

  /// Returns the number of relocations without a symbol at the start of .rela.dyn: in most programs
  /// all but a few.
  std::uint64_t relative_count() const {
    return image_.dynamic(DT_RELACOUNT).value_or(image_.dynamic(DT_RELCOUNT).value_or(0));
  }

  const ElfImage& image_;
  std::uint64_t chosen_;
  bool has_all_ = false;
  std::vector<Relocation> relocations_;  ///< sorted by their places
};

/// Returns the name of a relocation's symbol; "" if it has none.
const char* name_of_symbol(const ElfImage& image, const Relocation& one) {
  const Section symbols = image.section_at(one.symbols);
  Elf_Data* data = symbols.data();
  GElf_Sym symbol;
  if (!data || !gelf_getsym(data, static_cast<int>(one.symbol), &symbol)) return "";
  const char* name = image.text_at(symbols.header.sh_link, symbol.st_name);
  return name ? name : "";
}

/// Names the stubs of procedure linkage tables, which most symbol tables lack. A stub jumps through
/// a slot; it gets the name in the slot's relocation.
class Stubs {
 public:
  Stubs(const ElfImage& image, SymbolTable& table, Budget& budget)
      : image_(image), table_(table), budget_(budget), slots_(image) {}

  void add() {
    const Section lazy = image_.section(".plt");
    for (const char* name : {".plt", ".plt.sec", ".plt.bnd", ".plt.got", ".iplt"})
      add_entries(image_.section(name));
    if (!stubs_.empty()) add_header(lazy);
    budget_.take(names_size_, file_size_, "part of a file's list of stubs");
    for (const Symbol& stub : stubs_) table_.add(stub);
    table_.sort();
  }

 private:
  void add_entries(const Section& section) {
    const Elf_Data* const data = section.data();
    if (!data || !(section.header.sh_flags & SHF_EXECINSTR)) return;
    const std::uint64_t start = section.header.sh_offset;
    if (Symbol* before = table_.find(start); before && before->start < start) before->end = start;
    const PltBytes table{image_.header().e_machine,
                         {static_cast<const std::uint8_t*>(data->d_buf), data->d_size},
                         section.header.sh_addr,
                         image_.dynamic(DT_PLTGOT).value_or(0)};
    for (const PltEntry& entry : read_plt(table)) {
      const Relocation* const relocation = slots_.at(entry.slot);
      if (relocation) put(start + entry.start, start + entry.end, *relocation);
    }
  }

  /// The part of .plt that leads to the dynamic linker gets the name ".plt": the bytes before the
  /// first entry or, if the entries are in another table, the whole section.
  void add_header(const Section& section) {
    if (!section.data()) return;
    const std::uint64_t start = section.header.sh_offset;
    std::uint64_t end = start + section.header.sh_size;
    for (const Symbol& stub : stubs_)
      if (stub.start >= start) end = std::min(end, stub.start);
    if (end > start && !has_symbol(start, end))
      stubs_.push_back(
          {.start = start, .end = end, .name = ".plt", .type = kFunction, .binding = kGlobal});
  }

  /// Adds a stub unless the file has a symbol there.
  void put(std::uint64_t start, std::uint64_t end, const Relocation& relocation) {
    if (has_symbol(start, end)) return;
    Symbol stub = target_of(relocation, start);
    stub.start = start;
    stub.end = end;
    stub.type = kFunction;
    stub.binding = kGlobal;
    stubs_.push_back(stub);
  }

  bool has_symbol(std::uint64_t start, std::uint64_t end) const {
    const Symbol* const last = std::as_const(table_).find(end - 1);
    return std::as_const(table_).find(start) || (last && last->start >= start);
  }

  /// Returns the stub at an offset for a function, whose name may be empty.
  Symbol stub_of(const char* name, bool mangled, std::uint64_t at) {
    if (*name != '\0') return {.name = name, .mangled = mangled, .stub = true};
    return {.name = table_.keep(fmt::format("offset_{:#x}@plt", at))};
  }

  const char* symbol_name(const Relocation& one) {
    if (names_size_ > most_) return "";
    const char* const name = name_of_symbol(image_, one);
    return (names_size_ += std::strlen(name)) <= most_ ? name : "";
  }

  Symbol target_of(const Relocation& one, std::uint64_t at) {
    const char* name = symbol_name(one);
    if (*name == '\0' && slots_.is_chosen(one)) {  // the addend is the address of the chooser
      const auto offset = image_.offset_of(static_cast<std::uint64_t>(one.addend));
      const Symbol* chooser = offset ? table_.find(*offset) : nullptr;
      if (chooser && chooser->start == *offset && chooses_function(*chooser))
        return stub_of(chooser->name, chooser->mangled, at);
    }
    return stub_of(name, true, at);
  }

  const ElfImage& image_;
  SymbolTable& table_;
  Budget& budget_;
  Slots slots_;
  const std::size_t file_size_ = image_.size();
  const std::uint64_t most_ = budget_.room(file_size_);  ///< bytes of names
  std::uint64_t names_size_ = 0;
  std::vector<Symbol> stubs_;  ///< the table is searched until all are known
};

}  // namespace

std::function<const char*(std::uint64_t slot)> slot_names(const ElfImage& image) {
  // Tables of pointers elsewhere have relocations, too, and names of their own.
  constexpr std::size_t kMostTables = 8;
  std::vector<GElf_Shdr> tables;
  image.find_section([&](const Section& one) {
    if (one.name.starts_with(".got")) tables.push_back(one.header);
    return tables.size() == kMostTables;
  });
  const auto slots = std::make_shared<Slots>(image);
  return [&image, tables = std::move(tables), slots](std::uint64_t slot) {
    const bool is_inside = std::ranges::any_of(
        tables, [&](const GElf_Shdr& one) { return slot - one.sh_addr < one.sh_size; });
    const Relocation* const relocation = is_inside ? slots->at(slot) : nullptr;
    return relocation ? name_of_symbol(image, *relocation) : "";
  };
}

void add_stubs(const ElfImage& image, SymbolTable& table, Budget& budget) {
  Stubs(image, table, budget).add();
}

}  // namespace evname::elf
