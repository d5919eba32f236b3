#!/usr/bin/env node
// The catalogue's search in headless Chromium: check-catalogue.js PLAYWRIGHT CHROMIUM FOLDER; in Firefox: check-catalogue.js
// PUPPETEER FIREFOX FOLDER firefox. It checks the hits and the time of each search, that the page reads nothing but the folder,
// and that a link holds its search.
"use strict";

const path = require("path");
const { pathToFileURL } = require("url");
const [library, executablePath, folder, kind = "chromium"] = process.argv.slice(2);
const PAGE = pathToFileURL(path.join(path.resolve(folder), "index.html")).href;
const SLOW = 50; // ms

const SEARCHES = [
  // query, CPU, the first that is found
  ["mem_load_retired.l3_miss", "", "mem_load_retired.l3_miss"],
  ["r20d1", "skylakex", "mem_load_retired.l3_miss"],
  ["0x20D1", "skx", "mem_load_retired.l3_miss"],
  ["r4f2e", "skylakex", "longest_lat_cache.reference"],
  ["cpu/event=0x2e,umask=0x4f/", "skylakex", "longest_lat_cache.reference"],
  ["cpu/umask=0x41,event=0x2e/", "icelakex", "longest_lat_cache.miss"],
  ["r11", "neoverse-n1", "cpu_cycles"],
  ["pm_run_cyc", "power10", "pm_run_cyc"],
  ["l3 miss retired loads", "skylakex", "mem_load_retired.l3_miss"],
  ["no_such_event", "", undefined],
];

async function main() {
  const how = { executablePath, args: kind === "chromium" ? ["--no-sandbox"] : [] };
  const launched = kind === "chromium" ? require(library).chromium.launch(how) : require(library).launch({ ...how, browser: kind });
  const browser = await launched;
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const faults = [];
  tab.on("pageerror", (error) => faults.push(String(error)));
  tab.on("request", (request) => request.url().startsWith("file:") || faults.push(`asks for ${request.url()}`));
  await tab.goto(PAGE);
  for (const [query, cpu, expected] of SEARCHES) {
    const seen = await tab.evaluate(([text, name]) => {
      const model = INDEX.models.findIndex((names) => names.some((one) => one === name || one.endsWith("/" + name)));
      if (name && model < 0) return { first: `no CPU ${name}` };
      document.getElementById("cpu").value = model < 0 ? "" : model;
      document.getElementById("words").value = text;
      let took = Infinity; // the best of five, as other processes run, too
      for (let i = 0; i < 5; ++i) {
        const begin = performance.now();
        search(text, model);
        took = Math.min(took, performance.now() - begin);
      }
      document.getElementById("words").dispatchEvent(new Event("input"));
      return { took, first: document.querySelector("#results a")?.textContent, link: document.querySelector("#results a")?.href };
    }, [query, cpu]);
    if (seen.first !== expected) faults.push(`'${query}' on '${cpu}' finds ${seen.first}, not ${expected}`);
    if (seen.took > SLOW) faults.push(`'${query}' takes ${seen.took} ms`);
    if (seen.link && !require("fs").existsSync(new URL(seen.link))) faults.push(`${seen.link} is not there`);
    console.log(`${query} on ${cpu || "any"}: ${seen.first}, ${seen.took?.toFixed(1)} ms`);
  }
  await tab.goto(`${PAGE}#q=r20d1&cpu=skylakex`);
  await tab.reload();
  const linked = await tab.evaluate(() => document.querySelector("#results a")?.textContent);
  if (linked !== "mem_load_retired.l3_miss") faults.push(`the link to a search shows ${linked}`);
  if (process.env.SHOTS)
    for (const [name, where, width] of [["index", PAGE, 1280], ["search", `${PAGE}#q=l3 miss`, 390], ["model", PAGE.replace("index", "cpu/skylakex"), 1280],
      ["event", PAGE.replace("index", "x86/mem_load_retired.l3_miss"), 1280], ["event-small", PAGE.replace("index", "x86/mem_load_retired.l3_miss"), 390]]) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto("about:blank");
      await tab.goto(where);
      await tab.screenshot({ path: path.join(process.env.SHOTS, `${name}.png`) });
    }
  await browser.close();
  faults.forEach((fault) => console.error(fault));
  process.exit(faults.length ? 1 : 0);
}

main();
