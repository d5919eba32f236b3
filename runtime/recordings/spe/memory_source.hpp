#pragma once
// Where the data of a sampled operation came from, by what its core means with the Data Source
// packet.

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
