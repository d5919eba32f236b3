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
void write_line(const Locations::Named& location, const Frame& frame, bool in_chain, Output& out) {
  if (!frame.source.empty()) {
    out.text(last_part(frame.source));
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

/// Writes the text of a frame, which follows the address.
void write_frame(const Locations::Named& location, const Frame& frame, bool in_chain,
                 const FieldContext& context, Output& out) {
  const LocationFields& fields = context.location_fields;
  std::size_t start = out.size();
  if (fields.function) {
    out.put(' ');
    out.text(frame.function.empty() ? "[unknown]" : frame.function);
    if (fields.offset && !frame.function.empty()) {
      out.text("+0x");
      out.hex(frame.offset);
    }
  }
  if (fields.file && !frame.inlined) {
    out.text(" (");
    out.text(location.dso);
    out.put(')');
  }
  if (context.printable) out.make_printable(start);
  if (fields.line && location.is_mapped) {
    out.text("\n  ");
    start = out.size();
    write_line(location, frame, in_chain, out);
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
  const auto text = context.location_texts.of(context.locations->place(sample, address), [&] {
    const Locations::Named& location = context.locations->at(sample, address);
    Frame whole = location.frames.back();
    whole.source = location.frames.front().source;
    whole.line = location.frames.front().line;
    whole.inlined = false;
    const std::size_t start = out.size();
    write_frame(location, whole, false, context, out);
    return take_text(out, start);
  });
  out.text({text.data(), text.size()});
}

constexpr char kAddress =
    '\0';  // marks the place of the address in a text, which never contains it

/// Writes a line for each frame at an address.
void write_lines(const Sample& sample, Address address, FieldContext& context, Output& out) {
  const auto make = [&] {
    const std::size_t start = out.size();
    const Locations::Named& location = context.locations->at(sample, address);
    for (const Frame& frame : location.frames) {
      if (context.location_fields.ip) out.put(kAddress);
      write_frame(location, frame, true, context, out);
      out.put('\n');
    }
    return take_text(out, start);
  };
  const auto made = context.chain_texts.of(context.locations->place(sample, address), make);
  std::string_view text(made.data(), made.size());
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
}

/// Writes the lines of each address.
void write_stack(const Sample& sample, std::span<const Address> stack, FieldContext& context,
                 Output& out) {
  for (const Address& address : stack) write_lines(sample, address, context, out);
}

}  // namespace

void write_location_text(const Sample& sample, FieldContext& context, Output& out) {
  const perf_format::SampleRecord& record = detail::record_of(sample);
  if (!record.event->has_callchain()) {
    out.put(' ');
    if (context.location_fields.ip) out.hex(sample.ip().value_or(0), 16);
    return write_whole(sample, context, out);
  }
  out.put('\n');
  if (!context.locations->stack(sample, context.stack)) return;
  if (!perf_data::has_chain(sample) && !context.locations->has_unwound()) return;
  const auto stack =
      std::span(context.stack).first(std::min(context.stack.size(), perf_data::kMostFrames));
  if (stack.empty()) return;
  write_stack(sample, stack.first(1), context, out);
  const auto callers = stack.subspan(1);
  if (const auto text = context.caller_texts.find(context.locations->whose(sample, 0), callers))
    return out.text(*text);
  const std::size_t start = out.size();
  write_stack(sample, callers, context, out);
  context.caller_texts.set(out.since(start));
}

namespace {

/// Returns the name of the DSO of a branch's address.
std::string_view dso_of_branch(const Sample& sample, std::uint64_t address,
                               locations::LocationCache& locations) {
  constexpr std::string_view kUnknown = "[unknown]";
  const std::uint32_t mode = sample.misc() & perf_format::kCpuMode;
  if (mode != perf_format::kCpuModeKernel && mode != perf_format::kCpuModeUser) return kUnknown;
  auto& range = locations.range(sample, locations.branch_address(sample, address));
  if (!range.dso) return kUnknown;
  const auto* const inner = locations.inner_file(sample, range);
  return inner ? inner->name : range.dso->shown_name();
}

void write_branch_end(const Sample& sample, std::uint64_t address, FieldContext& context,
                      Output& out) {
  out.text("0x");
  out.hex(address);
  out.text(" (");
  const std::size_t start = out.size();
  out.text(dso_of_branch(sample, address, *context.locations));
  if (context.printable) out.make_printable(start);
  out.put(')');
}

}  // namespace

void write_branches_in_files(const Sample& sample, FieldContext& context, Output& out) {
  const SampleWords words = sample.branches();
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    out.put(' ');
    write_branch_end(sample, words[i], context, out);
    out.put('/');
    write_branch_end(sample, words[i + 1], context, out);
    out.text(context.branch_texts.of(words[i + 2], context.arch));
  }
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
