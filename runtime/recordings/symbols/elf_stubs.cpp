// Stubs of procedure linkage tables, which symbol tables don't have.

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/sorting.hpp"
#include "recordings/symbols/elf_symbols.hpp"

namespace evname::symbols {
namespace {

bool is_x86(const ElfImage& image) {
  return image.header().e_machine == EM_386 || image.header().e_machine == EM_X86_64;
}

struct StubSizes {
  std::uint64_t header = 0, entry = 0;
};

/// 0: they are not known.
StubSizes stub_sizes(GElf_Half machine, const GElf_Shdr& section) {
  switch (machine) {
    case EM_ARM:
      return {20, 12};
    case EM_AARCH64:
    case EM_LOONGARCH:
    case EM_RISCV:
      return {32, 16};
    case EM_SPARC:
      return {48, 12};
    case EM_SPARCV9:
      return {128, 32};
    case EM_386:
    case EM_X86_64: {
      const bool told = section.sh_entsize == 8 || section.sh_entsize == 16;
      const std::uint64_t size = told ? section.sh_entsize : section.sh_addralign == 8 ? 8 : 16;
      return {size, size};
    }
    default:
      return {section.sh_entsize, section.sh_entsize};
  }
}

/// A relocation: which place of which symbol.
struct Relocation {
  std::uint64_t place = 0;
  std::size_t symbol = 0;
  std::uint64_t type = 0;
  std::int64_t addend = 0;
};

/// Returns the relocations of a section from the one with this number on.
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
                     GELF_R_TYPE(with.r_info), with.r_addend});
  }
  return found;
}

void sort_by_place(std::vector<Relocation>& relocations) {
  sort_stably_by(relocations, &Relocation::place);
}

class Stubs {
 public:
  Stubs(const ElfImage& image, SymbolTable& table, Budget& budget)
      : image_(image), table_(table), budget_(budget) {}

  void add() {
    const Section stubs = image_.section(".plt");
    const GElf_Half machine = image_.header().e_machine;
    if (!stubs.section) return;
    const std::uint64_t start = stubs.header.sh_offset;
    if (Symbol* before = table_.find(start); before && before->start < start) before->end = start;
    const StubSizes sizes = stub_sizes(machine, stubs.header);
    if (sizes.entry == 0) return;
    Section relocations = image_.section(".rela.plt");
    if (!relocations.section) relocations = image_.section(".rel.plt");
    std::vector<Relocation> list = relocations_of(relocations);
    if (is_x86(image_)) sort_by_place(list);
    const Section second = is_x86(image_) ? image_.section(".plt.sec") : Section{};
    const bool has_no_header =
        !second.section && !list.empty() && list.size() * sizes.entry == stubs.header.sh_size;
    if (!has_no_header)
      put(start, second.section ? stubs.header.sh_size : sizes.header, {.name = ".plt"});
    if (is_x86(image_)) add_direct();
    std::uint64_t at = second.section  ? second.header.sh_offset
                       : has_no_header ? start
                                       : start + sizes.header;
    const std::uint64_t size =
        second.section ? stub_sizes(machine, second.header).entry : sizes.entry;
    const Section symbols = image_.section_at(relocations.header.sh_link);
    for (const Relocation& one : list) {
      put(at, size, target_of(symbols, one, at));
      at += size;
    }
    budget_.take(names_size_, file_size_, "part of a file's list of stubs");
    for (const Symbol& stub : stubs_) table_.add(stub);
    table_.sort();
  }

 private:
  /// Adds a stub with the name of a symbol.
  void put(std::uint64_t start, std::uint64_t size, const Symbol& named) {
    stubs_.push_back({.start = start,
                      .end = start + size,
                      .name = named.name,
                      .type = kFunction,
                      .binding = kGlobal,
                      .mangled = named.mangled,
                      .stub = named.stub});
  }

  /// Returns the stub at an offset for a function, which has a name or an empty one.
  Symbol stub_of(const char* name, bool mangled, std::uint64_t at) {
    if (*name != '\0') return {.name = name, .mangled = mangled, .stub = true};
    return {.name = table_.keep(fmt::format("offset_{:#x}@plt", at))};
  }

  const char* symbol_name(const Section& symbols, std::size_t index) {
    Elf_Data* data = symbols.data();
    GElf_Sym symbol;
    if (names_size_ > most_ || !data || !gelf_getsym(data, static_cast<int>(index), &symbol))
      return "";
    const char* name = image_.text_at(symbols.header.sh_link, symbol.st_name);
    return name && (names_size_ += std::strlen(name)) <= most_ ? name : "";
  }

  Symbol target_of(const Section& symbols, const Relocation& one, std::uint64_t at) {
    const char* name = symbol_name(symbols, one.symbol);
    if (*name == '\0' && image_.header().e_machine == EM_X86_64 &&
        one.type == R_X86_64_IRELATIVE) {  // the addend is the address of the chooser of a function
      const auto offset = image_.offset_of(static_cast<std::uint64_t>(one.addend));
      const Symbol* chooser = offset ? table_.find(*offset) : nullptr;
      if (chooser && chooser->start == *offset && chooses_function(*chooser))
        return stub_of(chooser->name, chooser->mangled, at);
    }
    return stub_of(name, true, at);
  }

  /// Returns where the place is that a stub of .plt.got jumps through: "jmp *DISPLACEMENT(%rip)",
  /// maybe after endbr64 and a bnd prefix. From its own start; 0: it is no such stub.
  static std::uint32_t displacement(const std::uint8_t* stub, std::size_t size) {
    constexpr std::uint8_t kEndbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    std::size_t at = 0;
    if (size >= 4 && std::memcmp(stub, kEndbr, 4) == 0) at += 4;
    if (at < size && stub[at] == 0xf2) ++at;
    if (at + 6 > size || stub[at] != 0xff || stub[at + 1] != 0x25) return 0;
    return static_cast<std::uint32_t>(at) + 6 +
           load<std::uint32_t>(stub + at + 2, std::endian::little);
  }

  /// Returns the number of relocations at the start of .rela.dyn that are of no symbol: in most
  /// programs all but a few.
  std::uint64_t relative_count() const {
    Elf_Data* const data = image_.section(".dynamic").data();
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i)
      if (entry.d_tag == DT_RELACOUNT) return entry.d_un.d_val;
    return 0;
  }

  void add_direct() {
    const Section stubs = image_.section(".plt.got");
    Elf_Data* data = stubs.data();
    const std::uint64_t size = stubs.header.sh_entsize;
    if (!data || size == 0) return;
    const Section section = image_.section(".rela.dyn");
    const Section symbols = image_.section_at(section.header.sh_link);
    std::vector<Relocation> relocations;
    if (image_.header().e_machine == EM_X86_64)
      relocations = relocations_of(section, relative_count());
    std::erase_if(relocations, [](const Relocation& one) { return one.symbol == 0; });
    sort_by_place(relocations);
    for (std::uint64_t at = 0; at + size <= data->d_size; at += size) {
      const std::uint32_t ahead =
          displacement(static_cast<const std::uint8_t*>(data->d_buf) + at, size);
      const std::uint64_t place = stubs.header.sh_addr + at + ahead;
      const auto found = std::ranges::lower_bound(relocations, place, {}, &Relocation::place);
      const bool known = ahead != 0 && found != relocations.end() && found->place == place;
      const std::uint64_t start = stubs.header.sh_offset + at;
      put(start, size, stub_of(known ? symbol_name(symbols, found->symbol) : "", true, start));
    }
  }

  const ElfImage& image_;
  SymbolTable& table_;
  Budget& budget_;
  const std::size_t file_size_ = image_.size();
  const std::uint64_t most_ = budget_.room(file_size_);  ///< bytes of names
  std::uint64_t names_size_ = 0;
  std::vector<Symbol> stubs_;  ///< the table is searched until all are known
};

}  // namespace

void add_stubs(const ElfImage& image, SymbolTable& table, Budget& budget) {
  Stubs(image, table, budget).add();
}

}  // namespace evname::symbols
