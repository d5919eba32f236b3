#include "recordings/locations/shared_names.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::recording {
namespace {

using perfdata::session::CodePlace;
using perfdata::session::MappedCode;
using perfdata::session::ProcessMaps;

constexpr std::size_t kSlot = 72;  // what remembering takes beside the code

bool is_odd(std::string_view name) { return std::any_of(name.begin(), name.end(), is_control); }

std::size_t bytes_of(const NamedCode& code) {
  return sizeof code + kSlot + code.frames.size_bytes() + code.text.size() + code.ends.size_bytes();
}

}  // namespace

// Its upper bits are the best.
std::uint64_t SharedNames::Table::hash(const Key& key) {
  static const std::uint64_t kFactor = perfdata::hash_factor();
  const std::uint64_t code = (reinterpret_cast<std::uintptr_t>(key.code) >> 4) * kFactor;
  return (key.offset ^ (code ^ code >> 32)) * kFactor;
}

// Where a key is, or belongs.
SharedNames::Table::Slot& SharedNames::Table::Part::find(const Key& key) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash(key) >> 32 & mask;
  while (slots[at].named && slots[at].key != key) at = (at + 1) & mask;
  return slots[at];
}

void SharedNames::Table::Part::grow() {
  std::vector<Slot> old(std::max<std::size_t>(slots.size() * 2, 64));
  old.swap(slots);
  for (const Slot& slot : old)
    if (slot.named) find(slot.key) = slot;
}

template <class One>
std::span<const One> SharedNames::Table::Part::copy(std::span<const One> some) {
  if (some.empty()) return {};
  One* const kept = static_cast<One*>(bytes.allocate(some.size_bytes(), alignof(One)));
  std::uninitialized_copy(some.begin(), some.end(), kept);
  return {kept, some.size()};
}

// What is kept has no destructor to call: there may be very many.
const NamedCode& SharedNames::Table::Part::keep(const Draft& draft) {
  static_assert(std::is_trivially_destructible_v<NamedCode> &&
                std::is_trivially_destructible_v<Frame>);
  NamedCode kept = draft.code;
  kept.frames = copy(std::span(draft.frames));
  const auto text = copy(std::span<const char>(draft.text.text));
  kept.text = {text.data(), text.size()};
  kept.ends = copy(std::span(draft.text.ends));
  ++count;
  return copy(std::span<const NamedCode>(&kept, 1)).front();
}

std::shared_ptr<SharedNames::Table> SharedNames::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

void SharedNames::retire(const Table& full) {
  auto fresh = std::make_shared<Table>();
  const std::lock_guard lock(mutex_);
  if (table_.get() != &full) return;
  table_ = std::move(fresh);
  current_ = table_.get();
}

const NamedCode& SharedNames::at(Table& table, const ProcessMaps& maps, const CodePlace& place,
                                 std::uint64_t address) {
  const bool by_address = !place.code || place.code->kernel;
  const Table::Key key{place.code, by_address ? address : address - place.start + place.offset};
  Table::Part& part = table.parts_[Table::hash(key) >> (64 - Table::kPartBits)];
  {
    const std::lock_guard lock(part.mutex);
    if (part.slots.empty()) part.grow();
    if (const NamedCode* const named = part.find(key).named) return *named;
  }
  Draft draft;
  name(maps, place, address, draft);  // which may take long
  const std::lock_guard lock(part.mutex);
  if (const NamedCode* const named = part.find(key).named) return *named;  // of another thread
  if ((part.count + 1) * 2 > part.slots.size()) part.grow();
  const NamedCode& kept = part.keep(draft);
  part.find(key) = {key, &kept};
  if ((table.bytes_ += bytes_of(kept)) > most_) retire(table);
  return kept;
}

const SharedNames::FileTexts& SharedNames::texts_of(const MappedCode& code,
                                                    const Mapping& mapping) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = texts_.try_emplace(&code);
  if (is_new) at->second = {code_file_name(mapping), hex_text(code.build_id)};
  return at->second;
}

void SharedNames::name(const ProcessMaps& maps, const CodePlace& place, std::uint64_t address,
                       Draft& draft) {
  NamedCode& known = draft.code;
  std::vector<Frame>& frames = draft.frames;
  known.serial = serials_++;
  frames.assign(1, {.address = address});
  known.offset = address;
  known.is_mapped = place.code != nullptr;
  if (place.code) {
    const Mapping mapping = mapping_of(maps, place);
    const FileTexts& texts = texts_of(*place.code, mapping);
    known.file = texts.file;
    known.build_id = texts.build_id;
    if (!place.code->kernel) known.offset = address - place.start + place.offset;
    if (inlines_ && lines_)
      symbols_->frames(address, mapping, frames);
    else if (inlines_)
      symbols_->calls(address, mapping, frames);
    else
      frames[0] = symbols_->function(address, mapping);
    known.is_odd =
        is_odd(known.file) || std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
          return is_odd(frame.function) || is_odd(frame.source);
        });
  }
  known.frames = frames;
  if (write_) write_(known, draft.text);
}

}  // namespace evname::recording
