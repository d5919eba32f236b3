#include "subcommands.hpp"

#include <algorithm>
#include <iterator>

namespace evname::tools {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"resolve",
     "Turn event names into raw codes",
     add_resolve,
     "query, name, pmu, type (null: only the machine knows), config, config1, config2, config3, "
     "period, terms, model, matched_by, source, desc, and if they exist leader (in a group: the "
     "number of the leader's answer to the query, from 0), bp_type (breakpoints: read 1, write 2, "
     "execute 4), aux_action (start paused 1, pause 2, resume 4), directory (the event's, if it is "
     "from event files outside the build), warnings; or query, error.",
     {{"evname resolve --cpu skylakex mem_load_retired.l3_miss", "The code of an event"},
      {"perf stat -e \"$(evname resolve l1d.replacement | cut -d' ' -f1)\" ls",
       "Count an event that this machine's perf has no name for"},
      {"cut -d' ' -f1 names.txt | evname resolve --json -",
       "Names from standard input, one object each"}}},
    {"name",
     "Turn raw codes into event names",
     add_name,
     "query, pmu, names (best first), exact, qualifiers, terms, directory (the best name's, if it "
     "is from event files outside the build), and without a name near (events with the same field "
     "event but other fields, with their terms); or query, error.",
     {{"evname name --cpu skylakex 0x20d1", "The name of a raw code"},
      {"evname name --cpu skylakex cpu/config=0x1b7,config1=0x10001/",
       "A code with several config words"}}},
    {"list",
     "List the events of a machine",
     add_list,
     "name, pmu, topic, terms, desc, scale, unit, per_pkg, deprecated, model, precise (possible, "
     "required), precise_address (samples have the address of the data), errata, and directory if "
     "the event is from event files outside the build. With --cpus: arch, model, names (short and "
     "code names), patterns (of CPUID strings), events (their number), source (of the events).",
     {{"evname list --cpu n1 'l1d_*'", "The events of a level 1 data cache"},
      {"evname list --cpu skx --search 'l3 miss' --topic cache",
       "Events by words of their descriptions"},
      {"evname list --cpus", "All CPUs that evname knows"}},
     true},
    {"show",
     "Show everything known about an event",
     add_show,
     "the keys of list, and long_desc, event (with modifiers), instance (the PMU of the code), "
     "type (null: only the machine knows), config, config1, config2, config3.",
     {{"evname show --cpu amdzen4 ls_dispatch.ld_dispatch",
       "The meaning of an event, its code, and other events with that code"}},
     true},
    {"cpu",
     "Show the CPU of this machine or of a recording, and how its model was found",
     add_cpu,
     "arch, cpuid, model, matched_by, note, core_pmus, other_pmus, laid_over (directories of event "
     "files over the built-in tables; the first counts), laid_versions (their versions).",
     {{"evname cpu", "How this machine is identified"},
      {"evname cpu -i perf.data", "The machine that made a recording"}}},
    {"diff",
     "Show the events that differ between two CPUs, to port names",
     add_diff,
     "kind, pmu, name, a, b, pmu_b, name_b, kept, desc, desc_b. kind is only_a, only_b, code (the "
     "name has another code in B) or name (the code has another name in B); pmu, name and desc are "
     "A's, for only_b B's; a and b the codes as terms; kept: B has that name, too. A missing value "
     "is null.",
     {{"evname diff skylakex icelakex 'mem_load*'",
       "How the events of loads change from one generation to the next"}},
     true},
    {"emit",
     "Write the codes of events on some CPUs as a source file that needs no library",
     add_emit,
     "(--format json) arch, cpuid, model, event, pmu, type, config, config1, config2, config3, and "
     "error if the model has no such event. event is null in rows of CPUs outside of --cpu, which "
     "are there if a later pattern would match them, too.",
     {{"evname emit --cpu 'skylake*' --events br_inst_retired.conditional --format c",
       "A C table of one event's codes"}}},
    {"info",
     "Show what a perf.data is about; -v: its form, machine, events and all its features",
     add_info,
     "file, form, big_endian, header_size, attr_size, data_offset, data_size, data_files, cpuid, "
     "model, refused_by_perf; attr, event, recorded_name, modifiers, pmu, code, exact, ids and the "
     "fields of perf_event_attr; feature, number, offset, bytes, broken, value; with --records "
     "build_id, file; bpf_program, name, value; record, type, count.",
     {{"evname info --records perf.data",
       "The contents of a recording, and the number of records by type"}},
     true},
    {"annotate",
     "Print the samples of a perf.data with the names of their events",
     add_annotate,
     "the requested fields; by default comm, pid, tid, cpu, time, event, pmu, code, attr. event "
     "expands to event, pmu, code, attr, but is one column if csv has no other field.",
     {{"evname annotate --fields comm,tid,time,event,ip --event 'mem_*' perf.data",
       "Some fields of the samples of some events"},
      {"evname annotate --json perf.data > samples.jsonl", "All samples, one object each"},
      {"perf record -o - -e r20d1 ls | evname annotate -", "A recording through a pipe"}}},
    {"report",
     "Add up the samples of recordings by event, thread, function or other keys",
     add_report,
     "the keys of --sort (null: not sampled), samples, share, of (the samples that are 100 % of "
     "share), period, first, last (seconds), lost, throttled; with --children also children, "
     "children_share, children_period; with --diff instead of these before, after, share_before, "
     "share_after, change, period_before, period_after; with --metrics or --topdown samples, share "
     "and the metrics, each with its METRIC_samples; with --mem also cost, cost_share, mean, most, "
     "and without --sort by (a key) and value for keys; with --c2c table (totals, line, access): "
     "count, what, all, on_shared_lines; index, address, place, share, threads and the counts of "
     "totals, hitm, peer, answered_loads, accesses; line, place, offset, cpus, nodes, the keys of "
     "--coalesce, the counts, and mean weights such as remote_hitm_mean.",
     {{"evname report --sort event,comm perf.data", "How often each thread caused each event"},
      {"evname report --sort sym --children --top 20 perf.data",
       "The functions with most samples in them and their callees"},
      {"evname report --metrics ipc --sort sym perf.data", "Instructions per cycle of functions"},
      {"evname report --diff --sort event,sym before.data after.data",
       "Functions whose shares changed"},
      {"evname report --html page.html perf.data",
       "A page with flame graphs, tables and a timeline"}}},
    {"export",
     "Write the samples of recordings as a profile for pprof, Firefox Profiler, speedscope, "
     "Perfetto, OpenTelemetry, BOLT, llvm-profgen or AutoFDO",
     add_export,
     "",
     {{"evname export --format pprof -o profile.pb.gz perf.data && go tool pprof profile.pb.gz",
       "A profile for pprof, with two sample types for each event"},
      {"evname export --format firefox -o profile.json.gz before.data after.data",
       "Two recordings in one profile, for Firefox Profiler"},
      {"evname export --format bolt --binary program -o program.preagg perf.data",
       "Branches for perf2bolt -pa, without the text of perf script"}}},
    {"inject",
     "Put the names of events into a perf.data, so that perf and viewers show them",
     add_inject,
     "attr, from, to.",
     {{"evname inject perf.data -o named.data && perf report -i named.data",
       "perf report with names instead of codes"},
      {"evname inject perf.data --time 50%-60% --comm nginx -o part.data",
       "A smaller recording for perf: a part of the time, some threads"}}},
    {"pack",
     "Put the names of functions into a perf.data, so that it needs no other file elsewhere",
     add_pack,
     "places (in code and data that have names now), bytes (of the names), stacks (samples that "
     "have "
     "callers in place of a copied stack).",
     {{"evname pack perf.data -o packed.data",
       "One file to take along: functions, lines and inlined calls of all samples are in it"}}},
    {"split",
     "Split a perf.data by event, thread, thread name or CPU",
     add_split,
     "file, key, samples.",
     {{"evname split perf.data --by event -o parts/",
       "A recording for each event, for tools that read only one event"}}},
    {"stat",
     "Count events while a command runs, or on CPUs, in processes or cgroups",
     add_stat,
     "perf stat's keys: interval (s), cpu, core, …, thread, counters, counter-value, unit, event, "
     "cgroup, variance, event-runtime (ns), pcnt-running; and pmu, count (not scaled), enabled, "
     "running (ns), warnings if there are any, why (there is no count). For metrics: metric, value "
     "(null: it has none), unit, beyond (the threshold), missing (events that could not be "
     "counted), why (there is no value). With --metric-only: interval, cpu, core, …, counters and "
     "cgroup, then the value of each metric under its unit and name, as in perf.",
     {{"evname stat -M ipc -e page-faults -- ls -R /usr/share",
       "Count an event and compute a metric while ls runs"},
      {"evname stat -a --per-core -I 1000", "Count the default events of each core every second"},
      {"evname stat --topdown -a -I 1000 --interval-count 5",
       "The first level of the top-down tree of five seconds"},
      {"evname stat -a -e page-faults -I 15000 --openmetrics -o /var/lib/node_exporter/evname.prom",
       "Keep a file up to date for Prometheus"}}},
    {"record",
     "Sample events while a command runs, or on CPUs, in processes or cgroups",
     add_record,
     "",
     {{"evname record -g -- ls -R /usr/share", "Sample cycles and their callers while ls runs"},
      {"evname record -e mem_load_retired.l3_miss:pp -a --timeout 10000",
       "Sample an event on all CPUs for ten seconds"},
      {"evname record --html page.html -- ./program", "Record, and write the page of a report"}}},
    {"topdown",
     "Show where the slots of a core went, as a tree, counting now or from counts of perf stat",
     add_topdown,
     "time, place (if there are any), pmu, node, level, parent (null: level 1), value (in percent; "
     "null: it has none), of (the whole that value is a share of: slots, clocks, operations), "
     "flagged (the node and all nodes above it are beyond their thresholds), next (the node to "
     "look at), running (the least share of the time that its events had a counter), runs (the "
     "number of runs in the mean), or why (there is no value).",
     {{"evname topdown -- ./program", "Levels 1 and 2 of a command"},
      {"evname topdown --drill -- ./program",
       "Run it repeatedly, below flagged nodes, without multiplexing"},
      {"evname topdown --cpu skylakex --from counts.csv",
       "The tree of counts that perf stat -x, wrote on another machine"},
      {"evname topdown -a --per-socket -I 1000 --html tree.html -- sleep 60",
       "A page with the trees of each socket over time"}}},
    {"metrics",
     "Show metrics and the events that they need, or compute their values from counts",
     add_metrics,
     "name, pmu, groups, desc, expr, simplified, threshold, scale, unit, constraint, aggregation, "
     "shows_events, default_group, no_group, model. With --show also long_desc, then a line for "
     "each event (metric, event, pmu, type, config, config1, config2, config3, terms; or metric, "
     "event, problem) and for each group that the counters can count (metric, group, together). "
     "With --groups: name, desc, metrics. With --from: time, place, metric, pmu (if there are "
     "several), value (null: it has none), unit, beyond (the threshold), missing (events that were "
     "not counted), why (there is no value).",
     {{"evname metrics --cpu skylakex 'branch*'", "Metrics of a model"},
      {"evname metrics --cpu skylakex --show ipc",
       "The formula of a metric, its events, and their groups"},
      {"evname metrics --from counts.csv --expr 'ipc=instructions / cycles'",
       "Instructions per cycle, from the output of perf stat -x,"}},
     true},
    {"schedule",
     "Show which events the counters can count together",
     add_schedule,
     "pmus, group (from 0), groups (of these PMUs), events, counters (\"2\", \"fixed 1\"; \"\": "
     "none is needed or known), generic_counters, fixed_counters (both 0: unknown), grouped, "
     "smallest (false: the search was given up), why; or error, with the query if it has a fault.",
     {{"perf stat -e \"$(evname schedule cycles instructions cache-misses)\" -- true",
       "Count events in as few groups as the counters allow"}}},
    {"script",
     "Print a recording as perf script does, for tools that call perf",
     add_script,
     "",
     {{"evname script -i perf.data | stackcollapse-perf.pl | flamegraph.pl > flame.svg",
       "A flame graph by Brendan Gregg's scripts"}},
     true},
    {"buildid-list",
     "List the build ids of a recording as perf buildid-list does",
     add_buildid_list,
     "",
     {{"evname buildid-list -i perf.data", "The files of a recording, each with its build id"}}},
    {"import",
     "Import events from the kernel's, Intel's or Arm's files into a tree such as arch/",
     add_import,
     "",
     {{"evname import --from linux/tools/perf/pmu-events/arch --into arch/",
       "Import the events of a newer kernel"}}},
};

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

const Subcommand* find_subcommand(std::string_view name) {
  const auto* row = std::ranges::find(kSubcommands, name, &Subcommand::name);
  return row == std::end(kSubcommands) ? nullptr : row;
}

}  // namespace evname::tools
