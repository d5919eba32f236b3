#include "recordings/annotation/code_fields.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/annotation/sample_parts.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::annotation {
namespace {

using recording::NamedCode;

// Where there is no line, perf prints the address: "libc.so.6[28a7]"; in callchains what
// addr2line(1) says of a file that has lines.
void write_line(const NamedCode& code, const Frame& frame, bool in_chain, Output& out) {
  if (!frame.source.empty()) {
    out.text(last_part(frame.source));
    out.put(':');
    out.decimal(frame.line);
  } else if (in_chain && frame.has_debug_info && !frame.function.empty()) {
    out.text("??:0");
  } else {
    out.text(last_part(code.file));
    out.put('[');
    out.hex(frame.address);
    out.put(']');
  }
}

/// What follows the address. Names come again and again, so they are copied from where they are.
void write_frame(const NamedCode& code, const Frame& frame, bool in_chain,
                 const FieldContext& context, Output& out) {
  const CodeFields& fields = context.code;
  const bool is_odd = context.printable && code.is_odd;
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
    out.text(code.file);
    out.put(')');
  }
  if (is_odd) out.make_printable(start);
  if (fields.line && code.is_mapped) {
    out.text("\n  ");
    start = out.size();
    write_line(code, frame, in_chain, out);
    if (is_odd) out.make_printable(start);
  }
  if (frame.inlined) out.text(" (inlined)");
}

// Where there is no callchain, perf names the function, and the line of the innermost call.
void write_whole(const NamedCode& code, const FieldContext& context, Output& out) {
  Frame whole = code.frames.back();
  whole.source = code.frames.front().source;
  whole.line = code.frames.front().line;
  whole.inlined = false;
  write_frame(code, whole, false, context, out);
}

/// Of one address, with a line for each frame.
void write_lines(const NamedCode& code, std::uint64_t address, const FieldContext& context,
                 Output& out) {
  const auto begin = [&] {
    if (!context.code.ip) return;
    out.put('\t');
    out.hex(address, 16);
  };
  if (code.text.empty()) {
    for (const Frame& frame : code.frames) {
      begin();
      write_frame(code, frame, true, context, out);
      out.put('\n');
    }
    return;
  }
  const std::string_view lines = code.text;
  std::uint32_t start = 0;
  for (const std::uint32_t end : code.ends) {
    begin();
    out.text(lines.substr(start, end - start));
    start = end;
  }
  begin();
  out.text(lines.substr(start));
}

/// Those of each address.
void write_frames(const Sample& sample, std::span<const CodeAddress> stack, FieldContext& context,
                  Output& out) {
  for (const CodeAddress& address : stack)
    write_lines(context.namer->at(sample, address), address.address, context, out);
}

constexpr std::size_t kLongestLines = 512;  // of an address

}  // namespace

void keep_lines(const NamedCode& code, const FieldContext& context, recording::CodeText& text) {
  static const TextSink kNowhere = [](std::string_view) { return true; };
  thread_local Output out(kNowhere);
  out.truncate(0);
  for (const Frame& frame : code.frames) {
    if (out.size() > 0) text.ends.push_back(static_cast<std::uint32_t>(out.size()));
    write_frame(code, frame, true, context, out);
    out.put('\n');
  }
  if (out.size() > kLongestLines)
    text.ends.clear();
  else
    text.text = out.since(0);
}

const NamedCode& named_code(const Sample& sample, recording::FrameNamer& namer) {
  return namer.at(sample, recording::instruction_of(sample));
}

void write_code_text(const Sample& sample, FieldContext& context, Output& out) {
  const perfdata::SampleRecord& record = detail::record_of(sample);
  if (!record.event->has_callchain()) {
    out.put(' ');
    if (context.code.ip) out.hex(sample.ip().value_or(0), 16);
    return write_whole(context.namer->at(sample, recording::instruction_of(sample)), context, out);
  }
  out.put('\n');
  if (!context.namer->stack(sample, context.stack)) return;
  if (!recording::has_chain(sample) && !context.namer->has_unwound()) return;
  const auto stack =
      std::span(context.stack).first(std::min(context.stack.size(), recording::kMostFrames));
  if (stack.empty()) return;
  write_frames(sample, stack.first(1), context, out);
  const auto callers = stack.subspan(1);
  const auto pid = static_cast<std::uint32_t>(record.pid);
  if (const auto text =
          context.caller_texts.find({pid, detail::maps_of(sample).generation(), 0}, callers))
    return out.text(*text);
  const std::size_t start = out.size();
  write_frames(sample, callers, context, out);
  context.caller_texts.set(out.since(start));
}

void append_label(std::string& text, const NamedCode& code, const Frame& frame) {
  if (!frame.function.empty())
    text += frame.function;
  else if (code.is_mapped)
    fmt::format_to(std::back_inserter(text), "{}+{:#x}", last_part(code.file), code.offset);
  else
    fmt::format_to(std::back_inserter(text), "{:#x}", code.offset);
}

std::string source_place(const Frame& frame) {
  if (frame.source.empty()) return {};
  return fmt::format("{}:{}", frame.source, frame.line);
}

namespace {

void write_frame_json(const CodeAddress& address, const NamedCode& code, const Frame& frame,
                      Output& out) {
  const auto text = [&](std::string_view name, std::string_view value) {
    out.text(name);
    value.empty() ? out.text("null") : out.json(value);
  };
  out.text("{\"ip\":\"0x");
  out.hex(address.address);
  text("\",\"sym\":", frame.function);
  out.text(",\"symoff\":");
  frame.function.empty() ? out.text("null") : out.decimal(frame.offset);
  text(",\"dso\":", code.is_mapped ? code.file : "");
  text(",\"srcline\":", source_place(frame));
  out.text(",\"inlined\":");
  out.text(frame.inlined ? "true}" : "false}");
}

}  // namespace

void write_frames_value(const Sample& sample, FieldContext& context, ValueWriter& out) {
  context.namer->stack(sample, context.stack);
  out.begin_list();
  std::string label;
  for (const CodeAddress& address : context.stack) {
    const NamedCode& code = context.namer->at(sample, address);
    for (const Frame& frame : code.frames) {
      out.next_item();
      if (out.json()) {
        write_frame_json(address, code, frame, out.out());
        continue;
      }
      label.clear();
      append_label(label, code, frame);
      out.text(label);
    }
  }
  out.end_list();
}

}  // namespace evname::annotation
