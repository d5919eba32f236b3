// The content of one feature. First byte: its number; second: the byte order.

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "perf_format/features.hpp"
#include "perf_format/perf_rules.hpp"

namespace evname::fuzz::feature_target {

FUZZ_TARGET(feature, data, size) {
  if (size < 2) return 0;
  const std::endian order = data[1] & 1 ? std::endian::big : std::endian::little;
  evname::perf_format::Features features;
  evname::perf_format::Warnings warnings;
  evname::perf_format::decode_feature(data[0], {data + 2, size - 2}, order, 0, features, warnings);
  const evname::perf_format::PerfReader reader{order, features.cpus_available,
                                               features.cpus_online};
  evname::perf_format::why_perf_refuses(evname::perf_format::perf_rule_of(data[0]),
                                        {data + 2, size - 2}, reader);
  evname::perf_format::architecture(features, data[1] & 1);
  return 0;
}

}  // namespace evname::fuzz::feature_target
