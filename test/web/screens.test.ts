import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { DAY_MS } from "../../web/parts/numbers.ts";
import { openBrowser } from "../support/chromium.ts";
import { FOCUS_TAB } from "../support/dashboard-browser.ts";
import { findViolations } from "./axe.ts";
import { home, keys, keysView, NOW } from "./fixtures.ts";
import { findCrowdedCells, findLayoutFaults } from "./layout-faults.ts";
import type { Mocks, Screen } from "./screen-mocks.ts";
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
 * The screens in their states: no WCAG 2.2 AA violation that axe finds, one level-1 heading, no horizontal scrolling, nothing cut
 * off, no console errors. Each state has one of ten modes, at five widths, light and dark; the states of a screen have different
 * ones. TEST_SCREEN_MODES=all shows every state in all of them.
 */
const ALL = process.env["TEST_SCREEN_MODES"] === "all";
/** Some states wait for retries, so several are checked at once. */
const CONCURRENCY = 3;

const [browser, site] = await Promise.all([openBrowser(), openScreenSite()]);
after(async () => {
  site.close();
  await browser.close();
});

function pathOf({ path }: Screen): string {
  return path.split(/[?#]/)[0] ?? path;
}

/** The states of this path are those of the frame: its menus and its search. */
const FRAME_PATH = "/tools";

/** The initial state of each path, which is the first screen that has it. */
const INITIAL = new Map(SCREENS.toReversed().map((screen) => [pathOf(screen), screen]));

async function findProblems(screenPage: ScreenPage, screen: Screen, mode: Mode): Promise<string[]> {
  const { page, consoleErrors } = screenPage;
  await openScreen(screenPage, site, screen, mode);
  const problems = await findLayoutFaults(page);
  const path = pathOf(screen);
  const isInitial = INITIAL.get(path) === screen;
  if (isInitial && site.appPaths.includes(path)) {
    problems.push(...(await findHeadFaults(page, path)));
  }
  const showsFrame = isInitial || path === FRAME_PATH;
  problems.push(...(await findViolations(page, showsFrame ? "all" : "content")));
  const headings = await page.locator("h1").count();
  if (headings !== 1) problems.push(`The page has ${headings} level-1 headings`);
  const unexpected = consoleErrors.splice(0).filter((text) => !screen.consoleError?.test(text));
  return [...problems, ...unexpected];
}

/** A page keeps the title that the server sends. */
async function findHeadFaults(page: Page, path: string): Promise<string[]> {
  const [, sent] = /<title>([^<]+)/.exec(await (await fetch(site.url + path)).text()) ?? [];
  const titles = [await page.title(), `${await page.locator("h1").textContent()} - Toolbooth`];
  return titles.filter((title) => title !== sent).map((title) => `Not the title sent: ${title}`);
}

const CASES = Array.from({ length: ALL ? MODES.length : 1 }, (_, round) =>
  SCREENS.map((screen, at) => ({ screen, mode: MODES[(at + round) % MODES.length] as Mode })),
).flat();

describe("every screen", { concurrency: CONCURRENCY }, () => {
  const free: ScreenPage[] = [];
  for (const { screen, mode } of CASES) {
    it(`${screen.name}: has no accessibility, layout or console problem (${modeName(mode)})`, async () => {
      const screenPage = free.pop() ?? (await openPage(browser, mode));
      try {
        assert.deepEqual(await findProblems(screenPage, screen, mode), []);
      } finally {
        screenPage.consoleErrors.length = 0;
        free.push(screenPage);
      }
    });
  }
});

it("every page of the dashboard has a screen", () => {
  assert.deepEqual(
    site.appPaths.filter((path) => !INITIAL.has(path)),
    [],
  );
});

it("blocks for what is loading and selected segments can be told from their background", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const screenPage = await openPage(browser, { colorScheme, width: 1280 });
    for (const [name, part, property, min] of [
      ["home, loading", ".tb-skeleton", "backgroundColor", 1.3],
      ["usage", ".tb-segments input:checked + span", "borderTopColor", 3],
    ] as const) {
      const screen = SCREENS.find((each) => each.name === name);
      assert.ok(screen, name);
      await openScreen(screenPage, site, screen);
      const [front, back] = await screenPage.page.evaluate<[number, number]>(
        `[getComputedStyle(document.querySelector("${part}")).${property}, getComputedStyle(document.body).backgroundColor].map(${LUMINANCE})`,
      );
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      assert.ok(contrast >= min, `${name}, ${colorScheme}: ${contrast.toFixed(2)}`);
    }
    await screenPage.page.context().close();
  }
});

it("numbers of ten digits stay in their cells, at every width", async () => {
  const many = 1_234_567_890;
  const { today, topKeys, days } = home;
  const crowded: Mocks = {
    "GET /dashboard/keys": {
      body: keysView(keys.map((each) => ({ ...each, callsLastDay: many }))),
    },
    "GET /dashboard/home": {
      body: {
        ...{ ...home, balance: many, today: { ...today, calls: many, credits: many } },
        topKeys: topKeys.map((each) => ({ ...each, callsToday: many })),
        days: days?.map((day) => ({ ...day, calls: many, errors: many })),
      },
    },
  };
  const screenPage = await openPage(browser, { colorScheme: "light", width: 320 });
  for (const path of ["/settings/api-keys", "/home"]) {
    const screen = INITIAL.get(path);
    assert.ok(screen);
    const full = { ...screen, mocks: { ...screen.mocks, ...crowded } };
    for (const width of [320, 480, 768, 1024, 1280]) {
      await openScreen(screenPage, site, full, { colorScheme: "light", width });
      const { page } = screenPage;
      const faults = [...(await findCrowdedCells(page)), ...(await findLayoutFaults(page))];
      assert.deepEqual(faults, [], `${path} at ${width} px`);
    }
  }
  await screenPage.page.context().close();
});

it("while the code of the next page is loading, the page before it stays, under a bar", async () => {
  const screenPage = await openPage(browser, { colorScheme: "light", width: 1280 });
  const { page } = screenPage;
  const screen = SCREENS.find(({ path }) => path === "/home");
  assert.ok(screen);
  await openScreen(screenPage, site, screen);
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

it("a call in a dialog is copied where browsers have no clipboard for pages, as over plain HTTP", async () => {
  const { page } = await showScreen("keys, new secret shown");
  // What the button says is shown for two seconds.
  await page.clock.pauseAt(NOW + 1_000);
  await page.evaluate(`{
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    addEventListener("copy", ({ target }) => {
      globalThis.copied = target.value?.slice(target.selectionStart, target.selectionEnd);
    });
  }`);
  const name = "Sample call with curl";
  await page.getByRole("button", { name: `Copy: ${name}` }).click();
  await page.getByRole("status").getByText("Copied").waitFor();
  const shown = await page.getByRole("figure", { name }).locator("code").textContent();
  assert.equal(await page.evaluate("globalThis.copied"), shown);
  await page.context().close();
});

it("on a page that stays open, what is left is counted from when it was loaded last", async () => {
  const { page } = await showScreen("credits");
  const left = page.locator("dl.tb-stats > div", { hasText: "Next expiry" }).locator(".tb-stat");
  assert.equal(await left.textContent(), "in 29 days");
  await page.clock.setFixedTime(NOW + 3 * DAY_MS);
  await page.evaluate(FOCUS_TAB);
  await left.getByText("in 26 days").waitFor();
  await page.context().close();
});

it("a period that is no longer in the URL is not shown as chosen", async () => {
  const { page } = await showScreen("usage");
  await page.getByRole("radio", { name: "Custom" }).check();
  await page.getByLabel("First day").fill("2026-11-02");
  await page.getByLabel("Last day").fill("2026-11-10");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.waitForURL("**/usage?from=2026-11-02&to=2026-11-10");
  await page.getByRole("link", { name: "Usage", exact: true }).first().click();
  await page.waitForURL("**/usage");
  await page.getByRole("radio", { name: "30 days", checked: true }).waitFor();
  assert.equal(await page.getByLabel("First day").count(), 0);
  await page.context().close();
});

/** A page of its own that shows a screen in its first state of this name. */
async function showScreen(name: string): Promise<ScreenPage> {
  const screenPage = await openPage(browser, { colorScheme: "light", width: 1280 });
  const screen = SCREENS.find((each) => each.name === name);
  assert.ok(screen, name);
  await openScreen(screenPage, site, screen);
  return screenPage;
}

/** Relative luminance of the first colour in a computed value (WCAG 2.2): `rgb(19, 23, 26)` or `color(srgb 0.1 0.2 0.3)`. */
const LUMINANCE = `(text) => {
  const [, kind, list] = /(rgb|color)a?\\((?:srgb )?([^)]+)\\)/.exec(text);
  const [r, g, b] = list.match(/[\\d.]+/g).map((value) => Number(value) / (kind === "rgb" ? 255 : 1)).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}`;
