// Tracepoints. The input is the text of a format file up to a NUL, then the raw data of a sample.

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "perf_format/trace_data.hpp"
#include "recordings/annotation/print_format.hpp"
#include "recordings/annotation/sample_parts.hpp"

namespace evname::fuzz::trace_target {

FUZZ_TARGET(trace, data, size) {
  fuzz::Pieces pieces(data, size);
  const auto format = perf_format::parse_trace_format("system", pieces.until('\0'));
  if (!format) return 0;
  static const TextSink kSink = [](std::string_view) { return true; };
  annotation::Output out(kSink);
  std::string text;
  for (const std::uint32_t long_size : {4u, 8u})
    annotation::PrintFormat::parse(*format, long_size).write(pieces.rest(), long_size == 4, text);
  for (const bool big : {false, true}) {
    annotation::write_trace_text(*format, pieces.rest(), big, out, big);
    for (const auto style : {annotation::ValueWriter::Style::json,
                             annotation::ValueWriter::Style::csv_without_formulas}) {
      annotation::ValueWriter writer(out, style);
      annotation::write_trace_value(*format, pieces.rest(), big, writer);
    }
  }
  return 0;
}

}  // namespace evname::fuzz::trace_target
