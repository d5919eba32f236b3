#include "recordings/profiles/stack_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::profiles {
namespace {

/// Returns file and offset, "libc.so.6+0x2a1b0", for a location without a symbol.
std::string place_text(const Binary* binary, std::uint64_t address) {
  if (!binary) return fmt::format("0x{:x}", address);
  const std::string_view file = binary->file;
  return fmt::format("{}+0x{:x}", file.starts_with('/') ? last_part(file) : file,
                     binary->file_offset(address));
}

}  // namespace

// A part of several binaries stays with the first.
std::uint32_t Stacks::Parts::find(std::uint64_t begin, std::uint64_t end) {
  if (const auto known = exact_.find({begin, end}); known != exact_.end()) return known->second;
  auto after = wide_.upper_bound(begin);
  if (after == wide_.begin() || (--after)->second.end < end) return kNone;
  exact_.emplace(std::pair(begin, end), after->second.binary);
  return after->second.binary;
}

void Stacks::Parts::add(std::uint64_t begin, std::uint64_t end, std::uint32_t binary, bool whole) {
  exact_.emplace(std::pair(begin, end), binary);
  if (!whole) return;
  auto at = wide_.lower_bound(begin);
  while (at != wide_.end() && at->second.end <= end) at = wide_.erase(at);
  wide_.emplace(begin, Wide{end, binary});
}

std::uint32_t Stacks::binary_of(const session::MappedRange& range,
                                const symbols::InnerFile* inner) {
  if (!range.dso) return kNone;
  const bool is_memory =
      symbols::is_without_file(range.dso->name) || symbols::is_named_memory(range.dso->name);
  Binary binary{range.dso->kernel ? range.dso->shown_name : range.dso->name,
                range.dso->build_id,
                range.start,
                range.end,
                range.offset,
                is_memory ? range.dso->pid : -1,
                range.dso->kernel};
  if (binary.file.empty()) binary.file = "[unknown]";
  if (inner) {
    binary.file = inner->name;
    binary.build_id = inner->build_id;
    binary.offset -= inner->origin;
  }
  const bool is_file = !binary.kernel && binary.pid == -1;
  const std::uint64_t begin = is_file ? binary.offset : binary.start;
  const std::uint64_t size = binary.end - binary.start;
  const std::uint64_t end = begin + std::min(size, UINT64_MAX - begin);
  Parts& parts = by_file_[{binary.file, binary.build_id, binary.pid, binary.kernel}];
  std::uint32_t found = parts.find(begin, end);
  if (found == kNone) {
    found = static_cast<std::uint32_t>(binaries_.size());
    parts.add(begin, end, found, is_file);
    binaries_.push_back(std::move(binary));
  }
  return found;
}

std::uint32_t Stacks::function(const Function& function) {
  const auto [at, is_new] =
      by_name_.try_emplace(function, static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back(function);
  return at->second;
}

void Stacks::name(Location& location, const Place& place, std::span<const Frame> frames) {
  if (frames.empty() || frames[0].function.empty()) {
    const Binary* binary = location.binary == kNone ? nullptr : &binaries_[location.binary];
    const std::string text = place_text(binary, location.address + place.call);
    location.lines = {{function({strings_.id(text), strings_.id(""), location.binary, false}), 0}};
    return;
  }
  for (const Frame& frame : frames)
    location.lines.push_back(
        {function({strings_.id(frame.function), strings_.id(frame.source), location.binary, true}),
         frame.line});
}

std::uint32_t Stacks::location(const Place& place,
                               const std::function<std::span<const Frame>()>& frames) {
  Location location;
  location.binary = place.binary;
  location.address = place.address - place.call;
  if (location.binary != kNone) {
    const Binary& shown = binaries_[location.binary];
    if (!shown.kernel)
      location.address += (shown.start - shown.offset) - (place.range.start - place.range.offset);
  }
  const auto [at, is_new] =
      by_address_.try_emplace({location.binary, location.address, place.call, place.code},
                              static_cast<std::uint32_t>(locations_.size()));
  if (is_new) {
    name(location, place, frames());
    locations_.push_back(std::move(location));
  }
  return at->second;
}

std::uint32_t Stacks::push(std::uint32_t caller, std::uint32_t location) {
  const auto [at, is_new] = by_caller_.try_emplace(std::uint64_t{caller} << 32 | location,
                                                   static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({caller, location});
  return at->second;
}

void Stacks::locations_of(std::uint32_t stack, std::vector<std::uint32_t>& out) const {
  out.clear();
  for (; stack != kNone; stack = nodes_[stack].caller) out.push_back(nodes_[stack].location);
}

}  // namespace evname::profiles
