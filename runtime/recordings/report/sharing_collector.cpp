#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/report/access_collectors.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "perf_format/data_src.hpp"
#include "recordings/report/shared_lines.hpp"

namespace evname::report {
namespace {

namespace source = perf_format::data_source;

constexpr std::uint32_t kUnknown = UINT32_MAX;
constexpr double kLeastShare = 0.001;  // of all contention; as perf c2c

// PERF_MEM_* of include/uapi/linux/perf_event.h: bits of levels, snoops and the like.
constexpr std::uint64_t kLoad = 2, kStore = 4, kLocked = 2;
constexpr std::uint64_t kLevelUnknown = 1, kL1 = 8, kFillBuffer = 16, kL2 = 32, kL3 = 64,
                        kLocalRam = 128, kRemoteRam = 256 | 512, kRemoteCache = 1024 | 2048,
                        kIo = 4096, kUncached = 8192;
constexpr std::uint64_t kSnoopHit = 4, kSnoopModified = 16, kSnoopPeer = 2;
constexpr std::uint64_t kBlockedData = 2, kBlockedAddress = 4;

/// Counts a load with a known address: c2c_decode_stats of tools/perf/util/mem-events.c.
void count_load(std::uint64_t value, AccessCounts& counts) {
  const std::uint64_t level = source::kLevel.of(value), snoop = source::kSnoop.of(value);
  const bool modified = snoop & kSnoopModified, peer = source::kSnoopX.of(value) & kSnoopPeer;
  // POWER reports other cores of the same node as remote, with hops.
  const bool remote = source::kRemote.of(value) && source::kHops.of(value) == 0;
  if (level & source::kHit) {
    counts.load_uncached += (level & kUncached) != 0;
    counts.load_io += (level & kIo) != 0;
    counts.load_fill_buffer += (level & kFillBuffer) != 0;
    counts.load_l1 += (level & kL1) != 0;
    for (const auto& [bit, member] :
         {std::pair(kL2, &AccessCounts::load_l2), {kL3, &AccessCounts::load_llc}}) {
      if (!(level & bit)) continue;
      ++(modified ? counts.local_hitm : counts.*member);
      counts.local_peer += peer;
    }
    const bool far = (level & kRemoteRam) || remote;
    const std::uint64_t drams = ((level & kLocalRam) != 0) + far;
    counts.local_dram += (level & kLocalRam) != 0;
    counts.remote_dram += far;
    (snoop & kSnoopHit ? counts.dram_shared : counts.dram_exclusive) += drams;
  }
  if ((level & kRemoteCache) || remote) {
    if (snoop & kSnoopHit) {
      ++counts.remote_hit;
    } else if (modified) {
      ++counts.remote_hitm;
    } else if (peer) {
      ++counts.remote_hit;
      ++counts.remote_peer;
    }
  }
  counts.load_miss += (level & source::kMiss) != 0;
}

void count_store(std::uint64_t value, AccessCounts& counts) {
  const std::uint64_t level = source::kLevel.of(value);
  counts.store_uncached += (level & source::kHit) && (level & kUncached);
  counts.store_l1_hit += (level & source::kHit) && (level & kL1);
  counts.store_l1_miss += (level & source::kMiss) && (level & kL1);
  counts.store_no_level += (level & kLevelUnknown) != 0;
}

constexpr AccessCount kCounts[] = {
    {"records", &AccessCounts::records, "samples"},
    {"locked", &AccessCounts::locked, "locked loads and stores"},
    {"loads", &AccessCounts::loads, "loads"},
    {"load_uncached", &AccessCounts::load_uncached, "loads of uncached memory"},
    {"load_io", &AccessCounts::load_io, "loads from devices"},
    {"load_miss", &AccessCounts::load_miss, "loads that missed in the level that is named"},
    {"load_no_address", &AccessCounts::load_no_address, "loads without an address"},
    {"load_fill_buffer", &AccessCounts::load_fill_buffer, "loads that hit in the fill buffer"},
    {"load_l1", &AccessCounts::load_l1, "loads that hit in L1"},
    {"load_l2", &AccessCounts::load_l2, "loads that hit in L2, not modified elsewhere"},
    {"load_llc", &AccessCounts::load_llc,
     "loads that hit in the last-level cache, not modified elsewhere"},
    {"local_hitm", &AccessCounts::local_hitm,
     "loads of what another cache of the node had modified"},
    {"remote_hitm", &AccessCounts::remote_hitm,
     "loads of what a cache of another node had modified"},
    {"local_peer", &AccessCounts::local_peer, "loads that another cache of the node answered"},
    {"remote_peer", &AccessCounts::remote_peer, "loads that a cache of another node answered"},
    {"remote_hit", &AccessCounts::remote_hit, "loads from another node's cache, not modified"},
    {"local_dram", &AccessCounts::local_dram, "loads from memory of the node"},
    {"remote_dram", &AccessCounts::remote_dram, "loads from memory of another node"},
    {"dram_exclusive", &AccessCounts::dram_exclusive,
     "loads from memory of what no other cache had"},
    {"dram_shared", &AccessCounts::dram_shared, "loads from memory of what other caches had"},
    {"blocked_data", &AccessCounts::blocked_data, "loads blocked by an earlier store's data"},
    {"blocked_address", &AccessCounts::blocked_address,
     "loads blocked by an earlier store's address"},
    {"stores", &AccessCounts::stores, "stores"},
    {"store_uncached", &AccessCounts::store_uncached, "stores to uncached memory"},
    {"store_no_address", &AccessCounts::store_no_address, "stores without an address"},
    {"store_l1_hit", &AccessCounts::store_l1_hit, "stores that hit in L1"},
    {"store_l1_miss", &AccessCounts::store_l1_miss, "stores that missed in L1"},
    {"store_no_level", &AccessCounts::store_no_level, "stores of unknown level"},
    {"unmapped", &AccessCounts::unmapped,
     "accesses of which the data or the instruction is in no mapping"},
    {"unparsed", &AccessCounts::unparsed, "neither loads nor stores"},
};
static_assert(sizeof(AccessCounts) == std::size(kCounts) * sizeof(std::uint64_t));

/// Adds a sample to the first matching kind of load.
void add_weight(const AccessCounts& counts, std::uint64_t samples, std::uint64_t weight,
                LineAccess& access) {
  constexpr std::pair<std::uint64_t AccessCounts::*, MeanWeight LineAccess::*> kKinds[] = {
      {&AccessCounts::remote_hitm, &LineAccess::remote_hitm},
      {&AccessCounts::local_hitm, &LineAccess::local_hitm},
      {&AccessCounts::remote_peer, &LineAccess::remote_peer},
      {&AccessCounts::local_peer, &LineAccess::local_peer},
      {&AccessCounts::loads, &LineAccess::load}};
  for (const auto& [count, mean] : kKinds) {
    if (counts.*count == 0) continue;
    (access.*mean).samples += samples;
    (access.*mean).sum += weight;
    return;
  }
}

void insert_sorted(std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (at == numbers.end() || *at != number) numbers.insert(at, number);
}

}  // namespace

AccessCounts SharingCollector::Kind::counts() const {
  AccessCounts counts;
  const std::uint64_t op = source::kOp.of(source), block = source::kBlock.of(source);
  counts.records = 1;
  counts.locked = (source::kLock.of(source) & kLocked) != 0;
  counts.blocked_data = (block & kBlockedData) != 0;
  counts.blocked_address = (block & kBlockedAddress) != 0;
  const bool load = op & kLoad, store = !load && (op & kStore);
  counts.loads = load;
  counts.stores = store;
  counts.unparsed = !load && !store;
  if (!load && !store) return counts;
  if (!has_address) {
    ++(load ? counts.load_no_address : counts.store_no_address);
    return counts;
  }
  if (load)
    count_load(source, counts);
  else
    count_store(source, counts);
  counts.unmapped = !is_mapped;
  return counts;
}

void SharingCollector::begin_file(const Recording& file) {
  node_of_cpu_.clear();
  timeline_.begin_file();
  for (const perf_format::NumaNode& node : perf_data::features_of(file).numa)
    for (const unsigned cpu : parse_cpu_list(node.cpus)) {
      if (cpu >= kMostCpus) continue;
      if (cpu >= node_of_cpu_.size()) node_of_cpu_.resize(cpu + 1, kUnknown);
      node_of_cpu_[cpu] = node.node;
    }
}

/// Returns the number of an instruction.
std::uint32_t SharingCollector::code_of(std::uint64_t ip, const FrameKeys& leaf) {
  const auto [at, is_new] =
      code_numbers_.try_emplace({ip, leaf.sym}, static_cast<std::uint32_t>(codes_.size()));
  if (is_new) codes_.push_back({ip, leaf.sym, leaf.dso, leaf.srcline});
  return at->second;
}

void SharingCollector::join_equal_cells() {
  std::ranges::sort(cells_, {}, &Cell::key);
  auto last = cells_.begin();
  for (auto cell = last + 1; cell != cells_.end(); ++cell) {
    if (cell->key() != last->key()) {
      *++last = *cell;
      continue;
    }
    last->samples += cell->samples;
    last->weight += cell->weight;
  }
  cells_.erase(last + 1, cells_.end());
  room_ = std::max(kMostCells, 2 * cells_.size());
}

void SharingCollector::add(const Sample& sample, std::uint32_t event, const FrameKeys& leaf,
                           std::uint32_t comm, const DataPlaces::Place& place,
                           const TimeBins* bins) {
  const auto number = [](const auto& value) {
    return value ? static_cast<std::uint32_t>(*value) : kUnknown;
  };
  const std::uint32_t task = tasks_.add({number(sample.pid()), number(sample.tid())}).first;
  const std::uint32_t kind =
      kinds_
          .add({sample.data_src().value_or(1), sample.addr().value_or(0) != 0,
                place.is_mapped && leaf.dso != kAbsent})
          .first;
  const std::uint32_t cpu = number(sample.cpu());
  const std::uint32_t node = cpu < node_of_cpu_.size() ? node_of_cpu_[cpu] : kUnknown;
  const std::uint64_t weight = sample.weight().value_or(0);
  if (cells_.size() == room_) join_equal_cells();
  cells_.push_back({place.line, code_of(sample.ip().value_or(0), leaf), place.offset,
                    threads_.add({task, comm}).first, cpus_.add({cpu, node}).first, kind, 1,
                    weight});
  if (bins && (sample.data_src() || sample.weight()))
    timeline_.add(
        {event, 0, place.line, kind, static_cast<std::uint32_t>(std::bit_width(weight)), 1, weight},
        sample.time(), *bins);
}

/// The number that selects lines.
struct SharingCollector::LineSums {
  std::uint32_t line = kUnknown;
  std::uint32_t first_thread = kUnknown;
  bool has_several_threads = false, has_stores = false;
  std::uint64_t local_hitm = 0, remote_hitm = 0, peer = 0, accesses = 0;

  bool is_shared() const { return local_hitm + remote_hitm + peer > 0; }
  std::uint64_t of(Contention by) const {
    if (by == Contention::threads) return has_several_threads && has_stores ? accesses : 0;
    AccessCounts counts;
    counts.local_hitm = local_hitm;
    counts.remote_hitm = remote_hitm;
    counts.local_peer = peer;
    return contention_of(counts, by);
  }
};

std::vector<AccessCounts> SharingCollector::counts_of_kinds() const {
  std::vector<AccessCounts> counts;
  for (const Kind& kind : kinds_.keys()) counts.push_back(kind.counts());
  return counts;
}

/// Returns the sums by line; the first is for samples without an address.
std::vector<SharingCollector::LineSums> SharingCollector::sums_of_lines() const {
  const auto of_kind = counts_of_kinds();
  std::vector<LineSums> lines(1);
  for (const Cell& cell : cells_) {
    const std::size_t at = cell.line == LinePool::kNone ? 0 : std::size_t{cell.line} + 1;
    if (at >= lines.size()) lines.resize(at + 1);
    LineSums& line = lines[at];
    const AccessCounts& counts = of_kind[cell.kind];
    line.line = cell.line;
    line.local_hitm += counts.local_hitm * cell.samples;
    line.remote_hitm += counts.remote_hitm * cell.samples;
    line.peer += counts.peer() * cell.samples;
    if (!kinds_.keys()[cell.kind].has_address) continue;
    line.accesses += contention_of(counts, Contention::threads) * cell.samples;
    line.has_stores |= counts.stores > 0;
    const std::uint32_t thread = task_of(cell);
    if (line.first_thread == kUnknown) line.first_thread = thread;
    line.has_several_threads |= line.first_thread != thread;
  }
  return lines;
}

/// Makes the lines that were chosen.
class SharingCollector::LineMaker {
 public:
  LineMaker(const SharingCollector& from, const SharingNames& names)
      : from_(from), names_(names), of_kind_(from.counts_of_kinds()) {}

  /// `cells`: of one line.
  SharedLine make(std::uint32_t id, std::vector<const Cell*>& cells) const {
    SharedLine line;
    const bool is_known = id != LinePool::kNone;
    if (is_known) line.address = names_.lines[id].address;
    line.place = is_known ? DataPlaces::text_of(names_.lines, id) : std::string("-");
    // By offset, instruction and thread.
    const auto order = [&](const Cell* cell) {
      const Code& code = code_of(*cell);
      return std::tuple(cell->offset, code.address, code.sym, cell->thread);
    };
    sort_stably_by(cells, order);
    std::vector<std::uint32_t> threads;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i == 0 || order(cells[i - 1]) != order(cells[i]))
        line.accesses.push_back(access_of(*cells[i]));
      add(*cells[i], line.accesses.back());
      line.counts.add(of_kind_[cells[i]->kind], cells[i]->samples);
      insert_sorted(threads, from_.task_of(*cells[i]));
    }
    line.threads = threads.size();
    return line;
  }

 private:
  const Code& code_of(const Cell& cell) const { return from_.codes_[cell.code]; }
  std::string text(std::uint32_t id) const { return id == kAbsent ? "-" : names_.texts[id]; }

  LineAccess access_of(const Cell& cell) const {
    const Code& code = code_of(cell);
    const auto [task, comm] = from_.threads_.keys()[cell.thread];
    const auto [pid, tid] = from_.tasks_.keys()[task];
    LineAccess access;
    access.offset = cell.offset;
    access.pid = static_cast<std::int32_t>(pid);
    access.tid = static_cast<std::int32_t>(tid);
    access.comm = text(comm);
    access.ip = code.address;
    access.sym = text(code.sym);
    access.dso = text(code.dso);
    access.source = text(code.srcline);
    return access;
  }
  void add(const Cell& cell, LineAccess& access) const {
    const AccessCounts& counts = of_kind_[cell.kind];
    access.counts.add(counts, cell.samples);
    add_weight(counts, cell.samples, cell.weight, access);
    const auto [cpu, node] = from_.cpus_.keys()[cell.cpu];
    if (cpu != kUnknown) insert_sorted(access.cpus, cpu);
    if (node != kUnknown) insert_sorted(access.nodes, node);
  }

  const SharingCollector& from_;
  const SharingNames& names_;
  std::vector<AccessCounts> of_kind_;
};

namespace {

/// The best measure that the CPU reports.
Contention usual_contention(const AccessCounts& all) {
  return all.hitm() > 0   ? Contention::hitm
         : all.peer() > 0 ? Contention::peer
                          : Contention::threads;
}

}  // namespace

void SharingCollector::choose(std::vector<LineSums>& lines, Sharing& out,
                              const SharingNames& names) const {
  std::uint64_t all = 0;
  std::erase_if(lines, [&](const LineSums& line) { return line.of(out.by) == 0; });
  for (const LineSums& line : lines) all += line.of(out.by);
  std::erase_if(lines, [&](const LineSums& line) {
    const double share = static_cast<double>(line.of(out.by)) / static_cast<double>(all);
    out.left_out += share < kLeastShare;
    return share < kLeastShare;
  });
  sort_stably(lines, [&](const LineSums& a, const LineSums& b) {
    if (a.of(out.by) != b.of(out.by)) return a.of(out.by) > b.of(out.by);
    const auto address = [&](const LineSums& line) {
      return line.line == LinePool::kNone ? 0 : names.lines[line.line].address;
    };
    return address(a) != address(b) ? address(a) < address(b) : a.line < b.line;
  });
}

Sharing SharingCollector::sharing(const SharingNames& names, std::optional<Contention> by) const {
  Sharing out;
  auto lines = sums_of_lines();
  const auto of_kind = counts_of_kinds();
  for (const Cell& cell : cells_) {
    out.all.add(of_kind[cell.kind], cell.samples);
    if (lines[cell.line == LinePool::kNone ? 0 : std::size_t{cell.line} + 1].is_shared())
      out.shared.add(of_kind[cell.kind], cell.samples);
  }
  for (const LineSums& line : lines) out.shared_lines += line.is_shared();
  out.by = by.value_or(usual_contention(out.all));
  choose(lines, out, names);
  std::map<std::uint32_t, std::vector<const Cell*>> cells;
  for (const LineSums& line : lines) cells[line.line];
  for (const Cell& cell : cells_)
    if (const auto at = cells.find(cell.line); at != cells.end()) at->second.push_back(&cell);
  const LineMaker maker(*this, names);
  for (const LineSums& line : lines) out.lines.push_back(maker.make(line.line, cells[line.line]));
  return out;
}

void SharingCollector::add_to(SampleGrid& grid, const SharingNames& names, std::size_t most) const {
  constexpr std::size_t kTimedLines = 100;
  Sharing chosen;
  AccessCounts all;
  const auto of_kind = counts_of_kinds();
  for (const Cell& cell : cells_) all.add(of_kind[cell.kind], cell.samples);
  chosen.by = usual_contention(all);
  auto lines = sums_of_lines();
  choose(lines, chosen, names);
  std::vector<std::uint32_t> number(names.lines.size(), LinePool::kNone);
  for (std::uint32_t i = 0; i < std::min(lines.size(), kTimedLines); ++i)
    if (lines[i].line != LinePool::kNone) number[lines[i].line] = i;
  const AccessTimeline timeline = timeline_.reduced(number, most);
  grid.access_width = timeline.width();
  grid.accesses = timeline.cells();
  for (const Kind& kind : kinds_.keys()) {
    const auto text = [&](SortKey key) { return source_text(key, kind.source); };
    using enum SortKey;
    grid.sources.push_back(
        {text(op), text(mem), text(snoop), text(tlb), text(locked), text(blocked), kind.counts()});
  }
}

void AccessCounts::add(const AccessCounts& other, std::uint64_t times) {
  for (const AccessCount& one : report::kCounts) this->*one.member += other.*one.member * times;
}

std::span<const AccessCount> access_counts() { return kCounts; }

std::uint64_t contention_of(const AccessCounts& counts, Contention by) {
  switch (by) {
    case Contention::hitm:
      return counts.hitm();
    case Contention::local_hitm:
      return counts.local_hitm;
    case Contention::remote_hitm:
      return counts.remote_hitm;
    case Contention::peer:
      return counts.peer();
    case Contention::threads:
      return counts.loads + counts.stores;
  }
  return 0;
}

}  // namespace evname::report
