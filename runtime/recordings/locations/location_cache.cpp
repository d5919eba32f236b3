#include "recordings/locations/location_cache.hpp"

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "base/longest_names.hpp"
#include "base/text.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::locations {

using session::MappedRange;
using session::ProcessMaps;
using session::SampleTime;

std::span<const Frame> LocationTable::Storage::Part::keep(std::span<const Frame> frames) {
  static_assert(std::is_trivially_destructible_v<Frame>);
  Frame* const kept = static_cast<Frame*>(bytes.allocate(frames.size_bytes(), alignof(Frame)));
  std::uninitialized_copy(frames.begin(), frames.end(), kept);
  return {kept, frames.size()};
}

std::shared_ptr<LocationTable::Storage> LocationTable::storage() {
  const std::lock_guard lock(mutex_);
  if (!storage_ || is_full(*storage_)) storage_ = std::make_shared<Storage>();
  return storage_;
}

const Locations::Named& LocationTable::at(Storage& storage, const ProcessMaps& maps,
                                          const MappedRange& range, std::uint64_t address,
                                          const SampleTime& when, std::uint64_t code) {
  constexpr std::size_t kNode = 2 * sizeof(void*) + sizeof(Location) + sizeof(Locations::Named);
  const Location location{range.dso, range.offset_of(address), code};
  constexpr unsigned kShift = std::numeric_limits<std::size_t>::digits - Storage::kPartBits;
  Storage::Part& part = storage.parts_[storage.hash_(location) >> kShift];
  {
    const std::lock_guard lock(part.mutex);
    if (const auto at = part.named.find(location); at != part.named.end()) return at->second;
  }
  std::vector<Frame> frames;
  const Locations::Named named = name(maps, range, address, when, frames);  // which may take long
  const std::lock_guard lock(part.mutex);
  const auto [at, is_new] = part.named.try_emplace(location, named);
  if (is_new) {
    at->second.id = ++last_id_;
    at->second.frames = part.keep(frames);
    storage.bytes_ += kNode + at->second.frames.size_bytes();
  }
  return at->second;
}

Locations::Named LocationTable::name(const ProcessMaps& maps, const MappedRange& range,
                                     std::uint64_t address, const SampleTime& when,
                                     std::vector<Frame>& frames) const {
  Locations::Named named{.offset = range.offset_of(address)};
  frames.assign(1, {.address = address});
  if (!range.dso) return named;
  named.dso = range.dso->shown_name();
  named.is_mapped = true;
  named.build_id = range.dso->build_id_text();
  const Mapping mapping = maps.mapping(range, when);
  if (const auto* const inner = detail::SymbolsAccess::inner_file(*symbols_, mapping)) {
    named.dso = inner->name;
    named.build_id = inner->build_id_text;
    named.offset -= inner->origin;
  }
  if (!inlines_)
    frames[0] = symbols_->function(address, mapping);
  else if (lines_)
    symbols_->frames(address, mapping, frames);
  else
    symbols_->calls(address, mapping, frames);
  return named;
}

using session::ProcessMaps;

LocationCache::LocationCache(const Recording& file, const Symbols& symbols, bool inlines,
                             bool lines)
    : LocationCache(perf_data::features_of(file).arch,
                    detail::state_of(file).file.header.order != std::endian::native, symbols,
                    std::make_shared<LocationTable>(symbols, inlines, lines)) {}

LocationCache::LocationCache(std::string arch, bool is_swapped, const Symbols& symbols,
                             std::shared_ptr<LocationTable> table)
    : arch_(std::move(arch)),
      is_swapped_(is_swapped),
      symbols_(&symbols),
      table_(std::move(table)),
      storage_(table_->storage()) {}

// Everything that is kept refers to the mappings of its pass. `pass_` keeps these alive, so that
// the mappings of another pass have other addresses.
void LocationCache::follow(const Sample& sample) {
  const auto& pass = detail::maps_of(sample).dsos();
  if (pass_ == pass) return;
  if (pass_) *this = LocationCache(arch_, is_swapped_, *symbols_, table_->empty());
  pass_ = pass;
}

const Locations::Named& LocationCache::at(const Sample& sample, Address address) {
  if (table_->is_full(*storage_)) {
    cache_.clear();
    storage_ = table_->storage();
  }
  const Location location = place(sample, address);
  return *cache_.of(location, [&] {
    return &table_->at(*storage_, detail::maps_of(sample), range(sample, address), address.value,
                       detail::time_of(sample), location.code);
  });
}

std::uint64_t LocationCache::code_number(const Sample& sample, RecentRanges::Range& in,
                                         std::uint64_t address) {
  if (!in.dso) return 0;
  const Mapping mapping = detail::maps_of(sample).mapping(in, detail::time_of(sample));
  if (!in.code) in.code = detail::SymbolsAccess::code_of(*symbols_, mapping);
  return in.code->number(address, symbols::CodeTime(mapping));
}

std::string LocationCache::file_path(const Sample& sample, Address address) {
  const RecentRanges::Range& in = range(sample, address);
  if (!in.dso || in.dso->is_function) return {};
  return symbols_->file_path(detail::maps_of(sample).mapping(in, detail::time_of(sample)));
}

elf::CodePiece LocationCache::code(const Sample& sample, Address address, std::uint64_t size) {
  const RecentRanges::Range& in = range(sample, address);
  if (!in.dso || in.dso->is_function) return {};
  return detail::SymbolsAccess::code_at(
      *symbols_, address.value, detail::maps_of(sample).mapping(in, detail::time_of(sample)), size);
}

symbols::FunctionPlace LocationCache::function_place(const Sample& sample, Address address) {
  const RecentRanges::Range& in = range(sample, address);
  if (!in.dso) return {};
  return detail::SymbolsAccess::function_place(
      *symbols_, address.value, detail::maps_of(sample).mapping(in, detail::time_of(sample)));
}

// Each history's epoch only grows, so equal sums mean equal epochs.
std::uint64_t LocationCache::code_epoch(const Sample& sample) const {
  std::uint64_t sum = 0;
  detail::maps_of(sample).for_each_jit_compiler(
      detail::time_of(sample), [&](const Mapping& mapping) {
        const auto code = detail::SymbolsAccess::code_of(*symbols_, mapping);
        if (code.history) sum += code.history->epoch(symbols::CodeTime(mapping));
      });
  return sum;
}

bool LocationCache::stack(const Sample& sample, std::vector<Address>& stack) {
  const bool known = sample.stack(stack);
  const perf_format::SampleRecord& record = detail::record_of(sample);
  const perf_format::Attr& attr = record.event->attr;
  const bool has_copy = attr.samples(perf_format::kSampleStackUser) &&
                        attr.samples(perf_format::kSampleRegsUser) && !record.stack.empty() &&
                        !record.user_registers.empty() && !is_swapped_;
  calls_.clear();
  in_calls_ = perf_data::kept_calls(sample);
  leaf_caller_ = 0;
  if (!attr.samples(perf_format::kSampleStackUser) && in_calls_ == 0)
    add_leaf_caller(sample, stack);
  if (!has_copy) return known;
  unwind(sample);
  if (calls_.empty()) return known;
  if (!perf_data::has_chain(sample)) stack.clear();  // it has the instruction itself
  for (const std::uint64_t call : calls_) stack.push_back({call, false});
  in_calls_ = calls_.size();
  return known;
}

RecentRanges::Range& LocationCache::beyond_image(const Sample& sample, std::uint64_t address,
                                                 RecentRanges::Range& unknown) {
  const ProcessMaps& maps = detail::maps_of(sample);
  const auto image = maps.beyond_image(address);
  if (!image.dso) return unknown;
  const bool is_named = named_beyond_.of({image.dso, address}, [&] {
    return !symbols_->function(address, maps.mapping(image)).function.empty();
  });
  if (!is_named) return unknown;
  if (beyond_image_.dso != image.dso) beyond_image_ = {image};
  return beyond_image_;
}

unwinding::StackCopy LocationCache::thread_of(const Sample& sample) const {
  const perf_format::SampleRecord& record = detail::record_of(sample);
  const ProcessMaps& maps = detail::maps_of(sample);
  return {.pid = record.pid,
          .tid = record.tid,
          .arch = arch_,
          .is_32_bit = record.user_abi == 1,
          .mask = record.event->attr.regs_user,
          .generation = maps.generation() + (maps.has_jit_compilers() ? code_epoch(sample) : 0)};
}

unwinding::Unwinder& LocationCache::unwinder() {
  if (!unwinder_) unwinder_ = std::make_shared<unwinding::Unwinder>(*symbols_);
  return *unwinder_;
}

namespace {

/// Returns a function that finds the mappings of user space.
auto mapping_finder(const Sample& sample) {
  return [&sample](std::uint64_t address) { return sample.mapping({address, false}); };
}

// PERF_REG_ARM64_LR and PERF_SAMPLE_REGS_ABI_64. Both perf and evname record the register with
// chains of frame pointers.
std::optional<std::uint64_t> link_register_of(const Sample& sample) {
  constexpr std::uint64_t kLink = std::uint64_t{1} << 30;
  constexpr std::uint64_t kAbi64 = 2;
  const perf_format::SampleRecord& record = detail::record_of(sample);
  const std::uint64_t mask = record.event->attr.regs_user;
  const SampleWords registers = sample.user_registers();
  const auto index = static_cast<std::size_t>(std::popcount(mask & (kLink - 1)));
  if ((mask & kLink) == 0 || record.user_abi != kAbi64 || index >= registers.size())
    return std::nullopt;
  return registers[index];
}

}  // namespace

void LocationCache::unwind(const Sample& sample) {
  const perf_format::SampleRecord& record = detail::record_of(sample);
  registers_.clear();
  const SampleWords words(record.user_registers, false);
  for (std::size_t i = 0; i < words.size(); ++i) registers_.push_back(words[i]);
  unwinding::StackCopy copy = thread_of(sample);
  copy.registers = registers_;
  copy.stack = record.stack;
  unwinder().unwind(copy, mapping_finder(sample), perf_data::kMostFrames, calls_);
}

// A leaf function makes no frame, so the kernel, which follows frame pointers, misses its caller.
// See get_leaf_frame_caller of tools/perf/util/machine.c.
void LocationCache::add_leaf_caller(const Sample& sample, std::vector<Address>& stack) {
  if (arch_ != "aarch64") return;
  std::optional<std::uint64_t> link = link_register_of(sample);
  const auto leaf = link ? perf_data::first_of_user(sample) : std::nullopt;
  if (!leaf || *leaf >= stack.size()) return;
  // A function may sign the return address that it saves. Pointer authentication uses the bits
  // above the address, which has 48 bits unless a program asks for more.
  if (!range(sample, {*link, false}).dso) *link &= (std::uint64_t{1} << 48) - 1;
  if (!range(sample, {*link, false}).dso) return;
  const std::size_t caller = *leaf + 1;
  if (caller < stack.size() && !stack[caller].kernel && stack[caller].value == *link) return;
  if (!returns_by_link(sample, stack[*leaf], *link)) return;
  stack.insert(stack.begin() + static_cast<std::ptrdiff_t>(caller), {*link - 1, false});
  leaf_caller_ = caller;
}

/// Without tables, a function has called none yet if the link leads out of it: a call makes it lead
/// back.
bool LocationCache::returns_by_link(const Sample& sample, Address leaf, std::uint64_t link) {
  const Location at = place(sample, leaf);
  if (!at.dso) return false;
  const auto known = links_.of(at, [&] {
    return unwinder().returns_by_link(thread_of(sample), mapping_finder(sample), leaf.value);
  });
  if (known) return *known;
  const symbols::FunctionPlace own = function_place(sample, leaf);
  return own.file && own != function_place(sample, {link - 1, false});
}

std::string place_text(std::string_view file, std::uint64_t offset) {
  const std::string_view name = file.starts_with('/') ? last_part(file) : file;
  return fmt::format("{}+{:#x}", name.substr(0, kLongestFileName), offset);
}

namespace {

/// Returns the place in the file, or the address if there is no file.
std::string nameless_text(const Locations::Named& location) {
  return location.is_mapped ? place_text(location.dso, location.offset)
                            : fmt::format("{:#x}", location.offset);
}

}  // namespace

// There is a text for each address.
std::string address_text(const Locations::Named& location, const Frame& frame) {
  const bool is_named = !frame.function.empty() && frame.function.size() <= kLongestPath;
  return is_named ? fmt::format("{}+{:#x}", frame.function, frame.offset) : nameless_text(location);
}

void append_label(std::string& text, const Locations::Named& location, const Frame& frame) {
  if (frame.function.empty())
    text += nameless_text(location);
  else
    text += frame.function;
}

std::string source_place(const Frame& frame) {
  if (frame.source.empty()) return {};
  return fmt::format("{}:{}", frame.source, frame.line);
}

}  // namespace evname::locations

namespace evname {

std::string Locations::Named::label(const Frame& frame) const {
  std::string text;
  locations::append_label(text, *this, frame);
  return text;
}

}  // namespace evname

namespace evname {

Locations::Locations(const Recording& file, const Symbols& symbols)
    : state_(new State{locations::LocationCache(file, symbols, true)}) {}
Locations::Locations(Locations&& other) noexcept = default;
Locations& Locations::operator=(Locations&& other) noexcept = default;
Locations::~Locations() = default;

bool Locations::stack(const Sample& sample, std::vector<Address>& stack) {
  state_->cache.follow(sample);
  return state_->cache.stack(sample, stack);
}

const Locations::Named& Locations::at(const Sample& sample, Address address) {
  state_->cache.follow(sample);
  return state_->cache.at(sample, address);
}

}  // namespace evname
