// A tree of event files as a user may have it, of one of seven layouts (first byte). Its files hold
// the pieces of the input between NULs; the last piece is the CPUID that events are wanted of.

#include "events/compiler/build_tables.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/identity.hpp"
#include "events/overlay/overlay.hpp"
#include "evname/machine.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::tree_target {

namespace {

using evname::fuzz::FileTree;

constexpr const char* kKernel[] = {
    "x86/mapfile.csv",   "x86/sources.csv",     "x86/standard.json",
    "x86/m/topic.json",  "x86/m/metrics.json",  "x86/m/sys/uncore.json",
    "arm64/mapfile.csv", "arm64/n/a/core.json", "arm64/n/stray.json"};
constexpr const char* kIntel[] = {"mapfile.csv", "XYZ/events/xyz_core.json",
                                  "XYZ/events/xyz_uncore.json", "XYZ/metrics/xyz_metrics.json"};
constexpr const char* kArmData[] = {"cpus.json", "pmu/one.json", "pmu/two.json"};
constexpr const char* kTelemetry[] = {"data/pmu/cpu/one.json", "data/pmu/cpu/family/two.json"};
constexpr const char* kCommon[] = {"common/common/legacy-hardware.json"};
constexpr const char* kFacts[] = {
    "x86/pmus.csv",  "x86/pmu-events.csv",    "x86/counters.csv", "x86/generic-events.csv",
    "x86/names.csv", "x86/m/topic.json",      "x86/products.csv", "x86/event-descriptions.csv",
    "x86/units.csv", "x86/former-scales.csv", "x86/slots.csv"};
constexpr const char* kModel[] = {"topic.json", "metricgroups.json"};

FileTree& tree(std::uint8_t layout) {
  static FileTree trees[] = {FileTree(kKernel),    FileTree(kIntel), FileTree(kArmData),
                             FileTree(kTelemetry), FileTree(kModel), FileTree(kCommon),
                             FileTree(kFacts)};
  return trees[layout % std::size(trees)];
}

}  // namespace

FUZZ_TARGET(tree, data, size) {
  fuzz::Pieces pieces(data, size);
  FileTree& files = tree(pieces.byte());
  files.fill(pieces);
  auto opened = overlay::Tree::open(files.path());
  if (!opened) return 0;
  const overlay::TreePtr shared = std::make_shared<const overlay::Tree>(std::move(*opened));
  overlay::WantedCpu wanted;
  wanted.cpuid = pieces.rest();
  wanted.arch = cpu::arch_of_cpuid(wanted.cpuid);
  wanted.built_in = cpu::match_model(wanted.arch, wanted.cpuid, {});
  (void)overlay::models_in(files.path());
  trees::Diagnostics diagnostics;
  const std::string roots[] = {files.path()};
  for (const auto& trees : compiler::group_by_architecture(roots, diagnostics))
    compiler::build_tables(trees, diagnostics);
  overlay::read_trees(std::span(&shared, 1), wanted);
  return 0;
}

}  // namespace evname::fuzz::tree_target
