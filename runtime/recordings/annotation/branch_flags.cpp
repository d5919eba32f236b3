// Writes the field `flags`, the kind of a branch in trace data. Source: perf_sample__sprintf_flags
// of tools/perf/util/trace-event-scripting.c.

#include <string>
#include <string_view>

#include "perf_format/sample_record.hpp"
#include "recordings/annotation/sample_parts.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;

struct BranchName {
  std::uint32_t flags;
  std::string_view name;
};
constexpr BranchName kBranchNames[] = {{kFlagBranch | kFlagCall, "call"},
                                       {kFlagBranch | kFlagReturn, "return"},
                                       {kFlagBranch | kFlagConditional, "jcc"},
                                       {kFlagBranch, "jmp"}};

/// Returns a letter for each flag, for branches that have no name.
std::string letters_of(std::uint32_t flags) {
  constexpr std::string_view kLetters = "bcrosyiABExghDtmn";
  std::string letters;
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    if ((flags >> i & 1) != 0) letters += kLetters[i];
  return letters;
}

std::string flags_text(std::uint32_t flags) {
  constexpr std::uint32_t kEvents = kFlagMiss | kFlagNotTaken;
  std::string text;
  for (const BranchName& row : kBranchNames)
    if (row.flags == (flags & ~(kEvents | kFlagInTransaction))) text = row.name;
  if ((flags & kFlagMiss) != 0) text += "/miss";
  if ((flags & kFlagNotTaken) != 0) text += (flags & kFlagMiss) != 0 ? ",not_taken" : "/not_taken";
  if ((flags & kEvents) != 0) text += '/';
  return text;
}

}  // namespace

// perf prints no letter in the parentheses of a transaction, and aligns them by the last part of
// the text before.
void write_branch_flags_text(std::uint32_t flags, Output& out) {
  constexpr std::size_t kWidth = 21;
  std::string text = flags_text(flags);
  if ((flags & kFlagInTransaction) != 0) {
    const std::size_t last = text.ends_with('/') ? 1 : text.size();
    const bool fits = text.size() + 2 < kWidth;
    text += fits ? std::string(kWidth - last - 2, ' ') + "()" : " ()";
  } else if (text.empty()) {
    text = letters_of(flags);
  }
  out.text("  ");
  out.text(text);
  if (text.size() < kWidth) out.right("", kWidth - text.size());
  out.put(' ');
}

void write_branch_flags_value(std::uint32_t flags, ValueWriter& out) {
  if (flags == 0) return out.absent();
  std::string text = flags_text(flags);
  if (text.empty()) text = letters_of(flags & ~std::uint32_t{kFlagInTransaction});
  if ((flags & kFlagInTransaction) != 0) text += "(x)";
  out.text(text);
}

}  // namespace evname::annotation
