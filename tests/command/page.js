// Drives a page of `evname report --html` in headless Chromium, as a user would, and prints what it shows as JSON.
// Arguments: Chromium, the page, a folder for screenshots (may be missing). playwright-core is found by NODE_PATH.
"use strict";
const {chromium} = require("playwright-core");
const path = require("path");

const [, , executablePath, file, shots] = process.argv;
const rows = (page, table) => page.$$eval(`#${table} tbody tr`, lines => lines.map(line => [...line.cells].map(cell => cell.innerText.trim())));

async function main() {
  const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
  const page = await browser.newPage({viewport: {width: 1300, height: 900}});
  const seen = {errors: [], requests: []};
  page.on("pageerror", error => seen.errors.push(String(error.stack)));
  page.on("console", message => { if (message.type() === "error") seen.errors.push(message.text()); });
  page.on("request", request => { if (!request.url().startsWith("file://")) seen.requests.push(request.url()); });
  const shoot = async name => { if (shots) await page.screenshot({path: path.join(shots, name + ".png"), fullPage: true}); };
  await page.goto("file://" + path.resolve(file));
  seen.events = await rows(page, "event-table");
  seen.threads = await rows(page, "thread-table");
  seen.cpus = await rows(page, "cpu-table");
  seen.functions = await rows(page, "function-table");
  seen.rows = await rows(page, "row-table");
  seen.compares = await page.$$eval("#flame-event, #flame-other", lists => lists.map(list => list.selectedOptions[0].textContent));
  seen.title = await page.textContent("#rows-title");
  seen.links = await page.$$eval("nav a", links => links.filter(link => link.checkVisibility()).map(link => link.textContent));
  await shoot("whole");

  // The middle third of the time, by dragging: sums get smaller, and times lie in it.
  const box = await page.locator("#brush").boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 2 / 3, box.y + 5, {steps: 4});
  seen.tip = await page.textContent("#tip");
  await page.mouse.up();
  seen.picked = await rows(page, "event-table");
  seen.from = +await page.inputValue("#from"); seen.to = +await page.inputValue("#to");
  await page.click("#whole");
  seen.again = await rows(page, "event-table");

  // By keys alone: a part of the time, then all of it.
  await page.focus("#brush");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  seen.byKeys = +await page.inputValue("#from");
  await page.keyboard.press("Escape");
  await page.selectOption("#lanes-of", "1");
  seen.lanes = await page.$$eval("#lanes .name", names => names.map(name => name.textContent));
  await shoot("threads");

  // The flame graph: into the largest frames by keys, zoom, search.
  await page.focus("#flame-canvas");
  for (const key of ["ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  seen.zoomed = await page.textContent("#flame-text");
  await shoot("zoomed");
  await page.keyboard.press("Escape");
  seen.unzoomed = await page.textContent("#flame-text");
  await page.check("#icicle");
  if (seen.functions.length) await page.fill("#search", seen.functions[0][0]);
  seen.found = await page.textContent("#flame-text");
  await shoot("icicle");
  await page.fill("#search", "");
  const others = await page.$$eval("#flame-other option", list => list.map(one => one.value));
  if (others.length > 2) {
    await page.selectOption("#flame-other", others[others.length - 1]);
    seen.compared = await page.textContent("#flame-text");
    await shoot("compared");
  }
  await page.emulateMedia({colorScheme: "dark"});
  seen.dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await shoot("dark");
  await browser.close();
  console.log(JSON.stringify(seen));
}

main().catch(error => { console.error(error); process.exit(1); });
