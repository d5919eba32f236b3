// evname resolve: converts event names to raw codes.

#include <fmt/format.h>

#include <algorithm>

#include "input/machine.hpp"
#include "output/event.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ResolveArguments {
  MachineOptions machine;
  bool json = false;
  std::vector<std::string> events;
};

void print_json(const std::string& query, const Encoding& e, bool grouped) {
  JsonLine line;
  line.text("query", query).text("name", e.name).text("pmu", e.pmu);
  add_code(line, e);
  line.number("period", e.period).text("terms", e.terms());
  line.text("model", e.model).text("matched_by", to_string(e.matched_by));
  line.text("source", to_string(e.source)).text("desc", e.desc());
  if (!e.directory().empty()) line.text("directory", e.directory());
  if (grouped) line.number("leader", e.leader);
  if (e.bp_type) line.number("bp_type", e.bp_type);
  if (e.aux_action) line.number("aux_action", e.aux_action);
  if (!e.warnings().empty()) line.texts("warnings", e.warnings());
}

/// Does it lead others or follow one?
bool is_grouped(const std::vector<Encoding>& all, const Encoding& e) {
  return std::count_if(all.begin(), all.end(),
                       [&](const Encoding& other) { return other.leader == e.leader; }) > 1;
}

struct EncodingRow {
  std::string spelling, name, words;
};

EncodingRow text_row(const Encoding& e) {
  std::string words = code_words(e);
  if (e.period) words += fmt::format(" period={}", e.period);
  if (e.aux_action) words += fmt::format(" aux_action={}", e.aux_action);
  if (!e.directory().empty()) words += fmt::format("  from {}", e.directory());
  return {perf_spelling(e), std::string(e.name), std::move(words)};
}

/// The argument of `perf stat -e` first; the rest is a comment to a shell.
void print_text(const std::vector<EncodingRow>& rows) {
  std::size_t spelling = 0, name = 0;
  for (const EncodingRow& row : rows) {
    spelling = std::max(spelling, row.spelling.size());
    name = std::max(name, row.name.size());
  }
  for (const EncodingRow& row : rows)
    print_out("{:<{}}  # {}  {}\n", row.spelling, spelling, colored(Role::event, row.name, name),
              row.words);
}

int resolve(const ResolveArguments& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine, may_name_gpu(options.events))) return kUnusable;
  std::vector<EncodingRow> rows;
  bool all = true;
  for (const std::string& query : expand_queries(options.events)) {
    const auto encodings = resolve_query(*machine, query, options.json);
    all &= encodings.has_value();
    if (!encodings) continue;
    for (const Encoding& e : *encodings) {
      if (options.json)
        print_json(query, e, is_grouped(*encodings, e));
      else
        rows.push_back(text_row(e));
    }
  }
  print_text(rows);
  return all ? kDone : kPartial;
}

}  // namespace

void add_resolve(Command& command) {
  auto& options = command.runs(resolve);
  options.machine.add_to(command);
  command.flag("--json", options.json, "One JSON object per line");
  command.option("EVENT", options.events, "What perf's -e takes; - reads names from standard input")
      .required();
}

}  // namespace evname::tools
