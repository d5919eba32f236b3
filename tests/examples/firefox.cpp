// Converts a recording for profiler.firefox.com: threads with their names and times from records,
// stacks from samples. Writes Gecko's profile format, version 24. Usage: firefox RECORDING
#include <evname/evname.hpp>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

/// A JSON string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const unsigned char byte : text) {
    if (byte == '"' || byte == '\\') out += '\\';
    out += byte < ' ' ? '?' : static_cast<char>(byte);
  }
  return out + '"';
}

/// Rows of a table, which are JSON, with commas.
struct Rows {
  std::string text;
  void add(const std::string& row) { text += (text.empty() ? "" : ",\n") + row; }
};

/// A thread: its tables, and the number of each name and stack.
struct Thread {
  std::string name;
  double start = 0, end = -1;  // in ms; -1: it did not end
  std::map<std::string, std::size_t> names;
  std::map<std::pair<std::string, std::size_t>, std::size_t> stacks;
  Rows samples, stack_rows, frame_rows, strings;

  /// Returns the number of a function, which has a string and a frame of that number.
  std::size_t function(const std::string& name) {
    const auto [at, is_new] = names.try_emplace(name, names.size());
    if (is_new) {
      strings.add(quoted(name));
      frame_rows.add('[' + std::to_string(at->second) + ",false,0,null,null,null,0,0]");
    }
    return at->second;
  }
  /// Returns the number of a stack: a caller's ("null": none) and a function.
  std::string stack(const std::string& caller, std::size_t function) {
    const auto [at, is_new] = stacks.try_emplace({caller, function}, stacks.size());
    if (is_new) stack_rows.add('[' + caller + ',' + std::to_string(function) + ']');
    return std::to_string(at->second);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto recording = evname::Recording::open(argc > 1 ? argv[1] : "perf.data");
  if (!recording) {
    std::cerr << recording.error().text() << '\n';
    return 1;
  }
  const evname::Symbols symbols;
  evname::Locations locations(*recording, symbols);
  std::map<std::pair<int, int>, Thread> threads;
  std::vector<evname::Address> stack;
  std::uint64_t first = 0;
  evname::SampleRange pass = recording->samples();
  while (const evname::Record* record = pass.next_record()) {
    const std::uint64_t time = record->time.value_or(0);
    if (first == 0) first = time;
    const double ms = time > first ? static_cast<double>(time - first) / 1e6 : 0;
    if (const auto* comm = record->as<evname::Record::Comm>())
      threads[{comm->pid, comm->tid}].name = comm->name;
    if (const auto* task = record->as<evname::Record::Task>())
      (record->type == 4 ? threads[{task->pid, task->tid}].end
                         : threads[{task->pid, task->tid}].start) = ms;
    const evname::Sample* const sample = record->sample();
    if (sample == nullptr) continue;
    Thread& thread = threads[{sample->pid().value_or(0), sample->tid().value_or(0)}];
    if (thread.name.empty()) thread.name = sample->comm();
    locations.stack(*sample, stack);
    std::string number = "null";
    for (auto address = stack.rbegin(); address != stack.rend(); ++address) {
      const evname::Locations::Named& at = locations.at(*sample, *address);
      for (auto frame = at.frames.rbegin(); frame != at.frames.rend(); ++frame)
        number = thread.stack(
            number, thread.function(at.label(*frame) + " (in " + std::string(at.dso) + ')'));
    }
    thread.samples.add('[' + number + ',' + std::to_string(ms) + ']');
  }
  Rows all;
  for (const auto& [id, thread] : threads)
    all.add("{\"processType\":\"default\",\"name\":" + quoted(thread.name) +
            ",\"pid\":" + std::to_string(id.first) + ",\"tid\":" + std::to_string(id.second) +
            ",\"registerTime\":" + std::to_string(thread.start) +
            ",\"unregisterTime\":" + (thread.end < 0 ? "null" : std::to_string(thread.end)) +
            R"(,"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,)"
            R"("data":5},"data":[]},"samples":{"schema":{"stack":0,"time":1},"data":[)" +
            thread.samples.text + R"(]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[)" +
            thread.stack_rows.text +
            R"(]},"frameTable":{"schema":{"location":0,"relevantForJS":1,)"
            R"("innerWindowID":2,"implementation":3,"line":4,"column":5,"category":6,)"
            R"("subcategory":7},"data":[)" +
            thread.frame_rows.text + "]},\"stringTable\":[" + thread.strings.text + "]}");
  std::cout
      << R"({"meta":{"version":24,"processType":0,"product":"perf","interval":1,)"
         R"("startTime":0,"shutdownTime":null,"stackwalk":1,"debug":0,"presymbolicated":true,)"
         R"("categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],)"
         R"("markerSchema":[]},"libs":[],"processes":[],"pausedRanges":[],"threads":[)"
      << all.text << "]}\n";
}
