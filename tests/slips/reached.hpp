#pragma once
// The slips that a program has come to.

#include <vector>

namespace slips {

constexpr int kMostSlips = 4096;

/// Returns the slips that were reached since the last call.
std::vector<int> reached_slips();

}  // namespace slips
