// Compares releases as the page does, and compares it with cases of `codex-wire diff`: of neighbours
// everything is the same, and of releases that are further apart nothing is missing that breaks.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const [site, cases] = process.argv.slice(2);
const { between } = createRequire(import.meta.url)(join(site, "assets/compare.js"));
globalThis.window = {};
runInThisContext(readFileSync(join(site, "assets/changes.js"), "utf8"));

let wrong = 0;
for (const { protocol, from, to, differences, are_neighbours, named_otherwise } of JSON.parse(readFileSync(cases, "utf8"))) {
  const found = between(window.codexWireChanges, protocol, from, to);
  const own = new Set(found.map(([, change]) => change[2]));
  const breaking = differences.filter(([, , verdict]) => verdict === "breaking" || are_neighbours);
  const missing = breaking.filter(([, place]) => !own.has(place) && !named_otherwise.includes(place)).map(([change, place]) => `${change} ${place}`);
  const theirs = new Set(differences.map(([, place]) => place));
  const more = are_neighbours ? [...own].filter((place) => !theirs.has(place)) : [];
  wrong += missing.length + more.length;
  console.log(`${protocol} ${from} to ${to}: ${breaking.length} compared; missing: ${missing.join(", ")}; more: ${more.join(", ")}`);
}
process.exitCode = wrong ? 1 : 0;
