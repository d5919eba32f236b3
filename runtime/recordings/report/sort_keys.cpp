#include "recordings/report/sort_keys.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace evname::report {
namespace {

template <class T>
std::uint32_t number(const std::optional<T>& value) {
  return value ? static_cast<std::uint32_t>(*value) : kAbsent;
}

std::uint32_t cgroup_of(KeyContext& context, const RecordedEvent&, const Sample* sample) {
  const auto id = sample->cgroup();
  if (!id) return kAbsent;
  const std::string_view path = sample->cgroup_path();
  return path.empty() ? context.texts.id(fmt::format("{}", *id)) : context.texts.id(path);
}

using enum KeyNeeds;
constexpr auto kText = KeyRow::Value::text, kNumber = KeyRow::Value::number;

constexpr KeyRow kKeys[] = {
    {SortKey::event, "event", event, kText,
     [](KeyContext& c, const RecordedEvent& e, const Sample*) {
       return c.texts.id(e.full_name());
     }},
    {SortKey::file, "file", event, kText,
     [](KeyContext& c, const RecordedEvent&, const Sample*) {
       return c.texts.id(c.file.facts().path);
     }},
    {SortKey::pmu, "pmu", event, kText,
     [](KeyContext& c, const RecordedEvent& e, const Sample*) { return c.texts.id(e.pmu); }},
    {SortKey::comm, "comm", order, kText,
     [](KeyContext& c, const RecordedEvent&, const Sample* s) { return c.comm_of(*s); }},
    {SortKey::pid, "pid", sample, kNumber,
     [](KeyContext&, const RecordedEvent&, const Sample* s) { return number(s->pid()); }},
    {SortKey::tid, "tid", sample, kNumber,
     [](KeyContext&, const RecordedEvent&, const Sample* s) { return number(s->tid()); }},
    {SortKey::cpu, "cpu", sample, kNumber,
     [](KeyContext&, const RecordedEvent&, const Sample* s) { return number(s->cpu()); }},
    {SortKey::cgroup, "cgroup", order, kText, cgroup_of},
    {SortKey::sym, "sym", location, kText, nullptr, &FrameKeys::sym},
    {SortKey::dso, "dso", location, kText, nullptr, &FrameKeys::dso},
    {SortKey::srcfile, "srcfile", location, kText, nullptr, &FrameKeys::srcfile},
    {SortKey::srcline, "srcline", location, kText, nullptr, &FrameKeys::srcline},
};

std::string all_names() {
  std::string names;
  for (const KeyRow& row : kKeys) (names += names.empty() ? "" : ", ") += row.name;
  return names;
}

}  // namespace

std::uint32_t KeyContext::comm_of(const Sample& sample) {
  if (!sample.tid()) return kAbsent;
  const std::string_view comm = sample.comm();
  const auto address = reinterpret_cast<std::uintptr_t>(comm.data());
  if (const std::uint32_t known = comms[address]; known != comms.kNone) return known;
  const std::uint32_t id = texts.id(comm);
  comms.insert(address, id);
  return id;
}

std::span<const KeyRow> key_rows() { return kKeys; }

std::string text_of(const KeyRow& row, const TextPool& texts, std::uint32_t value) {
  if (value == kAbsent) return "-";
  if (row.value == kText) return texts[value];
  return row.key == SortKey::cpu ? fmt::format("{}", value)
                                 : fmt::format("{}", static_cast<std::int32_t>(value));
}

}  // namespace evname::report

namespace evname {

Result<std::vector<SortKey>> parse_sort_keys(std::string_view text) {
  std::vector<SortKey> keys;
  for (std::string_view word : split(text, ',')) {
    const auto* row = std::find_if(std::begin(report::kKeys), std::end(report::kKeys),
                                   [&](const report::KeyRow& known) { return known.name == word; });
    if (row == std::end(report::kKeys))
      return fail(Errc::invalid_argument, fmt::format("no key '{}'", word), "",
                  report::all_names());
    if (std::find(keys.begin(), keys.end(), row->key) == keys.end()) keys.push_back(row->key);
  }
  return keys;
}

std::vector<std::string_view> sort_key_names() {
  std::vector<std::string_view> names;
  for (const report::KeyRow& row : report::kKeys) names.push_back(row.name);
  return names;
}

}  // namespace evname
