#include "topdown/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "output/standard.hpp"
#include "topdown/tree_text.hpp"

namespace evname::tools {
namespace {

/// Adds the counts of an interval to the earlier ones. An event that one of them lacks is missing
/// in the sum.
void add_counts(std::vector<EventCount>& sum, const std::vector<EventCount>& counts) {
  for (std::size_t i = 0; i < std::min(sum.size(), counts.size()); ++i) {
    sum[i].value += counts[i].value;
    sum[i].running = std::min(sum[i].running, counts[i].running);
  }
}

}  // namespace

bool TopdownOutput::open() {
  const std::vector<std::string> inputs = options_.inputs();
  if (!options_.html.empty() && !may_replace("--html", options_.html, inputs, options_.stat.force))
    return false;
  if (!options_.stat.output.empty() &&
      !may_replace("-o", options_.stat.output, inputs, options_.stat.force))
    return false;
  if (!options_.html.empty() && !options_.stat.output.empty() &&
      is_same_output(options_.html, options_.stat.output))
    return tell_error("--html and -o name the same file: {}", options_.html);
  StatOptions where = options_.stat;
  where.json = true;  // without the heading of perf stat
  where.openmetrics = false;
  if (where.output.empty() && !options_.is_live()) where.output = "-";
  if (!output_.open(where)) return false;
  if (options_.csv) text_ = tree_csv_heading();
  return true;
}

void TopdownOutput::note_values(const TreeReading& reading) {
  const bool all_asked = options_.level > 0 || !options_.nodes.empty();
  for (const std::size_t i : reading.choice->nodes) {
    const bool has = reading.nodes[i].has_value();
    has_values_ |= has;
    lacks_values_ |= !has && (all_asked || reading.node(i).level == 1);
  }
}

void TopdownOutput::sum_up(const ChosenTree& chosen, const TreeReading& reading) {
  const auto is_same = [&](const Sum& sum) {
    return sum.chosen == &chosen && sum.place == reading.place;
  };
  const auto at = std::ranges::find_if(sums_, is_same);
  if (at == sums_.end()) {
    sums_.push_back({&chosen, reading.place, reading, 1});
    return;
  }
  add_counts(at->reading.counts, reading.counts);
  at->reading.seconds += reading.seconds;
  ++at->intervals;
}

void TopdownOutput::add(const ChosenTree& chosen, const TreeReading& reading) {
  note_values(reading);
  if (!options_.html.empty())
    page_.add(chosen, reading);
  else if (options_.json)
    add_tree_json(reading, text_);
  else if (options_.csv)
    add_tree_csv(reading, text_);
  else
    text_ += (std::exchange(is_first_, false) ? "" : "\n") +
             tree_text(machine_, reading, options_, !reading.time);
  if (reading.time && (options_.as_text() || !options_.html.empty())) sum_up(chosen, reading);
  write(options_.is_live());
}

/// The tree over all intervals.
void TopdownOutput::add_sums() {
  for (Sum& sum : sums_) {
    const std::vector<EventCount> counts = sum.reading.counts;
    const RunCounts run{counts, 0};
    sum.chosen->evaluate(std::span(&run, 1), sum.reading);
    sum.reading.time.reset();
    if (!options_.html.empty()) {
      page_.add(*sum.chosen, sum.reading);
    } else if (sum.intervals == 1) {
      text_ += tree_advice(machine_, sum.reading, options_);
    } else {
      text_ += fmt::format("\nall {}:\n", counted(sum.intervals, "interval", "intervals")) +
               tree_text(machine_, sum.reading, options_, true);
    }
  }
}

void TopdownOutput::write(bool all) {
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  if (text_.empty() || (!all && text_.size() < kChunk)) return;
  output_.write(text_);
  text_.clear();
}

bool TopdownOutput::finish() {
  add_sums();
  write(true);
  const bool written = output_.finish();
  if (options_.html.empty()) return written;
  return write_output(options_.html, page_.text(), options_.inputs()) && written;
}

}  // namespace evname::tools
