#!/usr/bin/env python3
"""The command prints and writes the same as before: digests of many outputs reveal a change that nobody meant.
Usage: outputs_test.py EVNAME ROOT SEEDS [SUBJECT…] [--update] [--keep DIRECTORY] [--perf PERF]

tests/data/outputs.tsv has a line for each command: digest, subject, arguments. --update writes it again; --keep writes what
was printed, so that two builds can be compared with diff. SEEDS is the directory of the fuzz targets' seeds. There is a
command for each subject, format and kind of recording. Damaged ELF files have none, since each version of libdw reads
something else in them, and names of functions are not demangled, which each compiler does in its own way.

Digests are no proof that an output is right, so before the table is written again, --perf compares what perf has words for:
threads, times, events, addresses, call chains, functions, offsets and files of all recordings that are made here, with perf
script. perf 7.3 prints the same but for the map of the JIT, which it does not look for below --symfs, and the last frame
where a stack ends, which it makes of bytes that are no address. Other tests compare the rest with other sources:
samples of tests/data, SPE, IBS and memory accesses with perf (tests/data/README.md), profiles with the sums of their
recordings and their viewers (export_test.py, viewers_test.py), codes and names with perf, libpfm4 and the makers' tables
(CONTRIBUTING.md)."""

import argparse
import collections
import concurrent.futures
import gzip
import hashlib
import itertools
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from outputs_inputs import EVENTS, PFM4_FAMILIES, changed, make_recordings  # noqa: E402
from sanitizers import has_sanitizer  # noqa: E402

TABLE = HERE.parent / "data/outputs.tsv"
# Bits of sample_type by the names of attr.hpp.
SAMPLED = {name: 1 << bit for bit, name in enumerate(
    "Ip Tid Time Addr Read Callchain Id Cpu Period StreamId Raw BranchStack RegsUser StackUser Weight DataSrc Identifier Transaction "
    "RegsIntr PhysAddr Aux Cgroup DataPageSize CodePageSize WeightStruct".split())}


def known_fields():
    """(name, bits of sample_type; one must be set) of each field that JSON has; registers of IBS have their own rows."""
    text = (HERE.parents[1] / "runtime/perf_format/sample_fields.def").read_text()
    for row, is_text in re.findall(r'^EVNAME_(?:FIELD|SAMPLE_NUMBER|SAMPLE_ALWAYS)\((\w+, [^"]*)"(text: )?', text, re.M):
        if is_text:
            continue
        yield row.split(",")[0], sum(SAMPLED[name] for name in re.findall(r"kSample(\w+)", row))


KNOWN_FIELDS = list(known_fields())


def sample_types(content):
    """sample_type of each event of a file or a pipe; none of one that is damaged."""
    order = "<" if content[:8] == b"PERFILE2" else ">"
    try:
        size, = struct.unpack_from(order + "Q", content, 8)
        if size == 16:  # a pipe, whose attrs are records
            at = 16
            while at < len(content):
                kind, _, length = struct.unpack_from(order + "IHH", content, at)
                if kind == 64:
                    yield struct.unpack_from(order + "Q", content, at + 32)[0]
                at += length or len(content)
            return
        step, start, length = struct.unpack_from(order + "QQQ", content, 16)
        for at in range(start, min(start + length, len(content)), max(step, 1)):
            yield struct.unpack_from(order + "Q", content, at + 24)[0]
    except struct.error:
        return


def fields_of(content, of_each=False):
    """The fields that some event of the recording samples, or each."""
    types = list(sample_types(content))
    return ",".join(name for name, bits in KNOWN_FIELDS if bits == 0 or
                    types and (all if of_each else any)(bits & one for one in types))


FILES = "--symfs elf --kallsyms kallsyms"
SYMBOLS = f"--no-demangle {FILES}"


def some(names, count=1):
    """A few of a kind, from its first to its last."""
    return [names[len(names) * i // count] for i in range(min(count, len(names)))]


# Times in the middle of recordings.
TIMES = {"neoverse-n1.data": "5.7,5.8", "cortex-a72-system.data": "2.4,2.5", "deferred-zstd.data": "51.6,51.7",
         "stack-aarch64.data": "0.000001,0.000002"}


def annotate_rows(outputs):
    kinds = outputs.kinds
    for names in some(kinds["damaged"], 12):
        yield f"annotate --salvage -F comm,tid,time,event,period,ip --format csv {names}"
    yield f"annotate -F comm,tid,time,event,period,ip --format csv {kinds['damaged'][0]}"
    for name in some(kinds["trace"], 4):
        yield f"annotate -F event,trace --json {name}"
    yield f"annotate -F event,trace {kinds['trace'][0]}"
    yield f"annotate -F trace --format csv {kinds['trace'][0]}"
    for name in some(kinds["plain"], 3):
        yield f"annotate -F ip,sym,symoff,dso,srcline,frames --json {SYMBOLS} {name}"
        yield f"annotate -F ip,sym,symoff --symfs elf --kallsyms {name[:-len('.data')]} chain-x86.data"
    for kind in KINDS:
        for name in some(kinds[kind], 3):
            yield f"annotate -F {fields_of((outputs.work / name).read_bytes())} --json {SYMBOLS} {name}"
        name = kinds[kind][0]
        fields = fields_of((outputs.work / name).read_bytes())
        of_each = ",".join(field for field in fields_of((outputs.work / name).read_bytes(), True).split(",")
                           if field not in ("file", "build_id", "frames", "callchain"))
        yield f"annotate {SYMBOLS} {name}"
        yield f"annotate -F {fields} --format csv --no-formulas --no-inline {SYMBOLS} {name}"
        yield f"annotate -F {of_each} --raw-names --raw-order {SYMBOLS} {name}"
        yield f"annotate --format folded {SYMBOLS} {name}"
        yield f"annotate --format folded --periods --time {TIMES.get(name, '0,0.000002')} {SYMBOLS} {name}"
    for name in some(kinds["ibs"], 2):
        yield f"annotate -F ibs,ip {name}"
        yield f"annotate -F ibs --json {name}"
    for letters, more in (("bl", ",brstack"), ("i1il1bM", ",brstack"), ("i7ifmta", "")):
        yield f"annotate -F tid,time,event,ip,addr{more} --format csv --itrace={letters} {kinds['spe'][0]}"
    for options in ("--event *cycles*", "--event cpu_cycles", "--comm sh,ls,md5sum", "--tid 1-200", "--limit 7", "--pid 1,2"):
        yield f"annotate {options} neoverse-n1.data"
    for options in ("--sym *s*", "--dso *k*", "--sym *[io]* --no-inline"):
        yield f"annotate {options} {SYMBOLS} chain-x86.data"
    yield "annotate -C 1 cortex-a72-system.data"
    yield "annotate --time 2.4,2.43 cortex-a72-system.data"
    for options in ("--op load", "--op store", "--min-latency 100", "--sym *", "--time 0,0.0001"):
        yield f"annotate {options} memory-usual.data"
    yield "annotate -F file,comm,time,event --format csv neoverse-n1.data off-cpu.data config4.data"
    yield f"annotate --waiting --format folded {SYMBOLS} off-cpu.data"


def report_rows(outputs):
    kinds = outputs.kinds
    for name in itertools.chain(*(some(kinds[kind]) for kind in ("real", "spe", "memory", "stack", "chain"))):
        yield f"report --sort event,sym,dso,srcline --children --json {SYMBOLS} {name}"
        yield f"report --html page.html {SYMBOLS} {name}"
        yield f"report {SYMBOLS} {name}"
    for name in some(kinds["seed"], 3) + some(kinds["branches"]) + some(kinds["ibs"]):
        yield f"report --sort event,comm,cpu,sym --csv {SYMBOLS} {name}"
    for key in "event,file,pmu,comm,pid,tid,cpu,cgroup,sym,dso,srcfile,srcline".split(","):
        yield f"report --sort {key} {SYMBOLS} neoverse-n1.data cortex-a72-system.data chain-x86.data"
    yield f"report --sort event,sym --order last,sym --top 4 --csv {SYMBOLS} stack-cxx.data off-cpu.data"
    for options in ("--sort event", "--sort sym --children --json", "--html page.html"):
        yield f"report --waiting {options} {SYMBOLS} off-cpu.data"
    for name in kinds["memory"][:1] + kinds["spe"][:1]:
        yield f"report --mem {name}"
        yield f"report --mem --sort op,mem,snoop,tlb,locked,blocked,latency --json {name}"
        yield f"report --mem --sort symbol_daddr,data_sym,dso_daddr,dcacheline,phys_daddr,local_weight --csv {name}"
        for display in ("tot", "lcl", "rmt", "peer", "threads"):
            yield f"report --c2c --display {display} {name}"
        yield f"report --c2c --coalesce pid,tid,iaddr,dso --json {name}"
    yield f"report --sort ibs_data_src,ibs_op_data --json {kinds['ibs'][0]}"
    for options in ("--sort comm", "--sort comm,cpu --json", "--csv", "--min-samples 2"):
        yield f"report --metrics ipc {options} {SYMBOLS} neoverse-n1.data"
    yield "report --topdown --json neoverse-n1.data"
    for options in ("", "--sort sym --json", "--sort comm --csv", "--sort sym --children"):
        yield f"report --diff {options} {SYMBOLS} chain-x86.data stack-x86.data"
    yield f"report --diff --html page.html {SYMBOLS} chain-x86.data stack-x86.data"


def export_rows(outputs):
    kinds = outputs.kinds
    for name in itertools.chain(*(some(kinds[kind]) for kind in ("real", "spe", "stack", "chain", "seed"))):
        for form in ("pprof", "firefox", "speedscope", "perfetto", "otlp", "otlp-json"):
            yield f"export --format {form} -o - {SYMBOLS} {name}"
    for form in ("pprof", "speedscope", "otlp"):
        yield f"export --format {form} --addresses -o - chain-x86.data neoverse-n1.data"
    for name in some(kinds["branches"], 2):
        elf = "elf/" + name[len("branches-"):-len(".data")] + ".so"
        for form in ("bolt", "profgen", "autofdo"):
            for options in ("", "--nl") if form != "profgen" else ("",):
                yield f"export --format {form} {options} --binary {elf} -o - {name}".replace("  ", " ")
    for name in some(kinds["real"], 3) + some(kinds["seed"], 6) + some(kinds["stack"]) + some(kinds["spe"]):
        yield f"info --records --json {name}"
        yield f"inject {name} -o out.data"
    for name in some(kinds["real"], 2) + some(kinds["spe"]) + some(kinds["seed"]):
        yield f"info -v --records {name}"
        yield f"inject {name} --json --time {TIMES.get(name, '0,0.000002')} -o out.data"
        for key in ("event", "thread", "comm", "cpu"):
            yield f"split {name} --by {key} -o parts"
        yield f"cpu --json -i {name}"
        yield f"buildid-list -i {name}"


CPUS = ("skylakex", "alderlake", "amdzen4", "neoverse-n1", "power9")
PFM4 = ["skx::MEM_LOAD_RETIRED:L3_MISS:u", "skx::UOPS_ISSUED:ANY:c=3:i", "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT", "skx::INST_RETIRED:e:t=1",
        "perf::CYCLES:u", "perf_raw::r1c0", "skx_unc_cha0::UNC_C_CLOCKTICKS:e:t=3", "skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30:u=1:k=0"]


def names_rows(_):
    machine = "--sysfs sys --cpu skylakex"
    yield f"list {machine} --json *c*"
    yield f"list {machine} --style pfm4 --json *clock*"
    yield f"list {machine} --pmu uncore_*"
    for words in ("uncore_imc/cas_count_read/ uncore_imc_1/clockticks/ unc_cha_clockticks power/energy-pkg/ msr/tsc/", "cpu/own/ own:u cpu/odd=0xff/",
                  "intel_pt// intel_pt/tsc,cyc=0/ intel_pt/psb_period=3/u intel_pt/psb_period=6/", "mem-loads:P cpu/mem-loads,ldlat=30/P",
                  "uncore_cha/event=1,filter=0x5/ uncore_cha_1/config=0x1234,config1=7/ cpu/config=-1/", "cycles instructions:ppp", "uncore_*/r1/ *imc*/r2/",
                  "unc_m_cas_count.rd llc_misses.mem_read", "mem:0x10:x software/config=1/ {cycles,own}:W"):
        yield f"resolve {machine} --json {words}"
        yield f"resolve {machine} {words}"
        yield f"show {machine} {words.split()[0]}"
        yield f"schedule {machine} --json {words}"
    for words in ("0x3c r1cd uncore_imc_0/config=0xff/ uncore_imc/config=0x304/ 9:2 14:0x304 31:0", "uncore_cha_0/config=0,config1=1/ 10:0 8:0x400 4:0xc0"):
        yield f"name {machine} --json {words}"
        yield f"name {machine} --style pfm4 {words}"
    yield f"cpu {machine} --json"
    yield f"metrics {machine} --show ipc --show memory_bandwidth_total --json"
    for cpu in PFM4_FAMILIES:
        yield f"resolve --cpu {cpu} --json - < texts/pfm4-{cpu}"
    for cpu in EVENTS:
        yield f"resolve --cpu {cpu} --json - < texts/events-{cpu}"
    for cpu in ("skylakex", "neoverse-n1"):
        yield f"resolve --cpu {cpu} --json - < texts/syntax"
        yield f"resolve --cpu {cpu} - < texts/syntax"
        yield f"name --cpu {cpu} --json - < texts/syntax"
    for name in itertools.chain([*changed("GenuineIntel-6-55-4"), *changed("0x00000000410fd0c0"), *changed("zen4")][::20], ("i9-13900k", "9950x",
                                "AuthenticAMD-26-68-0", "core ultra 9 285k".replace(" ", "\u2423"), "gracehopper", "m1", "arm/*")):
        yield f"cpu --cpu {name} --json"
    for cpu in CPUS:
        yield f"list --cpu {cpu} --json *l2*"
        yield f"list --cpu {cpu} --style pfm4 --json *l2*"
        yield f"show --cpu {cpu} --json *cycles*"
        yield f"cpu --cpu {cpu} --json"
        yield f"metrics --cpu {cpu} --json *i*c*"
        yield f"resolve --cpu {cpu} --json cycles:u instructions cache-misses LLC-loads branch-misses dTLB-load-misses:k r1 cpu-clock"
        yield f"name --cpu {cpu} --json 0x11 0x3c r20d1 0xc0 0x1003c 0x0129 0x10010"
        yield f"name --cpu {cpu} --json --style pfm4 0x11 0x3c r20d1 0xc0 0x1003c 0x0129 0x10010 0x5301c2"
        yield f"schedule --cpu {cpu} --json cycles instructions cache-misses branches branch-misses r1 r2 r3 r4 r5 r6 r7 r8 r9"
        yield f"schedule --cpu {cpu} --smt off --nmi-watchdog on {{cycles,instructions,branches}} {{r1,r2,r3,r4,r5,r6,r7,r8,r9}}:S"
    for cpu, events in EVENTS.items():
        yield f"resolve --cpu {cpu} --json " + " ".join(events)
        yield f"resolve --cpu {cpu} " + " ".join(events)
        yield f"show --cpu {cpu} {events[0]}"
    for cpu in ("skx", "zen4", "n1"):
        yield f"resolve --cpu {cpu} --json " + " ".join(PFM4)
        yield f"metrics --cpu {cpu} --show ipc --json"
        yield f"metrics --cpu {cpu} --groups"
        yield f"list --cpu {cpu} --search cache --topic *c*"
    for form in ("c", "c++", "rust", "json"):
        yield f"emit --cpu skylake* --cpu arm/neoverse-n* --events cycles,instructions,l1d_cache,br_inst_retired.conditional --format {form}"
    for form in ("papi-presets", "llvm-td"):
        yield f"emit --cpu skylakex --format {form}"
    for pair in ("skylakex icelakex mem_load*", "amdzen3 amdzen4 ls_*", "neoverse-n1 neoverse-n2 l1*"):
        yield f"diff {pair} --json"


KINDS = ("real", "spe", "memory", "ibs", "stack", "chain", "branches", "seed")
# Processors and the families of libpfm4's names that are asked of them.


def counts_rows(outputs):
    metrics = "--expr ipc=instructions/cycles --expr miss=cache-misses/cache-references --expr t=duration_time*slots"
    counts = sorted(outputs.work.glob("counts-*"), key=lambda path: int(path.name[7:]))
    for path in [outputs.work / name for name in ("perf-stat.csv", "perf-stat.txt", "perf-stat.json", "topdown-n1.csv")] + some(counts, 12):
        yield f"metrics --cpu icelakex --from {path.name} --json {metrics}"
        yield f"topdown --from {path.name} --cpu neoverse-n1 --json"
    for name in ("perf-stat.csv", "perf-stat.txt", "perf-stat.json"):
        yield f"metrics --from {name} --cpu skylakex ipc"
    for options in ("", "--level 1", "--level 2 --csv", "--node frontend_stalled_cycles --all", "--all --html page.html", "--cpu skylakex"):
        yield f"topdown --from topdown-n1.csv {'' if '--cpu' in options else '--cpu neoverse-n1'} {options}"
    for line in (outputs.work / "texts/expressions").read_text().splitlines()[::3]:
        yield "metrics --cpu icelakex --from perf-stat.csv --json --expr m=" + line.replace(" ", "\u2423")
    for line in some((outputs.work / "trees").read_text().splitlines(), 8):
        tree, cpu = line.split()
        yield f"list --events {tree} --cpu {cpu} --json"
        yield f"metrics --events {tree} --cpu {cpu} --json"
        yield f"cpu --events {tree} --cpu {cpu} --json"


def texts_rows(outputs):
    """Texts for people. Other rows have the same as JSON."""
    machine, kinds = "--sysfs sys --cpu skylakex", outputs.kinds
    for options in ("", "--pmu uncore_* --topic *", "--topic virtual*", "*clock* *read*", "--style pfm4 *clock*", "--search cache hit"):
        yield f"list {machine} {options}"
    yield f"list {machine} --json --pmu cpu *own* *odd*"
    for cpu in CPUS:
        yield f"list --cpu {cpu} --topic *memory*"
        yield f"list --cpu {cpu} --style pfm4 *l2*"
        yield f"show --cpu {cpu} *l2*"
        yield f"show --cpu {cpu} *branch*"
        yield f"cpu --cpu {cpu}"
        yield f"metrics --cpu {cpu}"
        yield f"metrics --cpu {cpu} --groups --json"
        yield f"metrics --cpu {cpu} --group TopdownL1"
        yield f"schedule --cpu {cpu} cycles instructions cache-misses branches branch-misses r1 r2 r3 r4 r5 r6 r7 r8 r9"
        yield f"schedule --cpu {cpu} --counters 3 cycles instructions {{r1,r2}} {{r3,r4,r5,r6}} r7 cpu-clock duration_time"
        yield f"name --cpu {cpu} 0x11 0x3c r20d1 0xc0 0x1003c 0x0129 0x10010"
    yield f"cpu {machine}"
    yield "list --cpus *lake* arm/*n*"
    yield "list --cpus --json zen*"
    for cpu, names in (("skylakex", "tma_retiring tma_info_system_dram_bw_use tma_l1_bound tma_false_sharing"), ("alderlake", "tma_frontend_bound ipc"),
                       ("sapphirerapids", "tma_fetch_latency tma_info_thread_ipc"), ("amdzen4", "ipc l3_read_miss_latency"),
                       ("neoverse-n1", "ipc branch_misprediction_ratio"), ("graniterapids", "tma_lock_latency"), ("power9", "run_cpi no_such")):
        shown = " ".join(f"--show {name}" for name in names.split())
        yield f"metrics --cpu {cpu} {shown}"
        yield f"metrics --cpu {cpu} {shown} --json --fact smt_on=1 --fact num_cpus=8"
    yield "metrics --cpu skylakex --expr x=cycles/instructions+mem_load_retired.l3_miss --expr y=no_such/duration_time --expr z=2"
    for options in ("no_such*", "--group no_such", "--group TopdownL1 *no*", "--show no_such"):
        yield f"metrics --cpu skylakex {options}"
    for pair in ("skylakex icelakex mem_load*", "amdzen3 amdzen4 ls_*", "neoverse-n1 neoverse-n2 l1*", "skylake alderlake br_inst*", "skylakex icelakex x*"):
        yield f"diff {pair}"
    for name in some(kinds["real"], 8) + some(kinds["seed"], 8) + kinds["spe"][:1] + kinds["memory"][:1]:
        yield f"info {name}"
        yield f"info -v {name}"
        yield f"report --sort event,comm --csv {name}"
        yield f"cpu -i {name}"
    yield f"buildid-list -i {kinds['real'][0]}"
    yield f"pack {FILES} {kinds['chain'][0]} -o out.data"


def perf_rows(outputs):
    """What perf script and perf report --stdio print."""
    kinds = outputs.kinds
    first = [kinds[kind][0] for kind in ("real", "spe", "memory", "stack", "chain", "branches", "trace", "seed")]
    for name in first:
        yield f"script {FILES} -i {name}"
        yield f"script --header --show-info {FILES} -i {name}"
        yield f"script -D {FILES} -i {name}"
        yield f"report --stdio {FILES} -i {name}"
        yield f"report --stats -i {name}"
        yield f"report --tasks -i {name}"
    events = "task mmap switch namespace cgroup lost bpf text-poke"
    everything = " ".join(f"--show-{kind}-events" for kind in events.split())
    for name in first + some(kinds["seed"], 6) + ["off-cpu.data"]:
        yield f"script {everything} --ns -L {FILES} -i {name}"
    for options in ("-F comm,tid,pid,cpu,time,event,ip,sym,symoff,dso,srcline,period", "-F +srcline,-period -G", "--reltime", "--deltatime --ns", "--max-stack 2",
                    "--stop-bt main,do_one", "--full-source-path -F +srcline", "--show-kernel-path", "-S do_one,early", "--switch-on branch-misses --switch-off branch-misses --show-on-off-events",
                    "--comms thread --tid 1 -C 0-1"):
        yield f"script {options} {FILES} -i {kinds['chain'][0]}"
    yield "script --time 10%-50% -i neoverse-n1.data"
    for options in ("-F ip,brstack", "-F ip,brstacksym,brstackoff", "-F +brstackinsn --max-blocks 2"):
        yield f"script {options} {FILES} -i {kinds['branches'][0]}"
    for options in ("-g caller", "-G --max-stack 3", "--percent-limit 5", "-s comm,dso --hierarchy", "-s sym -n --show-total-period", "--showcpuutilization",
                    "-S do_one", "--symbol-filter e", "-d kernel", "-q -t ;", "-F overhead,sample,comm,sym", "--header -I", "--header-only", "-s pid,tid,cpu",
                    "--children -s sym", "--no-children -g none -s srcline,srcfile"):
        yield f"report --stdio {options} {FILES} -i {kinds['chain'][0]}"
    for options in ("", "-s sym_from,sym_to,mispredict,cycles", "-s addr_from,addr_to,in_tx,abort,branch_type"):
        yield f"report --branches {options} --json {FILES} {kinds['branches'][0]}"
        yield f"report --branches {options} --stdio {FILES} -i {kinds['branches'][0]}"


SUBJECTS = {"annotate": annotate_rows, "report": report_rows, "export": export_rows, "names": names_rows, "counts": counts_rows,
            "texts": texts_rows, "perf": perf_rows}


def run_command(command, directory, environment, stdin=subprocess.DEVNULL):
    return subprocess.run(command, cwd=directory, env=environment, stdin=stdin, capture_output=True)


class Outputs:
    """The directory with the recordings, and the commands of each subject."""

    def __init__(self, work, root, seeds):
        self.work = work.resolve()
        self.kinds = make_recordings(self.work, root, seeds)
        header = (root / "runtime/include/evname/version.h").read_text()
        self.version = ".".join(re.findall(r"define EVNAME_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)).encode()
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.work), "EVNAME_EVENTS": "",
                            "LANG": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(self.work),
                            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}

    def rows(self, subjects):
        return [(subject, line) for subject in subjects for line in
                dict.fromkeys(" ".join(line.split()) for line in SUBJECTS[subject](self))]

    def output(self, evname, line, run=run_command, **more):
        """What a command prints to standard output and error, how it ends, and the files it writes."""
        with tempfile.TemporaryDirectory(dir=self.work) as place:
            line, _, given = line.partition(" < ")
            words = [word.replace("\u2423", " ") for word in line.split(" ")]
            written = [i for i, word in enumerate(words) if word in ("page.html", "out.data", "parts")]
            for i in written:
                words[i] = os.path.join(place, words[i])
            with open(self.work / given if given else os.devnull, "rb") as stdin:
                done = run([evname, *words], self.work, {**self.environment, **more}, stdin)
            if done is None:
                return b"took too long"
            out = [b"%d\n" % done.returncode, unpacked(done.stdout), b"\n-- stderr\n", done.stderr]
            for path in sorted(pathlib.Path(place).rglob("*")):
                if path.is_file():
                    content = unpacked(path.read_bytes())
                    page = re.search(rb'id="data">(.*?)</script>', content, re.S)
                    # Versions of decoders print instructions differently.
                    shown = re.sub(rb',"instructions":\{"precision":.*?"more":\d+\}', b"", page[1]) if page else content
                    out += [b"\n-- %s\n" % path.name.encode(), shown]
            text = b"".join(out).replace(os.fsencode(place), b"PLACE").replace(os.fsencode(self.work), b"WORK")
            # The kernel's own build id is known where there is a /sys.
            text = re.sub(rb"(kernel: no symbols of build id \w+)(; another kernel runs)?", rb"\1; another kernel runs", text)
            text = re.sub(rb"(# captured on *:).*", rb"\1 DATE", text)  # when the file was written
            return text.replace(self.version, b"VERSION") if "otlp" in line else text

    def digest(self, *arguments, **more):
        return hashlib.sha256(self.output(*arguments, **more)).hexdigest()[:12]


def table():
    """Digest, subject and command of each row."""
    return [row.split("\t") for row in TABLE.read_text().splitlines()] if TABLE.exists() else []


def expected():
    """Digests by command."""
    return {line: digest for digest, _, line in table()}


def unpacked(content):
    """Without the compression, which depends on zlib's version."""
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def differing_lines(perf, evname, outputs, name):
    """Lines of perf script that evname script does not print, and all of its lines."""
    fields = "comm,pid,tid,time,event" + (",ip,sym,symoff,dso" if name.startswith(("chain", "stack")) else ",ip")
    words = ["script", "-F", fields, "--no-inline", *FILES.split(), "-i", name]
    lines = [run_command([program, *words, *more], outputs.work, outputs.environment).stdout.decode(errors="replace").splitlines()
             for program, more in ((perf, ["-f"]), (evname, []))]
    theirs, ours = (collections.Counter(line for line in own if "/perf-1.map)" not in line and
                                        not re.fullmatch(r"\s+[0-9a-f]+ \[unknown\] \(\[unknown\]\)", line)) for own in lines)
    return list((theirs - ours).elements()), lines[0]


def against_perf(perf, evname, outputs):
    """Whether evname prints what perf prints."""
    kinds, bad = outputs.kinds, 0
    for name in kinds["chain"] + kinds["stack"] + kinds["branches"] + kinds["memory"] + kinds["spe"]:
        differ, lines = differing_lines(perf, evname, outputs, name)
        bad += bool(differ) or not lines and "-debug" not in name  # at whose file, which has no code, perf gives up
        print(f"{name}: {len(lines)} lines of perf, {len(differ)} differ", *differ[:3], sep="\n  ")
    return not bad


def decodes(evname):
    done = subprocess.run([evname, "report", "--instructions", os.devnull], capture_output=True)
    return b"built without" not in done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evname", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("seeds", type=pathlib.Path)
    parser.add_argument("subjects", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--perf", type=pathlib.Path)
    options = parser.parse_args()
    if sys.byteorder == "big":
        print("skipped: the recordings are from little-endian machines")
        return 77
    evname, known = options.evname.resolve(), expected()
    with tempfile.TemporaryDirectory() as folder:
        outputs = Outputs(pathlib.Path(folder), options.root.resolve(), options.seeds.resolve())
        if options.perf:
            return 0 if against_perf(options.perf.resolve(), evname, outputs) else 1
        all_rows = outputs.rows(SUBJECTS if options.update else options.subjects)
        rows = all_rows[::2] if has_sanitizer(evname, "asan", "tsan") else all_rows
        if not decodes(evname):  # pages have source lines of instructions without samples, too
            rows = [row for row in rows if "page.html" not in row[1]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda row: outputs.output(evname, row[1]), rows))
    digests = [hashlib.sha256(one).hexdigest()[:12] for one in found]
    if options.keep:
        for (subject, line), output in zip(rows, found):
            name = re.sub(r"[^\w.=*-]+", "_", line)[:150] + "-" + hashlib.sha256(line.encode()).hexdigest()[:6]
            (options.keep / subject).mkdir(parents=True, exist_ok=True)
            (options.keep / subject / name).write_bytes(output)
    if options.update:
        TABLE.write_text("".join(f"{digest}\t{subject}\t{line}\n" for digest, (subject, line) in zip(digests, rows)))
        return 0
    bad = [(line, output) for (_, line), digest, output in zip(rows, digests, found) if known.get(line) != digest]
    for line, output in bad[:5]:
        print(f"{'prints something else' if line in known else 'is not in the table'}: evname {line}\n"
              + output[:600].decode(errors="replace"))
    run = {line for _, line in all_rows}
    missing = [line for _, subject, line in table() if subject in options.subjects and line not in run]
    print(f"{len(rows) - len(bad)} of {len(rows)} outputs are as expected"
          + (f"; not run any more: {missing[:5]}" if missing else ""))
    if bad:
        print("--keep DIRECTORY writes all outputs, for diff; --update takes these as right")
    return 1 if bad or missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
