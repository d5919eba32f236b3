#include "recordings/profiles/branch_profile.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::profiles {
namespace {

/// The sums over one recording.
struct BranchSums {
  BranchCounts counts;
  SampleTally tally;
  std::uint64_t branches = 0, outside = 0, other_samples = 0, without = 0;
  bool found = false;
  std::uint64_t moved = 0;
  std::set<std::string> other_ids, other_files;
};

/// Reads one recording.
class BranchPass {
 public:
  BranchPass(const PerfData& file, const TargetBinary& binary, const ProfileOptions& options,
             const BranchRules& rules)
      : state_(detail::state_of(file)),
        options_(options),
        rules_(rules),
        kind_(binary.kind),
        places_(binary, options, rules.by_offset, rules.with_symbols),
        selection_(detail::Access::make<Selection>(options.filter, file, nullptr)) {}

  BranchSums run() {
    PassOptions how = options_.pass;
    session::RecordCursor cursor(state_.file, how);
    while (cursor.next_sample()) {
      const Sample sample = detail::sample_at(state_, cursor);
      if (cursor.is_first_of_record() && selection_.accepts(sample)) add(sample, cursor.maps());
    }
    cursor.end();
    sums_.tally = cursor.tally();
    sums_.tally.selected = selected_;
    sums_.found = places_.found();
    sums_.moved = places_.moved();
    sums_.other_ids = places_.other_ids();
    sums_.other_files = places_.other_files();
    return std::move(sums_);
  }

 private:
  void add(const Sample& sample, const session::ProcessMaps& maps) {
    const Places& places = places_.of(maps);
    if (places.list.empty()) {
      ++sums_.other_samples;
      return;
    }
    ++selected_;
    if (options_.plain || rules_.samples_too) add_instruction(sample, places);
    if (options_.plain) return;
    const BranchSample branches{sample.branches(), places, sample};
    if (branches.size() == 0) ++sums_.without;
    sums_.branches += branches.size();
    rules_.add(branches, kind_, sums_.counts, sums_.outside);
  }

  void add_instruction(const Sample& sample, const Places& places) {
    const auto ip = sample.ip();
    const std::uint32_t place = ip ? places.of(*ip) : BranchKey::kOutside;
    if (place != BranchKey::kOutside)
      ++sums_.counts[{Counted::sample, place}];
    else if (options_.plain)
      ++sums_.outside;
  }

  const detail::PerfDataState& state_;
  const ProfileOptions& options_;
  const BranchRules& rules_;
  BinaryKind kind_;
  BinaryPlaces places_;
  Selection selection_;
  BranchSums sums_;
  std::uint64_t selected_ = 0;
};

std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names)
    if (shown++ < kShown) text += (text.empty() ? "" : ", ") + name;
  return text + (names.size() > kShown ? ", …" : "");
}

/// Returns why no sample counts.
Error not_in(const BranchSums& sums, const TargetBinary& binary) {
  if (sums.moved > 0)
    return {Errc::not_found,
            "the recorded file was loaded at other addresses than this one is linked to: it is not "
            "the one that ran",
            binary.path,
            {}};
  if (!sums.other_ids.empty())
    return {Errc::not_found,
            fmt::format("the recorded file of this name has build id {}, this one {}: it is not "
                        "the one that ran",
                        some_of(sums.other_ids), hex_text(binary.build_id)),
            binary.path, "--ignore-build-id takes it all the same"};
  return {Errc::not_found,
          fmt::format("no recording has the file{}",
                      sums.other_files.empty() ? std::string(", or any other")
                                               : "; they have " + some_of(sums.other_files)),
          binary.path, "--recorded-as gives its path there"};
}

Result<void> check_options(std::span<const PerfData> files, const ProfileOptions& options,
                           const BranchRules& rules) {
  if (options.plain && !rules.has_plain)
    return fail(Errc::invalid_argument, "this format needs branch stacks");
  if (options.filter.needs_symbols())
    return fail(Errc::invalid_argument,
                "profiles for compilers can't be filtered by function or file");
  for (const PerfData& file : files)
    if (auto good = options.filter.check(file); !good) return good;
  return {};
}

void add_warnings(const BranchSums& all, ProfileTally& tally) {
  const auto warn = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) tally.warnings.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  warn(all.without, "sample has no branch stack", "samples have no branch stack");
  warn(all.moved, "mapping of the file is not at the addresses that it is linked to: left out",
       "mappings of the file are not at the addresses that it is linked to: left out");
  if (!all.other_ids.empty())
    tally.warnings.push_back(fmt::format(
        "files of the same name with other build ids are left out: {}", some_of(all.other_ids)));
}

void join_sums(BranchSums&& one, BranchSums& all) {
  for (const auto& [key, count] : one.counts) all.counts[key] += count;
  all.branches += one.branches;
  all.outside += one.outside;
  all.other_samples += one.other_samples;
  all.without += one.without;
  all.found |= one.found;
  all.moved += one.moved;
  all.other_ids.merge(one.other_ids);
  all.other_files.merge(one.other_files);
}

}  // namespace

std::vector<BranchCount> sorted(const BranchCounts& counts) {
  std::vector<BranchCount> all;
  all.reserve(counts.size());
  for (const auto& [key, count] : counts) all.push_back({key, count});
  std::ranges::sort(all, {}, &BranchCount::key);
  return all;
}

Result<ProfileTally> export_branches(std::span<const PerfData> files, const ProfileOptions& options,
                                     const BranchRules& rules, Output& out) {
  if (auto good = check_options(files, options, rules); !good) return fail(good);
  const auto binary = TargetBinary::open(options.binary);
  if (!binary) return fail(binary);
  ProfileTally tally;
  tally.files.resize(files.size());
  BranchSums all;
  std::mutex joining;
  parallel_for(files.size(), perf_data::jobs_of(options.pass), [&](std::size_t i) {
    BranchSums one = BranchPass(files[i], *binary, options, rules).run();
    const std::lock_guard lock(joining);
    tally.files[i] = std::move(one.tally);
    tally.samples += tally.files[i].selected;
    join_sums(std::move(one), all);
  });
  if (!all.found || (tally.samples == 0 && all.moved > 0)) return fail(not_in(all, *binary));
  tally.branches = all.branches;
  tally.outside = all.outside;
  tally.other_samples = all.other_samples;
  add_warnings(all, tally);
  if (!options.plain && all.branches == 0)
    return fail(Errc::not_found, "no sample of the file has a branch stack", options.binary,
                rules.has_plain ? "--nl takes the samples themselves" : "");
  BranchTotals totals{sorted(all.counts), *binary, files, options};
  rules.write(totals, out);
  return tally;
}

}  // namespace evname::profiles
