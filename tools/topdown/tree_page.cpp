#include "topdown/tree_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "topdown/tree_text.hpp"

namespace evname::tools {
namespace {

using TreeJson = JsonWriter<std::string>;

/// The most values of a page; with more intervals, a page has only some of them.
constexpr std::size_t kMostValues = 2'000'000;

void write_percent(TreeJson& json, double value) {
  if (std::isfinite(value))
    json.digits(fmt::format("{:.2f}", value));
  else
    json.null();
}

void write_nodes(TreeJson& json, const Machine& machine, const TopdownTree& tree) {
  json.column("nodes", tree.nodes().size(), [&](std::size_t i) {
    const TopdownNode& node = tree.nodes()[i];
    json.begin_object();
    json.key("name").text(node.name);
    json.key("desc").text(node.desc);
    json.key("level").number(node.level);
    json.key("parent");
    node.parent == TopdownNode::kNone ? json.null() : json.number(node.parent);
    json.key("of").text(to_string(node.share));
    json.key("threshold").text(node.threshold);
    if (const auto advice = sample_advice(machine, tree, i)) {
      json.key("event").text(advice->event);
      json.key("perf").text(advice->perf);
    }
    json.end_object();
  });
}

void write_flagged(TreeJson& json, const std::vector<std::uint8_t>& flagged) {
  json.begin_array();
  for (std::size_t i = 0; i < flagged.size(); ++i)
    if (flagged[i]) json.number(i);
  json.end_array();
}

std::vector<double> values_of(const TreeReading& reading) {
  std::vector<double> out(reading.nodes.size(), std::numeric_limits<double>::quiet_NaN());
  for (const std::size_t i : reading.choice->nodes) out[i] = reading.nodes[i].value;
  return out;
}

std::vector<std::uint8_t> flags_of(const TreeReading& reading) {
  std::vector<std::uint8_t> out(reading.nodes.size(), 0);
  for (const std::size_t i : reading.choice->nodes) out[i] = reading.nodes[i].flagged;
  return out;
}

void write_whole(TreeJson& json, const TreeReading& reading) {
  json.key("whole").begin_object();
  json.key("values").each(values_of(reading), [&](double value) { write_percent(json, value); });
  json.key("flagged");
  write_flagged(json, flags_of(reading));
  json.key("running").each(reading.nodes, [&](const NodeReading& one) { json.real(one.running); });
  json.key("runs").each(reading.nodes, [&](const NodeReading& one) { json.number(one.runs); });
  json.column("why", reading.nodes.size(), [&](std::size_t i) { json.text(reading.why_not(i)); });
  json.end_object();
}

void write_facts(TreeJson& json, const Machine& machine, const TopdownOptions& options,
                 std::size_t step) {
  json.key("facts").begin_object();
  json.key("model").text(machine.cpu().model);
  json.key("CPU").text(machine.cpu().cpuid);
  json.key("command").text(joined(options.stat.command, " "));
  json.key("counts").text(joined(options.from, ", "));
  if (step > 1) json.key("intervals").text(fmt::format("every {}th is shown", step));
  json.end_object();
}

/// Writes every `step`th interval of a place. `tree` is the number of its tree on the page.
template <class Place>
void write_place(TreeJson& json, const Place& place, std::size_t tree, std::size_t step) {
  const std::size_t count = (place.times.size() + step - 1) / step;
  json.begin_object();
  json.key("tree").number(static_cast<std::uint64_t>(tree));
  json.key("name").text(place.name);
  json.column("times", count, [&](std::size_t i) { json.real(place.times[i * step]); });
  json.column("lengths", count, [&](std::size_t i) { json.real(place.lengths[i * step]); });
  json.column("values", count, [&](std::size_t i) {
    json.each(place.values[i * step], [&](double value) { write_percent(json, value); });
  });
  json.column("flagged", count,
              [&](std::size_t i) { write_flagged(json, place.flagged[i * step]); });
  write_whole(json, *place.whole);
  json.end_object();
}

}  // namespace

TreePage::Place& TreePage::place_of(const ChosenTree& chosen, const std::string& name) {
  const auto is_same = [&](const Place& one) { return one.chosen == &chosen && one.name == name; };
  const auto at = std::ranges::find_if(places_, is_same);
  if (at != places_.end()) return *at;
  return places_.emplace_back(Place{&chosen, name, {}, {}, {}, {}, {}});
}

void TreePage::add(const ChosenTree& chosen, const TreeReading& reading) {
  Place& place = place_of(chosen, reading.place);
  if (!reading.time) {
    place.whole = reading;
    return;
  }
  place.times.push_back(*reading.time);
  place.lengths.push_back(reading.seconds);
  place.values.push_back(values_of(reading));
  place.flagged.push_back(flags_of(reading));
}

std::string TreePage::data() const {
  std::string buffer;
  TreeJson json(buffer);
  std::vector<const ChosenTree*> trees;
  std::size_t values = 0;
  for (const Place& place : places_) {
    if (std::ranges::find(trees, place.chosen) == trees.end()) trees.push_back(place.chosen);
    values += place.values.size() * place.chosen->tree().nodes().size();
  }
  const std::size_t step = values / kMostValues + 1;
  json.begin_object();
  write_facts(json, machine_, options_, step);
  json.key("command").text(sampled_command(options_));
  json.key("trees").each(trees, [&](const ChosenTree* one) {
    json.begin_object();
    json.key("pmu").text(one->tree().pmu());
    write_nodes(json, machine_, one->tree());
    json.end_object();
  });
  json.key("places").begin_array();
  for (const Place& place : places_)
    if (const auto tree = std::ranges::find(trees, place.chosen); place.whole)
      write_place(json, place, static_cast<std::size_t>(tree - trees.begin()), step);
  json.end_array();
  json.end_object();
  return buffer;
}

std::string TreePage::text() const {
  constexpr std::string_view kPlace = "__EVNAME_DATA__";
  const auto place = kTopdownPage.find(kPlace);
  std::string page(kTopdownPage.substr(0, place));
  append_to_script(page, data());
  return page += kTopdownPage.substr(place + kPlace.size());
}

}  // namespace evname::tools
