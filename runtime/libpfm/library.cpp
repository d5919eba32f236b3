#include "libpfm/library.hpp"

#include <fmt/format.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/cpu/identity.hpp"
#include "events/cpu/live_cpu.hpp"

namespace evname::libpfm {
namespace {

/// Programs ask for the numbers that were in libpfm4's header when they were compiled, and
/// libpfm4 4.13 of Debian and Ubuntu ends with this one. PMUs with later numbers that the machine
/// has are therefore shown under numbers of Itanium, MIPS and SPARC, which libpfm4 has no PMUs for
/// here. That is left out if the environment chooses the PMUs.
constexpr unsigned kOldestEnd = 517;
constexpr std::uint16_t kSpareIds[] = {1,  2,  3,  4,  19, 20, 21, 22, 23, 25, 26, 27,
                                       28, 29, 30, 31, 36, 37, 38, 39, 40, 41, 42};

constexpr const char* kSysfsPmus = "/sys/bus/event_source/devices/";

int digit_of(const char* value) {
  return value != nullptr && *value >= '0' && *value <= '9' ? *value - '0' : 0;
}

std::string text_of(const char* value) { return value != nullptr ? value : ""; }

std::uint8_t arch_bit(std::string_view arch) {
  struct Row {
    std::string_view arch;
    pfm4::ArchBit bit;
  };
  constexpr Row kRows[] = {{"x86", pfm4::kX86},     {"arm", pfm4::kArm},
                           {"arm64", pfm4::kArm64}, {"powerpc", pfm4::kPowerpc},
                           {"s390", pfm4::kS390},   {"mips", pfm4::kMips}};
  for (const Row& row : kRows)
    if (row.arch == arch) return row.bit;
  return 0;
}

#if defined(__i386__) || defined(__x86_64__)
/// Asks the CPU itself, since the kernel may take milliseconds to write cpuinfo.
std::optional<cpu::Identity> own_identity() {
  // Once for each leaf, since a virtual machine leaves its guest for it.
  unsigned most = 0, b = 0, c = 0, d = 0, version = 0;
  __cpuid(0, most, b, c, d);
  char vendor[13] = {};
  std::memcpy(vendor, &b, 4);
  std::memcpy(vendor + 4, &d, 4);
  std::memcpy(vendor + 8, &c, 4);
  __cpuid(1, version, b, c, d);
  unsigned family = version >> 8 & 0xf, model = version >> 4 & 0xf;
  if (family >= 6) model += (version >> 16 & 0xf) << 4;
  if (family == 15) family += version >> 20 & 0xff;
  return cpu::Identity{"x86", fmt::format("{}-{}-{:X}-{:X}", vendor, family, model, version & 0xf)};
}
#else
std::optional<cpu::Identity> own_identity() { return std::nullopt; }
#endif

/// Adds the CPUID strings of the other kinds of cores that an Arm cpuinfo lists.
void add_other_cores(std::string_view cpuinfo, std::vector<std::string>& cpuids) {
  std::optional<std::uint64_t> implementer, part;
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    if (key == "CPU implementer") implementer = parse_number(value);
    if (key == "CPU part") part = parse_number(value);
    if (!implementer || !part) continue;
    std::string cpuid =
        fmt::format("{:#018x}", (*implementer & 0xff) << 24 | 0xf0000 | (*part & 0xfff) << 4);
    if (std::ranges::find(cpuids, cpuid) == cpuids.end()) cpuids.push_back(std::move(cpuid));
    implementer = part = std::nullopt;
  }
}

/// The types of PMUs that sysfs was asked about, as a list that only grows: no lock can be held
/// when a process forks.
struct KnownType {
  std::string name;
  int type;
  KnownType* next;
};
std::atomic<KnownType*> known_types;

int type_in_sysfs(const char* name) {
  for (KnownType* known = known_types.load(); known != nullptr; known = known->next)
    if (known->name == name) return known->type;
  const auto text = read_head(std::string(kSysfsPmus) + name + "/type", 32);
  const auto number = text ? parse_decimal(trim(*text)) : std::nullopt;
  if (!number || *number > INT32_MAX) return -1;
  auto* made = new KnownType{name, static_cast<int>(*number), known_types.load()};
  while (!known_types.compare_exchange_weak(made->next, made)) {
  }
  return made->type;
}

/// All libraries that were made, the last one first: others may still read one that was terminated.
struct MadeLibrary {
  Library library;
  MadeLibrary* next;
};
std::atomic<MadeLibrary*> made_libraries;
std::atomic<const Library*> current;

}  // namespace

Settings Settings::of_environment() {
  Settings out;
  out.verbose = digit_of(std::getenv("LIBPFM_VERBOSE"));
  out.uses_stdout = std::getenv("LIBPFM_DEBUG_STDOUT") != nullptr;
  out.encodes_inactive = digit_of(std::getenv("LIBPFM_ENCODE_INACTIVE")) != 0;
  const char* forced = std::getenv("LIBPFM_FORCE_PMU");
  out.is_forced = forced != nullptr;
  out.forced = text_of(forced);
  // What follows a comma is for lower levels.
  out.forced = out.forced.substr(0, out.forced.find(','));
  out.disabled = text_of(std::getenv("LIBPFM_DISABLED_PMUS"));
  out.cpuinfo = text_of(std::getenv("LIBPFM_PROC_CPUINFO"));
  return out;
}

bool Settings::disables(std::string_view pmu) const {
  if (disabled.empty()) return false;
  return std::ranges::any_of(split(disabled, ','), [&](std::string_view part) {
    return !part.empty() && pmu.find(part) != std::string_view::npos;
  });
}

Library::Library(Settings settings) : settings_(std::move(settings)) {
  has_perf_event_ = access("/proc/sys/kernel/perf_event_paranoid", F_OK) == 0;
  by_id_.fill(-1);
  if (settings_.is_forced) {
    force_pmu();
    return;
  }
  find_cpu();
  add_pmus();
  if (!settings_.encodes_inactive) show_new_pmus();
}

void Library::find_cpu() {
  std::optional<cpu::Identity> identity;
  if (settings_.cpuinfo.empty()) identity = own_identity();
  if (!identity) {
    const std::string path = settings_.cpuinfo.empty() ? "/proc/cpuinfo" : settings_.cpuinfo;
    const std::string cpuinfo = read_head(path, 1 << 20).value_or("");
    if (settings_.cpuinfo.empty()) {
      if (auto live = cpu::live_identity(Roots{})) identity = *live;
    } else {
      identity = cpu::identity_of_cpuinfo(cpuinfo);
    }
    if (identity && !identity->cpuid.empty()) cpuids_.push_back(identity->cpuid);
    if (identity && (identity->arch == "arm" || identity->arch == "arm64"))
      add_other_cores(cpuinfo, cpuids_);
  } else {
    cpuids_.push_back(identity->cpuid);
  }
  arch_ = identity ? arch_bit(identity->arch) : 0;
}

void Library::show_new_pmus() {
  const pfm4::Dictionary& names = pfm4::dictionary();
  std::size_t next = 0;
  for (const std::uint16_t index : active_) {
    if (names.pmus[index].id < kOldestEnd) continue;
    while (next < std::size(kSpareIds) && by_id_[kSpareIds[next]] >= 0) ++next;
    if (next == std::size(kSpareIds)) return;
    by_id_[kSpareIds[next++]] = static_cast<std::int16_t>(index);
    moved_ids_.set(names.pmus[index].id);
  }
}

bool Library::is_detected(const pfm4::Pmu& pmu) {
  if (pmu.layout == pfm4::Layout::generic || pmu.layout == pfm4::Layout::raw)
    return has_perf_event_;
  // A PMU whose events the CPU itself lists has none here.
  if ((pmu.archs & arch_) == 0 || pmu.count == 0) return false;
  // A PMU without CPUs is one of the whole architecture.
  if (*pfm4::dictionary().text(pmu.cpu) == '\0') return true;
  if (pmu.cpu == asked_cpus_) return has_asked_cpus_;
  asked_cpus_ = pmu.cpu;
  has_asked_cpus_ =
      std::ranges::any_of(cpuids_, [&](const std::string& id) { return pfm4::is_of_cpu(pmu, id); });
  return has_asked_cpus_;
}

void Library::activate(std::uint16_t index) {
  const pfm4::Pmu& pmu = pfm4::dictionary().pmus[index];
  if (pmu.type == pfm4::PmuType::core && core_id_ == 0) {
    core_id_ = pmu.id;
    levels_ = pmu.levels;
  }
  active_ids_.set(pmu.id);
  active_.push_back(index);
}

void Library::add_pmus() {
  const pfm4::Dictionary& names = pfm4::dictionary();
  for (std::size_t i = 0; i < names.pmus.size(); ++i) {
    const pfm4::Pmu& pmu = names.pmus[i];
    if (settings_.disables(names.text(pmu.name))) continue;
    const auto index = static_cast<std::uint16_t>(i);
    by_id_[pmu.id] = static_cast<std::int16_t>(index);
    if (settings_.encodes_inactive) listed_.push_back(index);
    if (!is_detected(pmu)) continue;
    const std::string perf = names.text(pmu.perf);
    if ((pmu.flags & pfm4::kNeedsSysfs) != 0 && has_perf_event_ &&
        access((kSysfsPmus + perf).c_str(), R_OK | X_OK) != 0)
      continue;
    activate(index);
  }
}

void Library::force_pmu() {
  const pfm4::Dictionary& names = pfm4::dictionary();
  for (std::size_t i = 0; i < names.pmus.size(); ++i) {
    const pfm4::Pmu& pmu = names.pmus[i];
    const char* name = names.text(pmu.name);
    if (settings_.disables(name)) continue;
    const auto index = static_cast<std::uint16_t>(i);
    by_id_[pmu.id] = static_cast<std::int16_t>(index);
    if (settings_.encodes_inactive) listed_.push_back(index);
    if (strncasecmp(name, settings_.forced.c_str(), settings_.forced.size()) != 0) continue;
    if ((pmu.flags & pfm4::kNeedsSysfs) != 0 && has_perf_event_ &&
        access((kSysfsPmus + std::string(names.text(pmu.perf))).c_str(), R_OK | X_OK) != 0)
      continue;
    activate(index);
    if (settings_.verbose != 0)
      std::fprintf(settings_.uses_stdout ? stdout : stderr, "PMU forced to %s (%s) : success\n",
                   name, names.text(pmu.label));
    return;
  }
}

const pfm4::Pmu* Library::pmu(unsigned id) const {
  return id < by_id_.size() && by_id_[id] >= 0
             ? &pfm4::dictionary().pmus[static_cast<std::size_t>(by_id_[id])]
             : nullptr;
}

pfm4::Scope Library::scope(std::string_view text) const {
  pfm4::Scope out;
  const bool is_named = text.find("::") != std::string_view::npos;
  const bool all = is_named && settings_.encodes_inactive;
  out.active = all ? listed_ : active_;
  out.any_named = all && settings_.disabled.empty() && !settings_.is_forced;
  out.levels = levels_;
  out.find_type = type_in_sysfs;
  return out;
}

const Library* current_library() { return current.load(std::memory_order_acquire); }

const Library& initialize_library() {
  if (const Library* library = current_library()) return *library;
  Settings settings = Settings::of_environment();
  MadeLibrary* made = made_libraries.load();
  while (made != nullptr && made->library.settings() != settings) made = made->next;
  if (made == nullptr) {
    made = new MadeLibrary{Library(std::move(settings)), made_libraries.load()};
    while (!made_libraries.compare_exchange_weak(made->next, made)) {
    }
  }
  const Library* none = nullptr;
  return current.compare_exchange_strong(none, &made->library) ? made->library : *none;
}

void terminate_library() { current.store(nullptr, std::memory_order_release); }

}  // namespace evname::libpfm
