// evname-gen: compiles event trees into C++ tables.

#include "gen/generate.hpp"

int main(int argc, char** argv) { return evname::gen::generate(argc, argv); }
