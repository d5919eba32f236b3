#pragma once
// The fields of code: which function of which file, and where in its source.

#include <string>

#include "evname/perf_data.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/locations/frame_namer.hpp"

namespace evname::annotation {

struct FieldContext;

/// Which of them text has.
struct CodeFields {
  bool ip = false, function = false, offset = false, file = false, line = false;

  bool any() const { return function || offset || file || line; }
};

/// What is known of the address of a sample.
const recording::NamedCode& named_code(const Sample& sample, recording::FrameNamer& namer);

/// Makes the text that write_code_text() has of a code, but for the address: what all threads of a
/// pass write again and again.
void keep_lines(const recording::NamedCode& code, const FieldContext& context,
                recording::CodeText& text);

/// As perf script 7.3 prints ip, sym, symoff, dso and srcline: a line for each caller and inlined
/// call, or the end of the sample's line (sample__fprintf_sym of tools/perf/util/evsel_fprintf.c).
void write_code_text(const Sample& sample, FieldContext& context, Output& out);

/// JSON: an array of {"ip","sym","symoff","dso","srcline","inlined"}, innermost call first; CSV:
/// the labels of the calls.
void write_frames_value(const Sample& sample, FieldContext& context, ValueWriter& out);

/// The function, else "libc.so.6+0x1234", else the address.
void append_label(std::string& text, const recording::NamedCode& code, const Frame& frame);

/// "/src/a.cpp:12"; empty: unknown.
std::string source_place(const Frame& frame);

}  // namespace evname::annotation
