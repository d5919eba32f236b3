#include "sampling/first_opening.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "counting/refusal.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/syntax/modifiers.hpp"
#include "evname/attr.hpp"
#include "sampling/existing.hpp"

namespace evname::sampling {
namespace {

using counting::AttrBytes;

bool names_privileges(const Encoding& event) {
  return event.modifiers.find_first_of("ukhGH") != std::string::npos;
}

/// Returns true for the generic event cycles, also if its PMU is unknown.
bool is_cycles(const Encoding& event) {
  if (event.code.has_type == 0) return event.name == "cycles" || event.name == "cpu-cycles";
  return event.code.type == kTypeHardware && event.code.config[0] == 0;
}

}  // namespace

int open_at(const AttrBytes& attr, const Place& at, int leader) {
  const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (at.cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
  const int thread = at.cgroup >= 0 ? at.cgroup : at.thread;
  return static_cast<int>(syscall(SYS_perf_event_open, attr.data(), thread, at.cpu, leader, flags));
}

/// `P` asks for the most precise samples that the CPU supports; a number is a requirement.
bool FirstOpening::give_up_precision(OpenEvent& event) {
  if (event.encoding.modifiers.find('P') == std::string::npos) return false;
  if (event.encoding.bits.precise_ip == 0) return false;
  --event.encoding.bits.precise_ip;
  event.attr = sampling_attr(event.encoding, role_);
  return true;
}

bool FirstOpening::restrict_to_user_space(OpenEvent& event) {
  if (!options_.setup.user_space_if_refused || names_privileges(event.encoding)) return false;
  detail::EncodingAccess::restrict_to_user_space(event.encoding);
  event.attr = sampling_attr(event.encoding, role_);
  out_.note("not permitted to sample the kernel; sampling only user space");
  return true;
}

/// As in perf, a machine without a core PMU samples a clock instead of cycles.
bool FirstOpening::use_clock(OpenEvent& event) {
  if (!is_cycles(event.encoding)) return false;
  const auto clock = machine_.resolve("cpu-clock");
  if (!clock || clock->empty()) return false;
  const Encoding before = event.encoding;
  event.encoding = clock->front();
  event.encoding.leader = before.leader;
  event.encoding.modifiers = before.modifiers;
  std::erase_if(event.encoding.modifiers,
                [](char letter) { return letter == 'P' || letter == 'p'; });
  event.encoding.bits = syntax::attr_bits(event.encoding.modifiers);
  event.attr = sampling_attr(event.encoding, role_);
  out_.note(fmt::format("{}: this machine has no core PMU; sampled cpu-clock instead",
                        counting::name_of(before)));
  return true;
}

/// Opens an event for the first time, and gives up the features that this machine refuses. Older
/// kernels refuse unknown bits of the attr before anything else.
int FirstOpening::open(OpenEvent& event, const Place& at, int leader) {
  for (;;) {
    int file = open_at(event.attr, at, leader);
    if (file < 0 && errno == EINVAL) file = give_up_extras(event, at, leader);
    if (file < 0 && errno == EINVAL) file = lower_frequency(event, at, leader);
    if (file >= 0) return file;
    const int error = errno;
    bool changed = false;
    if (error == EINVAL || error == EOPNOTSUPP || error == ENOENT)
      changed = give_up_precision(event);
    if (!changed && (error == EACCES || error == EPERM)) changed = restrict_to_user_space(event);
    if (!changed && (error == ENOENT || error == ENODEV || error == ENXIO))
      changed = use_clock(event);
    errno = error;
    if (!changed) return file;
  }
}

/// Halves a frequency until the kernel takes it, if its limit can't be read. The kernel may refuse
/// the event then for another reason, in errno. If the frequency is not the reason, it stays.
int FirstOpening::lower_frequency(OpenEvent& event, const Place& at, int leader) {
  const bool is_limit_known = highest_frequency(options_.setup.roots) != 0;
  errno = EINVAL;
  const std::uint64_t asked = frequency_of(event.encoding, own_);
  if (is_limit_known || asked == 0) return -1;
  const std::uint64_t before = own_.sampling.frequency;
  const AttrBytes whole = event.attr;
  for (own_.sampling.frequency = asked / 2; own_.sampling.frequency > 0;
       own_.sampling.frequency /= 2) {
    event.attr = sampling_attr(event.encoding, role_);
    int file = open_at(event.attr, at, leader);
    if (file < 0 && errno == EINVAL) file = give_up_extras(event, at, leader);
    const int error = errno;
    if (file < 0 && error == EINVAL) continue;
    out_.note(fmt::format("{} samples a second: the kernel permits fewer, and takes {}", asked,
                          own_.sampling.frequency));
    errno = error;
    return file;
  }
  own_.sampling.frequency = before;
  event.attr = whole;
  errno = EINVAL;
  return -1;
}

/// Gives up features that older kernels refuse, the newest first, and restores those that were not
/// the reason. If the event can't be opened, the attr stays, and errno is the reason that these
/// features hid.
int FirstOpening::give_up_extras(OpenEvent& event, const Place& at, int leader) {
  const AttrBytes whole = event.attr;
  std::vector<std::size_t> given_up;
  std::vector<std::string_view> names;
  int file = -1;
  for (std::size_t step = 0; file < 0 && errno == EINVAL; ++step) {
    const auto what = give_up(event.attr, step);
    if (!what) break;
    if (!what->had_it) continue;
    given_up.push_back(step);
    names.push_back(what->what);
    file = open_at(event.attr, at, leader);
  }
  if (file < 0) {
    event.attr = whole;
    return file;
  }
  for (std::size_t i = 0; i + 1 < given_up.size();) {
    OpenEvent more = event;
    more.attr = whole;
    for (const std::size_t step : given_up)
      if (step != given_up[i]) (void)give_up(more.attr, step);
    const int other = open_at(more.attr, at, leader);
    if (other < 0) {
      ++i;
      continue;
    }
    ::close(std::exchange(file, other));
    event.attr = more.attr;
    given_up.erase(given_up.begin() + static_cast<std::ptrdiff_t>(i));
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const std::string_view name : names)
    out_.note(fmt::format("the kernel has no {}: left out", name));
  return file;
}

}  // namespace evname::sampling
