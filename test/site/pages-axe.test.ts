import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { createPages } from "#site/pages.ts";
import { openBrowser } from "../support/chromium.ts";
import { SAMPLE_SEED } from "../support/sample.ts";
import { FULL, type PagesServer, pathsOf, servePages } from "./pages-server.ts";

/**
 * The server-rendered pages against WCAG 2.2 AA, as far as axe can check it, on two screen widths, light and dark. Each run
 * checks half of the pages, each in one of these four modes, chosen by TEST_SEED. TEST_SCREENS=all checks all in all modes.
 */
const ALL = process.env["TEST_SCREENS"] === "all";
/** In each mode, one of this many pages is checked. */
const ONE_OF = 8;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
};
const PATHS = [...pathsOf(createPages(FULL)), "/nowhere"];

let browser: Browser;
let server: PagesServer;
before(async () => {
  [browser, server] = await Promise.all([openBrowser(), servePages()]);
});
after(async () => {
  server.close();
  await browser.close();
});

/** Each violation with the elements that it concerns. */
async function findViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the policy of the page does not restrict.
  const { violations } = (await page.evaluate(
    `${AXE};axe.run(document, ${JSON.stringify(RULES)})`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

for (const [scheme, colorScheme] of (["light", "dark"] as const).entries()) {
  for (const [size, width] of [320, 1280].entries()) {
    const turn = scheme * 2 + size;
    const paths = PATHS.filter((_, index) => ALL || (index + SAMPLE_SEED) % ONE_OF === turn);
    const sample = ALL ? "" : ` (${paths.length} of ${PATHS.length}, TEST_SEED=${SAMPLE_SEED})`;
    console.log(`${colorScheme}, ${width} px${sample}`);
    describe(`${colorScheme}, ${width} pixels wide${sample}`, () => {
      let page: Page;
      const messages: string[] = [];
      before(async () => {
        page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        page.on("console", (message) => messages.push(message.text()));
        page.on("pageerror", (error) => messages.push(String(error)));
      });
      after(() => page.close());

      for (const path of paths) {
        it(`${path} has no accessibility violation with everything expanded, and does not overflow`, async () => {
          await page.goto(server.url + path);
          if (path === "/") await page.locator("#try-text:not([readonly])").waitFor();
          await page.evaluate(
            "document.querySelectorAll('details').forEach((part) => { part.open = true; })",
          );
          assert.deepEqual(await findViolations(page), []);
          assert.ok((await page.evaluate<number>("document.documentElement.scrollWidth")) <= width);
          // Violations of the policy are logged to the console, and so is the 404.
          assert.deepEqual(
            messages.splice(0).filter((text) => !/404 \(Not Found\)/.test(text)),
            [],
          );
        });
      }
    });
  }
}
