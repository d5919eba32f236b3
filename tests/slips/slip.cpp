// Linked into whatever has slips: which of them is on, and which were reached.
#include "slip.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "reached.hpp"

namespace slips {
namespace {

std::array<std::atomic<bool>, kMostSlips> reached;

int chosen_slip() {
  const char* text = std::getenv("EVNAME_SLIP");
  return text == nullptr ? -1 : std::atoi(text);
}

/// Adds what the process has reached to the file that EVNAME_SLIPS_REACHED names, when it ends.
const struct AtExit {
  ~AtExit() {
    const char* path = std::getenv("EVNAME_SLIPS_REACHED");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
    if (file == nullptr) return;
    for (const int slip : reached_slips()) std::fprintf(file, "%d\n", slip);
    std::fclose(file);
  }
} at_exit;

}  // namespace

bool is_chosen(int slip) noexcept {
  static const int chosen = chosen_slip();
  reached[static_cast<std::size_t>(slip)].store(true, std::memory_order_relaxed);
  return slip == chosen;
}

std::vector<int> reached_slips() {
  std::vector<int> out;
  for (int slip = 0; slip < kMostSlips; ++slip)
    if (reached[static_cast<std::size_t>(slip)].exchange(false)) out.push_back(slip);
  return out;
}

}  // namespace slips
