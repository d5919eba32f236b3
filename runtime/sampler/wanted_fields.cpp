#include "sampler/wanted_fields.hpp"

#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "evname/attr.hpp"

namespace evname::sampler {
namespace {

struct WantedField {
  std::string_view name;
  std::uint64_t bits;
};

using namespace perf_format;

constexpr WantedField kWantedFields[] = {
#define EVNAME_SAMPLE_NUMBER(name, NAME, bit, type, sampled, ...) {#name, (sampled)},
#define EVNAME_SAMPLE_LIST(name, NAME, bit, sampled, ...) {#name, (sampled)},
#include "evname/sample_fields.def"
    {"period", kSamplePeriod},
    {"raw", kSampleRaw},
};

const WantedField* find_field(std::string_view name) {
  for (const WantedField& field : kWantedFields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace

Result<void> set_fields(std::string_view names, RecordOptions& options) {
  for (const std::string_view part : split(names, ',')) {
    const std::string_view name = trim(part);
    if (name.empty()) continue;
    const WantedField* const field = find_field(name);
    if (field == nullptr) {
      std::vector<std::string> all;
      for (const WantedField& one : kWantedFields) all.emplace_back(one.name);
      const std::string_view near = nearest_name(name, all);
      return fail(Errc::invalid_argument, fmt::format("samples have no field '{}'", name), {},
                  near.empty() ? fmt::format("fields: {}", fmt::join(all, ", "))
                               : fmt::format("did you mean {}?", near));
    }
    // If two bits give the field, the later one gives more.
    const std::uint64_t bit = std::bit_floor(field->bits);
    if (bit == kSampleBranchStack && options.branches == 0)
      options.branches = perf_format::kBranchAny;
    if (name == "branch_counters") options.branches |= perf_format::kBranchCounters;
    if (bit == kSampleCallchain && options.chains == CallChains::none)
      options.chains = CallChains::frame_pointers;
    else if (bit != kSampleCallchain)
      options.fields |= bit;
  }
  return {};
}

}  // namespace evname::sampler
