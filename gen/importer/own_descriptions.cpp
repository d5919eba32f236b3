#include "importer/own_descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/glob.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/compiler/encode_entry.hpp"
#include "events/compiler/keys.hpp"
#include "events/trees/tree.hpp"

namespace evname::importer {
namespace {

/// Stands for every encoding without its own row.
constexpr std::string_view kAnyEncoding = "*";

/// Named core PMUs share the descriptions of unnamed ones.
std::string pmu_class(std::string_view unit) {
  constexpr std::string_view kCore[] = {"cpu_core", "cpu_atom", "cpu_lowpower", "cpum_cf"};
  const std::string pmu = compiler::pmu_of_unit(unit);
  return std::ranges::find(kCore, pmu) == std::end(kCore) ? pmu : "default_core";
}

std::string key_of_terms(const std::vector<tables::Term>& terms) {
  std::vector<std::string> parts;
  for (const tables::Term& term : terms) {
    if (term.name == "period") continue;
    if (term.value == tables::Term::Value::text)
      parts.push_back(fmt::format("{}={}", term.name, term.text));
    else if (term.number != 0)
      parts.push_back(fmt::format("{}={:#x}", term.name, term.number));
  }
  sort_stably(parts);
  return joined(parts, ",");
}

}  // namespace

std::string encoding_key(const trees::Object& object) {
  trees::Diagnostics ignored;
  std::vector<tables::Term> terms;
  compiler::encode_terms(object, ignored, terms);
  return key_of_terms(terms);
}

std::string encoding_key(std::string_view terms) {
  return key_of_terms(compiler::terms_of_text(terms));
}

OwnDescriptions::Key OwnDescriptions::key_of(const trees::Object& object, std::string encoding) {
  return {to_lower(object.get("EventName")) + " " + pmu_class(object.get("Unit")),
          std::move(encoding)};
}

void OwnDescriptions::read(std::span<const std::string> files, trees::Diagnostics& diagnostics) {
  for (const std::string& path : files) {
    trees::JsonFile file;
    trees::read_json(path, file, diagnostics);
    for (const trees::Object& object : file.objects) {
      if (object.get("BriefDescription").empty() || object.get("EventName").empty())
        diagnostics.report(trees::Severity::error, object.place, object.get("EventName"), "",
                           "a description needs EventName and BriefDescription");
      else if (object.get("Encodings").empty())
        add(object, key_of(object, std::string(kAnyEncoding)), diagnostics);
      for (const std::string_view encoding : split(object.get("Encodings"), ' '))
        if (!encoding.empty()) add(object, key_of(object, encoding_key(encoding)), diagnostics);
    }
  }
}

void OwnDescriptions::read_related(std::span<const std::string> files,
                                   trees::Diagnostics& diagnostics) {
  OwnDescriptions related;
  related.read(files, diagnostics);
  for (auto& [key, text] : related.rows_)
    if (rows_.try_emplace(key, std::move(text)).second) used_.insert(key);
  for (auto& [key, rows] : related.model_rows_)
    for (ModelRow& row : rows)
      model_rows_[key].push_back({std::move(row.models), std::move(row.text), true});
}

void OwnDescriptions::add(const trees::Object& object, Key key, trees::Diagnostics& diagnostics) {
  const std::string_view text = object.get("BriefDescription");
  if (const std::string_view models = object.get("Models"); !models.empty()) {
    model_rows_[std::move(key)].push_back({std::string(models), std::string(text)});
    return;
  }
  if (!rows_.try_emplace(std::move(key), text).second)
    diagnostics.report(trees::Severity::warning, object.place, object.get("EventName"), "Encodings",
                       "described twice; the first counts");
}

void OwnDescriptions::read_carried(const std::string& topic_file) {
  trees::Diagnostics ignored;
  trees::JsonFile file;
  trees::read_json(topic_file, file, ignored);
  for (const trees::Object& object : file.objects)
    if (const std::string_view text = object.get("BriefDescription"); !text.empty())
      carried_.try_emplace(key_of(object, encoding_key(object)), std::string(text));
}

const std::string* OwnDescriptions::find_for_model(const Key& key, const trees::Object& object,
                                                   std::string_view model) const {
  const auto rows = model_rows_.find(key);
  if (rows == model_rows_.end()) return nullptr;
  const std::string with_unit = fmt::format("{}:{}", model, object.get("Unit"));
  for (const ModelRow& row : rows->second)
    for (const std::string_view pattern : split(row.models, ' '))
      if (glob_match(pattern, model) || glob_match(pattern, with_unit)) {
        row.used = true;
        return &row.text;
      }
  return nullptr;
}

std::string_view OwnDescriptions::find(const trees::Object& object, std::string_view model) const {
  if (object.get("EventName").empty()) return {};
  const Key key = key_of(object, encoding_key(object));
  for (const Key& wanted : {key, Key(key.first, kAnyEncoding)}) {
    if (const std::string* text = find_for_model(wanted, object, model)) return *text;
    const auto row = rows_.find(wanted);
    if (row == rows_.end()) continue;
    used_.insert(wanted);
    return row->second;
  }
  const auto carried = carried_.find(key);
  return carried == carried_.end() ? std::string_view{} : carried->second;
}

std::vector<std::string> OwnDescriptions::unused() const {
  std::vector<std::string> out;
  for (const auto& [key, text] : rows_)
    if (!used_.contains(key)) out.push_back(key.first + " " + key.second);
  for (const auto& [key, rows] : model_rows_)
    for (const ModelRow& row : rows)
      if (!row.used) out.push_back(fmt::format("{} {} of {}", key.first, key.second, row.models));
  return out;
}

}  // namespace evname::importer
