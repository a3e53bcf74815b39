// Searches the index of a site as its pages do, and compares what is found with cases.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import assert from "node:assert";

const [site, cases] = process.argv.slice(2);
const { Index } = createRequire(import.meta.url)(join(site, "assets/find.js"));
globalThis.window = {};
runInThisContext(readFileSync(join(site, "assets/index.js"), "utf8"));
runInThisContext(readFileSync(join(site, "assets/texts.js"), "utf8"));
const index = new Index(window.codexWireIndex);
// Before the documentation is there, what names find is the same.
const early = new Index(window.codexWireIndex);
index.addTexts(window.codexWireTexts);

function described({ part, places }) {
  const [place] = places;
  const first = place && [index.sets[place.set][0], place.kinds.join("/"), place.pointer, place.bounds[0], place.bounds[1]];
  return [part.kind, part.owner, part.name, places.length, first ?? null];
}

let wrong = 0;
for (const { question, hits } of JSON.parse(readFileSync(cases, "utf8"))) {
  const found = index.find(question).slice(0, hits.length || 1).map(described);
  // A page stops looking when it has enough: what it shows is the same.
  const shown = index.find(question, 12).slice(0, hits.length || 1).map(described);
  const byName = index.find(question).some((hit) => hit.fit < 2);
  const soon = byName ? early.find(question).slice(0, hits.length || 1).map(described) : hits;
  for (const [how, list] of [["all", found], ["enough", shown], ["early", soon]]) {
    try {
      assert.deepStrictEqual(list, hits);
    } catch (error) {
      wrong += 1;
      if (wrong <= 3) console.log(`${question} (${how})\n${error.message}`);
    }
  }
  const [first] = index.find(question, 12);
  if (first) {
    // Where a hit leads is a page that has the anchor.
    const [path, anchor] = index.linkOf(first).split("#");
    const page = readFileSync(join(site, path), "utf8");
    const id = decodeURIComponent(anchor ?? "").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
    const has = (text) => page.includes(` id="${text}"`) || page.includes(` id="${text.replaceAll("/", "&#x2f;")}"`);
    if (anchor && !has(id)) {
      wrong += 1;
      console.log(`${question}: ${path} has no ${anchor}`);
    }
  }
}
console.log(`${wrong} wrong`);
process.exitCode = wrong ? 1 : 0;
