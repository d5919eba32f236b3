#include "recordings/elf/made_image.hpp"

#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "base/read_file.hpp"

namespace evname::elf {
namespace {

/// Adds a section, whose content must stay until the file is written.
bool add_section(Elf* elf, std::size_t name, Elf64_Word type, Bytes content) {
  Elf_Scn* const section = elf_newscn(elf);
  Elf_Data* const data = section ? elf_newdata(section) : nullptr;
  GElf_Shdr header;
  if (!data || !gelf_getshdr(section, &header)) return false;
  data->d_buf = const_cast<std::uint8_t*>(content.data());
  data->d_size = content.size();
  data->d_type = ELF_T_BYTE;
  data->d_align = 1;
  header.sh_name = static_cast<Elf64_Word>(name);
  header.sh_type = type;
  return gelf_update_shdr(section, &header) != 0;
}

bool fill(Elf* elf, const GElf_Ehdr& like, std::span<const GElf_Phdr> segments,
          std::span<const MadeSection> sections, std::string& names) {
  GElf_Ehdr header;
  if (!gelf_newehdr(elf, like.e_ident[EI_CLASS]) || !gelf_getehdr(elf, &header)) return false;
  header.e_ident[EI_DATA] = like.e_ident[EI_DATA];
  header.e_type = like.e_type;
  header.e_machine = like.e_machine;
  header.e_version = EV_CURRENT;
  header.e_shstrndx = static_cast<GElf_Half>(sections.size() + 1);
  if (!gelf_update_ehdr(elf, &header)) return false;
  if (!segments.empty() && !gelf_newphdr(elf, segments.size())) return false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    GElf_Phdr segment = segments[i];
    if (!gelf_update_phdr(elf, static_cast<int>(i), &segment)) return false;
  }
  for (const MadeSection& section : sections) {
    const std::size_t name = names.size();
    names.append(section.name).append(1, '\0');
    if (!add_section(elf, name, SHT_PROGBITS, section.content)) return false;
  }
  const std::size_t own = names.size();
  names.append(".shstrtab").append(1, '\0');
  const Bytes texts{reinterpret_cast<const std::uint8_t*>(names.data()), names.size()};
  return add_section(elf, own, SHT_STRTAB, texts) && elf_update(elf, ELF_C_WRITE) > 0;
}

}  // namespace

std::vector<std::uint8_t> make_elf(const GElf_Ehdr& like, std::span<const GElf_Phdr> segments,
                                   std::span<const MadeSection> sections) {
  const Descriptor file(::memfd_create("image", MFD_CLOEXEC));
  Elf* const elf = file.get() < 0 ? nullptr : elf_begin(file.get(), ELF_C_WRITE, nullptr);
  if (!elf) return {};
  std::string names(1, '\0');
  const bool done = fill(elf, like, segments, sections, names);
  elf_end(elf);
  const off_t size = done ? ::lseek(file.get(), 0, SEEK_END) : 0;
  std::vector<std::uint8_t> out(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (::pread(file.get(), out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) return {};
  return out;
}

}  // namespace evname::elf
