#pragma once
// Implements evname complete SHELL -- …: prints completions for the scripts in complete/shell/.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace evname::tools {

inline constexpr const char* kCompleteWord = "complete";

/// `words` are "complete", the shell, "--", then for zsh and fish the words typed, from "evname" to
/// the one at the cursor (as far as the cursor); for bash the line up to the cursor and its
/// $COMP_WORDBREAKS. Prints the kind of the answer ("words", "list": no space after them,
/// "files", "dirs") and one candidate per line; for zsh and fish, a tab and a description follow
/// it.
int complete(const Program& program, const std::vector<std::string>& words);

}  // namespace evname::tools
