#include "annotation/code_fields.hpp"

#include <fmt/format.h>

#include "annotation/fields.hpp"
#include "annotation/sample_parts.hpp"
#include "base/text.hpp"
#include "recording/perf_data_state.hpp"

namespace evname::annotation {
namespace {

using recording::NamedCode;

// Where there is no line, perf prints the address: "libc.so.6[28a7]"; in callchains what
// addr2line(1) says of a file that has lines.
std::string line_text(const NamedCode& code, const Frame& frame, bool in_chain) {
  if (!code.is_mapped) return {};
  const std::string_view file = last_part(code.file);
  if (!frame.source.empty()) return fmt::format("\n  {}:{}", last_part(frame.source), frame.line);
  return in_chain && frame.has_debug_info && !frame.function.empty()
             ? "\n  ??:0"
             : fmt::format("\n  {}[{:x}]", file, frame.address);
}

/// What follows the address.
std::string frame_text(const NamedCode& code, const Frame& frame, const CodeFields& fields,
                       bool in_chain, bool printable) {
  std::string text;
  if (fields.function) {
    text += ' ';
    text += frame.function.empty() ? "[unknown]" : frame.function;
    if (fields.offset && !frame.function.empty()) text += fmt::format("+{:#x}", frame.offset);
  }
  if (fields.file && !frame.inlined) (((text += " (") += code.file) += ")");
  if (printable) make_printable(text);
  if (fields.line) {
    std::string line = line_text(code, frame, in_chain);
    if (printable && !line.empty()) {
      line.erase(0, 1);
      make_printable(line);
      line.insert(0, 1, '\n');
    }
    text += line;
  }
  if (frame.inlined) text += " (inlined)";
  return text;
}

const std::vector<std::string>& texts_of(NamedCode& code, const FieldContext& context) {
  if (code.texts.empty())
    for (const Frame& frame : code.frames)
      code.texts.push_back(frame_text(code, frame, context.code, true, context.printable));
  return code.texts;
}

// Where there is no callchain, perf names the function, and the line of the innermost call.
const std::string& whole_text(NamedCode& code, const FieldContext& context) {
  if (!code.whole.empty()) return code.whole;
  Frame whole = code.frames.back();
  whole.source = code.frames.front().source;
  whole.line = code.frames.front().line;
  whole.inlined = false;
  return code.whole = frame_text(code, whole, context.code, false, context.printable);
}

}  // namespace

NamedCode& named_code(const Sample& sample, recording::FrameNamer& namer) {
  return namer.at(detail::state_of(sample).view, recording::instruction_of(sample));
}

void write_code_text(const Sample& sample, FieldContext& context, Output& out) {
  const perfdata::session::SampleView& view = detail::state_of(sample).view;
  if (!view.event.has_callchain()) {
    out.put(' ');
    if (context.code.ip) out.hex(sample.ip().value_or(0), 16);
    return out.text(
        whole_text(context.namer->at(view, recording::instruction_of(sample)), context));
  }
  out.put('\n');
  if (!context.namer->stack(sample, context.stack)) return;
  if (!recording::has_chain(sample) && !context.namer->has_unwound()) return;
  std::size_t printed = 0;
  for (const CodeAddress& address : context.stack) {
    if (printed++ == recording::kMostFrames) return;
    for (const std::string& text : texts_of(context.namer->at(view, address), context)) {
      if (context.code.ip) {
        out.put('\t');
        out.hex(address.address, 16);
      }
      out.text(text);
      out.put('\n');
    }
  }
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
    const NamedCode& code = context.namer->at(detail::state_of(sample).view, address);
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
