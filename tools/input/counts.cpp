#include "input/counts.hpp"

#include <cstdio>

#include "base/read_file.hpp"
#include "evname/recording.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kMaxCountsText = std::size_t{1} << 30;

std::nullopt_t tell_unread(const Error& error) {
  tell_error("{}", error.text());
  return std::nullopt;
}

/// A recording brings its machine along.
std::optional<TakenCounts> take_recording(const CountsToTake& what) {
  const auto file = open_perf_file(what.path);
  if (!file) return std::nullopt;
  auto counts = read_counts(*file, what.per);
  if (!counts) return tell_unread(counts.error());
  TakenCounts out{std::move(*counts), {}, {}};
  if (!what.with_machine) return out;
  out.machine = file->machine();
  out.facts = recorded_facts(*file);
  return out;
}

Result<std::string> read_counts_of(const std::string& path) {
  if (auto fine = check_not_printed_into(path); !fine) return fail(fine);
  if (path != "-") return read_text_file(path, kMaxCountsText);
  std::string text;
  char buffer[1 << 16];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    if (text.size() + got > kMaxCountsText)
      return fail(Errc::out_of_range, "more than 1 GiB of text", "standard input");
    text.append(buffer, got);
  }
  return text;
}

std::optional<TakenCounts> take_text(const CountsToTake& what) {
  const auto text = read_counts_of(what.path);
  if (!text) return tell_unread(text.error());
  auto counts = read_counts_text(*text, what.separator);
  if (!counts) {
    counts.error().where = what.path;
    return tell_unread(counts.error());
  }
  return TakenCounts{std::move(*counts), {}, {}};
}

}  // namespace

std::optional<TakenCounts> take_counts(const CountsToTake& what) {
  auto out = is_recording(what.path) ? take_recording(what) : take_text(what);
  if (out)
    for (const std::string& warning : out->counts.warnings)
      tell_warning("{}: {}", what.path == "-" ? "standard input" : what.path, warning);
  return out;
}

}  // namespace evname::tools
