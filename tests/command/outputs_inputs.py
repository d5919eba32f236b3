"""The recordings, texts, counts and trees that outputs_test.py shows to the command, each made in the same way every time."""
import hashlib
import importlib
import pathlib
import re
import shutil
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import memory_recording  # noqa: E402
import perf_file  # noqa: E402
import spe_file  # noqa: E402

IP, TID, TIME, ADDR, CPU, PERIOD = 1, 2, 4, 8, 128, 256
CALLCHAIN, BRANCH_STACK, REGS_USER, STACK_USER, IDENTIFIER = 1 << 5, 1 << 11, 1 << 12, 1 << 13, 1 << 16
USER, KERNEL = 2**64 - 512, 2**64 - 128  # what call chains have before the addresses of a mode
BASE, KERNEL_BASE = 0x10000, 0xffffffff81000000
# Architectures of the ELF files of tests/fuzz/elf: what perf calls them, the registers that a sample has, and which of them are
# the stack pointer and the address.
ARCHES = {"aarch64": ("aarch64", 0x1ffffffff, 31, 32), "powerpc64le": ("ppc64le", 0x1ffffffff, 1, 32),
          "riscv64": ("riscv64", 0xffffffff, 2, 0), "s390x": ("s390x", 0x3ffffffff, 15, 33)}
X86 = ("x86_64", 0xff0fff, 7, 8)
EVENTS = {
    "skylakex": ["mem_load_retired.l3_miss", "r20d1:pp", "cpu/event=0xd1,umask=0x20,cmask=2,inv/u", "mem-loads", "L1-dcache-load-misses",
                 "{cycles,instructions}:S", "uncore_imc/cas_count_read/", "unc_cha_clockticks", "offcore_response.all_reads.l3_miss.any_snoop",
                 "topdown-retiring", "mem:0x1000/4:rw", "sched:sched_switch", "bpf-output/period=5/", "cycles:kppH", "software/config=2/"],
    "alderlake": ["instructions", "cpu_core/instructions/", "mem_uops_retired.load_latency_gt_8", "topdown_retiring.all", "cpu_atom/r3c/"],
    "amdzen4": ["ls_dispatch.ld_dispatch", "ibs_op//", "amd_l3/l3_lookup_state.all_coherent_accesses_to_l3/", "r0729", "stalled-cycles-backend"],
    "neoverse-n1": ["l1d_cache_refill", "armv8_pmuv3_0/l2d_cache/", "r11:u", "arm_spe_0/load_filter=1,min_latency=20/", "branches"],
    "power9": ["pm_run_cyc", "cycles", "r1001e"], "z16": ["cpu_cycles", "dcw_on_drawer_memory", "r80"],
}
PFM4_FAMILIES = {"skx": ("skx", "skl", "perf", "perf_raw", "rapl"), "ivybridge-ep": ("ivbep", "ivb_ep", "ivb"), "alderlake": ("adl_glc", "adl_grt"),
                 "sapphirerapids": ("spr",), "knightslanding": ("knl",), "haswellx": ("hswep", "hsw_ep"), "amdzen4": ("amd64_fam19h_zen4",),
                 "neoverse-n1": ("arm_n1", "arm_armv8"), "power9": ("power9",), "nehalemep": ("nhm", "wsm")}


def attr(kind, config=0, registers=0, branches=0, type=1):
    out = bytearray(perf_file.attr(config, type, kind))
    struct.pack_into("<QQI", out, 72, branches, registers, 128 if registers else 0)
    return bytes(out)


def text(value):
    padded = value.encode() + bytes(64 - len(value) % 64)
    return struct.pack("<I", len(padded)) + padded


def elf_recording(path, kind):
    """Samples everywhere in an ELF file, as the registers and stack of a thread, its call chain, or its branches."""
    arch, mask, stack_pointer, address = ARCHES.get(path.name.split(".")[0], X86)
    fields = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
    more = {"stack": REGS_USER | STACK_USER | CALLCHAIN, "chain": CALLCHAIN, "branches": BRANCH_STACK}[kind]
    records = []
    for tid in (1, 2):
        records.append(perf_file.comm(tid, b"thread %d" % tid))
        records.append(mapping(tid, BASE, 0x10000, b"/" + path.name.encode()))
        records.append(mapping(tid, 0x90000, 0x1000, b"//anon"))
    records.append(mapping(-1, KERNEL_BASE, 0x100000, b"[kernel.kallsyms]_text", KERNEL_BASE, 1))
    for n, at in enumerate(range(0x300, 0x600, 0x0b if kind == "chain" else 0x1d)):
        ip = KERNEL_BASE + at if n % 8 == 5 else 0x90000 + at % 0x100 if n % 8 == 6 else BASE + at
        body = struct.pack("<QQiiQIIQ", 1 + n % 2, ip, 1, 1 + n % 2, 1000 + 100 * n, n % 4, 0, 1 + n % 5)
        if kind == "branches":
            stack = [(BASE + 0x300 + (at * i + 13) % 0x300, BASE + 0x300 + (at * i + 7) % 0x290, i % 4 | i % 7 << 4)
                     for i in range(2 + n % 6)]
            body += struct.pack("<Q", len(stack)) + b"".join(struct.pack("<QQQ", *one) for one in stack)
        else:
            chain = [USER, ip] if ip < KERNEL_BASE else [KERNEL, ip, USER]
            if kind == "chain":
                chain += [BASE + 0x340 + (at * i) % 0x2c0 for i in range(1, 2 + n % 4)]
            body += struct.pack(f"<Q{len(chain)}Q", len(chain), *chain)
        if kind == "stack":
            values = [0x7000 if i == stack_pointer else BASE + at if i == address else 0x7010
                      for i in range(bin(mask).count("1"))]
            words = [BASE + 0x304 + i * 0x44 for i in range(16)]
            body += struct.pack(f"<Q{len(values)}Q", 2, *values) + struct.pack("<Q16QQ", 128, *words, 128)
        records.append(perf_file.record(perf_file.SAMPLE, body, 1 if ip >= KERNEL_BASE else 2))
    attrs = [attr(fields | more, config, mask if kind == "stack" else 0, 8 if kind == "branches" else 0, 0) for config in (0, 5)]
    return perf_file.file(b"".join(records), attrs, [(6, text(arch))])


def mapping(tid, start, size, path, offset=0, mode=2):
    """PERF_RECORD_MMAP2 of a file with only a name."""
    body = struct.pack("<iiQQQIIQQII", tid, tid, start, size, offset, 8, 1, 5, 0, 5, 2) + perf_file.padded(path)
    return perf_file.record(10, body + struct.pack("<iiQIIQ", tid, tid, 0, 0, 0, 1), mode)


def sampled_recordings():
    """The recordings of sampled_test.py, a program of its own."""
    arguments, sys.argv = sys.argv, ["", "evname", str(HERE.parents[1])]
    try:
        module = importlib.import_module("sampled_test")
    finally:
        sys.argv = arguments
    for cpu in module.CPUS:
        yield "ibs-" + cpu, module.ibs_recording(cpu, 3)


def make_recordings(work, root, seeds):
    """Makes the directory where all commands run. Returns the recordings of each kind."""
    kinds = {kind: [] for kind in ("real", "spe", "memory", "ibs", "stack", "chain", "branches", "seed", "damaged", "plain", "trace")}

    def add(kind, name, content):
        (work / name).write_bytes(content)
        kinds[kind].append(name)
    for path in sorted((root / "tests/data").glob("*.data")) + [root / "tests/data/sched-stats.perf"]:
        add("real", path.name, path.read_bytes())
    for name, content in spe_file.every_recording():
        add("spe", f"spe-{name}.data", content)
    for kind in ("usual", "latencies", "odd", "arm", "plain"):
        add("memory", f"memory-{kind}.data", memory_recording.recording(300, kind))
    for name, content in sampled_recordings():
        add("ibs", name + ".data", content)
    (work / "elf/tmp").mkdir(parents=True)
    for path in sorted((root / "tests/fuzz/elf").glob("*.so")):
        shutil.copy(path, work / "elf")
        for kind in ("stack", "chain", "branches"):
            add(kind, f"{kind}-{path.stem}.data", elf_recording(path, kind))
    (work / "elf/tmp/perf-1.map").write_text("90000 30 jitted one\n90040 20 jitted_two\n0x90080 40 last(int)\n")
    (work / "kallsyms").write_text("".join(f"{KERNEL_BASE + at:016x} {kind} {name}\n" for at, kind, name in (
        (0, "T", "_text"), (0x310, "t", "early"), (0x380, "T", "do_one"), (0x380, "T", "__alias"), (0x3c1, "W", "weak"),
        (0x500, "t", "late"), (0x10000, "T", "_etext"), (0x20000, "D", "data"),
        (0x1f000000, "t", "loaded\t[module]"))))
    for path in sorted((seeds / "file").glob("seed-*")):
        content = path.read_bytes()
        if content not in [(work / name).read_bytes() for name in kinds["real"]]:
            add("seed", f"seed-{hashlib.sha256(content).hexdigest()[:8]}", content)
    kinds["seed"].sort()
    make_damaged(work, kinds)
    make_symbols(work, seeds, add)
    make_traces(seeds, add)
    make_sysfs(work)
    make_trees(work, root, seeds)
    make_texts(work, root, seeds)
    return kinds


def contents_of(directory):
    """The seeds of a fuzz target, in an order that does not depend on their names."""
    return sorted(path.read_bytes() for path in directory.glob("seed-*"))


def places(content, count, end=None):
    """Places in a file that look random and depend on nothing but it."""
    numbers = memory_recording.Numbers(len(content))
    return [numbers.below(max(min(end or len(content), len(content)) - 8, 1)) for _ in range(count)]


def make_damaged(work, kinds):
    """Copies of small recordings with other bytes at a few places: what is read of them is what was read before."""
    for name in kinds["seed"]:
        content = (work / name).read_bytes()
        if len(content) < 800:
            continue
        for n, at in enumerate(places(content, 8, 400) + places(content, 8)):
            new = bytes([content[at] + 1 & 0xff]) if n % 2 else b"\xff\xff\xff\x7f"
            (work / f"{name}-{n}").write_bytes(content[:at] + new + content[at + len(new):])
        kinds["damaged"].append(" ".join(f"{name}-{n}" for n in range(16)))


def mapped_recording(paths, pid=1, addresses=range(0x10, 0x900, 0x35)):
    """Samples in files, each mapped by itself."""
    fields = IDENTIFIER | IP | TID | TIME
    records = [perf_file.comm(pid, b"one")]
    for n, path in enumerate(paths):
        records.append(mapping(pid, (n + 1) * BASE, 0x2000, b"/" + path.encode()))
        records += [perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, (n + 1) * BASE + at, pid, pid, 1000 + n), 2)
                    for at in addresses]
    return perf_file.file(b"".join(records), [attr(fields, 0, 0, 0, 0)], [(6, text("x86_64"))])


def make_symbols(work, seeds, add):
    """Files with symbols that are texts, and samples in them."""
    for n, content in enumerate(contents_of(seeds / "plain_symbols")):
        (work / f"plain-{n}").write_bytes(content[1:])
        (work / f"elf/tmp/perf-{100 + n}.map").write_bytes(content[1:])
        (work / f"elf/tmp/jit-{100 + n}.dump").write_bytes(content[1:])
        add("plain", f"plain-{n}.data", mapped_recording(["/anon", f"tmp/jit-{100 + n}.dump", f"plain-{n}"], 100 + n,
                                                         [*range(0, 0x90, 7)]))


def make_traces(seeds, add):
    """Samples of a tracepoint: the format and the raw data that a seed has."""
    for n, content in enumerate(contents_of(seeds / "trace")):
        form, _, raw = content.partition(b"\0")
        if b"ID: 316\n" not in form:
            continue
        tracing = b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096)
        tracing += b"header_page\0" + bytes(8) + b"header_event\0" + bytes(8) + struct.pack("<II", 0, 1) + b"sched\0"
        tracing += struct.pack("<IQ", 1, len(form)) + form + struct.pack("<IIQ", 0, 0, 0)
        records = [perf_file.comm(1, b"one")]
        for size in (len(raw), 40, 8, 3):
            data = raw[:size] + bytes(-(4 + len(raw[:size])) % 8)
            records.append(perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQI", 1, 0x1000, 1, 1, 5, len(data)) + data, 1))
        add("trace", f"trace-{n}.data", perf_file.file(b"".join(records), [attr(IDENTIFIER | IP | TID | TIME | 1 << 10, 316, type=2)],
                                                       [(1, tracing), (6, text("x86_64"))]))


# Files of /sys/bus/event_source/devices of a machine that there is not.
SYSFS = {
    "cpu": {"type": "4", "format/event": "config:0-7", "format/umask": "config:8-15", "format/cmask": "config:24-31",
            "format/inv": "config:23", "format/ldlat": "config1:0-15", "format/offcore_rsp": "config1:0-63",
            "format/odd": "config:0-3,16,40-43", "events/cpu-cycles": "event=0x3c", "events/mem-loads": "event=0xcd,umask=0x1,ldlat=3",
            "events/own": "event=0xc0,cmask=0x1", "caps/max_precise": "3", "caps/branches": "32", "rdpmc": "1"},
    "uncore_imc_0": {"type": "14", "cpumask": "0,28", "format/event": "config:0-7", "format/umask": "config:8-15",
                     "events/clockticks": "event=0xff", "events/cas_count_read": "event=0x04,umask=0x03",
                     "events/cas_count_read.scale": "6.103515625e-5", "events/cas_count_read.unit": "MiB"},
    "uncore_cha_0": {"type": "30", "cpumask": "0", "format/event": "config:0-7", "format/umask": "config:8-15",
                     "format/filter": "config1:0-31"},
    "power": {"type": "9", "cpumask": "0,28", "format/event": "config:0-7", "events/energy-pkg": "event=0x02",
              "events/energy-pkg.scale": "2.3283064365386962890625e-10", "events/energy-pkg.unit": "Joules"},
    "msr": {"type": "10", "format/event": "config:0-63", "events/tsc": "event=0x00"},
    "intel_pt": {"type": "8", "format/tsc": "config:10", "format/cyc": "config:1", "format/psb_period": "config:24-27", "nr_addr_filters": "2",
                 "caps/psb_cyc": "1", "caps/psb_periods": "3f"},
    "software": {"type": "1"}, "tracepoint": {"type": "2"}, "breakpoint": {"type": "5"},
}
SYSFS["uncore_imc_1"] = {**SYSFS["uncore_imc_0"], "type": "15"}
SYSFS["uncore_cha_1"] = {**SYSFS["uncore_cha_0"], "type": "31"}


def make_sysfs(work):
    for pmu, files in SYSFS.items():
        for name, content in files.items():
            path = work / "sys/bus/event_source/devices" / pmu / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content + "\n")


def make_trees(work, root, seeds):
    """Event files of a user in each layout: pieces of a seed, which tree_fuzz.cpp names."""
    source = (root / "tests/fuzz/tree_fuzz.cpp").read_text()
    layouts = {name: re.findall(r'"([^"]+)"', body) for name, body in re.findall(r"\* k(\w+)\[\] = {(.*?)};", source, re.S)}
    order = [layouts[name] for name in re.findall(r"FileTree\(k(\w+)\)", source)]
    with open(work / "trees", "w", encoding="utf-8") as trees:
        for n, content in enumerate(contents_of(seeds / "tree")):
            *pieces, cpu = content[1:].split(b"\0")
            for name, piece in zip(order[content[0] % len(order)], pieces):
                path = work / f"tree-{n}" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(piece)
            if (work / f"tree-{n}").exists() and re.fullmatch(rb"[\w,-]+", cpu):
                trees.write(f"tree-{n} {cpu.decode()}\n")


def changed(line):
    """A text with a letter less, another or twice, everywhere."""
    for i, letter in enumerate(line):
        yield line[:i] + line[i + 1:]
        yield line[:i] + chr(ord(letter) + 1) + line[i + 1:]
        yield line[:i] + letter + line[i:]


def make_texts(work, root, seeds):
    """Lists of event texts, right and wrong ones, and counts."""
    pfm4 = [line.split("\t")[0] for line in (root / "tests/data/pfm4-names.tsv").read_text().splitlines()]
    by_family = {}
    for name in pfm4 + [content.decode(errors="replace") for content in contents_of(seeds / "pfm4")]:
        by_family.setdefault(re.split("_unc_|::", name.lower())[0], []).append(name)
    (work / "texts").mkdir()
    for cpu, families in PFM4_FAMILIES.items():
        own = [name for family in families for name in by_family.get(family, [])]
        own += [other for name in own[::25] for other in changed(name)][::3] + [name.upper() for name in own[::3]]
        (work / f"texts/pfm4-{cpu}").write_text("\n".join(own) + "\n")
    for cpu, events in EVENTS.items():
        (work / f"texts/events-{cpu}").write_text("".join(other + "\n" for event in events for other in [*changed(event)][::4]))
    syntax = [content[1:] for content in contents_of(seeds / "syntax")]
    (work / "texts/syntax").write_bytes(b"\n".join(line for line in syntax if b"\n" not in line and b"\0" not in line) + b"\n")
    expressions = [re.sub(r"\s+", " ", content[8:].decode(errors="replace")) for content in contents_of(seeds / "metric")]
    (work / "texts/expressions").write_text("".join(line + "\n" for line in expressions if line.isprintable() and
                                                    not set(line) & set("=\u2423")))
    counts = contents_of(seeds / "counts")
    for name in ("perf-stat.csv", "perf-stat.txt", "perf-stat.json", "topdown-n1.csv"):
        content = (root / "tests/data" / name).read_bytes()
        (work / name).write_bytes(content)
        lines = content.splitlines(True)
        for at in places(content, 6):
            counts.append(content[:at])
            counts.append(content[:at] + content[at + 1:])
        counts.append(b"".join(lines[::2]))
    for n, content in enumerate(counts):
        (work / f"counts-{n}").write_bytes(content)
