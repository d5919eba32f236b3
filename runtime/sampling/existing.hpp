#pragma once
// Makes records of the kernel, its modules and the processes that exist before sampling begins.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/machine.hpp"

namespace evname::sampling {

class BuildIds;

/// Receives records, one after the other.
using RecordSink = std::function<void(std::string_view record)>;

/// Options for records that the kernel does not make.
struct MadeRecords {
  std::size_t id_size = 0;     ///< bytes of zeros in place of a sample_id
  bool mappings = true;        ///< record mappings of processes
  bool data_mappings = false;  ///< record mappings that are not executable, too
  const Roots* roots = nullptr;
  BuildIds* build_ids = nullptr;  ///< takes the ids of the kernel and its modules, if set
  /// Put build ids into records. Readers as old as kernels without them don't expect them.
  bool ids_in_records = true;
};

/// Passes on the mappings of the kernel and its modules. Returns false if the kernel hides its
/// addresses.
bool kernel_records(const MadeRecords& how, const RecordSink& sink);

/// Passes on the names, threads and mappings of `processes`; if it is empty, of all processes.
void process_records(const MadeRecords& how, std::span<const int> processes,
                     const RecordSink& sink);

/// Passes on the existing cgroups.
void cgroup_records(const MadeRecords& how, const RecordSink& sink);

/// Returns the processes and all their descendants.
std::vector<int> with_descendants(const Roots& roots, std::vector<int> processes);

/// Makes a record with the name of a thread.
std::string name_record(const MadeRecords& how, int process, int thread, std::string_view name);

std::string name_of_thread(const Roots& roots, int thread);

/// Returns the id of a thread's process, or the thread's own id if the process is not found.
int process_of(const Roots& roots, int thread);

}  // namespace evname::sampling
