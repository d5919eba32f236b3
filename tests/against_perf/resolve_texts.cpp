// Reads event texts (hexadecimal, one per line) and prints evname's answers (one JSON object per
// line), in perf's order and groups.
//   resolve_texts CPU SYSFS [--names]
// With --names: the names of all events of the machine's tables and sysfs instead.

#include <fmt/format.h>

#include <iostream>
#include <string>

#include "evname/machine.hpp"

namespace {

std::string from_hex(std::string_view hex) {
  std::string text;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    text += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte > 0x7e || c == '"' || c == '\\' ? fmt::format("\\u{:04x}", byte)
                                                               : std::string(1, c);
  }
  return out + '"';
}

std::string to_json(const evname::Encoding& e) {
  std::string words;
  for (const std::uint64_t word : e.code.config)
    words += fmt::format("{}{}", words.empty() ? "" : ",", word);
  const evname::AttrBits& b = e.bits;
  return fmt::format(
      R"({{"type":{},"config":[{}],"period":{},"bp_type":{},"leader":{},"pmu":{},)"
      R"("bits":[{:d},{:d},{:d},{:d},{:d},{:d},{:d},{:d},{}],"scale":{},"unit":{}}})",
      e.code.has_type ? fmt::to_string(e.code.type) : "null", words, e.period, e.bp_type, e.leader,
      quoted(e.pmu), b.exclude_user, b.exclude_kernel, b.exclude_hv, b.exclude_host,
      b.exclude_guest, b.exclude_idle, b.pinned, b.exclusive, b.precise_ip, e.scale,
      quoted(e.unit));
}

std::string answer(const evname::Machine& machine, const std::string& text) {
  const auto resolved = machine.resolve(text);
  if (!resolved) return fmt::format(R"({{"error":{}}})", quoted(resolved.error().text()));
  std::string events;
  for (const evname::Encoding& e : machine.regroup(*resolved))
    events += (events.empty() ? "" : ",") + to_json(e);
  return fmt::format(R"({{"events":[{}]}})", events);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto machine = evname::Machine::named(argv[1], argv[2]);
  if (!machine) {
    std::cerr << machine.error().text() << '\n';
    return 2;
  }
  if (argc > 3) {
    for (const evname::EventInfo& event : machine->events()) std::cout << event.name << '\n';
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(*machine, from_hex(line)) << '\n';
}
