import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../chromium.ts";
import type { Screen } from "./screen-mocks.ts";
import { openScreenSite } from "./screen-site.ts";
import { MODES, type Mode, modeName, openScreen, openVisit, type Visit } from "./screen-visit.ts";
import { SCREENS } from "./screens.ts";

/**
 * Every screen in every state as people meet it: WCAG 2.2 AA as far as axe can tell, one heading, nothing past the
 * edge, nothing on the console. Each in one mode, which changes from run to run; TEST_SCREENS=all takes all modes.
 */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
};
const ALL = process.env["TEST_SCREENS"] === "all";
const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Date.now() / 1_000) % 1_000);
/** Some states wait for what is tried again: meanwhile others are looked at. */
const AT_ONCE = 3;

let browser: Browser;
let site: Awaited<ReturnType<typeof openScreenSite>>;
before(async () => {
  [browser, site] = await Promise.all([openBrowser(), openScreenSite()]);
});
after(async () => {
  site?.close();
  await browser?.close();
});

/** Each violation with the elements that it concerns. */
async function findViolations(page: Page): Promise<string[]> {
  // Past the policy of the page, as a developer's tools go past it.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(RULES)})`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function findFaults(visit: Visit, screen: Screen, { width }: Mode): Promise<string[]> {
  const { page, complaints } = visit;
  await openScreen(visit, site.url, screen);
  const faults = await findViolations(page);
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  if (wide > width) faults.push(`It is ${wide} pixels wide`);
  const headings = await page.locator("h1").count();
  if (headings !== 1) faults.push(`It has ${headings} headings of the first rank`);
  return [...faults, ...complaints.splice(0)];
}

/** One visit for each mode and lane, so that pages are opened once and used again and again. */
for (const [turn, mode] of MODES.entries()) {
  const screens = SCREENS.filter((_, index) => ALL || (index + SEED) % MODES.length === turn);
  describe(`${modeName(mode)}${ALL ? "" : ` (TEST_SEED=${SEED})`}`, {
    concurrency: AT_ONCE,
  }, () => {
    const free: Visit[] = [];
    after(async () => {
      for (const { page } of free) await page.context().close();
    });
    for (const screen of screens) {
      it(`${screen.name}: nothing is wrong with it`, async () => {
        const visit = free.pop() ?? (await openVisit(browser, mode));
        try {
          assert.deepEqual(await findFaults(visit, screen, mode), []);
        } finally {
          visit.complaints.length = 0;
          free.push(visit);
        }
      });
    }
  });
}
