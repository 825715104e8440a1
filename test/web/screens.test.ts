import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import type { Screen } from "./screen-mocks.ts";
import {
  MODES,
  type Mode,
  modeName,
  openPage,
  openScreen,
  type RequestContext,
} from "./screen-page.ts";
import { openScreenSite } from "./screen-site.ts";
import { SCREENS } from "./screens.ts";

/**
 * Every screen in every state as people meet it: WCAG 2.2 AA as far as axe can tell, one heading, nothing past the
 * edge, nothing on the console. A sixth of them, each in one mode, both changing from run to run; TEST_SCREENS=all takes
 * all of them in all modes.
 */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
};
const ALL = process.env["TEST_SCREENS"] === "all";
const SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Date.now() / 1_000) % 1_000);
/** Of so many states one is drawn for each mode. */
const ONE_OF = 6 * MODES.length;
/** Some states wait for what is tried again: meanwhile others are looked at. */
const CONCURRENCY = 3;

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
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(RULES)})`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** With axe in every page from the start: past the policy, as a developer's tools go past it. */
async function openPageWithAxe(mode: Mode): Promise<RequestContext> {
  const context = await openPage(browser, mode);
  await context.page.addInitScript(AXE);
  return context;
}

async function findProblems(
  context: RequestContext,
  screen: Screen,
  { width }: Mode,
): Promise<string[]> {
  const { page, consoleErrors } = context;
  await openScreen(context, site.url, screen);
  const faults = await findViolations(page);
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  if (wide > width) faults.push(`It is ${wide} pixels wide`);
  const headings = await page.locator("h1").count();
  if (headings !== 1) faults.push(`It has ${headings} headings of the first rank`);
  const said = consoleErrors.splice(0).filter((text) => !screen.consoleError?.test(text));
  return [...faults, ...said];
}

it("a page keeps the title that the server sends", async () => {
  const places = [...site.drawn];
  await Promise.all(Array.from({ length: CONCURRENCY }, () => checkTitles(places)));
});

/** Of the places that are left. */
async function checkTitles(places: string[]): Promise<void> {
  const context = await openPage(browser, MODES[0] as Mode);
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    // The first one of a path is the page without anything done.
    const screen = SCREENS.find(({ path }) => path.split("?")[0] === place);
    assert.ok(screen, `No screen of ${place}`);
    const [, sent] = /<title>([^<]+)/.exec(await (await fetch(site.url + place)).text()) ?? [];
    await openScreen(context, site.url, screen);
    assert.equal(await context.page.title(), sent, place);
    const heading = await context.page.locator("h1").textContent();
    assert.equal(`${heading} - Toolbooth`, sent, place);
  }
  await context.page.context().close();
}

/** One visit for each mode and lane, so that pages are setup once and used again and again. */
for (const [turn, mode] of MODES.entries()) {
  const screens = SCREENS.filter((_, index) => ALL || (index + SEED) % ONE_OF === turn);
  const drawn = ALL ? "" : ` (${screens.length} of ${SCREENS.length}, TEST_SEED=${SEED})`;
  describe(`${modeName(mode)}${drawn}`, {
    concurrency: CONCURRENCY,
  }, () => {
    const free: RequestContext[] = [];
    after(async () => {
      for (const { page } of free) await page.context().close();
    });
    for (const screen of screens) {
      it(`${screen.name}: nothing is wrong with it`, async () => {
        const context = free.pop() ?? (await openPageWithAxe(mode));
        try {
          assert.deepEqual(await findProblems(context, screen, mode), []);
        } finally {
          context.consoleErrors.length = 0;
          free.push(context);
        }
      });
    }
  });
}
