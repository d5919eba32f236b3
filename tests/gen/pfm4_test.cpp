// Files of libpfm4's names that the tables have no room for. Sizes: events/pfm4/dictionary.hpp.
#include "gen/pfm4.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace evname::gen {
namespace {

/// The messages about one PMU with the columns id, events and counters, and one event of the group.
std::vector<std::string> said_about(const std::string& id, const std::string& events,
                                    const std::string& counters, const std::string& group) {
  const test::TempDir dir{
      {"pfm4/pmus.csv", "id,name,label,arch,table,events,layout,type,levels,counters,fixed\n" + id +
                            ",p,P,x86,t," + events + ",intel,core,ku," + counters + ",0\n"},
      {"pfm4/own_pmus.csv", "id\n"},
      {"pfm4/presets.csv", "name\n"},
      {"pfm4/t.csv", "event,mask,code,group\nE,,1,\n,M,1," + group + "\n"}};
  trees::Diagnostics diagnostics;
  std::vector<std::string> files, said;
  emit_pfm4(dir.path("pfm4"), diagnostics, files);
  for (const trees::Diagnostic& one : diagnostics.all()) said.push_back(one.message);
  return said;
}

TEST(Pfm4Files, NumbersThatDoNotFitAreErrors) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(said_about("65535", "1", "255", "255/255"), Strings());
  EXPECT_EQ(said_about("65536", "1", "2", ""), Strings(2, "'65536' is too large"));
  EXPECT_EQ(said_about("7", "65537", "2", ""), Strings{"'65537' is too large"});
  EXPECT_EQ(said_about("7", "1", "258", ""), Strings{"'258' is too large"});
  EXPECT_EQ(said_about("7", "1", "2", "256"), Strings{"'256' is too large"});
  EXPECT_EQ(said_about("7", "1", "2", "0/256"), Strings{"'256' is too large"});
  EXPECT_EQ(said_about("7", "1", "x", ""), Strings{"'x' is not a number"});
}

}  // namespace
}  // namespace evname::gen
