// A directory that perf record --threads makes. The input is the sizes of data and data.0, their
// content, and the rest is data.2; data.1 is missing.

#include "evname/annotate.hpp"
#include "evname/rewrite.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::directory_target {

FUZZ_TARGET(directory, data, size) {
  static constexpr const char* kFiles[] = {"data", "data.0", "data.2"};
  static fuzz::FileTree tree(kFiles);
  static const fuzz::FileTree kOutput({});
  fuzz::Pieces pieces(data, size);
  const std::size_t sizes[] = {pieces.number<std::uint16_t>(), pieces.number<std::uint16_t>()};
  for (std::size_t i = 0; i < 2; ++i) tree.fill(i, pieces.take(sizes[i]));
  tree.fill(2, pieces.rest());
  const auto file = Recording::open(tree.path());
  if (!file) return 0;
  (void)annotate(*file, {.format = Format::jsonl, .pass = {.salvage = true, .jobs = 1}},
                 [](std::string_view) { return true; });
  (void)extract(*file, {.times = {{0, INT64_MAX}}}, kOutput.path("chosen"), {.pass = {.jobs = 1}});
  (void)inject(*file, kOutput.path("named"));
  for (const char* made : {"chosen", "named"}) std::filesystem::remove_all(kOutput.path(made));
  return 0;
}

}  // namespace evname::fuzz::directory_target
