// The formats of perf2bolt, llvm-profgen and AutoFDO. Each counts a branch stack by the rules of
// its own reader of perf.data.

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "recordings/profiles/branch_profile.hpp"

namespace evname::profiles {
namespace {

constexpr std::uint64_t kMispredicted = 1;  // of the flags

/// Writes a text as fmt::format makes it.
template <class... Values>
void print(Output& out, fmt::format_string<Values...> how, Values&&... values) {
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), how, std::forward<Values>(values)...);
  out.append({text.data(), text.size()});
}

/// Returns the counts of one kind, which are next to each other.
std::span<BranchCount> slots_of(std::vector<BranchCount>& all, Counted kind) {
  return std::ranges::equal_range(all, kind, {}, [](const auto& one) { return one.key.counted; });
}

/// Sums by two addresses.
using PairSums = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;

// BOLT: bolt/docs/profiles.md of LLVM has the format, parseBranchSample and parseLBRSample of
// bolt/lib/Profile/DataAggregator.cpp the rules.

constexpr std::uint64_t kKernelBase = 0xffff800000000000, kFirstCode = 4096;

/// Adds the code that ran after a branch with an unknown source: the branch before an operation in
/// SPE, or a branch from where BRBE may not record. Returns false if the end of the code is not
/// known.
bool add_fall_through(std::uint32_t to, std::uint32_t end, BranchCounts& counts) {
  const bool has_both = to != BranchKey::kOutside && end != BranchKey::kNone;
  if (has_both) ++counts[{Counted::fall_through, to, end}];
  return has_both;
}

// adjustAddress of bolt/include/bolt/Profile/DataAggregator.h: a branch of a relocated file that
// comes from the lowest addresses, where no code is, has only a target. In other files perf2bolt
// treats the branch as one from outside.
void add_bolt(const BranchSample& sample, BinaryKind kind, BranchCounts& counts,
              std::uint64_t& outside) {
  const bool kernel = kind == BinaryKind::kernel || kind == BinaryKind::kernel_part;
  std::uint32_t next = BranchKey::kNone;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const BranchEntry entry = sample[i];
    if (!kernel && (entry.from >= kKernelBase || entry.to >= kKernelBase)) {
      ++outside;
      continue;
    }
    const std::uint32_t from = sample.places.of(entry.from), to = sample.places.of(entry.to);
    // Code that runs outside of the file, or leads there, has no second end.
    const std::uint32_t end =
        to == BranchKey::kOutside ? BranchKey::kNone : std::exchange(next, BranchKey::kNone);
    next = from == BranchKey::kOutside ? BranchKey::kNone : from;
    if (kind == BinaryKind::relocated && entry.from < kFirstCode) {
      if (!add_fall_through(to, end, counts)) ++outside;
      continue;
    }
    if (from == BranchKey::kOutside && to == BranchKey::kOutside) {
      ++outside;
      continue;
    }
    ++counts[{Counted::trace, from, to, end}];
    if (entry.flags & kMispredicted) ++counts[{Counted::mispredicted, from, to}];
  }
}

/// Returns the address of a place; 0 if it is outside.
std::uint64_t address_of(std::uint32_t place, std::uint64_t begin) {
  return place == BranchKey::kOutside ? 0 : begin + place - 1;
}

// A trace has no count of mispredictions; the counts of branches with the same ends have it,
// including branches without a trace.
void write_bolt_branches(BranchTotals& totals, std::uint64_t begin, Output& out) {
  const auto traces = slots_of(totals.counts, Counted::trace);
  const auto mispredicted = slots_of(totals.counts, Counted::mispredicted);
  auto missed = mispredicted.begin();
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const BranchKey& key = traces[i].key;
    const bool has_end = key.third != BranchKey::kNone;
    const std::uint64_t from = address_of(key.first, begin), to = address_of(key.second, begin);
    if (has_end)
      print(out, "T {:x} {:x} {:x} {}\n", from, to, address_of(key.third, begin), traces[i].count);
    const bool is_last = i + 1 == traces.size() || traces[i + 1].key.first != key.first ||
                         traces[i + 1].key.second != key.second;
    if (!is_last) continue;
    const auto ends = [](const BranchKey& one) { return std::pair(one.first, one.second); };
    const bool is_missed = missed != mispredicted.end() && ends(missed->key) == ends(key);
    const std::uint64_t misses = is_missed ? (missed++)->count : 0;
    if (has_end && misses == 0) continue;
    print(out, "B {:x} {:x} {} {}\n", from, to, has_end ? 0 : traces[i].count, misses);
  }
}

void write_bolt_fall_throughs(BranchTotals& totals, std::uint64_t begin, Output& out) {
  for (const auto& slot : slots_of(totals.counts, Counted::fall_through))
    print(out, "F {:x} {:x} {}\n", address_of(slot.key.first, begin),
          address_of(slot.key.second, begin), slot.count);
}

void write_bolt(BranchTotals& totals, Output& out) {
  const std::uint64_t begin = totals.binary.code_begin();
  if (!totals.options.plain) {
    write_bolt_fall_throughs(totals, begin, out);
    return write_bolt_branches(totals, begin, out);
  }
  std::set<std::string> names;
  for (const Recording& file : totals.files)
    for (const RecordedEvent& event : file.events()) names.insert(event.recorded_name);
  for (const std::string& name : names)
    if (name.find_first_of(" \n") == name.npos) print(out, "E {}:\n", name);
  for (const auto& slot : slots_of(totals.counts, Counted::sample))
    print(out, "S {:x} {}\n", address_of(slot.key.first, begin), slot.count);
}

// llvm-profgen: extractLBRStack, computeCounterFromLBR and writeUnsymbolizedProfile of
// llvm/tools/llvm-profgen/PerfReader.cpp.

void add_profgen(const BranchSample& sample, BinaryKind /*kind*/, BranchCounts& counts,
                 std::uint64_t& outside) {
  std::uint32_t next = BranchKey::kNone;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const BranchEntry entry = sample[i];
    const std::uint32_t from = sample.places.of(entry.from), to = sample.places.of(entry.to);
    if (from == BranchKey::kOutside && to == BranchKey::kOutside) {
      ++outside;
      continue;
    }
    if (to != BranchKey::kOutside) ++counts[{Counted::trace, from, to, next}];
    next = from == BranchKey::kOutside ? BranchKey::kNone : from;
  }
}

void write_pairs(const PairSums& pairs, std::string_view between, std::uint64_t base, Output& out) {
  print(out, "{}\n", pairs.size());
  for (const auto& [pair, count] : pairs)
    print(out, "{:x}{}{:x}:{}\n", pair.first - base, between, pair.second - base, count);
}

/// Returns true unless an instruction between the addresses leads away, as in damaged stacks.
bool is_range(const TargetBinary& binary, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kMost = 1 << 20;  // longer ranges are not decoded
  return runs_through(binary.code(begin, std::min(end, begin + kMost)), binary.machine);
}

void write_profgen(BranchTotals& totals, Output& out) {
  constexpr std::uint64_t kPage = 4096, kExternal = 1;  // llvm-profgen's own
  const std::uint64_t begin = totals.binary.code_begin();
  PairSums ranges, branches;
  for (const auto& slot : slots_of(totals.counts, Counted::trace)) {
    const std::uint64_t to = address_of(slot.key.second, begin);
    const bool is_inside = slot.key.first != BranchKey::kOutside;
    branches[{is_inside ? address_of(slot.key.first, begin) : kExternal, to}] += slot.count;
    if (slot.key.third == BranchKey::kNone || slot.key.third < slot.key.second) continue;
    const std::uint64_t end = address_of(slot.key.third, begin);
    if (is_range(totals.binary, to, end)) ranges[{to, end}] += slot.count;
  }
  const std::uint64_t base = begin - begin % kPage;
  write_pairs(ranges, "-", base, out);
  write_pairs(branches, "->", base, out);
}

// AutoFDO: PerfDataSampleReader::Append and TextSampleReaderWriter::Write of sample_reader.cc.

bool is_wrong_path(const BranchEntry& entry) { return (entry.flags >> 24 & 3) == 1; }

/// Returns the offset of an address in its file as a place; 0 outside of all files.
std::uint64_t offset_anywhere(const BranchSample& sample, std::uint64_t address) {
  const std::uint32_t place = sample.places.of(address);
  if (place != BranchKey::kOutside) return place;
  const auto mapping = sample.sample.mapping({address, address >= kKernelBase});
  return mapping && !mapping->kernel ? address - mapping->start + mapping->offset + 1 : 0;
}

/// Returns true for a newest branch that was recorded twice.
bool is_repeated(const BranchEntry& newest, const BranchEntry& entry) {
  constexpr std::uint64_t kLongestStep = 0x1000;
  return newest.from == entry.from && newest.to == entry.to &&
         newest.from - newest.to > kLongestStep;
}

void add_autofdo(const BranchSample& sample, BinaryKind /*kind*/, BranchCounts& counts,
                 std::uint64_t& outside) {
  constexpr std::uint64_t kLongestRange = 1 << 20;
  std::size_t first = 0;
  while (first < sample.size() && is_wrong_path(sample[first])) ++first;
  for (std::size_t i = first; i < sample.size(); ++i) {
    const BranchEntry entry = sample[i];
    const std::uint32_t from = sample.places.of(entry.from), to = sample.places.of(entry.to);
    if (to == BranchKey::kOutside) {
      ++outside;
      continue;
    }
    if (i > first) {
      if (is_wrong_path(entry)) continue;
      if (i == 1 && is_repeated(sample[0], entry)) continue;
      const std::uint64_t end = offset_anywhere(sample, sample[i - 1].from);
      if (end < to || end - to > kLongestRange) continue;
      ++counts[{Counted::range, to, static_cast<std::uint32_t>(end)}];
    }
    if (from != BranchKey::kOutside) ++counts[{Counted::branch, from, to}];
  }
}

void write_autofdo(BranchTotals& totals, Output& out) {
  const auto list = [&](Counted kind, std::string_view between) {
    const auto slots = slots_of(totals.counts, kind);
    print(out, "{}\n", slots.size());
    for (const auto& [key, count] : slots)
      if (kind == Counted::sample)
        print(out, "{:x}:{}\n", key.first - 1, count);
      else
        print(out, "{:x}{}{:x}:{}\n", key.first - 1, between, key.second - 1, count);
  };
  list(Counted::range, "-");
  list(Counted::sample, "");
  list(Counted::branch, "->");
}

}  // namespace

const BranchRules kBoltRules = {add_bolt, write_bolt};
const BranchRules kProfgenRules = {add_profgen, write_profgen, false, false, false, true};
const BranchRules kAutofdoRules = {add_autofdo, write_autofdo, true, true, true};

}  // namespace evname::profiles
