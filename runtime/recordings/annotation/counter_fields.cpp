// Writes counts in samples: of branches, from the CPU's branch stack, and of events.

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "recordings/annotation/fields.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {
namespace {

// evlist__new_abbr_name of tools/perf/util/evlist.c.
std::string letter_of(std::size_t index) {
  if (index >= 26 * 11) return "NA";
  std::string letter(1, static_cast<char>('A' + index % 26));
  if (index >= 26) letter += static_cast<char>('0' + index / 26 - 1);
  return letter;
}

/// The widths of counters by PMU; "" has the first known width.
std::map<std::string_view, unsigned> widths_of(const perf_format::Features& features) {
  std::map<std::string_view, unsigned> widths;
  for (const perf_format::PmuCaps& caps : features.caps)
    for (const auto& [name, value] : caps.values) {
      unsigned bits = 0;
      if (name != "branch_counter_width") continue;
      std::from_chars(value.data(), value.data() + value.size(), bits);
      if (bits < 1 || bits > 64) continue;
      widths.try_emplace(caps.pmu, bits);
      widths.try_emplace("", bits);
    }
  return widths;
}

/// Returns the group of each event; events with common counters have the same number.
std::vector<std::uint32_t> groups_of(const Recording& file) {
  std::vector<std::uint32_t> groups(file.events().size());
  std::iota(groups.begin(), groups.end(), 0u);
  std::size_t next = 0;
  for (const perf_format::GroupDesc& group : perf_data::features_of(file).groups) {
    if (group.leader < next || group.leader >= groups.size()) continue;
    next = std::min<std::size_t>(group.leader + std::size_t{group.members}, groups.size());
    std::fill(groups.begin() + group.leader, groups.begin() + static_cast<std::ptrdiff_t>(next),
              group.leader);
  }
  return groups;
}

/// Calls each(counter, count, saturated) for the counters of a branch.
template <class Each>
void for_each_count(const BranchCounters& counters, std::size_t attr, std::uint64_t word,
                    Each&& each) {
  const unsigned width = counters.widths[attr];
  const std::uint64_t most = width < 64 ? (std::uint64_t{1} << width) - 1 : UINT64_MAX;
  unsigned from = 0;
  for (const BranchCounters::Counter& counter : counters.groups[counters.group_of[attr]]) {
    if (from >= 64) return;
    const std::uint64_t count = word >> from & most;
    each(counter, count, count == most);
    from += width;
  }
}

void write_letters(const BranchCounters& counters, std::size_t attr, std::uint64_t word,
                   Output& out) {
  constexpr std::uint64_t kMost = 15;  // letters, instead of a number and a letter
  if (counters.widths[attr] == 0) {
    out.text("0x");
    return out.hex(word);
  }
  const std::size_t start = out.size();
  for_each_count(counters, attr, word, [&](const auto& counter, std::uint64_t count, bool full) {
    if (count > kMost) out.decimal(count);
    for (std::uint64_t i = 0; i < (count > kMost ? 1 : count); ++i) out.text(counter.letter);
    if (full) out.put('+');
  });
  if (out.size() == start) out.put('-');
}

void write_counts(const BranchCounters& counters, std::size_t attr, std::uint64_t word,
                  ValueWriter& out) {
  if (counters.widths[attr] == 0) return out.hex(word);
  char before = '{';
  for_each_count(counters, attr, word, [&](const auto& counter, std::uint64_t count, bool) {
    out.out().put(std::exchange(before, ','));
    out.out().json(counter.event);
    out.out().put(':');
    out.out().decimal(count);
  });
  out.out().text(before == '{' ? "{}" : "}");
}

}  // namespace

// annotation_br_cntr_abbr_list of tools/perf/util/annotate.c. An event of the same name has the
// same letter.
BranchCounters::BranchCounters(const Recording& file, bool printable) {
  const auto& attrs = detail::state_of(file).file.events.list();
  const auto counts = [&](std::size_t attr) {
    return (attrs[attr].attr.branch_sample_type & perf_format::kBranchCounters) != 0;
  };
  constexpr std::size_t kMost = 64;  // that have a bit each
  group_of = groups_of(file);
  groups.resize(attrs.size());
  const auto known = widths_of(perf_data::features_of(file));
  std::unordered_map<std::string, std::string> letters;
  std::vector<perf_data::DistinctNames> names(attrs.size());
  for (const RecordedEvent& event : file.events()) {
    const auto width = known.find(known.contains(event.pmu) ? std::string_view(event.pmu) : "");
    widths.push_back(width == known.end() ? 0 : width->second);
    if (!counts(event.attr)) continue;
    std::string name = event.recorded_name;
    if (printable) make_printable(name);
    const auto letter = letters.try_emplace(name, letter_of(letters.size())).first;
    list += fmt::format("# {} = {}\n", name, letter->second);
    const std::uint32_t group = group_of[event.attr];
    if (auto& own = groups[group]; own.size() < kMost)
      own.push_back({names[group].of(name), letter->second});
  }
  if (list.empty()) return;
  list = "# Branch counter abbr list:\n" + list +
         "# '-' No event occurs\n"
         "# '+' Event occurrences may be lost due to branch counter saturated\n";
}

void write_branch_counters_text(const Sample& sample, const BranchCounters& counters, Output& out) {
  const SampleWords words = sample.branch_counters();
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.put(i == 0 ? ' ' : '/');
    write_letters(counters, sample.event().attr, words[i], out);
  }
  if (!words.empty()) out.put(' ');
}

void write_counts_of_branch(const Sample& sample, std::size_t branch,
                            const BranchCounters& counters, Output& out) {
  const SampleWords words = sample.branch_counters();
  if (branch < words.size()) write_letters(counters, sample.event().attr, words[branch], out);
}

void write_branch_counters_value(const Sample& sample, const BranchCounters& counters,
                                 ValueWriter& out) {
  if (!detail::record_of(sample).event->branch_counters) return out.absent();
  const SampleWords words = sample.branch_counters();
  out.begin_list();
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.next_item();
    out.json() ? write_counts(counters, sample.event().attr, words[i], out)
               : write_letters(counters, sample.event().attr, words[i], out.out());
  }
  out.end_list();
}

// Values of events. Layout: the comment on PERF_FORMAT_* in include/uapi/linux/perf_event.h.

namespace {

/// Calls each(name, value) for the values, then for the times.
template <class Each>
void for_each_value(const Sample& sample, const FieldContext& context, Each&& each) {
  using namespace perf_format;
  const SampleRecord& record = detail::record_of(sample);
  const std::uint64_t format = record.event->attr.read_format;
  Cursor in(record.read, context.big_endian ? std::endian::big : std::endian::little);
  const bool is_group = format & kReadGroup;
  const std::uint64_t first = in.u64(), count = is_group ? first : 1;
  const std::uint64_t enabled = format & kReadTimeEnabled ? in.u64() : 0;
  const std::uint64_t running = format & kReadTimeRunning ? in.u64() : 0;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t value = is_group ? in.u64() : first;
    const Event* event = record.event;
    const std::uint64_t id = format & kReadId ? in.u64() : record.id;
    if (format & kReadLost) in.skip(8);
    if (!in.ok()) return;
    if (format & kReadId) event = context.events->of_id(id);
    each(event ? context.full_names[context.events->index_of(*event)] : fmt::format("id {}", id),
         value);
  }
  if (!in.ok()) return;
  if (format & kReadTimeEnabled) each("time_enabled", enabled);
  if (format & kReadTimeRunning) each("time_running", running);
}

}  // namespace

void write_read_text(const Sample& sample, const FieldContext& context, Output& out) {
  for_each_value(sample, context, [&](std::string_view name, std::uint64_t value) {
    out.put(' ');
    out.text(name);
    out.put('=');
    out.decimal(value);
  });
}

void write_read_value(const Sample& sample, const FieldContext& context, ValueWriter& out) {
  perf_data::DistinctNames names;
  out.begin_pairs();
  for_each_value(sample, context, [&](std::string_view name, std::uint64_t value) {
    out.next_pair(names.of(name));
    out.number(value);
  });
  out.end_pairs();
}

}  // namespace evname::annotation
