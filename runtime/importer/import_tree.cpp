#include "importer/import_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/json_text.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/keys.hpp"
#include "compiler/mapfile.hpp"
#include "compiler/tree.hpp"
#include "compiler/vendor_tree.hpp"
#include "compiler/write_if_changed.hpp"
#include "importer/own_descriptions.hpp"

namespace evname::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMapHeading = "CPUID,Version,Directory,Type\n";

/// RFC 4180: a column that holds a comma or a quote is quoted.
std::string csv_column(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

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

/// The entry as one line of JSON: names, codes, masks and other facts, in the order of keys(), then
/// the given description if there is one. Sentences and metric parts of the source are left out.
std::string facts_line(const compiler::Object& object, std::string_view description) {
  fmt::memory_buffer out;
  for (const compiler::Key& key : compiler::keys())
    if (const std::string_view value = object.get(key.name); is_fact(key.kind) && !value.empty())
      add_field(out, key.name, value);
  if (!description.empty()) add_field(out, "BriefDescription", description);
  return out.size() == 0 ? "{}" : std::string(out.data(), out.size()) + "}";
}

class Importer {
 public:
  Importer(const ImportOptions& options, compiler::Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  TreeReport run() {
    const auto existing = compiler::find_architectures(options_.into);
    for (const compiler::ArchDir& arch : compiler::find_trees(options_.from, diagnostics_)) {
      if (!is_wanted(arch)) continue;
      const auto old =
          std::find_if(existing.begin(), existing.end(),
                       [&](const compiler::ArchDir& a) { return a.arch == arch.arch; });
      import_arch(arch, old == existing.end() ? nullptr : &*old);
    }
    return std::move(report_);
  }

 private:
  bool is_wanted(const compiler::ArchDir& arch) const {
    if (arch.mapfile.empty() && arch.map_rows.empty()) return false;
    const auto& names = options_.architectures;
    return names.empty() || std::find(names.begin(), names.end(), arch.arch) != names.end();
  }

  void import_arch(const compiler::ArchDir& arch, const compiler::ArchDir* old) {
    arch_ = &report_.taken[arch.arch];
    standard_.clear();
    descriptions_ = {};
    descriptions_.read(options_.into + "/descriptions/" + arch.arch, diagnostics_);
    if (old) read_carried(*old);
    for (const std::string& path : arch.standard) import_file(path, arch, nullptr);
    for (const compiler::ModelDir& model : arch.models) {
      if (!model.files.empty() && !model.system) ++arch_->models;
      for (const std::string& path : model.files) import_file(path, arch, &model);
    }
    import_mapfile(arch, old);
    if (old) remove_stale(arch, *old);
    for (const std::string& row : descriptions_.unused())
      report_.unused.push_back(arch.arch + ": " + row);
  }

  void read_carried(const compiler::ArchDir& old) {
    for (const std::string& path : old.standard) descriptions_.read_carried(path);
    for (const compiler::ModelDir& model : old.models)
      for (const std::string& path : model.files) descriptions_.read_carried(path);
  }

  /// `model` is nullptr for the architecture's standard events.
  void import_file(const std::string& path, const compiler::ArchDir& arch,
                   const compiler::ModelDir* model) {
    const bool standard = model == nullptr;
    compiler::JsonFile file;
    compiler::read_json(path, file, diagnostics_);
    if (model && model->vendor) compiler::to_kernel_form(model->unit_of(path), file);
    if (!file.is_array) {
      report_.dropped["objects of metric group texts"] += file.objects.size();
      return;
    }
    std::string out;
    for (const compiler::Object& object : file.objects) {
      if (!keep(object, standard)) continue;
      count_dropped_keys(object);
      const std::string_view description = descriptions_.find(object);
      arch_->described += !description.empty();
      out += out.empty() ? "[\n" : ",\n";
      out += facts_line(object, description);
    }
    if (out.empty()) return;
    const fs::path relative =
        fs::path(arch.arch) / (model ? model->name : "") / fs::path(path).filename();
    write(relative.string(), out + "\n]\n");
  }

  /// Events, references to standard events, and rows that only count counters; no metrics.
  bool keep(const compiler::Object& object, bool standard) {
    const std::string_view reference = object.get("ArchStdEvent");
    if (!object.get("EventName").empty()) {
      if (standard) standard_.insert(to_lower(object.get("EventName")));
      ++(standard ? arch_->standard : arch_->events);
      return true;
    }
    if (!reference.empty() && standard_.contains(to_lower(reference))) {
      ++arch_->references;
      return true;
    }
    if (!object.get("CountersNumGeneric").empty()) return true;
    const bool metric = !object.get("MetricName").empty() || !object.get("MetricExpr").empty();
    ++report_.dropped[metric || !reference.empty() ? "metrics" : "entries without a name"];
    return false;
  }

  void count_dropped_keys(const compiler::Object& object) {
    for (const compiler::Field& field : object.fields) {
      const compiler::Key* key = compiler::find_key(field.key);
      if (!key)
        ++report_.dropped[fmt::format("values of the unknown key {}", field.key)];
      else if (key->kind == compiler::KeyKind::prose)
        ++report_.dropped["descriptions of the source"];
      else if (key->kind == compiler::KeyKind::metric)
        ++report_.dropped["metric parts of events"];
      else if (key->kind == compiler::KeyKind::ignored)
        ++report_.dropped[fmt::format("values of {} (not used)", field.key)];
    }
  }

  /// The source's rows, then ours of models that the source does not have.
  void import_mapfile(const compiler::ArchDir& arch, const compiler::ArchDir* old) {
    const auto rows =
        arch.mapfile.empty() ? arch.map_rows : compiler::read_mapfile(arch.mapfile, diagnostics_);
    std::set<std::string> taken;
    std::string out(kMapHeading);
    const auto add = [&](const compiler::MapfileRow& row) {
      out += fmt::format("{},{},{},{}\n", csv_column(row.pattern), csv_column(row.version),
                         csv_column(row.directory), csv_column(row.type));
    };
    for (const compiler::MapfileRow& row : rows) {
      add(row);
      taken.insert(row.directory);
      ++arch_->map_rows;
    }
    if (old && !old->mapfile.empty())
      for (const compiler::MapfileRow& row : compiler::read_mapfile(old->mapfile, diagnostics_))
        if (!taken.contains(row.directory)) add(row);
    write(arch.arch + "/mapfile.csv", out);
  }

  void write(const std::string& relative, const std::string& content) {
    const fs::path path = fs::path(options_.into) / relative;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    const auto old = read_text_file(path.string(), compiler::kFileLimit);
    kept_.insert(relative);
    if (old && *old == content) {
      ++report_.unchanged_files;
    } else if (compiler::write_if_changed(path.string(), content)) {
      report_.written.push_back(relative);
    } else {
      diagnostics_.report(compiler::Severity::error, {diagnostics_.add_file(path.string()), 0}, "",
                          "", "can't be written");
    }
  }

  /// In a directory that the source has, a file that the source no longer has would define its
  /// events twice. Models that only we have are left alone, and so are our own files.
  void remove_stale(const compiler::ArchDir& source, const compiler::ArchDir& old) {
    std::set<std::string> models;
    for (const compiler::ModelDir& model : source.models) models.insert(model.name);
    for (const std::string& path : old.standard) remove_if_stale(path);
    for (const compiler::ModelDir& model : old.models) {
      if (models.contains(model.name))
        for (const std::string& path : model.files) remove_if_stale(path);
      else if (!model.files.empty())
        report_.left.push_back(source.arch + "/" + model.name);
    }
  }

  void remove_if_stale(const std::string& path) {
    const std::string relative = fs::path(path).lexically_relative(options_.into).string();
    if (kept_.contains(relative) || compiler::is_own_file(path)) return;
    std::error_code error;
    if (fs::remove(path, error))
      report_.removed.push_back(relative + ": nothing of it is in the source");
  }

  const ImportOptions& options_;
  compiler::Diagnostics& diagnostics_;
  TreeReport report_;
  TreeReport::Arch* arch_ = nullptr;
  OwnDescriptions descriptions_;
  std::set<std::string> standard_;
  std::set<std::string> kept_;
};

void add_list(std::string& out, std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out += fmt::format("{} ({}):\n", title, items.size());
  for (const std::string& item : items) out += "  " + item + "\n";
}

}  // namespace

TreeReport import_tree(const ImportOptions& options, compiler::Diagnostics& diagnostics) {
  return Importer(options, diagnostics).run();
}

std::string report_text(const TreeReport& report) {
  std::string out = "taken:\n";
  for (const auto& [name, arch] : report.taken)
    out += fmt::format(
        "  {}: {} events and {} references to {} standard events in {} models, {} mapfile rows; "
        "{} entries carry a description of ours\n",
        name, arch.events, arch.references, arch.standard, arch.models, arch.map_rows,
        arch.described);
  out += "dropped (facts only are kept):\n";
  for (const auto& [reason, count] : report.dropped) out += fmt::format("  {} {}\n", count, reason);
  add_list(out, "removed", report.removed);
  add_list(out, "not in the source, left alone", report.left);
  add_list(out, "descriptions that fit no entry", report.unused);
  add_list(out, "new or changed files", report.written);
  return out + fmt::format("{} files unchanged\n", report.unchanged_files);
}

}  // namespace evname::importer

namespace evname {

ImportReport import_events(const ImportOptions& options) {
  compiler::Diagnostics diagnostics;
  const importer::TreeReport done = importer::import_tree(options, diagnostics);
  ImportReport report;
  report.architectures = done.taken.size();
  report.errors = diagnostics.count(compiler::Severity::error);
  for (const compiler::Diagnostic& one : diagnostics.all())
    report.notes.push_back(diagnostics.text(one));
  if (report.architectures > 0) report.summary = importer::report_text(done);
  return report;
}

}  // namespace evname
