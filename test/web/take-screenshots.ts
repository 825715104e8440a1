/**
 * Takes screenshots of every screen in every state, at each width, light and dark:
 * `npm run screenshots -- <folder> [part of a name …]`. The default is a new temporary folder. `TEST_WIDTHS=320,1280` takes only
 * these widths.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { MODES, type Mode, openPage, openScreen, type ScreenPage } from "./screen-page.ts";
import { openScreenSite, type ScreenSite } from "./screen-site.ts";
import { SCREENS } from "./screens.ts";

/** The pages that the server renders, including the one for unknown paths. */
async function takeServerPages(
  screenPage: ScreenPage,
  site: ScreenSite,
  save: (name: string) => Promise<void>,
) {
  for (const path of [...site.serverPaths, "/nowhere"].filter(isChosen)) {
    await screenPage.page.goto(site.url + path);
    await save(path === "/" ? "front" : `server ${path.slice(1)}`);
  }
}

async function takeMode(
  browser: Browser,
  site: ScreenSite,
  mode: Mode,
  folder: string,
): Promise<void> {
  const screenPage = await openPage(browser, mode);
  const kind = `${mode.width}-${mode.colorScheme}`;
  mkdirSync(path.join(folder, kind), { recursive: true });
  const save = async (name: string) => {
    const file = `${name.replace(/[^a-z0-9]+/gi, "-")}.png`;
    await screenPage.page.evaluate("document.fonts.ready");
    await screenPage.page.screenshot({ path: path.join(folder, kind, file), fullPage: true });
  };
  await takeServerPages(screenPage, site, save);
  for (const screen of SCREENS.filter(({ name }) => isChosen(name))) {
    await openScreen(screenPage, site, screen).catch((error: Error) => {
      process.stderr.write(`${screen.name}: ${error.message}\n`);
      process.exitCode = 1;
    });
    await save(screen.name);
  }
  await screenPage.page.context().close();
}

const [, , chosenFolder, ...parts] = process.argv;
const isChosen = (name: string) => parts.length === 0 || parts.some((part) => name.includes(part));
const widths = process.env["TEST_WIDTHS"]?.split(",").map(Number);
const modes = MODES.filter(({ width }) => widths?.includes(width) ?? true);
const folder = chosenFolder ?? mkdtempSync(path.join(tmpdir(), "toolbooth-screenshots-"));
const [browser, site] = await Promise.all([openBrowser(), openScreenSite()]);
try {
  for (const mode of modes) await takeMode(browser, site, mode, path.resolve(folder));
  process.stdout.write(`${path.resolve(folder)}\n`);
} finally {
  site.close();
  await browser.close();
}
