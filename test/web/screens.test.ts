import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { drawSample, SAMPLE_SEED } from "../support/sample.ts";
import { findLayoutFaults } from "./layout-faults.ts";
import { respondWith, type Screen } from "./screen-mocks.ts";
import {
  MODES,
  type Mode,
  modeName,
  openPage,
  openScreen,
  type ScreenPage,
} from "./screen-page.ts";
import { openScreenSite } from "./screen-site.ts";
import { SCREENS } from "./screens.ts";

/**
 * Every screen in every state, at five widths, light and dark: no WCAG 2.2 AA violation that axe finds, one level-1 heading, no
 * horizontal scrolling, nothing cut off, no console errors. Each run checks one of 24 screens, each in one mode, chosen by TEST_SEED. TEST_SCREENS=all checks all
 * of them in all modes.
 */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
};
const ALL = process.env["TEST_SCREENS"] === "all";
/** In each mode, one of this many states is checked. */
const ONE_OF = 24 * MODES.length;
/** Some states wait for retries, so several are checked at once. */
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

/** One line for each violation and element. */
async function findViolations(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(RULES)})`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Adds axe as an init script, because the Content-Security-Policy would block it later. */
async function openPageWithAxe(mode: Mode): Promise<ScreenPage> {
  const screenPage = await openPage(browser, mode);
  await screenPage.page.addInitScript(AXE);
  return screenPage;
}

async function findProblems(screenPage: ScreenPage, screen: Screen): Promise<string[]> {
  const { page, consoleErrors } = screenPage;
  await openScreen(screenPage, site.url, screen);
  const problems = await findViolations(page);
  problems.push(...(await findLayoutFaults(page)));
  const headings = await page.locator("h1").count();
  if (headings !== 1) problems.push(`The page has ${headings} level-1 headings`);
  const unexpected = consoleErrors.splice(0).filter((text) => !screen.consoleError?.test(text));
  return [...problems, ...unexpected];
}

it("a page keeps the title that the server sends, and uses the responses that its head requests", async () => {
  const paths = [...drawSample("titles of pages", site.appPaths, 4, ALL)];
  await Promise.all(Array.from({ length: CONCURRENCY }, () => checkTitles(paths)));
});

it("a form that the server renders stands still when React takes it over, and keeps what was typed", async () => {
  const { page } = await openPage(browser, { colorScheme: "light", width: 320 });
  for (const path of ["/sign-up", "/sign-in"]) {
    const screen = SCREENS.find((each) => each.path === path);
    assert.ok(screen);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await respondWith(page, screen.mocks);
    await page.route("**/assets/main-*.js", (route) => held.then(() => route.continue()));
    await page.goto(site.url + path, { waitUntil: "commit" });
    await page.getByLabel("Password", { exact: true }).fill("correct horse");
    const email = page.getByLabel("Email address");
    await email.fill("ada@example.com");
    const before = await page.evaluate(PLACES);
    release();
    // Only React renders this button.
    await page.getByRole("button", { name: "Show password" }).waitFor();
    assert.equal(await email.inputValue(), "ada@example.com");
    assert.equal(await page.getByLabel("Password", { exact: true }).inputValue(), "correct horse");
    assert.equal(await page.evaluate("document.activeElement.id"), "email");
    assert.deepEqual(await page.evaluate(PLACES), before, path);
  }
  await page.context().close();
});

it("blocks for what is loading and selected segments can be told from their background", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const screenPage = await openPage(browser, { colorScheme, width: 1280 });
    for (const [name, part, property, min] of [
      ["home, loading", ".tb-skeleton", "backgroundColor", 1.3],
      ["usage", ".mantine-SegmentedControl-indicator", "boxShadow", 3],
    ] as const) {
      const screen = SCREENS.find((each) => each.name === name);
      assert.ok(screen, name);
      await openScreen(screenPage, site.url, screen);
      const [front, back] = await screenPage.page.evaluate<[number, number]>(
        `[getComputedStyle(document.querySelector("${part}")).${property}, getComputedStyle(document.body).backgroundColor].map(${LUMINANCE})`,
      );
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      assert.ok(contrast >= min, `${name}, ${colorScheme}: ${contrast.toFixed(2)}`);
    }
    await screenPage.page.context().close();
  }
});

it("while the code of the next page is loading, the page before it stays, under a bar", async () => {
  const screenPage = await openPage(browser, { colorScheme: "light", width: 1280 });
  const { page } = screenPage;
  const screen = SCREENS.find(({ path }) => path === "/home");
  assert.ok(screen);
  await openScreen(screenPage, site.url, screen);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/assets/credits-screen-*.js", (route) => held.then(() => route.continue()));
  await page.getByRole("link", { name: "Credits", exact: true }).first().click();
  await page.getByRole("progressbar", { name: "Loading the page" }).waitFor();
  assert.equal(await page.locator("main h1").textContent(), "Home");
  release();
  await page.getByRole("heading", { level: 1, name: "Credits" }).waitFor();
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  await page.context().close();
});

/** Relative luminance of the first colour in a computed value (WCAG 2.2): `rgb(19, 23, 26)` or `color(srgb 0.1 0.2 0.3)`. */
const LUMINANCE = `(text) => {
  const [, kind, list] = /(rgb|color)a?\\((?:srgb )?([^)]+)\\)/.exec(text);
  const [r, g, b] = list.match(/[\\d.]+/g).map((value) => Number(value) / (kind === "rgb" ? 255 : 1)).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}`;

/** Where the parts of a form are. */
const PLACES = `["h1", ".tb-lead", "label", "input", ".tb-field-hint[id]", ".tb-quiet", ".tb-submit", ".tb-sign-in-foot"].map((part) =>
  [...document.querySelectorAll("main " + part)].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [part, x, y, width, height].join(" ");
  }))`;

/** Takes paths from the shared list until it is empty. */
async function checkTitles(paths: string[]): Promise<void> {
  const screenPage = await openPage(browser, MODES[0] as Mode);
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    // The first screen of a path is its initial state.
    const screen = SCREENS.find((each) => each.path.split("?")[0] === path);
    assert.ok(screen, `No screen has the path ${path}`);
    const [, sent] = /<title>([^<]+)/.exec(await (await fetch(site.url + path)).text()) ?? [];
    await openScreen(screenPage, site.url, screen);
    assert.equal(await screenPage.page.title(), sent, path);
    const heading = await screenPage.page.locator("h1").textContent();
    assert.equal(`${heading} - Toolbooth`, sent, path);
    const unused = await screenPage.page.evaluate("[...toolboothResponses.keys()]");
    assert.deepEqual(unused, [], `${path}: the head requests what the screen does not show first`);
  }
  await screenPage.page.context().close();
}

// Pages are reused within a mode, because opening one costs more than a screen.
for (const [turn, mode] of MODES.entries()) {
  const screens = SCREENS.filter((_, index) => ALL || (index + SAMPLE_SEED) % ONE_OF === turn);
  const sample = ALL ? "" : ` (${screens.length} of ${SCREENS.length}, TEST_SEED=${SAMPLE_SEED})`;
  console.log(`${modeName(mode)}${sample}`);
  describe(`${modeName(mode)}${sample}`, {
    concurrency: CONCURRENCY,
  }, () => {
    const free: ScreenPage[] = [];
    after(async () => {
      for (const { page } of free) await page.context().close();
    });
    for (const screen of screens) {
      it(`${screen.name}: has no accessibility, layout or console problem`, async () => {
        const screenPage = free.pop() ?? (await openPageWithAxe(mode));
        try {
          assert.deepEqual(await findProblems(screenPage, screen), []);
        } finally {
          screenPage.consoleErrors.length = 0;
          free.push(screenPage);
        }
      });
    }
  });
}
