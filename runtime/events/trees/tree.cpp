#include "events/trees/tree.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::trees {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDescriptions = "descriptions";  // has a directory per architecture
constexpr int kMaxLevel = 4;  // directories between the architecture and a file

struct Listing {
  std::vector<fs::path> files, directories;
};

Listing list(const fs::path& directory) {
  Listing out;
  // (Iterators of std::filesystem end the program if there is no memory.)
  for (const std::string& name : list_directory(directory.string(), SIZE_MAX)) {
    std::error_code ignored;
    const fs::path path = directory / name;
    if (fs::is_directory(path, ignored))
      out.directories.push_back(path);
    else if (path.extension() == ".json")  // if it is not a regular file, its reader reports that
      out.files.push_back(path);
  }
  return out;
}

std::vector<std::string> strings(const std::vector<fs::path>& paths) {
  return {paths.begin(), paths.end()};
}

void walk(const fs::path& directory, const std::string& name, int level, ArchDir& arch) {
  const Listing found = list(directory);
  const bool is_model = std::all_of(found.directories.begin(), found.directories.end(),
                                    [](const fs::path& p) { return p.filename() == "sys"; });
  if (is_model) {
    arch.models.push_back(
        {name, directory.filename() == "sys", strings(found.files), false, {}, {}});
  } else {
    for (const fs::path& file : found.files) arch.stray.push_back(file);
  }
  if (level == kMaxLevel) return;
  for (const fs::path& child : found.directories)
    walk(child, name + "/" + child.filename().string(), level + 1, arch);
}

/// Rows "MODEL,SOURCE"; other lines are ignored.
void read_sources(const std::string& path, ArchDir& arch) {
  arch.sources = path;
  const auto text = read_tree_file(path);
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) {
    const auto comma = line.find(',');
    const auto model = std::ranges::find(arch.models, line.substr(0, comma), &ModelDir::name);
    if (comma != std::string_view::npos && model != arch.models.end())
      model->source = line.substr(comma + 1);
  }
}

}  // namespace

std::vector<ArchDir> find_architectures(const std::string& root) {
  std::vector<ArchDir> out;
  for (const fs::path& path : list(root).directories) {
    if (path.filename() == kDescriptions) continue;
    const Listing found = list(path);
    ArchDir arch;
    arch.arch = path.filename();
    arch.path = path;
    arch.standard = strings(found.files);
    std::error_code ignored;
    const auto mapfile = fs::symlink_status(path / "mapfile.csv", ignored).type();
    if (mapfile != fs::file_type::not_found) arch.mapfile = path / "mapfile.csv";
    for (const fs::path& child : found.directories) walk(child, child.filename(), 1, arch);
    if (fs::is_regular_file(path / kSourcesFile, ignored)) read_sources(path / kSourcesFile, arch);
    if (!arch.mapfile.empty() || !arch.models.empty()) out.push_back(std::move(arch));
  }
  return out;
}

std::vector<std::string> json_files(const std::string& directory) {
  return strings(list(directory).files);
}

std::string topic_of(const std::string& path) {
  std::string name = fs::path(path).filename();
  if (name.ends_with("metrics.json")) return "metrics";
  name.resize(name.size() - std::string_view(".json").size());
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

bool is_own_file(const std::string& path) {
  return fs::path(path).filename().string().starts_with("evname-");
}

}  // namespace evname::trees
