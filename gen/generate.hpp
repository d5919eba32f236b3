#pragma once
// Runs evname-gen.

namespace evname::gen {

/// Does what the arguments of evname-gen ask for. Returns its exit code.
int generate(int argc, char** argv);

}  // namespace evname::gen
