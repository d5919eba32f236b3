// evname name: raw codes to event names.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "events/machine/code_lists.hpp"
#include "evname/attr.hpp"
#include "input/machine.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct NameArguments {
  MachineOptions machine;
  std::string pmu;
  std::string style = "perf";
  bool json = false;
  std::vector<std::string> codes;
};

std::vector<std::string> core_pmus(const Machine& machine) {
  std::vector<std::string> names;
  for (const PmuInfo& pmu : machine.pmus())
    if (pmu.is_core) names.push_back(pmu.name);
  return names;
}

/// The config of "0x20d1" or "r20d1".
std::optional<std::uint64_t> bare_code(std::string_view text) {
  if (text.starts_with("0x"))
    text.remove_prefix(2);
  else if (text.starts_with('r'))
    text.remove_prefix(text.starts_with("r0x") ? 3 : 1);
  else
    return std::nullopt;
  return parse_hex(text);
}

/// The names of a code; without any, similar events.
struct CodeName {
  CodeNames names;
  Code code = {};
  std::vector<machine::NearCode> near;
  std::string directory;  ///< the user's event files, if the first name comes from there
};

/// The names of a code, and similar events if there are none.
CodeName answer_of(const Machine& machine, CodeNames names, const Code& code) {
  CodeName answer{std::move(names), code, {}, {}};
  const CodeNames& found = answer.names;
  if (found.names.empty()) {
    answer.near = machine::near_codes(machine, found.pmu, code);
  } else if (!machine.event_directories().empty()) {
    const auto event = machine.resolve(fmt::format("{}/{}/", found.pmu, found.names.front()));
    if (event) answer.directory = event->front().directory();
  }
  return answer;
}

/// A bare code applies to each core PMU, unless --pmu names one.
std::vector<CodeName> names_of_bare(const Machine& machine, const std::string& pmu,
                                    std::uint64_t config) {
  std::vector<CodeName> out;
  const Code code = make_code(kTypeRaw, {config});
  for (const std::string& name : pmu.empty() ? core_pmus(machine) : std::vector{pmu})
    out.push_back(answer_of(machine, machine.names_of(name, code), code));
  return out;
}

CodeNames names_of_encoding(const Machine& machine, const Encoding& e) {
  const bool by_type = e.code.has_type && (is_generic_type(e.code.type) || e.pmu.empty());
  CodeNames names = by_type ? machine.names_of(e.code) : machine.names_of(e.pmu, e.code);
  if (e.modifiers.empty()) return names;
  names.exact = false;
  names.qualifiers += (names.qualifiers.empty() ? ":" : ",:") + e.modifiers;
  return names;
}

Result<std::vector<CodeName>> answers_of(const Machine& machine, const std::string& pmu,
                                         const std::string& code) {
  if (const auto config = bare_code(code)) return names_of_bare(machine, pmu, *config);
  const bool bare_terms = code.find('/') == code.npos && code.find('=') != code.npos;
  std::string text = code;
  if (bare_terms) {
    const auto cores = core_pmus(machine);
    if (pmu.empty() && cores.empty())
      return fail(Errc::not_found, "this machine has no core PMU", {}, "say which with --pmu");
    text = fmt::format("{}/{}/", pmu.empty() ? cores.front() : pmu, code);
  }
  auto encodings = machine.resolve(text);
  if (!encodings) return fail(std::move(encodings));
  print_warnings(code, *encodings);
  std::vector<CodeName> out;
  for (const Encoding& e : *encodings)
    if (pmu.empty() || e.pmu == pmu)
      out.push_back(answer_of(machine, names_of_encoding(machine, e), e.code));
  return out;
}

void print_json(const std::string& query, const CodeName& answer) {
  const CodeNames& names = answer.names;
  JsonLine line;
  line.text("query", query).text("pmu", names.pmu).texts("names", names.names);
  line.boolean("exact", names.exact).text("qualifiers", names.qualifiers);
  line.text("terms", names.terms);
  if (!answer.directory.empty()) line.text("directory", answer.directory);
  if (answer.near.empty()) return;
  line.object("near", answer.near, [](const machine::NearCode& near) {
    return std::pair<std::string_view, std::string_view>(near.name, near.terms);
  });
}

/// "; event=0xc2 is uops_retired.retire_slots (umask=0x2), …": the terms that all share come first.
std::string near_text(const CodeName& answer) {
  constexpr std::size_t kShown = 4;
  const auto event_of = [](std::string_view terms) {
    for (const std::string_view term : split(terms, ','))
      if (term.starts_with("event=")) return std::string(term);
    return std::string("that event");
  };
  std::string out;
  for (std::size_t i = 0; i < answer.near.size() && i < kShown; ++i) {
    const auto& [name, terms] = answer.near[i];
    const std::string event = event_of(terms);
    std::string rest;
    for (const std::string_view term : split(terms, ','))
      if (term != event) (rest += rest.empty() ? "" : ",") += term;
    out += i == 0 ? fmt::format("; {} is ", event) : ", ";
    out += fmt::format("{} ({})", name, rest.empty() ? "nothing else" : rest);
  }
  if (answer.near.size() > kShown) out += fmt::format(" and {} more", answer.near.size() - kShown);
  return out;
}

/// Explains bits that the kernel sets itself, in a code copied from a register of the CPU ("; 0x53
/// in bits 16 to 23: …"); "" if it has none. The library spells them as config (Intel SDM vol. 3,
/// figure 20-1).
std::string register_bits_text(std::string_view qualifiers) {
  constexpr std::pair<std::uint64_t, std::string_view> kBits[] = {
      {std::uint64_t{1} << 22, "enable"},
      {std::uint64_t{1} << 20, "interrupt"},
      {std::uint64_t{1} << 16, "user"},
      {std::uint64_t{1} << 17, "kernel"}};
  constexpr std::string_view kConfig = "config=0x";
  if (!qualifiers.starts_with(kConfig)) return {};
  const std::string_view digits = split(qualifiers.substr(kConfig.size()), ',').front();
  const std::uint64_t value = parse_hex(digits).value_or(0);
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kBits)
    if ((value & bit) != 0) names.push_back(name);
  if (names.empty()) return {};
  return fmt::format(
      "; 0x{:x} in bits 16 to 23: {} bit{} of the counter's register, which the "
      "kernel sets itself",
      value >> 16, joined(names, ", "), names.size() == 1 ? "" : "s");
}

struct TextRow {
  std::string query, best, others;
};

/// Qualifiers of perf and the modifiers of libpfm4 that mean them.
constexpr std::pair<std::string_view, std::string_view> kPfm4Qualifiers[] = {
    {"cmask", "c"},     {"inv", "i"},         {"edge", "e"},
    {"any", "t"},       {"in_tx", "intx"},    {"in_tx_cp", "intxcp"},
    {"ldlat", "ldlat"}, {"period", "period"}, {"thresh", "t"}};

/// Returns ":c=1:i=1" for "cmask=0x1,inv=1"; nullopt if libpfm4 cannot say it.
std::optional<std::string> pfm4_qualifiers(std::string_view qualifiers) {
  std::string out;
  for (const std::string_view one : split(qualifiers, ',')) {
    if (one.starts_with(':')) {  // modifiers: u, k and h mean the same
      if (one.find_first_not_of(":ukh") != one.npos) return std::nullopt;
      for (const char letter : one.substr(1)) out += fmt::format(":{}", letter);
      continue;
    }
    const std::size_t equals = one.find('=');
    const auto known = std::ranges::find(kPfm4Qualifiers, one.substr(0, equals),
                                         &std::pair<std::string_view, std::string_view>::first);
    const auto value =
        equals == one.npos ? std::optional<std::uint64_t>(1) : parse_number(one.substr(equals + 1));
    if (known == std::end(kPfm4Qualifiers) || !value) return std::nullopt;
    out += fmt::format(":{}={}", known->second, *value);
  }
  return out;
}

/// The names of libpfm4, by code.
class Pfm4Style {
 public:
  explicit Pfm4Style(const Machine& machine)
      : machine_(machine), names_(machine::pfm4_names(machine)) {}

  /// Puts libpfm4's names in place of perf's; the qualifiers become part of them.
  void apply(CodeNames& names, const Code& code) const {
    std::string qualifiers;
    std::vector<std::string> found;
    if (names.names.empty() || names.exact) {
      found = with_code(names.pmu, code);
    } else if (const auto text = pfm4_qualifiers(names.qualifiers)) {
      qualifiers = *text;
      if (const auto base = machine_.resolve(names.names.front()))
        for (const Encoding& e : *base)
          if (e.pmu == names.pmu) found = with_code(names.pmu, e.code);
    }
    for (std::string& name : found) name += qualifiers;
    names.names = std::move(found);
    names.exact = true;
    names.qualifiers.clear();
  }

 private:
  /// Returns the names that resolve() resolves to this code: the maker may have another code for a
  /// name. Aliases come last.
  std::vector<std::string> with_code(const std::string& pmu, const Code& code) const {
    std::vector<std::string> out;
    for (const bool is_alias : {false, true})
      for (const machine::Pfm4Name& name : names_)
        if (name.is_alias == is_alias && std::ranges::equal(name.code.config, code.config))
          if (std::string text = on_box(name, pmu); !text.empty() && resolves_to(text, code))
            out.push_back(std::move(text));
    return out;
  }
  /// Returns the name for that PMU or box; the list has only the first box, "skx_unc_cha0::…". ""
  /// if it is another PMU.
  static std::string on_box(const machine::Pfm4Name& name, const std::string& pmu) {
    if (name.pmu == pmu) return name.name;
    const auto colons = name.name.find("::");
    if (!pmu.starts_with(name.pmu + "_") || colons == name.name.npos || colons == 0) return {};
    const std::size_t end = name.name.find_last_not_of("0123456789", colons - 1) + 1;
    if (end == colons) return {};
    return name.name.substr(0, end) + pmu.substr(name.pmu.size() + 1) + name.name.substr(colons);
  }
  bool resolves_to(const std::string& name, const Code& code) const {
    const auto found = machine_.resolve(name);
    return found && std::ranges::any_of(*found, [&](const Encoding& e) {
             return std::ranges::equal(e.code.config, code.config);
           });
  }

  const Machine& machine_;
  std::vector<machine::Pfm4Name> names_;
};

/// "0:0x3" for generic codes, which belong to no PMU; for others the terms of their PMU.
std::string exact_text(const CodeNames& names) {
  constexpr std::string_view kConfig = "config=";
  const std::string_view type = names.pmu == "hardware"   ? "0:"
                                : names.pmu == "hw_cache" ? "3:"
                                                          : "";
  if (type.empty() || !names.terms.starts_with(kConfig))
    return fmt::format("{}/{}/", names.pmu, names.terms);
  const std::string_view words = std::string_view(names.terms).substr(kConfig.size());
  const auto comma = words.find(',');
  if (comma == words.npos) return fmt::format("{}{}", type, words);
  return fmt::format("{}{}/{}/", type, words.substr(0, comma), words.substr(comma + 1));
}

/// "NAME with cmask=0x1", or the exact term form if no name fits; then other names.
TextRow text_row(const std::string& query, const CodeName& answer) {
  const CodeNames& names = answer.names;
  TextRow row{query, exact_text(names), "no name"};
  if (names.names.empty()) {
    row.others += near_text(answer);
    return row;
  }
  row.others = std::move(row.best);
  row.best = names.names.front();
  if (!names.exact) row.best += " with " + names.qualifiers;
  for (std::size_t i = 1; i < names.names.size(); ++i)
    row.others += (i == 1 ? "; also " : ", ") + names.names[i];
  row.others += register_bits_text(names.qualifiers);
  if (!answer.directory.empty()) row.others += "  from " + answer.directory;
  return row;
}

void print_text(const std::vector<TextRow>& rows) {
  std::size_t query = 0, best = 0;
  for (const TextRow& row : rows) {
    query = std::max(query, row.query.size());
    best = std::max(best, row.best.size());
  }
  for (const TextRow& row : rows)
    print_out("{:<{}}  {}  # {}\n", row.query, query, colored(Role::event, row.best, best),
              row.others);
}

/// Returns false after reporting that there is no PMU of that name, with the existing ones.
bool has_pmu(const Machine& machine, const std::string& name) {
  std::vector<std::string> names;
  for (const PmuInfo& pmu : machine.pmus()) names.push_back(pmu.name);
  if (name.empty() || std::ranges::count(names, name) > 0) return true;
  const auto box = machine.resolve(fmt::format("{}/config=0/", name));
  if (box && box->size() == 1 && box->front().pmu == name) return true;
  return tell_error("--pmu: no PMU '{}' on {} (known PMUs: {})", name, machine.cpu().model,
                    joined(names, ", "));
}

int name(const NameArguments& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine)) return kUnusable;
  if (!has_pmu(*machine, options.pmu)) return kPartial;
  std::vector<TextRow> rows;
  std::optional<Pfm4Style> style;
  if (options.style == "pfm4") style.emplace(*machine);
  bool all = true;
  for (const std::string& query : expand_queries(options.codes)) {
    auto found = answers_of(*machine, options.pmu, query);
    if (!found) {
      all = false;
      if (options.json)
        JsonLine().text("query", query).text("error", error_text(found.error()));
      else
        print_error(query, found.error());
      continue;
    }
    for (CodeName& answer : *found) {
      if (style) style->apply(answer.names, answer.code);
      if (!answer.names.names.empty()) answer.near.clear();
      all &= !answer.names.names.empty();
      if (options.json)
        print_json(query, answer);
      else
        rows.push_back(text_row(query, answer));
    }
  }
  print_text(rows);
  return all ? kDone : kPartial;
}

}  // namespace

void add_name(Command& command) {
  auto& options = command.runs(name);
  options.machine.add_to(command);
  command.option("--pmu", options.pmu, "The PMU a bare code belongs to; default: each core PMU")
      .value_name("PMU");
  command
      .option("--style", options.style,
              "Whose names: perf's or libpfm4's (skx::MEM_LOAD_RETIRED:L3_MISS:c=1)")
      .one_of({"perf", "pfm4"});
  command.flag("--json", options.json, "One JSON object per line");
  command
      .option("CODE", options.codes,
              "0x20d1, r20d1, pmu/config=…,config1=…/, pmu/event=…,umask=…/, TYPE:CONFIG; - "
              "reads codes from standard input")
      .required();
}

}  // namespace evname::tools
