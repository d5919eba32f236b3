// Writes the fields of locations: the function, the file, and the line of its source.

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/annotation/sample_parts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {
namespace {

// If the line is unknown, perf prints the address: "libc.so.6[28a7]"; in callchains of a file that
// has lines, it prints "??:0" as addr2line(1) does.
void write_line(const Locations::Named& location, const Frame& frame, bool in_chain,
                const FieldContext& context, Output& out) {
  if (!frame.source.empty()) {
    out.text(context.style.full_sources ? frame.source : last_part(frame.source));
    out.put(':');
    out.decimal(frame.line);
  } else if (in_chain && frame.has_debug_info && !frame.function.empty()) {
    out.text("??:0");
  } else {
    out.text(last_part(location.dso));
    out.put('[');
    out.hex(frame.address);
    out.put(']');
  }
}

}  // namespace

void write_function(const Frame& frame, bool with_offset, Output& out) {
  out.text(frame.function.empty() ? "[unknown]" : frame.function);
  if (with_offset && !frame.function.empty()) {
    out.text("+0x");
    out.hex(frame.offset);
  }
}

namespace {

/// An address of a sample, and what is known of it.
struct Place {
  const Sample& sample;
  Address address;
  const Locations::Named& location;
};

/// Returns the name of the file with its directory: perf's long name of a DSO.
std::string long_name(const Place& place, FieldContext& context) {
  const auto& range = context.locations->range(place.sample, place.address);
  if (!range.dso || !range.dso->kernel) return std::string(place.location.dso);
  if (range.dso->name.starts_with('/')) return range.dso->name;
  const std::string path = context.locations->file_path(place.sample, place.address);
  return path.empty() ? std::string(place.location.dso) : path;
}

/// Writes " (/bin/app)". Only files have offsets: perf knows none in code that was made at run time
/// or that /proc/kallsyms names.
void write_file_name(const Place& place, const LocationFields& fields, FieldContext& context,
                     Output& out) {
  const Locations::Named& location = place.location;
  const bool is_object = fields.file_offset && location.is_mapped &&
                         (location.frames.back().function.empty() ||
                          !context.locations->file_path(place.sample, place.address).empty());
  out.text(" (");
  const bool is_long = context.style.file_paths || (is_object && location.dso.starts_with('['));
  if (is_long && location.is_mapped)
    out.text(long_name(place, context));
  else
    out.text(location.dso);
  if (is_object) {
    const auto& range = context.locations->range(place.sample, place.address);
    const bool is_module = range.dso->kernel && range.dso->name.starts_with('/');
    out.text("+0x");
    out.hex(is_module ? place.address.value - range.start : location.offset);
  }
  out.put(')');
}

/// Writes the text of a frame, which follows the address.
void write_frame(const Place& place, const Frame& frame, bool in_chain, FieldContext& context,
                 Output& out) {
  const LocationFields& fields = location_fields_of(place.sample, context);
  std::size_t start = out.size();
  if (fields.function) {
    out.put(' ');
    write_function(frame, fields.offset, out);
  }
  if (fields.file && !frame.inlined) write_file_name(place, fields, context, out);
  if (context.printable) out.make_printable(start);
  if (fields.line && place.location.is_mapped) {
    out.text("\n  ");
    start = out.size();
    write_line(place.location, frame, in_chain, context, out);
    if (context.printable) out.make_printable(start);
  }
  if (frame.inlined) out.text(" (inlined)");
}

/// Moves the output since `start` to the text of a location.
std::string take_text(Output& out, std::size_t start) {
  std::string text(out.since(start));
  out.truncate(start);
  return text;
}

// Without a callchain, perf prints the function, and the line of the innermost call.
void write_whole(const Sample& sample, FieldContext& context, Output& out) {
  const Address address = perf_data::instruction_of(sample);
  const std::uint32_t number = location_fields_of(sample, context).number();
  const auto text =
      context.location_texts.of(context.locations->place(sample, address), number, [&] {
        const Locations::Named& location = context.locations->at(sample, address);
        Frame whole = location.frames.back();
        whole.source = location.frames.front().source;
        whole.line = location.frames.front().line;
        whole.inlined = false;
        const std::size_t start = out.size();
        write_frame({sample, address, location}, whole, false, context, out);
        return take_text(out, start);
      });
  out.text({text.data(), text.size()});
}

// Marks the places of addresses in a text, and that no caller follows; names never contain them.
constexpr char kAddress = '\0', kLast = '\1';

/// Makes the text of all frames at an address, up to one that is a root.
std::string make_lines(const Sample& sample, Address address, FieldContext& context, Output& out) {
  const std::size_t start = out.size();
  const Locations::Named& location = context.locations->at(sample, address);
  const std::vector<std::string>& roots = context.style.roots;
  for (const Frame& frame : location.frames) {
    if (location_fields_of(sample, context).ip) out.put(kAddress);
    write_frame({sample, address, location}, frame, true, context, out);
    out.put('\n');
    if (std::find(roots.begin(), roots.end(), frame.function) == roots.end()) continue;
    out.put(kLast);
    break;
  }
  return take_text(out, start);
}

/// Writes a line for each frame at an address. Returns false if no caller follows.
bool write_lines(const Sample& sample, Address address, FieldContext& context, Output& out) {
  const auto made = context.chain_texts.of(
      context.locations->place(sample, address), location_fields_of(sample, context).number(),
      [&] { return make_lines(sample, address, context, out); });
  std::string_view text(made.data(), made.size());
  const bool goes_on = !text.ends_with(kLast);
  if (!goes_on) text.remove_suffix(1);
  while (!text.empty()) {
    if (text[0] == kAddress) {
      text.remove_prefix(1);
      out.put('\t');
      out.hex(address.value, 16);
    }
    const std::size_t end = std::min(text.find(kAddress), text.size());
    out.text(text.substr(0, end));
    text.remove_prefix(end);
  }
  return goes_on;
}

/// Writes the lines of each address.
void write_stack(const Sample& sample, std::span<const Address> stack, FieldContext& context,
                 Output& out) {
  for (const Address& address : stack)
    if (!write_lines(sample, address, context, out)) return;
}

}  // namespace

void write_location_text(const Sample& sample, FieldContext& context, Output& out) {
  const LocationFields& fields = location_fields_of(sample, context);
  if (!writes_chain(*detail::record_of(sample).event, context)) {
    out.put(' ');
    if (fields.ip) out.hex(sample.ip().value_or(0), 16);
    return write_whole(sample, context, out);
  }
  out.put('\n');
  if (!context.locations->stack(sample, context.stack)) return;
  if (!perf_data::has_chain(sample) && !context.locations->has_unwound()) return;
  const auto stack =
      std::span(context.stack).first(std::min(context.stack.size(), context.style.most_frames));
  if (stack.empty() || !write_lines(sample, stack[0], context, out)) return;
  const auto callers = stack.subspan(1);
  if (const auto text =
          context.caller_texts.find(context.locations->whose(sample, fields.number()), callers))
    return out.text(*text);
  const std::size_t start = out.size();
  write_stack(sample, callers, context, out);
  context.caller_texts.set(out.since(start));
}

bool writes_chain(const perf_format::Event& event, const FieldContext& context) {
  return event.has_callchain() && !context.style.hides_callers;
}

void write_file(const Sample& sample, Address address, FieldContext& context, Output& out) {
  const std::size_t start = out.size();
  write_file_name({sample, address, context.locations->at(sample, address)},
                  location_fields_of(sample, context), context, out);
  if (context.printable) out.make_printable(start);
}

void write_source(const Sample& sample, Address address, FieldContext& context, Output& out) {
  const Locations::Named& location = context.locations->at(sample, address);
  if (!location.is_mapped) return;
  const std::size_t start = out.size();
  write_line(location, location.frames.front(), false, context, out);
  if (context.printable) out.make_printable(start);
}

namespace {

void write_frame_json(const Address& address, const Locations::Named& location, const Frame& frame,
                      Output& out) {
  const auto text = [&](std::string_view name, std::string_view value) {
    out.text(name);
    if (value.empty())
      out.text("null");
    else
      out.json(value);
  };
  out.text("{\"ip\":\"0x");
  out.hex(address.value);
  text("\",\"sym\":", frame.function);
  out.text(",\"symoff\":");
  if (frame.function.empty())
    out.text("null");
  else
    out.decimal(frame.offset);
  text(",\"dso\":", location.is_mapped ? location.dso : "");
  text(",\"srcline\":", locations::source_place(frame));
  out.text(",\"inlined\":");
  out.text(frame.inlined ? "true}" : "false}");
}

}  // namespace

void write_frames_value(const Sample& sample, FieldContext& context, ValueWriter& out) {
  context.locations->stack(sample, context.stack);
  out.begin_list();
  std::string label;
  for (const Address& address : context.stack) {
    const Locations::Named& location = context.locations->at(sample, address);
    for (const Frame& frame : location.frames) {
      out.next_item();
      if (out.json()) {
        write_frame_json(address, location, frame, out.out());
        continue;
      }
      label.clear();
      locations::append_label(label, location, frame);
      out.text(label);
    }
  }
  out.end_list();
}

}  // namespace evname::annotation
