#pragma once
// The descriptions that this project has written: once per name, carried to every model that
// encodes the name the same way.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/json.hpp"

namespace evname::importer {

/// What the encoding is, spelling and order apart: "event=0xd1,umask=0x20", sorted, without zeros
/// and without the period. Two entries with the same key count the same thing on the same PMU.
std::string encoding_key(const compiler::Object& object);
std::string encoding_key(std::string_view terms);

class OwnDescriptions {
 public:
  /// Reads DIRECTORY/*.json: rows of EventName, Unit (not for core PMUs), Encodings (texts of terms
  /// separated by spaces) and BriefDescription.
  void read(const std::string& directory, compiler::Diagnostics& diagnostics);

  /// Keeps what the entries of an earlier import carry; rows of read() go first.
  void read_carried(const std::string& topic_file);

  /// The description for an entry; "" if there is none.
  std::string_view find(const compiler::Object& object) const;

  /// Rows of read() that no entry has asked for yet.
  std::vector<std::string> unused() const;

 private:
  using Key = std::pair<std::string, std::string>;  // name and PMU class, encoding
  static Key key_of(const compiler::Object& object, std::string encoding);

  std::map<Key, std::string> rows_;
  std::map<Key, std::string> carried_;
  mutable std::set<Key> used_;
};

}  // namespace evname::importer
