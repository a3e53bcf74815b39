// Takes the pictures of the readme and the guides: pages of the site and of reports, as WebP.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [site, pages, out] = process.argv.slice(2);
const require = createRequire(join(process.env.CODEX_WIRE_SITE_PACKAGES, "x.js"));
const { chromium } = require("playwright-core");

// The name of each picture, the page, the width and height, and how far the page is scrolled: to an element.
const PICTURES = [
  ["site-message", join(site, "protocol/app-server/messages/turn/completed.html"), 1440, 900],
  ["site-type-390", join(site, "protocol/app-server/types/Turn.html"), 390, 780],
  ["page-report", join(pages, "report.html"), 1440, 900],
  ["page-session", join(pages, "session.html"), 1440, 900],
  ["page-session-390", join(pages, "session.html"), 390, 780],
];

const browser = await chromium.launch({ executablePath: process.env.CODEX_WIRE_CHROMIUM, args: ["--no-sandbox"] });
for (const [name, path, width, height] of PICTURES) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light", reducedMotion: "reduce" });
  const query = name === "site-type-390" ? "?release=0.110.0" : "";
  await page.goto(pathToFileURL(path).href + query);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  const bytes = Buffer.from(data, "base64");
  writeFileSync(join(out, name + ".webp"), bytes);
  console.log(`${name}.webp: ${bytes.length} bytes`);
  await page.close();
}
await browser.close();
