// SampleFilter.

#include <algorithm>

#include "base/text.hpp"
#include "evname/annotate.hpp"

namespace evname {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

// "12", "12.5", "12.000000001": digits beyond nanoseconds are refused.
std::optional<std::uint64_t> parse_seconds(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = parse_decimal(text.substr(0, point));
  if (!whole || *whole > UINT64_MAX / kSecond - 1) return std::nullopt;
  if (point == text.npos) return *whole * kSecond;
  std::string fraction(text.substr(point + 1));
  if (fraction.empty() || fraction.size() > 9) return std::nullopt;
  fraction.resize(9, '0');
  const auto ns = parse_decimal(fraction);
  if (!ns) return std::nullopt;
  return *whole * kSecond + *ns;
}

template <class T, class U>
bool holds(const std::vector<T>& list, const std::optional<U>& value) {
  return list.empty() || (value && std::find(list.begin(), list.end(), *value) != list.end());
}

}  // namespace

Result<void> SampleFilter::set_time(std::string_view text) {
  const auto comma = text.find(',');
  const std::string_view from = trim(text.substr(0, comma));
  const std::string_view to =
      comma == text.npos ? std::string_view{} : trim(text.substr(comma + 1));
  first = last = std::nullopt;
  if (!from.empty()) first = parse_seconds(from);
  if (!to.empty()) last = parse_seconds(to);
  const bool good = comma != text.npos && (from.empty() || first) && (to.empty() || last);
  if (!good || (first && last && *first > *last))
    return fail(Errc::invalid_argument, "a time range is FROM,TO in seconds, either may be missing",
                std::string(text));
  return {};
}

std::vector<bool> SampleFilter::events(const PerfData& file) const {
  std::vector<bool> pass;
  const std::string pattern = to_lower(event);
  for (const RecordedEvent& one : file.events())
    pass.push_back(event.empty() || glob_match(pattern, to_lower(one.name)) ||
                   glob_match(pattern, to_lower(one.full_name())) ||
                   glob_match(pattern, to_lower(one.recorded_name)));
  return pass;
}

bool SampleFilter::accepts(const Sample& sample) const {
  if (!holds(cpus, sample.cpu()) || !holds(pids, sample.pid()) || !holds(tids, sample.tid()))
    return false;
  if (!comms.empty() && std::find(comms.begin(), comms.end(), sample.comm()) == comms.end())
    return false;
  if (!first && !last) return true;
  const auto time = sample.time();
  return time && (!first || *time >= *first) && (!last || *time <= *last);
}

}  // namespace evname
