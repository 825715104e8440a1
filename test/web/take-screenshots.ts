/**
 * Pictures of every screen in every state, desktop and phone, light and dark: `npm run screenshots -- <folder>`.
 * Without a folder they go into a new temporary one.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { MODES, type Mode, openPage, openScreen, type RequestContext } from "./screen-page.ts";
import { openScreenSite } from "./screen-site.ts";
import { SCREENS } from "./screens.ts";

const PHONE_WIDTH = 390;
type Site = Awaited<ReturnType<typeof openScreenSite>>;

/** The pages that the server writes itself, the one for lost addresses included. */
async function takeWritten(
  context: RequestContext,
  site: Site,
  save: (name: string) => Promise<void>,
) {
  for (const place of [...site.written, "/nowhere"]) {
    await context.page.goto(site.url + place);
    await context.page.evaluate("document.fonts.ready");
    await save(place === "/" ? "front" : `server ${place.slice(1)}`);
  }
}

async function takeMode(browser: Browser, site: Site, mode: Mode, folder: string): Promise<void> {
  const width = mode.width < 600 ? PHONE_WIDTH : mode.width;
  const context = await openPage(browser, { ...mode, width });
  const kind = `${width === PHONE_WIDTH ? "phone" : "desktop"}-${mode.colorScheme}`;
  mkdirSync(path.join(folder, kind), { recursive: true });
  const save = async (name: string) => {
    const file = `${name.replace(/[^a-z0-9]+/gi, "-")}.png`;
    await context.page.screenshot({ path: path.join(folder, kind, file), fullPage: true });
  };
  await takeWritten(context, site, save);
  for (const screen of SCREENS) {
    await openScreen(context, site.url, screen).catch((error: Error) => {
      process.stderr.write(`${screen.name}: ${error.message}\n`);
      process.exitCode = 1;
    });
    await save(screen.name);
  }
  await context.page.context().close();
}

const folder = process.argv[2] ?? mkdtempSync(path.join(tmpdir(), "toolbooth-screenshots-"));
const [browser, site] = await Promise.all([openBrowser(), openScreenSite()]);
try {
  for (const mode of MODES) await takeMode(browser, site, mode, path.resolve(folder));
  process.stdout.write(`${path.resolve(folder)}\n`);
} finally {
  site.close();
  await browser.close();
}
