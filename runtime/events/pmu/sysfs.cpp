#include "events/pmu/sysfs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/pmu/sensors.hpp"
#include "evname/attr.hpp"

namespace evname::pmu {
namespace {

/// Human-readable warnings; null if not wanted.
using Warnings = std::vector<std::string>;

void warn(Warnings* warnings, std::string text) {
  constexpr std::size_t kMostWarnings = 1000;
  if (warnings != nullptr && warnings->size() < kMostWarnings) warnings->push_back(std::move(text));
}

/// Returns a whole small file, trimmed; nullopt (and, unless it is merely absent, a warning) if it
/// can't be read. perf removes the last character of `identifier`; trimming is equivalent.
std::optional<std::string> read_value(const std::string& path, Warnings* warnings) {
  constexpr std::size_t kLongestFile = 16384;
  const auto text = read_head(path, kLongestFile);
  if (text) return std::string(trim(*text));
  if (text.error().code != Errc::not_found) warn(warnings, text.error().text());
  return std::nullopt;
}

/// Returns the number at the start of a .scale file, as strtod() reads it in the locale "C";
/// nullopt if there is none.
std::optional<double> parse_scale(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  double value = 0;
  if ((hex ? read_hex_double(text, value) : read_double(text, value)) == 0) return std::nullopt;
  return value == 0 ? 1 : value;  // perf takes 0 for "not set"
}

void read_formats(const std::string& directory, Pmu& pmu, Warnings* warnings) {
  for (const std::string& name : list_directory(directory + "/format")) {
    const std::string path = directory + "/format/" + name;
    const auto text = read_value(path, warnings);
    if (!text) continue;
    if (auto format = parse_format(name, *text))
      pmu.formats.push_back(std::move(*format));
    else
      warn(warnings, path + ": no format in it");
  }
}

/// The table holds the files beside an event that describe it.
constexpr std::array<std::string_view, 4> kAttributes = {".unit", ".scale", ".per-pkg",
                                                         ".snapshot"};

bool is_attribute(std::string_view name) {
  return std::any_of(kAttributes.begin(), kAttributes.end(), [&](std::string_view suffix) {
    return name.size() > suffix.size() && name.ends_with(suffix);
  });
}

void read_attributes(const std::string& directory, const std::vector<std::string>& files,
                     SysfsEvent& event, Warnings* warnings) {
  constexpr std::size_t kLongestUnit = 31;
  const auto present = [&](std::string_view suffix) {
    return std::binary_search(files.begin(), files.end(), event.name + std::string(suffix));
  };
  const std::string path = directory + "/events/" + event.name;
  if (present(".scale")) {
    const auto text = read_value(path + ".scale", warnings);
    const auto scale = text ? parse_scale(*text) : std::nullopt;
    if (scale) event.scale = *scale;
    if (text && !scale) warn(warnings, path + ".scale: not a number");
  }
  if (present(".unit"))
    event.unit = read_value(path + ".unit", warnings).value_or("").substr(0, kLongestUnit);
  event.per_pkg = present(".per-pkg");
  event.snapshot = present(".snapshot");
}

void read_events(const std::string& directory, Pmu& pmu, Warnings* warnings) {
  const auto files = list_directory(directory + "/events");
  for (const std::string& name : files) {
    if (is_attribute(name)) continue;
    const auto terms = read_value(directory + "/events/" + name, warnings);
    if (!terms) continue;
    SysfsEvent event{name, *terms, 1.0, {}, false, false};
    read_attributes(directory, files, event, warnings);
    pmu.events.push_back(std::move(event));
  }
}

void read_caps(const std::string& directory, Pmu& pmu, Warnings* warnings) {
  for (const std::string& name : list_directory(directory + "/caps"))
    if (auto value = read_value(directory + "/caps/" + name, warnings))
      pmu.caps.emplace_back(name, std::move(*value));
}

std::optional<std::uint32_t> read_type(const std::string& directory, Warnings* warnings) {
  const auto text = read_value(directory + "/type", warnings);
  if (!text) {
    warn(warnings, directory + ": left out, it has no readable type");
    return std::nullopt;
  }
  const auto type = parse_decimal(*text);
  if (!type || *type > std::numeric_limits<std::uint32_t>::max()) {
    warn(warnings, directory + "/type: not a PMU type");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*type);
}

std::optional<Pmu> read_pmu(const std::string& directory, const std::string& name,
                            Warnings* warnings) {
  Pmu pmu;
  pmu.name = name;
  pmu.origin = Origin::sysfs;
  pmu.type = read_type(directory, warnings);
  if (!pmu.type) return std::nullopt;
  const auto cpumask = read_value(directory + "/cpumask", warnings);
  const auto cpus = read_value(directory + "/cpus", warnings);
  pmu.is_core = name == "cpu" || name == "cpum_cf" || cpus.has_value();
  pmu.is_uncore = cpumask.has_value();
  pmu.cpus = cpumask ? *cpumask : cpus.value_or("");
  pmu.alias = read_value(directory + "/alias", warnings).value_or("");
  if (pmu.is_uncore) pmu.identifier = read_value(directory + "/identifier", warnings).value_or("");
  read_formats(directory, pmu, warnings);
  read_events(directory, pmu, warnings);
  read_caps(directory, pmu, warnings);
  return pmu;
}

/// Returns perf's placeholder if there is no core PMU, as in most virtual machines
/// (perf_pmus__scan_core).
Pmu placeholder_core() {
  Pmu pmu;
  pmu.name = "cpu";
  pmu.type = kTypeRaw;
  pmu.is_core = true;
  pmu.origin = Origin::builtin;
  return pmu;
}

}  // namespace

Result<std::vector<Pmu>> sysfs_pmus(const std::string& root, std::string_view arch,
                                    std::vector<std::string>* warnings) {
  const std::string devices = root + "/bus/event_source/devices";
  if (!is_directory(devices)) return fail(Errc::not_found, "no PMUs there", devices);
  std::vector<Pmu> pmus;
  for (const std::string& name : list_directory(devices, kMostPmus)) {
    const std::string directory = devices + "/" + name;
    if (!is_directory(directory)) continue;  // follows links, since real entries are links
    auto pmu = read_pmu(directory, name, warnings);
    if (!pmu) continue;
    if (arch == "arm64") pmu->cpuid = cpu::first_midr(root, pmu->cpus);
    pmus.push_back(std::move(*pmu));
  }
  if (pmus.empty()) return fail(Errc::not_found, "no PMU can be read there", devices);
  if (std::none_of(pmus.begin(), pmus.end(), [](const Pmu& pmu) { return pmu.is_core; })) {
    warn(warnings, devices + ": no core PMU there; took \"cpu\" of type 4 for it, as perf does");
    pmus.push_back(placeholder_core());
  }
  for (Pmu& sensor : hwmon_pmus(root)) pmus.push_back(std::move(sensor));
  sort_pmus(pmus);
  return pmus;
}

}  // namespace evname::pmu
