"""The catalogue of events: pages of each CPU model and of each event, made from the command's tables, and a search over
all of them. Nothing but the search needs JavaScript, and no page needs a server."""

import collections
import concurrent.futures
import html
import json
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
VENDORS = {"arm": "Arm, 32 bits", "arm64": "Arm, 64 bits", "powerpc": "POWER", "riscv": "RISC-V", "s390": "IBM Z", "x86": "x86"}
NEUTRAL = re.compile(r"^period=")


def lines_of(evname, *words, text=None):
    done = subprocess.run([evname, *words, "--json", "--no-user-events"], input=text, capture_output=True, encoding="utf-8")
    return [json.loads(line) for line in done.stdout.splitlines()]


def meaning(terms):
    """The terms as numbers, without what changes no code: equal for texts of the same event."""
    out = []
    for term in filter(None, terms.split(",")):
        name, _, value = term.partition("=")
        if name == "period":
            continue
        out.append((name, int(value or "1", 0) if re.fullmatch(r"(0x[0-9a-fA-F]+|\d*)", value) else value))
    return frozenset(out)


def counters_of(arch, model):
    """EVENT -> what the makers' files say of counters."""
    counters = {}
    for path in sorted((ROOT / "arch" / arch / model).glob("*.json")):
        for entry in json.loads(path.read_text()):
            if entry.get("EventName") and entry.get("Counter"):
                counters[entry["EventName"].lower()] = entry["Counter"]
    return counters


def model_facts(evname, cpu):
    """Reads the events of a model: (cpu, events), each with its code, counters, metrics and libpfm4's name."""
    name = cpu["model"]
    events = [event for event in lines_of(evname, "list", "--cpu", name) if event["model"] not in ("", "common")]
    texts = "\n".join(f"{event['pmu']}/{event['name']}/" for event in events)
    for event, code in zip(events, lines_of(evname, "resolve", "--cpu", name, "-", text=texts), strict=True):
        event["code"] = code
    pfm4 = {(event["pmu"], meaning(event["terms"])): event["name"]
            for event in reversed(lines_of(evname, "list", "--cpu", name, "--style", "pfm4"))}
    metrics = collections.defaultdict(list)
    for metric in lines_of(evname, "metrics", "--cpu", name):
        for word in set(re.findall(r"[A-Za-z_][\w.]+", metric["expr"].replace("\\", ""))):
            metrics[word.lower()].append(metric["name"])
    counters = counters_of(cpu["arch"], name)
    for event in events:
        event["pfm4"] = pfm4.get((event["pmu"], meaning(event["terms"])), "")
        event["metrics"] = sorted(metrics.get(event["name"], []))
        event["counters"] = counters.get(event["name"], "")
    return cpu, events


def page(title, depth, body):
    up = "../" * depth
    return (f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{html.escape(title)}"
            f"</title><link rel=stylesheet href={up}events.css><nav><a href={up}../index.html>evname</a> / <a href={up}index.html>events</a>"
            f"</nav>{body}</html>\n")


def file_of(name):
    """A name as a file's: without what file systems and links take otherwise."""
    return re.sub(r"[^\w.\-]", "_", name)


def perf_event(event):
    terms = ",".join(term for term in event["terms"].split(",") if not NEUTRAL.match(term))
    return f"{event['pmu']}/{terms}/"


def code_text(event):
    code = event["code"]
    if "config" not in code:
        return ""
    return " ".join([code["config"], *(f"config{i}={code[f'config{i}']}" for i in (1, 2, 3) if code[f"config{i}"] != "0x0")])


def sampling(event):
    words = [f"precise: {event['precise']}"] if event["precise"] else []
    words += ["address of the data"] if event["precise_address"] else []
    words += [f"errata: {event['errata']}"] if event["errata"] else []
    words += ["deprecated"] if event["deprecated"] else []
    return ", ".join(words)


class Catalogue:
    def __init__(self, evname, folder):
        self.evname, self.folder = evname, folder
        self.cpus = lines_of(evname, "list", "--cpus")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.models = list(pool.map(lambda cpu: model_facts(evname, cpu), self.cpus))
        self.pages = collections.defaultdict(list)  # (arch, event) -> [(model, event)]
        for cpu, events in self.models:
            for event in events:
                self.pages[cpu["arch"], event["name"]].append((cpu["model"], event))

    def write(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name in ("events.css", "events.js"):
            shutil.copy(HERE / name, self.folder)
        for cpu, events in self.models:
            self.put(f"cpu/{file_of(cpu['model'])}.html", self.model_page(cpu, events))
        for (arch, name), where in self.pages.items():
            self.put(f"{arch}/{file_of(name)}.html", self.event_page(arch, name, where))
        self.put("index.html", self.index_page())
        self.put("events-index.js", "const INDEX = " + json.dumps(self.index(), separators=(",", ":"), ensure_ascii=False) + ";\n")

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def model_page(self, cpu, events):
        names = f"<p>Also called {html.escape(', '.join(cpu['names']))}." if cpu["names"] else ""
        patterns = ", ".join(f"<code>{html.escape(pattern)}</code>" for pattern in cpu["patterns"])
        out = [f"<h1>{cpu['model']}</h1>{names}<p>{len(events)} events from {html.escape(cpu['source'])}.<p>CPUID strings: {patterns}."]
        by_pmu = collections.defaultdict(list)
        for event in events:
            by_pmu[event["pmu"]].append(event)
        for pmu, rows in sorted(by_pmu.items(), key=lambda item: (-len(item[1]), item[0])):
            out.append(f"<h2 id={pmu}>{pmu}</h2><table><tr><th>event<th>config<th>what it counts")
            out += [f"<tr><td><a href=../{cpu['arch']}/{file_of(event['name'])}.html>{html.escape(event['name'])}</a>"
                    f"<td>{code_text(event)}<td>{html.escape(event['desc'])}" for event in sorted(rows, key=lambda row: row["name"])]
            out.append("</table>")
        return page(f"Events of {cpu['model']}", 1, "\n".join(out))

    def event_page(self, arch, name, where):
        """Models whose facts are the same are one part of the page; what the event counts on most of them is above all."""
        about = collections.Counter(event["desc"] for _, event in where).most_common(1)[0][0]
        parts = collections.defaultdict(dict)
        for model, event in where:
            facts = (("counts", event["desc"] if event["desc"] != about else ""), ("perf stat -e", perf_event(event)),
                     ("config", code_text(event)), ("sampling", sampling(event)), ("counters", event["counters"]),
                     ("metrics", ", ".join(event["metrics"])))
            parts[tuple(fact for fact in facts if fact[1])][model] = event["pfm4"]
        out = [f"<h1>{html.escape(name)}</h1><p>{html.escape(about)}"]
        for facts, models in parts.items():
            out.append("<dl><dt>on<dd>" + ", ".join(f"<a href=../cpu/{file_of(model)}.html>{model}</a>" for model in models))
            out += [f"<dt>{key}<dd>{html.escape(value)}" for key, value in facts]
            if pfm4 := ", ".join(dict.fromkeys(filter(None, models.values()))):
                out.append(f"<dt>libpfm4<dd>{html.escape(pfm4)}")
            out.append("</dl>")
        return page(f"{name} on {arch}", 1, "\n".join(out))

    def index_page(self):
        out = ["<h1>Events of all CPUs</h1><p>Each event with its description, its code, and the CPUs that have it. The search takes names, words of a "
               "description, raw codes (<code>r20d1</code>, <code>0x20d1</code>) and <code>cpu/event=0xd1,umask=0x20/</code>.",
               "<form id=search hidden><input id=words type=search size=50 autofocus placeholder='l3 miss, mem_load*, r4f2e'> on <select id=cpu>"
               "<option value=''>any CPU</select></form><p id=found><ol id=results></ol>",
               "<noscript><p>The search needs JavaScript; the lists below don't.</noscript>"]
        by_arch = collections.defaultdict(list)
        for cpu, events in self.models:
            by_arch[cpu["arch"]].append((cpu, len(events)))
        for arch, rows in sorted(by_arch.items(), key=lambda item: -len(item[1])):
            out.append(f"<h2>{VENDORS.get(arch, arch)}</h2><table><tr><th>CPU<th>short names<th>events<th>from")
            out += [f"<tr><td><a href=cpu/{file_of(cpu['model'])}.html>{cpu['model']}</a><td>{html.escape(', '.join(cpu['names']))}<td>{count}"
                    f"<td>{html.escape(cpu['source'])}" for cpu, count in rows]
            out.append("</table>")
        out.append("<script src=events-index.js></script><script src=events.js></script>")
        return page("Events of all CPUs", 0, "\n".join(out))

    def index(self):
        """What the search reads: models; texts; and [arch, name, text, [[models, PMU, config, terms]…]] of each event."""
        model_at = {cpu["model"]: i for i, cpu in enumerate(self.cpus)}
        archs, texts, events = sorted({cpu["arch"] for cpu in self.cpus}), {}, []
        for (arch, name), where in self.pages.items():
            codes = collections.defaultdict(list)
            for model, event in where:
                codes[event["pmu"], event["code"].get("config", ""), perf_event(event).split("/", 1)[1][:-1]].append(model_at[model])
            text = texts.setdefault(where[0][1]["desc"], len(texts))
            events.append([archs.index(arch), name, text, [[models, *code] for code, models in codes.items()]])
        return {"models": [[cpu["model"], *cpu["names"]] for cpu in self.cpus], "archs": archs, "texts": list(texts), "events": events}


def write_catalogue(evname, folder):
    catalogue = Catalogue(evname, folder)
    catalogue.write()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"catalogue: {len(catalogue.models)} models, {len(catalogue.pages)} events, {size / 1e6:.1f} MB")
