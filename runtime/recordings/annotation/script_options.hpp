#pragma once
// The parts of perf script beside samples of one choice of fields, for `evname script`.

#include <span>
#include <string>
#include <vector>

#include "evname/annotate.hpp"

namespace evname::annotation {

/// Selects the records other than samples that text output prints, as perf script does.
struct OtherRecords {
  bool mmaps = false;       ///< MMAP and MMAP2 (--show-mmap-events)
  bool tasks = false;       ///< COMM, FORK and EXIT (--show-task-events)
  bool switches = false;    ///< SWITCH and SWITCH_CPU_WIDE (--show-switch-events)
  bool namespaces = false;  ///< NAMESPACES (--show-namespace-events)
  bool cgroups = false;     ///< CGROUP (--show-cgroup-events)
  bool lost = false;        ///< LOST (--show-lost-events)
  bool bpf = false;         ///< KSYMBOL, BPF_EVENT and BPF_METADATA (--show-bpf-events)

  /// Returns true if any are selected.
  bool any() const { return mmaps || tasks || switches || namespaces || cgroups || lost || bpf; }
};

/// The fields of each event of a recording, by RecordedEvent::attr; samples of an event without
/// fields have no line.
using FieldsByEvent = std::vector<std::vector<Field>>;

/// Returns the fields that perf script prints. They are its defaults for the type of each event,
/// without the fields that the first event of that type does not sample, changed by each argument
/// of -F ("comm,ip", "+srcline", "trace:comm,time"). Errors: invalid_argument and not_found with
/// perf's own sentences; unsupported for a field of perf script that evname does not have.
[[nodiscard]] Result<FieldsByEvent> parse_script_fields(std::span<const std::string> arguments,
                                                        const Recording& file);

/// Options of annotate() for text.
struct ScriptOptions : AnnotateOptions {
  FieldsByEvent event_fields = {};  ///< replaces `fields`, unless it is empty
  OtherRecords others = {};         ///< other records to print; of the filters only cpus applies
};

/// Does the same as evname::annotate() with more options.
[[nodiscard]] Result<SampleTally> annotate(const Recording& file, const ScriptOptions& options,
                                           const TextSink& sink);

}  // namespace evname::annotation
