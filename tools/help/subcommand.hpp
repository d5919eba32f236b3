#pragma once
// The subcommands, one row each: what `--help`, the manual pages and the pager know of them.

#include <span>
#include <string_view>

#include "command.hpp"

namespace evname::tools {

struct Example {
  std::string_view line;  ///< as typed at a shell
  std::string_view what;  ///< what it is good for, a sentence without its full stop
};

/// A CLI11 subcommand that `add` makes has this name; its footer, if any, becomes the notes.
struct Subcommand {
  std::string_view name;
  AddCommand add;
  std::string_view keys;  ///< of --json; "" where there is no such option
  Example examples[3];    ///< the first is always there
  bool pages = false;     ///< its output may be long: a pager shows it on a terminal
};

/// In the order of `evname --help`.
std::span<const Subcommand> subcommands();

/// The row of an added subcommand; nullptr for a hidden one.
const Subcommand* find_subcommand(std::string_view name);

/// What there is to say of the codes, for help and manual.
inline constexpr std::pair<int, std::string_view> kExitCodes[] = {
    {kDone, "done"},
    {kPartial, "part of the answer is missing; standard error says which"},
    {kUnusable, "unusable input or arguments"},
};

}  // namespace evname::tools
