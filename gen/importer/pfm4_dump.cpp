#include "importer/pfm4_dump.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "base/parallel.hpp"
#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/compiler/write_if_changed.hpp"

extern char** environ;

namespace evname::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOutput = std::size_t{256} << 20;

/// A file of the program that prints libpfm4's tables: a line for each PMU of its list, event and
/// unit mask, whose fields are separated by the control character 31. Addresses are relative to
/// main(), and `nm` has their names. Each type of events has a file of its own, since their headers
/// define the same names. A file whose header libpfm4 does not have is left out.
struct ProgramFile {
  std::string_view name;
  std::array<std::string_view, 2> included;  // empty: none
  std::string_view text;
};

constexpr std::string_view kMainFile = "print.c";
constexpr ProgramFile kProgram[] = {
    {kMainFile, {"pfmlib_common.c"}, R"(#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void print_text(const char *text)
{
  putchar(31);
  for (; text && *text; text++)
    putchar(*text == '\n' || *text == '\r' || *text == 31 ? ' ' : *text);
}

static void print_number(unsigned long long number) { printf("\x1f%llu", number); }

void print_row(char kind, const char *name, const char *alias, const uint64_t *numbers)
{
  int i;
  if (!name || !*name)
    return;
  putchar(kind);
  print_text(name);
  print_text(alias);
  for (i = 0; i < 8; i++)
    print_number(numbers[i]);
  putchar('\n');
}

typedef void printer(const void *events, int count);
#define WEAK __attribute__((weak))
extern printer print_intel WEAK, print_netburst WEAK, print_amd WEAK, print_arm WEAK,
    print_power WEAK, print_torrent WEAK, print_mips WEAK, print_s390 WEAK;
static const struct { const char *name; printer *print; } printers[] = {
    {"intel", print_intel}, {"netburst", print_netburst}, {"amd", print_amd}, {"arm", print_arm},
    {"power", print_power}, {"torrent", print_torrent}, {"mips", print_mips}, {"s390", print_s390}};

int main(int argc, char **argv);
static void print_address(const void *address)
{
  printf("\x1f%lld", address ? (long long)((uintptr_t)address - (uintptr_t)main) : 0);
}

static void print_pmu(const pfmlib_pmu_t *pmu)
{
  const int numbers[] = {pmu->pmu,     pmu->pme_count, pmu->max_encoding,    pmu->flags,
                         pmu->pmu_rev, pmu->num_cntrs, pmu->num_fixed_cntrs, pmu->type,
                         pmu->supported_plm};
  const int *model = pmu->cpu_family ? pmu->cpu_models : NULL;
  size_t i;
  putchar('P');
  print_text(pmu->name);
  print_text(pmu->desc);
  print_text(pmu->perf_name);
  for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
    print_number((unsigned)numbers[i]);
  print_address(pmu->pe);
  print_address((const void *)pmu->get_event_encoding[PFM_OS_NONE]);
  putchar(31);
  for (i = 0; model && model[i]; i++)
    i ? printf(",%x", model[i]) : printf("%d-%x", pmu->cpu_family, model[i]);
  putchar('\n');
}

static int print_events(const pfmlib_pmu_t *pmu, const char *type)
{
  size_t i;
  for (i = 0; i < sizeof printers / sizeof *printers; i++)
    if (!strcmp(printers[i].name, type) && printers[i].print)
      return printers[i].print(pmu->pe, pmu->pme_count), 1;
  fprintf(stderr, "error: the type of the events of %s is not known\n", pmu->name);
  return 0;
}

/* The arguments name the type of each PMU's events; "-" and no argument: print none. */
int main(int argc, char **argv)
{
  int i, count = sizeof pfmlib_pmus / sizeof *pfmlib_pmus;
  for (i = 0; i < count; i++) {
    print_pmu(pfmlib_pmus[i]);
    if (i + 1 < argc && strcmp(argv[i + 1], "-") && !print_events(pfmlib_pmus[i], argv[i + 1]))
      return 1;
  }
  return 0;
}
)"},
    {"print_intel.c",
     {"print_row.h", "pfmlib_intel_x86_priv.h"},
     R"(void print_intel(const void *events, int count)
{
  const intel_x86_entry_t *e = events;
  for (; count > 0; count--, e++) {
    unsigned i;
    PRINT_ROW('E', e->name, e->equiv, e->code, e->ngrp, e->flags, e->modmsk, e->modmsk_req,
              e->model);
    for (i = 0; e->umasks && i < e->numasks; i++) {
      const intel_x86_umask_t *m = e->umasks + i;
      PRINT_ROW('M', m->uname, m->uequiv, m->ucode, m->grpid, m->uflags, m->modhw, m->umodmsk_req,
                m->umodel, m->ufilters[0], m->ufilters[1]);
    }
  }
}
)"},
    {"print_netburst.c",
     {"print_row.h", "pfmlib_intel_netburst_priv.h"},
     R"(void print_netburst(const void *events, int count)
{
  const netburst_entry_t *e = events;
  for (; count > 0; count--, e++) {
    const netburst_event_mask_t *m = e->event_masks, *end = m + EVENT_MASK_BITS;
    PRINT_ROW('E', e->name, NULL,
              (uint64_t)e->perf_code << 16 | e->escr_select << 8 | e->event_select,
              m->name != NULL);
    for (; m < end; m++)
      PRINT_ROW('M', m->name, NULL, m->bit, 0, m->flags);
  }
}
)"},
    {"print_amd.c",
     {"print_row.h", "pfmlib_amd64_priv.h"},
     R"(void print_amd(const void *events, int count)
{
  const amd64_entry_t *e = events;
  for (; count > 0; count--, e++) {
    unsigned i;
    PRINT_ROW('E', e->name, NULL, e->code, e->ngrp, e->flags, e->modmsk);
    for (i = 0; e->umasks && i < e->numasks; i++) {
      const amd64_umask_t *m = e->umasks + i;
      PRINT_ROW('M', m->uname, NULL, m->ucode, m->grpid, m->uflags);
    }
  }
}
)"},
    {"print_arm.c",
     {"print_row.h", "pfmlib_arm_priv.h"},
     R"(void print_arm(const void *events, int count)
{
  const arm_entry_t *e = events;
  for (; count > 0; count--, e++)
    PRINT_ROW('E', e->name, e->equiv, e->code, 0, 0, e->modmsk);
}
)"},
    {"print_power.c",
     {"print_row.h", "pfmlib_power_priv.h"},
     R"(void print_power(const void *events, int count)
{
  const pme_power_entry_t *e = events;
  for (; count > 0; count--, e++)
    PRINT_ROW('E', e->pme_name, NULL, e->pme_code);
}
void print_torrent(const void *events, int count)
{
  const pme_torrent_entry_t *e = events;
  for (; count > 0; count--, e++)
    PRINT_ROW('E', e->pme_name, NULL, e->pme_code, 0, 0, e->pme_modmsk);
}
)"},
    {"print_s390.c",
     {"print_row.h", "pfmlib_s390x_priv.h"},
     R"(void print_s390(const void *events, int count)
{
  const pme_cpumf_ctr_t *e = events;
  for (; count > 0; count--, e++)
    PRINT_ROW('E', e->name, NULL, e->ctrnum);
}
)"},
    {"print_mips.c",
     {"print_row.h", "pfmlib_mips_priv.h"},
     R"(void print_mips(const void *events, int count)
{
  const mips_entry_t *e = events;
  for (; count > 0; count--, e++)
    PRINT_ROW('E', e->name, NULL, e->code, 0, 0, ~(uint64_t)0); /* all have all modifiers */
}
)"},
    {"print_row.h",
     {"pfmlib_priv.h"},
     R"(void print_row(char kind, const char *name, const char *alias, const uint64_t *numbers);
/* The numbers are code, group, flags, modifiers, required modifiers, model and two filters. */
#define PRINT_ROW(kind, name, alias, ...) \
  print_row(kind, name, alias, (const uint64_t[8]){__VA_ARGS__})
)"}};

/// Returns the type of the events of PMUs with an encoder; "-": they are in no table.
std::string_view type_of_events(std::string_view encoder) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"pfm_intel_x86_get_encoding", "intel"},
      {"pfm_nhm_unc_get_encoding", "intel"},
      {"pfm_intel_snbep_unc_get_encoding", "intel"},
      {"pfm_intel_rapl_get_encoding", "intel"},
      {"pfm_netburst_get_encoding", "netburst"},
      {"pfm_amd64_get_encoding", "amd"},
      {"pfm_amd64_rapl_get_encoding", "amd"},
      {"pfm_arm_get_encoding", "arm"},
      {"pfm_tx2_unc_get_event_encoding", "arm"},
      {"pfm_kunpeng_unc_get_event_encoding", "arm"},
      {"pfm_gen_powerpc_get_encoding", "power"},
      {"pfm_torrent_get_encoding", "torrent"},
      {"pfm_mips_get_encoding", "mips"},
      {"pfm_cpumf_get_encoding", "s390"},
      {"pfm_perf_get_encoding", "-"},
      {"pfm_perf_raw_get_encoding", "-"}};
  for (const auto& [known, type] : kTypes)
    if (known == encoder) return type;
  return "?";
}

/// Symbols by their distance from main().
using Symbols = std::map<std::int64_t, std::string>;

/// Reads the lines "ADDRESS TYPE NAME" of nm.
Symbols read_symbols(std::string_view text) {
  Symbols by_address, out;
  std::int64_t main = 0;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    const auto address = words.size() == 3 ? parse_hex(words[0]) : std::nullopt;
    if (!address) continue;
    by_address[static_cast<std::int64_t>(*address)] = words[2];
    if (words[2] == "main") main = static_cast<std::int64_t>(*address);
  }
  for (auto& [address, name] : by_address) out[address - main] = std::move(name);
  return out;
}

/// Reads the fields of a line of the program, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string text() {
    const std::size_t end = std::min(rest_.find('\x1f'), rest_.size());
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return out;
  }
  std::uint64_t number() { return parse_decimal(text()).value_or(0); }
  std::string symbol(const Symbols& symbols) {
    const std::string distance = text();
    const auto at = symbols.find(std::strtoll(distance.c_str(), nullptr, 10));
    return distance == "0" || at == symbols.end() ? std::string() : at->second;
  }

 private:
  std::string_view rest_;
};

Pfm4Row read_row(Fields fields, bool is_mask) {
  Pfm4Row out{.is_mask = is_mask, .name = fields.text(), .alias = fields.text()};
  for (std::uint64_t* const number : {&out.code, &out.group, &out.flags, &out.modifiers,
                                      &out.required, &out.model, &out.filters[0], &out.filters[1]})
    *number = fields.number();
  return out;
}

Pfm4Pmu read_pmu(Fields fields, const Symbols& symbols) {
  Pfm4Pmu out;
  for (std::string* const text : {&out.name, &out.label, &out.perf}) *text = fields.text();
  for (std::uint64_t* const number :
       {&out.id, &out.event_count, &out.words, &out.flags, &out.revision, &out.counters, &out.fixed,
        &out.type, &out.levels})
    *number = fields.number();
  out.table = fields.symbol(symbols);
  out.encoder = fields.symbol(symbols);
  out.cpus = fields.text();
  return out;
}

std::vector<Pfm4Pmu> read_pmus(std::string_view text, const Symbols& symbols) {
  std::vector<Pfm4Pmu> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.size() < 2) continue;
    const Fields fields(line.substr(2));
    if (line[0] == 'P')
      out.push_back(read_pmu(fields, symbols));
    else if (!out.empty())
      out.back().rows.push_back(read_row(fields, line[0] == 'M'));
  }
  return out;
}

/// Returns the first line of a compiler's messages that speaks of an error, else the first one.
std::string first_error(std::string_view messages) {
  const auto lines = split(messages, '\n');
  for (const std::string_view line : lines)
    if (line.find("error") != line.npos || line.find("undefined") != line.npos)
      return std::string(line);
  return std::string(lines[0]);
}

std::string compiler() {
  const char* chosen = ::getenv("CC");
  return chosen != nullptr && *chosen != '\0' ? chosen : "cc";
}

}  // namespace

Pfm4Dump::Pfm4Dump(std::string directory) : directory_(std::move(directory)) {}

Pfm4Dump::~Pfm4Dump() {
  std::error_code ignored;
  if (!work_.empty()) fs::remove_all(work_, ignored);
}

/// Runs a program with its output in a file of that name. Returns the output.
Result<std::string> Pfm4Dump::run(std::vector<std::string> command, const std::string& name) const {
  const std::string out = work_ + "/" + name + ".out", messages = work_ + "/" + name + ".err";
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const auto& [number, path] : {std::pair(1, &out), std::pair(2, &messages)})
    ::posix_spawn_file_actions_addopen(&files, number, path->c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
  pid_t child = 0;
  int status = ::posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (status != 0)
    return fail(Errc::unsupported,
                fmt::format("{} can't be run: {}", command[0], std::strerror(status)), {},
                "libpfm4's sources are read by a C compiler: install gcc and binutils, or set CC");
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0)
    return fail(Errc::corrupt, first_error(read_text_file(messages, kMostOutput).value_or("")));
  return read_text_file(out, kMostOutput);
}

Result<void> Pfm4Dump::compile(const std::vector<std::string>& macros) {
  std::string place = temporary_directory() + "/evname-pfm4-XXXXXX";
  if (::mkdtemp(place.data()) == nullptr)
    return fail(Errc::io, "no directory can be made for the compiler's files", place);
  work_ = place;
  std::vector<std::string> sources;
  for (const ProgramFile& file : kProgram) {
    const std::string path = fmt::format("{}/{}", work_, file.name);
    std::string text;
    for (const std::string_view name : file.included)
      if (!name.empty()) text += fmt::format("#include \"{}\"\n", name);
    if (!compiler::write_if_changed(path, text.append(file.text)))
      return fail(Errc::io, "it can't be written", path);
    if (file.name.ends_with(".c") && file.name != kMainFile) sources.push_back(path);
  }
  for (const std::string& name : list_directory(directory_ + "/lib"))
    if (name.starts_with("pfmlib_") && name.ends_with(".c") && name != "pfmlib_common.c")
      sources.push_back(directory_ + "/lib/" + name);
  std::vector<std::optional<Error>> errors(sources.size());
  const auto name_of = [&](std::size_t i) { return std::string(last_part(sources[i])); };
  parallel_for(sources.size(), core_count(), [&](std::size_t i) {
    auto command = compile_command(macros);
    command.insert(command.end(), {"-c", sources[i], "-o", work_ + "/" + name_of(i) + ".o"});
    if (const auto done = run(std::move(command), name_of(i)); !done) errors[i] = done.error();
  });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!errors[i])
      objects_.push_back(work_ + "/" + name_of(i) + ".o");
    else if (errors[i]->code == Errc::unsupported)
      return fail(*errors[i]);
    else
      faults_.push_back(errors[i]->message);
  }
  return {};
}

std::vector<std::string> Pfm4Dump::compile_command(const std::vector<std::string>& macros) const {
  std::vector<std::string> out = {compiler(), "-w", "-O0", "-I" + directory_ + "/include",
                                  "-I" + directory_ + "/lib"};
  out.insert(out.end(), macros.begin(), macros.end());
  return out;
}

Result<std::vector<Pfm4Pmu>> Pfm4Dump::pmus(const std::vector<std::string>& macros) const {
  const std::string program = work_ + "/print";
  auto command = compile_command(macros);
  command.push_back(fmt::format("{}/{}", work_, kMainFile));
  command.insert(command.end(), objects_.begin(), objects_.end());
  command.insert(command.end(), {"-o", program});
  if (auto linked = run(std::move(command), "link"); !linked) {
    Error error = linked.error();
    if (!faults_.empty()) error.hint = joined(faults_, "; ");
    return fail(std::move(error));
  }
  const auto symbols = run({"nm", program}, "nm");
  if (!symbols) return fail(symbols);
  const auto listed = run({program}, "list");
  if (!listed) return fail(listed);
  command = {program};
  for (const Pfm4Pmu& pmu : read_pmus(*listed, read_symbols(*symbols)))
    command.emplace_back(pmu.table.empty() ? "-" : type_of_events(pmu.encoder));
  const auto printed = run(std::move(command), "print");
  if (!printed) return fail(printed);
  return read_pmus(*printed, read_symbols(*symbols));
}

}  // namespace evname::importer
