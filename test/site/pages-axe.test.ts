import assert from "node:assert/strict";
import { after, it } from "node:test";
import { openBrowser } from "../support/chromium.ts";
import { findViolations } from "../web/axe.ts";
import { openPage } from "../web/screen-page.ts";
import { openScreenSite } from "../web/screen-site.ts";

const MODES = (["light", "dark"] as const).flatMap((colorScheme) =>
  [320, 1280].map((width) => ({ colorScheme, width })),
);

const [browser, site] = await Promise.all([openBrowser(), openScreenSite()]);
const PATHS = [...site.serverPaths, "/nowhere"];
after(async () => {
  site.close();
  await browser.close();
});
const opened = await Promise.all(MODES.map((mode) => openPage(browser, mode)));

/** Each page is light or dark, and on a wide or a narrow screen. TEST_SCREEN_MODES=all shows each in all four modes. */
const ROUNDS = process.env["TEST_SCREEN_MODES"] === "all" ? MODES.length : 1;
const CASES = Array.from({ length: ROUNDS }, (_, round) =>
  PATHS.map((path, at) => ({ path, turn: (at + round) % MODES.length })),
).flat();

/** The frame of the first pages is looked at too: that of pages with and without a side navigation, in every mode. */
const FRAMES = 2 + MODES.length;

for (const [at, { path, turn }] of CASES.entries()) {
  const { colorScheme, width } = MODES[turn] as (typeof MODES)[number];
  it(`${path} has no accessibility violation with everything expanded, and does not overflow (${colorScheme}, ${width} px)`, async () => {
    const { page, consoleErrors } = opened[turn] as (typeof opened)[number];
    await page.goto(site.url + path);
    if (path === "/") await page.locator("#try-text:not([readonly])").waitFor();
    await page.evaluate(
      "document.querySelectorAll('details').forEach((part) => { part.open = true; })",
    );
    assert.deepEqual(await findViolations(page, at < FRAMES ? "all" : "content"), []);
    assert.ok((await page.evaluate<number>("document.documentElement.scrollWidth")) <= width);
    // Violations of the policy are logged to the console.
    assert.deepEqual(consoleErrors.splice(0), []);
  });
}
