#pragma once
// The plain structs that the generator writes, and the views for reading them.
//
// One architecture is one set of arrays, each constexpr data without pointers:
//
//   strings       every distinct text once, NUL-terminated; offset 0 is the empty text
//   terms         every distinct (name, value, spelling)
//   term_lists    runs of indexes into terms; an event is a run
//   events        every distinct event; models that agree on one share it
//   event_traits  every distinct topic, unit and errata of events; 0 has none
//   entries       runs of indexes into events (lower 24 bits) and counters (upper 8): first by PMU,
//                 then by name (byte order)
//   slots         an open-addressing hash of the names of each model: entry index in the model + 1,
//                 0 is free
//   slot_tags     beside each slot eight more bits of the hash
//   counters      every distinct set of counters that can count an event; the first is of events
//                 that nothing is known of
//   models, pmus, map_rows, map_overlaps
//   metrics       every distinct metric; models that agree on one share it
//   metric_entries  runs of indexes into metrics: by PMU, then by name (byte order)
//   programs      every distinct expression, compiled: runs of steps, numbers and symbol_lists;
//                 program 0 has no steps
//   symbols, symbol_lists  every distinct (kind, name), and runs of indexes into them
//   metric_groups
//
// Offsets and indexes are 32 bits wide; nothing needs relocation, construction or allocation.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "events/expression/program.hpp"

namespace evname::tables {

/// Offset of a NUL-terminated text in ArchTables::strings; 0 is "".
using Text = std::uint32_t;

/// The spelling of a term's value in the source, which jevents keeps.
enum class Spelling : std::uint8_t {
  hex,      ///< "0x20"; numbers below ten have no prefix
  decimal,  ///< "200003"
  bare,     ///< no "=value" at all; the value is 1
  text,     ///< StoredTerm::text holds the value as written
};

/// One name=value of an event, as tables hold it. See Term.
struct StoredTerm {
  std::uint64_t value;
  Text text;           ///< the value as written, for Spelling::text
  std::uint16_t name;  ///< index into ArchTables::term_names
  Spelling spelling;
  std::uint8_t numeric;  ///< 0: the value is no number (Spelling::text only).
};

enum EventFlags : std::uint8_t {
  kDeprecated = 1,
  kPerPkg = 2,
  kPrecise = 4,         ///< a precise sample can be taken (PEBS)
  kMustBePrecise = 8,   ///< beside kPrecise: no other sample can
  kPreciseAddress = 16  ///< a precise sample has the address of its data (Data_LA)
};

/// One event, shared by all models that define it alike.
struct Event {
  Text name;            ///< lower case
  Text desc;            ///< brief description
  Text long_desc;       ///< "" if it would repeat desc
  std::uint32_t terms;  ///< First index into ArchTables::term_lists.
  std::uint16_t term_count;
  std::uint16_t traits;  ///< index into ArchTables::event_traits
  std::uint8_t flags;    ///< EventFlags
  std::uint8_t latency;  ///< index into ArchTables::latencies; 0: not known
  std::uint16_t reserved;
};

/// Properties that events share.
struct EventTraits {
  Text topic;
  Text scale_unit;  ///< "64Bytes": strtod prefix, then the unit
  Text compat;      ///< extended regex on a PMU's identifier (system events)
  Text errata;      ///< "SKL089, SKL044"
};

/// Cycles from the retirement of the previous instruction to this one's, as the maker measured
/// them.
struct Latency {
  double mean, min, max;
};
constexpr std::size_t kMaxLatencies = 256;

/// The counters of its PMU that can count an event: bit n stands for counter n.
struct Counters {
  std::uint64_t generic;  ///< kAnyCounter: all that the PMU has
  std::uint64_t fixed;
};
constexpr std::uint64_t kAnyCounter = ~std::uint64_t{0};

/// An element of ArchTables::entries. It has the counters in the upper bits, since models differ
/// more often in the counters of an event than in the event.
constexpr int kEventBits = 24;
constexpr std::uint32_t kMaxEvents = std::uint32_t{1} << kEventBits;
constexpr std::size_t kMaxCounterSets = std::size_t{1} << (32 - kEventBits);
constexpr std::uint32_t make_entry(std::uint32_t event, std::uint8_t counters) {
  return event | std::uint32_t{counters} << kEventBits;
}
/// Index into ArchTables::events.
constexpr std::uint32_t event_of(std::uint32_t entry) { return entry & (kMaxEvents - 1); }
/// Index into ArchTables::counters; 0: not known.
constexpr std::uint32_t counters_of(std::uint32_t entry) { return entry >> kEventBits; }

/// The events of one PMU in one model: entries[first, first+count), sorted by name.
struct PmuEvents {
  Text pmu;  ///< "default_core", "uncore_imc", "hisi_sccl,ddrc"
  std::uint32_t first;
  std::uint32_t count;
  std::uint16_t generic_counters = 0;  ///< 0 of both kinds: not known
  std::uint16_t fixed_counters = 0;
};

/// Terms, traits of events, metrics, and symbols of metrics, of one architecture: their indexes
/// have 16 bits.
constexpr std::size_t kMaxIndexed = 65536;

constexpr std::uint32_t kMaxModelEvents = 65535;  ///< on all its PMUs: slots have 16 bits

enum ModelFlags : std::uint8_t {
  kSystem = 1,    ///< A sys/ directory: chosen by Compat, not by CPUID.
  kStandard = 2,  ///< The architecture's standard events (no directory of its own).
  kCommon = 4,    ///< Of every CPU: the directory common of the architecture common.
};

/// Models that no CPU is matched to.
constexpr std::uint32_t kOfNoCpu = kSystem | kStandard | kCommon;

/// The architecture and the model of what every CPU has.
constexpr std::string_view kCommonName = "common";

/// One directory of topic files.
struct Model {
  Text name;  ///< Directory relative to the architecture: "skylakex", "arm/neoverse-n1".
  std::uint32_t first_pmu, pmu_count;        ///< run of ArchTables::pmus, sorted by PMU name
  std::uint32_t first_slot, slot_count;      ///< hash of names; slot_count is a power of two or 0
  std::uint32_t first_metric, metric_count;  ///< run of ArchTables::metric_entries
  std::uint32_t flags;                       ///< ModelFlags
  Text source;         ///< where its facts are from: "Intel perfmon GNR 1.20; Linux 7.3"
  Text example_cpuid;  ///< that the mapfile maps to it; "" if there is none, or in files read at
                       ///< run time
};

/// One row of mapfile.csv, in file order; the first that matches wins.
struct MapRow {
  Text pattern;
  Text version;
  std::uint32_t model;  ///< Index into ArchTables::models, or kLeftOut.
};

/// Two rows of a mapfile: the first matches CPUs that the second also matches.
struct MapOverlap {
  std::uint16_t first, second;  ///< indexes into ArchTables::map_rows
};

/// The model of a row is not in this build; its CPUs match no later row.
constexpr std::uint32_t kLeftOut = 0xffffffff;

/// A name in an expression that stands for a number. It may be a part of the expression's text.
struct Symbol {
  Text name;
  std::uint16_t size;  ///< of the name
  expression::SymbolKind kind;
  std::uint8_t reserved;
};

/// A compiled expression; see expression/program.hpp.
struct Program {
  std::uint32_t first_step;    ///< run of ArchTables::steps
  std::uint32_t first_number;  ///< run of ArchTables::numbers
  std::uint32_t first_symbol;  ///< run of ArchTables::symbol_lists
  std::uint16_t step_count, number_count, symbol_count;
  std::uint16_t reserved;
};

/// One metric, texts as written in the source.
struct Metric {
  Text pmu, name, group, expr, threshold, desc, long_desc, unit, compat, no_group, default_group;
  Text sample;                      ///< events to sample for it, with ";" between them
  std::uint32_t expr_program;       ///< index into ArchTables::programs
  std::uint32_t threshold_program;  ///< 0: it has no threshold
  std::uint8_t aggregation;         ///< 0 none, 1 PerChip, 2 PerCore
  std::uint8_t
      constraint;  ///< 0 group, 1 NO_GROUP_EVENTS, 2 …_NMI, 3 …_SMT, 4 NO_THRESHOLD_AND_NMI
  std::uint8_t show_events;  ///< DefaultShowEvents
  std::uint8_t share_of;     ///< 0 not known, 1 slots, 2 clocks, 3 operations, 4 the parent
};

struct MetricGroup {
  Text name, desc;
};

/// ARRAY(element, name) once for each array of an architecture, less its texts. The views below,
/// the arrays in memory (tables/arrays.hpp) and the generated source all come from this list.
#define EVNAME_TABLE_ARRAYS(ARRAY)     \
  ARRAY(Text, term_names)              \
  ARRAY(StoredTerm, terms)             \
  ARRAY(std::uint16_t, term_lists)     \
  ARRAY(Event, events)                 \
  ARRAY(EventTraits, event_traits)     \
  ARRAY(std::uint32_t, entries)        \
  ARRAY(std::uint16_t, slots)          \
  ARRAY(std::uint8_t, slot_tags)       \
  ARRAY(PmuEvents, pmus)               \
  ARRAY(Model, models)                 \
  ARRAY(MapRow, map_rows)              \
  ARRAY(MapOverlap, map_overlaps)      \
  ARRAY(Counters, counters)            \
  ARRAY(Latency, latencies)            \
  ARRAY(Metric, metrics)               \
  ARRAY(std::uint16_t, metric_entries) \
  ARRAY(Program, programs)             \
  ARRAY(expression::Step, steps)       \
  ARRAY(double, numbers)               \
  ARRAY(Symbol, symbols)               \
  ARRAY(std::uint16_t, symbol_lists)   \
  ARRAY(MetricGroup, metric_groups)

/// Views over one architecture's arrays. The built-in ones live as long as the program.
/// Returns the bits of a hash that ArchTables::slot_tags keeps: its slot is not chosen by them.
constexpr std::uint8_t slot_tag(std::uint32_t hash) {
  return static_cast<std::uint8_t>(hash >> 24);
}

struct ArchTables {
  std::string_view arch;  ///< "x86", "arm64", …
  std::span<const char> strings;
#define ARRAY(Element, name) std::span<const Element> name;
  EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY
  std::string_view directory = {};  ///< source of tables read at run time; "" for the build

  std::string_view text(Text offset) const { return strings.data() + offset; }
  const EventTraits& traits_of(const Event& event) const { return event_traits[event.traits]; }
};

/// A term on its way from an event's text, a file or a table to the config words. The texts are
/// views of its source. Tables contain StoredTerm, which needs no relocation.
struct Term {
  enum class Value : std::uint8_t { none, number, text };
  static constexpr std::size_t kNotInText = static_cast<std::size_t>(-1);

  std::string_view name;
  Value value = Value::none;
  std::uint64_t number = 1;         ///< the value; 1 if the term has none
  std::string_view text = {};       ///< another value, or a number in an unusual spelling
  std::size_t offset = kNotInText;  ///< in the event's text, for errors
  bool is_raw = false;              ///< the name is rHEX or r0xHEX, and `number` its code
  bool is_decimal = false;          ///< the source spells the number without 0x
};

}  // namespace evname::tables
