#include "recordings/report/block_collector.hpp"

#include <algorithm>

namespace evname::report {

void BlockCollector::add(const Block& block, const Branch& branch) {
  const auto [number, is_new] = blocks_.add(block);
  if (is_new) {
    sums_.emplace_back();
    if (block.function >= of_function_.size()) of_function_.resize(block.function + std::size_t{1});
    of_function_[block.function].push_back(number);
  }
  ++sums_[number].count;
  add_branch(sums_[number].branches, branch);
}

namespace {

/// Of blocks with the same end, the longest one has the instructions per cycle, as in perf
/// (__symbol__account_cycles of tools/perf/util/annotate.c).
struct Longest {
  std::size_t end = SIZE_MAX, begin = 0;  ///< instructions
  std::uint64_t timed = 0, cycles = 0;
};

void finish(const Longest& longest, InstructionReport::Code& code) {
  if (longest.timed == 0 || longest.cycles == 0) return;
  const auto executed = static_cast<double>((longest.end - longest.begin + 1) * longest.timed);
  code.instructions[longest.end].ipc = executed / static_cast<double>(longest.cycles);
  code.timed_instructions += executed;
  code.timed_cycles += static_cast<double>(longest.cycles);
}

}  // namespace

void BlockCollector::add_to(std::uint32_t function, InstructionReport::Code& code) const {
  if (function >= of_function_.size()) return;
  std::vector<std::uint32_t> order = of_function_[function];
  std::ranges::sort(order, {}, [&](std::uint32_t block) { return blocks_.keys()[block].key(); });
  // How much more often an instruction ran than the one before; it may be less, modulo 2^64.
  std::vector<std::uint64_t> more(code.instructions.size() + 1);
  Longest longest;
  for (const std::uint32_t number : order) {
    const Block& block = blocks_.keys()[number];
    const Sums& sums = sums_[number];
    const auto end = code.find(code.start + block.end);
    if (!end) continue;
    code.instructions[*end].branched += sums.count;
    code.instructions[*end].branches += sums.branches;
    if (block.start == Block::kUnknown) continue;
    const auto begin = code.find(code.start + block.start);
    if (!begin) continue;
    more[*begin] += sums.count;
    more[*end + 1] -= sums.count;
    // The longest one comes first. perf ignores blocks of one instruction.
    if (longest.end == *end || *begin == *end || sums.branches.timed == 0) continue;
    finish(longest, code);
    longest = {*end, *begin, sums.branches.timed, sums.branches.cycles};
  }
  finish(longest, code);
  std::uint64_t executed = 0;
  for (std::size_t i = 0; i < code.instructions.size(); ++i)
    code.instructions[i].executed = executed += more[i];
}

}  // namespace evname::report
