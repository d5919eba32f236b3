#pragma once
// The recordings under EVNAME_SHARED, and the output of perf for them.

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace evname::test {

inline std::string shared_dir() {
  const char* dir = std::getenv("EVNAME_SHARED");
  return dir ? dir : "";
}

/// Reads a table with a title line; returns the columns of each row.
inline std::vector<std::vector<std::string>> read_tsv(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    rows.emplace_back();
    for (std::string_view cell : split(line, '\t')) rows.back().emplace_back(cell);
  }
  return rows;
}

inline std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Returns every recording of the folder, sorted.
inline std::vector<std::string> all_recordings() {
  std::vector<std::string> paths;
  for (const auto& row : read_tsv(shared_dir() + "/recordings/INDEX.tsv"))
    paths.push_back(shared_dir() + "/recordings/" + row[0] + ".data");
  for (const auto& row : read_tsv(shared_dir() + "/corpus/truth.tsv"))
    paths.push_back(shared_dir() + "/corpus/" + row[0]);
  return paths;
}

/// Returns one of three, or all if the environment has EVNAME_EVERY_RECORDING.
inline std::vector<std::string> some_recordings() {
  std::vector<std::string> paths = all_recordings();
  if (std::getenv("EVNAME_EVERY_RECORDING")) return paths;
  std::erase_if(paths, [i = 0](const std::string&) mutable { return i++ % 3 != 0; });
  return paths;
}

}  // namespace evname::test
