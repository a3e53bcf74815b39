// Says how pages of a site are laid out, and compares it with files here: which boxes there are, where each begins and
// how wide it is, in pixels. Fonts differ between machines and pictures with them, so nothing is said that a font
// decides: what is as wide as its text is only named. What stands beside each other, how wide columns are, what
// disappears on a narrow screen and what sticks out does not depend on fonts.
import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [site, folder, update] = process.argv.slice(2);
const require = createRequire(join(process.env.CODEX_WIRE_SITE_PACKAGES, "x.js"));
const { chromium } = require("playwright-core");

const PAGES = {
  "first-page": "index.html",
  "protocol": "protocol/exec/index.html",
  "message": "protocol/app-server/messages/turn/completed.html",
  "type-at-release": "protocol/app-server/types/Turn.html?release=0.110.0",
  "changes-of-release": "changes/app-server/0.142.0.html",
  "compare": "changes/compare.html?protocol=app-server&from=0.141.0&to=0.142.0",
  "rule": "rules/rpc/id-in-use.html",
  "scenario": "scenarios/exec/command.html",
  "clients": "clients/releases.html",
  "guides": "guides/index.html",
};
const WIDTHS = [1440, 390];

// In the page: a line for each box, and for each that sticks out of the one around it.
function boxes() {
  const FLOWS = ["block", "flow-root", "list-item", "grid", "flex"];
  // As wide as its text, or measured in characters.
  const BY_TEXT = "summary, table, dt, dd, .copy, .code > pre, .hero h1";
  const ONE_ROW = ".top, .release, svg.line, .skew .cell";
  const DEEPEST = 6;
  const lines = [];
  const seen = new Set();
  const name = (element) => element.localName + [...element.classList].filter((one) => one !== "js").map((one) => "." + one).join("");
  const add = (key, line) => { if (!seen.has(key)) { seen.add(key); lines.push(line); } };
  function walk(element, path, depth) {
    const outer = element.getBoundingClientRect();
    const around = getComputedStyle(element);
    for (const child of element.children) {
      const style = getComputedStyle(child);
      if (style.display === "none" || style.position === "absolute" || child.matches(BY_TEXT)) continue;
      if (!FLOWS.includes(style.display)) continue;
      const box = child.getBoundingClientRect();
      const own = path + " " + name(child);
      const before = "  ".repeat(depth) + name(child);
      if (around.overflowX === "visible" && style.columnCount === "auto" && box.right > outer.right + 1) add(own + " out", `${before} sticks out of ${name(element)}`);
      // Items of a row are as wide as their text.
      if (around.display === "flex" && around.flexDirection === "row") {
        add(own, before);
        continue;
      }
      const [x, width] = [Math.round(box.x), Math.round(box.width)];
      const height = child.matches(ONE_ROW) ? ` high ${Math.round(box.height)}` : "";
      add(`${own} ${x} ${width}`, `${before} at ${x} wide ${width}${height}`);
      if (depth < DEEPEST) walk(child, own, depth + 1);
    }
  }
  walk(document.body, "", 0);
  return lines;
}

const browser = await chromium.launch({ executablePath: process.env.CODEX_WIRE_CHROMIUM, args: ["--no-sandbox"] });
let wrong = 0;
for (const [file, path] of Object.entries(PAGES)) {
  let found = "";
  for (const width of WIDTHS) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
    await page.goto(pathToFileURL(site).href + "/" + path);
    found += `${path} at ${width} pixels\n${(await page.evaluate(boxes)).join("\n")}\n\n`;
    await page.close();
  }
  found = found.trimEnd() + "\n";
  const expected = join(folder, file + ".txt");
  if (update) {
    writeFileSync(expected, found);
    continue;
  }
  const known = existsSync(expected) ? readFileSync(expected, "utf8") : "";
  if (known === found) continue;
  wrong += 1;
  const [before, after] = [known.split("\n"), found.split("\n")];
  console.log(`${file}.txt is no longer so:`);
  for (const line of before.filter((line) => !after.includes(line)).slice(0, 12)) console.log(`- ${line}`);
  for (const line of after.filter((line) => !before.includes(line)).slice(0, 12)) console.log(`+ ${line}`);
}
await browser.close();
console.log(`${wrong} pages are laid out otherwise; UPDATE_EXPECT=1 writes them: look at them first, at 390 and 1440 pixels`);
process.exitCode = wrong ? 1 : 0;
