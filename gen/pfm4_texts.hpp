#pragma once
// Finds this project's descriptions of libpfm4's events: by the makers' names in arch/descriptions,
// and for AMD's cores by code, since libpfm4 has other names.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tsl/robin_map.h>

#include "base/text_pool.hpp"
#include "events/trees/diagnostics.hpp"

namespace evname::gen {

/// The known facts about an event or unit mask.
struct DescribedEvent {
  std::string_view arch;   ///< the folder below arch/
  std::string_view table;  ///< the file below arch/pfm4/, without ".csv"
  std::string name;        ///< "EVENT" or "EVENT.MASK"
  std::uint64_t code = 0;  ///< of the event
  std::uint64_t mask = 0;  ///< of the unit mask
};

class Pfm4Texts {
 public:
  /// `root` is arch/. The files that are read are added to `files`.
  Pfm4Texts(std::string root, trees::Diagnostics& diagnostics, std::vector<std::string>& files)
      : root_(std::move(root)), diagnostics_(diagnostics), files_(files) {}

  /// Appends the texts of an event and its masks, and returns the number that the event has.
  void add_event(const DescribedEvent& event, const std::vector<DescribedEvent>& masks);
  /// Returns the C++ source of the tables (libpfm/event_texts.hpp).
  std::string source() const;

 private:
  struct Row {
    std::uint32_t text, masks;
  };
  using Sentences = tsl::robin_map<std::string, std::string>;

  void for_each_row(const std::string& folder, auto&& take);
  const Sentences& of_arch(const std::string& arch);
  const Sentences& of_codes(const std::string& model);
  std::string_view find(const DescribedEvent& event);

  std::string root_;
  trees::Diagnostics& diagnostics_;
  std::vector<std::string>& files_;
  std::map<std::string, Sentences> archs_, models_;
  std::string strings_ = std::string(1, '\0');
  UniqueTexts texts_{strings_};
  std::map<std::vector<std::uint32_t>, std::uint32_t> runs_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> masks_;
};

}  // namespace evname::gen
