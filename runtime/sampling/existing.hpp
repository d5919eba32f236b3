#pragma once
// Records of what is there before the sampling begins: the kernel, its modules, and processes.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/machine.hpp"

namespace evname::sampling {

class BuildIds;

/// Takes records, one after the other.
using RecordSink = std::function<void(std::string_view record)>;

/// How records are written that the kernel did not make.
struct MadeRecords {
  std::size_t id_size = 0;     ///< of the zeros that stand for what sample_id_all adds
  bool data_mappings = false;  ///< also of mappings that are not executable
  const Roots* roots = nullptr;
  /// Takes the build ids of the kernel and its modules, which their records have otherwise. Readers
  /// as old as kernels that record no build ids don't expect them there.
  BuildIds* build_ids = nullptr;
};

/// Passes on the mappings of the kernel and its modules. Returns false if the kernel keeps its
/// addresses to itself.
bool kernel_records(const MadeRecords& how, const RecordSink& sink);

/// Passes on the names, threads and mappings of processes; none named: of all.
void process_records(const MadeRecords& how, std::span<const int> processes,
                     const RecordSink& sink);

/// Returns the processes, and those that they and their children have started.
std::vector<int> with_descendants(const Roots& roots, std::vector<int> processes);

/// A record with the name of a thread.
std::string name_record(const MadeRecords& how, int process, int thread, std::string_view name);

std::string name_of_thread(const Roots& roots, int thread);

/// Returns the number of the process that a thread is of, or the thread's if there is no such.
int process_of(const Roots& roots, int thread);

}  // namespace evname::sampling
