// Finds a user's directories of event files.
#include <stdlib.h>

#include <algorithm>
#include <charconv>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/overlay/overlay.hpp"

namespace evname::overlay {
namespace {

constexpr const char* kSystemData = "/usr/share";

/// The directories inside of DATA/evname/events, sorted by name.
void add_data_directories(const std::string& data, std::vector<std::string>& out) {
  const std::string events = data + (data.ends_with('/') ? "" : "/") + "evname/events/";
  for (const std::string& name : base::list_directory(events))
    if (base::is_directory(events + name)) out.push_back(events + name);
}

std::vector<std::string> user_directories() {
  std::vector<std::string> out;
  if (const char* listed = secure_getenv("EVNAME_EVENTS")) {
    if (listed[0] == '\0') return out;
    for (const std::string_view directory : split(listed, ':'))
      if (!directory.empty()) out.emplace_back(directory);
  }
  if (const char* data = secure_getenv("XDG_DATA_HOME"); data != nullptr && data[0] == '/')
    add_data_directories(data, out);
  else if (const char* home = secure_getenv("HOME"); home != nullptr && home[0] == '/')
    add_data_directories(std::string(home) + "/.local/share", out);
  add_data_directories(kSystemData, out);
  return out;
}

/// Signed, since libstdc++ up to 13.2 compares vectors of unsigned numbers wrongly on big-endian
/// machines (only the first bytes).
using VersionNumbers = std::vector<std::int64_t>;

/// {1, 20} of "V1.20"; empty for a text without a number.
VersionNumbers version_numbers(std::string_view text) {
  VersionNumbers numbers;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    VersionNumbers::value_type number = 0;
    const bool digit = *at >= '0' && *at <= '9';
    const auto [stop, error] = std::from_chars(at, text.data() + text.size(), number);
    if (digit && error == std::errc{}) numbers.push_back(number);
    at = digit ? stop : at + 1;
  }
  return numbers;
}

}  // namespace

std::vector<TreePtr> user_trees(std::vector<std::string>& warnings) {
  std::vector<TreePtr> trees;
  for (const std::string& directory : user_directories()) {
    auto tree = Tree::open(directory, Files::nobody_elses);
    if (!tree) {
      warnings.push_back(tree.error().text());
    } else if (tree->is_one_model()) {
      warnings.push_back(directory +
                         ": not used: nothing there says which CPUs its events are for");
    } else if (!tree->has_known_architecture()) {
      warnings.push_back(directory +
                         ": not used: its directories are called like no architecture (x86, arm64, "
                         "…); name the one that holds them");
    } else {
      trees.push_back(std::make_shared<const Tree>(std::move(*tree)));
    }
  }
  return trees;
}

std::vector<TreePtr> newest_last(std::vector<TreePtr> trees, const WantedCpu& wanted) {
  std::vector<std::pair<VersionNumbers, TreePtr>> found;
  for (TreePtr& tree : trees)
    if (const auto part = tree->find(wanted))
      found.emplace_back(version_numbers(part->version), std::move(tree));
  std::reverse(found.begin(), found.end());
  sort_stably_by(found, &std::pair<VersionNumbers, TreePtr>::first);
  trees.clear();
  for (auto& [version, tree] : found) trees.push_back(std::move(tree));
  return trees;
}

std::vector<std::string> user_event_directories() {
  std::vector<std::string> out, unusable;
  for (const TreePtr& tree : user_trees(unusable)) out.push_back(tree->path());
  return out;
}

}  // namespace evname::overlay
