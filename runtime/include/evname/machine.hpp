#pragma once
// The machine that names are resolved against: a CPU, its event tables and its PMUs.

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
#include "evname/roots.hpp"

namespace evname {

namespace detail {
struct Access;
struct MachineState;
}  // namespace detail

/// What a machine is and how that was found out.
struct CpuInfo {
  std::string arch;                        ///< "x86", "arm64", …
  std::string cpuid;                       ///< CPUID string in lookup form; "" if unknown
  std::string model;                       ///< "skylakex", "arm/neoverse-n1"; "" if no table fits
  MatchedBy matched_by = MatchedBy::none;  ///< how that model was found
  std::string note;                        ///< a sentence if the model is a fallback; else empty
};

/// One PMU as the machine knows it.
struct PmuInfo {
  std::string name;                   ///< "cpu_atom", "uncore_imc_0"
  std::optional<std::uint32_t> type;  ///< attr.type; nullopt where only the live machine knows it
  bool is_core = false;               ///< counts what a CPU executes
  bool is_uncore = false;             ///< counts for several CPUs at once
  bool is_present = false;  ///< the machine itself shows it; else only this build describes it
  std::string cpus;         ///< "0-3"; empty: all, or not known
};

/// The CPUs of a list as the kernel writes it ("0-3,8", PmuInfo::cpus), in its order, at most
/// `limit` of them; reading stops at the first piece that is no number or range.
EVNAME_API std::vector<unsigned> cpu_numbers(std::string_view list, std::size_t limit = 1 << 16);

/// One event that can be named on a machine.
struct EventInfo {
  /// Lower case; a sysfs event of mixed case as its file is called: perf lists it, but finds it by
  /// no spelling.
  std::string name;
  std::string pmu;                ///< table PMU: "cpu", "uncore_imc" (no instance number)
  std::string topic;              ///< "memory"; "" for sysfs events
  std::string terms;              ///< "event=0xd1,period=100007,umask=0x20"
  std::string desc;               ///< brief, may be empty
  std::string long_desc;          ///< empty where there is no more to say
  double scale = 1.0;             ///< multiply a count by this to get `unit`
  std::string unit;               ///< "Bytes"; empty: plain events
  bool per_pkg = false;           ///< one count per package
  bool deprecated = false;        ///< another event has taken its place
  std::string model;              ///< of the tables; empty for none
  Source source = Source::table;  ///< where the terms are from
};

/// An event of the tables on one PMU. The views live as long as the machine.
struct EventCode {
  std::string_view pmu;      ///< PmuInfo::name
  std::string_view name;     ///< lower case
  std::string_view desc;     ///< one sentence; may be empty
  std::optional<Code> code;  ///< nullopt: none until a parameter is given a value. No sample period
  bool is_core = false;      ///< PmuInfo::is_core
  bool deprecated = false;   ///< another event has taken its place
};

/// Names of one code, best first: exact before reduced, current before deprecated, then shortest.
struct CodeNames {
  std::vector<std::string> names;  ///< lower case; empty: no name has this encoding
  bool exact = false;              ///< false: `qualifiers` have to be added to the names
  std::string qualifiers;          ///< "cmask=0x1,inv=1"; empty if exact
  std::string pmu;                 ///< that the names are events of
  std::string terms;               ///< exact term form, "event=0xd1,umask=0x20": always right
};

/// A value; copies share immutable state. All const members may be called from several threads.
class EVNAME_API Machine {
 public:
  /// The machine this runs on (or whose sysfs and procfs trees are given).
  static Result<Machine> live(const Roots& roots = {});

  /// A CPUID string of either spelling ("GenuineIntel-6-55-4", "GenuineIntel,6,85,4") or a model
  /// ("skylakex"). With `sysfs` (a root that holds bus/event_source/devices), PMUs come from there.
  /// With `events`, that directory's events are laid over the tables, as with_events() does; `cpu`
  /// may be a model that only it has.
  static Result<Machine> named(std::string_view cpu, const std::string& sysfs = {},
                               const std::string& events = {});

  /// The same machine with the events of a directory laid over its tables: for a CPU newer than the
  /// build, or a few events of one's own. It may be a kernel-layout tree (ARCH/mapfile.csv,
  /// ARCH/MODEL/*.json), a directory as Intel's perfmon repository ships it, or hold just the
  /// *.json files of one model. An event of the directory takes the place of one of the same PMU
  /// and name; what of its files can't be used is in warnings(). An error if it has no events for
  /// this CPU. Only the files of this CPU are read.
  Result<Machine> with_events(const std::string& directory) const;

  /// What it is, and how it was matched.
  const CpuInfo& cpu() const;
  /// Those of the machine itself, and those that this build describes for its model.
  std::vector<PmuInfo> pmus() const;

  /// What `-e` of perf takes, to one Encoding per event and PMU it stands for.
  /// Errors say what was expected where; an unknown name carries the nearest ones as hint.
  /// The answer is in the order of the text; Encoding::leader tells its groups as written.
  Result<std::vector<Encoding>> resolve(std::string_view events) const;

  /// The same into the caller's buffer: no allocation where `events` is one name of the tables,
  /// with or without modifiers. Returns how many there are, as snprintf does: if more than
  /// out.size(), the rest is left out.
  Result<std::size_t> resolve(std::string_view events, std::span<Encoding> out) const;

  /// The answer of one resolve() in the order and the groups in which perf opens the events (its
  /// parse_events__sort_events_and_fix_groups): members of a group stand together, a group of
  /// several PMUs becomes one per PMU, in which software events join the first other event's
  /// PMU, and topdown events of x86 are led by their slots. Leaders are indices of what is
  /// returned.
  std::vector<Encoding> regroup(std::vector<Encoding> encodings) const;

  /// Every event whose name matches the glob (any case), sorted by PMU, then name.
  std::vector<EventInfo> events(std::string_view glob = "*") const;

  /// Every event of the model's tables, once per PMU that has it, with its code: PMUs in the order
  /// of pmus(), the events of each as the tables have them.
  std::vector<EventCode> event_codes() const;

  /// Names of a code. A type the machine has no PMU for yields no names and the exact terms.
  CodeNames names_of(const Code& code) const;

  /// The same on the PMU of that name, whatever its type number; Code::type is not looked at.
  CodeNames names_of(std::string_view pmu, const Code& code) const;

  /// The best of the names that have exactly this code; empty if none has. No allocation but for
  /// the first code of each PMU. Lives as long as the machine.
  std::string_view exact_name(const Code& code) const;
  /// The same on the PMU of that name.
  std::string_view exact_name(std::string_view pmu, const Code& code) const;

  /// The best name of an encoding, or its exact raw form ("cpu/event=0xd1,umask=0x20/").
  std::string name_of(const Encoding& encoding) const;

  /// What was left out while reading the machine (an unreadable PMU, say). For people.
  std::span<const std::string> warnings() const;

 private:
  friend struct detail::Access;
  explicit Machine(std::shared_ptr<const detail::MachineState> state) : state_(std::move(state)) {}

  std::shared_ptr<const detail::MachineState> state_;
};

}  // namespace evname
