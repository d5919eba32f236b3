#include "events/overlay/overlay.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "events/compiler/build_tables.hpp"
#include "events/compiler/collect_facts.hpp"
#include "events/compiler/example_cpuids.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/tables/registry.hpp"
#include "events/trees/vendor_tree.hpp"
#include "evname/machine.hpp"

namespace evname::overlay {
namespace {

// Far above what any model has; tables take several times as much memory.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;

/// A directory with only the files of a model, or with them in the directories events and metrics,
/// as in perfmon.
trees::ArchDir lone_model(const std::string& directory) {
  const auto path = std::filesystem::path(directory).lexically_normal();
  const auto last = path.has_filename() ? path.filename() : path.parent_path().filename();
  trees::ArchDir arch;
  arch.path = directory;
  std::vector<std::string> files = trees::json_files(directory);
  const bool vendor = files.empty();
  if (vendor)
    for (const char* inside : {"/events", "/metrics"})
      for (std::string& file : trees::json_files(directory + inside))
        files.push_back(std::move(file));
  arch.models.push_back({last.string(), false, std::move(files), vendor, {}, {}});
  return arch;
}

/// Returns the directory with the architectures, also for a kernel's source, its tools/perf, and
/// pmu-events.
std::string inner_tree(const std::string& directory) {
  for (const char* inside : {"/arch", "/pmu-events/arch", "/tools/perf/pmu-events/arch"}) {
    std::error_code error;
    const std::string path = directory + inside;
    const bool nested = std::string_view(inside) != "/arch";
    if (std::filesystem::is_directory(path, error) &&
        (nested || !std::filesystem::is_directory(directory + "/tools/perf", error)))
      return path;
  }
  return directory;
}

std::string names_of(const trees::ArchDir& arch) {
  std::string out;
  for (const trees::ModelDir& model : arch.models)
    if (!model.system && !model.files.empty()) out += (out.empty() ? "" : ", ") + model.name;
  return out;
}

/// The tree with only one model, which gets another name.
trees::ArchDir only(trees::ArchDir out, std::string_view model, const std::string& as) {
  std::erase_if(out.models,
                [&](const trees::ModelDir& dir) { return !dir.system && dir.name != model; });
  for (trees::ModelDir& dir : out.models)
    if (!dir.system) dir.name = as;
  out.mapfile.clear();
  out.map_rows.clear();
  return out;
}

/// Returns true if the tree's model is the build's model. A maker's files for the same CPUID are,
/// under any name.
bool is_known(const cpu::ModelMatch& known, const TreeMatch& part, bool one_model) {
  if (!known.model) return false;
  if (one_model) return true;
  const std::string name(known.model.name());
  if (cpu::bare_name(last_part(name)) == cpu::bare_name(last_part(part.match.model.name())))
    return true;
  const auto vendor = [&](const trees::ModelDir& dir) {
    return dir.vendor && dir.name == part.match.model.name();
  };
  return known.matched_by == MatchedBy::cpuid && part.match.matched_by == MatchedBy::cpuid &&
         std::any_of(part.directory->models.begin(), part.directory->models.end(), vendor);
}

/// The version in the first row of the mapfile with the CPU (or any CPU) and the model.
std::string version_of(const tables::ModelView& model, std::string_view cpuid) {
  const tables::ArchTables& arch = model.arch();
  const std::uint32_t index = static_cast<std::uint32_t>(model.model - arch.models.data());
  const tables::MapRow* any = nullptr;
  for (const tables::MapRow& row : arch.map_rows) {
    if (row.model != index) continue;
    if (any == nullptr) any = &row;
    if (cpu::pattern_matches(arch.arch, arch.text(row.pattern), cpuid))
      return std::string(arch.text(row.version));
  }
  return any == nullptr ? std::string() : std::string(arch.text(any->version));
}

std::uintmax_t bytes_of(const std::vector<std::string>& files) {
  std::uintmax_t bytes = 0;
  for (const std::string& file : files) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (!error) bytes += size;
  }
  return bytes;
}

Result<void> check_size(std::uintmax_t bytes, const std::string& path) {
  if (bytes <= kMostBytes) return {};
  return fail(
      Errc::out_of_range,
      fmt::format("{} MB of event files; at most {} MB are read", bytes >> 20, kMostBytes >> 20),
      path);
}

/// Others can change a file or directory if it belongs to them, if everybody may write it, or if a
/// group may write it that is neither this user's own nor root's.
Result<void> check_owner(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};  // opening it reports the error
  std::string reason;
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    reason = fmt::format("it belongs to user {}", status.st_uid);
  else if ((status.st_mode & S_IWOTH) != 0)
    reason = "everybody can write it";
  else if ((status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 && status.st_gid != ::getegid())
    reason = fmt::format("group {} can write it", status.st_gid);
  if (reason.empty()) return {};
  return fail(Errc::unsupported, fmt::format("not used: {}", reason), path,
              "event files that others can change are only taken with --events");
}

/// Returns true for a real tree: it maps CPUs to models, or has events or facts for a known
/// architecture. Any directory with JSON files two levels below looks like a tree.
bool has_events(const trees::ArchDir& arch) {
  if (!arch.mapfile.empty() || !arch.map_rows.empty()) return true;
  if (tables::find_architecture(arch.arch) == nullptr) return false;
  const auto has_files = [](const trees::ModelDir& model) { return !model.files.empty(); };
  return std::ranges::any_of(arch.models, has_files) || !arch.standard.empty() ||
         !compiler::fact_files(arch.path).empty();
}

/// Returns a warning if a tree's mapfile maps the CPU to a model of another name, and so most of
/// the build's events for the CPU are lost; else "".
std::string dropped_events(const tables::ModelView& known, const TreeMatch& newest,
                           std::span<const tables::ModelView> models) {
  std::size_t dropped = 0;
  for (const tables::PmuEvents& list : known.pmus())
    for (std::size_t i = 0; i < list.count; ++i)
      dropped += !tables::has_event(models, known.arch().text(list.pmu),
                                    known.arch().text(known.event(list, i).name));
  if (dropped * 2 <= known.event_count()) return {};
  return fmt::format(
      "{}: its model {} takes the place of {}, and {} of the {} events that this CPU has without "
      "it are missing; a model of the same name would add to them",
      newest.tree->path(), newest.match.model.name(), known.name(), dropped, known.event_count());
}

std::uintmax_t bytes_of(const trees::ArchDir& tree) {
  std::uintmax_t bytes = bytes_of(tree.standard);
  for (const trees::ModelDir& model : tree.models) bytes += bytes_of(model.files);
  return bytes;
}

Result<void> check_owners(const Tree& tree, const trees::ArchDir& read) {
  auto owned = tree.check_owners(read.standard);
  for (const trees::ModelDir& model : read.models)
    if (owned) owned = tree.check_owners(model.files);
  return owned;
}

}  // namespace

Result<Tree> Tree::open(const std::string& directory, Files files) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    return fail(Errc::not_found, "no such directory of events", directory);
  Tree tree;
  tree.path_ = directory;
  tree.files_ = files;
  trees::Diagnostics diagnostics;
  tree.architectures_ = trees::find_trees(inner_tree(directory), diagnostics);
  std::erase_if(tree.architectures_, [](const auto& arch) { return !has_events(arch); });
  if (tree.architectures_.empty()) {
    tree.architectures_.push_back(lone_model(directory));
    tree.one_model_ = true;
    if (tree.architectures_[0].models[0].files.empty())
      return fail(Errc::not_found,
                  "no event files: neither ARCH/MODEL/*.json nor mapfile.csv nor *.json",
                  directory);
  }
  std::vector<std::string> mapfiles = {directory};
  for (const trees::ArchDir& arch : tree.architectures_) {
    if (!arch.path.empty()) mapfiles.push_back(arch.path);
    if (!arch.mapfile.empty()) mapfiles.push_back(arch.mapfile);
    const auto facts = compiler::fact_files(arch.path);
    mapfiles.insert(mapfiles.end(), facts.begin(), facts.end());
  }
  if (auto owned = tree.check_owners(mapfiles); !owned) return fail(owned);
  if (auto small = check_size(bytes_of(mapfiles), directory); !small) return fail(small);
  for (const trees::ArchDir& arch : tree.architectures_)
    tree.models_.push_back(compiler::list_models(arch, diagnostics));
  for (const tables::TableArrays& models : tree.models_) tree.views_.push_back(models.view());
  tree.warnings_ = errors_of(diagnostics);
  trees::Diagnostics fact_diagnostics;
  tree.facts_ = compiler::collect_facts(tree.architectures_, fact_diagnostics);
  tree.fact_warnings_ = errors_of(fact_diagnostics);
  return tree;
}

Result<void> Tree::check_owners(std::span<const std::string> files) const {
  std::string directory;
  for (const std::string& file : files) {
    if (files_ == Files::any) break;
    const std::string parent = std::filesystem::path(file).parent_path();
    if (parent != directory && parent.starts_with(path_))
      if (auto owned = check_owner(parent); !owned) return owned;
    directory = parent;
    if (auto owned = check_owner(file); !owned) return owned;
  }
  return {};
}

std::vector<tables::CpuFacts> Tree::layers() const {
  std::vector<tables::CpuFacts> out = {facts()};
  out.insert(out.end(), tables::built_in_facts().begin(), tables::built_in_facts().end());
  return out;
}

std::span<const tables::ArchTables> Tree::models() const {
  return one_model_ ? std::span<const tables::ArchTables>() : views_;
}

bool Tree::has_known_architecture() const {
  return std::ranges::any_of(architectures_, [](const trees::ArchDir& arch) {
    return tables::find_architecture(arch.arch) != nullptr;
  });
}

cpu::NamedModel Tree::find_model(std::string_view name) const {
  return one_model_ ? cpu::NamedModel{} : cpu::find_model(views_, name, layers());
}

const trees::ArchDir* Tree::directory_of(std::string_view arch) const {
  if (one_model_) return &architectures_[0];
  for (const trees::ArchDir& dir : architectures_)
    if (dir.arch == arch) return &dir;
  return nullptr;
}

cpu::ModelMatch Tree::match(const tables::ArchTables& view, const WantedCpu& wanted) const {
  const cpu::ModelMatch& known = wanted.built_in;
  if (one_model_) {
    const bool exact = known.matched_by == MatchedBy::cpuid || known.matched_by == MatchedBy::name;
    return {{view, &view.models[0]}, exact ? known.matched_by : MatchedBy::name, {}};
  }
  if (known.matched_by == MatchedBy::name)
    if (const auto model = cpu::find_model({&view, 1}, known.model.name(), layers()).model)
      return {model, MatchedBy::name, {}};
  cpu::ModelMatch match = cpu::match_model(view, wanted.cpuid, wanted.pmu_name, layers());
  if (!match.model && known.model)
    if (const auto model = model_named(view, known.model.name()))
      return {model, known.matched_by, known.note};
  return match;
}

std::optional<TreeMatch> Tree::find(const WantedCpu& wanted) const {
  const trees::ArchDir* directory = directory_of(wanted.arch);
  if (!directory) return std::nullopt;
  TreeMatch part{this,
                 directory,
                 match(views_[static_cast<std::size_t>(directory - architectures_.data())], wanted),
                 {}};
  if (!part.match.model) return std::nullopt;
  part.version = version_of(part.match.model, wanted.cpuid);
  return part;
}

Error Tree::has_nothing(const WantedCpu& wanted) const {
  const trees::ArchDir* directory = directory_of(wanted.arch);
  Error error;
  error.code = Errc::not_found;
  error.where = path_;
  if (directory == nullptr) {
    error.message = fmt::format("no events of {} CPUs", wanted.arch);
  } else {
    error.message = fmt::format("no events for CPU {}", wanted.cpuid);
    error.hint = fmt::format(
        "its models are {}; choose one with its name, or add a row to its "
        "mapfile.csv",
        names_of(*directory));
  }
  return error;
}

namespace {

/// The contents of trees for a CPU.
struct Found {
  std::vector<TreeMatch> parts;
  bool over_known = false;  ///< they lie over the model that evname has
};

Result<Found> find_in(std::span<const TreePtr> trees, const WantedCpu& wanted) {
  Found out;
  for (const TreePtr& tree : trees) {
    auto part = tree->find(wanted);
    if (!part) continue;
    const std::string model(part->match.model.name());
    const trees::ArchDir read = only(*part->directory, model, model);
    if (auto owned = check_owners(*tree, read); !owned) return fail(owned);
    if (auto small = check_size(bytes_of(read), tree->path()); !small) return fail(small);
    out.over_known = out.over_known || is_known(wanted.built_in, *part, tree->is_one_model());
    out.parts.push_back(std::move(*part));
  }
  if (out.parts.empty()) return fail(trees.back()->has_nothing(wanted));
  return out;
}

}  // namespace

Result<Overlay> read_trees(std::span<const TreePtr> trees, const WantedCpu& wanted) {
  const auto found = find_in(trees, wanted);
  if (!found) return fail(found);
  const auto& [parts, over_known] = *found;
  const cpu::ModelMatch& known = wanted.built_in;
  const cpu::ModelMatch& newest = parts.back().match;
  const std::string name(over_known ? known.model.name() : newest.model.name());
  Sources sources{name, over_known, {}};
  for (const TreeMatch& part : parts) {
    trees::ArchDir directory = only(*part.directory, part.match.model.name(), name);
    directory.arch = wanted.arch;
    sources.parts.push_back({std::move(directory), part.tree->path()});
  }
  Overlay out{compile(sources), {}};
  for (const TreePtr& tree : trees)
    out.warnings.insert(out.warnings.end(), tree->fact_warnings().begin(),
                        tree->fact_warnings().end());
  if (known.model && !over_known && !out.models.empty())
    if (std::string warning = dropped_events(known.model, parts.back(), out.models);
        !warning.empty())
      out.warnings.push_back(std::move(warning));
  if (out.models.empty())
    return fail(Errc::corrupt, fmt::format("model {} has no event that can be used", name),
                trees.back()->path(), out.warnings.empty() ? std::string() : out.warnings.front());
  out.match = {out.models.front(), newest.matched_by, newest.note};
  return out;
}

Result<std::vector<DirectoryModel>> models_in(const std::string& directory) {
  const auto tree = Tree::open(directory);
  if (!tree) return fail(tree);
  std::vector<DirectoryModel> out;
  for (const tables::ArchTables& arch : tree->models())
    for (std::size_t i = 0; i < arch.models.size(); ++i) {
      if ((arch.models[i].flags & tables::kOfNoCpu) != 0) continue;
      DirectoryModel& model = out.emplace_back();
      model.arch = arch.arch;
      model.name = arch.text(arch.models[i].name);
      for (const tables::MapRow& row : arch.map_rows)
        if (row.model == i) model.patterns.emplace_back(arch.text(row.pattern));
      model.example_cpuid = compiler::example_cpuid({arch, &arch.models[i]});
    }
  return out;
}

}  // namespace evname::overlay
