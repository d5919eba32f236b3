#include "importer/import_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/compiler/write_if_changed.hpp"
#include "events/trees/tree.hpp"
#include "events/trees/vendor_tree.hpp"
#include "importer/facts.hpp"
#include "importer/merge_maker.hpp"
#include "importer/own_descriptions.hpp"
#include "importer/pfm4_tree.hpp"

namespace evname::importer {

namespace {

using Codes = std::map<std::string, std::string>;

Codes standard_codes(const ArchFacts& arch) {
  Codes out;
  for (const auto& [file, rows] : arch.standard)
    for (const Facts& row : rows) out.try_emplace(to_lower(row.get("EventName")), row.encoding());
  return out;
}

/// By "pmu/name"; the first of several counts, as in the tables.
Codes codes_of(const ModelFacts& model, const Codes& standard) {
  Codes out;
  for (const auto& [file, rows] : model.topics)
    for (const Facts& row : rows) {
      const std::string reference = to_lower(row.get("ArchStdEvent"));
      const auto target = standard.find(reference);
      std::string name = to_lower(row.get("EventName"));
      if (name.empty()) name = reference;
      if (name.empty()) continue;
      out.try_emplace(row.pmu() + "/" + name,
                      target == standard.end() ? row.encoding() : target->second);
    }
  return out;
}

Codes rows_of(const ArchFacts& arch) {
  Codes out;
  for (const trees::MapfileRow& row : arch.map_rows) {
    std::string to = row.directory;
    if (!row.version.empty()) to += " " + row.version;
    out.try_emplace(row.pattern, std::move(to));
  }
  return out;
}

ModelChanges compare(std::string title, const Codes& before, const Codes& after) {
  ModelChanges out;
  out.model = std::move(title);
  for (const auto& [name, code] : after) {
    const auto old = before.find(name);
    if (old == before.end()) {
      ++out.added;
      out.lines.push_back(fmt::format("new {}: {}", name, code));
    } else if (old->second != code) {
      ++out.changed;
      out.lines.push_back(fmt::format("changed {}: {} -> {}", name, old->second, code));
    }
  }
  for (const auto& [name, code] : before)
    if (!after.contains(name)) {
      ++out.gone;
      out.lines.push_back(fmt::format("gone {}: {}", name, code));
    }
  return out;
}

/// Compares codes, events and mapfile rows; not periods, errata and other marks. Ignores models
/// that only `before` has.
std::vector<ModelChanges> changes_between(const std::string& arch, const ArchFacts& before,
                                          const ArchFacts& after) {
  std::vector<ModelChanges> out;
  const Codes old_standard = standard_codes(before), new_standard = standard_codes(after);
  const auto add = [&](ModelChanges changes) {
    if (!changes.lines.empty()) out.push_back(std::move(changes));
  };
  for (const auto& [name, model] : after.models) {
    const auto old = before.models.find(name);
    add(compare(arch + "/" + name,
                old == before.models.end() ? Codes() : codes_of(old->second, old_standard),
                codes_of(model, new_standard)));
  }
  add(compare(arch + "/mapfile.csv", rows_of(before), rows_of(after)));
  return out;
}

namespace fs = std::filesystem;

constexpr std::string_view kMapHeading = "CPUID,Version,Directory,Type\n";
constexpr std::string_view kSourcesHeading = "Model,Source\n";

/// RFC 4180: a column that holds a comma or a quote is quoted.
std::string csv_column(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// The facts of the sources about one architecture.
struct Sources {
  std::vector<std::pair<trees::ArchDir, std::string>> kernels;  ///< and their names
  std::vector<trees::ArchDir> makers;
};

bool is_makers(const trees::ArchDir& arch) {
  return std::ranges::any_of(arch.models, &trees::ModelDir::vendor);
}

/// Returns true if neither a symbolic link nor ".." on the way leads out of the tree.
bool is_inside(const fs::path& root, const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error) && !fs::exists(path, error)) return false;  // made when written
  const fs::path from = fs::weakly_canonical(fs::absolute(root), error);
  if (error) return false;
  const fs::path to = fs::weakly_canonical(fs::absolute(path), error);
  return !error && std::ranges::mismatch(from, to).in1 == from.end();
}

class Importer {
 public:
  Importer(const ImportOptions& options, trees::Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  TreeReport run() {
    std::map<std::string, Sources> all;
    for (const std::string& root : options_.from)
      for (trees::ArchDir& arch : trees::find_trees(root, diagnostics_)) {
        keep_inside(root, arch);
        if (!is_wanted(arch)) continue;
        Sources& sources = all[arch.arch];
        if (is_makers(arch))
          sources.makers.push_back(std::move(arch));
        else
          sources.kernels.emplace_back(std::move(arch), kernel_source(root));
      }
    auto existing = trees::find_architectures(options_.into);
    for (trees::ArchDir& arch : existing) keep_inside(options_.into, arch);
    for (const auto& [name, sources] : all) {
      const auto old = std::ranges::find(existing, name, &trees::ArchDir::arch);
      import_arch(name, sources, old == existing.end() ? nullptr : &*old);
    }
    return std::move(report_);
  }

 private:
  /// Returns false, with a report, if the path leads out of the tree.
  bool check_inside(const std::string& root, const std::string& path) {
    if (path.empty() || is_inside(root, path)) return true;
    diagnostics_.report(trees::Severity::error, {diagnostics_.add_file(path), 0}, "", "",
                        fmt::format("left out: it leads out of {}", root));
    return false;
  }

  /// Leaves out the files of a tree that are elsewhere.
  void keep_inside(const std::string& root, trees::ArchDir& arch) {
    const auto is_elsewhere = [&](const std::string& path) { return !check_inside(root, path); };
    if (is_elsewhere(arch.mapfile)) arch.mapfile.clear();
    std::erase_if(arch.standard, is_elsewhere);
    for (trees::ModelDir& model : arch.models) std::erase_if(model.files, is_elsewhere);
  }

  bool is_wanted(const trees::ArchDir& arch) const {
    if (arch.mapfile.empty() && arch.map_rows.empty()) return false;
    const auto& names = options_.architectures;
    return names.empty() || std::ranges::find(names, arch.arch) != names.end();
  }

  void import_arch(const std::string& name, const Sources& sources, const trees::ArchDir* old) {
    arch_ = &report_.taken[name];
    Dropped ignored;
    ArchFacts before;
    if (old) before = read_arch_facts(*old, "", ignored, diagnostics_);
    ArchFacts facts = sources.kernels.empty() ? before : of_kernels(sources);
    merge_makers(sources, facts);
    keep_rows_of_ours(before, facts);
    report_.changes = with(std::move(report_.changes), changes_between(name, before, facts));
    if (options_.check) return;
    descriptions_ = {};
    descriptions_.read(descriptions_of(name), diagnostics_);
    if (name == "arm") descriptions_.read_related(descriptions_of("arm64"), diagnostics_);
    if (old) read_carried(*old);
    write_arch(name, facts);
    if (old) remove_stale(name, facts, *old);
    for (const std::string& row : descriptions_.unused())
      report_.unused.push_back(name + ": " + row);
  }

  std::vector<std::string> descriptions_of(const std::string& arch) {
    auto files = trees::json_files(options_.into + "/descriptions/" + arch);
    std::erase_if(files, [&](const auto& path) { return !check_inside(options_.into, path); });
    return files;
  }

  static std::vector<ModelChanges> with(std::vector<ModelChanges> all,
                                        std::vector<ModelChanges> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
    return all;
  }

  /// Models and standard events of later trees replace earlier ones.
  ArchFacts of_kernels(const Sources& sources) {
    ArchFacts all;
    for (const auto& [arch, source] : sources.kernels) {
      ArchFacts read = read_arch_facts(arch, source, report_.dropped, diagnostics_);
      for (auto& [name, model] : read.models) all.models[name] = std::move(model);
      for (auto& [file, rows] : read.standard) all.standard[file] = std::move(rows);
      all.map_rows = std::move(read.map_rows);
    }
    return all;
  }

  /// The oldest statement comes first; later ones take precedence.
  void merge_makers(const Sources& sources, ArchFacts& facts) {
    struct Statement {
      const trees::ModelDir* model;
      std::vector<trees::MapfileRow> rows;
    };
    std::vector<Statement> statements;
    for (const trees::ArchDir& arch : sources.makers)
      for (const trees::ModelDir& model : arch.models) {
        Statement statement{&model, {}};
        for (const trees::MapfileRow& row : arch.map_rows)
          if (row.directory == model.name) statement.rows.push_back(row);
        statements.push_back(std::move(statement));
      }
    sort_stably_by(statements, [](const Statement& statement) {
      return statement.rows.empty() ? std::string() : statement.rows.front().version;
    });
    for (const Statement& statement : statements) {
      Topics topics;
      for (const std::string& path : statement.model->files)
        topics[topic_file(*statement.model, path)] =
            read_topic_facts(path, statement.model, facts.standard, report_.dropped, diagnostics_);
      merge_maker(*statement.model, statement.rows, topics, facts, report_.disagreements);
    }
  }

  /// Arm's files have the name of the CPU, which is the name of the directory here.
  static std::string topic_file(const trees::ModelDir& model, const std::string& path) {
    return model.source.starts_with("Arm ") ? "events.json" : fs::path(path).filename().string();
  }

  /// Rows of models that no source has, and rows without a version, go after theirs.
  void keep_rows_of_ours(const ArchFacts& before, ArchFacts& facts) {
    std::set<std::string> taken;
    for (const trees::MapfileRow& row : facts.map_rows) taken.insert(row.directory);
    for (const trees::MapfileRow& row : before.map_rows)
      if (row.version.empty() || !taken.contains(row.directory)) facts.map_rows.push_back(row);
  }

  void read_carried(const trees::ArchDir& old) {
    for (const std::string& path : old.standard) descriptions_.read_carried(path);
    for (const trees::ModelDir& model : old.models)
      for (const std::string& path : model.files) descriptions_.read_carried(path);
  }

  void write_arch(const std::string& name, const ArchFacts& facts) {
    for (const auto& [file, rows] : facts.standard) {
      arch_->standard += rows.size();
      write_topic(name, "", file, rows);
    }
    for (const auto& [model, model_facts] : facts.models) {
      if (!model_facts.system) ++arch_->models;
      for (const auto& [file, rows] : model_facts.topics) {
        for (const Facts& row : rows)
          ++(row.get("EventName").empty() ? arch_->references : arch_->events);
        write_topic(name, model, file, rows);
      }
    }
    arch_->map_rows = facts.map_rows.size();
    std::string map(kMapHeading);
    for (const trees::MapfileRow& row : facts.map_rows)
      map += fmt::format("{},{},{},{}\n", csv_column(row.pattern), csv_column(row.version),
                         csv_column(row.directory), csv_column(row.type));
    write(name + "/mapfile.csv", map);
    write_sources(name, facts);
  }

  void write_topic(const std::string& arch, const std::string& model, const std::string& file,
                   const std::vector<Facts>& rows) {
    std::string out;
    for (const Facts& row : rows) {
      const std::string_view description = descriptions_.find(row.object(), model);
      arch_->described += !description.empty();
      out += out.empty() ? "[\n" : ",\n";
      out += row.line(description);
    }
    const std::string folder = model.empty() ? arch : arch + "/" + model;
    if (!out.empty()) write(folder + "/" + file, out + "\n]\n");
  }

  void write_sources(const std::string& name, const ArchFacts& facts) {
    std::string out;
    for (const auto& [model, model_facts] : facts.models)
      if (!model_facts.sources.empty())
        out += fmt::format("{},{}\n", model, joined(model_facts.sources, "; "));
    if (!out.empty())
      write(fmt::format("{}/{}", name, trees::kSourcesFile), std::string(kSourcesHeading) + out);
  }

  void write(const std::string& relative, const std::string& content) {
    const fs::path path = fs::path(options_.into) / relative;
    if (!check_inside(options_.into, path.string())) return;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    const auto old = trees::read_tree_file(path.string());
    kept_.insert(relative);
    if (old && *old == content) {
      ++report_.unchanged_files;
    } else if (is_recording(path.string())) {
      diagnostics_.report(trees::Severity::error, {diagnostics_.add_file(path.string()), 0}, "", "",
                          "is a recording, which is not replaced");
    } else if (fs::remove(path, error); compiler::write_if_changed(path.string(), content)) {
      report_.written.push_back(relative);
    } else {
      diagnostics_.report(trees::Severity::error, {diagnostics_.add_file(path.string()), 0}, "", "",
                          "can't be written");
    }
  }

  /// In a directory of the sources, a file that they no longer have would define its events twice,
  /// so it is removed. Our own models and files stay.
  void remove_stale(const std::string& name, const ArchFacts& facts, const trees::ArchDir& old) {
    for (const std::string& path : old.standard) remove_if_stale(path);
    for (const trees::ModelDir& model : old.models) {
      if (facts.models.contains(model.name))
        for (const std::string& path : model.files) remove_if_stale(path);
      else if (!model.files.empty())
        report_.left.push_back(name + "/" + model.name);
    }
  }

  void remove_if_stale(const std::string& path) {
    const std::string relative = fs::path(path).lexically_relative(options_.into).string();
    if (kept_.contains(relative) || trees::is_own_file(path)) return;
    if (!check_inside(options_.into, path)) return;
    std::error_code error;
    if (fs::remove(path, error))
      report_.removed.push_back(relative + ": nothing of it is in the source");
  }

  const ImportOptions& options_;
  trees::Diagnostics& diagnostics_;
  TreeReport report_;
  TreeReport::Arch* arch_ = nullptr;
  OwnDescriptions descriptions_;
  std::set<std::string> kept_;
};

void add_list(std::string& out, std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out += fmt::format("{} ({}):\n", title, items.size());
  for (const std::string& item : items) out += "  " + item + "\n";
}

}  // namespace

TreeReport import_tree(const ImportOptions& options, trees::Diagnostics& diagnostics) {
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

std::string disagreements_text(const TreeReport& report) {
  std::string out = fmt::format("sources disagree on {} events:\n", report.disagreements.size());
  for (const Disagreement& one : report.disagreements)
    out += fmt::format("  {} {}/{}: kernel {}, maker {}; taken is {}\n", one.model, one.pmu,
                       one.event, one.theirs.empty() ? "-" : one.theirs, one.makers, one.taken);
  return out;
}

std::string changes_text(const TreeReport& report) {
  std::string out;
  for (const ModelChanges& model : report.changes) {
    out += fmt::format("{}: {} changed, {} new, {} gone\n", model.model, model.changed, model.added,
                       model.gone);
    for (const std::string& line : model.lines) out += "  " + line + "\n";
  }
  if (out.empty()) out = "nothing changes\n";
  const auto metrics = report.dropped.find(std::string(kDroppedMetrics));
  if (metrics != report.dropped.end())
    out += fmt::format(
        "{} metrics of the sources can be read at run time (--events); none is imported\n",
        metrics->second);
  return out;
}

}  // namespace evname::importer

namespace evname {

ImportReport import_events(const ImportOptions& options) {
  trees::Diagnostics diagnostics;
  ImportReport report;
  ImportOptions others = options;
  std::erase_if(others.from, [&](const std::string& directory) {
    const std::string libpfm4 = importer::find_libpfm4(directory);
    if (libpfm4.empty()) return false;
    const auto done = importer::import_libpfm4(libpfm4, options.into, options.check, diagnostics);
    ++report.architectures;
    report.changes += done.changes.size();
    report.summary += importer::pfm4_text(done);
    return true;
  });
  if (!others.from.empty()) {
    const importer::TreeReport done = importer::import_tree(others, diagnostics);
    report.architectures += done.taken.size();
    report.changes += done.changes.size();
    if (!done.taken.empty())
      report.summary += options.check ? importer::changes_text(done) : importer::report_text(done);
    if (!done.taken.empty() && options.report) report.summary += importer::disagreements_text(done);
  }
  report.errors = diagnostics.count(trees::Severity::error);
  for (const trees::Diagnostic& one : diagnostics.all())
    report.notes.push_back(diagnostics.text(one));
  return report;
}

}  // namespace evname
