// Opens files in speedscope in headless Chromium and prints as JSON, for each file, what speedscope exports again of
// what it imported: the name of each profile, its unit, and the sum of its weights.
// Arguments: Chromium, speedscope's page, a folder for screenshots or "", files. playwright-core is found by NODE_PATH.
"use strict";
const {chromium} = require("playwright-core");
const fs = require("fs");
const path = require("path");

const [, , executablePath, viewer, shots, ...files] = process.argv;

async function open(browser, file) {
  const page = await browser.newPage({viewport: {width: 1300, height: 900}});
  const out = {errors: [], title: "", profiles: []};
  page.on("pageerror", error => out.errors.push(String(error.stack)));
  page.on("dialog", dialog => { out.errors.push(dialog.message()); dialog.dismiss(); });
  await page.goto("file://" + path.resolve(viewer));
  await page.setInputFiles("input[type=file]", path.resolve(file));
  const button = page.getByText("Export");
  await button.waitFor();
  out.title = await page.title();
  for (const [key, view] of [["1", "time"], ["2", "heavy"], ["3", "sandwich"]]) {
    if (!shots) break;
    await page.keyboard.press(key);
    await page.waitForTimeout(300);
    await page.screenshot({path: path.join(shots, `${path.basename(file)}.${view}.png`)});
  }
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const copy = JSON.parse(fs.readFileSync(await download.path(), "utf8"));
  for (const profile of copy.profiles)
    out.profiles.push({name: profile.name, unit: profile.unit, sum: profile.endValue - profile.startValue});
  await page.close();
  return out;
}

async function main() {
  const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
  const seen = [];
  for (const file of files) seen.push(await open(browser, file));
  await browser.close();
  console.log(JSON.stringify(seen));
}

main().catch(error => { console.error(error); process.exit(1); });
