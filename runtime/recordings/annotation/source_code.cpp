// Writes lines of source files beside samples: map__fprintf_srccode of tools/perf/builtin-script.c.

#include <algorithm>

#include "base/read_file.hpp"
#include "recordings/annotation/fields.hpp"

namespace evname::annotation {

std::optional<std::string_view> SourceLines::find(const std::string& path, std::uint32_t line) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20, kMostFiles = 64;
  auto at = files_.find(path);
  if (at == files_.end()) {
    if (files_.size() >= kMostFiles) files_.clear();
    at = files_.emplace(path, read_text_file(path, kMostBytes).value_or(std::string())).first;
  }
  std::string_view text = at->second;
  for (; line > 1 && !text.empty(); --line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  if (line != 1 || text.empty()) return std::nullopt;
  return text.substr(0, text.find('\n'));
}

bool SourceLines::is_repeated(std::int32_t tid, const std::string& path, std::uint32_t line) {
  auto& last = last_.try_emplace(tid).first.value();
  if (last.first == path && last.second == line) return true;
  last = {path, line};
  return false;
}

void write_source_code(const Sample& sample, FieldContext& context, Output& out) {
  const Frame& frame =
      context.locations->at(sample, perf_data::instruction_of(sample)).frames.front();
  if (frame.source.empty()) return;
  const std::string path(frame.source);
  const auto text = context.sources.find(path, frame.line);
  if (!text || context.sources.is_repeated(detail::record_of(sample).tid, path, frame.line)) return;
  const fmt::format_int number(frame.line);
  out.text("\n|");
  out.left({number.data(), number.size()}, 8);
  out.put(' ');
  const std::size_t start = out.size();
  out.text(*text);
  if (context.printable) out.make_printable(start);
}

}  // namespace evname::annotation
