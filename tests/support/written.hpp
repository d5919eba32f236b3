#pragma once
// Returns the output of annotate() as text.

#include <gtest/gtest.h>

#include <string>

#include "recordings/annotation/script_options.hpp"

namespace evname::test {

inline std::string written(const Recording& file, const annotation::ScriptOptions& options) {
  std::string text;
  const auto tally = annotation::annotate(file, options, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  EXPECT_TRUE(tally) << tally.error().text();
  return text;
}

inline std::string written(const Recording& file, const AnnotateOptions& options = {}) {
  return written(file, annotation::ScriptOptions{options});
}

/// Returns fields by their names.
inline std::vector<Field> fields(std::string_view names) {
  const auto parsed = parse_fields(names, default_fields(Format::text));
  EXPECT_TRUE(parsed) << parsed.error().text();
  return parsed.value_or(std::vector<Field>{});
}

}  // namespace evname::test
