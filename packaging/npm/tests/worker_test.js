#!/usr/bin/env node
// evname/worker in a browser, as a page imports it: worker_test.js chromium|firefox PLAYWRIGHT_OR_PUPPETEER BROWSER PACKAGE FILE
// A server of this process has the package. Each thread asks for the tables that it needs; once all are loaded, the browser is
// offline. NODE_PATH has the library.
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");
const [kind, library, executablePath, folder, file] = process.argv.slice(2);
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const PAGE = `<!doctype html><title>test</title><input type="file" id="files"><script type="module">
import { load } from "./index.js";
import { start } from "./worker.js";
window.onDemand = async () => {
  const evname = await load();
  let missing;
  try { evname.machine("power9"); } catch (error) { missing = [error.kind, error.tables]; }
  const here = (await evname.withTables(() => evname.machine("power9"))).cpu.model;
  const worker = await start({ tablesAt: "./tables" });
  const there = (await worker.machine("skylakex", "names", 0x20d1)).names;
  worker.end();
  return { missing, here, there };
};
window.answer = async () => {
  const evname = await window.started, [one] = document.getElementById("files").files;
  const { page, warnings } = await evname.page([one]);
  const names = await evname.machine("skylakex", "names", 0x20d1);
  const rows = await evname.report([one], "event");
  const text = await evname.annotate(one, { format: "csv", limit: 1 });
  const error = await evname.page([new Blob(["PERFILE2"])]).catch((problem) => problem);
  return { page: new TextDecoder().decode(page).includes("cpu_cycles"), warnings, names: names.names, samples: rows[0].samples, lines: text.split("\\n").length, kind: error.kind, where: error.where };
};
window.begin = () => { window.started = start({ tables: "all" }); return window.started.then(() => true); };
document.title = "ready";
</script>`;

async function main() {
  const asked = [], tables = () => asked.splice(0).filter((name) => name.startsWith("tables/"));
  const server = http.createServer((request, response) => {
    const name = request.url.slice(1);
    asked.push(name);
    const body = name === "page.html" ? PAGE : fs.existsSync(path.join(folder, name)) ? fs.readFileSync(path.join(folder, name)) : null;
    response.writeHead(body === null ? 404 : 200, { "content-type": TYPES[path.extname(name)] ?? "text/plain" });
    response.end(body ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const found = require(library), how = { executablePath, args: ["--no-sandbox"], headless: true };
  const browser = await (kind === "chromium" ? found.chromium.launch(how) : found.launch({ ...how, browser: "firefox" }));
  const tab = await browser.newPage();
  await tab.goto(`http://127.0.0.1:${server.address().port}/page.html`);
  for (let i = 0; i < 300 && (await tab.title()) === "test"; ++i) await new Promise((resolve) => setTimeout(resolve, 100));
  if ((await tab.title()) !== "ready") throw new Error(await tab.title());
  require("assert").deepStrictEqual(await tab.evaluate(() => window.onDemand()), { missing: ["not found", "powerpc"], here: "power9", there: ["mem_load_retired.l3_miss"] });
  require("assert").deepStrictEqual(tables(), ["tables/powerpc.bin", "tables/x86.bin"]);
  await tab.evaluate(() => window.begin());
  require("assert").deepStrictEqual(tables().length, fs.readdirSync(path.join(folder, "tables")).length);
  server.close();
  server.closeAllConnections();
  const input = await tab.$("#files");
  await (kind === "chromium" ? input.setInputFiles([file]) : input.uploadFile(file));
  const seen = await tab.evaluate(() => window.answer());
  const expected = { page: true, warnings: [], names: ["mem_load_retired.l3_miss"], samples: 239, lines: 3, kind: "corrupt", where: "perf.data" };
  console.log(JSON.stringify(seen));
  require("assert").deepStrictEqual(seen, expected);
  await browser.close();
}

main().catch((error) => { console.error(error); process.exit(1); });
