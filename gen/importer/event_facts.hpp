#pragma once
// The facts of one entry, apart from the file that they were read from.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/trees/diagnostics.hpp"
#include "events/trees/json.hpp"

namespace evname::importer {

/// Keys and values as written, in the order of compiler::keys(): no sentence, no part of a metric.
class Facts {
 public:
  Facts() = default;
  explicit Facts(const trees::Object& object);

  std::string_view get(std::string_view key) const;
  /// "" takes the key out.
  void set(std::string_view key, std::string_view value);

  /// One that compiler functions read: valid as long as this is, and unchanged.
  trees::Object object() const;
  /// "event=0xd1,umask=0x20", sorted, without zeros and the period.
  std::string encoding() const;
  std::string pmu() const;
  /// As one line of JSON, the description last; "" for none.
  std::string line(std::string_view description) const;

  bool operator==(const Facts&) const = default;

 private:
  std::vector<std::pair<std::string_view, std::string>> values_;  ///< keys are those of keys()
};

}  // namespace evname::importer
