// Trees with only some models built.
#include "gen/choose_models.hpp"

#include "events/compiler/tree_fixture.hpp"

namespace evname::gen {
namespace {

constexpr std::string_view kEvent = R"([{"EventName":"E"}])";

using compiler::Strings;

class ChooseModels : public testing::Test {
 protected:
  void SetUp() override {
    dir_.write("x86/mapfile.csv", "h\nA-1-[0-4],v1,one,core\nA-1-.*,v1,two,core\nB,v1,one,core\n");
    dir_.write("x86/one/t.json", kEvent);
    dir_.write("x86/two/t.json", kEvent);
    dir_.write("arm64/mapfile.csv", "h\n0x410fd0c0,v1,arm/n1,core\n0x410fd400,v1,arm/v1,core\n");
    dir_.write("arm64/std.json", R"([{"EventName":"S"}])");
    dir_.write("arm64/arm/n1/t.json", R"([{"ArchStdEvent":"S"}])");
    dir_.write("arm64/arm/v1/t.json", R"([{"ArchStdEvent":"S"}])");
    dir_.write("arm64/soc/sys/t.json", R"([{"EventName":"P","Unit":"sys_p","Compat":"x"}])");
    dir_.write("arm64/other/sys/t.json", R"([{"EventName":"P","Unit":"sys_p","Compat":"y"}])");
  }

  /// "ARCH/MODEL" of the tables built from what the globs leave.
  Strings built(const Strings& globs) {
    Strings out;
    auto groups =
        compiler::group_by_architecture(std::vector<std::string>{dir_.path()}, diagnostics_);
    const auto chosen = choose_models(globs, &groups);
    EXPECT_TRUE(chosen) << chosen.error().text();
    arrays_.clear();
    for (const auto& trees : groups) {
      arrays_.push_back(compiler::build_tables(trees, diagnostics_));
      const auto view = arrays_.back().view();
      for (const tables::Model& model : view.models)
        out.push_back(arrays_.back().arch + "/" + std::string(view.text(model.name)));
    }
    return out;
  }

  /// "PATTERN MODEL" of the mapfile rows of the last architecture built.
  Strings map_rows() const {
    const auto view = arrays_.back().view();
    Strings out;
    for (const tables::MapRow& row : view.map_rows)
      out.push_back(std::string(view.text(row.pattern)) + " " +
                    (row.model == tables::kLeftOut
                         ? "left out"
                         : std::string(view.text(view.models[row.model].name))));
    return out;
  }

  std::string error(const std::string& glob) {
    auto groups =
        compiler::group_by_architecture(std::vector<std::string>{dir_.path()}, diagnostics_);
    const auto chosen = choose_models(std::vector<std::string>{"x86/one", glob}, &groups);
    EXPECT_EQ(groups.size(), 2u) << "untouched after an error";
    return chosen ? "" : chosen.error().text();
  }

  test::TempDir dir_;
  std::vector<tables::TableArrays> arrays_;
  trees::Diagnostics diagnostics_;
};

TEST_F(ChooseModels, ByGlobsOverArchitectureAndModel) {
  struct Case {
    Strings globs, models;
  };
  const Case cases[] = {
      {{"x86/*"}, {"x86/one", "x86/two"}},
      {{"x86/two"}, {"x86/two"}},
      {{"x86/[!o]*"}, {"x86/two"}},
      {{"x86/one", "x86/t?o"}, {"x86/one", "x86/two"}},
      {{"*/n1"}, {"arm64/arm/n1", "arm64/other/sys", "arm64/soc/sys", "arm64/standard"}},
      {{"arm64/soc/*"}, {"arm64/soc/sys", "arm64/standard"}},
  };
  for (const Case& c : cases) EXPECT_EQ(built(c.globs), c.models) << c.globs.front();
  EXPECT_EQ(built({}).size(), 7u);
}

TEST_F(ChooseModels, ADirectoryOfDirectoriesIsNoModelAndKeepsNoArchitecture) {
  dir_.write("x86/soc/t.json", kEvent);
  EXPECT_EQ(built({"*/soc"}), Strings{"x86/soc"});
}

TEST_F(ChooseModels, NothingIsSaidOfRowsOfModelsLeftOut) {
  built({"x86/two"});
  EXPECT_EQ(diagnostics_.all().size(), 0u);
}

TEST_F(ChooseModels, ARowToADirectoryThatIsNotThereIsStillReported) {
  dir_.write("x86/mapfile.csv", "h\nA,v1,one,core\nB,v1,gone,core\n");
  built({"x86/one"});
  ASSERT_EQ(diagnostics_.all().size(), 1u);
  EXPECT_EQ(diagnostics_.all()[0].key, "gone");
}

TEST_F(ChooseModels, ARowOfAModelLeftOutKeepsItsCpusFromLaterRows) {
  // A-1-3 is a "one"; in a build without it, it must not become a "two".
  built({"x86/two"});
  EXPECT_EQ(map_rows(), (Strings{"A-1-[0-4] left out", "A-1-.* two"}));
  built({"x86/one"});
  EXPECT_EQ(map_rows(), (Strings{"A-1-[0-4] one", "A-1-.* left out", "B one"}));
}

TEST_F(ChooseModels, AModelOfOneTreeLeavesOutTheSameModelOfAnother) {
  const test::TempDir later{{"x86/two/more.json", kEvent}, {"x86/three/t.json", kEvent}};
  auto groups = compiler::group_by_architecture(std::vector<std::string>{dir_.path(), later.path()},
                                                diagnostics_);
  ASSERT_TRUE(choose_models(Strings{"x86/three"}, &groups));
  ASSERT_EQ(groups.size(), 1u);
  arrays_.push_back(compiler::build_tables(groups[0], diagnostics_));
  EXPECT_EQ(arrays_[0].models.size(), 1u);
  EXPECT_EQ(map_rows(), Strings{});
}

TEST_F(ChooseModels, AGlobThatMatchesNothingIsAnErrorWithNearModels) {
  struct Case {
    const char* glob;
    const char* message;
  };
  const Case cases[] = {
      {"x86/onne", "no model matches 'x86/onne' (did you mean x86/one?)"},
      {"n1", "no model matches 'n1' (did you mean arm64/arm/n1?)"},
      {"s390/cf_z16_and_more", "no model matches 's390/cf_z16_and_more'"},
      {"arm64/soc",
       "no model matches 'arm64/soc' (did you mean arm64/soc/sys"},  // a directory of directories
      {"", "no model matches ''"},
  };
  for (const Case& c : cases) EXPECT_TRUE(error(c.glob).starts_with(c.message)) << error(c.glob);
}

}  // namespace
}  // namespace evname::gen
