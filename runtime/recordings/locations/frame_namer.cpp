#include "recordings/locations/frame_namer.hpp"

#include <utility>

#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::recording {
namespace {

using perfdata::session::CodePlace;

std::uint64_t spread(std::uint64_t value) { return value * 0x9e3779b97f4a7c15; }

}  // namespace

FrameNamer::FrameNamer(const PerfData& file, const Symbols& symbols, bool inlines, bool lines)
    : arch_(file.features().arch),
      is_swapped_(detail::state_of(file).file.header.order != std::endian::native),
      symbols_(&symbols),
      names_(std::make_shared<SharedNames>(symbols, inlines, lines)),
      table_(names_->table()) {}

// The slot of an address, or that of another to be replaced.
FrameNamer::Slot& FrameNamer::slot_of(std::int32_t pid, CodeAddress address) {
  const std::uint64_t hash = spread(address.address ^ static_cast<std::uint32_t>(pid)) >> 32;
  if (slots_.empty()) slots_.resize(std::size_t{1} << bits_);
  for (;;) {
    Slot* const group = &slots_[(hash >> (32 - bits_)) & ~std::uint64_t{kGroup - 1}];
    for (Slot* slot = group; slot != group + kGroup; ++slot)
      if (!slot->named || slot->is_of(pid, address)) return *slot;
    if (bits_ == kMostBits) return group[hash % kGroup];
    grow();
  }
}

void FrameNamer::grow() {
  ++bits_;
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::size_t{1} << bits_));
  const unsigned bits = bits_;
  for (const Slot& slot : old)
    if (slot.named && bits == bits_) slot_of(slot.pid, {slot.address, slot.kernel}) = slot;
}

bool FrameNamer::stack(const Sample& sample, std::vector<CodeAddress>& stack) {
  const bool known = sample.stack(stack);
  const perfdata::SampleRecord& record = detail::record_of(sample);
  const perfdata::Attr& attr = record.event->attr;
  const bool has_copy = attr.samples(perfdata::kSampleStackUser) &&
                        attr.samples(perfdata::kSampleRegsUser) && !record.stack.empty() &&
                        !record.regs_user.empty() && !is_swapped_;
  calls_.clear();
  if (!has_copy) return known;
  unwind(sample);
  if (calls_.empty()) return known;
  if (!has_chain(sample)) stack.clear();  // it has the instruction itself
  for (const std::uint64_t call : calls_) stack.push_back({call, false});
  return known;
}

void FrameNamer::unwind(const Sample& sample) {
  const perfdata::SampleRecord& record = detail::record_of(sample);
  const perfdata::session::ProcessMaps& maps = detail::maps_of(sample);
  registers_.clear();
  const SampleWords words(record.regs_user, false);
  for (std::size_t i = 0; i < words.size(); ++i) registers_.push_back(words[i]);
  if (!unwinder_) unwinder_ = std::make_shared<symbols::Unwinder>(*symbols_);
  unwinder_->unwind(
      {.pid = record.pid,
       .tid = record.tid,
       .arch = arch_,
       .is_32_bit = record.regs_user_abi == 1,
       .mask = record.event->attr.regs_user,
       .registers = registers_,
       .stack = record.stack,
       .generation = maps.generation()},
      [&](std::uint64_t address) -> std::optional<Mapping> {
        const CodePlace place = maps.find(address, false);
        if (!place.code) return std::nullopt;
        return mapping_of(maps, place);
      },
      kMostFrames, calls_);
}

const NamedCode& FrameNamer::at(const Sample& sample, CodeAddress address) {
  const perfdata::session::ProcessMaps& maps = detail::maps_of(sample);
  if (!names_->is_current(table_.get())) forget_names();
  const std::int32_t pid = address.kernel ? 0 : detail::record_of(sample).pid;
  const std::uint64_t generation = maps.generation(address.kernel);
  Slot& slot = slot_of(pid, address);
  if (slot.is_of(pid, address) && slot.generation == generation) return *slot.named;
  const CodePlace place = maps.find(address.address, address.kernel);
  slot = {&names_->at(*table_, maps, place, address.address), address.address, generation, pid,
          address.kernel};
  return *slot.named;
}

void FrameNamer::forget_names() {
  for (Slot& slot : slots_) slot.named = nullptr;
  table_ = names_->table();
}

}  // namespace evname::recording
