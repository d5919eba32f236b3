#include "compiler/import/own_descriptions.hpp"

#include "compiler/tree.hpp"
#include "compiler/units.hpp"
#include "base/text.hpp"
#include "compiler/import/facts.hpp"

namespace evname::gen {
namespace {

/// Core PMUs of hybrid parts share the descriptions of ordinary ones.
std::string pmu_class(std::string_view unit) {
  const std::string pmu = pmu_of_unit(unit);
  return pmu == "cpu_core" || pmu == "cpu_atom" ? "default_core" : pmu;
}

}  // namespace

OwnDescriptions::Key OwnDescriptions::key_of(const Object& object, std::string encoding) {
  return {to_lower(object.get("EventName")) + " " + pmu_class(object.get("Unit")),
          std::move(encoding)};
}

void OwnDescriptions::read(const std::string& directory, Diagnostics& diagnostics) {
  for (const std::string& path : json_files(directory)) {
    JsonFile file;
    read_json(path, file, diagnostics);
    for (const Object& object : file.objects) {
      const std::string_view text = object.get("BriefDescription");
      if (text.empty() || object.get("EventName").empty() || object.get("Encodings").empty())
        diagnostics.report(Severity::error, object.place, object.get("EventName"), "",
                           "a description needs EventName, Encodings and BriefDescription");
      for (const std::string_view encoding : split(object.get("Encodings"), ' ')) {
        const auto [at, added] =
            rows_.try_emplace(key_of(object, encoding_key(encoding)), std::string(text));
        if (!added)
          diagnostics.report(Severity::warning, object.place, object.get("EventName"), "Encodings",
                             "described twice; the first counts");
      }
    }
  }
}

void OwnDescriptions::read_carried(const std::string& topic_file) {
  Diagnostics ignored;
  JsonFile file;
  read_json(topic_file, file, ignored);
  for (const Object& object : file.objects)
    if (const std::string_view text = object.get("BriefDescription"); !text.empty())
      carried_.try_emplace(key_of(object, encoding_key(object)), std::string(text));
}

std::string_view OwnDescriptions::find(const Object& object) const {
  if (object.get("EventName").empty()) return {};
  const Key key = key_of(object, encoding_key(object));
  if (const auto row = rows_.find(key); row != rows_.end()) {
    used_.insert(key);
    return row->second;
  }
  const auto carried = carried_.find(key);
  return carried == carried_.end() ? std::string_view{} : carried->second;
}

std::vector<std::string> OwnDescriptions::unused() const {
  std::vector<std::string> out;
  for (const auto& [key, text] : rows_)
    if (!used_.contains(key)) out.push_back(key.first + " " + key.second);
  return out;
}

}  // namespace evname::gen
