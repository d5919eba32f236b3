// evname emit: writes the codes of chosen events on chosen CPUs as a source file. All languages
// have the same layout; a Dialect has the differences.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "emit/codes.hpp"
#include "emit/pfm_tables.hpp"
#include "input/machine.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {

namespace {

/// The differences between languages, as formats of fmt::format.
struct Dialect {
  std::string_view preamble;    ///< types
  std::string_view codes_open;  ///< {0} identifier of the model, {1} count
  std::string_view
      code;  ///< {0} event, {1} PMU, {2} type, {3} to {6} config words; without line end
  std::string_view codes_close;  ///< no form
  std::string_view cpus_open;    ///< no form
  std::string_view cpu;  ///< {0} architecture, {1} pattern, {2} model, {3} identifier, {4} count
  std::string_view other_cpu;      ///< {0} architecture, {1} pattern, {2} model
  std::string_view cpus_close;     ///< no form
  std::string_view cpus_name;      ///< of the table of CPUs
  std::string_view pmu, no_pmu;    ///< {0} text; of a code that there is, and that there is not
  std::string_view no_pmu_words;   ///< the latter in a sentence
  std::string_view type, no_type;  ///< {0} number
  bool capitals;                   ///< identifiers of tables
  bool escapes_question;           ///< "\?" is known
};

// C99. To be included in one source file, or compiled with the declarations in a header; beside
// <evname/evname.h>, too.
constexpr Dialect kC = {
    .preamble = R"(
#include <stddef.h>
#include <stdint.h>

struct evname_emitted_code {
  const char *event; // as it was asked for
  const char *pmu;   // NULL: these CPUs have no such event
  int64_t type;      // of perf_event_attr; -1: see above
  uint64_t config, config1, config2, config3;
};

struct evname_emitted_cpu {
  const char *arch;
  const char *cpuid; // pattern; NULL after the last row
  const char *model;
  const struct evname_emitted_code *codes; // NULL: not asked for
  size_t count;
};

extern const struct evname_emitted_cpu evname_cpus[];
)",
    .codes_open = "\nstatic const struct evname_emitted_code evname_codes_{0}[] = {{\n",
    .code = "  {{{0}, {1}, {2}, {3:#x}, {4:#x}, {5:#x}, {6:#x}}},",
    .codes_close = "};\n",
    .cpus_open = "\nconst struct evname_emitted_cpu evname_cpus[] = {\n",
    .cpu = "  {{{0}, {1}, {2}, evname_codes_{3}, {4}}},\n",
    .other_cpu = "  {{{0}, {1}, {2}, NULL, 0}},\n",
    .cpus_close = "  {NULL, NULL, NULL, NULL, 0},\n};\n",
    .cpus_name = "evname_cpus",
    .pmu = "{0}",
    .no_pmu = "NULL",
    .no_pmu_words = "NULL",
    .type = "{0}",
    .no_type = "-1",
    .capitals = false,
    .escapes_question = true,
};

// C++17, as a header or a source file.
constexpr Dialect kCpp = {
    .preamble = R"(
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evname_codes {

struct Code {
  std::string_view event; // as it was asked for
  std::string_view pmu;   // empty: these CPUs have no such event
  std::int64_t type;      // of perf_event_attr; -1: see above
  std::uint64_t config, config1, config2, config3;
};

struct Cpu {
  std::string_view arch;
  std::string_view cpuid; // pattern
  std::string_view model;
  const Code *codes; // nullptr: not asked for
  std::size_t count;
};
)",
    .codes_open = "\ninline constexpr Code codes_{0}[] = {{\n",
    .code = "  {{{0}, {1}, {2}, {3:#x}, {4:#x}, {5:#x}, {6:#x}}},",
    .codes_close = "};\n",
    .cpus_open = "\ninline constexpr Cpu cpus[] = {\n",
    .cpu = "  {{{0}, {1}, {2}, codes_{3}, {4}}},\n",
    .other_cpu = "  {{{0}, {1}, {2}, nullptr, 0}},\n",
    .cpus_close = "};\n\n} // namespace evname_codes\n",
    .cpus_name = "evname_codes::cpus",
    .pmu = "{0}",
    .no_pmu = "\"\"",
    .no_pmu_words = "empty",
    .type = "{0}",
    .no_type = "-1",
    .capitals = false,
    .escapes_question = true,
};

// Rust 2021, as a module of its own.
constexpr Dialect kRust = {
    .preamble = R"(
#[allow(dead_code)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// As it was asked for.
    pub event: &'static str,
    /// None: these CPUs have no such event.
    pub pmu: Option<&'static str>,
    /// Of perf_event_attr; None: see above.
    pub type_: Option<u32>,
    /// config, config1, config2, config3.
    pub config: [u64; 4],
}

#[allow(dead_code)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    pub arch: &'static str,
    /// Pattern.
    pub cpuid: &'static str,
    pub model: &'static str,
    /// Empty: not asked for.
    pub codes: &'static [Code],
}
)",
    .codes_open =
        "\n#[allow(dead_code)]\n#[rustfmt::skip]\npub static CODES_{0}: [Code; {1}] = [\n",
    .code =
        "    Code {{ event: {0}, pmu: {1}, type_: {2}, "
        "config: [{3:#x}, {4:#x}, {5:#x}, {6:#x}] }},",
    .codes_close = "];\n",
    .cpus_open = "\n#[allow(dead_code)]\n#[rustfmt::skip]\npub static CPUS: &[Cpu] = &[\n",
    .cpu = "    Cpu {{ arch: {0}, cpuid: {1}, model: {2}, codes: &CODES_{3} }},\n",
    .other_cpu = "    Cpu {{ arch: {0}, cpuid: {1}, model: {2}, codes: &[] }},\n",
    .cpus_close = "];\n",
    .cpus_name = "CPUS",
    .pmu = "Some({0})",
    .no_pmu = "None",
    .no_pmu_words = "None",
    .type = "Some({0})",
    .no_type = "None",
    .capitals = true,
    .escapes_question = false,
};

/// The form of CPUID strings and the meaning of patterns, by architecture.
struct CpuidRule {
  std::string_view arch, rule;
};
constexpr CpuidRule kCpuidRules[] = {
    {"x86",
     "x86: VENDOR-FAMILY-MODEL-STEPPING, the family in decimal, the others in capital\n"
     "hexadecimal digits (GenuineIntel-6-55-4). The pattern is a POSIX extended regular\n"
     "expression for the whole string, or for the string without -STEPPING if it has none."},
    {"arm64",
     "arm64: MIDR_EL1. A CPU matches that has the same bits but for variant (23-20) and\n"
     "revision (3-0), and a higher variant, or the same and no lower revision. The kernel may\n"
     "call its core PMU otherwise than here (armv8_cortex_a72)."},
    {"",
     "POSIX extended regular expressions for the whole CPUID string, as `evname cpu` prints it."},
};

std::string_view cpuid_rule(std::string_view arch) {
  for (const CpuidRule& row : kCpuidRules)
    if (row.arch == arch || row.arch.empty()) return row.rule;
  return {};
}

class SourceWriter {
 public:
  SourceWriter(const Dialect& dialect, const Emitted& emitted)
      : dialect_(dialect), emitted_(emitted) {}

  std::string write();

 private:
  void comment(std::string_view text);
  void head();
  void codes(const EmittedModel& model);
  void cpus();
  std::string quoted(std::string_view text) const;
  std::string identifier(const EmittedModel& model) const;
  template <class... Values>
  void add(std::string_view form, const Values&... values) {
    out_ += fmt::format(fmt::runtime(form), values...);
  }

  const Dialect& dialect_;
  const Emitted& emitted_;
  std::string out_;
};

/// `//` in front of each line.
void SourceWriter::comment(std::string_view text) {
  for (;;) {
    const auto end = text.find('\n');
    out_ += text.empty() || end == 0 ? "//" : "// ";
    out_ += text.substr(0, end);
    out_ += '\n';
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void SourceWriter::head() {
  comment("Codes of PMU events, generated by\n  " + emitted_.command);
  comment(fmt::format(
      "\nEach row of {} stands for the CPUs whose CPUID string its pattern matches; the\n"
      "first that does counts. Rows without codes are of CPUs that were not asked for, where a\n"
      "later pattern would match them, too.",
      dialect_.cpus_name));
  std::set<std::string_view> told;
  for (const EmittedCpu& cpu : emitted_.cpus)
    if (const auto rule = cpuid_rule(cpu.arch); told.insert(rule).second) comment(rule);
  comment(fmt::format(
      "\nA type that is {} is given out when the machine starts: it stands in\n"
      "/sys/bus/event_source/devices/PMU/type. PMUs of the uncore have a number there after the\n"
      "name (uncore_imc_0) where there are several. An event on several PMUs has a row for each;\n"
      "one that a CPU lacks, or whose code only the machine knows, has a row whose PMU is {}.",
      dialect_.no_type, dialect_.no_pmu_words));
}

/// Printable ASCII comes in; in C, two question marks would begin a trigraph.
std::string SourceWriter::quoted(std::string_view text) const {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || (c == '?' && dialect_.escapes_question)) out += '\\';
    out += c;
  }
  return out + '"';
}

/// Returns "arm_neoverse_n1", with a number if another model has the same identifier.
std::string SourceWriter::identifier(const EmittedModel& model) const {
  const auto name_of = [&](std::string_view name) {
    std::string out;
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = byte < 128 && std::isalnum(byte) != 0;
      out += !plain ? '_' : static_cast<char>(dialect_.capitals ? std::toupper(byte) : byte);
    }
    return out;
  };
  const std::string name = name_of(model.name);
  for (const EmittedModel& other : emitted_.models) {
    if (&other == &model) break;
    if (name_of(other.name) == name)
      return fmt::format("{}_{}", name, &model - emitted_.models.data());
  }
  return name;
}

void SourceWriter::codes(const EmittedModel& model) {
  add(dialect_.codes_open, identifier(model), model.codes.size());
  for (const EmittedCode& code : model.codes) {
    const bool known = code.error.empty();
    const auto& [config, config1, config2, config3] = code.config;
    const std::string pmu = known ? fmt::format(fmt::runtime(dialect_.pmu), quoted(code.pmu))
                                  : std::string(dialect_.no_pmu);
    const std::string type = code.type ? fmt::format(fmt::runtime(dialect_.type), *code.type)
                                       : std::string(dialect_.no_type);
    add(dialect_.code, quoted(code.event), pmu, type, config, config1, config2, config3);
    if (!known) out_ += "  // " + (code.pmu.empty() ? std::string("no such event") : code.error);
    out_ += '\n';
  }
  out_ += dialect_.codes_close;
}

void SourceWriter::cpus() {
  out_ += dialect_.cpus_open;
  for (const EmittedCpu& cpu : emitted_.cpus) {
    const std::string arch = quoted(cpu.arch), pattern = quoted(cpu.pattern);
    const std::string model = quoted(cpu.model);
    if (cpu.codes != nullptr)
      add(dialect_.cpu, arch, pattern, model, identifier(*cpu.codes), cpu.codes->codes.size());
    else
      add(dialect_.other_cpu, arch, pattern, model);
  }
  out_ += dialect_.cpus_close;
}

std::string SourceWriter::write() {
  head();
  out_ += dialect_.preamble;
  for (const EmittedModel& model : emitted_.models) codes(model);
  cpus();
  return std::move(out_);
}

constexpr const char* kWords[] = {"config", "config1", "config2", "config3"};

void add_code(JsonLine& line, const EmittedCode& code) {
  const bool known = code.error.empty();
  line.text("event", code.event);
  if (known || !code.pmu.empty())
    line.text("pmu", code.pmu);
  else
    line.null("pmu");
  if (code.type)
    line.number("type", *code.type);
  else
    line.null("type");
  for (std::size_t i = 0; i < code.config.size(); ++i) {
    if (known)
      line.hex(kWords[i], code.config[i]);
    else
      line.null(kWords[i]);
  }
  if (!known) line.text("error", code.error);
}

void add_nothing(JsonLine& line) {
  line.null("event").null("pmu").null("type");
  for (const char* word : kWords) line.null(word);
}

/// A source file of C99, C++17 or Rust 2021 that needs no library.
std::string c_source(const Emitted& emitted) { return SourceWriter(kC, emitted).write(); }
std::string cpp_source(const Emitted& emitted) { return SourceWriter(kCpp, emitted).write(); }
std::string rust_source(const Emitted& emitted) { return SourceWriter(kRust, emitted).write(); }

/// One object a line for each CPU pattern and code.
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

struct EmitArguments {
  std::vector<std::string> cpus, events;
  std::string format, output = "-";
  bool force = false;
};

struct Language {
  const char* name;
  std::string (*write)(const Emitted& emitted);
};
constexpr Language kLanguages[] = {
    {"c", c_source}, {"c++", cpp_source}, {"rust", rust_source}, {"json", json_lines}};

/// Writes tables with libpfm4's names; they need no --events.
struct TableFormat {
  const char* name;
  std::string (*write)(std::span<const CpuRow> rows);
};
constexpr TableFormat kTables[] = {{"papi-presets", papi_presets}, {"llvm-td", llvm_counters}};

const TableFormat* table_format(std::string_view name) {
  const auto* at =
      std::ranges::find_if(kTables, [&](const TableFormat& one) { return one.name == name; });
  return at == std::end(kTables) ? nullptr : at;
}

std::string_view emit_problem(const EmitArguments& options) {
  const bool is_table = table_format(options.format) != nullptr;
  if (is_table && !options.events.empty())
    return "--events: tables of presets and counters have their own events";
  return !is_table && options.events.empty() ? "--events is required" : "";
}

/// Quoted for a shell, always on one line.
std::string shell_word(std::string word) {
  std::ranges::replace_if(
      word, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return shell_quoted(word);
}

std::string command_line(const EmitArguments& options, const std::vector<std::string>& events) {
  std::string out = "evname emit";
  for (const std::string& cpu : options.cpus) out += " --cpu " + shell_word(cpu);
  return fmt::format("{} --events {} --format {}", out, shell_word(joined(events, ",")),
                     options.format);
}

/// Reports the events that each model lacks. False: something is missing.
bool is_complete(const Emitted& emitted) {
  bool complete = true;
  for (const EmittedModel& model : emitted.models)
    for (const EmittedCode& code : model.codes)
      if (!code.error.empty()) {
        complete = false;
        tell_error("{}: {}: {}", model.name, code.event, code.error);
      }
  return complete;
}

bool read_events(const EmitArguments& options, std::vector<std::string>& events) {
  for (const std::string& list : expand_queries(options.events))
    if (const auto done = add_events(list, events); !done) {
      print_error(list, done.error());
      return false;
    }
  if (events.empty()) tell_error("--events names no event");
  return !events.empty();
}

int emit(const EmitArguments& options) {
  if (!may_replace("-o", options.output, {}, options.force)) return kUnusable;
  const auto rows = cpu_rows(options.cpus, user_events());
  if (!rows) return tell_error("{}", rows.error().text());
  if (const TableFormat* table = table_format(options.format))
    return write_output(options.output, table->write(*rows)) ? kDone : kUnusable;
  std::vector<std::string> events;
  if (!read_events(options, events)) return kUnusable;
  Emitted emitted = emit_codes(*rows, events);
  emitted.command = command_line(options, events);
  const auto* format = std::ranges::find_if(
      kLanguages, [&](const Language& one) { return one.name == options.format; });
  if (!write_output(options.output, format->write(emitted))) return kUnusable;
  return is_complete(emitted) ? kDone : kPartial;
}

}  // namespace

void add_emit(Command& command) {
  auto& options = command.runs(emit, emit_problem);
  std::vector<std::string> formats;
  for (const Language& format : kLanguages) formats.emplace_back(format.name);
  for (const TableFormat& format : kTables) formats.emplace_back(format.name);
  command
      .option("--cpu", options.cpus,
              "Models like this ('skylake*', 'arm/*'), or a CPUID string; may be repeated")
      .required()
      .value_name("CPU");
  command
      .option("--events", options.events,
              "What perf's -e takes, without groups and modifiers; - reads lists from standard "
              "input; may be repeated")
      .value_name("EVENTS");
  command
      .option("--format", options.format,
              "c (C99), c++ (C++17), rust (2021) or json; without --events papi-presets (PAPI's "
              "papi_events.csv) or llvm-td "
              "(counters of scheduling models)")
      .required()
      .value_name("FORMAT")
      .one_of(formats);
  command.option("-o,--output", options.output, "Output file; default: standard output")
      .value_name("FILE");
  add_force(command, options.force);
  command.notes(
      "The rows of the table are CPUID patterns; the comment at its top explains how to match "
      "them.\n"
      "A type that only the machine knows is -1, None or null. An event that a model lacks, or\n"
      "whose code only the machine knows, has a row without PMU (in JSON: without code) and is\n"
      "reported on standard error; the exit code is 1 then.");
}

}  // namespace evname::tools
