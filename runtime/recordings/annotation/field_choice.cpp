// Parses lists of fields as -F of perf script takes them, and checks that a recording has them.

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

const FieldRow* find_row(std::string_view name) {
  if (name == "bpf-output") name = row_of(Field::bpf_output).name;  // as perf spells it
  for (const FieldRow& row : field_rows())
    if (row.name == name) return &row;
  return nullptr;
}

namespace {

/// Fields of perf script that evname does not have, and the reason.
struct Missing {
  std::string_view why;
  std::string_view hint;
  std::vector<std::string_view> names;
};

const Missing* find_missing(std::string_view name) {
  static const Missing kMissing[] = {
      {"metrics are not computed for samples", "evname report --metrics computes them", {"metric"}},
      {"trace hardware with these is not decoded",
       "flags has the kinds of branches",
       {"ipc", "synth", "callindent"}},
      {"samples of virtual machines have no machine", "", {"machine_pid", "vcpu"}},
  };
  for (const Missing& row : kMissing)
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return &row;
  return nullptr;
}

}  // namespace

bool has_any(std::span<const Field> fields, std::initializer_list<Field> some) {
  return std::find_first_of(fields.begin(), fields.end(), some.begin(), some.end()) != fields.end();
}

tl::unexpected<Error> no_field(std::string_view name) {
  if (const Missing* missing = find_missing(name))
    return fail(Errc::unsupported, fmt::format("no field '{}': {}", name, missing->why), {},
                std::string(missing->hint));
  if (name.find(':') != name.npos)
    return fail(Errc::unsupported,
                fmt::format("no field '{}': fields hold for events of all types", name));
  std::string names;
  for (const FieldRow& row : field_rows())
    if (!row.name.starts_with("ibs_")) names += fmt::format(", {}", row.name);
  return fail(Errc::invalid_argument, fmt::format("no field '{}'", name), {},
              fmt::format("there are {}, and ibs_… of each part of it", names.substr(2)));
}

namespace {

bool some_has(const Recording& file, const FieldRow& row) {
  const std::size_t count = file.events().size();
  for (std::size_t i = 0; i < count; ++i)
    if (has_field(detail::state_of(file).file.events.list()[i], row)) return true;
  return count == 0;
}

bool is_default(Format format, Field field) { return has_any(default_fields(format), {field}); }

Result<void> check_field(const Recording& file, Format format, const FieldRow& row) {
  const bool text = format == Format::text;
  if (text && !row.text)
    return fail(Errc::invalid_argument, fmt::format("text has no field '{}'", row.name), {},
                "ip prints callchains, sym the functions of them");
  if (!text && !row.value)
    return fail(Errc::invalid_argument, fmt::format("only text has a field '{}'", row.name));
  if (text && row.unsampled == Unsampled::print) return {};
  if (!text && is_default(format, row.field)) return {};
  if (!some_has(file, row))
    return fail(Errc::not_found, fmt::format("no event of the recording samples '{}'", row.name),
                detail::state_of(file).file.path);
  if (!text || row.unsampled != Unsampled::refuse) return {};
  return perf_data::check_sampled_by_all(
      file, row.sample_bits, row.name,
      "perf script refuses that, too; csv and jsonl leave it empty");
}

/// Checks that text with functions or files has their addresses, too.
Result<void> check_code_fields(std::span<const Field> fields) {
  constexpr Field kCode[] = {Field::sym, Field::symoff, Field::dso, Field::dsoff, Field::srcline};
  const auto has = [&](Field field) { return has_any(fields, {field}); };
  if (has(Field::ip)) return {};
  for (const Field field : kCode) {
    const bool is_file = field == Field::dso || field == Field::dsoff;
    if (has(field) &&
        !(is_file && has_any(fields, {Field::brstack, Field::brstacksym, Field::brstackoff})))
      return fail(Errc::invalid_argument,
                  fmt::format("text prints '{}' with addresses only", row_of(field).name), {},
                  "ask for ip, too; csv and jsonl need no ip");
  }
  return {};
}

}  // namespace

Result<void> check_fields(const Recording& file, Format format, std::span<const Field> fields) {
  if (format == Format::folded && !fields.empty())
    return fail(Errc::invalid_argument, "folded stacks have no fields to choose");
  for (const Field field : fields)
    if (auto good = check_field(file, format, row_of(field)); !good) return good;
  return format == Format::text ? check_code_fields(fields) : Result<void>();
}

}  // namespace evname::annotation

namespace evname {

std::span<const FieldInfo> all_fields() {
  static const std::vector<FieldInfo> kAll = [] {
    std::vector<FieldInfo> all;
    for (const annotation::FieldRow& row : annotation::field_rows())
      all.push_back({row.field, row.name, row.what});
    return all;
  }();
  return kAll;
}

Result<std::vector<Field>> parse_fields(std::string_view text, std::span<const Field> base) {
  const bool changes = text.starts_with('+') || text.starts_with('-');
  std::vector<Field> fields;
  if (changes) fields.assign(base.begin(), base.end());
  for (const std::string_view word : split(text, ',')) {
    const bool has_sign = word.starts_with('+') || word.starts_with('-');
    if (has_sign != changes)
      return fail(Errc::invalid_argument,
                  fmt::format("'{}': fields are either all named, or all with + or -", word),
                  std::string(text));
    const char sign = changes ? word[0] : '+';
    const std::string_view name = word.substr(has_sign ? 1 : 0);
    const annotation::FieldRow* row = annotation::find_row(name);
    if (!row) return annotation::no_field(name);
    const auto at = std::find(fields.begin(), fields.end(), row->field);
    if (sign == '-' && at != fields.end()) fields.erase(at);
    if (sign == '+' && at == fields.end()) fields.push_back(row->field);
  }
  if (fields.empty()) return fail(Errc::invalid_argument, "no field is left", std::string(text));
  return fields;
}

}  // namespace evname
