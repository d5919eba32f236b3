#include "events/trees/tree.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/read_file.hpp"
#include "base/regex.hpp"
#include "base/text.hpp"

namespace evname::trees {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDescriptions = "descriptions";  // has a directory per architecture
constexpr int kMaxLevel = 4;  // directories between the architecture and a file

void visit(const std::string& directory, const std::string& name, int level, Walk& walk,
           ArchDir& arch) {
  Walk::Listing found = walk.list(directory);
  const bool is_model = std::ranges::all_of(
      found.directories, [](const fs::path& path) { return path.filename() == "sys"; });
  if (is_model) {
    const bool is_system = fs::path(directory).filename() == "sys";
    arch.models.push_back({name, is_system, std::move(found.files), false, {}, {}});
  } else {
    std::ranges::move(found.files, std::back_inserter(arch.stray));
  }
  if (level == kMaxLevel) return;
  for (const std::string& child : found.directories)
    visit(child, name + "/" + fs::path(child).filename().string(), level + 1, walk, arch);
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

struct Midr {
  std::uint64_t part, variant, revision;
};

bool has_midrs(std::string_view arch) { return arch == "arm64" || arch == "arm"; }

/// Fields of a MIDR_EL1 value: variant is bits 23:20, revision bits 3:0.
std::optional<Midr> midr_of(std::string_view pattern) {
  const auto value = evname::parse_number(pattern);
  if (!value) return std::nullopt;
  return Midr{*value & ~std::uint64_t{0xf0000f}, *value >> 20 & 0xf, *value & 0xf};
}

/// Returns true if there is a lower-case letter after the vendor, outside of a character class.
/// Model and stepping are upper-case hexadecimal.
bool has_lower_case_model(std::string_view pattern) {
  const auto dash = pattern.find('-');
  bool in_class = false;
  for (std::size_t i = dash; i != std::string_view::npos && i < pattern.size(); ++i) {
    if (pattern.substr(i).starts_with("[:")) in_class = true;
    if (pattern.substr(i).starts_with(":]")) in_class = false;
    if (!in_class && pattern[i] >= 'a' && pattern[i] <= 'z') return true;
  }
  return false;
}

/// Returns why the row can't match any CPU; "" if it can.
std::string fault_of(std::string_view arch, const MapfileRow& row) {
  if (trim(row.pattern) != row.pattern) return "spaces around the pattern";
  if (has_midrs(arch)) return midr_of(row.pattern) ? "" : "not a MIDR number";
  if (!Regex::compile(row.pattern))
    return "not an extended regular expression, or one that repeats too much";
  if (arch == "x86" && has_lower_case_model(row.pattern))
    return "x86 models are written in upper case";
  return "";
}

/// Returns true if every CPU that matches `later` also matches `earlier`.
bool hides(std::string_view arch, const MapfileRow& earlier, const MapfileRow& later) {
  if (earlier.pattern == later.pattern) return true;
  if (!has_midrs(arch)) return false;
  const auto a = midr_of(earlier.pattern), b = midr_of(later.pattern);
  if (!a || !b || a->part != b->part) return false;
  return b->variant > a->variant || (b->variant == a->variant && b->revision >= a->revision);
}

/// Returns the cells of one line; a quoted cell may hold commas and "" for a quote.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && line.substr(i + 1).starts_with('"')) {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

Walk::Listing Walk::list(const std::string& directory) {
  struct stat status;
  if (::stat(directory.c_str(), &status) == 0) known_.emplace(status.st_dev, status.st_ino);
  Listing out;
  std::map<std::string, std::pair<dev_t, ino_t>> links;
  // (Iterators of std::filesystem end the program if there is no memory.)
  for (const std::string& name : list_directory(directory, SIZE_MAX)) {
    const fs::path path = fs::path(directory) / name;
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      const std::pair identity(status.st_dev, status.st_ino);
      std::error_code ignored;
      if (fs::is_symlink(path, ignored))
        links.emplace(path, identity);
      else
        known_.insert(identity);
      out.directories.push_back(path);
    } else if (path.extension() == ".json") {  // its reader reports one that is not a regular file
      out.files.push_back(path);
    }
  }
  std::erase_if(out.directories, [&](const std::string& path) {
    const auto link = links.find(path);
    return link != links.end() && !known_.insert(link->second).second;
  });
  return out;
}

std::vector<ArchDir> find_architectures(const std::string& root) {
  std::vector<ArchDir> out;
  Walk walk;
  for (const std::string& directory : walk.list(root).directories) {
    const fs::path path(directory);
    if (path.filename() == kDescriptions) continue;
    Walk::Listing found = walk.list(directory);
    ArchDir arch;
    arch.arch = path.filename();
    arch.path = path;
    arch.standard = std::move(found.files);
    std::error_code ignored;
    const auto mapfile = fs::symlink_status(path / "mapfile.csv", ignored).type();
    if (mapfile != fs::file_type::not_found) arch.mapfile = path / "mapfile.csv";
    for (const std::string& child : found.directories)
      visit(child, fs::path(child).filename(), 1, walk, arch);
    if (fs::is_regular_file(path / kSourcesFile, ignored)) read_sources(path / kSourcesFile, arch);
    if (!arch.mapfile.empty() || !arch.models.empty()) out.push_back(std::move(arch));
  }
  return out;
}

std::vector<std::string> json_files(const std::string& directory) {
  return Walk().list(directory).files;
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

std::vector<MapfileRow> read_mapfile(const std::string& path, Diagnostics& diagnostics) {
  std::vector<MapfileRow> rows;
  for (CsvRow& row : read_csv(path, diagnostics)) {
    auto& cells = row.cells;
    if (row.place.offset == 0) continue;  // the heading
    if (cells.size() < 3) {
      diagnostics.report(Severity::error, row.place, "", "",
                         fmt::format("{} columns where at least 3 are needed", cells.size()));
      continue;
    }
    cells.resize(7);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[6], row.place});
  }
  return rows;
}

void lint_mapfile(std::string_view arch, const std::vector<MapfileRow>& rows,
                  Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string fault = fault_of(arch, rows[i]);
    for (std::size_t j = 0; j < i && fault.empty(); ++j)
      if (hides(arch, rows[j], rows[i]))
        fault = fmt::format("'{}' in an earlier row takes all of it", rows[j].pattern);
    if (!fault.empty())
      diagnostics.report(Severity::warning, rows[i].place, "", rows[i].pattern,
                         "can never match: " + fault);
  }
}

std::vector<CsvRow> read_csv(const std::string& path, Diagnostics& diagnostics) {
  const std::uint32_t file = diagnostics.add_file(path);
  std::vector<CsvRow> rows;
  const auto text = read_tree_file(path);
  if (!text) {
    diagnostics.report(Severity::error, {file, 0}, "", "", text.error().message);
    return rows;
  }
  std::uint32_t offset = 0;
  for (std::string_view line : split(*text, '\n')) {
    const Place place{file, offset};
    offset += static_cast<std::uint32_t>(line.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && line[0] != '#') rows.push_back({cells_of(line), place});
  }
  return rows;
}

}  // namespace evname::trees
