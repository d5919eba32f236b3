#pragma once
// The descriptions that this project has written: once a name, carried to every model that encodes
// the name the same way.

#include <map>
#include <set>
#include <string>

#include "compiler/json.hpp"

namespace evname::gen {

class OwnDescriptions {
 public:
  /// Reads DIRECTORY/*.json: rows of EventName, Unit (not for core PMUs), Encodings (texts of terms
  /// separated by spaces) and BriefDescription.
  void read(const std::string& directory, Diagnostics& diagnostics);

  /// Keeps what the entries of an earlier import carry; rows of read() go first.
  void read_carried(const std::string& topic_file);

  /// The description for an entry; "" if there is none.
  std::string_view find(const Object& object) const;

  /// Rows of read() that no entry has asked for yet.
  std::vector<std::string> unused() const;

 private:
  using Key = std::pair<std::string, std::string>;  // name and PMU class, encoding
  static Key key_of(const Object& object, std::string encoding);

  std::map<Key, std::string> rows_;
  std::map<Key, std::string> carried_;
  mutable std::set<Key> used_;
};

}  // namespace evname::gen
