#include "emit/writers.hpp"
#include "json_line.hpp"

namespace evname::tools {
namespace {

constexpr const char* kWords[] = {"config", "config1", "config2", "config3"};

void add_code(JsonLine& line, const EmittedCode& code) {
  const bool known = code.error.empty();
  line.text("event", code.event);
  known ? line.text("pmu", code.pmu) : line.null("pmu");
  code.type ? line.number("type", *code.type) : line.null("type");
  for (std::size_t i = 0; i < code.config.size(); ++i)
    known ? line.hex(kWords[i], code.config[i]) : line.null(kWords[i]);
  if (!known) line.text("error", code.error);
}

void add_nothing(JsonLine& line) {
  line.null("event").null("pmu").null("type");
  for (const char* word : kWords) line.null(word);
}

}  // namespace

std::string json_lines(const Emitted& emitted) {
  std::string out;
  for (const EmittedCpu& cpu : emitted.cpus) {
    const std::size_t lines = cpu.codes == nullptr ? 1 : cpu.codes->codes.size();
    for (std::size_t i = 0; i < lines; ++i) {
      JsonLine line(&out);
      line.text("arch", cpu.arch).text("cpuid", cpu.pattern).text("model", cpu.model);
      cpu.codes == nullptr ? add_nothing(line) : add_code(line, cpu.codes->codes[i]);
    }
  }
  return out;
}

}  // namespace evname::tools
