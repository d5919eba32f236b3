// Files of libpfm4's names that the tables have no room for. Sizes: events/pfm4/dictionary.hpp.
#include "gen/pfm4.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gen/pfm4_texts.hpp"
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

// A bit for each stepping, and family and models as one number.
TEST(Pfm4Files, CpusHaveRangesOfModelsAndSteppings) {
  const std::pair<const char*, const char*> rows[] = {
      {"GenuineIntel-6-55-0..4", "{0x60055,0x60055,31,"},
      {"GenuineIntel-6-4e..55,9-3", "{0x6004e,0x60055,8,"},
      {"AuthenticAMD-25-61-f", "{0x190061,0x190061,32768,"},
      {"AuthenticAMD-25", "{0x190000,0x19ffff,65535,"}};
  for (const auto& [cpu, range] : rows) {
    const test::TempDir dir{
        {"pfm4/pmus.csv",
         std::string(
             "id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,"
             "revision,cpu,perf\n7,p,P,x86,,0,intel,core,ku,4,0,,,,\"") +
             cpu + "\",\n"},
        {"pfm4/own_pmus.csv", "id\n"},
        {"pfm4/presets.csv", "name\n"}};
    trees::Diagnostics diagnostics;
    std::vector<std::string> files;
    const std::string tables = emit_pfm4(dir.path("pfm4"), diagnostics, files).tables;
    EXPECT_TRUE(diagnostics.all().empty()) << cpu;
    EXPECT_NE(tables.find(range), tables.npos) << cpu;
  }
}

// Of several sentences the one for all models and encodings describes an event; else the first.
TEST(Pfm4Files, ASentenceForAllModelsWins) {
  const std::string all = R"({"EventName": "E", "BriefDescription": "Of all."})";
  const auto some = [](const char* key, const char* text) {
    return fmt::format(R"({{"EventName": "E", "{}": "x", "BriefDescription": "{}"}})", key, text);
  };
  const std::string models = some("Models", "Of models."),
                    encodings = some("Encodings", "Of bits.");
  const std::pair<std::string, const char*> rows[] = {
      {all, "Of all."},
      {models, "Of models."},
      {encodings, "Of bits."},
      {all + "," + models, "Of all."},
      {models + "," + all, "Of all."},
      {encodings + "," + all + "," + models, "Of all."},
      {models + "," + encodings, "Of models."},
      {encodings + "," + models, "Of bits."}};
  for (const auto& [text, sentence] : rows) {
    const test::TempDir dir{{"arch/descriptions/x86/a.json", "[" + text + "]"}};
    trees::Diagnostics diagnostics;
    std::vector<std::string> files;
    Pfm4Texts texts(dir.path("arch"), diagnostics, files);
    texts.add_event({"x86", "t", "E"}, {});
    EXPECT_TRUE(diagnostics.all().empty());
    EXPECT_NE(texts.source().find(fmt::format("\"{}\\0\"", sentence)), std::string::npos) << text;
    for (const auto& [other, wrong] : rows)
      if (std::string_view(wrong) != sentence) {
        EXPECT_EQ(texts.source().find(wrong), std::string::npos) << text;
      }
  }
}

// An event with one unit mask is what that is; one of several masks is none of them. The rows of
// the source are {text, first mask}: 0 is no text.
TEST(Pfm4Files, AnEventOfOneMaskHasItsSentence) {
  const test::TempDir dir{{"arch/descriptions/x86/a.json",
                           R"([{"EventName": "E.M", "BriefDescription": "Of M."},
                               {"EventName": "F", "BriefDescription": "Of F."}])"}};
  const DescribedEvent m{"x86", "t", "E.M"}, n{"x86", "t", "E.N"}, e{"x86", "t", "E"},
      f{"x86", "t", "F"};
  const auto text_of = [&](const DescribedEvent& event, const std::vector<DescribedEvent>& masks) {
    trees::Diagnostics diagnostics;
    std::vector<std::string> files;
    Pfm4Texts texts(dir.path("arch"), diagnostics, files);
    texts.add_event(event, masks);
    const std::string source = texts.source(), head = "kEventTexts[] = {\n{";
    return source.substr(source.find(head) + head.size(), 1) != "0";
  };
  EXPECT_TRUE(text_of(e, {m}));
  EXPECT_FALSE(text_of(e, {m, n}));
  EXPECT_FALSE(text_of(e, {n}));
  EXPECT_FALSE(text_of(e, {}));
  EXPECT_TRUE(text_of(f, {m, n}));
}

}  // namespace
}  // namespace evname::gen
