#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json_text.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/compiler/keys.hpp"
#include "events/trees/json.hpp"
#include "events/trees/vendor_metrics.hpp"
#include "events/trees/vendor_tree.hpp"
#include "importer/facts.hpp"
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

namespace {

namespace fs = std::filesystem;

void count_dropped_keys(const trees::Object& object, Dropped& dropped) {
  for (const trees::Field& field : object.fields) {
    const compiler::Key* key = compiler::find_key(field.key);
    if (!key)
      ++dropped[fmt::format("values of the unknown key {}", field.key)];
    else if (key->kind == compiler::KeyKind::prose)
      ++dropped["descriptions of the source"];
    else if (key->kind == compiler::KeyKind::metric)
      ++dropped["metric parts of events"];
    else if (key->kind == compiler::KeyKind::ignored)
      ++dropped[fmt::format("values of {} (not used)", field.key)];
  }
}

bool has_event(const Topics& topics, std::string_view name) {
  const std::string wanted = to_lower(name);
  for (const auto& [file, rows] : topics)
    for (const Facts& row : rows)
      if (to_lower(row.get("EventName")) == wanted) return true;
  return false;
}

/// Returns true for rows of a maker's file other than events and metrics.
bool is_of_no_event(const trees::Object& object) {
  return object.member == "latencies" || object.member == "groups" ||
         object.member == "methodologies";
}

bool keep(const trees::Object& object, const Topics& standard, Dropped& dropped) {
  const std::string_view reference = object.get("ArchStdEvent");
  if (!object.get("EventName").empty() || !object.get("CountersNumGeneric").empty()) return true;
  if (!reference.empty() && has_event(standard, reference)) return true;
  const bool metric = !object.get("MetricName").empty() || !object.get("MetricExpr").empty();
  ++dropped[metric || !reference.empty() ? std::string(kDroppedMetrics) : "entries without a name"];
  return false;
}

/// "7.3" from a kernel's Makefile; "" for other files.
std::string version_of_makefile(const fs::path& path) {
  const auto text = evname::read_head(path.string());
  if (!text) return {};
  std::string version, level;
  for (const std::string_view line : split(*text, '\n')) {
    const auto value_of = [&](std::string_view key) {
      return line.starts_with(key) ? std::string(trim(line.substr(key.size()))) : std::string();
    };
    if (version.empty()) version = value_of("VERSION =");
    if (level.empty()) level = value_of("PATCHLEVEL =");
  }
  return version.empty() || level.empty() ? "" : version + "." + level;
}

}  // namespace

std::vector<Facts> read_topic_facts(const std::string& path, const trees::ModelDir* model,
                                    const Topics& standard, Dropped& dropped,
                                    trees::Diagnostics& diagnostics) {
  trees::JsonFile file;
  trees::read_json(path, file, diagnostics);
  trees::metrics_to_kernel_form(file, diagnostics);
  if (model && model->vendor)
    for (trees::Object& object : file.objects) trees::to_kernel_form(*model, path, object, file);
  if (!file.is_array) {
    dropped["objects of metric group texts"] += file.objects.size();
    return {};
  }
  std::vector<Facts> out;
  for (const trees::Object& object : file.objects) {
    if (object.member == "latencies") ++dropped["latencies of events"];
    if (is_of_no_event(object) || !keep(object, standard, dropped)) continue;
    count_dropped_keys(object, dropped);
    out.emplace_back(object);
  }
  return out;
}

ArchFacts read_arch_facts(const trees::ArchDir& arch, const std::string& source, Dropped& dropped,
                          trees::Diagnostics& diagnostics) {
  ArchFacts facts;
  const auto read = [&](const std::string& path, const trees::ModelDir* model, Topics& topics) {
    auto rows = read_topic_facts(path, model, facts.standard, dropped, diagnostics);
    if (!rows.empty()) topics[fs::path(path).filename()] = std::move(rows);
  };
  for (const std::string& path : arch.standard) read(path, nullptr, facts.standard);
  for (const trees::ModelDir& model : arch.models) {
    ModelFacts read_model;
    read_model.system = model.system;
    for (const std::string& path : model.files) read(path, &model, read_model.topics);
    if (read_model.topics.empty()) continue;
    for (const std::string_view stated : split(model.source, ';'))
      if (!trim(stated).empty()) read_model.sources.emplace_back(trim(stated));
    if (read_model.sources.empty() && !source.empty()) read_model.sources.push_back(source);
    facts.models[model.name] = std::move(read_model);
  }
  facts.map_rows =
      arch.mapfile.empty() ? arch.map_rows : trees::read_mapfile(arch.mapfile, diagnostics);
  return facts;
}

std::string kernel_source(const std::string& root) {
  const fs::path path = fs::absolute(root).lexically_normal();
  fs::path above = path;
  for (int i = 0; i < 5; ++i, above = above.parent_path())
    if (const std::string version = version_of_makefile(above / "Makefile"); !version.empty())
      return "Linux " + version;
  for (const fs::path& part : path) {
    std::string_view rest = part.native();
    for (const std::string_view name : {"linux-", "source-"})
      if (rest.starts_with(name)) rest.remove_prefix(name.size());
    const auto end = rest.find_first_not_of("0123456789.");
    const std::string_view version = rest.substr(0, end);
    if (part.native().starts_with("linux-") && version.find('.') != std::string_view::npos)
      return fmt::format("Linux {}", version);
  }
  return {};
}

}  // namespace evname::importer
