// Reads a real pipe as it comes; the 16-byte header is added. Damage is skipped in inputs of odd
// size, and half of these are written with names first.

#include <fcntl.h>

#include "evname/annotate.hpp"
#include "evname/rewrite.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::pipe_target {

FUZZ_TARGET(pipe, data, size) {
  constexpr std::size_t kPipe = 1 << 20;
  int ends[2];
  if (size > kPipe - 16 || ::pipe(ends) != 0) return 0;
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipe);
  const std::string_view header("PERFILE2\x10\0\0\0\0\0\0\0", 16);
  const bool written =
      ::write(ends[1], header.data(), header.size()) == static_cast<ssize_t>(header.size()) &&
      (size == 0 || ::write(ends[1], data, size) == static_cast<ssize_t>(size));
  ::close(ends[1]);
  if (written) {
    const auto file = evname::Recording::open("/proc/self/fd/" + std::to_string(ends[0]));
    static const evname::fuzz::FileTree kOutput({});
    for (int i = 0; file && i < 2; ++i) {  // which has been read by the second time
      if (size % 4 == 3) (void)evname::inject(*file, kOutput.path("named"));
      (void)evname::annotate(*file,
                             {.format = evname::Format::jsonl, .pass = {.salvage = size % 2 != 0}},
                             [](std::string_view) { return true; });
    }
  }
  ::close(ends[0]);
  return 0;
}

}  // namespace evname::fuzz::pipe_target
