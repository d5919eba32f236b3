#include "importer/event_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.hpp"
#include "events/compiler/keys.hpp"
#include "importer/own_descriptions.hpp"

namespace evname::importer {
namespace {

bool is_fact(compiler::KeyKind kind) {
  return kind == compiler::KeyKind::name || kind == compiler::KeyKind::head ||
         kind == compiler::KeyKind::field || kind == compiler::KeyKind::special ||
         kind == compiler::KeyKind::fact;
}

void add_field(fmt::memory_buffer& out, std::string_view key, std::string_view value) {
  out.push_back(out.size() == 0 ? '{' : ',');
  append_json_string(out, key);
  out.push_back(':');
  append_json_string(out, value);
}

}  // namespace

Facts::Facts(const trees::Object& object) {
  for (const compiler::Key& key : compiler::keys())
    if (const std::string_view value = object.get(key.name); is_fact(key.kind) && !value.empty())
      values_.emplace_back(key.name, value);
}

std::string_view Facts::get(std::string_view key) const {
  const auto at = std::ranges::find(values_, key, &decltype(values_)::value_type::first);
  return at == values_.end() ? std::string_view() : at->second;
}

void Facts::set(std::string_view key, std::string_view value) {
  std::vector<std::pair<std::string_view, std::string>> changed;
  for (const compiler::Key& known : compiler::keys()) {
    const std::string_view text = known.name == key ? value : get(known.name);
    if (!text.empty()) changed.emplace_back(known.name, text);
  }
  values_ = std::move(changed);
}

trees::Object Facts::object() const {
  trees::Object object{{}, {}};
  for (const auto& [key, value] : values_) object.fields.push_back({key, value, {}, false});
  return object;
}

std::string Facts::encoding() const { return encoding_key(object()); }

std::string Facts::pmu() const { return compiler::pmu_of_unit(get("Unit")); }

std::string Facts::line(std::string_view description) const {
  fmt::memory_buffer out;
  for (const auto& [key, value] : values_) add_field(out, key, value);
  if (!description.empty()) add_field(out, "BriefDescription", description);
  return out.size() == 0 ? "{}" : std::string(out.data(), out.size()) + "}";
}

}  // namespace evname::importer
