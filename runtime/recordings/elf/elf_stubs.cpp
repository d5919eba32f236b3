// Names stubs of procedure linkage tables, which most symbol tables lack. A stub jumps through a
// slot; it gets the name in the slot's relocation.

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/sorting.hpp"
#include "recordings/elf/elf_symbols.hpp"
#include "recordings/elf/plt_entries.hpp"

namespace evname::elf {
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
    const Section symbols = image_.section_at(one.symbols);
    Elf_Data* data = symbols.data();
    GElf_Sym symbol;
    if (names_size_ > most_ || !data || !gelf_getsym(data, static_cast<int>(one.symbol), &symbol))
      return "";
    const char* name = image_.text_at(symbols.header.sh_link, symbol.st_name);
    return name && (names_size_ += std::strlen(name)) <= most_ ? name : "";
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

void add_stubs(const ElfImage& image, SymbolTable& table, Budget& budget) {
  Stubs(image, table, budget).add();
}

}  // namespace evname::elf
