// Implements the functions at addresses of recordings.h.

#include "c/handles.hpp"

using namespace evname::c;

namespace {

constexpr std::uint64_t kAllSymbolFlags = EVNAME_SYMBOLS_NO_LINES | EVNAME_SYMBOLS_NO_INLINES |
                                          EVNAME_SYMBOLS_MANGLED | EVNAME_SYMBOLS_DEBUGINFOD;

evname::Result<evname::SymbolOptions> symbol_options_of(const evname_symbol_options* from) {
  evname::SymbolOptions to;
  if (from == nullptr) return to;
  if (auto good = check_flags(from->flags, kAllSymbolFlags); !good)
    return evname::fail(std::move(good));
  if (auto good = check_reserved(from->reserved); !good) return evname::fail(std::move(good));
  const auto set = [](std::string& text, const char* value) {
    if (value != nullptr) text = value;
  };
  set(to.symfs, from->symfs);
  set(to.vmlinux, from->vmlinux);
  set(to.kallsyms, from->kallsyms);
  set(to.kernel_release, from->kernel_release);
  set(to.cache, from->cache);
  to.lines = (from->flags & EVNAME_SYMBOLS_NO_LINES) == 0;
  to.inlines = (from->flags & EVNAME_SYMBOLS_NO_INLINES) == 0;
  to.demangle = (from->flags & EVNAME_SYMBOLS_MANGLED) == 0;
  to.debuginfod = (from->flags & EVNAME_SYMBOLS_DEBUGINFOD) != 0;
  return to;
}

evname::Mapping mapping_of(const evname_mapping& from) {
  evname::Mapping to;
  if (from.file != nullptr) to.file = from.file;
  if (from.build_id != nullptr) to.build_id = {from.build_id, from.build_id_size};
  to.start = from.start;
  to.end = from.end;
  to.offset = from.offset;
  to.pid = from.pid;
  if (from.jitdump != nullptr) to.jitdump = from.jitdump;
  to.kernel = from.kernel != 0;
  if (from.kernel_build_id != nullptr)
    to.kernel_build_id = {from.kernel_build_id, from.kernel_build_id_size};
  if (from.kernel_release != nullptr) to.kernel_release = from.kernel_release;
  to.time = from.time;
  to.counter = from.counter;
  return to;
}

}  // namespace

int evname_symbols_new(const evname_symbol_options* options, evname_symbols** out,
                       evname_error* error) {
  set(out, nullptr);
  return guarded(error, {out}, [&]() -> evname::Result<void> {
    auto how = symbol_options_of(options);
    if (!how) return evname::fail(std::move(how));
    *out = new evname_symbols(std::move(*how));
    return {};
  });
}

void evname_symbols_free(evname_symbols* symbols) { delete symbols; }

int evname_frames_new(evname_frames** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {out}, [&] { *out = new evname_frames; });
}

void evname_frames_free(evname_frames* frames) { delete frames; }

int evname_symbols_find(const evname_symbols* symbols, uint64_t address,
                        const evname_mapping* mapping, evname_frames* frames, evname_error* error) {
  const int status = guarded(error, {symbols, mapping, frames}, [&] {
    frames->clear();
    const evname::Mapping place = mapping_of(*mapping);
    std::vector<evname::Frame> found;
    symbols->symbols->frames(address, place, found);
    const std::string dso = evname::dso_name(place);
    const bool is_mapped = !place.file.empty();
    const std::uint64_t offset = is_mapped ? address - place.start + place.offset : address;
    frames->add({.dso = dso, .is_mapped = is_mapped, .offset = offset, .frames = found},
                {address, place.kernel});
  });
  if (status != EVNAME_OK && frames != nullptr) frames->clear();
  return status;
}

int evname_samples_stack(evname_samples* samples, const evname_symbols* symbols,
                         evname_frames* frames, evname_error* error) {
  const int status = guarded(error, {samples, symbols, frames}, [&]() -> evname::Result<void> {
    frames->clear();
    if (auto good = samples->check_sample(); !good) return good;
    if (samples->symbols != symbols->symbols) {
      samples->locations.reset();
      samples->symbols = symbols->symbols;
    }
    if (!samples->locations) samples->locations.emplace(samples->file, *samples->symbols);
    samples->locations->stack(*samples->sample, samples->stack);
    for (const evname::Address& address : samples->stack)
      frames->add(samples->locations->at(*samples->sample, address), address);
    return {};
  });
  if (status != EVNAME_OK && frames != nullptr) frames->clear();
  return status;
}

int evname_samples_mapping(evname_samples* samples, uint64_t address, uint32_t kernel,
                           evname_mapping* out, evname_error* error) {
  evname_mapping none = {};
  none.pid = -1;
  set(out, none);
  return guarded(error, {samples, out}, [&]() -> evname::Result<void> {
    if (auto good = samples->check_sample(); !good) return good;
    const auto found = samples->sample->mapping({address, kernel != 0});
    if (!found) return evname::fail(evname::Errc::not_found, "nothing is known to be mapped there");
    evname_samples::MappingTexts& texts = samples->mapping;
    texts = {std::string(found->file),
             std::string(found->jitdump),
             std::string(found->kernel_release),
             {found->build_id.begin(), found->build_id.end()},
             {found->kernel_build_id.begin(), found->kernel_build_id.end()}};
    const auto text = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
    const auto bytes = [](const std::vector<std::uint8_t>& id) {
      return id.empty() ? nullptr : id.data();
    };
    *out = {texts.file.c_str(),
            bytes(texts.build_id),
            texts.build_id.size(),
            found->start,
            found->end,
            found->offset,
            text(texts.jitdump),
            found->pid,
            found->kernel,
            bytes(texts.kernel_build_id),
            texts.kernel_build_id.size(),
            text(texts.kernel_release),
            found->time,
            found->counter};
    return {};
  });
}

size_t evname_frames_count(const evname_frames* frames) {
  return frames == nullptr ? 0 : frames->frames.size();
}

int evname_frames_at(const evname_frames* frames, size_t index, evname_frame* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", 0, 0, 0, 0, "", 0, "", {}};
  if (frames == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= frames->frames.size()) return EVNAME_OUT_OF_RANGE;
  const auto& [frame, address] = frames->frames[index];
  const evname_frames::Texts& texts = frames->texts[index];
  *out = {texts.function.c_str(),
          texts.source.c_str(),
          frame.offset,
          frame.address,
          frame.line,
          flag_if(frame.inlined, EVNAME_FRAME_INLINED) |
              flag_if(frame.has_debug_info, EVNAME_FRAME_HAS_DEBUG_INFO) |
              flag_if(address.kernel, EVNAME_FRAME_KERNEL),
          texts.dso.c_str(),
          address.value,
          texts.label.c_str(),
          {}};
  return EVNAME_OK;
}

int evname_symbols_problem(const evname_symbols* symbols, size_t index, char* buffer, size_t size,
                           size_t* needed, evname_error* error) {
  set(needed, 0);
  if (size > 0) set(buffer, '\0');
  return guarded(error, {symbols, array(buffer, size), needed}, [&]() -> evname::Result<void> {
    const std::vector<std::string> problems = symbols->symbols->problems();
    if (index >= problems.size()) return {};
    *needed = copy_text(problems[index], buffer, size);
    return {};
  });
}
