#pragma once
// Reads event trees as facts: the facts of an entry, and of a whole tree in memory.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/trees/diagnostics.hpp"
#include "events/trees/json.hpp"
#include "events/trees/tree.hpp"

namespace evname::importer {

/// Keys and values as written, in the order of compiler::keys(): no sentence, no part of a metric.
class Facts {
 public:
  Facts() = default;
  explicit Facts(const trees::Object& object);

  std::string_view get(std::string_view key) const;
  /// "" removes the key.
  void set(std::string_view key, std::string_view value);

  /// Returns an entry for compiler functions, valid while this object lives unchanged.
  trees::Object object() const;
  /// "event=0xd1,umask=0x20", sorted, without zeros and the period.
  std::string encoding() const;
  std::string pmu() const;
  /// As one line of JSON, the description last; "" for none.
  std::string line(std::string_view description) const;

  bool operator==(const Facts&) const = default;

 private:
  std::vector<std::pair<std::string_view, std::string>> values_;  ///< keys as in keys()
};

/// Topic files of a directory, by file name.
using Topics = std::map<std::string, std::vector<Facts>>;

struct ModelFacts {
  bool system = false;
  Topics topics;
  std::vector<std::string> sources;  ///< "Intel perfmon GNR 1.20", the most important first
};

struct ArchFacts {
  std::map<std::string, ModelFacts> models;  ///< by directory
  Topics standard;
  std::vector<trees::MapfileRow> map_rows;
};

/// A difference between a maker's statement and another source's about an event.
struct Disagreement {
  std::string model, pmu, event;
  std::string theirs;  ///< the encoding in the kernel's files
  std::string makers;  ///< in the maker's
  std::string taken;   ///< the chosen one, and why
};

/// Counts of left out facts by reason.
using Dropped = std::map<std::string, std::size_t>;
constexpr std::string_view kDroppedMetrics = "metrics";

/// The events of one file of a model; of the architecture's standard events if `model` is nullptr.
/// Events, references to the standard events that are in `standard`, and rows that only count
/// counters; no metrics.
std::vector<Facts> read_topic_facts(const std::string& path, const trees::ModelDir* model,
                                    const Topics& standard, Dropped& dropped,
                                    trees::Diagnostics& diagnostics);

/// All of an architecture; `source` is the source of models that don't state one.
ArchFacts read_arch_facts(const trees::ArchDir& arch, const std::string& source, Dropped& dropped,
                          trees::Diagnostics& diagnostics);

/// "Linux 7.3" for a tree inside of a kernel's source, by its Makefile, or of a directory called so
/// ("linux-7.3", "linux-source-6.12"); "" if neither has it.
std::string kernel_source(const std::string& root);

}  // namespace evname::importer
