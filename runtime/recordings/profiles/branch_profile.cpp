#include "recordings/profiles/branch_profile.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "perf_format/module_name.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::profiles {
namespace {

using session::Dso;
using session::MapList;
using session::MappedRange;
using session::PlacedMap;
using session::ProcessMaps;

constexpr std::size_t kMostNames = 1000;  // that are kept for messages

}  // namespace

/// Returns true if a mapped file is the binary.
bool BinaryPlaces::is_it(const Dso& dso) {
  const auto [at, is_new] = decided_.try_emplace(&dso);
  if (is_new) at->second = decide(dso);
  findings_.found |= at->second;
  return at->second;
}

bool BinaryPlaces::decide(const Dso& dso) {
  if (binary_.kind == BinaryKind::kernel && !symbols::is_kernel_image(dso.name)) return false;
  const bool known = !dso.build_id.empty() && !binary_.build_id.empty();
  if (known && is_same_build_id(dso.build_id, binary_.build_id)) return true;
  const std::string& wanted = options_.recorded_as.empty() ? binary_.path : options_.recorded_as;
  const bool named = binary_.kind == BinaryKind::kernel ||
                     (binary_.kind == BinaryKind::kernel_part
                          ? perf_format::module_name(dso.name) == perf_format::module_name(wanted)
                          : dso.name == wanted || last_part(dso.name) == last_part(wanted));
  if (named && (!known || options_.ignore_build_id)) return true;
  if (named)
    findings_.other_ids.emplace(dso.build_id_text());
  else if (findings_.other_files.size() < kMostNames && !symbols::is_without_file(dso.name))
    findings_.other_files.insert(dso.name);
  return false;
}

// A process has a new list for each file that it maps; most of the list stays the same.
Places BinaryPlaces::find(const ProcessMaps& maps) {
  Places places;
  maps.for_each_piece(is_kernel(), [&](const MapList::Shared& piece) {
    if (pieces_.size() >= kMostPieces) pieces_.clear();
    const auto [at, is_new] = pieces_.try_emplace(piece.get());
    KnownPiece& known = at->second;
    if (is_new) known.piece = piece;
    if (is_new || is_kernel()) known.places = find(*piece, maps);  // the kernel may be relocated
    places.list.insert(places.list.end(), known.places.list.begin(), known.places.list.end());
  });
  return places;
}

Places BinaryPlaces::find(const std::vector<PlacedMap>& piece, const ProcessMaps& maps) {
  Places places;
  for (const PlacedMap& map : piece) {
    const MappedRange range = ProcessMaps::range_of(map);
    if (range.dso && is_it(*range.dso)) add(range, maps.mapping(range).offset, places);
  }
  return places;
}

/// Adds the code that a mapping of the binary shows.
void BinaryPlaces::add(const MappedRange& range, std::uint64_t kernel_text, Places& places) {
  const std::uint64_t begin = binary_.code_begin();
  const Segment* segment = nullptr;
  std::uint64_t moved = 0;  // from an address of the process to an address of the file
  if (binary_.kind == BinaryKind::kernel) {
    segment = binary_.segment_at(binary_.offset_of(begin));
    if (kernel_text != 0) moved = begin - kernel_text;
  } else if (binary_.kind == BinaryKind::kernel_part) {
    segment = binary_.segments.data();
    moved = 0 - range.start;
  } else {
    segment = binary_.segment_at(range.offset);
    if (segment) moved = segment->address - segment->offset + range.offset - range.start;
  }
  if (!segment) return;
  if (binary_.kind == BinaryKind::fixed && moved != 0) {
    ++findings_.moved;
    return;
  }
  const std::uint64_t zero = by_offset_ ? segment->address - segment->offset : begin;
  const std::uint64_t end = segment->address + segment->size;
  if (!with_symbols_) return add_part(range, {segment->address, end}, moved, zero, places);
  for (const CodeRange& code : binary_.with_symbols)
    add_part(range, {std::max(code.begin, segment->address), std::min(code.end, end)}, moved, zero,
             places);
}

/// Adds the part of a mapping that is code of the file. Its pages may also have other parts.
void BinaryPlaces::add_part(const MappedRange& range, CodeRange code, std::uint64_t moved,
                            std::uint64_t zero, Places& places) const {
  if (code.begin >= code.end) return;
  const std::uint64_t first = code.begin - moved;
  const std::uint64_t start = std::max(range.start, first);
  const std::uint64_t end = std::min(range.end, first + (code.end - code.begin));
  if (start < end) places.list.push_back({start, end - start, moved - zero + 1});
}

namespace {

/// The sums over one recording.
struct BranchSums : BinaryPlaces::Findings {
  BranchCounts counts;
  SampleTally tally;
  std::uint64_t branches = 0, outside = 0, other_samples = 0, without = 0;
};

/// Reads one recording.
class BranchPass {
 public:
  BranchPass(const Recording& file, const TargetBinary& binary, const ProfileOptions& options,
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
    static_cast<BinaryPlaces::Findings&>(sums_) = places_.findings();
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

  const detail::RecordingState& state_;
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

Result<void> check_options(std::span<const Recording> files, const ProfileOptions& options,
                           const BranchRules& rules) {
  if (options.plain && !rules.has_plain)
    return fail(Errc::invalid_argument, "this format needs branch stacks");
  if (options.filter.needs_symbols())
    return fail(Errc::invalid_argument,
                "profiles for compilers can't be filtered by function or file");
  for (const Recording& file : files)
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

Result<ProfileTally> export_branches(std::span<const Recording> files,
                                     const ProfileOptions& options, const BranchRules& rules,
                                     Output& out) {
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
  for (const SampleTally& one : tally.files)
    if (auto whole = perf_data::unless_cancelled(one); !whole) return fail(whole);
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
