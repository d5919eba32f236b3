#pragma once
// Stacks as a tree that stays below a size.

#include <cstdint>
#include <span>
#include <vector>

#include "evname/report.hpp"
#include "recordings/report/text_pool.hpp"

namespace evname::report {

class StackCollector {
 public:
  explicit StackCollector(std::uint32_t most_nodes) : most_(most_nodes) {}

  /// `frames`: texts, the outermost first.
  void add(std::uint32_t event, std::span<const std::uint32_t> frames, std::uint64_t period);

  /// `texts`: of the frames.
  StackTree tree(const TextPool& texts, std::uint32_t most_nodes) const;
  /// Returns the functions of each event, of all samples. `texts`: of the frames.
  std::vector<std::vector<StackFunction>> functions(const TextPool& texts) const;

 private:
  struct Count {
    std::uint32_t node, event;
    std::uint64_t samples, period;
    std::uint64_t summed_samples, summed_period;  ///< those that functions_ has
  };
  /// What a StackFunction has, before its name is looked up.
  struct Function {
    std::uint32_t event, frame;
    StackFunction sums;
  };
  static constexpr std::uint32_t kFolded = UINT32_MAX;  ///< the frame of what was cut off

  void count(std::uint32_t node, std::uint32_t event, std::uint64_t samples, std::uint64_t period);
  void shrink(std::uint32_t most);
  void sum_functions();
  StackFunction& function(std::uint32_t event, std::uint32_t frame);

  std::uint32_t most_;
  PairTree nodes_;
  std::vector<Count> counts_;
  perfdata::IndexMap<std::uint64_t> index_;  ///< of counts_, by node and event
  std::vector<Function> functions_;
  perfdata::IndexMap<std::uint64_t> function_index_;  ///< of functions_, by event and frame
  std::uint64_t folded_ = 0;
};

}  // namespace evname::report
