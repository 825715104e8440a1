import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { respondWith, type Screen } from "./screen-mocks.ts";

/** How a screen is looked at. 320 pixels are also what 1280 are at 400 percent. */
export type Mode = { colorScheme: "light" | "dark"; width: number };
export const MODES: Mode[] = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: 320 },
];
export const modeName = ({ colorScheme, width }: Mode): string => `${colorScheme}, ${width} px`;

export type RequestContext = { page: Page; consoleErrors: string[] };

/** A page that can be used for one screen after the other; `complaints` is what its console said of errors. */
export async function openPage(
  browser: Browser,
  { colorScheme, width }: Mode,
  options: BrowserContextOptions = {},
): Promise<RequestContext> {
  const height = width < 600 ? 800 : 900;
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme, reducedMotion: "reduce", ...options },
  });
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !OF_THE_MOCKS.test(message.text())) {
      consoleErrors.push(message.text());
    }
  });
  return { page, consoleErrors };
}

/** Refusals that the mocks make, and the clock that stands still, which is a script in frames that run none. */
const OF_THE_MOCKS = /^(?:Failed to load resource|Blocked script execution in 'about:srcdoc')/;

/** Opens a screen and waits until its state is there. */
export async function openScreen(
  { page }: RequestContext,
  url: string,
  screen: Screen,
): Promise<void> {
  // Nothing of the screen before may be on its way any more, or kept for a reload.
  if (page.url().startsWith(url)) await page.evaluate("sessionStorage.clear()");
  await page.goto("about:blank");
  await respondWith(page, screen.mocks);
  const unanswered = isWaiting(screen) ? waitForPendingRequest(page, screen) : undefined;
  await page.goto(`${url}${screen.path}`);
  // The server's own heading stands before; the link is React's.
  await page.locator(".tb-skip").waitFor({ state: "attached" });
  await page.locator("main h1").waitFor();
  await screen.actions?.(page);
  if (unanswered !== undefined) await unanswered;
  else {
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  }
}

/** Once it has been sent, the screen itself stands there, and not only what stands until its file is there. */
const waitForPendingRequest = (page: Page, { mocks }: Screen) =>
  page.waitForRequest((request) => {
    const { pathname } = new URL(request.url());
    return mocks[`${request.method()} ${pathname}`] === "silence";
  });

/** States in which an answer never comes. */
const isWaiting = ({ name }: Screen): boolean => /, (?:loading|waiting)$/.test(name);
