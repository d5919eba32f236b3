"use strict";
// Searches the events of INDEX (catalogue.py): by words, by a raw code, by terms of perf's syntax. The query and the CPU
// are in the address, so that a search can be sent.

const SHOWN = 100;
const [form, words, cpu, found, results] = ["search", "words", "cpu", "found", "results"].map((id) => document.getElementById(id));
const haystacks = INDEX.events.map(([, name, text]) => `${name} ${INDEX.texts[text]}`.toLowerCase());

/** "event=0xd1,umask=0x20" as a map of numbers; null if it is something else. Terms that only say when to sample are left out. */
function termsOf(text) {
  const terms = new Map();
  for (const term of text.split(",")) {
    const [, name, value] = /^([\w-]+)(?:=(0x[0-9a-f]+|\d+))?$/i.exec(term.trim()) ?? [];
    if (!name) return null;
    if (name !== "period" && name !== "freq" && name !== "name") terms.set(name, BigInt(value ?? 1));
  }
  return terms;
}

const known = new Map();  // what termsOf() says of each text of the index

function knownTerms(text) {
  if (!known.has(text)) known.set(text, termsOf(text) ?? new Map());
  return known.get(text);
}

function sameTerms(a, b) {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].every((name) => (a.get(name) ?? 0n) === (b.get(name) ?? 0n));
}

/** What a query asks for: a test of an event's code, or of its texts. */
function queryOf(text) {
  const raw = /^(?:r|0x)([0-9a-f]+)$/i.exec(text);
  if (raw) {
    const config = "0x" + (raw[1].toLowerCase().replace(/^0+/, "") || "0");
    return { code: ([, , its]) => its === config };
  }
  const event = /^([\w-]+)\/(.*)\/\w*$/.exec(text);
  const terms = event && termsOf(event[2]);
  if (terms?.size)
    return { code: ([, pmu, , its]) => (pmu === event[1] || event[1] === "cpu" || pmu.startsWith(event[1])) && sameTerms(knownTerms(its), terms) };
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => word.includes("*")
    ? new RegExp(word.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("\\S*")) : word);
  return { text: (haystack) => parts.every((part) => (part.test ? part.test(haystack) : haystack.includes(part))) };
}

/** The events that a query means on a CPU (-1: any): [index, codes]. Those whose name begins like it come first, then those with
 * more of its words in their name, then short names. */
function search(text, model) {
  const query = queryOf(text.trim());
  const hits = [];
  INDEX.events.forEach((event, index) => {
    if (query.text && !query.text(haystacks[index])) return;
    const codes = event[3].filter((code) => (model < 0 || code[0].includes(model)) && (!query.code || query.code(code)));
    if (codes.length) hits.push([index, codes]);
  });
  const start = text.trim().toLowerCase(), parts = start.split(/\s+/);
  const rankOf = (name) => (name === start ? -2 : name.startsWith(start) ? -1 : parts.filter((part) => !name.includes(part)).length);
  const ranked = hits.map((hit) => [rankOf(INDEX.events[hit[0]][1]), INDEX.events[hit[0]][1].length, hit]);
  return ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , hit]) => hit);
}

function element(name, text, inside = []) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...inside);
  return made;
}

function row([index, codes], model) {
  const [arch, name, text] = INDEX.events[index];
  const link = element("a", name);
  link.href = `${INDEX.archs[arch]}/${name.replace(/[^\w.-]/g, "_")}.html`;
  const models = [...new Set(codes.flatMap((code) => code[0]))];
  const where = model >= 0 ? `${codes[0][1]}/${codes[0][3]}/, config ${codes[0][2]}`
    : models.slice(0, 8).map((one) => INDEX.models[one][0]).join(", ") + (models.length > 8 ? ` and ${models.length - 8} more` : "");
  return element("li", "", [link, ` ${INDEX.texts[text]}`, element("small", where)]);
}

function show() {
  const text = words.value, model = cpu.value === "" ? -1 : Number(cpu.value);
  const place = new URLSearchParams({ ...(text && { q: text }), ...(model >= 0 && { cpu: INDEX.models[model][0] }) });
  history.replaceState(null, "", place.size ? `#${place}` : location.pathname);
  const hits = text.trim() ? search(text, model) : [];
  found.textContent = !text.trim() ? "" : hits.length === 0 ? "No event is like this." :
    hits.length === 1 ? "1 event" : `${hits.length} events${hits.length > SHOWN ? `, the first ${SHOWN}` : ""}`;
  results.replaceChildren(...hits.slice(0, SHOWN).map((hit) => row(hit, model)));
}

function start() {
  cpu.append(...INDEX.models.map(([name, ...others], i) => {
    const option = element("option", others.length ? `${name} (${others.join(", ")})` : name);
    option.value = i;
    return option;
  }));
  const asked = new URLSearchParams(location.hash.slice(1));
  words.value = asked.get("q") ?? "";
  const model = INDEX.models.findIndex((names) => names.includes(asked.get("cpu")));
  if (model >= 0) cpu.value = model;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  words.addEventListener("input", show);
  cpu.addEventListener("change", show);
  show();
}

if (typeof document !== "undefined" && form) start();
