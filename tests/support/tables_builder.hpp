#pragma once
// Makes small ArchTables by hand, for tests of what reads them.

#include <string>
#include <string_view>
#include <vector>

#include "tables/lookup.hpp"

namespace evname::test {

/// Texts are copied. view() stays valid until the builder is changed or destroyed.
class TablesBuilder {
 public:
  explicit TablesBuilder(std::string arch) : arch_(std::move(arch)) { strings_.push_back('\0'); }

  struct PmuRow {
    std::string_view pmu;
    std::uint32_t events = 1;  ///< how many (nameless) events it has
  };

  /// Returns the model's index.
  std::uint32_t model(std::string_view name, std::vector<PmuRow> pmus = {{"default_core", 1}},
                      std::uint32_t flags = 0) {
    tables::Model model{};
    model.name = text(name);
    model.first_pmu = static_cast<std::uint32_t>(pmus_.size());
    model.pmu_count = static_cast<std::uint32_t>(pmus.size());
    model.flags = flags;
    for (const PmuRow& row : pmus) {
      pmus_.push_back({text(row.pmu), static_cast<std::uint32_t>(entries_.size()), row.events});
      entries_.insert(entries_.end(), row.events, 0);
    }
    models_.push_back(model);
    return static_cast<std::uint32_t>(models_.size() - 1);
  }

  void row(std::string_view pattern, std::uint32_t model) {
    rows_.push_back({text(pattern), 0, model});
  }

  /// A model of that name together with its mapfile row.
  void mapped(std::string_view pattern, std::string_view name) { row(pattern, model(name)); }

  tables::ArchTables view() const {
    tables::ArchTables out;
    out.arch = arch_;
    out.strings = strings_;
    out.events = events_;
    out.entries = entries_;
    out.pmus = pmus_;
    out.models = models_;
    out.map_rows = rows_;
    return out;
  }

  tables::ModelView model_view(std::uint32_t index) const { return {view(), &models_[index]}; }

 private:
  tables::Text text(std::string_view value) {
    const auto at = static_cast<tables::Text>(strings_.size());
    strings_.insert(strings_.end(), value.begin(), value.end());
    strings_.push_back('\0');
    return at;
  }

  std::string arch_;
  std::vector<char> strings_;
  std::vector<tables::Event> events_ = {tables::Event{}};
  std::vector<std::uint32_t> entries_;
  std::vector<tables::PmuEvents> pmus_;
  std::vector<tables::Model> models_;
  std::vector<tables::MapRow> rows_;
};

}  // namespace evname::test
