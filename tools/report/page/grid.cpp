#include "report/page/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/sorting.hpp"

namespace evname::tools {
namespace {

// Longer texts are shortened to their beginning and end: some C++ names have many thousand letters.
constexpr std::size_t kLongestText = 4000, kEndOfText = 1000;

bool is_inside_letter(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  std::size_t head = kLongestText - kEndOfText, tail = text.size() - kEndOfText;
  while (head > 0 && is_inside_letter(text, head)) --head;
  while (tail < text.size() && is_inside_letter(text, tail)) ++tail;
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
}

class GridPacker {
 public:
  GridPacker(PageJson& json, const report::SampleGrid& grid, std::size_t events,
             const PageTexts& texts)
      : json_(json), grid_(grid), each_(equal_periods(grid, events)) {
    for (const std::string& text : grid.texts) numbers_.push_back(texts.find(text) + 1);
  }

  void write() {
    json_.key("first").text(fmt::format("{}", grid_.first));  // beyond JavaScript's numbers
    json_.key("width").number(grid_.fine_width);
    json_.key("stack_width").number(grid_.width);
    json_.key("cut").number(grid_.cut);
    json_.key("folded_threads").number(grid_.folded_threads);
    json_.key("each").each(each_, [&](const std::optional<std::uint64_t>& period) {
      if (period)
        json_.number(*period);
      else
        json_.null();
    });
    json_.key("threads").each(grid_.threads, [&](const report::SampleGrid::Thread& thread) {
      json_.begin_array();
      json_.text(thread.comm);
      json_.integer(thread.pid);
      json_.integer(thread.tid);
      json_.end_array();
    });
    packed("frames", &GridPacker::add_frames);
    packed("nodes", &GridPacker::add_nodes);
    packed("tracks", &GridPacker::add_tracks);
    packed("cells", &GridPacker::add_cells);
    packed("counts", &GridPacker::add_counts);
    packed("hidden", &GridPacker::add_hidden);
    packed("losses", &GridPacker::add_losses);
    if (grid_.functions.empty()) return;
    json_.key("function_width").number(grid_.function_width);
    packed("functions", &GridPacker::add_functions);
  }

 private:
  void packed(std::string_view key, void (GridPacker::*add)(PackedNumbers&) const) {
    write_packed(json_, key, [&](PackedNumbers& out) { (this->*add)(out); });
  }
  /// Returns the number of a text from 1; 0 stands for none.
  std::uint32_t number(std::uint32_t text) const {
    return text == report::SampleGrid::kNone ? 0 : numbers_[text];
  }
  void add_frames(PackedNumbers& out) const {
    for (const report::SampleGrid::Frame& frame : grid_.frames) {
      out.add(static_cast<std::uint64_t>(frame.kind));
      out.add(number(frame.name));
      out.add(number(frame.dso));
      out.add(number(frame.source));
    }
  }
  /// Writes for each node the number of levels from the previous node up to its parent, and its
  /// frame.
  void add_nodes(PackedNumbers& out) const {
    std::vector<std::uint32_t> depth(grid_.nodes.size());
    for (std::size_t i = 0; i < grid_.nodes.size(); ++i) {
      const report::SampleGrid::Node& node = grid_.nodes[i];
      if (i > 0) {
        depth[i] = depth[node.parent] + 1;
        out.add(depth[i - 1] - depth[node.parent]);
      }
      out.add(node.frame);
    }
  }
  void add_tracks(PackedNumbers& out) const {
    const auto add = [&](std::uint32_t value) {  // 0: not sampled; 1: others
      out.add(value == report::SampleGrid::kNone     ? 0
              : value == report::SampleGrid::kOthers ? 1
                                                     : value + 2u);
    };
    for (const report::SampleGrid::Track& track : grid_.tracks) {
      out.add(track.event);
      add(track.thread);
      add(track.cpu);
    }
  }
  void add_period(PackedNumbers& out, std::uint32_t track, std::uint64_t period) const {
    if (!each_[grid_.tracks[track].event]) out.add(period);
  }
  /// Adds the difference to the previous number; without one, the bins start again.
  static void add_step(PackedNumbers& out, std::uint32_t& before, std::uint32_t now,
                       std::uint32_t& bin) {
    out.add(now - before);
    if (now != before) bin = 0;
    before = now;
  }
  /// Writes for each track its number of cells, and the cells by node and bin.
  void add_cells(PackedNumbers& out) const { add_cells(grid_.cells, out); }
  void add_counts(PackedNumbers& out) const {
    if (!grid_.counts.empty()) add_cells(grid_.counts, out);
  }
  void add_cells(std::span<const report::SampleGrid::Cell> cells, PackedNumbers& out) const {
    for_tracks(cells, out, [&](std::span<const report::SampleGrid::Cell> of_track) {
      std::uint32_t node = 0, bin = 0;
      for (const report::SampleGrid::Cell& one : of_track) {
        add_step(out, node, one.node, bin);
        out.add(std::uint64_t{one.bin - std::exchange(bin, one.bin)} * 2 + (one.samples != 1));
        if (one.samples != 1) out.add(one.samples);
        add_period(out, one.track, one.period);
      }
    });
  }
  void add_hidden(PackedNumbers& out) const { add_hidden(grid_.hidden, out); }
  void add_functions(PackedNumbers& out) const { add_hidden(grid_.functions, out); }
  void add_hidden(std::vector<report::SampleGrid::Hidden> hidden, PackedNumbers& out) const {
    for (report::SampleGrid::Hidden& one : hidden) one.name = number(one.name);
    sort_stably(hidden,
                [](const report::SampleGrid::Hidden& a, const report::SampleGrid::Hidden& b) {
                  if (a.track != b.track) return a.track < b.track;
                  return a.name != b.name ? a.name < b.name : a.bin < b.bin;
                });
    for_tracks(hidden, out, [&](std::span<const report::SampleGrid::Hidden> of_track) {
      std::uint32_t name = 0, bin = 0;
      for (const report::SampleGrid::Hidden& one : of_track) {
        add_step(out, name, one.name, bin);
        out.add(one.bin - std::exchange(bin, one.bin));
        out.add(one.samples);
        out.add(one.all_samples);
        add_period(out, one.track, one.period);
        add_period(out, one.track, one.all_period);
      }
    });
  }
  template <class Items, class Each>
  void for_tracks(const Items& items, PackedNumbers& out, Each&& each) const {
    std::size_t at = 0;
    for (std::uint32_t track = 0; track < grid_.tracks.size(); ++track) {
      const std::size_t begin = at;
      while (at < items.size() && items[at].track == track) ++at;
      out.add(at - begin);
      each(std::span(items).subspan(begin, at - begin));
    }
  }
  void add_losses(PackedNumbers& out) const {
    for (const report::SampleGrid::Loss& loss : grid_.losses) {
      out.add(loss.event);
      out.add(loss.bin);
      out.add(loss.lost);
      out.add(loss.throttled);
      out.add(loss.switches);
    }
  }

  PageJson& json_;
  const report::SampleGrid& grid_;
  std::vector<std::uint32_t> numbers_;  ///< by text, from 1
  std::vector<std::optional<std::uint64_t>> each_;
};

/// Returns for each text whether it names a function on the page.
std::vector<bool> kept_names(const report::SampleGrid& grid, std::size_t most_hidden) {
  std::vector<bool> kept(grid.texts.size());
  std::vector<std::uint64_t> samples(grid.texts.size());
  for (const report::SampleGrid::Frame& frame : grid.frames)
    if (frame.name != report::SampleGrid::kNone) kept[frame.name] = true;
  for (const report::SampleGrid::Hidden& one : grid.hidden) samples[one.name] += one.all_samples;
  std::vector<std::uint32_t> order;
  for (std::uint32_t name = 0; name < samples.size(); ++name)
    if (samples[name] > 0 && !kept[name]) order.push_back(name);
  sort_stably(order, [&](auto a, auto b) { return samples[a] > samples[b]; });
  for (std::size_t i = 0; i < std::min(order.size(), most_hidden); ++i) kept[order[i]] = true;
  return kept;
}

}  // namespace

std::vector<std::optional<std::uint64_t>> equal_periods(const report::SampleGrid& grid,
                                                        std::size_t events) {
  std::vector<std::optional<std::uint64_t>> each(events);
  std::vector<bool> differ(events);
  for (const report::SampleGrid::Cell& cell : grid.cells) {
    const std::uint32_t event = grid.tracks[cell.track].event;
    const std::uint64_t one = cell.period / cell.samples;
    if (each[event].value_or(one) != one || one * cell.samples != cell.period) differ[event] = true;
    each[event] = one;
  }
  for (const report::SampleGrid::Hidden& one : grid.hidden) {
    const std::uint32_t event = grid.tracks[one.track].event;
    const std::uint64_t period = each[event].value_or(0);
    if (one.samples * period != one.period || one.all_samples * period != one.all_period)
      differ[event] = true;
  }
  for (std::size_t event = 0; event < events; ++event)
    if (differ[event]) each[event].reset();
  return each;
}

void PageTexts::put_in_order() {
  std::uint32_t next = 0;
  for (auto& [text, number] : numbers_) number = next++;
}

void PageTexts::write(PageJson& json) const {
  std::string common, before;
  PackedNumbers lengths(common);
  json.key("texts").begin_array();
  for (const auto& [whole, number] : numbers_) {
    std::string text = shortened(whole);
    const auto [end, other] = std::ranges::mismatch(before, text);
    // Non-ASCII letters have another length here than in JavaScript.
    const auto is_plain = [](char letter) { return static_cast<unsigned char>(letter) < 0x80; };
    const auto same = static_cast<std::size_t>(
        std::ranges::find_if_not(before.begin(), end, is_plain) - before.begin());
    lengths.add(same);
    json.text(std::string_view(text).substr(same));
    before = std::move(text);
  }
  json.end_array();
  json.key("common").text(common);
}

void prepare_grid(report::SampleGrid& grid, std::size_t most_hidden, PageTexts& texts) {
  std::vector<bool> kept = kept_names(grid, most_hidden);
  std::vector<report::SampleGrid::Hidden> rest;
  for (report::SampleGrid::Hidden& one : grid.hidden) {
    if (kept[one.name]) continue;
    one.name = report::SampleGrid::kNone;
    if (one.samples > 0) rest.push_back(one);
  }
  std::erase_if(grid.hidden, [](const auto& one) { return one.name == report::SampleGrid::kNone; });
  for (const report::SampleGrid::Hidden& one : rest) {
    report::SampleGrid::Hidden* const last = grid.hidden.empty() ? nullptr : &grid.hidden.back();
    const bool same = last && last->name == report::SampleGrid::kNone && last->track == one.track &&
                      last->bin == one.bin;
    if (same)
      last->samples += one.samples, last->period += one.period;
    else
      grid.hidden.push_back({one.track, one.bin, one.name, one.samples, one.period, 0, 0});
  }
  for (const report::SampleGrid::Frame& frame : grid.frames)
    for (const std::uint32_t text : {frame.name, frame.dso, frame.source})
      if (text != report::SampleGrid::kNone) texts.add(grid.texts[text]);
  for (const auto* const list : {&grid.hidden, &grid.functions})
    for (const report::SampleGrid::Hidden& one : *list)
      if (one.name != report::SampleGrid::kNone) texts.add(grid.texts[one.name]);
}

void write_grid(PageJson& json, const report::SampleGrid& grid, std::size_t events,
                const PageTexts& texts) {
  GridPacker(json, grid, events, texts).write();
}

}  // namespace evname::tools
