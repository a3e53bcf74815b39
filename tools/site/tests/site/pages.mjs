// Opens pages of a site from its folder in Chromium: search, slider, links, errors, accessibility, and no request
// beyond the folder.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert";

const [site] = process.argv.slice(2);
const require = createRequire(join(process.env.CODEX_WIRE_SITE_PACKAGES, "x.js"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");
const at = (page) => pathToFileURL(site).href + "/" + page;
const wrong = [];

const browser = await chromium.launch({
  executablePath: process.env.CODEX_WIRE_CHROMIUM,
  // Containers have no namespaces for it, and only our own pages are opened.
  args: ["--no-sandbox"],
});

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) wrong.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(at(""))) wrong.push(`${page.url()} asks for ${request.url()}`);
  });
  return page;
}

async function check(name, test) {
  try {
    await test();
  } catch (error) {
    wrong.push(`${name}: ${error.message}`);
  }
}

const page = await open();
const hits = page.locator("#site-found .hit");

await check("search by keyboard", async () => {
  await page.goto(at("index.html"));
  await page.keyboard.press("/");
  await page.keyboard.type("turn/completed durationMs");
  await hits.first().waitFor();
  assert.match(await hits.first().innerText(), /turn\/completed \/params\/turn\/durationMs/);
  assert.match(await hits.first().innerText(), /since 0\.120\.0 · Codex writes it/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/messages\/turn\/completed\.html#\/params\/turn\/durationMs$/);
  const row = page.locator('[id="/params/turn/durationMs"]');
  assert.ok(await row.isVisible());
  assert.match(await row.innerText(), /since 0\.120\.0/);
  const example = page.locator("details.example[open] pre").first();
  assert.match(await example.innerText(), /"turn\/completed"/);
});

await check("search, whichever of its scripts comes last", async () => {
  const late = await open();
  let last;
  const others = new Promise((done) => { last = done; });
  await late.route(/find\.js$/, async (route) => {
    await others;
    await route.continue();
  });
  late.on("requestfinished", (request) => { if (request.url().endsWith("search.js")) last(); });
  await late.goto(at("index.html"));
  await late.keyboard.press("/");
  await late.keyboard.type("turn/completed durationMs");
  await late.locator("#site-found .hit").first().waitFor();
  await late.close();
});

await check("arrows and Escape", async () => {
  await page.goto(at("guides/index.html"));
  await page.keyboard.press("/");
  await page.keyboard.type("durationMs");
  await hits.nth(1).waitFor();
  await page.keyboard.press("ArrowDown");
  assert.equal(await hits.nth(1).getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowUp");
  assert.equal(await hits.first().getAttribute("aria-selected"), "true");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#site-found").isVisible()));
});

await check("a rule is found", async () => {
  await page.goto(at("rules/index.html"));
  await page.keyboard.press("/");
  await page.keyboard.type("framing/crlf");
  await hits.first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/rules\/framing\/crlf\.html/);
  assert.ok(await page.locator(".pair .passes").isVisible());
  assert.ok(await page.locator(".pair .fails").isVisible());
});

await check("a release in the link", async () => {
  await page.goto(at("protocol/app-server/types/Turn.html?release=0.110.0"));
  const has = (name) => page.locator(`[id="${name}"]`).evaluate((part) => !part.classList.contains("gone"));
  assert.equal(await has("durationMs"), false);
  assert.equal(await has("id"), true);
  assert.equal(await page.locator(".release .typed").inputValue(), "0.110.0");
  // A link keeps the release.
  const link = page.locator('[id="error"] .holds a').first();
  assert.match(await link.getAttribute("href"), /\?release=0\.110\.0/);
  // The slider goes on from there.
  await page.locator("#site-release").focus();
  for (let step = 0; step < 40 && !(await has("durationMs")); step++) await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator(".release .typed").inputValue(), "0.120.0");
  assert.match(page.url(), /release=0\.120\.0/);
  await page.locator(".release button").click();
  assert.equal(await page.locator(".gone").count(), 0);
});

await check("a release is typed", async () => {
  await page.goto(at("protocol/app-server/types/Turn.html"));
  const field = page.locator(".release .typed");
  const type = async (text) => {
    await field.fill(text);
    await field.press("Enter");
  };
  await type("0.110.0");
  assert.match(page.url(), /release=0\.110\.0/);
  assert.match(await page.locator('[id="durationMs"]').getAttribute("class"), /gone/);
  await type("0.142");
  assert.equal(await field.inputValue(), "0.142.5");
  await type("nonsense");
  assert.match(await page.locator(".release output").innerText(), /^not a release/);
  assert.match(page.url(), /release=0\.142\.5/);
  await type("");
  assert.equal(await page.locator(".gone").count(), 0);
});

await check("a release among the words of the search", async () => {
  await page.goto(at("index.html"));
  await page.keyboard.press("/");
  await page.keyboard.type("turn/completed durationMs 0.110.0");
  await hits.first().waitFor();
  assert.match(await page.locator("#site-found .as").innerText(), /As 0\.110\.0 speaks/);
  assert.match(await hits.first().innerText(), /since 0\.120\.0 · not in 0\.110\.0/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/turn\/completed\.html\?release=0\.110\.0#\/params\/turn\/durationMs$/);
  assert.equal(await page.locator(".release .typed").inputValue(), "0.110.0");
});

await check("a recorded line is copied as it was written", async () => {
  const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(at("protocol/app-server/messages/turn/completed.html"));
  const example = page.locator("details.example[open]").first();
  await example.locator("button.copy").click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(!copied.includes("\n") && JSON.parse(copied).method === "turn/completed", copied);
  // Recorded messages stand before the types of languages.
  const titles = await page.locator("section.message h3").allInnerTexts();
  assert.ok(titles.indexOf("Recorded") < titles.indexOf("In other languages"), String(titles));
  await page.context().close();
});

for (const width of [1440, 390]) {
  await check(`what a link jumps to is seen at ${width}`, async () => {
    const page = await open({ viewport: { width, height: 700 }, reducedMotion: "reduce" });
    for (const link of ["messages/turn/completed.html?release=0.142.0#/params/turn/durationMs", "types/Turn.html#durationMs"]) {
      await page.goto(at("protocol/app-server/" + link));
      const id = decodeURIComponent(link.split("#")[1]);
      const tops = await page.evaluate((id) => ({
        part: document.getElementById(id).getBoundingClientRect().top,
        bar: document.querySelector(".release").getBoundingClientRect().bottom,
      }), id);
      assert.ok(tops.part >= tops.bar && tops.part < 600, `${link}: ${JSON.stringify(tops)}`);
    }
    // All links of the head are seen.
    const nav = await page.locator(".top nav").evaluate((nav) => nav.scrollWidth - nav.clientWidth);
    assert.ok(nav <= 0, `${nav} pixels of the links are cut off`);
    await page.context().close();
  });
}

await check("an example of the release", async () => {
  await page.goto(at("protocol/app-server/messages/turn/completed.html?release=0.100.0"));
  const release = await page.locator("details.example[open]").first().getAttribute("data-release");
  assert.ok(Number(release.split(".")[1]) <= 100, release);
});

await check("two releases", async () => {
  await page.goto(at("changes/compare.html?protocol=app-server&from=0.141.0&to=0.142.0"));
  assert.match(await page.locator("#site-compared .hint").innerText(), /From 0\.141\.0 to 0\.142\.0: 4 breaking, 21 maybe breaking, 44 compatible/);
  assert.match(await page.locator(".verdict").first().innerText(), /^Breaking \(4\)/);
});

await check("without JavaScript", async () => {
  const plain = await open({ javaScriptEnabled: false });
  await plain.goto(at("protocol/app-server/types/Turn.html?release=0.110.0"));
  assert.match(await plain.locator('[id="durationMs"]').innerText(), /since 0\.120\.0/);
  assert.equal(await plain.locator(".release").isVisible(), false);
  await plain.context().close();
});

const pages = [
  "index.html",
  "protocol/index.html",
  "protocol/exec/index.html",
  "protocol/app-server/messages/turn/completed.html",
  "protocol/app-server/types/Turn.html?release=0.110.0",
  "protocol/app-server/types/ThreadStartParams.html",
  "protocol/hooks/sets/hooks-output.html",
  "changes/index.html",
  "changes/app-server/0.142.0.html",
  "changes/compare.html",
  "rules/rpc/id-in-use.html",
  "faults/rpc-late.html",
  "scenarios/index.html",
  "scenarios/exec/command.html",
  "clients/releases.html",
  "clients/comparison.html",
  "guides/looking-up.html",
  "guides/index.html",
];
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    const page = await open({ colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
    for (const path of pages) {
      await check(`${path} at ${width}, ${colorScheme}`, async () => {
        await page.goto(at(path));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels wide`);
        // Contrast differs by scheme, the rest by width at most.
        if ((width === 390) === (colorScheme === "dark")) {
          await page.addScriptTag({ path: axe });
          const { violations } = await page.evaluate(() => window.axe.run({ preload: false }));
          const said = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
          assert.deepEqual(said, []);
        }
      });
    }
    await page.context().close();
  }
}
await browser.close();
for (const line of wrong) console.log(line);
console.log(`${wrong.length} wrong`);
process.exitCode = wrong.length ? 1 : 0;
