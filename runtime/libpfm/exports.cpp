// The thirteen functions of libpfm.so.4. Checks are in libpfm4's order, which decides the error
// that a caller gets. Arguments that would crash libpfm4 are errors here.

#include <linux/perf_event.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "libpfm/abi.hpp"
#include "libpfm/library.hpp"
#include "libpfm/tracepoints.hpp"

#define LIBPFM_API extern "C" __attribute__((visibility("default")))

namespace evname::libpfm {
namespace {

/// The size of the first perf_event_attr. A `size` of zero means this.
constexpr std::size_t kAttrSize0 = PERF_ATTR_SIZE_VER0;
/// A `size` beyond any later version's struct is a mistake; the bytes after the struct are not
/// read.
constexpr std::size_t kMostSize = 4096;
/// libpfm4 reports one word more for attributes than its header has.
constexpr std::size_t kStatedAttributeSize = sizeof(AttributeInfo) + sizeof(void*);

/// Returns how many bytes of a caller's struct may be read and written, 0 if its size is wrong: a
/// later version's struct must be zero beyond ours.
std::size_t usable_size(const void* given, std::size_t size, std::size_t first_size,
                        std::size_t own_size) {
  if (size == 0) size = first_size;
  if (size < first_size || size > kMostSize) return 0;
  const auto* bytes = static_cast<const unsigned char*>(given);
  for (std::size_t i = own_size; i < size; ++i)
    if (bytes[i] != 0) return 0;
  return own_size;
}

/// An event by its public number. Systems of tracepoints follow the table of the generic events.
struct EventPlace {
  const pfm4::Pmu* pmu = nullptr;
  int index = 0;
  const TracepointSystem* system = nullptr;  ///< nullptr: the event is the table's

  explicit operator bool() const { return pmu != nullptr; }
  const pfm4::Event& event() const {
    if (pmu->layout == pfm4::Layout::raw) return kRawCodeEvent;
    const auto events = pfm4::dictionary().events_of(*pmu);
    return events[system != nullptr ? tracepoint_event(*pmu) : static_cast<unsigned>(index)];
  }
};

int public_number(const pfm4::Pmu& pmu, int index) { return pmu.id << kPmuShift | index; }

int event_after(const pfm4::Pmu& pmu, int index) {
  if (pmu.layout == pfm4::Layout::raw) return index < 0 ? 0 : -1;
  const int next = pfm4::next_event(pmu, static_cast<unsigned>(index + 1));
  if (next >= 0 || pmu.layout != pfm4::Layout::generic) return next;
  const int after = std::max<int>(index + 1, pmu.count);
  return after < pmu.count + static_cast<int>(tracepoint_systems().size()) ? after : -1;
}

EventPlace find_place(const Library& library, int number) {
  if (number < 0) return {};
  const pfm4::Pmu* pmu = library.pmu(static_cast<unsigned>(number >> kPmuShift & kPmuMask));
  const int index = number & kIndexMask;
  if (pmu == nullptr || event_after(*pmu, index - 1) != index) return {};
  EventPlace out{pmu, index};
  if (pmu->layout == pfm4::Layout::generic && index >= pmu->count)
    out.system = &tracepoint_systems()[static_cast<std::size_t>(index - pmu->count)];
  return out;
}

pfm4::AttributeList attributes_of(const Library& library, const EventPlace& place, int os) {
  return {*place.pmu, place.event(), static_cast<pfm4::Os>(os), library.levels()};
}

/// Encodes a text; tries it as a tracepoint last.
pfm4::Error encode_text(const Library& library, const char* text, unsigned levels, pfm4::Os os,
                        pfm4::Encoded& out) {
  const pfm4::Scope scope = library.scope();
  const auto error = pfm4::encode(scope, text, static_cast<std::uint8_t>(levels), os, out);
  if (error != pfm4::Error::not_found) return error;
  const pfm4::Pmu* perf = library.pmu(kGenericPmu);
  if (perf == nullptr || !library.is_active(*perf)) return error;
  return encode_tracepoint(scope, *perf, text, static_cast<std::uint8_t>(levels), os, out);
}

/// Returns malloc's copy of "PMU::TEXT" for the caller to free; nullptr: there is no memory.
char* full_name(const pfm4::Encoded& encoded) {
  const std::string_view pmu = pfm4::dictionary().text(encoded.pmu->name),
                         text(encoded.text, encoded.text_size);
  auto* out = static_cast<char*>(std::malloc(pmu.size() + 2 + text.size() + 1));
  if (out == nullptr) return nullptr;
  char* at = std::copy(pmu.begin(), pmu.end(), out);
  *at++ = ':';
  *at++ = ':';
  *std::copy(text.begin(), text.end(), at) = '\0';
  return out;
}

std::FILE* report_file(const Library& library) {
  return library.settings().uses_stdout ? stdout : stderr;
}

void report_codes(const Library& library, const pfm4::Encoded& encoded) {
  if (library.settings().verbose == 0) return;
  for (int i = 0; i < encoded.count; ++i)
    std::fprintf(report_file(library), "[%#" PRIx64 "] ", encoded.codes[i]);
  std::fprintf(report_file(library), "%s\n", encoded.text);
}

int encode_raw(const Library& library, const char* text, unsigned levels, RawArgument& given) {
  const std::size_t size = usable_size(&given, given.size, kRawArgumentSize0, sizeof(RawArgument));
  if (size == 0) return kInvalid;
  pfm4::Encoded encoded;
  encoded.wants_text = given.fstr != nullptr || library.settings().verbose != 0;
  const auto error = encode_text(library, text, levels, pfm4::Os::none, encoded);
  if (error != pfm4::Error::none) return static_cast<int>(error);
  report_codes(library, encoded);
  const bool allocates = given.codes == nullptr;
  if (!allocates && given.count < encoded.count) return kTooSmall;
  std::uint64_t* codes = given.codes;
  if (allocates) {
    codes = static_cast<std::uint64_t*>(
        std::malloc(sizeof *codes * static_cast<std::size_t>(std::max(encoded.count, 1))));
    if (codes == nullptr) return kNoMemory;
  }
  if (given.fstr != nullptr) {
    char* name = full_name(encoded);
    if (name == nullptr) {
      if (allocates) std::free(codes);
      return kNoMemory;
    }
    *given.fstr = name;
  }
  std::copy(encoded.codes, encoded.codes + encoded.count, codes);
  given.codes = codes;
  given.count = encoded.count;
  given.idx = public_number(*encoded.pmu, static_cast<int>(encoded.event));
  return kSuccess;
}

pfm4::OsAttr read_attr(const perf_event_attr& attr) {
  pfm4::OsAttr out;
  out.type = attr.type;
  out.config = attr.config;
  out.config1 = attr.config1;
  out.config2 = attr.config2;
  out.sample_period = attr.sample_period;
  out.freq = attr.freq != 0;
  out.exclusive = attr.exclusive != 0;
  out.precise_ip = attr.precise_ip;
  return out;
}

void write_attr(const pfm4::OsAttr& from, perf_event_attr& attr) {
  attr.type = from.type;
  attr.config = from.config;
  attr.config1 = from.config1;
  attr.config2 = from.config2;
  attr.sample_period = from.sample_period;
  attr.freq = from.freq;
  attr.exclusive = from.exclusive;
  attr.pinned = from.pinned;
  attr.precise_ip = from.precise_ip & 3;
  attr.exclude_user = from.exclude_user;
  attr.exclude_kernel = from.exclude_kernel;
  attr.exclude_hv = from.exclude_hv;
  attr.exclude_guest = from.exclude_guest;
  attr.exclude_host = from.exclude_host;
}

void report_attr(const Library& library, const perf_event_attr& attr, const char* text) {
  if (library.settings().verbose == 0) return;
  const auto number = [](std::uint64_t field) { return static_cast<int>(field); };
  std::fprintf(
      report_file(library),
      "PERF[type=%x config=0x%" PRIx64 " config1=0x%" PRIx64
      " excl=%d excl_user=%d excl_kernel=%d excl_hv=%d excl_host=%d excl_guest=%d period=%" PRIu64
      " freq=%d precise=%d pinned=%d] %s\n",
      attr.type, static_cast<std::uint64_t>(attr.config), static_cast<std::uint64_t>(attr.config1),
      number(attr.exclusive), number(attr.exclude_user), number(attr.exclude_kernel),
      number(attr.exclude_hv), number(attr.exclude_host), number(attr.exclude_guest),
      static_cast<std::uint64_t>(attr.sample_period), number(attr.freq), number(attr.precise_ip),
      number(attr.pinned), text);
}

int encode_perf(const Library& library, const char* text, unsigned levels, int os,
                PerfArgument& given) {
  const std::size_t size =
      usable_size(&given, given.size, kPerfArgumentSize0, sizeof(PerfArgument));
  if (size == 0 || given.attr == nullptr) return kInvalid;
  const std::uint32_t attr_size = given.attr->size;
  const std::size_t used =
      attr_size == 0 ? kAttrSize0 : std::min<std::size_t>(attr_size, sizeof(perf_event_attr));
  perf_event_attr attr{};
  std::memcpy(static_cast<void*>(&attr), given.attr, used);
  attr.size = sizeof attr;

  pfm4::Encoded encoded;
  encoded.wants_text = given.fstr != nullptr;
  encoded.attr = read_attr(attr);
  const auto error = encode_text(library, text, levels, static_cast<pfm4::Os>(os), encoded);
  if (error != pfm4::Error::none) return static_cast<int>(error);
  write_attr(encoded.attr, attr);
  report_attr(library, attr, text);
  char* name = nullptr;
  // libpfm4 gives no name if a unit mask takes no modifiers.
  if (given.fstr != nullptr && !encoded.refuses_modifiers) {
    name = full_name(encoded);
    if (name == nullptr) return kNoMemory;
  }
  std::memcpy(static_cast<void*>(given.attr), &attr, used);
  if (used >= offsetof(perf_event_attr, size) + sizeof attr.size) given.attr->size = attr_size;
  if (name != nullptr) *given.fstr = name;
  given.idx = public_number(*encoded.pmu, static_cast<int>(encoded.event));
  given.cpu = encoded.attr.cpu;
  return kSuccess;
}

/// Sets the numbers of counters of PMUs that the machine knows.
void count_live(const pfm4::Pmu& pmu, PmuInfo& info) {
  constexpr int kMostOfMainframe = 65535;
  if (pmu.archs == pfm4::kX86) {
    const LiveCounters counters = live_counters();
    info.num_cntrs = counters.generic;
    info.num_fixed_cntrs = counters.fixed;
  } else if (pmu.archs == pfm4::kS390) {  // each event has one
    info.num_fixed_cntrs = info.nevents != 0 ? info.nevents : kMostOfMainframe;
  }
}

/// Returns the number of the last PMU plus one.
int end_of_pmus() {
  int most = 0;
  for (const pfm4::Pmu& pmu : pfm4::dictionary().pmus) most = std::max<int>(most, pmu.id);
  return most + 1;
}

/// Encodes the events of a PMU one after the other, and reports the failures.
class Validator {
 public:
  Validator(const Library& library, const pfm4::Pmu& pmu, std::FILE* out)
      : library_(library), pmu_(pmu), out_(out) {}

  /// Encodes an event with each of its unit masks, or alone if none can be.
  bool validate(int index) {
    const pfm4::Dictionary names = pfm4::dictionary();
    const pfm4::Event& event = names.events_of(pmu_)[static_cast<std::size_t>(index)];
    const bool must_work = is_needed(names.traits_of(event));
    const char* name = names.text(event.name);
    bool is_right = true, has_one = false;
    for (const pfm4::Mask& mask : names.masks_of(event)) {
      if (!pfm4::has(pmu_, names.traits_of(mask))) continue;
      const int status = encode(name, names.text(mask.name));
      has_one |= status == kSuccess;
      is_right &=
          status == kSuccess || !must_work || !is_needed(names.traits_of(mask)) || report(status);
    }
    if (has_one || event.mask_count != 0) return is_right;
    const int status = encode(name, nullptr);
    return status == kSuccess || !must_work || report(status) ? is_right : false;
  }

 private:
  static bool is_needed(const pfm4::Traits& traits) {
    return (traits.flags & pfm4::kNoAutoEncode) == 0;
  }
  int encode(const char* event, const char* mask) {
    std::snprintf(text_, sizeof text_, "%s::%s%s%s", pfm4::dictionary().text(pmu_.name), event,
                  mask != nullptr ? ":" : "", mask != nullptr ? mask : "");
    pfm4::Encoded encoded;
    pfm4::Scope scope = library_.scope();
    scope.any_named = true;
    return static_cast<int>(pfm4::encode(scope, text_, kKernel | kUser, pfm4::Os::none, encoded));
  }
  bool report(int status) {
    std::fprintf(out_, "cannot encode event %s : %d\n", text_, status);
    return false;
  }

  const Library& library_;
  const pfm4::Pmu& pmu_;
  std::FILE* out_;
  char text_[512];
};

}  // namespace
}  // namespace evname::libpfm

using namespace evname;
using namespace evname::libpfm;

LIBPFM_API int pfm_initialize() { return initialize_library() != nullptr ? kSuccess : kNoMemory; }

LIBPFM_API void pfm_terminate() { terminate_library(); }

LIBPFM_API const char* pfm_strerror(int code) {
  // Offsets need no relocation, unlike pointers.
  static constexpr char kTexts[][48] = {"success",
                                        "not supported",
                                        "invalid parameters",
                                        "pfmlib not initialized",
                                        "event not found",
                                        "invalid combination of model specific features",
                                        "invalid or missing unit mask",
                                        "out of memory",
                                        "invalid event attribute",
                                        "invalid event attribute value",
                                        "attribute value already set",
                                        "too many parameters",
                                        "parameter is too small"};
  return code <= 0 && code > -static_cast<int>(std::size(kTexts)) ? kTexts[-code]
                                                                  : "unknown error code";
}

LIBPFM_API int pfm_get_version() { return kVersion; }

LIBPFM_API int pfm_find_event(const char* text) {
  const Library* library = current_library();
  if (library == nullptr) return kNotInitialized;
  if (text == nullptr) return kInvalid;
  pfm4::Encoded found;
  auto error = pfm4::find(library->scope(), text, found);
  if (error == pfm4::Error::not_found) {
    found.wants_text = false;
    error = encode_text(*library, text, 0, pfm4::Os::none, found);
    if (error == pfm4::Error::combination) error = pfm4::Error::none;  // is one of the encoding
  }
  return error == pfm4::Error::none ? public_number(*found.pmu, static_cast<int>(found.event))
                                    : static_cast<int>(error);
}

LIBPFM_API int pfm_get_event_next(int number) {
  const Library* library = current_library();
  const EventPlace place = library != nullptr ? find_place(*library, number) : EventPlace{};
  if (!place) return -1;
  const int next = event_after(*place.pmu, place.index);
  return next < 0 ? -1 : public_number(*place.pmu, next);
}

LIBPFM_API int pfm_get_os_event_encoding(const char* text, int levels, int os, void* argument) {
  const Library* library = current_library();
  if (library == nullptr) return kNotInitialized;
  if (argument == nullptr || text == nullptr) return kInvalid;
  if ((static_cast<unsigned>(levels) & ~kAllLevels) != 0) return kInvalid;
  if (!library->has_os(os)) return kNotSupported;
  const auto wanted = static_cast<unsigned>(levels);
  if (os == kOsNone)
    return encode_raw(*library, text, wanted, *static_cast<RawArgument*>(argument));
  return encode_perf(*library, text, wanted, os, *static_cast<PerfArgument*>(argument));
}

LIBPFM_API int pfm_get_event_encoding(const char* text, int levels, char** name, int* number,
                                      std::uint64_t** codes, int* count) {
  if (text == nullptr || codes == nullptr || count == nullptr) return kInvalid;
  if ((*codes != nullptr) != (*count != 0)) return kInvalid;
  RawArgument argument{*codes, name, sizeof(RawArgument), *count, 0};
  const int status = pfm_get_os_event_encoding(text, levels, kOsNone, &argument);
  if (status != kSuccess) return status;
  *codes = argument.codes;
  *count = argument.count;
  if (number != nullptr) *number = argument.idx;
  return kSuccess;
}

LIBPFM_API int pfm_get_perf_event_encoding(const char* text, int levels, perf_event_attr* attr,
                                           char** name, int* number) {
  if (current_library() == nullptr) return kNotInitialized;
  if (attr == nullptr || text == nullptr) return kInvalid;
  PerfArgument argument{attr, name, 0, 0, 0, 0, 0};
  const int status = pfm_get_os_event_encoding(text, levels, kOsPerfEventExt, &argument);
  if (status == kSuccess && number != nullptr) *number = argument.idx;
  return status;
}

LIBPFM_API int pfm_get_pmu_info(int id, PmuInfo* out) {
  const Library* library = current_library();
  if (library == nullptr) return kNotInitialized;
  if (out == nullptr || id < 0 || id >= end_of_pmus()) return kInvalid;
  const std::size_t size = usable_size(out, out->size, kPmuInfoSize0, sizeof(PmuInfo));
  if (size == 0) return kInvalid;
  const pfm4::Pmu* pmu = library->pmu(static_cast<unsigned>(id));
  if (pmu == nullptr) return kNotSupported;
  const int first = event_after(*pmu, -1);
  PmuInfo info{};
  info.name = pfm4::dictionary().text(pmu->name);
  info.desc = pfm4::dictionary().text(pmu->label);
  info.size = size;
  info.pmu = id;
  info.type = library->is_later_core(*pmu) ? int{kOsUnit} : static_cast<int>(pmu->type);
  for (int i = first; i >= 0; i = event_after(*pmu, i)) ++info.nevents;
  info.first_event = first < 0 ? -1 : public_number(*pmu, first);
  info.max_encoding = pmu->words;
  info.num_cntrs = pmu->counters;
  info.num_fixed_cntrs = pmu->fixed;
  if ((pmu->flags & pfm4::kLive) != 0) count_live(*pmu, info);
  info.is_present = library->is_active(*pmu) && library->number_of(*pmu) == id;
  info.is_dfl = (pmu->flags & pfm4::kArchDefault) != 0;
  *out = info;
  return kSuccess;
}

LIBPFM_API int pfm_get_event_info(int number, int os, EventInfo* out) {
  const Library* library = current_library();
  if (library == nullptr) return kNotInitialized;
  if (os < 0 || os >= kOsCount) return kInvalid;
  const EventPlace place = find_place(*library, number);
  if (!place || out == nullptr) return kInvalid;
  const std::size_t size = usable_size(out, out->size, kEventInfoSize0, sizeof(EventInfo));
  if (size == 0) return kInvalid;
  if (!library->has_os(os)) return kNotSupported;
  EventInfo info{};
  describe_event(*place.pmu, place.event(), info);
  info.size = size;
  info.pmu = library->number_of(*place.pmu);
  info.idx = number;
  info.nattrs = static_cast<int>(attributes_of(*library, place, os).size());
  if (place.system != nullptr) {
    info.name = place.system->name;
    info.desc = "tracepoint";
    info.nattrs += static_cast<int>(place.system->count);
  }
  *out = info;
  return kSuccess;
}

LIBPFM_API int pfm_get_event_attr_info(int number, int position, int os, AttributeInfo* out) {
  const Library* library = current_library();
  if (library == nullptr) return kNotInitialized;
  if (position < 0 || os < 0 || os >= kOsCount) return kInvalid;
  const EventPlace place = find_place(*library, number);
  if (!place || out == nullptr) return kInvalid;
  if (usable_size(out, out->size, kAttributeInfoSize0, kStatedAttributeSize) == 0) return kInvalid;
  if (!library->has_os(os)) return kNotSupported;
  const pfm4::AttributeList list = attributes_of(*library, place, os);
  const std::size_t points = place.system != nullptr ? place.system->count : 0;
  const auto at = static_cast<std::size_t>(position);
  if (at >= points + list.size()) return kInvalid;
  AttributeInfo info{};
  if (at < points) {
    const Tracepoint& point = place.system->points()[at];
    info.name = info.desc = point.name;
    info.code = point.id;
    info.type = kUnitMaskAttribute;
    info.ctrl = kControlPmu;
  } else {
    describe_attribute(*place.pmu, place.event(), list[at - points], info);
  }
  info.size = kStatedAttributeSize;
  info.idx = position;
  *out = info;
  return kSuccess;
}

LIBPFM_API int pfm_pmu_validate(int id, std::FILE* out) {
  const Library* library = current_library();
  if (out == nullptr || library == nullptr || id < 0) return kInvalid;
  const pfm4::Pmu* pmu = library->pmu(static_cast<unsigned>(id));
  if (pmu == nullptr) return kInvalid;
  if (pmu->layout == pfm4::Layout::raw) return kSuccess;
  Validator validator(*library, *pmu, out);
  bool is_right = true;
  for (int i = pfm4::next_event(*pmu, 0); i >= 0;
       i = pfm4::next_event(*pmu, static_cast<unsigned>(i + 1)))
    is_right &= validator.validate(i);
  return is_right ? kSuccess : kInvalid;
}
