#pragma once
// Runs evname-gen.

namespace evname::gen {

/// Runs evname-gen with these arguments. Returns its exit code.
int generate(int argc, char** argv);

}  // namespace evname::gen
