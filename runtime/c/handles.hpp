#pragma once
// The handles of the C interface, and the conversions between C and C++.

#include <algorithm>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evname/annotate.hpp"
#include "evname/error.hpp"
#include "evname/evname.h"
#include "evname/machine.hpp"
#include "evname/recording.hpp"
#include "evname/sampler.hpp"
#include "evname/symbols.hpp"

struct evname_machine {
  explicit evname_machine(evname::Machine from) : machine(std::move(from)), pmus(machine.pmus()) {}

  evname::Machine machine;
  std::vector<evname::PmuInfo> pmus;
};

struct evname_events {
  std::vector<evname::EventInfo> list;
};

struct evname_recording {
  explicit evname_recording(evname::Recording data)
      : file(std::move(data)), machine(file.machine()) {}

  evname::Recording file;
  evname_machine machine;
};

struct evname_symbols {
  explicit evname_symbols(evname::SymbolOptions options)
      : symbols(std::make_shared<const evname::Symbols>(std::move(options))) {}

  std::shared_ptr<const evname::Symbols> symbols;  ///< passes over samples have it, too
};

struct evname_frames {
  struct Texts {
    std::string function, source, dso, label;  ///< views need not end with NUL
  };

  void clear() {
    frames.clear();
    texts.clear();
  }
  void add(const evname::Locations::Named& location, evname::Address address) {
    for (const evname::Frame& frame : location.frames) {
      texts.push_back({std::string(frame.function), std::string(frame.source),
                       std::string(location.dso), location.label(frame)});
      frames.push_back({frame, address});
    }
  }

  struct Named {
    evname::Frame frame;  ///< its views may be gone
    evname::Address address;
  };
  std::vector<Named> frames;
  std::vector<Texts> texts;  ///< parallel to `frames`
};

struct evname_samples {
  evname_samples(const evname_recording& recording, const evname::PassOptions& options)
      : file(recording.file), of_file(file.samples(options)), range(*of_file) {}
  /// Live samples, which never end.
  explicit evname_samples(std::shared_ptr<evname::Sampler> from)
      : file(from->recording()), sampler(std::move(from)), range(sampler->samples()) {}

  /// Sets `out`, which is zero but for its texts, to a sample, which becomes the sample at hand.
  void show(const evname::Sample& from, evname_sample& out);
  /// Returns false if another thread, of a sampler, reads the samples.
  bool is_readable() const { return !sampler || sampler->is_readable(); }
  /// Fails if the pass is at no sample, or does not follow mappings.
  evname::Result<void> check_sample() const;

  /// The words of lists, in this machine's byte order.
  struct Lists {
#define EVNAME_SAMPLE_LIST(name, ...) std::vector<std::uint64_t> name;
#include "perf_format/sample_fields.def"
  };
  /// What evname_samples_mapping points to.
  struct MappingTexts {
    std::string file, jitdump, kernel_release;
    std::vector<std::uint8_t> build_id, kernel_build_id;
  };

  evname::Recording file;
  std::optional<evname::SampleRange> of_file = {};
  std::shared_ptr<evname::Sampler> sampler = {};
  evname::SampleRange& range;                    ///< of the file or of the sampler
  Lists lists;                                   ///< of the sample at hand
  const evname::Sample* sample = nullptr;        ///< the sample at hand
  evname_sample shown = {};                      ///< the same, if it came as a record
  std::vector<std::uint64_t> record_words = {};  ///< of the record at hand
  evname::SampleTally tally = {};                ///< of the whole pass, at its end
  bool ended = false;
  std::shared_ptr<const evname::Symbols> symbols = {};  ///< those that name `locations`
  std::optional<evname::Locations> locations = {};
  std::vector<evname::Address> stack = {};
  MappingTexts mapping = {};
};

namespace evname::c {

/// Copies a text as snprintf does: at most size - 1 bytes, truncated between two UTF-8 characters,
/// and NUL. Returns the length of the whole text.
std::size_t copy_text(std::string_view text, char* buffer, std::size_t size);

/// Writes an error for the caller, unless `out` is nullptr. Returns its status.
int tell(const Error& error, evname_error* out);
int tell(evname_status status, const char* message, evname_error* out);

/// Pointers of a call that must not be NULL.
using Needed = std::initializer_list<const void*>;

/// Returns true if one of them is NULL.
inline bool lacks(Needed needed) { return std::ranges::count(needed, nullptr) != 0; }

/// Returns the pointer of an array with so many elements for Needed. An empty array may be NULL.
inline const void* array(const void* first, std::size_t count) { return count == 0 ? "" : first; }

/// Sets what a pointer of the caller points to, unless it is NULL.
template <class T>
void set(T* out, std::type_identity_t<T> value) {
  if (out != nullptr) *out = std::move(value);
}

/// Calls `fn`, which returns a Result<void> or nothing, and returns its status. Exceptions become
/// statuses.
template <class Fn>
int guarded(evname_error* error, Fn&& fn) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(fn())>) {
      fn();
      return EVNAME_OK;
    } else {
      const Result<void> done = fn();
      return done ? EVNAME_OK : tell(done.error(), error);
    }
  } catch (const std::bad_alloc&) {
    return tell(EVNAME_NO_MEMORY, "there is not enough memory", error);
  } catch (const std::exception& thrown) {
    return tell(EVNAME_INTERNAL, thrown.what(), error);
  }
}

/// Does the same if none of the pointers is NULL.
template <class Fn>
int guarded(evname_error* error, Needed needed, Fn&& fn) noexcept {
  if (lacks(needed)) return tell(EVNAME_INVALID_ARGUMENT, "a pointer is NULL", error);
  return guarded(error, std::forward<Fn>(fn));
}

/// Moves to the next sample or record by `next`, which returns false at the end of the pass.
/// Returns as evname_samples_next.
template <class Next>
int step(evname_samples& samples, Next&& next) {
  if (!samples.is_readable()) return -EVNAME_INVALID_ARGUMENT;
  if (samples.ended) return 0;
  samples.sample = nullptr;
  samples.ended = true;  // also if it fails
  const int status = guarded(nullptr, [&]() -> Result<void> {
    samples.ended = !next();
    if (!samples.ended) return {};
    samples.tally = samples.range.tally();
    if (samples.tally.cancelled) return fail(Errc::cancelled, "cancelled");
    return {};
  });
  const bool is_there = !samples.ended;
  if (samples.sampler && status == EVNAME_OK) samples.ended = false;  // more may come
  return is_there ? 1 : -status;
}

/// Copies words in this machine's byte order to `to`, and sets `place` to them. Returns their
/// number.
std::size_t copy_words(const SampleWords& words, std::vector<std::uint64_t>& to,
                       const std::uint64_t*& place);

/// Makes a handle of a Result's value.
template <class Handle, class Value>
Result<void> hand_out(Result<Value> value, Handle** out) {
  if (!value) return fail(std::move(value));
  *out = new Handle{std::move(*value)};
  return {};
}

/// Returns the text of a view that ends with NUL; "" for {}.
inline const char* text_of(std::string_view text) { return text.empty() ? "" : text.data(); }

/// Returns `flag` if it is set, else 0.
inline std::uint32_t flag_if(bool set, std::uint32_t flag) { return set ? flag : 0; }

/// Returns the roots; NULL stands for the default.
inline Roots roots_of(const char* sysfs, const char* procfs) {
  Roots roots;
  if (sysfs != nullptr) roots.sysfs = sysfs;
  if (procfs != nullptr) roots.procfs = procfs;
  return roots;
}

/// Checks that `flags` has no bits except `known`.
inline Result<void> check_flags(std::uint64_t flags, std::uint64_t known) {
  if ((flags & ~known) != 0)
    return fail(Errc::invalid_argument, "flags has bits that mean nothing");
  return {};
}

/// Checks the `reserved` words of a struct of the caller, which a later library may know.
inline Result<void> check_reserved(std::span<const std::uint64_t> words) {
  if (std::ranges::any_of(words, [](std::uint64_t word) { return word != 0; }))
    return fail(Errc::invalid_argument, "reserved has words that are not 0");
  return {};
}

/// Converts the bits of enum evname_open_flags.
inline Result<UserEvents> user_events_of(std::uint32_t flags) {
  if (auto good = check_flags(flags, EVNAME_NO_USER_EVENTS); !good) return fail(std::move(good));
  return flags == 0 ? UserEvents::lay_over : UserEvents::leave_out;
}

evname_attr attr_of(const Encoding& encoding);

/// Gets one of the events and its name; `name` may be null. Returns EVNAME_OUT_OF_RANGE after the
/// last.
int event_at(std::span<const Encoding> events, std::span<const std::string> names,
             std::size_t index, evname_attr* out, const char** name);

/// Returns the warning with that index; "" after the last one.
inline const char* warning_at(std::span<const std::string> warnings, std::size_t index) {
  return index < warnings.size() ? warnings[index].c_str() : "";
}

SampleFilter filter_of(const evname_filter* from);

/// Returns the options of a filter for reading recordings. Errors: invalid_argument.
Result<PassOptions> pass_of(const evname_filter* from);

/// Returns PassOptions::progress; empty for NULL.
std::function<bool(std::uint64_t, std::uint64_t)> progress_of(evname_progress tell, void* context);

/// Returns what to count or sample in; NULL: this thread. Errors: invalid_argument.
Result<CountTarget> count_target_of(const evname_count_target* from);

inline void set_tally(const SampleTally& tally, evname_tally* out) {
  if (out == nullptr) return;
  *out = {tally.samples, tally.unknown_ids, tally.malformed, tally.lost, tally.selected, {}};
}

}  // namespace evname::c
