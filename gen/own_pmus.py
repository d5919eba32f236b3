#!/usr/bin/env python3
"""Writes the PMUs that libpfm4 lacks, in its style, from the events of arch/: arch/pfm4/own_pmus.csv and a table
own_*.csv for each. "A.B" of the makers is the event A with the unit mask B. Run it after arch/ changes.
Arguments: the source root; --check: nothing is written, and 1 is returned if a file is not as it would be."""

import collections
import csv
import io
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
CHECK = "--check" in sys.argv
OUT = ROOT / "arch" / "pfm4"
FIRST_ID = 700  # libpfm4 of August 2026 ends with 699

# In the order of their numbers, which programs keep: new ones come last. Name, description, model, unit, CPUs, counters, fixed
# counters, name in sysfs. The short name of the CPU and the kind of core.
INTEL = [
    ("mtl_core", "Intel MeteorLake RedwoodCove (P-Core)", "meteorlake", "cpu_core", "aa,ac,b5", 8, 4, "cpu_core"),
    ("mtl_atom", "Intel MeteorLake Crestmont (E-Core)", "meteorlake", "cpu_atom", "aa,ac,b5", 8, 3, "cpu_atom"),
    ("arl_core", "Intel ArrowLake LionCove (P-Core)", "arrowlake", "cpu_core", "c5,c6", 10, 4, "cpu_core"),
    ("arl_atom", "Intel ArrowLake Skymont (E-Core)", "arrowlake", "cpu_atom", "c5,c6", 8, 3, "cpu_atom"),
    ("arl_lowpower", "Intel ArrowLake Crestmont (LP E-Core)", "arrowlake", "cpu_lowpower", "c5,c6", 8, 3, "cpu_lowpower"),
    ("lnl_core", "Intel LunarLake LionCove (P-Core)", "lunarlake", "cpu_core", "bd", 10, 4, "cpu_core"),
    ("lnl_atom", "Intel LunarLake Skymont (E-Core)", "lunarlake", "cpu_atom", "bd", 8, 3, "cpu_atom"),
    ("ptl_core", "Intel PantherLake CougarCove (P-Core)", "pantherlake", "cpu_core", "cc,d5,e5", 10, 4, "cpu_core"),
    ("ptl_atom", "Intel PantherLake Darkmont (E-Core)", "pantherlake", "cpu_atom", "cc,d5,e5", 8, 7, "cpu_atom"),
    ("nvl_core", "Intel NovaLake CoyoteCove (P-Core)", "novalake", "cpu_core", "18-1,3", 10, 4, "cpu_core"),
    ("nvl_atom", "Intel NovaLake ArcticWolf (E-Core)", "novalake", "cpu_atom", "18-1,3", 8, 7, "cpu_atom"),
    ("srf", "Intel SierraForest Crestmont", "sierraforest", None, "af", 8, 3, ""),
    ("grr", "Intel GrandRidge Crestmont", "grandridge", None, "b6", 8, 3, ""),
    ("cwf", "Intel ClearwaterForest Darkmont", "clearwaterforest", None, "dd", 8, 7, ""),
    ("adl_n", "Intel AlderLake-N Gracemont", "alderlaken", None, "be", 6, 3, ""),
    ("glp", "Intel Goldmont Plus", "goldmontplus", None, "7a", 4, 3, ""),
]
# Models of Arm and others, by the folder (without one: of Arm); the CPUs come from the mapfile.
ARM = ["c1-ultra", "c1-premium", "c1-pro", "c1-nano", "cortex-a34", "cortex-a35", "cortex-a510", "cortex-a520", "cortex-a65-e1",
       "cortex-a65ae", "cortex-a710", "cortex-a715", "cortex-a720", "cortex-a73", "cortex-a75", "cortex-a76ae", "cortex-a77",
       "cortex-a78", "cortex-a78c", "cortex-r82", "cortex-x1", "cortex-x1c", "cortex-x2", "cortex-x3", "neoverse-v3ae",
       "ampere/ampereone", "ampere/ampereonex", "rainier"]
# Models of 32-bit Arm that run Linux, their counters, and if they count user space and the kernel apart.
ARM32 = {"cortex-a5": (2, False), "cortex-a17": (6, True), "cortex-a32": (6, True)}
LABELS = {"ampereone": "AmpereOne", "ampereonex": "AmpereOneX"}

HEADING = "event,mask,code,group,flags,modifiers,required,only,alias,filter0,filter1".split(",")
PMU_HEADING = "id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,revision,cpu,perf".split(",")
OFFCORE, LATENCY, FRONTEND = "0x1a6,0x1a7", "0x3F6", "0x3F7"
INTEL_MODIFIERS = "k u e i c"
# Events of fixed counters have other codes in Intel's files than the kernel takes: its jevents.py has them by name.
KERNEL_CODES = {"INST_RETIRED.ANY": ("0xc0", "0"), "CPU_CLK_UNHALTED.THREAD": ("0x3c", "0"), "CPU_CLK_UNHALTED.CORE": ("0x3c", "0"),
                "CPU_CLK_UNHALTED.REF": ("0x00", "0x03")}


def number(text):
    return int(text, 0) if text else 0


def events_of(folder):
    for path in sorted(folder.glob("*.json")):
        for entry in json.loads(path.read_text()):
            if "EventName" in entry or "ArchStdEvent" in entry:
                yield entry


def code_of(entry):
    """The unit mask and modifiers of an event of Intel, where they are in perfevtsel."""
    mask = number(entry.get("UMask"))  # its upper byte is in bits 40 to 47, as UMaskExt is
    return ((mask & 0xff) << 8 | mask >> 8 << 40 | number(entry.get("UMaskExt")) << 40 |
            number(entry.get("CounterMask")) << 24 | number(entry.get("Invert")) << 23 | number(entry.get("AnyThread")) << 21 | number(entry.get("EdgeDetect")) << 18)


def fixed_modifiers(entry):
    return " ".join(letter for letter, key in (("e", "EdgeDetect"), ("i", "Invert"), ("c", "CounterMask")) if number(entry.get(key)))


class Event:
    def __init__(self, name, code, flags=(), modifiers=INTEL_MODIFIERS):
        self.name, self.code, self.flags, self.modifiers, self.masks = name, code, list(flags), modifiers, []

    def rows(self):
        if any("pebs" in mask[2].split() for mask in self.masks) and "pebs" not in self.flags:
            self.flags.insert(0, "pebs")
        yield [self.name, "", hex(self.code), "1" if self.masks else "", " ".join(self.flags), self.modifiers]
        for name, code, flags, modifiers in self.masks:
            if len(self.masks) == 1:
                flags = flags.replace("ncombo", "dfl")
            yield ["", name, hex(code), "", flags, modifiers]


class IntelTable:
    # The events of Intel's architecture, which libpfm4 has on each core by these names.
    ARCHITECTURAL = [["UNHALTED_CORE_CYCLES", "", "0x3c"], ["UNHALTED_REFERENCE_CYCLES", "", "0x300", "", "fixed", "k u"],
                     ["INSTRUCTION_RETIRED", "", "0xc0"],
                     ["INSTRUCTIONS_RETIRED", "", "0xc0", "", "", INTEL_MODIFIERS, "", "", "INSTRUCTION_RETIRED"],
                     ["LLC_REFERENCES", "", "0x4f2e"], ["LLC_MISSES", "", "0x412e"],
                     ["BRANCH_INSTRUCTIONS_RETIRED", "", "0xc4"], ["MISPREDICTED_BRANCH_RETIRED", "", "0xc5"]]

    def __init__(self):
        self.events = {}

    def event(self, name, code, flags=(), modifiers=INTEL_MODIFIERS):
        return self.events.setdefault(name, Event(name, code, flags, modifiers))

    def add_all(self, entries):
        plain = collections.defaultdict(list)
        for entry in entries:
            register = entry.get("MSRIndex", "0")
            if register in ("", "0", "0x00"):
                plain[entry["EventName"].partition(".")[0]].append(entry)
            elif register.lower() == OFFCORE:
                self.add_offcore(entry)
            elif register.lower() == LATENCY.lower():
                self.add_latency(entry)
            elif register.lower() == FRONTEND.lower():
                self.add_frontend(entry)
        for name, group in plain.items():
            self.add_group(name, group)
        return self

    @staticmethod
    def mask_name(entry):
        return entry["EventName"].partition(".")[2].replace(".", "_").upper()

    @staticmethod
    def flags(entry, *more):
        return " ".join(["ncombo"] + (["pebs"] if entry.get("Data_LA") or number(entry.get("PEBS")) else []) + list(more))

    def add_offcore(self, entry):
        select = number(entry["EventCode"].split(",")[0]) | number(entry["UMask"].split(",")[0]) << 8
        event = self.event(entry["EventName"].partition(".")[0].upper(), select, ["offcore"])
        event.masks.append((self.mask_name(entry), number(entry["MSRValue"]) << 8, "ncombo", ""))

    def add_latency(self, entry):
        """All thresholds are one unit mask, with the modifier ldlat."""
        prefix, _, rest = entry["EventName"].partition(".")
        name = re.sub(r"_GT_\d+$", "", rest.upper())
        event = self.event(prefix.upper(), number(entry["EventCode"]), ["pebs"], "k u e i c ldlat")
        event.modifiers = "k u e i c ldlat"
        if name not in [mask[0] for mask in event.masks]:
            event.masks.append((name, number(entry["UMask"]) << 8, "ncombo pebs ldlat", ""))

    def add_frontend(self, entry):
        """The register's value takes the place of the unit mask, so that events with another unit mask are events of their own."""
        select = number(entry["EventCode"]) | number(entry["UMask"]) << 8
        name, _, rest = entry["EventName"].upper().partition(".")
        usual = name == "FRONTEND_RETIRED"
        known = self.events.get(name)
        if not usual or (known and known.code != select):
            name, rest = entry["EventName"].upper().replace(".", "_"), "ANY"
        event = self.event(name, select, ["pebs", "frontend"], "k u e i c fe_thres")
        takes_threshold = re.match(r"LATENCY_GE_\d+$", rest)
        event.masks.append((rest, number(entry["MSRValue"]) << 8, "ncombo pebs" + (" fethr" if takes_threshold else ""),
                            "fe_thres" if takes_threshold else ""))

    def add_group(self, name, group):
        codes = collections.Counter(number(entry.get("EventCode")) for entry in group)
        select = codes.most_common(1)[0][0]
        known = self.events.get(name.upper())
        if known and known.flags and known.flags[-1] in ("offcore", "frontend"):
            return
        event = known or self.event(name.upper(), select)
        for entry in group:
            code, own = code_of(entry), number(entry.get("EventCode"))
            if "." not in entry["EventName"]:
                self.event(name.upper(), own).code = own | code
                continue
            override = ["override"] if own != event.code else []
            event.masks.append((self.mask_name(entry), code | (own if override else 0), self.flags(entry, *override), fixed_modifiers(entry)))

    def rows(self):
        for row in self.ARCHITECTURAL:
            yield row if len(row) > 3 else row + ["", "", INTEL_MODIFIERS]
        for name in sorted(self.events):
            yield from self.events[name].rows()


def intel_rows(model, unit):
    entries = [e for e in events_of(ROOT / "arch" / "x86" / model) if e.get("Unit") == unit and not number(e.get("Deprecated"))]
    for entry in entries:
        if entry["EventName"].upper() in KERNEL_CODES:
            entry["EventCode"], entry["UMask"] = KERNEL_CODES[entry["EventName"].upper()]
    return list(IntelTable().add_all(entries).rows())


def arm_standard():
    out = {}
    for name in ("recommended.json", "common-and-microarch.json"):
        for entry in json.loads((ROOT / "arch" / "arm64" / name).read_text()):
            out[entry["EventName"]] = entry
    return out


def arm_rows(folder, standard, modifiers="k u hv"):
    codes = {}
    for entry in events_of(ROOT / "arch" / folder):
        entry = standard[entry["ArchStdEvent"]] if "ArchStdEvent" in entry else entry
        codes.setdefault(entry["EventName"].upper(), number(entry["EventCode"]))
    return [[name, "", hex(code), "", "", modifiers] for name, code in sorted(codes.items(), key=lambda item: item[::-1])]


def arm_cpus(folder):
    out = []
    arch, _, model = folder.partition("/")
    for row in csv.reader((ROOT / "arch" / arch / "mapfile.csv").open()):
        if len(row) > 2 and row[2] == model:
            midr = int(row[0], 16)
            out.append(f"Arm-{midr >> 24 & 0xff:x}-{midr >> 4 & 0xfff:x}")
    return " ".join(out)


def csv_text(heading, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heading)
    for row in rows:
        while row and row[-1] == "":
            row = row[:-1]
        writer.writerow(row)
    return out.getvalue()


def intel_cpus(models):
    return "GenuineIntel-" + (models if "-" in models else "6-" + models)


def files():
    """Every file by its name."""
    out, pmus = {}, []
    for name, label, model, unit, cpus, counters, fixed, perf in INTEL:
        rows = intel_rows(model, unit)
        out[f"own_{name}.csv"] = csv_text(HEADING, rows)
        flags = "raw-masks edge-cmask extended-pebs" if unit == "cpu_core" else "raw-masks"
        pmus.append([name, label, "x86", f"own_{name}", sum(row[0] != "" for row in rows), "intel", "core", "ku", counters, fixed, 2,
                     flags, "", intel_cpus(cpus), perf])
    standard = arm_standard()
    folders = ["arm64/" + model if "/" in model else "arm64/arm/" + model for model in ARM] + ["arm/" + model for model in ARM32]
    for folder in folders:
        arch, _, path = folder.partition("/")
        model = path.rpartition("/")[2]
        counters, has_levels = ARM32.get(model, (6, True))
        name = "arm_" + model.replace("neoverse-", "").replace("cortex-", "").replace("-", "_")
        rows = arm_rows(folder, standard, "k u hv" if has_levels else "")
        out[f"own_{name}.csv"] = csv_text(HEADING, rows)
        label = LABELS.get(model) or "ARM " + " ".join(part.upper() if any(c.isdigit() for c in part) else part.capitalize()
                                                       for part in model.split("-"))
        pmus.append([name, label, arch if arch == "arm64" else "arm arm64", f"own_{name}", len(rows), "arm", "core",
                     "kuh" if has_levels else "", counters, 0, 1, "", "", arm_cpus(folder), ""])
    out["own_pmus.csv"] = csv_text(PMU_HEADING, [[FIRST_ID + i] + row for i, row in enumerate(pmus)])
    return out


def main():
    stale = [name for name, text in files().items() if not (OUT / name).is_file() or (OUT / name).read_text() != text]
    if CHECK:
        for name in stale:
            print(f"arch/pfm4/{name} is not what arch/ says: run gen/own_pmus.py", file=sys.stderr)
        return 1 if stale else 0
    for name, text in files().items():
        (OUT / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
