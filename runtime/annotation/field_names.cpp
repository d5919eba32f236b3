// Lists of fields as -F of perf script takes them.

#include <algorithm>

#include "annotation/fields.hpp"
#include "base/text.hpp"

namespace evname {
namespace {

const FieldRow* find_row(std::string_view name) {
  for (const FieldRow& row : field_rows())
    if (row.name == name) return &row;
  return nullptr;
}

/// Fields of perf script that there are not here.
struct Missing {
  std::string_view why;
  std::string_view hint;
  std::vector<std::string_view> names;
};

const Missing* find_missing(std::string_view name) {
  static const Missing kMissing[] = {
      {"addresses are not symbolized",
       "ip prints them, with callchains",
       {"sym", "dso", "symoff", "srcline", "srccode", "dsoff"}},
      {"addresses are not symbolized",
       "brstack prints branches by address",
       {"brstacksym", "brstackoff", "brstackdisasm"}},
      {"code is not disassembled",
       "ip and brstack print its addresses",
       {"insn", "insnlen", "brstackinsn", "brstackinsnlen", "disasm", "callindent", "flags"}},
      {"metrics are not computed for samples", "", {"metric", "ipc"}},
      {"trace hardware is not decoded", "", {"synth", "machine_pid", "vcpu"}},
      {"BPF output is not shown", "", {"bpf-output"}},
      {"the recording's clock is the only one", "time prints it", {"tod"}},
  };
  for (const Missing& row : kMissing)
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return &row;
  return nullptr;
}

tl::unexpected<Error> no_field(std::string_view name) {
  if (const Missing* missing = find_missing(name))
    return fail(Errc::unsupported, fmt::format("no field '{}': {}", name, missing->why), {},
                std::string(missing->hint));
  if (name.find(':') != name.npos)
    return fail(Errc::unsupported,
                fmt::format("no field '{}': fields hold for events of all types", name));
  std::string names;
  for (const FieldRow& row : field_rows()) names += fmt::format(", {}", row.name);
  return fail(Errc::invalid_argument, fmt::format("no field '{}'", name), {},
              "there are " + names.substr(2));
}

}  // namespace

std::span<const FieldInfo> all_fields() {
  static const std::vector<FieldInfo> kAll = [] {
    std::vector<FieldInfo> all;
    for (const FieldRow& row : field_rows()) all.push_back({row.field, row.name, row.what});
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
    const FieldRow* row = find_row(name);
    if (!row) return no_field(name);
    const auto at = std::find(fields.begin(), fields.end(), row->field);
    if (sign == '-' && at != fields.end()) fields.erase(at);
    if (sign == '+' && at == fields.end()) fields.push_back(row->field);
  }
  if (fields.empty()) return fail(Errc::invalid_argument, "no field is left", std::string(text));
  return fields;
}

}  // namespace evname
