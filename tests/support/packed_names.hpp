#pragma once
// Names as `evname pack` writes them: a program with an inlined call, a package with a file inside,
// and that file.

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "recordings/symbols/packed_names.hpp"

namespace evname::symbols {

/// A function with an inlined call at one place, a function alone at another, and a file inside.
inline std::string packed_program() {
  const CollectedFile program{
      .identity = {"program\0x", 9},
      .places = {{0x10, {{.function = "whole", .offset = 0x10, .address = 0x401010}}},
                 {0x18,
                  {{.function = "inner",
                    .offset = 8,
                    .address = 0x401018,
                    .source = "/a.c",
                    .line = 7,
                    .has_debug_info = true,
                    .inlined = true},
                   {.function = "outer",
                    .offset = 8,
                    .address = 0x401018,
                    .source = "/b.c",
                    .line = 70'000,
                    .has_debug_info = true}}}},
      .jitdump = "the dump"};
  const CollectedFile package{.identity = "package",
                              .inner = {{0x3000, {"a.apk!/lib.so", 0x2000, 0x5000, 0x1000}}}};
  const CollectedFile inside{
      .identity = "inside", .build_id = {1, 2, 3}, .places = {{5, {{.function = "f"}}}}};
  const CollectedFile files[] = {program, package, inside};
  return pack_names(files);
}

/// The same without its packing, so that each byte can be another one.
inline std::string plain(std::string_view packed) {
  const auto body = unpacked(packed);
  ByteWriter out(std::endian::little);
  out.u32(1);
  out.u32(0);
  out.u64(body.value().size());
  out.raw(Bytes(*body));
  return out.bytes();
}

/// Asks for everything that packed_program() may have.
inline void ask(const PackedNames& names) {
  for (const std::string& identity :
       {std::string("program\0x", 9), std::string("package"), std::string("inside")})
    if (const PackedFile* const file = names.file(identity)) {
      std::vector<Frame> frames;
      for (std::uint64_t place = 0; place < 0x20; ++place) {
        file->frames(place, frames);
        file->function(place);
      }
      file->inner(0x3000);
    }
}

}  // namespace evname::symbols
