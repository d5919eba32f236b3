#pragma once
// Compares text with perf script 7.3, byte for byte: with tests/data/perf-script.txt and, if
// EVNAME_PERF_ORACLE names a directory with this perf, with its current output, which is added to
// the file EVNAME_KEEP_ORACLE.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "support/output_of.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::test {

class PerfScript : public testing::Test {
 protected:
  /// Of perf, in quotes; empty: there is none.
  static const std::string& program() {
    static const std::string found = [] {
      const char* directory = std::getenv("EVNAME_PERF_ORACLE");
      const std::string perf = fmt::format("'{}/perf'", directory ? directory : "");
      const bool is_there = output_of(perf + " --version").starts_with("perf version 7.");
      return is_there ? perf : std::string();
    }();
    return found;
  }
  /// Returns what perf script prints with these arguments, as a filter of the shell leaves it.
  static std::string perf(const std::string& path, const std::string& arguments,
                          const std::string& filter = "") {
    const std::string key =
        testing::UnitTest::GetInstance()->current_test_info()->name() + (": " + arguments + filter);
    const auto kept = kept_texts().find(key);
    if (program().empty()) {
      EXPECT_NE(kept, kept_texts().end()) << key;
      return kept == kept_texts().end() ? std::string() : kept->second;
    }
    std::string text =
        output_of(program() + " script -f -F " + arguments + " -i '" + path + "'" + filter);
    if (const char* keep = std::getenv("EVNAME_KEEP_ORACLE"))
      std::ofstream(keep, std::ios::app) << "== " << key << '\n' << text;
    else if (kept == kept_texts().end() || kept->second != text)
      ADD_FAILURE() << "perf-script.txt has something else: " << key;
    return text;
  }
  /// Returns the texts of perf-script.txt: each follows "== " and what it is of.
  static const std::map<std::string, std::string>& kept_texts() {
    static const std::map<std::string, std::string> texts = [] {
      std::map<std::string, std::string> out;
      std::ifstream file(std::string(std::getenv("EVNAME_SOURCE_ROOT")) +
                         "/tests/data/perf-script.txt");
      std::string* text = nullptr;
      for (std::string line; std::getline(file, line);) {
        if (line.starts_with("== "))
          text = &out[line.substr(3)];
        else if (text != nullptr)
          *text += line + '\n';
      }
      return out;
    }();
    return texts;
  }
  static std::string ours(const Recording& file, const std::string& names) {
    return written(file, {.fields = fields(names), .names = NameStyle::recorded});
  }
  void compare(const PerfFile& file, const std::string& fields) {
    const std::string path = dir.write("perf.data", file.file());
    const auto opened = Recording::open(path);
    ASSERT_TRUE(opened);
    const std::string expected = perf(path, fields);
    EXPECT_FALSE(expected.empty()) << fields;
    EXPECT_EQ(ours(*opened, fields), expected);
  }
  TempDir dir;
};

}  // namespace evname::test
