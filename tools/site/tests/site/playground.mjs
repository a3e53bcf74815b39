// Tries the playground in Chromium: files that conform and that do not, a huge one, hostile ones; what it asks of servers, what
// its policy forbids, the keyboard, accessibility.
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert";

const [site, list] = process.argv.slice(2);
const { files, huge, hostile } = JSON.parse(readFileSync(list, "utf8"));
const require = createRequire(join(process.env.CODEX_WIRE_SITE_PACKAGES, "x.js"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");
const wrong = [];

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm" };
// What servers were asked for.
let asked = [];
function server() {
  return new Promise((done) => {
    const one = createServer((request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
      asked.push(path);
      const file = join(site, path);
      if (!existsSync(file) || statSync(file).isDirectory()) return response.writeHead(404).end();
      response.writeHead(200, { "Content-Type": KINDS[extname(file)] ?? "application/octet-stream", "Access-Control-Allow-Origin": "*" });
      createReadStream(file).pipe(response);
    });
    one.listen(0, "127.0.0.1", () => done(one));
  });
}
const own = await server();
const other = await server();
const at = (one) => `http://127.0.0.1:${one.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.CODEX_WIRE_CHROMIUM,
  // Containers have no namespaces for it, and only our own pages are opened.
  args: ["--no-sandbox"],
});

// Opens the playground, and waits until it has what it needs.
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(at(own) + "playground/index.html", { waitUntil: "networkidle" });
  asked = [];
  context.on("request", (request) => {
    if (!request.url().startsWith("blob:")) wrong.push(`asks for ${request.url()}`);
  });
  return page;
}

async function check(name, test) {
  try {
    await test();
    assert.deepEqual(asked, [], "servers were asked");
  } catch (error) {
    wrong.push(`${name}: ${error.message}`);
  }
  asked = [];
}

// Waits for the result, and returns the verdict and what is known.
async function result(page, timeout = 60_000) {
  await page.locator(".running").waitFor({ state: "hidden", timeout });
  const said = await page.locator(".said").innerText();
  await page.locator(".result").waitFor({ timeout: 2_000 }).catch(() => { throw new Error(`no result: ${said}`); });
  const pairs = await page.locator(".identity div").evaluateAll((all) => all.map((one) => [...one.children].map((part) => part.textContent)));
  return { verdict: await page.locator(".result h2").innerText(), ...Object.fromEntries(pairs) };
}
const choose = (page, path) => page.locator(".play input[type=file]").setInputFiles(path);
const frame = (page, name) => page.frameLocator(`.frames iframe[title="${name}"]`);
// A page as it is saved.
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`.save a:text-is("${name}")`).click()]);
  return readFileSync(await download.path(), "utf8");
}

const page = await open();
await page.locator(".mask input").check();
for (const { path, input } of files) {
  await check(path, async () => {
    await choose(page, path);
    await result(page);
    const { inputs } = JSON.parse(await saved(page, "JSON"));
    // The browser knows the name of a file alone.
    assert.deepEqual({ ...inputs[0], path: "" }, { ...input, path: "" });
    if (input.verdict === "findings") await frame(page, "Findings").locator(".finding").first().waitFor({ state: "attached" });
  });
}
await page.context().close();

await check("by keyboard", async () => {
  const page = await open();
  const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.type);
  const go = async (name) => {
    for (let step = 0; step < 60 && (await focused()) !== name; step++) await page.keyboard.press("Tab");
    assert.equal(await focused(), name);
  };
  // Behind the navigation: the search would fetch its index.
  await page.locator(".play input[type=file]").focus();
  await go("Try a broken example");
  await page.keyboard.press("Enter");
  const { verdict, Protocol } = await result(page);
  assert.equal(verdict, "It does not conform to rollout of Codex 0.169.0");
  assert.equal(Protocol, "rollout");
  // What is wrong is said in words, not by the rule alone.
  const said = await page.locator(".found li").allInnerTexts();
  assert.equal(said.length, 2);
  for (const words of said) assert.match(words, /^error .{20,} line \d+, schema\//s);
  // The session has findings in their places, turns, and tokens by turn.
  const session = frame(page, "Session");
  await session.locator(".items .item.errors.bad").first().waitFor();
  assert.equal(await session.locator("section.tokens svg").count(), 1);
  assert.ok((await session.locator(".turn h3").count()) > 1);
  await go("Findings");
  await page.keyboard.press("Enter");
  await frame(page, "Findings").locator(".finding").first().waitFor();
  assert.ok(!(await page.locator('.frames iframe[title="Session"]').isVisible()));
  await page.context().close();
});

await check("pasted and dropped", async () => {
  const page = await open();
  const text = readFileSync(files[0].path, "utf8");
  await page.locator("#play-text").fill(text);
  await page.locator("button.check").click();
  assert.equal((await result(page)).File, "pasted lines");
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "dropped.jsonl"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, text);
  await page.locator(".identity dd", { hasText: "dropped.jsonl" }).waitFor();
  await page.context().close();
});

// The longest time in milliseconds that the page may do nothing else. On a busy machine it waits for a processor, too; if it
// checked the file itself, it would stand still for ten seconds.
const LONGEST_PAUSE = 3_000;

await check("huge", async () => {
  const page = await open();
  await page.evaluate(() => {
    let last = performance.now();
    window.longestPause = 0;
    window.seen = new Set();
    setInterval(() => {
      const now = performance.now();
      window.longestPause = Math.max(window.longestPause, now - last);
      last = now;
      window.seen.add(document.querySelector(".running progress").value);
    }, 10);
  });
  await choose(page, huge);
  await page.waitForFunction(() => window.seen.size > 2);
  await page.locator("button.stop").click();
  assert.equal(await page.locator(".said").innerText(), "stopped");
  await page.evaluate(() => { window.seen = new Set(); });
  const began = Date.now();
  await choose(page, huge);
  const { verdict, Messages } = await result(page, 300_000);
  assert.match(verdict, /^It conforms to [a-z-]+ of Codex /);
  const { longestPause, seen } = await page.evaluate(() => ({ longestPause: window.longestPause, seen: window.seen.size }));
  console.log(`huge: ${statSync(huge).size} bytes, ${Messages} messages, ${Date.now() - began} ms, longest pause ${Math.round(longestPause)} ms`);
  assert.ok(longestPause < LONGEST_PAUSE, `the page stood still for ${longestPause} ms`);
  assert.ok(seen > 10, `${seen} steps were seen`);
  await page.context().close();
});

await check("hostile", async () => {
  const page = await open();
  for (const path of hostile) {
    await choose(page, path);
    const { verdict, File } = await result(page);
    assert.ok(verdict, path);
    assert.ok(path.endsWith(File), `${File} of ${path}`);
    // Nothing in a page is markup of the file.
    for (const name of ["Session", "Findings"]) {
      if (await page.locator(`.frames iframe[title="${name}"]`).count()) {
        await frame(page, name).locator("main").waitFor({ state: "attached" });
        assert.equal(await frame(page, name).locator("img, script, iframe, object, form").count(), 0, path);
      }
    }
  }
  await page.context().close();
});

await check("the policy", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(at(own) + "playground/index.html", { waitUntil: "networkidle" });
  asked = [];
  const address = at(other) + "assets/site.js";
  const fetched = await page.evaluate((address) => fetch(address).then(() => "fetched", () => "refused"), address);
  assert.equal(fetched, "refused");
  // As the page makes its worker.
  const inWorker = await page.evaluate((address) => new Promise((done) => {
    const script = `fetch(${JSON.stringify(address)}).then(() => postMessage("fetched"), () => postMessage("refused"))`;
    new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" }))).onmessage = ({ data }) => done(data);
  }), address);
  assert.equal(inWorker, "refused");
  await context.close();
});

for (const [width, colorScheme] of [[1440, "light"], [390, "dark"]]) {
  await check(`${colorScheme}, ${width} pixels`, async () => {
    const page = await open({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    const accessible = async (page, name, options) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name}: ${wide} pixels wide`);
      await page.addScriptTag({ content: readFileSync(axe, "utf8") });
      const { violations } = await page.evaluate((options) => window.axe.run(options), { preload: false, ...options });
      const said = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
      assert.deepEqual(said, [], `${name}: ${said.join("; ")}`);
    };
    await accessible(page, "empty");
    await page.locator("button.example").click();
    await result(page);
    // axe cannot run in frames without scripts; their pages are opened below.
    await accessible(page, "with a result", { iframes: false });
    if (process.env.CODEX_WIRE_SCREENSHOTS) {
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: join(process.env.CODEX_WIRE_SCREENSHOTS, `playground-${width}.png`), fullPage: true });
    }
    const pages = [["Session", await saved(page, "Session")], ["Findings", await saved(page, "Findings")]];
    for (const [name, html] of pages) {
      const one = await page.context().newPage();
      await one.setContent(html);
      await accessible(one, name);
      await one.close();
    }
    await page.context().close();
  });
}

await check("from a folder", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(site, "playground/index.html")).href);
  await page.locator(".said", { hasText: "open the page from a server" }).waitFor();
  await context.close();
});

await browser.close();
own.close();
other.close();
for (const line of wrong) console.log(line);
console.log(`${wrong.length} wrong`);
process.exitCode = wrong.length ? 1 : 0;
