// Samples as text and as JSON Lines.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/json_text.hpp"
#include "evname/perf_data.hpp"

namespace evname {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::size_t kFlush = 1 << 16;

class Output {
 public:
  explicit Output(const TextSink& sink) : sink_(sink) {}

  fmt::memory_buffer& buffer() { return buffer_; }
  void text(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  // Widths count bytes, as C's printf does, whatever they encode.
  void right(std::string_view value, std::size_t width) {
    for (std::size_t i = value.size(); i < width; ++i) buffer_.push_back(' ');
    text(value);
  }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(buffer_), format, std::forward<Args>(args)...);
  }
  bool end_line() {
    buffer_.push_back('\n');
    return buffer_.size() < kFlush || flush();
  }
  bool flush() {
    const bool go_on = buffer_.size() == 0 || sink_({buffer_.data(), buffer_.size()});
    buffer_.clear();
    return go_on;
  }

 private:
  const TextSink& sink_;
  fmt::memory_buffer buffer_;
};

std::vector<std::string> text_names(const PerfData& file, NameStyle style) {
  std::vector<std::string> names;
  for (const RecordedEvent& event : file.events()) {
    names.push_back(style == NameStyle::recorded ? event.recorded_name : event.name);
    if (style == NameStyle::symbolic && !event.modifiers.empty())
      names.back() += ':' + event.modifiers;
  }
  return names;
}

// perf prints absent fields as their defaults: -1, and the time of all ones.
bool write_text_line(const Sample& sample, std::string_view name, std::size_t width, Output& out) {
  const std::uint64_t time = sample.time().value_or(UINT64_MAX);
  out.right(sample.tid() ? sample.comm() : ":-1", 16);
  out.print(" {:5}/{:<5} {:>5}.{:06}: ", sample.pid().value_or(-1), sample.tid().value_or(-1),
            time / kSecond, time % kSecond / 1000);
  out.right(name, width);
  out.text(": ");
  return out.end_line();
}

template <class T>
void json_number(Output& out, std::string_view key, const std::optional<T>& value) {
  if (value)
    out.print(",\"{}\":{}", key, *value);
  else
    out.print(",\"{}\":null", key);
}

// The part of a line that is the same for every sample of an event.
std::string json_event(const RecordedEvent& event) {
  fmt::memory_buffer out;
  const auto add = [&out](std::string_view text) {
    out.append(text.data(), text.data() + text.size());
  };
  add(",\"event\":");
  append_json_string(out, event.name);
  add(",\"pmu\":");
  append_json_string(out, event.pmu);
  add(fmt::format(",\"code\":\"{:#x}\"", event.code.config));
  const std::uint64_t more[] = {event.code.config1, event.code.config2, event.code.config3};
  for (std::size_t i = 0; i < 3; ++i)
    if (more[i] != 0) add(fmt::format(",\"config{}\":\"{:#x}\"", i + 1, more[i]));
  add(fmt::format(",\"attr\":{}}}", event.attr));
  return fmt::to_string(out);
}

bool write_json_line(const Sample& sample, std::string_view event, Output& out) {
  out.text("{\"comm\":");
  if (sample.tid())
    append_json_string(out.buffer(), sample.comm());
  else
    out.text("null");
  json_number(out, "pid", sample.pid());
  json_number(out, "tid", sample.tid());
  json_number(out, "cpu", sample.cpu());
  if (const auto time = sample.time())
    out.print(",\"time\":{}.{:09}", *time / kSecond, *time % kSecond);
  else
    out.text(",\"time\":null");
  out.text(event);
  return out.end_line();
}

}  // namespace

SampleTally write_text(const PerfData& file, const TextSink& sink, NameStyle style) {
  Output out(sink);
  const std::vector<std::string> names = text_names(file, style);
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  SampleTally tally = file.for_each_sample([&](const Sample& sample) {
    return write_text_line(sample, names[sample.event().attr], width, out);
  });
  out.flush();
  return tally;
}

SampleTally write_jsonl(const PerfData& file, const TextSink& sink) {
  Output out(sink);
  std::vector<std::string> events;
  for (const RecordedEvent& event : file.events()) events.push_back(json_event(event));
  SampleTally tally = file.for_each_sample([&](const Sample& sample) {
    return write_json_line(sample, events[sample.event().attr], out);
  });
  out.flush();
  return tally;
}

}  // namespace evname
