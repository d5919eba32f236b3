#include "recordings/session/bpf_lines.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace evname::session {
namespace {

std::string_view text_at(const std::string& texts, std::size_t offset) {
  return offset < texts.size() ? std::string_view(texts.c_str() + offset) : std::string_view();
}

}  // namespace

BpfLines::BpfLines(const perf_format::Features& features) {
  for (const perf_format::BpfProgram& program : features.bpf_programs) {
    const auto btf = std::ranges::find(features.bpf_btf, program.btf_id, &perf_format::BpfBtf::id);
    if (program.btf_id == 0 || btf == features.bpf_btf.end() || program.lines.empty()) continue;
    std::vector<perf_format::BpfFunction> functions = program.functions;
    std::ranges::sort(functions, {}, &perf_format::BpfFunction::start);
    for (const perf_format::BpfLine& line : program.lines) {
      const auto next =
          std::ranges::upper_bound(functions, line.address, {}, &perf_format::BpfFunction::start);
      if (next == functions.begin()) continue;
      functions_[{next[-1].start, next[-1].tag}].push_back(
          {line.address, text_at(btf->texts, line.source), line.line});
    }
  }
  for (auto& [function, lines] : functions_)
    std::ranges::stable_sort(lines, {}, &CodeLine::address);
}

std::span<const CodeLine> BpfLines::of(std::uint64_t start, std::string_view name) const {
  constexpr std::string_view kPrefix = "bpf_prog_";
  constexpr std::size_t kDigits = 16;
  if (functions_.empty() || !name.starts_with(kPrefix)) return {};
  const auto tag = parse_hex(name.substr(kPrefix.size(), kDigits));
  const auto at = tag ? functions_.find({start, *tag}) : functions_.end();
  return at == functions_.end() ? std::span<const CodeLine>() : at->second;
}

}  // namespace evname::session
