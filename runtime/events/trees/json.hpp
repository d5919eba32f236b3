#pragma once
// A topic file as rows of key and text, with the place of each.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::trees {

struct Field {
  std::string_view key;
  std::string_view value;  ///< strings decoded, numbers as written, true "1", false "0", null ""
  Place place;             ///< of the value
  bool nested = false;     ///< the value is an array or object and was left out
};

/// A value inside of an array or object of a row of "Metrics" and the like.
struct InnerValue {
  std::string_view path;  ///< keys that lead to its object or array, such as "Threshold/Names"
  std::string_view key;   ///< "" of an array's element
  std::string_view value;
  Place place;
  std::uint32_t element = 0;  ///< index of its object in an array, from 0 on
};

/// One object of the file's array, or of a member with rows in a vendor's file: "Events",
/// "Metrics", "groups" and the like. If the member is an object, its keys are in the field
/// EventName. If a key is repeated, the last one counts.
struct Object {
  std::vector<Field> fields;
  Place place;
  std::string_view member = {};  ///< "" if the file is an array; else in lower case: "metrics"
  std::vector<InnerValue> inner = {};  ///< of rows other than events, in the order of the file

  const Field* find(std::string_view key) const;
  /// Returns the value, "" if the key is missing.
  std::string_view get(std::string_view key) const;
};

/// The objects of one file and the text that they point into.
struct JsonFile {
  std::string text;
  std::vector<Object> objects;
  std::deque<std::string> added;  ///< texts of fields that were not in the file
  bool is_array = true;           ///< false: one object at top level (metricgroups.json)

  JsonFile() = default;
  JsonFile(JsonFile&&) = delete;
};

/// Takes an object of an array, or of "Events": models have thousands of them.
using UseEvent = std::function<void(Object&)>;

/// Parses the file at `path`. Returns false if a part is malformed: a diagnostic says which, and
/// objects before it are kept. The object with the fault is left out. Events go to `use_event` as
/// soon as they are read, if it is given, and are not kept.
bool read_json(const std::string& path, JsonFile& out, Diagnostics& diagnostics,
               const UseEvent& use_event = {});

}  // namespace evname::trees
