// An event text of libpfm4, which is encoded with each interface; its fully qualified form must
// have the same words.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "events/pfm4/encode_name.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::pfm4_target {

FUZZ_TARGET(pfm4, data, size) {
  using namespace evname::pfm4;
  static const std::vector<std::uint16_t> all = [] {
    std::vector<std::uint16_t> out(dictionary().pmus.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint16_t>(i);
    return out;
  }();
  const Scope scope{all, true};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Encoded found;
  find(scope, text, found);
  for (const Os os : {Os::none, Os::perf_event, Os::perf_event_ext}) {
    Encoded out;
    if (encode(scope, text, kUser | kKernel, os, out) != pfm4::Error::none || os != Os::none)
      continue;
    if (std::strlen(out.text) + 1 == sizeof out.text) continue;  // cut off
    if (out.pmu->type != PmuType::core || out.pmu->layout != Layout::intel) continue;
    const std::string pmu = std::string(dictionary().text(out.pmu->name)) + "::";
    Encoded again, third;
    if (encode(scope, pmu + out.text, kUser | kKernel, os, again) != pfm4::Error::none) continue;
    if (!std::ranges::equal(again.codes, out.codes)) std::abort();
    // A mask that unites others is printed by its own name if it is a default, and by theirs if it
    // is asked for, as by libpfm4: the text of a full text is the same again.
    if (std::strlen(again.text) + 1 == sizeof again.text) continue;
    const pfm4::Error error = encode(scope, pmu + again.text, kUser | kKernel, os, third);
    if (error == pfm4::Error::none && std::strcmp(third.text, again.text) != 0) std::abort();
  }
  return 0;
}

}  // namespace evname::fuzz::pfm4_target
