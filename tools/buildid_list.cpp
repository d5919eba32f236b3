// evname buildid-list: perf buildid-list, for the tools that call it.

#include <map>
#include <string>

#include "base/text.hpp"
#include "evname/recording.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct BuildIdArguments {
  std::string file;
  bool with_hits = false;
};

/// Files and their build ids in hexadecimal, in perf's order, which compares the bytes of names.
using FileIds = std::map<std::string, std::string, std::less<>>;

void add_hit(const Sample& sample, Address address, FileIds& files) {
  const auto mapping = sample.mapping(address);
  if (!mapping || mapping->file.empty() || mapping->is_function) return;
  // The name of the kernel's mapping also has the symbol of its address.
  constexpr std::string_view kKernel = "[kernel.kallsyms]";
  const std::string_view file = mapping->file.starts_with(kKernel) ? kKernel : mapping->file;
  const auto at = files.find(file);
  if (at == files.end())
    files.emplace(file, hex_text(mapping->build_id));
  else if (at->second.empty())
    at->second = hex_text(mapping->build_id);
}

/// Returns the files that contain samples or their callers, with or without known build ids.
FileIds files_with_hits(const Recording& file, SampleTally& tally) {
  FileIds files;
  std::vector<Address> stack;
  tally = file.for_each_sample([&](const Sample& sample) {
    if (const auto ip = sample.ip()) add_hit(sample, {*ip, (sample.misc() & 7) == 1}, files);
    sample.stack(stack);
    for (const Address address : stack) add_hit(sample, address, files);
  });
  return files;
}

// Source: perf_session__list_build_ids of tools/perf/builtin-buildid-list.c. It lists all build ids
// of the recording or, if there are none, the files with samples.
int list_build_ids(BuildIdArguments& options) {
  const auto file = open_perf_file(perf_input(options.file));
  if (!file) return kUnusable;
  const perf_format::Features& features = perf_data::features_of(*file);
  const bool is_listed = features.has(perf_format::Feature::build_id);
  const bool with_hits =
      !is_listed || (options.with_hits && !features.has(perf_format::Feature::auxtrace));
  FileIds files;
  SampleTally tally;
  if (with_hits) files = files_with_hits(*file, tally);
  if (is_listed)
    for (const perf_format::BuildId& one : features.build_ids)
      if (const auto at = files.find(one.file); !with_hits || at != files.end())
        files.insert_or_assign(one.file, hex_text(one.id));
  for (const auto& [name, id] : files) print_out("{:<40} {}\n", id, name);
  return finish_pass(*file, tally);
}

}  // namespace

void add_buildid_list(Command& command) {
  auto& options = command.runs(list_build_ids);
  add_perf_input(command, options.file);
  command.flag("-H,--with-hits", options.with_hits, "Only files that samples or callers are in");
  command.accept("-f,--force");
  command.notes("The output equals perf buildid-list 7.3's.");
}

}  // namespace evname::tools
