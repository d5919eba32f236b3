#include "events/machine/alias.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace evname::machine {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

/// Three-way comparison of a file's name with the folded form of a name, in byte order.
template <class Fold>
int compare(std::string_view file, std::string_view name, Fold fold) {
  const std::size_t n = std::min(file.size(), name.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<unsigned char>(file[i]);
    const auto b = static_cast<unsigned char>(fold(name[i]));
    if (a != b) return a < b ? -1 : 1;
  }
  return file.size() == name.size() ? 0 : file.size() < name.size() ? -1 : 1;
}

template <class Fold>
const pmu::SysfsEvent* find_folded(const pmu::Pmu& pmu, std::string_view name, Fold fold) {
  const auto at = std::lower_bound(pmu.events.begin(), pmu.events.end(), name,
                                   [&](const pmu::SysfsEvent& event, std::string_view n) {
                                     return compare(event.name, n, fold) < 0;
                                   });
  return at != pmu.events.end() && compare(at->name, name, fold) == 0 ? &*at : nullptr;
}

const tables::Event* find_table_event(const BoundPmu& bound, std::string_view name) {
  if (bound.tables.empty()) return nullptr;
  const tables::Event* found = nullptr;
  tables::find_event(bound.model, name, [&](const tables::EventHit& hit) {
    if (found == nullptr &&
        std::find(bound.tables.begin(), bound.tables.end(), hit.pmu) != bound.tables.end())
      found = hit.event;
  });
  return found;
}

Alias find_other(const std::vector<OtherEvent>& events, std::string_view name) {
  for (const OtherEvent& other : events)
    if (tables::equal_ignoring_case(other.model.arch().text(other.event->name), name))
      return Alias{other.model, other.event, nullptr};
  return {};
}

}  // namespace

const pmu::SysfsEvent* find_sysfs_event(const pmu::Pmu& pmu, std::string_view name) {
  if (const pmu::SysfsEvent* event = find_folded(pmu, name, lower)) return event;
  return find_folded(pmu, name, upper);
}

bool can_be_named(const pmu::SysfsEvent& event) {
  return std::all_of(event.name.begin(), event.name.end(), [](char c) { return c == lower(c); }) ||
         std::all_of(event.name.begin(), event.name.end(), [](char c) { return c == upper(c); });
}

Alias find_alias(const BoundPmu& bound, std::string_view name) {
  if (const Alias system = find_other(bound.system, name)) return system;
  const Alias own{bound.model, find_table_event(bound, name), find_sysfs_event(bound.pmu, name)};
  if (own) return own;
  if (const Alias common = find_other(bound.common, name)) return common;
  return {{}, nullptr, nullptr, bound.pmu.is_core ? syntax::legacy_code(name) : std::nullopt};
}

std::string alias_name(const Alias& alias) {
  return to_lower(alias.event != nullptr ? alias.model.arch().text(alias.event->name)
                                         : std::string_view(alias.sysfs->name));
}

std::string alias_terms_text(const Alias& alias) {
  return alias.event != nullptr ? tables::terms_text(alias.model.arch(), *alias.event)
                                : alias.sysfs->terms;
}

Result<void> append_terms(const Alias& alias, std::vector<packing::PackTerm>* terms,
                          std::vector<syntax::Term>* storage) {
  if (alias.event != nullptr) {
    const tables::ArchTables& arch = alias.model.arch();
    for (const std::uint32_t index : tables::term_list(arch, *alias.event))
      terms->push_back(packing::pack_term(arch, arch.terms[index]));
    return {};
  }
  if (alias.legacy) {
    terms->push_back({syntax::legacy_term(alias.legacy->type),
                      syntax::Term::Value::number,
                      alias.legacy->config,
                      {}});
    return {};
  }
  auto parsed = syntax::parse_terms(alias.sysfs->terms);
  if (!parsed)
    return fail(parsed.error().code, fmt::format("sysfs event '{}' can't be read: {}",
                                                 alias.sysfs->name, parsed.error().message));
  *storage = std::move(*parsed);
  for (const syntax::Term& term : *storage) {
    terms->push_back(packing::pack_term(term));
    terms->back().offset = packing::PackTerm::kNotInText;  // it counts in the file's text
  }
  return {};
}

Result<packing::Packed> pack(const BoundPmu& bound, const Alias& alias) {
  if (alias.event != nullptr) return bound.packer().pack(alias.model.arch(), *alias.event);
  std::vector<packing::PackTerm> terms;
  std::vector<syntax::Term> storage;
  if (const auto done = append_terms(alias, &terms, &storage); !done)
    return tl::unexpected<Error>(done.error());
  return bound.packer().pack(terms);
}

ScaleUnit parse_scale_unit(std::string_view text) {
  double value = 0;
  const std::size_t used = read_double(text, value);
  if (used == 0 || value - value != 0) return {1.0, text};  // "instr", "inf"
  if (value == 0) value = 1.0;                              // perf takes 0 for "not set"
  return {value, text.substr(used)};
}

ScaleUnit scale_unit(const Alias& alias) {
  if (alias.event != nullptr && alias.event->scale_unit != 0)
    return parse_scale_unit(alias.model.arch().text(alias.event->scale_unit));
  if (alias.sysfs != nullptr) return {alias.sysfs->scale, alias.sysfs->unit};
  return {};
}

}  // namespace evname::machine
