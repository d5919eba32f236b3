#pragma once
// Event trees of a few lines, built into tables.

#include <gtest/gtest.h>

#include "events/compiler/build_tables.hpp"
#include "events/tables/model_view.hpp"
#include "support/temp_dir.hpp"

namespace evname::compiler {

/// An architecture "a" with model "m" mapped, unless a test writes more.
class TreeTest : public testing::Test {
 protected:
  void SetUp() override { dir_.write("a/mapfile.csv", "heading\nid-m,v1,m,core\n"); }

  void topic(std::string_view json) { dir_.write("a/m/topic.json", json); }

  const tables::TableArrays& build() {
    arrays_.clear();
    diagnostics_ = {};
    const std::vector<std::string> roots{dir_.path()};
    for (const auto& trees : group_by_architecture(roots, diagnostics_))
      arrays_.push_back(build_tables(trees, diagnostics_));
    EXPECT_FALSE(arrays_.empty());
    return arrays_.front();
  }

  /// "PMU event terms" of every event, in table order; models by name.
  std::vector<std::string> rows(std::string_view model = "m") {
    const tables::ArchTables view = build().view();
    std::vector<std::string> out;
    for (const tables::Model& m : view.models) {
      if (view.text(m.name) != model) continue;
      for (const auto& pmu : view.pmus.subspan(m.first_pmu, m.pmu_count))
        for (const auto entry : view.entries.subspan(pmu.first, pmu.count))
          out.push_back(std::string(view.text(pmu.pmu)) + " " +
                        std::string(view.text(view.events[tables::event_of(entry)].name)) + " " +
                        tables::terms_text(view, view.events[tables::event_of(entry)]));
    }
    return out;
  }

  /// The terms of the only event of the model.
  std::string terms_of(std::string_view entry) {
    topic("[{\"EventName\":\"E\"," + std::string(entry) + "}]");
    const auto all = rows();
    return all.size() == 1 ? all[0].substr(all[0].find(" e ") + 3) : "";
  }

  /// The diagnostics about topic files and models, file names cut to their last part.
  std::vector<std::string> said() const {
    std::vector<std::string> out;
    for (const trees::Diagnostic& d : diagnostics_.all()) {
      if (diagnostics_.file(d.place.file).ends_with("mapfile.csv")) continue;
      const std::string text = diagnostics_.text(d);
      out.push_back(text.substr(text.find_last_of('/', text.find(':')) + 1));
    }
    return out;
  }

  test::TempDir dir_;
  std::vector<tables::TableArrays> arrays_;
  trees::Diagnostics diagnostics_;
};

using Strings = std::vector<std::string>;

}  // namespace evname::compiler
