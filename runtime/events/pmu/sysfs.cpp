#include "events/pmu/sysfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/cpu/live_cpu.hpp"
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

/// The table holds the kinds of sensors: the kernel's word in file names, and the unit of their
/// values. They are numbered from 1.
struct Sensor {
  std::string_view word, about, unit;
  double scale;
};
constexpr double kThousandth = 0.001;
constexpr Sensor kSensors[] = {
    {"cpu", "Core voltage", "V", kThousandth},      {"curr", "Current", "A", kThousandth},
    {"energy", "Energy used", "J", kThousandth},    {"fan", "Fan speed", "rpm", 1},
    {"humidity", "Humidity", "%", kThousandth},     {"in", "Voltage", "V", kThousandth},
    {"intrusion", "Chassis opened", "", 1},         {"power", "Power", "W", kThousandth},
    {"pwm", "Fan control by pulse width", "Hz", 1}, {"temp", "Temperature", "'C", kThousandth},
};

constexpr std::string_view kInput = "_input";
constexpr std::uint64_t kMostNumber = 0x7fff;  // perf keeps 16 bits with a sign

/// The kind and number of a sensor, from "temp1_input".
struct SensorFile {
  std::size_t kind;
  std::uint64_t number;
};

std::optional<SensorFile> parse_sensor(std::string_view name) {
  if (!name.ends_with(kInput)) return std::nullopt;
  name.remove_suffix(kInput.size());
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos) return std::nullopt;
  const auto number = parse_decimal(name.substr(digits));
  if (!number || *number > kMostNumber) return std::nullopt;
  const auto* const sensor = std::ranges::find(kSensors, name.substr(0, digits), &Sensor::word);
  if (sensor == std::end(kSensors)) return std::nullopt;
  return SensorFile{static_cast<std::size_t>(sensor - kSensors), *number};
}

/// Returns the text as part of an event's or a PMU's name.
std::string as_name(std::string_view text) {
  std::string out = to_lower(text.substr(0, text.find('\n')));
  for (char& c : out)
    if (std::string_view(" :,/\t").find(c) != std::string_view::npos) c = '_';
  return out;
}

std::string read_line(const std::string& path) {
  constexpr std::size_t kLongest = 127;
  const auto text = read_head(path, kLongest);
  return text ? std::string(trim(*text)) : std::string();
}

void add_sensor(const std::string& directory, SensorFile file, Pmu& pmu) {
  const Sensor& sensor = kSensors[file.kind];
  SysfsEvent event;
  event.name = fmt::format("{}{}", sensor.word, file.number);
  event.terms = fmt::format("config={:#x}", (file.kind + 1) << 16 | file.number);
  event.scale = sensor.scale;
  event.unit = sensor.unit;
  const std::string label = read_line(directory + "/" + event.name + "_label");
  event.desc = fmt::format("{} of {}: {}", sensor.about, pmu.name.substr(pmu.name.find('_') + 1),
                           label.empty() ? event.name : label);
  if (!label.empty()) {
    pmu.events.push_back(event);
    pmu.events.back().name = fmt::format("{}_{}", sensor.word, as_name(label));
  }
  pmu.events.push_back(std::move(event));
}

void sort_events(Pmu& pmu) {
  sort_stably_by(pmu.events, &SysfsEvent::name);
  const auto same = std::ranges::unique(pmu.events, {}, &SysfsEvent::name);
  pmu.events.erase(same.begin(), same.end());
}

/// The values that a GPU's driver reports in fdinfo (Documentation/gpu/drm-usage-stats.rst). The
/// first row that is a prefix of a line counts.
struct Usage {
  std::string_view begins, about, unit;
};
constexpr Usage kUsages[] = {
    {"drm-active-", "Memory that engines work on", "bytes"},
    {"drm-cycles-", "Busy cycles of the engine", "cycles"},
    {"drm-engine-capacity-", "Engines of that kind", "capacity"},
    {"drm-engine-", "Time the engine was busy", "ns"},
    {"drm-maxfreq-", "The engine's highest frequency", "hz"},
    {"drm-purgeable-", "Memory that may be taken away", "bytes"},
    {"drm-resident-", "Memory that is resident", "bytes"},
    {"drm-shared-", "Memory shared with others", "bytes"},
    {"drm-total-cycles-", "All cycles of the engine", "bytes"},
    {"drm-total-", "Memory, shared and private", "bytes"},
};
constexpr std::string_view kDriver = "drm-driver:";

/// Returns the PMU of an fdinfo file; nullopt if it is not a GPU's.
std::optional<Pmu> read_usage(std::string_view text) {
  Pmu pmu;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(kDriver)) pmu.name = "drm_" + as_name(trim(line.substr(kDriver.size())));
    const auto* const usage = std::ranges::find_if(
        kUsages, [&](const Usage& row) { return line.starts_with(row.begins); });
    const std::size_t colon = line.find(':');
    if (usage == std::end(kUsages) || colon == line.npos) continue;
    SysfsEvent& event = pmu.events.emplace_back();
    event.name = line.substr(0, colon);
    event.terms = fmt::format("config={:#x}", pmu.events.size() - 1);
    event.unit = usage->unit;
    event.desc = usage->about;
  }
  if (pmu.name.empty()) return std::nullopt;
  return pmu;
}

void finish(Pmu& pmu, std::uint32_t type) {
  pmu.type = type;
  pmu.cpus = "0";
  pmu.origin = Origin::sysfs;
  sort_events(pmu);
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

std::vector<Pmu> hwmon_pmus(const std::string& sysfs) {
  constexpr std::uint32_t kNumbers = kTypeHwmonEnd - kTypeHwmon;
  constexpr std::string_view kPrefix = "hwmon";
  std::vector<Pmu> out;
  const std::string devices = sysfs + "/class/hwmon";
  for (const std::string& entry : list_directory(devices, kMostPmus)) {
    if (!entry.starts_with(kPrefix)) continue;
    const auto number = parse_decimal(std::string_view(entry).substr(kPrefix.size()));
    const std::string directory = devices + "/" + entry;
    const std::string name = read_line(directory + "/name");
    if (!number || *number > kNumbers || name.empty()) continue;
    Pmu& pmu = out.emplace_back();
    pmu.name = "hwmon_" + as_name(name);
    pmu.alias = entry;
    for (const std::string& file : list_directory(directory))
      if (const auto sensor = parse_sensor(file)) add_sensor(directory, *sensor, pmu);
    finish(pmu, kTypeHwmon + static_cast<std::uint32_t>(*number));
  }
  return out;
}

std::vector<Pmu> drm_pmus(const std::string& procfs) {
  constexpr std::size_t kMostProcesses = 1 << 22, kLongest = 16384;
  std::vector<Pmu> out;
  std::vector<std::uint64_t> processes;
  for (const std::string& name : list_directory(procfs, kMostProcesses))
    if (const auto process = parse_decimal(name)) processes.push_back(*process);
  sort_stably(processes);
  for (const std::uint64_t process : processes) {
    const std::string directory = fmt::format("{}/{}/fdinfo", procfs, process);
    for (const std::string& file : list_directory(directory)) {
      const auto text = read_head(directory + "/" + file, kLongest);
      auto pmu = text && text->find(kDriver) != text->npos ? read_usage(*text) : std::nullopt;
      if (!pmu || out.size() > kTypeDrmEnd - kTypeDrm ||
          std::ranges::find(out, pmu->name, &Pmu::name) != out.end())
        continue;
      finish(*pmu, kTypeDrm + static_cast<std::uint32_t>(out.size()));
      out.push_back(std::move(*pmu));
    }
  }
  return out;
}

}  // namespace evname::pmu
