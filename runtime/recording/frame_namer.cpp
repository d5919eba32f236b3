#include "recording/frame_namer.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "recording/perf_data_state.hpp"

namespace evname::recording {
namespace {

using perfdata::session::CodePlace;
using perfdata::session::MappedCode;
using perfdata::session::SampleView;

/// A slot of a table of 2^bits.
std::size_t slot_of(std::uint64_t value, unsigned bits) {
  return value * 0x9e3779b97f4a7c15 >> (64 - bits);
}

}  // namespace

FrameNamer::FrameNamer(const PerfData& file, const Symbols& symbols, bool inlines)
    : arch_(file.features().arch),
      symbols_(&symbols),
      inlines_(inlines),
      places_(kPlaces),
      named_(kNamed) {}

const CodePlace& FrameNamer::place_of(const SampleView& view, CodeAddress address) {
  const std::int32_t pid = address.kernel ? -1 : view.core.pid;
  const std::uint64_t generation = view.maps.generation();
  Place& place = places_[slot_of(address.address ^ static_cast<std::uint32_t>(pid), 12)];
  if (place.generation != generation || place.address != address.address || place.pid != pid ||
      place.kernel != address.kernel)
    place = {generation, address.address, pid, address.kernel,
             view.maps.find(pid, address.address, address.kernel)};
  return place.place;
}

bool FrameNamer::stack(const Sample& sample, std::vector<CodeAddress>& stack) {
  const bool known = sample.stack(stack);
  const detail::SampleRef& ref = detail::state_of(sample);
  const perfdata::Attr& attr = ref.view.event.attr;
  const bool has_copy = attr.samples(perfdata::kSampleStackUser) &&
                        attr.samples(perfdata::kSampleRegsUser) && !ref.view.tail.stack.empty() &&
                        !ref.view.tail.regs_user.empty() && !ref.swapped;
  calls_.clear();
  if (!has_copy) return known;
  unwind(ref);
  if (calls_.empty()) return known;
  if (!has_chain(sample)) stack.clear();  // it has the instruction itself
  for (const std::uint64_t call : calls_) stack.push_back({call, false});
  return known;
}

void FrameNamer::unwind(const detail::SampleRef& ref) {
  const SampleView& view = ref.view;
  registers_.clear();
  const SampleWords words(view.tail.regs_user, false);
  for (std::size_t i = 0; i < words.size(); ++i) registers_.push_back(words[i]);
  if (!unwinder_) unwinder_ = std::make_shared<symbols::Unwinder>(*symbols_);
  unwinder_->unwind(
      {.pid = view.core.pid,
       .tid = view.core.tid,
       .arch = arch_,
       .is_32_bit = view.tail.regs_user_abi == 1,
       .mask = view.event.attr.regs_user,
       .registers = registers_,
       .stack = view.tail.stack,
       .generation = view.maps.generation()},
      [&](std::uint64_t address) -> std::optional<Mapping> {
        const CodePlace& place = place_of(view, {address, false});
        if (!place.code) return std::nullopt;
        return mapping_of(view.maps, place);
      },
      kMostFrames, calls_);
}

NamedCode& FrameNamer::at(const SampleView& view, CodeAddress address) {
  const CodePlace& place = place_of(view, address);
  const bool by_address = !place.code || place.code->kernel;
  const std::uint64_t offset =
      by_address ? address.address : address.address - place.start + place.offset;
  const auto code = reinterpret_cast<std::uintptr_t>(place.code);
  Named& named = named_[slot_of(offset ^ (code << 7), 15)];
  if (!named.is_set || named.code != place.code || named.offset != offset) {
    named.code = place.code;
    named.offset = offset;
    named.is_set = true;
    name(view.maps, place, address.address, named.known);
  }
  return named.known;
}

void FrameNamer::name(const perfdata::session::AddressMaps& maps, const CodePlace& place,
                      std::uint64_t address, NamedCode& known) const {
  known.texts.clear();
  known.whole.clear();
  known.numbers.clear();
  known.frames.assign(1, {.address = address});
  known.offset = address;
  known.is_mapped = place.code != nullptr;
  if (!place.code) {
    known.file = "[unknown]";
    known.build_id.clear();
    return;
  }
  const Mapping mapping = mapping_of(maps, place);
  known.file = code_file_name(mapping);
  known.build_id = hex_text(place.code->build_id);
  if (!place.code->kernel) known.offset = address - place.start + place.offset;
  if (inlines_)
    symbols_->frames(address, mapping, known.frames);
  else
    known.frames[0] = symbols_->function(address, mapping);
}

}  // namespace evname::recording
