#include "annotation/checks.hpp"

#include <algorithm>
#include <array>

#include "annotation/fields.hpp"

namespace evname {
namespace {

constexpr std::size_t kOtherTypes = kTypeBreakpoint + 1;
constexpr std::uint64_t kDummy = 9;  // PERF_COUNT_SW_DUMMY

bool is_dummy(const perfdata::Attr& attr) {
  return attr.type == kTypeSoftware && attr.config == kDummy;
}

/// perf script looks at the first event of each type only (find_first_output_type of
/// builtin-script.c); PMUs of their own count as one type. kNone: all of these sample the field.
constexpr std::size_t kNone = SIZE_MAX;
std::size_t first_without(const PerfData& file, const FieldRow& row) {
  std::array<bool, kOtherTypes + 1> seen{};
  for (std::size_t i = 0; i < file.events().size(); ++i) {
    const perfdata::Attr& attr = file.attr(i);
    if (is_dummy(attr) || std::exchange(seen[std::min<std::size_t>(attr.type, kOtherTypes)], true))
      continue;
    if (!has_field(attr, row)) return i;
  }
  return kNone;
}

tl::unexpected<Error> lacks(const PerfData& file, std::size_t index, const FieldRow& row,
                            std::string hint) {
  return fail(
      Errc::not_found,
      fmt::format("event '{}' does not sample '{}'", file.events()[index].recorded_name, row.name),
      detail::state_of(file).file.path, std::move(hint));
}

bool some_has(const PerfData& file, const FieldRow& row) {
  const std::size_t count = file.events().size();
  for (std::size_t i = 0; i < count; ++i)
    if (has_field(file.attr(i), row)) return true;
  return count == 0;
}

bool is_default(Format format, Field field) {
  const auto fields = default_fields(format);
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

Result<void> check_field(const PerfData& file, Format format, const FieldRow& row) {
  const bool text = format == Format::text;
  if (text && !row.text)
    return fail(Errc::invalid_argument, fmt::format("text has no field '{}'", row.name), {},
                "ip prints callchains");
  if (text && row.unsampled == Unsampled::print) return {};
  if (!text && is_default(format, row.field)) return {};
  if (!some_has(file, row))
    return fail(Errc::not_found, fmt::format("no event of the recording samples '{}'", row.name),
                detail::state_of(file).file.path);
  if (!text || row.unsampled != Unsampled::refuse) return {};
  if (const std::size_t index = first_without(file, row); index != kNone)
    return lacks(file, index, row, "perf script refuses that, too; csv and jsonl leave it empty");
  return {};
}

}  // namespace

Result<void> check_fields(const PerfData& file, Format format, std::span<const Field> fields) {
  if (format == Format::folded && !fields.empty())
    return fail(Errc::invalid_argument, "folded stacks have no fields to choose");
  for (const Field field : fields)
    if (auto good = check_field(file, format, row_of(field)); !good) return good;
  return {};
}

Result<void> check_filter(const PerfData& file, const SampleFilter& filter) {
  const FieldRow& cpu = row_of(Field::cpu);
  if (filter.cpus.empty()) return {};
  if (const std::size_t index = first_without(file, cpu); index != kNone)
    return lacks(file, index, cpu, "samples can't be chosen by CPU");
  return {};
}

}  // namespace evname
