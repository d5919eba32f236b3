#!/usr/bin/env node
// The viewer in a browser, without a display: viewer_test.js chromium|firefox PLAYWRIGHT_OR_PUPPETEER BROWSER VIEWER.html
//   SECONDS_AT_MOST FILE… [-- FILE…]    (NODE_PATH has the library)
// The files are chosen at once; those after -- are chosen afterwards. The page has to be there in so many seconds, and nothing
// may be asked of any network: by what the browser sees, and by its refusal when the page itself tries to. At last, a program
// that is chosen after its recording has its instructions decoded.
"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");
const { pathToFileURL } = require("url");
const [kind, library, executablePath, viewer, most, ...words] = process.argv.slice(2);
const split = words.includes("--") ? words.indexOf("--") : words.length;
const [files, later] = [words.slice(0, split), words.slice(split + 1)];

async function open() {
  const found = require(library);
  const how = { executablePath, args: ["--no-sandbox"], headless: true };
  return kind === "chromium" ? found.chromium.launch(how) : found.launch({ ...how, browser: "firefox" });
}

/** Chooses files in the viewer, waits for its page, and returns its frame and how long that took. */
async function choose(tab, paths) {
  await tab.evaluate(() => { delete document.body.dataset.took; document.getElementById("error").textContent = ""; });
  const input = await tab.$("#files");
  if (kind === "chromium") await input.setInputFiles(paths);
  else await input.uploadFile(...paths);
  for (let i = 0; i < 1200; ++i) {
    const state = await tab.evaluate(() => ({ took: document.body.dataset.took, error: document.getElementById("error").textContent }));
    if (state.error) throw new Error(state.error);
    if (state.took) {
      const frame = await (await tab.$("iframe")).contentFrame();
      return { took: Number(state.took), total: await frame.$eval("#total", (one) => one.textContent), tabs: await frame.$$eval("#tabs button", (all) => all.map((one) => one.textContent)), frame };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("no page after two minutes");
}

/** Returns the instructions that the page shows of a function of a program, before and after the program is chosen. */
async function instructions(tab) {
  const program = path.resolve(__dirname, "../../../tests/fuzz/elf/x86.so"), folder = fs.mkdtempSync(path.join(os.tmpdir(), "evname-viewer-"));
  const { recordingAt, segmentsOf } = await import("./recording_at.mjs"), recording = path.join(folder, "perf.data");
  fs.writeFileSync(recording, recordingAt("/somewhere/x86.so", segmentsOf(fs.readFileSync(program)), [0x1000041d]));
  const shown = [];
  try {
    for (const one of [recording, program]) {
      const { frame } = await choose(tab, [one]);
      shown.push(await frame.evaluate(() => {
        document.getElementById("tab-instructions").click();
        return [...document.querySelectorAll("#instruction-list tbody tr")].map((line) => line.cells[line.cells.length - 1].innerText.trim());
      }));
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  return shown;
}

async function main() {
  const browser = await open(), faults = [];
  const tab = await browser.newPage();
  tab.on("pageerror", (error) => /blocked the loading .*127\.0\.0\.1:9/.test(error) || faults.push(String(error))); // as asked below
  tab.on("request", (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`asks for ${request.url()}`));
  await tab.goto(pathToFileURL(path.resolve(viewer)).href);
  let seen = await choose(tab, files);
  const first = seen;
  // The page takes dropped files, too, and refuses a file that is no recording.
  const refused = await tab.evaluate(async () => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(["no recording"], "notes.txt"));
    shown.recordings = [];
    dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
    for (let i = 0; i < 100 && !document.getElementById("error").textContent; ++i) await new Promise((resolve) => setTimeout(resolve, 50));
    return document.getElementById("error").textContent;
  });
  if (refused !== "notes.txt: no perf.data is among these") faults.push(`a text that is dropped: '${refused}'`);
  seen = await choose(tab, files);
  if (later.length > 0) seen = await choose(tab, later);
  const functions = await seen.frame.evaluate(() => {
    document.getElementById("tab-functions").click();
    return [...document.querySelectorAll("#function-table tbody tr")].slice(0, 5).map((line) => [...line.cells].map((cell) => cell.innerText.trim()).join(" "));
  });
  const notes = await tab.$$eval("#notes li", (all) => all.map((one) => one.textContent));
  // The browser refuses every request from the viewer and from the page in it.
  const asked = async (where) => where.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "sent", (error) => error.name));
  const refusals = await tab.evaluate(() => new Promise((resolve) => {
    const all = [];
    addEventListener("securitypolicyviolation", (event) => { all.push(event.effectiveDirective); resolve(all); });
    fetch("http://127.0.0.1:9/").catch(() => {});
    setTimeout(() => resolve(all), 3000);
  }));
  if (refusals[0] !== "connect-src") faults.push(`a request of the viewer is not refused: ${refusals}`);
  const inner = await asked(seen.frame);
  if (inner !== "TypeError") faults.push(`a request of the page is not refused: ${inner}`);
  if (process.env.SHOT) await tab.screenshot({ path: process.env.SHOT });
  const [without, decoded] = await instructions(tab), decodes = fs.existsSync(path.join(path.dirname(viewer), "package/tables/capstone.bin"));
  if (without.join() !== "(unknown)") faults.push(`instructions without their program: ${without}`);
  if (decodes && !decoded.includes("call 0x340 <first@plt>")) faults.push(`instructions of the program: ${decoded}`);
  if (!(first.took <= Number(most))) faults.push(`it took ${first.took} s, more than ${most}`);
  console.log(JSON.stringify({ took: first.took, total: seen.total, tabs: seen.tabs, functions, notes, faults }, null, 1));
  await browser.close();
  process.exitCode = faults.length > 0 ? 1 : 0;
}

main().catch((error) => { console.error(error); process.exit(1); });
