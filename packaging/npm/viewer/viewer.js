// The viewer: files that are dropped go to a worker, and the page that it makes of them is shown in a frame.
"use strict";

const element = (id) => document.getElementById(id);
const say = (text) => { element("state").textContent = text; };
const shown = { recordings: [], beside: [], page: null };

/** The module, which is in this page as gzip in base64. */
async function moduleBytes() {
  const packed = Uint8Array.from(atob(element("module").textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

let worker = null, starting = null;
function started() {
  starting ??= (async () => {
    worker = new Worker(URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" })));
    const module = await moduleBytes();
    return start({ module, worker });
  })();
  return starting;
}

async function isRecording(file) {
  const magic = new TextDecoder("latin1").decode(await file.slice(0, 8).arrayBuffer());
  return magic === "PERFILE2" || magic === "2ELIFREP";
}

async function take(files) {
  const recordings = [], beside = [];
  for (const file of files) (await isRecording(file) ? recordings : beside).push(file);
  if (recordings.length > 0) shown.recordings = recordings;
  if (recordings.length > 0) shown.beside = beside;
  else shown.beside.push(...beside);
  element("error").textContent = "";
  if (shown.recordings.length === 0) {
    element("error").textContent = `${files.map((file) => file.name).join(", ")}: no perf.data is among these`;
    return;
  }
  await show();
}

async function show() {
  const { recordings, beside } = shown, begin = performance.now();
  element("names").textContent = recordings.map((file) => file.name).join(", ");
  element("drop").hidden = false;
  document.querySelector("iframe")?.remove();
  say(`Reading ${(recordings.reduce((sum, file) => sum + file.size, 0) / 1e6).toFixed(1)} MB…`);
  try {
    const { page, warnings, problems } = await (await started()).page(recordings, { beside });
    const url = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    const frame = document.createElement("iframe");
    frame.title = "Report";
    frame.src = url;
    frame.onload = () => { document.body.dataset.took = ((performance.now() - begin) / 1000).toFixed(2); };
    document.body.append(frame);
    element("drop").hidden = true;
    if (shown.page) URL.revokeObjectURL(shown.page);
    shown.page = url;
    Object.assign(element("save"), { href: url, download: recordings[0].name + ".html", hidden: false });
    tell([...warnings, ...problems]);
  } catch (error) {
    element("error").textContent = error.message;
    if (error.kind === undefined) starting = null; // the worker itself could not go on
  }
  say("");
}

/** What could not be used, such as files without symbols and their build ids. */
function tell(notes) {
  const list = element("notes");
  list.hidden = notes.length === 0;
  list.querySelector("summary").textContent = notes.length === 1 ? "1 note" : notes.length + " notes";
  list.querySelector("ul").replaceChildren(...notes.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

element("choose").onclick = () => element("files").click();
element("files").onchange = ({ target }) => {
  const files = [...target.files];
  target.value = ""; // so that the same file can be chosen again, after it was recorded anew
  take(files);
};
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
addEventListener("dragleave", () => document.body.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  take([...event.dataTransfer.files]);
});
addEventListener("paste", (event) => event.clipboardData.files.length > 0 && take([...event.clipboardData.files]));
started().catch((error) => { element("error").textContent = error.message; });
