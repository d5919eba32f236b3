#include "recordings/report/data_places.hpp"

#include <bit>

#include <fmt/format.h>

#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/report/sort_keys.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::report {
namespace {

using session::Dso;

/// Returns the bytes of a cache line, as recorded or else as CPUs of the architecture have:
/// L1_CACHE_BYTES of Linux.
std::uint64_t line_size_of(const perf_format::Features& features) {
  const std::uint32_t recorded = features.cacheline_size;
  if (std::has_single_bit(recorded) && recorded >= 16 && recorded <= 4096) return recorded;
  const std::string_view arch = features.arch;
  return arch == "s390x" ? 256 : arch.starts_with("ppc64") ? 128 : 64;
}

}  // namespace

DataPlaces::DataPlaces(const Recording& file, const Symbols& symbols, LinePool& lines,
                       TextPool& texts)
    : lines_(lines),
      texts_(texts),
      locations_(file, symbols, false),
      line_size_(line_size_of(perf_data::features_of(file))) {
  lines_.dsos.id("");
}

const DataPlaces::Found* DataPlaces::find(const Sample& sample) {
  const perf_format::SampleRecord& record = detail::record_of(sample);
  if (!record.event->attr.samples(perf_format::kSampleAddr)) return nullptr;
  const std::uint32_t mode = sample.misc() & perf_format::kCpuMode;
  found_.address = record.addr;
  found_.kernel = mode == perf_format::kCpuModeKernel;
  // The kernel's variables are beyond the recorded end of its image, up to its last symbol.
  found_.range = &locations_.range(sample, {found_.address, found_.kernel});
  const Dso* const dso = found_.range->dso;
  TextPool::Id number = 0;
  if (dso) {
    const auto [at, is_new] = dsos_.try_emplace(dso);
    if (is_new)
      at.value() = lines_.dsos.id(fmt::format("{}\n{}", dso->shown_name(), dso->build_id_text()));
    number = at->second;
  }
  found_.has_file = dso && (dso->kernel || !symbols::is_without_file(dso->name));
  const bool is_own = dso && !found_.has_file && !dso->shared;
  found_.owner = lines_.owner(number, mode, is_own ? record.pid : -1);
  return &found_;
}

DataPlaces::Place DataPlaces::place(const Sample& sample) {
  const Found* const found = find(sample);
  if (!found) return {};
  const std::uint64_t offset = found->range->offset_of(found->address), in_line = line_size_ - 1;
  return {lines_.id(found->owner, offset & ~in_line, found->address & ~in_line),
          static_cast<std::uint32_t>(offset & in_line), found->range->dso != nullptr};
}

std::uint32_t DataPlaces::line_text(const Sample& sample) {
  const std::uint32_t line = place(sample).line;
  if (line == LinePool::kNone) return kAbsent;
  if (line >= line_texts_.size()) line_texts_.resize(lines_.size(), kAbsent);
  if (line_texts_[line] == kAbsent) line_texts_[line] = texts_.id(text_of(lines_, line));
  return line_texts_[line];
}

std::string DataPlaces::text_of(const LinePool& lines, std::uint32_t id) {
  const LinePool::Line& line = lines[id];
  const std::string_view dso = lines.dsos[lines.dso_of(line)];
  if (line.offset != line.address)
    return locations::place_text(dso.substr(0, dso.find('\n')), line.offset);
  const std::int32_t pid = lines.pid_of(line);
  return pid < 0 ? fmt::format("{:#x}", line.address)
                 : fmt::format("{:#x} ({})", line.address, pid);
}

const Locations::Named& DataPlaces::location(const Sample& sample) {
  return locations_.at(sample, {found_.address, found_.kernel});
}

std::uint32_t DataPlaces::dso_text(const Sample& sample) {
  const Found* const found = find(sample);
  if (!found || !found->range->dso) return kAbsent;
  if (const auto* const inner = locations_.inner_file(sample, *found->range))
    return texts_.id(inner->name);
  const auto [at, is_new] = shown_names_.try_emplace(found->range->dso);
  if (is_new) at.value() = texts_.id(found->range->dso->shown_name());
  return at->second;
}

std::uint32_t DataPlaces::symbol_text(const Sample& sample) {
  const std::uint32_t dso = dso_text(sample);
  if (dso == kAbsent || !found_.has_file) return dso;
  const std::string_view symbol = location(sample).frames[0].function;
  return symbol.empty() ? dso : texts_.id(symbol);
}

std::uint32_t DataPlaces::address_text(const Sample& sample) {
  const Found* const found = find(sample);
  if (!found) return kAbsent;
  if (!found->has_file) return texts_.id(fmt::format("{:#x}", found->address));
  const Locations::Named& place = location(sample);
  return texts_.id(locations::address_text(place, place.frames[0]));
}

}  // namespace evname::report
