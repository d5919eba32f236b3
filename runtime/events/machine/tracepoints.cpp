#include "events/machine/tracepoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::machine {
namespace {

/// A '[' alone makes no glob, but has its meaning in one (util/parse-events.c).
bool is_glob(std::string_view text) { return text.find_first_of("*?") != text.npos; }

bool matches(const std::string& part, std::string_view name) {
  return is_glob(part) ? glob_match(part, name) : part == name;
}

/// The entries that a part of a name means: itself, or those that match it.
std::vector<std::string> matching_entries(const std::string& directory, const std::string& part) {
  if (!is_glob(part)) return {part};
  auto names = list_directory(directory);
  std::erase_if(names, [&](const std::string& name) { return !matches(part, name); });
  return names;
}

Result<std::uint64_t> read_id(const std::string& directory) {
  const auto text = read_head(directory + "/id");
  if (!text) return tl::unexpected<Error>(text.error());
  if (const auto id = parse_decimal(trim(*text))) return *id;
  return fail(Errc::corrupt, "not a number", directory + "/id");
}

/// A name spelled out that has no readable id is told; a glob's matches without id are no
/// tracepoints ("enable" and "filter" lie among them).
Result<std::vector<Tracepoint>> in_tracefs(const std::string& root, const std::string& system,
                                           const std::string& event) {
  const std::string events = root + "/events";
  std::vector<Tracepoint> found;
  std::string why;
  for (const std::string& first : matching_entries(events, system))
    for (const std::string& second : matching_entries(events + "/" + first, event)) {
      if (const auto id = read_id(fmt::format("{}/{}/{}", events, first, second)))
        found.push_back({first + ":" + second, *id});
      else
        why = id.error().text();
    }
  if (!found.empty()) return found;
  if (is_glob(system) || is_glob(event)) why.clear();
  if (!is_directory(events)) why = events + ": tracefs is not mounted there, or not for this user";
  return fail(Errc::not_found, fmt::format("no id of tracepoint '{}:{}'", system, event), {}, why);
}

Result<std::vector<Tracepoint>> in_recording(const TracepointSource& source,
                                             const std::string& system, const std::string& event) {
  std::vector<Tracepoint> found;
  for (const auto& [id, name] : source.recorded) {
    const auto colon = name.find(':');
    if (colon == name.npos || !matches(system, name.substr(0, colon)) ||
        !matches(event, name.substr(colon + 1)))
      continue;
    found.push_back({name, id});
  }
  std::sort(found.begin(), found.end(), [](const Tracepoint& a, const Tracepoint& b) {
    return std::tie(a.name, a.id) < std::tie(b.name, b.id);
  });
  if (!found.empty()) return found;
  if (source.recorded.empty())
    return fail(Errc::unsupported,
                fmt::format("the recording does not have the number of tracepoint '{}:{}': it has "
                            "no TRACING_DATA, which perf writes where a tracepoint is recorded",
                            system, event));
  return fail(Errc::not_found,
              fmt::format("no tracepoint '{}:{}' in the recording's TRACING_DATA", system, event));
}

}  // namespace

Result<std::vector<Tracepoint>> find_tracepoints(const detail::MachineState& state,
                                                 const std::string& system,
                                                 const std::string& event) {
  const TracepointSource& source = state.tracepoints;
  if (source.from == TracepointSource::From::recording) return in_recording(source, system, event);
  if (source.from == TracepointSource::From::tracefs)
    return in_tracefs(source.tracefs, system, event);
  return fail(Errc::unsupported,
              fmt::format("'{}:{}' is a tracepoint: only the live machine or a recording knows its "
                          "number",
                          system, event));
}

std::vector<std::string> TracepointIndex::names(const detail::MachineState& state,
                                                std::uint64_t id) const {
  const auto& by_id = by_id_.get([&] {
    auto all = find_tracepoints(state, "*", "*").value_or(std::vector<Tracepoint>());
    std::stable_sort(all.begin(), all.end(),
                     [](const Tracepoint& a, const Tracepoint& b) { return a.id < b.id; });
    return all;
  });
  std::vector<std::string> names;
  auto at = std::lower_bound(by_id.begin(), by_id.end(), id,
                             [](const Tracepoint& a, std::uint64_t b) { return a.id < b; });
  for (; at != by_id.end() && at->id == id; ++at) names.push_back(at->name);
  return names;
}

}  // namespace evname::machine
