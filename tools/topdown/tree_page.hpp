#pragma once
// The page of `evname topdown --html`: the tree as a picture, over time if there are intervals.

#include <string>
#include <string_view>
#include <vector>

#include "topdown/reading.hpp"

namespace evname::tools {

/// The page, with "__EVNAME_DATA__" in place of its data.
extern const std::string_view kTopdownPage;

class TreePage {
 public:
  TreePage(const Machine& machine, const TopdownOptions& options)
      : machine_(machine), options_(options) {}

  void add(const ChosenTree& chosen, const TreeReading& reading);
  /// A self-contained page: it needs no network and no other file.
  std::string text() const;

 private:
  /// A tree at a place: its values in each interval, and over all.
  struct Place {
    const ChosenTree* chosen;
    std::string name;
    std::vector<double> times, lengths;
    std::vector<std::vector<double>> values;  ///< of each interval
    std::vector<std::vector<std::uint8_t>> flagged;
    std::optional<TreeReading> whole;
  };
  Place& place_of(const ChosenTree& chosen, const std::string& name);
  /// The data for the page's script, in JSON.
  std::string data() const;

  const Machine& machine_;
  const TopdownOptions& options_;
  std::vector<Place> places_;
};

}  // namespace evname::tools
