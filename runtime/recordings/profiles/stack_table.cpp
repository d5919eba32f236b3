#include "recordings/profiles/stack_table.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace evname::profile {
namespace {

bool is_same_file(const Binary& a, const Binary& b) {
  return a.file == b.file && a.build_id == b.build_id && a.pid == b.pid && a.kernel == b.kernel;
}

/// Returns true if `whole` maps all bytes of `part`.
bool holds(const Binary& whole, const Binary& part) {
  if (whole.kernel || whole.pid != -1) return whole.start == part.start && whole.end == part.end;
  return part.offset >= whole.offset &&
         part.offset - whole.offset + (part.end - part.start) <= whole.end - whole.start;
}

/// Returns file and offset, "libc.so.6+0x2a1b0", for a location without a symbol.
std::string place_text(const Binary* binary, std::uint64_t address) {
  if (!binary) return fmt::format("0x{:x}", address);
  const std::string_view file = binary->file;
  return fmt::format("{}+0x{:x}", file.starts_with('/') ? last_part(file) : file,
                     binary->file_offset(address));
}

}  // namespace

std::uint32_t Stacks::find_binary(const Binary& binary) const {
  const auto [first, last] = by_file_.equal_range(binary.file);
  for (auto at = first; at != last; ++at)
    if (is_same_file(binaries_[at->second], binary) && holds(binaries_[at->second], binary))
      return at->second;
  return kNone;
}

std::uint32_t Stacks::binary_of(const perfdata::session::MappedRange& range) {
  if (!range.dso) return kNone;
  Binary binary{range.dso->kernel ? range.dso->shown_name : range.dso->name,
                range.dso->build_id,
                range.start,
                range.end,
                range.offset,
                range.dso->pid,
                range.dso->kernel};
  if (binary.file.empty()) binary.file = "[unknown]";
  std::uint32_t found = find_binary(binary);
  if (found == kNone) {
    found = static_cast<std::uint32_t>(binaries_.size());
    by_file_.emplace(binary.file, found);
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
  const auto [at, is_new] = by_address_.try_emplace({location.binary, location.address, place.call},
                                                    static_cast<std::uint32_t>(locations_.size()));
  if (is_new) {
    name(location, place, frames());
    locations_.push_back(std::move(location));
  }
  return at->second;
}

std::uint32_t Stacks::push(std::uint32_t caller, std::uint32_t location) {
  const std::uint64_t key = std::uint64_t{caller} << 32 | location;
  if (const std::uint32_t known = by_caller_[key]; known != by_caller_.kNone) return known;
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({caller, location});
  by_caller_.insert(key, index);
  return index;
}

void Stacks::locations_of(std::uint32_t stack, std::vector<std::uint32_t>& out) const {
  out.clear();
  for (; stack != kNone; stack = nodes_[stack].caller) out.push_back(nodes_[stack].location);
}

}  // namespace evname::profile
