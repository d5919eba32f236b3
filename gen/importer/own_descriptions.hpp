#pragma once
// Finds this project's own descriptions. They are written once per name of an architecture, and
// copied to every model with this name or with the same encoding.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/trees/json.hpp"

namespace evname::importer {

/// The normalized encoding: "event=0xd1,umask=0x20", sorted, without zeros and without the period.
/// Two entries with the same key count the same thing on the same PMU.
std::string encoding_key(const trees::Object& object);
std::string encoding_key(std::string_view terms);

class OwnDescriptions {
 public:
  /// Reads *.json files of descriptions: rows of EventName, BriefDescription, Unit (not for core
  /// PMUs), Encodings (texts of terms separated by spaces; without them the row is for every
  /// encoding of the name that no other row is for) and Models (patterns of models, or of
  /// MODEL:UNIT, separated by spaces; such a row comes before those without).
  void read(std::span<const std::string> files, trees::Diagnostics& diagnostics);

  /// Reads the rows of an architecture whose events mean the same. Rows of read() take precedence,
  /// and these need not be used.
  void read_related(std::span<const std::string> files, trees::Diagnostics& diagnostics);

  /// Keeps the descriptions of an earlier import; rows of read() take precedence.
  void read_carried(const std::string& topic_file);

  /// The description for an entry of a model; "" if there is none.
  std::string_view find(const trees::Object& object, std::string_view model) const;

  /// The unused rows of read().
  std::vector<std::string> unused() const;

 private:
  using Key = std::pair<std::string, std::string>;  // name and PMU class, encoding
  static Key key_of(const trees::Object& object, std::string encoding);
  /// A row that is for some models only.
  struct ModelRow {
    std::string models, text;
    mutable bool used = false;
  };
  void add(const trees::Object& object, Key key, trees::Diagnostics& diagnostics);
  const std::string* find_for_model(const Key& key, const trees::Object& object,
                                    std::string_view model) const;

  std::map<Key, std::string> rows_;
  std::map<Key, std::vector<ModelRow>> model_rows_;
  std::map<Key, std::string> carried_;
  mutable std::set<Key> used_;
};

}  // namespace evname::importer
