#include "recordings/go/go_symbols.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace evname::go {
namespace {

/// Bytes of a file, and their load address.
struct Memory {
  Bytes bytes = {};
  std::uint64_t address = 0;
  bool contains(std::uint64_t place) const {
    return place >= address && place - address < bytes.size();
  }
};

Memory memory_of(const elf::Section& section) {
  const bool is_loaded = section.section && section.header.sh_type == SHT_PROGBITS &&
                         (section.header.sh_flags & (SHF_ALLOC | SHF_COMPRESSED)) == SHF_ALLOC;
  const Elf_Data* data = is_loaded ? section.data() : nullptr;
  if (!data) return {};
  return {{static_cast<const std::uint8_t*>(data->d_buf), data->d_size}, section.header.sh_addr};
}

/// Returns the table of a section that a linker has put among other data, which the header of the
/// table shows: GNU ld does so in programs that are loaded at any address.
Memory table_among_data(const elf::ElfImage& image) {
  const Memory data = memory_of(image.section(".data.rel.ro"));
  const elf::Section program = image.section(".go.buildinfo");
  if (!program.section) return {};
  constexpr std::size_t kAlignment = 32;
  const std::size_t first = -data.address % kAlignment;
  for (std::size_t at = first; at + 8 < data.bytes.size(); at += kAlignment)
    if (const Bytes rest = data.bytes.subspan(at);
        rest[4] == 0 && rest[5] == 0 && GoTable::read(rest))
      return {rest, data.address + at};
  return {};
}

Memory go_table_memory(const elf::ElfImage& image) {
  const Memory found = memory_of(image.find_section([](const elf::Section& section) {
    return section.name == ".gopclntab" || section.name == ".data.rel.ro.gopclntab";
  }));
  return found.bytes.empty() ? table_among_data(image) : found;
}

/// Passes on the words that relocations add to the load address: place and value.
template <class Take>
void for_each_relocation(const elf::ElfImage& image, Take&& take) {
  image.find_section([&](const elf::Section& section) {
    if (section.header.sh_type != SHT_RELA || !(section.header.sh_flags & SHF_ALLOC)) return false;
    Elf_Data* data = section.data();
    const std::size_t size = section.header.sh_entsize;
    if (!data || size == 0) return false;
    GElf_Rela relocation;
    for (std::size_t i = 0; i < data->d_size / size && i < INT32_MAX; ++i)
      if (gelf_getrela(data, static_cast<int>(i), &relocation) &&
          GELF_R_SYM(relocation.r_info) == 0)
        take(relocation.r_offset, static_cast<std::uint64_t>(relocation.r_addend));
    return false;
  });
}

/// Returns the words of the table that relocations set.
std::vector<std::pair<std::uint64_t, std::uint64_t>> relocated_words(const elf::ElfImage& image,
                                                                     const Memory& table) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for_each_relocation(image, [&](std::uint64_t place, std::uint64_t value) {
    if (table.contains(place)) found.emplace_back(place - table.address, value);
  });
  return found;
}

/// Writes relocated words into a copy of the table.
std::vector<std::uint8_t> relocated(
    const Memory& table, const GoTable& read,
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& words) {
  std::vector<std::uint8_t> copy(table.bytes.begin(), table.bytes.end());
  for (const auto& [place, value] : words) {
    if (copy.size() - place < read.pointer_size()) continue;
    ByteWriter word(read.order());
    if (read.pointer_size() == 8)
      word.u64(value);
    else
      word.u32(static_cast<std::uint32_t>(value));
    std::memcpy(copy.data() + place, word.bytes().data(), word.size());
  }
  return copy;
}

/// The relevant words of runtime.moduledata.
class ModuleData {
 public:
  ModuleData(const elf::ElfImage& image, const GoTable& table, std::uint64_t address)
      : image_(image), table_(table), table_address_(address) {
    find_candidates();
    if (!candidates_.empty()) read_words();
  }
  /// The start of Go's code, and the address of "go:func.*"; nullopt: not found.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> text_and_calls() const {
    for (const Candidate& one : candidates_)
      if (one.words[0] == table_address_ &&
          one.words[1] == table_address_ + table_.names_offset() &&
          (table_.text() == 0 || one.words[2] == table_.text()))
        return std::pair(one.words[2], one.words[3]);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kMost = 8;
  struct Candidate {
    std::uint64_t address;
    std::array<std::uint64_t, 4> words = {};
  };

  /// The places of the words pcHeader, funcnametab (its first), text and gofunc.
  std::array<unsigned, 4> places() const {
    return {0, 1, 22, table_.layout() == GoTable::Layout::go1_18 ? 38U : 40U};
  }
  std::optional<std::uint64_t> word_at(const Memory& memory, std::uint64_t address) const {
    if (!memory.contains(address)) return std::nullopt;
    Cursor in(memory.bytes.subspan(address - memory.address), table_.order());
    const std::uint64_t word = table_.pointer_size() == 8 ? in.u64() : in.u32();
    return in.ok() ? std::optional(word) : std::nullopt;
  }
  void add(std::uint64_t address) {
    if (candidates_.size() < kMost) candidates_.push_back({address});
  }
  /// Searches for the table's address.
  void find_candidates() {
    image_.find_section([&](const elf::Section& section) {
      const Memory memory = memory_of(section);
      if (!(section.header.sh_flags & SHF_WRITE) || memory.bytes.empty()) return false;
      const std::uint64_t size = table_.pointer_size();
      for (std::uint64_t at = memory.address + (-memory.address & (size - 1)); memory.contains(at);
           at += size)
        if (word_at(memory, at) == table_address_) add(at);
      return false;
    });
    for_each_relocation(image_, [&](std::uint64_t place, std::uint64_t value) {
      if (value == table_address_) add(place);
    });
  }
  void read_words() {
    const auto numbers = places();
    const std::uint64_t size = table_.pointer_size();
    image_.find_section([&](const elf::Section& section) {
      const Memory memory = memory_of(section);
      for (Candidate& one : candidates_)
        for (std::size_t i = 0; i < numbers.size(); ++i)
          if (const auto word = word_at(memory, one.address + numbers[i] * size))
            one.words[i] = *word;
      return false;
    });
    for_each_relocation(image_, [&](std::uint64_t place, std::uint64_t value) {
      for (Candidate& one : candidates_)
        for (std::size_t i = 0; i < numbers.size(); ++i)
          if (place == one.address + numbers[i] * size) one.words[i] = value;
    });
  }

  const elf::ElfImage& image_;
  const GoTable& table_;
  std::uint64_t table_address_;
  std::vector<Candidate> candidates_;
};

}  // namespace

bool has_go_table(const elf::ElfImage& image) { return !go_table_memory(image).bytes.empty(); }

/// Returns true if all functions are in one executable section.
bool GoSymbols::has_all_in_code() const {
  const std::uint64_t start = table_.function(0).start;
  const std::uint64_t end = table_.function(table_.size() - 1).end;
  const elf::Section code = image_.find_section([&](const elf::Section& section) {
    const GElf_Shdr& header = section.header;
    return (header.sh_flags & SHF_EXECINSTR) && start >= header.sh_addr && start < end &&
           end - header.sh_addr <= header.sh_size;
  });
  return code.section != nullptr;
}

std::unique_ptr<GoSymbols> GoSymbols::of(const elf::ElfImage& image) {
  const Memory memory = go_table_memory(image);
  auto table = GoTable::read(memory.bytes);
  if (!table) return nullptr;
  std::vector<std::uint8_t> content;
  const auto words = relocated_words(image, memory);
  if (!words.empty()) {
    content = relocated(memory, *table, words);
    table = GoTable::read(content);
    if (!table) return nullptr;
  }
  if (table->is_relative()) {
    if (const auto module = ModuleData(image, *table, memory.address).text_and_calls()) {
      table->set_text(module->first);
      image.find_section([&](const elf::Section& section) {
        const Memory data = memory_of(section);
        if (!data.contains(module->second)) return false;
        table->set_inlined_calls(data.bytes.subspan(module->second - data.address));
        return true;
      });
    }
    if (table->text() == 0) return nullptr;
  }
  std::unique_ptr<GoSymbols> found(new GoSymbols(image, *table, std::move(content)));
  return found->has_all_in_code() ? std::move(found) : nullptr;
}

void GoSymbols::add_functions(elf::SymbolTable& table) const {
  table.reserve(table.size() + table_.size());
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const GoTable::Function function = table_.function(i);
    if (!function.name) continue;
    if (const auto place = image_.offset_of(function.start))
      table.add({*place, *place + (function.end - function.start), function.name, elf::kFunction,
                 elf::kGlobal});
  }
  table.arrange();
}

void GoSymbols::frames(std::uint64_t address, const Frame& function, elf::FrameDetails details,
                       std::vector<Frame>& frames) {
  frames.assign(1, function);
  const auto calls = table_.calls(address, details.inlines);
  if (calls.empty()) return;
  frames.assign(calls.size(), function);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (details.lines) frames[i].source = calls[i].file, frames[i].line = calls[i].line;
    if (i + 1 == calls.size()) break;
    frames[i].function = calls[i].function;
    frames[i].inlined = frames[i].function != function.function;
  }
}

}  // namespace evname::go
