#include "libpfm/library.hpp"

#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace evname::libpfm {
namespace {

int digit_of(const char* value) {
  return value != nullptr && *value >= '0' && *value <= '9' ? *value - '0' : 0;
}

std::string_view text_of(const char* value) {
  return value != nullptr ? std::string_view(value) : std::string_view();
}

/// Removes the first item from a list separated by commas, and returns it.
std::string_view take_item(std::string_view& list) {
  const std::size_t size = std::min(list.find(','), list.size());
  const std::string_view item(list.data(), size);
  list.remove_prefix(std::min(size + 1, list.size()));
  return item;
}

/// The path of a PMU in sysfs, or of a file there; "" if it would be too long.
class SysfsPath {
 public:
  SysfsPath(std::string_view pmu, std::string_view file) {
    constexpr std::string_view kPmus = "/sys/bus/event_source/devices/";
    char* at = path_;
    if (kPmus.size() + pmu.size() + file.size() < sizeof path_)
      for (const std::string_view part : {kPmus, pmu, file})
        at = std::copy(part.begin(), part.end(), at);
    *at = '\0';
  }
  const char* get() const { return path_; }

 private:
  char path_[256];
};

/// Reads a number that is alone in a file; -1: there is none.
int read_type(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[16];
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  std::int64_t number = 0;
  ssize_t digits = 0;
  while (digits < size && text[digits] >= '0' && text[digits] <= '9')
    number = number * 10 + (text[digits++] - '0');
  return digits > 0 && number <= INT_MAX ? static_cast<int>(number) : -1;
}

int type_in_sysfs(std::string_view name) { return read_type(SysfsPath(name, "/type").get()); }

/// The facts read from sysfs since the library was initialized, by PMU number. Most PMUs of a
/// server are never asked for.
enum class Presence : std::uint8_t { unknown, there, missing };
std::atomic<Presence> presences[kPmuMask + 1];

bool has_directory(const pfm4::Pmu& pmu) {
  std::atomic<Presence>& known = presences[pmu.id & kPmuMask];
  Presence presence = known.load(std::memory_order_relaxed);
  if (presence == Presence::unknown) {
    const SysfsPath path(pfm4::dictionary().text(pmu.perf), "");
    const bool is_there = (pmu.flags & pfm4::kNeedsSysfs) == 0
                              ? pfm4::live_sets(pmu) != 0
                              : access(path.get(), R_OK | X_OK) == 0;
    presence = is_there ? Presence::there : Presence::missing;
    known.store(presence, std::memory_order_relaxed);
  }
  return presence == Presence::there;
}

bool is_there_with_perf(const pfm4::Pmu& pmu) {
  return pmu.layout == pfm4::Layout::generic || has_directory(pmu);
}
bool is_there_without(const pfm4::Pmu& pmu) {
  return (pmu.flags & pfm4::kNeedsSysfs) != 0 || is_there_with_perf(pmu);
}

void forget_presences() {
  for (std::atomic<Presence>& known : presences)
    if (known.load(std::memory_order_relaxed) != Presence::unknown)
      known.store(Presence::unknown, std::memory_order_relaxed);
}

/// All libraries that were made, the last one first: others may still read one that was terminated.
/// No lock guards the list, since a process may fork while another thread holds it.
/// The texts of its settings follow it. The first one takes no memory of the heap.
struct MadeLibrary {
  Library library;
  MadeLibrary* next;

  static MadeLibrary* make(Settings settings) {
    std::string_view* const texts[] = {&settings.forced, &settings.disabled, &settings.cpuinfo};
    std::size_t size = sizeof(MadeLibrary);
    for (const std::string_view* text : texts) size += text->size() + 1;
    void* memory = reserve(size);
    if (memory == nullptr) return nullptr;
    char* at = static_cast<char*>(memory) + sizeof(MadeLibrary);
    for (std::string_view* text : texts) {
      const std::size_t length = text->size();
      char* end = std::copy(text->begin(), text->end(), at);
      *end = '\0';
      *text = {at, length};
      at = end + 1;
    }
    return new (memory) MadeLibrary{Library(settings), nullptr};
  }

 private:
  static void* reserve(std::size_t size);
};

void* MadeLibrary::reserve(std::size_t size) {
  alignas(MadeLibrary) static unsigned char first[sizeof(MadeLibrary) + 128];
  static std::atomic_flag is_taken;
  return size <= sizeof first && !is_taken.test_and_set() ? first : std::malloc(size);
}

std::atomic<MadeLibrary*> made_libraries;
std::atomic<const Library*> current;

}  // namespace

Settings Settings::of_environment() {
  Settings out;
  out.verbose = digit_of(::secure_getenv("LIBPFM_VERBOSE"));
  out.uses_stdout = ::secure_getenv("LIBPFM_DEBUG_STDOUT") != nullptr;
  out.encodes_inactive = digit_of(::secure_getenv("LIBPFM_ENCODE_INACTIVE")) != 0;
  const char* forced = ::secure_getenv("LIBPFM_FORCE_PMU");
  out.is_forced = forced != nullptr;
  // The text after a comma is for lower levels.
  std::string_view forced_list = text_of(forced);
  out.forced = take_item(forced_list);
  out.disabled = text_of(::secure_getenv("LIBPFM_DISABLED_PMUS"));
  out.cpuinfo = text_of(::secure_getenv("LIBPFM_PROC_CPUINFO"));
  return out;
}

bool Settings::disables(std::string_view pmu) const {
  for (std::string_view rest = disabled; !rest.empty();) {
    const std::string_view part = take_item(rest);
    if (!part.empty() && pmu.find(part) != std::string_view::npos) return true;
  }
  return false;
}

Library::Library(const Settings& settings) : settings_(settings) {
  has_perf_event_ = access("/proc/sys/kernel/perf_event_paranoid", F_OK) == 0;
  if (settings_.is_forced) {
    add_pmus();
    return;
  }
  cpus_ = settings_.cpuinfo.empty() ? own_cpus() : cpus_of_cpuinfo(settings_.cpuinfo.data());
  add_pmus();
  if (settings_.encodes_inactive) return;
  for (const std::uint16_t index : active_.all())
    if (const pfm4::Pmu& pmu = pfm4::dictionary().pmus[index]; is_in_sysfs(pmu))
      old_programs_.show(pmu, [&](unsigned id) { return by_id_[id] == 0; });
}

bool Library::is_in_sysfs(const pfm4::Pmu& pmu) const {
  if (pmu.layout == pfm4::Layout::generic) return true;
  if ((pmu.flags & pfm4::kNeedsSysfs) != 0) return !has_perf_event_ || has_directory(pmu);
  return (pmu.flags & pfm4::kLive) == 0 || has_directory(pmu);
}

bool Library::is_detected(const pfm4::Pmu& pmu) const {
  if (pmu.layout == pfm4::Layout::generic || pmu.layout == pfm4::Layout::raw)
    return has_perf_event_;
  // A PMU has no events here if the CPU itself lists them.
  if ((pmu.archs & cpus_.arch) == 0 || pmu.count == 0) return false;
  if (pmu.cpu_count == 0) return true;  // of the whole architecture
  return std::ranges::any_of(cpus_.all(),
                             [&](pfm4::CpuNumber cpu) { return pfm4::is_of_cpu(pmu, cpu); });
}

/// Returns true if a PMU is detected only when it is named: boxes, and the PMU of all Intel CPUs.
bool Library::is_late(const pfm4::Pmu& pmu) {
  return pmu.type != pfm4::PmuType::core ||
         (pmu.flags & (pfm4::kLive | pfm4::kNeedsSysfs)) == pfm4::kLive;
}

void Library::activate(std::uint16_t index) {
  const pfm4::Pmu& pmu = pfm4::dictionary().pmus[index];
  if (pmu.type == pfm4::PmuType::core && core_id_ == 0 && !(is_late(pmu) && !settings_.is_forced)) {
    core_id_ = pmu.id;
    levels_ = pmu.levels;
  }
  active_ids_[pmu.id & kPmuMask] = true;
  active_.add(index);
}

/// Returns true if the environment forces the PMU, and reports it.
bool Library::is_forced(const pfm4::Pmu& pmu) const {
  const pfm4::Dictionary names = pfm4::dictionary();
  const char* name = names.text(pmu.name);
  if (strncasecmp(name, settings_.forced.data(), settings_.forced.size()) != 0) return false;
  if ((pmu.flags & pfm4::kNeedsSysfs) != 0 && !is_in_sysfs(pmu)) return false;
  if (settings_.verbose != 0)
    std::fprintf(settings_.uses_stdout ? stdout : stderr, "PMU forced to %s (%s) : success\n", name,
                 names.text(pmu.label));
  return true;
}

/// Nothing follows a forced PMU.
void Library::add_pmus() {
  const pfm4::Dictionary names = pfm4::dictionary();
  for (std::size_t i = 0; i < names.pmus.size(); ++i) {
    const pfm4::Pmu& pmu = names.pmus[i];
    if (!settings_.disabled.empty() && settings_.disables(names.text(pmu.name))) continue;
    const auto index = static_cast<std::uint16_t>(i);
    by_id_[pmu.id & kPmuMask] = static_cast<std::uint16_t>(index + 1);
    if (settings_.encodes_inactive) listed_.add(index);
    if (settings_.is_forced) {
      if (!is_forced(pmu)) continue;
      activate(index);
      return;
    }
    if (is_detected(pmu) && (is_late(pmu) || is_in_sysfs(pmu))) activate(index);
  }
}

const pfm4::Pmu* Library::pmu(unsigned id) const {
  if (id > kPmuMask) return nullptr;
  return by_id_[id] != 0 ? &pfm4::dictionary().pmus[by_id_[id] - 1u] : old_programs_.find(id);
}

pfm4::Scope Library::scope() const {
  pfm4::Scope out;
  out.active = active_.all();
  out.named = listed_.all();
  out.any_named = settings_.encodes_inactive && settings_.disabled.empty() && !settings_.is_forced;
  out.levels = levels_;
  out.find_type = type_in_sysfs;
  out.is_there = has_perf_event_ ? is_there_with_perf : is_there_without;
  return out;
}

const Library* current_library() { return current.load(std::memory_order_acquire); }

const Library* initialize_library() {
  if (const Library* library = current_library()) return library;
  forget_presences();
  forget_live_events();
  const Settings settings = Settings::of_environment();
  MadeLibrary* made = made_libraries.load();
  while (made != nullptr && made->library.settings() != settings) made = made->next;
  if (made == nullptr) {
    made = MadeLibrary::make(settings);
    if (made == nullptr) return nullptr;
    made->next = made_libraries.load();
    while (!made_libraries.compare_exchange_weak(made->next, made)) continue;
  }
  const Library* none = nullptr;
  return current.compare_exchange_strong(none, &made->library) ? &made->library : none;
}

void terminate_library() { current.store(nullptr, std::memory_order_release); }

}  // namespace evname::libpfm
