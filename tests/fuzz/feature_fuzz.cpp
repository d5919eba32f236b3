// The content of one feature. First byte: its number; second: the byte order.

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/format/features.hpp"
#include "recordings/format/perf_rules.hpp"

namespace evname::fuzz::feature_target {

FUZZ_TARGET(feature, data, size) {
  if (size < 2) return 0;
  const std::endian order = data[1] & 1 ? std::endian::big : std::endian::little;
  evname::perfdata::Features features;
  evname::perfdata::Warnings warnings;
  evname::perfdata::decode_feature(data[0], {data + 2, size - 2}, order, 0, features, warnings);
  const evname::perfdata::PerfReader reader{order, features.cpus_available, features.cpus_online};
  evname::perfdata::why_perf_refuses(evname::perfdata::Feature{data[0]}, {data + 2, size - 2},
                                     reader);
  evname::perfdata::architecture(features, data[1] & 1);
  return 0;
}

}  // namespace evname::fuzz::feature_target
