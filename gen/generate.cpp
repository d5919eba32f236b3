#include "gen/generate.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/compiler/build_tables.hpp"
#include "events/compiler/collect_facts.hpp"
#include "events/compiler/example_cpuids.hpp"
#include "events/compiler/write_if_changed.hpp"
#include "events/expression/evaluate.hpp"
#include "events/tables/model_view.hpp"
#include "gen/choose_models.hpp"
#include "gen/emit.hpp"
#include "gen/pfm4.hpp"

namespace evname::gen {
namespace {

struct Options {
  std::vector<std::string> roots;
  std::vector<std::string> fact_roots;  ///< trees whose facts are used, but not their events
  std::vector<std::string> models;
  std::string out_dir;
  std::string depfile;
  std::string pfm4;  ///< the directory of libpfm4's names
  bool lint = false;
  bool werror = false;
  bool list_architectures = false;
  bool print_terms = false;
  bool print_metrics = false;
};

/// Prints "arch <TAB> model <TAB> pmu <TAB> event <TAB> terms" for every event.
void print_terms(const tables::TableArrays& arrays) {
  const tables::ArchTables view = arrays.view();
  for (const tables::Model& model : view.models)
    for (const auto& pmu : view.pmus.subspan(model.first_pmu, model.pmu_count))
      for (const std::uint32_t entry : view.entries.subspan(pmu.first, pmu.count)) {
        const tables::Event& event = view.events[tables::event_of(entry)];
        fmt::print("{}\t{}\t{}\t{}\t{}\n", view.arch, view.text(model.name), view.text(pmu.pmu),
                   view.text(event.name), tables::terms_text(view, event));
      }
}

/// Prints "arch <TAB> model <TAB> pmu <TAB> metric <TAB> expression", from the compiled tables.
void print_metrics(const tables::TableArrays& arrays) {
  const tables::ArchTables view = arrays.view();
  for (const tables::Model& model : view.models)
    for (const std::uint16_t index : tables::metrics_of({view, &model})) {
      const tables::Metric& metric = view.metrics[index];
      const auto program = tables::program_of(view, view.programs[metric.expr_program]);
      fmt::print("{}\t{}\t{}\t{}\t{}\n", view.arch, view.text(model.name), view.text(metric.pmu),
                 view.text(metric.name), expression::simplified_text(program));
    }
}

bool write(const std::string& directory, const std::string& name,
           std::span<const std::string> parts) {
  if (compiler::write_if_changed(directory + "/" + name, joined(parts, ""))) return true;
  fmt::print(stderr, "evname-gen: {}/{}: {}\n", directory, name, std::strerror(errno));
  return false;
}

/// Escapes the path for a rule of Make and Ninja, as munge() of GCC's libcpp/mkdeps.cc: with a
/// backslash before blanks and '#', and two dollars for one. Returns "" for control characters or
/// shell metacharacters, which no rule can have.
std::string depfile_path(const std::string& path) {
  const auto is_unnamable = [](unsigned char c) {
    return c < ' ' || std::strchr(";|<>*^`?&'\"", c) != nullptr;
  };
  if (std::ranges::any_of(path, is_unnamable)) return {};
  std::string out, slashes;
  for (const char c : path) {
    if (c == ' ') out += slashes;  // the slashes before it, twice
    if (c == ' ' || c == '#') out += '\\';
    if (c == '$') out += '$';
    slashes = c == '\\' ? slashes + c : "";
    out += c;
  }
  return out;
}

/// Writes a Make rule with these files as dependencies. Does nothing if the path is empty. Returns
/// false if it can't be written.
bool write_depfile(const std::string& path, const std::string& target,
                   const std::vector<std::string>& files) {
  if (path.empty()) return true;
  std::string rule = target + ":";
  for (const std::string& file : files) {
    const std::string name = depfile_path(std::filesystem::absolute(file).string());
    if (!name.empty()) rule += " \\\n  " + name;
  }
  return compiler::write_if_changed(path, rule + "\n");
}

/// Returns every file of the trees.
std::vector<std::string> files_of(const std::vector<std::vector<trees::ArchDir>>& all,
                                  std::span<const trees::ArchDir> fact_dirs) {
  std::vector<std::string> out;
  const auto add = [&](const std::vector<std::string>& files) {
    out.insert(out.end(), files.begin(), files.end());
  };
  for (const auto& trees : all)
    for (const trees::ArchDir& arch : trees) {
      for (const std::string& file : {arch.mapfile, arch.sources})
        if (!file.empty()) out.push_back(file);
      add(arch.standard);
      for (const trees::ModelDir& model : arch.models) add(model.files);
    }
  for (const trees::ArchDir& dir : fact_dirs) add(compiler::fact_files(dir.path));
  return out;
}

/// Prints errors, and warnings if wanted. Returns 1 if the build must stop.
int report(const trees::Diagnostics& diagnostics, const Options& options) {
  const bool warnings = options.lint || options.werror;
  for (const trees::Diagnostic& d : diagnostics.all())
    if (d.severity == trees::Severity::error || warnings)
      fmt::print(stderr, "{}\n", diagnostics.text(d));
  const std::size_t errors = diagnostics.count(trees::Severity::error);
  const std::size_t count = diagnostics.count(trees::Severity::warning);
  if (options.lint) fmt::print(stderr, "evname-gen: {} errors, {} warnings\n", errors, count);
  return errors > 0 || (options.werror && count > 0) ? 1 : 0;
}

struct Compiled {
  trees::Diagnostics diagnostics;
  tables::TableArrays arrays;
};

/// Works on two groups at a time: reads files of one while it writes the other.
template <class Work>
void for_each_largest_first(const std::vector<std::vector<trees::ArchDir>>& groups, Work&& work) {
  const auto file_count = [&](std::size_t group) {
    std::size_t count = 0;
    for (const trees::ArchDir& tree : groups[group])
      for (const trees::ModelDir& model : tree.models) count += model.files.size();
    return count;
  };
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  sort_stably(order, [&](std::size_t a, std::size_t b) { return file_count(a) > file_count(b); });
  parallel_for(order.size(), std::min(core_count(), 2u), [&](std::size_t i) { work(order[i]); });
}

/// Puts the texts for finding models next to each other, at the end, the first model's name first:
/// finding a model then reads no other page, and packaging/npm keeps only these texts in its
/// module.
void gather_model_texts(tables::TableArrays& arrays) {
  std::map<tables::Text, tables::Text> moved = {{0, 0}};
  const auto move = [&](tables::Text& text) {
    const auto [at, is_new] =
        moved.try_emplace(text, static_cast<tables::Text>(arrays.strings.size()));
    if (is_new) {
      const std::string copy = arrays.strings.data() + text;
      arrays.strings.append(copy).push_back('\0');
    }
    text = at->second;
  };
  for (tables::Model& model : arrays.models)
    for (tables::Text* text : {&model.name, &model.source, &model.example_cpuid}) move(*text);
  for (tables::MapRow& row : arrays.map_rows)
    for (tables::Text* text : {&row.pattern, &row.version}) move(*text);
}

/// Returns the directories of fact files, for any choice of models.
std::vector<trees::ArchDir> find_fact_dirs(const Options& options,
                                           const std::vector<std::vector<trees::ArchDir>>& groups,
                                           trees::Diagnostics& diagnostics) {
  std::vector<trees::ArchDir> out;
  for (const auto& trees : compiler::group_by_architecture(options.fact_roots, diagnostics))
    out.insert(out.end(), trees.begin(), trees.end());
  for (const auto& trees : groups) out.insert(out.end(), trees.begin(), trees.end());
  return out;
}

/// Compiles and writes the tables of each architecture, and adds its name. Returns false if one
/// can't be written.
bool compile_all(const std::vector<std::vector<trees::ArchDir>>& groups, const Options& options,
                 trees::Diagnostics& diagnostics, std::vector<std::string>& names) {
  std::atomic<bool> written = true;
  std::vector<Compiled> compiled(groups.size());
  for_each_largest_first(groups, [&](std::size_t i) {
    compiled[i].arrays = compiler::build_tables(groups[i], compiled[i].diagnostics);
    tables::TableArrays& arrays = compiled[i].arrays;
    compiler::add_examples(arrays);
    gather_model_texts(arrays);
    if (!options.out_dir.empty() &&
        !write(options.out_dir, "tables_" + arrays.arch + ".cpp", emit_architecture(arrays)))
      written = false;
  });
  for (Compiled& architecture : compiled) {
    diagnostics.adopt(std::move(architecture.diagnostics));
    names.push_back(architecture.arrays.arch);
    if (options.print_terms) print_terms(architecture.arrays);
    if (options.print_metrics) print_metrics(architecture.arrays);
  }
  return written;
}

int run(const Options& options) {
  trees::Diagnostics diagnostics;
  auto groups = compiler::group_by_architecture(options.roots, diagnostics);
  if (groups.empty()) {
    fmt::print(stderr, "evname-gen: no architecture (a directory with mapfile.csv) in {}\n",
               joined(options.roots, ", "));
    return 2;
  }
  const std::vector<trees::ArchDir> fact_dirs = find_fact_dirs(options, groups, diagnostics);
  const tables::FactArrays facts = compiler::collect_facts(fact_dirs, diagnostics);
  if (const auto chosen = choose_models(options.models, &groups); !chosen) {
    fmt::print(stderr, "evname-gen: --models: {}\n", chosen.error().text());
    return 2;
  }
  if (options.list_architectures) {
    for (const auto& trees : groups) fmt::print("{}\n", trees.front().arch);
    return 0;
  }
  std::vector<std::string> names;
  bool written = compile_all(groups, options, diagnostics, names);
  if (!options.out_dir.empty())
    written =
        write(options.out_dir, "tables_index.cpp", std::array{emit_index(names, facts)}) && written;
  written =
      write_depfile(options.depfile, "tables_index.cpp", files_of(groups, fact_dirs)) && written;
  return written ? report(diagnostics, options) : 2;
}

/// Compiles the names of libpfm4, and nothing else.
int run_pfm4(const Options& options) {
  trees::Diagnostics diagnostics;
  std::vector<std::string> files;
  const Pfm4Sources sources = emit_pfm4(options.pfm4, diagnostics, files);
  bool written = options.out_dir.empty() ||
                 (write(options.out_dir, "tables_pfm4.cpp", std::array{sources.tables}) &&
                  write(options.out_dir, "tables_pfm4_texts.cpp", std::array{sources.texts}));
  written = write_depfile(options.depfile, "tables_pfm4.cpp", files) && written;
  return written ? report(diagnostics, options) : 2;
}

constexpr const char* kHelp =
    "Usage: evname-gen [OPTIONS] DIR...\n"
    "Compiles event trees (kernel layout: ARCH/mapfile.csv, ARCH/MODEL/TOPIC.json) into C++\n"
    "tables; of several trees a later one overrides an earlier one.\n"
    "\n"
    "  -h, --help              Print this\n"
    "  --models GLOB...        Globs over ARCH/MODEL (x86/*, arm64/arm/neoverse-*): only those\n"
    "  --facts DIR             Take the facts of CPUs from this tree, too, but not its events\n"
    "  -o, --output DIR        Where tables_ARCH.cpp and tables_index.cpp go\n"
    "  --pfm4 DIR              Compile the names of libpfm4 to tables_pfm4*.cpp, and nothing else\n"
    "  --depfile FILE          Write the sources read as a Make rule\n"
    "  --lint                  Report what is doubtful in the input\n"
    "  --werror                Report it and exit 1\n"
    "  --list-architectures    Print their names and stop\n"
    "  --print-terms           Print architecture, model, PMU, event and terms, tab-separated\n"
    "  --print-metrics         Print architecture, model, PMU, metric and simplified expression,\n"
    "                          tab-separated\n"
    "\n"
    "Exit code: 0 done, 1 part of the input could not be used, 2 nothing done.\n";

void add_globs(const std::string& list, std::vector<std::string>& globs) {
  for (const std::string_view glob : split(list, ','))
    if (!glob.empty()) globs.emplace_back(glob);
}

bool is_directory(const std::string& path) {
  if (std::filesystem::is_directory(path)) return true;
  fmt::print(stderr, "evname-gen: {}: no such directory\n", path);
  return false;
}

/// Finds the directories among the options. Returns the exit code if nothing can be done with them.
std::optional<int> take_directories(Options& options) {
  if (options.roots.empty() && options.models.size() > 1) {
    options.roots.push_back(std::move(options.models.back()));  // --models GLOB... DIR
    options.models.pop_back();
  }
  if (!options.pfm4.empty()) return std::nullopt;
  if (options.roots.empty()) {
    fmt::print(stderr, "evname-gen: DIR is missing\n{}", kHelp);
    return 2;
  }
  if (!std::ranges::all_of(options.roots, is_directory)) return 2;
  return options.out_dir.empty() || is_directory(options.out_dir) ? std::nullopt : std::optional(2);
}

/// Reads the arguments. Returns the exit code if there is nothing more to do.
std::optional<int> read_arguments(int argc, char** argv, Options& options) {
  int flag = 0;
  const option known[] = {{"help", no_argument, nullptr, 'h'},
                          {"models", required_argument, nullptr, 'm'},
                          {"output", required_argument, nullptr, 'o'},
                          {"facts", required_argument, nullptr, 'f'},
                          {"depfile", required_argument, nullptr, 'd'},
                          {"pfm4", required_argument, nullptr, '4'},
                          {"lint", no_argument, &flag, 'l'},
                          {"werror", no_argument, &flag, 'w'},
                          {"list-architectures", no_argument, &flag, 'a'},
                          {"print-terms", no_argument, &flag, 't'},
                          {"print-metrics", no_argument, &flag, 'p'},
                          {}};
  bool to_models = false;  // words after --models are globs, too
  for (int c; (c = getopt_long(argc, argv, "-ho:", known, nullptr)) != -1;) {
    if (c == 'h') {
      fmt::print("{}", kHelp);
      return 0;
    }
    if (c == '?') return 2;
    if (c == 'm' || (c == 1 && to_models))
      add_globs(optarg, options.models);
    else if (c == 1)
      options.roots.emplace_back(optarg);
    else if (c == 'f')
      options.fact_roots.emplace_back(optarg);
    else if (c == '4')
      options.pfm4 = optarg;
    else if (c != 0)
      (c == 'o' ? options.out_dir : options.depfile) = optarg;
    if (c != 1) to_models = c == 'm';
    const int set = c == 0 ? flag : 0;
    options.lint |= set == 'l';
    options.werror |= set == 'w';
    options.list_architectures |= set == 'a';
    options.print_terms |= set == 't';
    options.print_metrics |= set == 'p';
  }
  options.roots.insert(options.roots.end(), argv + optind, argv + argc);  // after "--"
  return take_directories(options);
}

}  // namespace

int generate(int argc, char** argv) {
  Options options;
  if (const auto code = read_arguments(argc, argv, options)) return *code;
  return options.pfm4.empty() ? run(options) : run_pfm4(options);
}

}  // namespace evname::gen
