// Drives a page of `evname report --html` in headless Chromium, as a user would, and prints what it shows as JSON.
// Arguments: Chromium, the page, a folder for screenshots (may be missing). playwright-core is found by NODE_PATH.
"use strict";
const {chromium} = require("playwright-core");
const path = require("path");

const [, , executablePath, file, shots] = process.argv;
const rows = (page, table) => page.$$eval(`#${table} tbody tr`, lines => lines.map(line => [...line.cells].filter(cell => !cell.hidden).map(cell => cell.innerText.trim())));
const lanes = (page, id) => page.$$eval(`#${id} .lane`, list => list.map(lane => [lane.querySelector(".name").textContent, lane.querySelector(".sum").textContent]));
const total = page => page.textContent("#total");

// A graph that is taller than its box: what clicks on the frame at the top end do. Returns null of other graphs.
async function clicksIn(page) {
  const box = await page.$(".flame-box");
  if (await box.evaluate(one => one.scrollHeight <= one.clientHeight)) return null;
  const flame = 'kViews.find(view => view.id === "flame").flame', out = {};
  const click = async how => {
    await page.click("#tab-flame");
    await box.evaluate(one => { one.scrollTop = 0; });
    const place = await (await page.$("#flame-canvas")).boundingBox();
    const [name, x, y] = await page.evaluate(`(() => { const one = ${flame}, box = one.boxes.find(box => box.y === 0); return [nameOf(one.frame(box.node)), box.x + box.w / 2, box.y + 5]; })()`);
    await page.mouse[how](place.x + x, place.y + y);
    return name;
  };
  const name = await click("click");
  out.zoomed = [name, await page.evaluate(`nameOf(${flame}.frame(${flame}.top))`)];
  out.seen = await page.evaluate(`(() => { const one = ${flame}, {y} = one.boxes.find(box => box.node === one.top), {scrollTop, clientHeight} = one.canvas.parentElement; return y >= scrollTop && y + kFrameHeight <= scrollTop + clientHeight; })()`);
  await page.click("#unzoom");
  out.opened = [await click("dblclick"), await page.textContent("#function-name")];
  await page.click("#tab-flame");
  await page.click("#unzoom");
  for (const [top, tab] of [[40, "functions"], [70, "threads"], [1e6, "tree"]]) {
    const scrolled = await box.evaluate((one, top) => { one.scrollTop = top; return one.scrollTop; }, top);
    await page.click("#tab-" + tab);
    await page.click("#tab-flame");
    out["after " + tab] = [scrolled, await box.evaluate(one => one.scrollTop)];
  }
  return out;
}

// The lines of the tree below a function that calls many, before and after more of them are asked for by click and key.
async function manyCallsIn(page) {
  await page.click("#tab-tree");
  const button = () => page.$('#view tr button:has-text(" more, ")'), out = [];
  const note = async () => out.push([await page.$$eval("#view tbody tr", lines => lines.length), await (await button())?.textContent() ?? null]);
  if (!await button()) return null;
  await note();
  await (await button()).click();
  await note();
  await (await button()).evaluate(one => one.closest("tr").focus());
  await page.keyboard.press("Enter");
  await note();
  out.push(await page.$eval(":focus", line => line.cells[0].textContent));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await note();
  return out;
}

async function main() {
  const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
  const page = await browser.newPage({viewport: {width: 1300, height: 900}});
  const seen = {errors: [], requests: []};
  page.on("pageerror", error => seen.errors.push(String(error.stack)));
  page.on("console", message => { if (message.type() === "error") seen.errors.push(message.text()); });
  page.on("request", request => { if (!request.url().startsWith("file://")) seen.requests.push(request.url()); });
  const shoot = async name => { if (shots) await page.screenshot({path: path.join(shots, name + ".png")}); };
  const open = view => page.click("#tab-" + view);
  await page.goto("file://" + path.resolve(file));
  seen.total = await total(page);
  seen.tabs = await page.$$eval("#tabs button", tabs => tabs.map(tab => tab.textContent));
  seen.compares = await page.$$eval("#event, #other", lists => lists.map(list => list.selectedOptions[0].textContent));
  seen.opened = await page.$eval('#tabs [aria-selected="true"]', tab => tab.textContent);
  await open("flame");
  // The base of the graph is on the screen.
  seen.base = await page.$eval(".flame-box", box => ({bottom: box.getBoundingClientRect().bottom, left: box.scrollHeight - box.clientHeight - box.scrollTop}));
  await shoot("flame");
  seen.clicks = await clicksIn(page);
  seen.manyCalls = await manyCallsIn(page);
  await open("events");
  seen.events = await rows(page, "event-table");
  await open("functions");
  seen.functions = await rows(page, "function-table");
  await open("threads");
  seen.threads = await lanes(page, "threads-lanes");
  seen.cpus = await page.$("#cpus-lanes") ? await lanes(page, "cpus-lanes") : [];
  await shoot("threads");
  if (seen.tabs.includes("Rows")) {
    await open("rows");
    seen.rows = await rows(page, "row-table");
    seen.rowsTitle = await page.textContent("#rows-title");
  }

  if (seen.tabs.includes("Instructions")) {
    await open("instructions");
    seen.instructions = {functions: await rows(page, "instruction-functions"), list: await rows(page, "instruction-list")};
    await page.click("#instruction-functions tbody tr:last-child button");
    seen.instructions.other = await rows(page, "instruction-list");
    await shoot("instructions");
  }

  if (seen.tabs.includes("Memory")) {
    await open("memory");
    seen.memory = {levels: await rows(page, "memory-table"), lines: await rows(page, "line-table"), title: await page.textContent("#access-title")};
    await page.selectOption("#memory-key", "tlb");
    seen.memory.tlb = await rows(page, "memory-table");
    await page.click("#line-table tbody tr:nth-child(2) button");
    seen.memory.other = await page.textContent("#access-title");
    seen.memory.accesses = await rows(page, "access-table");
    seen.memory.drawn = await page.$eval("#heat-canvas", canvas => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size);
    await shoot("memory");
  }

  if (seen.tabs.includes("Metrics")) {
    await open("metrics");
    seen.metrics = {list: await rows(page, "metric-table"), tree: await rows(page, "topdown-tree")};
    const button = await page.$('#metric-table tbody tr:has-text("retiring") button');
    if (button) await button.click();
    await open("functions");
    seen.metrics.columns = await page.$$eval("#function-table th:not([hidden])", heads => heads.map(head => head.innerText.trim()));
    seen.metrics.functions = await rows(page, "function-table");
    await shoot("metrics");
  }

  // The middle third of the time, by dragging: everything is of that part; the back button leads back.
  await open("functions");
  const box = await page.locator("#brush").boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + 5);
  seen.tip = await page.textContent("#tip");
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 2 / 3, box.y + 5, {steps: 4});
  await page.mouse.up();
  seen.part = {command: await page.getAttribute("#selection", "title"), total: await total(page), functions: await rows(page, "function-table"), link: await page.evaluate(() => location.hash)};
  await open("events");
  seen.part.events = await rows(page, "event-table");
  await page.goBack();
  await page.goBack();
  seen.back = {total: await total(page), functions: await rows(page, "function-table")};

  // A link leads to the same, with nothing else.
  const other = await browser.newPage();
  await other.goto("file://" + path.resolve(file) + seen.part.link);
  seen.linked = {total: await total(other), functions: await rows(other, "function-table")};
  await other.close();

  // By keys alone: a part of the time, then all of it.
  await page.focus("#brush");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  seen.byKeys = await page.$$eval("#selection .chip", chips => chips.map(chip => chip.textContent));
  await page.keyboard.press("Escape");
  seen.again = await total(page);

  // One thread, by its name.
  if (seen.threads.length) {
    await open("threads");
    await page.click("#threads-lanes .lane .name");
    seen.thread = {name: seen.threads[0][0], total: await total(page), command: await page.getAttribute("#selection", "title")};
    await page.click("#threads-lanes .lane .opener");
    await shoot("thread");
    await page.click("#selection .chip");
  }

  // The flame graph: into the largest frames by keys, zoom, search; callers and callees.
  await page.keyboard.press("1");
  await page.focus("#flame-canvas");
  for (const key of ["ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  seen.zoomed = await page.textContent("#flame-text");
  await page.keyboard.press("Escape");
  seen.unzoomed = await page.textContent("#flame-text");
  for (const key of ["ArrowUp", "ArrowUp", "Shift+C"]) await page.keyboard.press(key);
  seen.callers = await page.$("#function-name") ? [await page.textContent("#function-name"), await page.textContent("#function-sums")] : null;
  await shoot("callers");
  await page.keyboard.press("1");
  await page.check("#icicle");
  if (seen.functions.length) await page.fill("#search", seen.functions[0][0]);
  seen.found = await page.textContent("#flame-text");
  await shoot("icicle");
  await page.fill("#search", "");
  await open("tree");
  await page.focus('tr[tabindex="0"]');
  for (const key of ["ArrowLeft", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  seen.tree = await page.$eval(":focus", line => [...line.cells].map(cell => cell.innerText.trim()));
  await shoot("tree");
  for (const key of ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown", "Shift+C"]) await page.keyboard.press(key);
  seen.ofTree = await page.evaluate(() => state.view);
  await open("tree");
  const others = await page.$$eval("#other option", list => list.map(one => one.value));
  if (others.length > 2) {
    await open("flame");
    await page.selectOption("#other", others[others.length - 1]);
    seen.compared = await page.textContent(".legend");
    await shoot("compared");
  }
  await page.emulateMedia({colorScheme: "dark"});
  seen.dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await shoot("dark");
  // Nothing is wider than the screen of a telephone.
  await page.setViewportSize({width: 390, height: 844});
  seen.overflow = {};
  for (const tab of await page.$$eval("#tabs button", tabs => tabs.map(tab => tab.id))) {
    await page.click("#" + tab);
    seen.overflow[tab] = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  }
  await shoot("narrow");
  await browser.close();
  console.log(JSON.stringify(seen));
}

main().catch(error => { console.error(error); process.exit(1); });
