// Build ids that kernels before 5.12 do not record: which mappings need one, and where it is in ELF
// files and notes. The bytes are laid out by hand after elf(5) and perf.data-file-format.txt.

#include "sampling/build_ids.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "base/file_identity.hpp"
#include "sampling/existing.hpp"
#include "support/temp_dir.hpp"

namespace evname::sampling {
namespace {

using evname::test::TempDir;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string note(std::uint32_t type, std::string_view name, std::string_view id) {
  ByteWriter out(std::endian::native);
  out.u32(static_cast<std::uint32_t>(name.size()));
  out.u32(static_cast<std::uint32_t>(id.size()));
  out.u32(type);
  out.raw(name);
  out.zeros((4 - name.size() % 4) % 4);
  out.raw(id);
  out.zeros((4 - id.size() % 4) % 4);
  return out.bytes();
}

const std::string kGnu("GNU\0", 4);
const std::string kId = "0123456789abcdefghij";

/// An ELF file with one program header, PT_NOTE, of these notes.
std::string elf_file(const std::string& notes, std::uint64_t notes_at) {
  constexpr std::uint64_t kHeader = 64, kProgram = 56;
  constexpr char kOrder = std::endian::native == std::endian::little ? 1 : 2;
  const char ident[16] = {0x7f, 'E', 'L', 'F', 2, kOrder, 1};
  ByteWriter out(std::endian::native);
  out.raw(std::string_view(ident, sizeof ident));
  out.u16(2);   // type
  out.u16(62);  // machine
  out.u32(1);
  out.u64(0);        // entry
  out.u64(kHeader);  // program headers
  out.u64(0);
  out.u32(0);
  out.u16(kHeader);
  out.u16(kProgram);
  out.u16(1);  // of them
  out.zeros(6);
  out.u32(4);  // PT_NOTE
  out.u32(4);
  out.u64(notes_at);
  out.u64(0);
  out.u64(0);
  out.u64(notes.size());
  out.u64(notes.size());
  out.u64(4);
  out.raw(notes);
  return out.bytes();
}

/// A record MMAP2 (10) or another; its name is at 72 or, in MMAP (1), at 40.
std::string mapping(std::uint32_t type, std::uint16_t misc, const std::string& path) {
  ByteWriter out(std::endian::native);
  const std::size_t before = type == 1 ? 40 : 72;
  out.u32(type);
  out.u16(misc);
  out.u16(static_cast<std::uint16_t>(before + path.size() + 8 - path.size() % 8));
  out.zeros(before - 8);
  out.text(path, 8);
  return out.bytes();
}

TEST(BuildIds, NotesAreSearchedForTheIdOfGnu) {
  EXPECT_EQ(build_id_of_notes(bytes_of(note(3, kGnu, kId))), kId);
  EXPECT_EQ(build_id_of_notes(bytes_of(note(1, kGnu, "abcd") + note(3, kGnu, "xy"))), "xy");
  EXPECT_EQ(build_id_of_notes(bytes_of(note(3, "Go\0\0", kId))), "");
  EXPECT_EQ(build_id_of_notes(bytes_of(note(1, kGnu, kId))), "");
  const std::string cut = note(3, kGnu, kId).substr(0, 30);
  EXPECT_EQ(build_id_of_notes(bytes_of(cut)), "");
  EXPECT_EQ(build_id_of_notes({}), "");
}

// Of both sizes that gABI has: the header's 12 bytes and the name are aligned together, and
// `readelf -n` reads them so. x86 has a property of 4 words in front of the id.
TEST(BuildIds, NotesMayBeAlignedTo8Bytes) {
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (const std::uint64_t alignment : {4u, 8u}) {
      const auto padding = [&](std::uint64_t size) {
        return (alignment - size % alignment) % alignment;
      };
      ByteWriter out(order);
      for (const auto& [type, name, content] :
           {std::tuple(5u, std::string("GNU\0", 4), std::string(20, 'p')),
            std::tuple(3u, std::string("Long\0", 5), std::string(8, 'n')),
            std::tuple(3u, std::string("GNU\0", 4), kId)}) {
        for (const std::size_t word : {name.size(), content.size(), std::size_t{type}})
          out.u32(static_cast<std::uint32_t>(word));
        out.raw(name);
        out.zeros(padding(12 + name.size()));
        out.raw(content);
        out.zeros(padding(content.size()));
      }
      EXPECT_EQ(build_id_of_notes(bytes_of(out.bytes()), alignment, order), kId) << alignment;
    }
}

TEST(BuildIds, SizesThatAFileClaimsAreNotTrusted) {
  TempDir folder;
  const auto id_of = [&](const std::string& content) {
    folder.write("file", content);
    return build_id_of_file(folder.path() + "/file");
  };
  const std::string notes = note(3, kGnu, kId);
  EXPECT_EQ(id_of(elf_file(notes, 120)), kId);
  EXPECT_EQ(id_of(elf_file(notes, 1 << 20)), "");
  EXPECT_EQ(id_of(elf_file(notes, ~std::uint64_t{0})), "");
  const std::string whole = elf_file(notes, 120);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(id_of(whole.substr(0, size)), "") << size;
  EXPECT_EQ(build_id_of_file(folder.path() + "/none"), "");
  EXPECT_EQ(build_id_of_file(folder.path()), "");
}

TEST(BuildIds, TheFeatureHasEachMappedFileOnce) {
  TempDir folder;
  const std::string image = elf_file(note(3, kGnu, kId), 120);
  for (const char* name : {"a", "b", "known"}) folder.write(name, image);
  folder.write("text", "no ELF file");
  BuildIds ids;
  const std::string at = folder.path() + "/";
  for (const std::string& record :
       {mapping(10, 2, at + "b"), mapping(10, 2, at + "a"), mapping(1, 2, at + "a"),
        mapping(10, 2, at + "text"), mapping(9, 2, at + "known"), mapping(10, 2, "/proc/self/exe"),
        mapping(10, 2, "//anon"), mapping(10, 2, "[heap]")})
    ids.see(bytes_of(record));
  // Without a size, an id is none.
  ids.see(bytes_of(mapping(10, 2 | 1 << 14, at + "known")));
  ids.see(bytes_of(mapping(10, 2, at + "known")).first(72));
  ids.see({});
  ByteWriter expected(std::endian::native);
  for (const char* name : {"a", "b"}) {
    ByteWriter path(std::endian::native);
    path.text(at + name, 64);
    expected.u32(0);
    expected.u16(2 | 1 << 15);
    expected.u16(static_cast<std::uint16_t>(8 + 4 + 24 + path.size()));
    expected.u32(UINT32_MAX);
    expected.raw(kId);
    expected.u32(std::endian::native == std::endian::little ? 20 : 20U << 24);
    expected.raw(path.bytes());
  }
  EXPECT_EQ(ids.section(), expected.bytes());
  ids.add_kernel("[kernel.kallsyms]_text", kId);
  ids.add_kernel("[nfs]", "");
  ByteWriter kernel(std::endian::native), name(std::endian::native);
  name.text("[kernel.kallsyms]", 64);
  kernel.u32(0);
  kernel.u16(1 | 1 << 15);
  kernel.u16(static_cast<std::uint16_t>(8 + 4 + 24 + name.size()));
  kernel.u32(UINT32_MAX);
  kernel.raw(kId);
  kernel.u32(std::endian::native == std::endian::little ? 20 : 20U << 24);
  kernel.raw(name.bytes());
  EXPECT_EQ(ids.section(), kernel.bytes() + expected.bytes());
  EXPECT_EQ(BuildIds().section(), "");
}

/// A record MMAP2 whose 24 bytes from 40 on are an id with its size, or device and inode.
std::string mapped(std::uint16_t misc, std::uint64_t start, const std::string& what,
                   const std::string& path) {
  std::string out = mapping(10, misc, path);
  std::memcpy(out.data() + 16, &start, sizeof start);
  return out.replace(40, what.size(), what);
}

std::string inode_bytes(std::uint64_t device, std::uint64_t number) {
  ByteWriter out(std::endian::native);
  out.u32(major(device));
  out.u32(minor(device));
  out.u64(number);
  out.u64(0);
  return out.bytes();
}

TEST(BuildIds, AFileIsTheOneThatWasMapped) {
  TempDir folder;
  folder.write("a", elf_file(note(3, kGnu, kId), 120));
  const std::string path = folder.path() + "/a";
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  const auto has = [&](std::uint16_t misc, const std::string& what, const std::string& id) {
    BuildIds ids;
    ids.see(bytes_of(mapped(misc, 0, what, path)));
    return ids.section().find(id) != std::string::npos;
  };
  EXPECT_TRUE(has(2, inode_bytes(info.st_dev, info.st_ino), kId));
  EXPECT_FALSE(has(2, inode_bytes(info.st_dev, info.st_ino + 1), kId));
  BuildIds two;  // one is in a container
  two.see(bytes_of(mapped(2, 0, inode_bytes(info.st_dev, info.st_ino), path)));
  two.see(bytes_of(mapped(2, 0, inode_bytes(info.st_dev, info.st_ino + 1), path)));
  EXPECT_EQ(two.section(), "");
  // The record has the id that the file had when it was mapped.
  const std::string recorded(20, '\x42');
  EXPECT_TRUE(has(2 | 1 << 14, std::string("\x14\0\0\0", 4) + recorded, recorded));
  EXPECT_FALSE(has(2 | 1 << 14, std::string("\x14\0\0\0", 4) + recorded, kId));
}

TEST(BuildIds, OfTheVdso) {
  const std::string id = build_id_of_vdso();
  if (id.empty()) GTEST_SKIP() << "the vdso has no build id";
  for (const std::uint64_t start : {std::uint64_t{0x7ffff7fc0000}, std::uint64_t{0xf7fc0000}}) {
    BuildIds ids;
    ids.see(bytes_of(mapped(2, start, "", "[vdso]")));
    EXPECT_EQ(ids.section().find(id) != std::string::npos, start >> 32 != 0) << start;
  }
}

// The size of an id is one byte: the first of four in either order of bytes (perf_event.h, MMAP2).
TEST(BuildIds, TheKernelsIsInsideItsRecord) {
  const TempDir dir;
  dir.write("proc/kallsyms",
            "0000000000100000 T _stext\n0000000000100000 T _text\n00000000009e1000 T _etext\n");
  dir.write("sys/kernel/notes", note(3, kGnu, kId));
  Roots roots;
  roots.sysfs = dir.path("sys");
  roots.procfs = dir.path("proc");
  MadeRecords how;
  how.roots = &roots;
  std::vector<std::string> records;
  ASSERT_TRUE(kernel_records(how, [&](std::string_view record) { records.emplace_back(record); }));
  ASSERT_FALSE(records.empty());
  const std::string expected = std::string("\x14\0\0\0", 4) + kId;
  EXPECT_EQ(records.front().substr(40, expected.size()), expected);
  EXPECT_EQ(records.front().substr(72, 18), "[kernel.kallsyms]_");
}

}  // namespace
}  // namespace evname::sampling
