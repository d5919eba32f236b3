#pragma once
// Finds the source of a sampled operation's data: the Data Source packet in the meaning of its
// core.

#include <cstdint>

#include "recordings/spe/packets.hpp"

namespace evname::spe {

/// A CPU as AUXTRACE_INFO describes it.
struct Cpu {
  std::uint64_t number = 0;
  std::uint64_t midr = 0;    ///< MIDR_EL1, which identifies the core
  std::uint64_t events = 0;  ///< EventBit that it has
};

/// Returns the data source of an operation as union perf_mem_data_src; 0 if it is about no data.
/// `cpu` may be unknown.
std::uint64_t memory_source(const Operation& operation, const Cpu* cpu);

}  // namespace evname::spe
