import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { HANGS_MS } from "../support/deadline.ts";
import type { Screen } from "./screen-mocks.ts";
import { BLANK_PATH, type ScreenSite } from "./screen-site.ts";

/** The colour scheme and width of a viewport. 320 pixels also stand for 1280 pixels at 400 percent zoom. */
export type Mode = { colorScheme: "light" | "dark"; width: number };
const WIDTHS = [1280, 320, 768, 1024, 1440];
export const MODES: Mode[] = WIDTHS.flatMap((width): Mode[] => [
  { colorScheme: "light", width },
  { colorScheme: "dark", width },
]);
export const modeName = ({ colorScheme, width }: Mode): string => `${colorScheme}, ${width} px`;

const heightAt = (width: number): number => (width < 600 ? 800 : 900);

async function setMode(page: Page, { colorScheme, width }: Mode): Promise<void> {
  await page.setViewportSize({ width, height: heightAt(width) });
  await page.emulateMedia({ colorScheme });
}

export type ScreenPage = { page: Page; consoleErrors: string[] };

/** Opens a page that can show several screens in turn. `consoleErrors` collects the errors of its console. */
export async function openPage(
  browser: Browser,
  { colorScheme, width }: Mode,
  options: BrowserContextOptions = {},
): Promise<ScreenPage> {
  const context = await browser.newContext({
    viewport: { width, height: heightAt(width) },
    colorScheme,
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(HANGS_MS);
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() !== "error" || MOCK_ERROR.test(text) || isFixedClockError(text)) return;
    consoleErrors.push(text);
  });
  return { page, consoleErrors };
}

/** The fixed clock is a script in every frame. A sandboxed frame, first empty and then with its document, runs none. */
export const isFixedClockError = (text: string): boolean =>
  /^Blocked script execution in 'about:(?:srcdoc|blank)'/.test(text);

/** A mocked error response. */
const MOCK_ERROR = /^Failed to load resource/;

/** Opens a screen, in another mode than that of the page if one is given, and waits until it has reached its state. */
export async function openScreen(
  { page }: ScreenPage,
  { url, mocked }: ScreenSite,
  screen: Screen,
  mode?: Mode,
): Promise<void> {
  // A URL that differs only in its fragment would not load the page anew, and the same one would keep the state of its history entry.
  // The page between two screens is of the same origin: the browser would start a process anew after a page of none.
  await page.goto(url + BLANK_PATH);
  // Here, because the screen before would be laid out and painted anew.
  if (mode !== undefined) await setMode(page, mode);
  await mocked.show(page, url, screen.mocks);
  const pendingRequest = isWaiting(screen) ? waitForPendingRequest(page, screen) : undefined;
  await page.goto(`${url}${screen.path}`);
  // The server renders a heading too, but not this attribute.
  await page.locator("main[data-rendered]").waitFor({ state: "attached" });
  await page.locator("main h1").waitFor();
  await screen.actions?.(page);
  if (pendingRequest !== undefined) await pendingRequest;
  else if (screen.isBusy !== true) {
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }
}

/** Waits for a request that is never answered. Once it is sent, the screen's own code has rendered. */
const waitForPendingRequest = (page: Page, { mocks }: Screen) =>
  page.waitForRequest((request) => {
    const { pathname } = new URL(request.url());
    return mocks[`${request.method()} ${pathname}`] === "silence";
  });

/** Whether the state has a request that is never answered. */
const isWaiting = ({ name }: Screen): boolean => /, (?:loading|waiting)$/.test(name);
