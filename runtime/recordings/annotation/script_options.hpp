#pragma once
// The parts of perf script beside samples of one choice of fields, for `evname script`.

#include <functional>
#include <optional>
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
  bool text_pokes = false;  ///< TEXT_POKE and KSYMBOL (--show-text-poke-events)
  bool bpf = false;         ///< KSYMBOL, BPF_EVENT and BPF_METADATA (--show-bpf-events)
  bool counts = false;      ///< counts of `perf stat record`

  /// Returns true if any but the counts are selected.
  bool any() const {
    return mmaps || tasks || switches || namespaces || cgroups || lost || bpf || text_pokes;
  }
};

/// What the times of lines count from.
enum class TimesFrom : std::uint8_t {
  clock,         ///< as recorded
  first_sample,  ///< --reltime
  last_sample,   ///< the time since the line before (--deltatime)
};

/// How lines of text look, beside their fields.
struct LineStyle {
  TimesFrom times = TimesFrom::clock;
  bool nanoseconds = false;        ///< nine decimals of times (--ns)
  bool latency_columns = false;    ///< short names of threads and CPUs (-L)
  bool hides_callers = false;      ///< -G
  bool full_sources = false;       ///< sources with their directories (--full-source-path)
  bool file_paths = false;         ///< of modules and the kernel's image (--show-kernel-path)
  std::size_t most_frames = 127;   ///< of a callchain (--max-stack)
  std::uint64_t most_blocks = 0;   ///< of brstackinsn; 0: all (--max-blocks)
  std::vector<std::string> roots;  ///< functions whose callers are left out (--stop-bt)
};

/// Selects samples by the whole names of their files and functions, as perf script does. An empty
/// list accepts all.
struct NamedPlaces {
  std::vector<std::string> files;  ///< names with or without directories (--dsos)
  ///@{
  /// Names of functions, or addresses (-S).
  std::vector<std::string> functions;
  std::vector<std::uint64_t> addresses;
  ///@}
  std::uint64_t range = 0;  ///< bytes from each address on (--addr-range)

  bool any() const { return !files.empty() || !functions.empty() || !addresses.empty(); }
};

/// Leaves samples out from an event of the recording on, and up to another one.
struct EventSwitch {
  std::optional<std::size_t> on, off;  ///< indexes of events (--switch-on, --switch-off)
  bool shows_both = false;             ///< also these events (--show-on-off-events)
};

/// Numbers of samples by event, up to the last event that has any.
struct EventCounts {
  std::vector<std::uint64_t> samples, lost;

  static void add(std::vector<std::uint64_t>& counts, std::size_t event, std::uint64_t more) {
    if (event >= counts.size()) counts.resize(event + 1);
    counts[event] += more;
  }
};

/// Dumps the records, before the lines of samples (-D).
struct DumpOptions {
  ///@{
  /// Return the attr of an event, by its index, and a feature, by its number, as ATTR and FEATURE
  /// records show them.
  std::function<std::string(std::size_t event)> attr_text;
  std::function<std::string(std::uint64_t feature)> feature_text;
  ///@}
  bool is_of_report = false;      ///< as perf report does, which handles other records
  EventCounts* counts = nullptr;  ///< to be filled, unless nullptr
};

/// The fields of each event of a recording, by RecordedEvent::attr; samples of an event without
/// fields have no line.
using FieldsByEvent = std::vector<std::vector<Field>>;

/// Returns the fields that perf script prints. They are its defaults for the type of each event,
/// without the fields that the first event of that type does not sample, changed by each argument
/// of -F ("comm,ip", "+srcline", "trace:comm,time"). Errors: invalid_argument and not_found with
/// perf's own sentences; `hides_callers`: with -G. unsupported for a field of perf script that
/// evname does not have.
[[nodiscard]] Result<FieldsByEvent> parse_script_fields(std::span<const std::string> arguments,
                                                        const Recording& file,
                                                        bool hides_callers = false);

/// Options of annotate() for text.
struct ScriptOptions : AnnotateOptions {
  FieldsByEvent event_fields = {};  ///< replaces `fields`, unless it is empty
  OtherRecords others = {};         ///< other records to print; of the filters only cpus applies
  LineStyle style = {};
  NamedPlaces places = {};
  std::optional<std::size_t> only_event = {};  ///< its index
  EventSwitch on_off = {};
  std::optional<DumpOptions> dump = {};
};

/// Does the same as evname::annotate() with more options.
[[nodiscard]] Result<SampleTally> annotate(const Recording& file, const ScriptOptions& options,
                                           const TextSink& sink);

}  // namespace evname::annotation
