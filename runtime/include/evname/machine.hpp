#pragma once
// Describes the machine that names are resolved against (a CPU, its event tables and its PMUs) and
// lists the models (directories of event tables) of this build.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

namespace detail {
struct Access;
struct MachineState;
}  // namespace detail

/// The directories that describe the live machine. Set others for a captured tree.
struct Roots {
  std::string sysfs = "/sys";    ///< contains bus/event_source/devices
  std::string procfs = "/proc";  ///< contains cpuinfo
  /// Look for the "drm_*" PMUs of GPUs, which requires reading the procfs entries of all open
  /// files.
  bool gpus = false;
};

/// Selects whether the user's event files override the built-in tables. They are in the
/// directories that the environment variable EVNAME_EVENTS lists (separated by ':'), in those
/// inside $XDG_DATA_HOME/evname/events (by default ~/.local/share/evname/events) and in those
/// inside /usr/share/evname/events. Directories that users other than this one and root can change
/// are refused, and a program with more rights than its user ignores the environment. Each is a
/// kernel-layout tree or a copy of the files that a maker of CPUs publishes, such as Intel's
/// perfmon repository. If several define the same event, the newest version is used. Only the files
/// for the CPU in question are read; Machine::warnings() lists their faults. If EVNAME_EVENTS is
/// set but empty, there are no event files of the user.
enum class UserEvents : std::uint8_t {
  lay_over,   ///< over the tables of the build, for each machine that is made
  leave_out,  ///< the environment and these directories are not looked at
};

/// A directory of event files that serves a machine.
struct EventDirectory {
  std::string directory;  ///< as it was given or found
  std::string version;    ///< version of this CPU's events, as it states: "V1.20"; may be empty
  bool is_users = false;  ///< found as UserEvents describes; false: given to a function
};

/// The CPU of a machine, and how its model was found.
struct CpuInfo {
  std::string arch;                        ///< "x86", "arm64", …
  std::string cpuid;                       ///< CPUID string in lookup form; "" if unknown
  std::string model;                       ///< "skylakex", "arm/neoverse-n1"; "" if no table fits
  MatchedBy matched_by = MatchedBy::none;  ///< how the model was found
  std::string note;                        ///< a sentence if the model is a fallback; else empty
  std::string source;  ///< the sources of its events: "Intel perfmon GNR 1.20; Linux 7.3"
};

/// A PMU of a machine.
struct PmuInfo {
  std::string name;  ///< "cpu_atom", "uncore_imc_0"
  std::optional<std::uint32_t>
      type;                 ///< perf_event_attr.type; nullopt: only the live machine knows it
  bool is_core = false;     ///< belongs to a CPU and counts what it executes
  bool is_uncore = false;   ///< shared by several CPUs
  bool is_present = false;  ///< found on the machine; false: only described by this build
  std::string cpus;         ///< "0-3"; empty: all, or unknown
};

/// An event of a machine.
struct EventInfo {
  /// Tells whether samples of an event can be precise (PEBS of Intel's CPUs).
  enum class Precision : std::uint8_t {
    unknown,   ///< no source says that precise samples can be taken
    possible,  ///< by the modifier p
    required,  ///< only precise samples can be taken
  };

  /// In lower case, except for a sysfs event whose file name has upper-case letters: perf lists
  /// such an event, but resolves no spelling of it.
  std::string name;
  std::string pmu;          ///< PMU as in the tables: "cpu", "uncore_imc" (no instance number)
  std::string topic;        ///< "memory"; "" for sysfs events
  std::string terms;        ///< "event=0xd1,period=100007,umask=0x20"
  std::string desc;         ///< one sentence; may be empty
  std::string long_desc;    ///< the full description; empty if `desc` is all there is
  double scale = 1.0;       ///< multiply a count by this to get `unit`
  std::string unit;         ///< "Bytes"; empty: a number of events
  bool per_pkg = false;     ///< one count per package
  bool deprecated = false;  ///< replaced by another event
  Precision precise = Precision::unknown;  ///< whether its samples can name the instruction itself
  bool precise_address = false;            ///< a precise sample has the address of its data
  std::string errata;                      ///< the maker's numbers of its faults: "SKL089, SKL044"
  std::string model;                       ///< model whose tables have it; empty if none
  std::string directory;                   ///< directory of event files that it is from; "": none
  Source source = Source::table;           ///< where the terms came from
};

/// The names of a code, best first: exact before reduced, current before deprecated, short before
/// long.
struct CodeNames {
  std::vector<std::string> names;  ///< lower case; empty: no name has this encoding
  bool exact = false;              ///< false: `qualifiers` must be added to the names
  std::string qualifiers;          ///< "cmask=0x1,inv=1"; empty if exact
  std::string pmu;                 ///< the PMU that has these events
  std::string terms;               ///< the code as terms, always exact: "event=0xd1,umask=0x20"

  /// Returns the best name, "NAME with QUALIFIERS" if it is not exact, "PMU/TERMS/" if there is
  /// none.
  EVNAME_API std::string text() const;
};

/// A machine to resolve names against. A value type: copies are cheap and share immutable state,
/// which the views and references that it returns are part of: they are valid as long as it, a copy
/// or an Encoding of it exists.
/// Thread-safe: several threads may call const members at the same time.
class EVNAME_API Machine {
 public:
  /// Returns the machine that this program runs on, or the one that the given sysfs and procfs
  /// trees were captured on.
  [[nodiscard]] static Result<Machine> live(const Roots& roots = {},
                                            UserEvents user_events = UserEvents::lay_over);

  /// Returns the machine that is named by a CPUID string in either spelling ("GenuineIntel-6-55-4",
  /// "GenuineIntel,6,85,4"), a model ("skylakex"), another name of one ("skx", "zen4", "n1"; see
  /// ModelInfo), the name of a product ("i9-13900K", "Graviton4") or the kernel's name of a core
  /// PMU ("armv8_cortex_a72"), in any case. If nobody publishes the events of a product, returns
  /// the machine of its CPUID, or an error with the reason why there is none. If `sysfs` is given
  /// (a root that contains bus/event_source/devices), the PMUs are read from there. If `events` is
  /// given, the events of that directory are added as by with_events(), and come before the user's;
  /// `cpu` may be a model that only the directory, or one of the user's, has. Errors: not_found if
  /// no CPU or model has this name; the errors of with_events(); unsupported for a product whose
  /// CPUID is not known.
  [[nodiscard]] static Result<Machine> named(std::string_view cpu, const std::string& sysfs = {},
                                             const std::string& events = {},
                                             UserEvents user_events = UserEvents::lay_over);

  /// Returns this machine with the events of a directory added to its tables: for a CPU newer than
  /// the build, or for a few events of your own. The directory may be a kernel-layout tree
  /// (ARCH/mapfile.csv, ARCH/MODEL/*.json), a copy of Intel's perfmon repository, or just the
  /// *.json files of one model. Fact files (pmus.csv, names.csv …) may describe PMUs that the build
  /// does not know. Its events replace events of the same PMU and name. Only the files for this CPU
  /// are read; unusable parts of them are listed in warnings(). Errors: not_found if the directory
  /// has no events for this CPU.
  [[nodiscard]] Result<Machine> with_events(const std::string& directory) const;

  /// Returns the CPU, and how its model was found.
  const CpuInfo& cpu() const;
  /// Returns the directories whose events are laid over the tables of the build, by with_events()
  /// or as UserEvents describes. If several have an event, the first counts. Usually there are
  /// none.
  std::span<const EventDirectory> event_directories() const;
  /// Returns the PMUs found on the machine, and those that this build describes for its model.
  std::vector<PmuInfo> pmus() const;

  /// Resolves a list of events in the syntax of perf's -e. Returns one Encoding per event and PMU,
  /// in the order of the text; Encoding::leader gives the groups as written. Errors have the offset
  /// and describe the expected text; for an unknown name, the hint lists the most similar ones.
  [[nodiscard]] Result<std::vector<Encoding>> resolve(std::string_view events) const;

  /// Does the same, into the caller's buffer. Allocates nothing if `events` is a single name of the
  /// tables, with or without modifiers. Returns the number of all encodings; like snprintf(), it
  /// does not write more than out.size().
  [[nodiscard]] Result<std::size_t> resolve(std::string_view events, std::span<Encoding> out) const;

  /// Puts the result of one resolve() into perf's order and groups (see its
  /// parse_events__sort_events_and_fix_groups): members of a group become adjacent; a group that
  /// spans several PMUs is split into one per PMU, software events going to the PMU of the first
  /// other event; x86 topdown events are led by slots; events with an aux_action are led by the AUX
  /// event before them. Leaders are indexes into the returned vector.
  std::vector<Encoding> regroup(std::vector<Encoding> encodings) const;

  /// Returns every event whose name matches the glob, ignoring case, sorted by PMU, then name. If
  /// none does and the CPU is only named, returns the matching events of PMUs that drivers may make
  /// on it (`energy-pkg`).
  std::vector<EventInfo> events(std::string_view glob = "*") const;

  /// Does the same for events outside the tables and the PMUs of sysfs. EventInfo::pmu is their
  /// kind in perf: the kernel's generic events ("hardware", "software", "hw_cache"), events that
  /// perf measures itself ("tool"), and the tracepoints of the machine or the recording
  /// ("tracepoint").
  std::vector<EventInfo> kernel_events(std::string_view glob = "*") const;

  /// Returns the names of a code; without a type, of the first core PMU. If the machine has no PMU
  /// of its type, the result has only the exact terms.
  CodeNames names_of(const Code& code) const;

  /// Does the same on the named PMU; the type of `code` is ignored.
  CodeNames names_of(std::string_view pmu, const Code& code) const;

  /// Returns the best name with exactly this code on the named PMU, empty if there is none; the
  /// type of `code` is ignored. Allocates only for the first code of each PMU. The view is valid as
  /// long as the machine exists.
  std::string_view exact_name(std::string_view pmu, const Code& code) const;

  /// Returns the best name of an encoding, or its exact raw form ("cpu/event=0xd1,umask=0x20/").
  std::string name_of(const Encoding& encoding) const;

  /// Returns human-readable messages about the parts that were skipped while the machine was read,
  /// such as an unreadable PMU.
  std::span<const std::string> warnings() const;

 private:
  friend struct detail::Access;
  EVNAME_HIDDEN explicit Machine(std::shared_ptr<const detail::MachineState> state)
      : state_(std::move(state)) {}

  std::shared_ptr<const detail::MachineState> state_;
};

// The functions below return the models of this build and their CPUs. Returned views are valid as
// long as the program runs. Thread-safe.

/// A model of this build.
struct ModelInfo {
  std::string_view arch;   ///< "x86", "arm64", …
  std::string_view name;   ///< "skylakex", "arm/neoverse-n1": what Machine::named() takes
  std::size_t events = 0;  ///< number of events on all its PMUs
  ///@{
  /// Other names that Machine::named() takes for it, in any case and with '-' or '_' anywhere:
  /// short names ("skx", "n1"), and code names, product lines and compilers' names ("skylakesp",
  /// "graviton2").
  std::vector<std::string_view> short_names = {}, other_names = {};
  ///@}
};

/// Returns all models, sorted by architecture, then name.
EVNAME_API std::vector<ModelInfo> models();

}  // namespace evname
