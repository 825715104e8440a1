/** A visit to the pages of the browser tools: what every test of them does first, and what it reads. */
import type { TestContext } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { eventually, PUBLIC_URL } from "../http/test-api.ts";
import { type openApi, RECEIVED_AT } from "./browser-tools-api.ts";

export const VISITOR: Visitor = {
  person: null,
  signUp: "open",
  providers: [],
  starter: { credits: 100, days: 90 },
  apiUrl: PUBLIC_URL,
  emailsStayHere: false,
};

/** What is open in a test file. */
export type Opened = { browser: Browser; url: string; api: Awaited<ReturnType<typeof openApi>> };

/** The clock that stands still is a script in every frame, and the preview's frame runs none. */
const FROM_THE_TEST = /^Blocked script execution in 'about:srcdoc'/;

export type Seen = { page: Page; loggedErrors: string[]; requests: string[] };

/** A page whose clock stands still, and what it complained of and asked for. */
export async function openTool(
  { browser, url }: Opened,
  t: TestContext,
  name: string,
  options = {},
): Promise<Seen> {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const loggedErrors: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => loggedErrors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !FROM_THE_TEST.test(message.text())) {
      loggedErrors.push(message.text());
    }
  });
  page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.clock.setFixedTime(RECEIVED_AT);
  await page.goto(`${url}/tools${name === "" ? "" : `/${name}`}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page, loggedErrors, requests };
}

export const responseOf = (page: Page): Locator =>
  page.getByRole("figure", { name: /^Answer/ }).locator("code");
export const textOf = (page: Page): Locator => page.getByRole("textbox").first();

/** What the page shows as the API's answer; null where it shows none. */
export const shownResponse = async (page: Page): Promise<string | null> =>
  (await responseOf(page).count()) === 0 ? null : responseOf(page).textContent();

/** The page shows what the API answers to this body, in the end: it follows the input by itself. */
export async function assertResponses(
  { api }: Opened,
  page: Page,
  tool: string,
  body: unknown,
): Promise<void> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { bytes } = await api.post(tool, Buffer.from(text));
  const expected = Buffer.from(bytes).toString();
  await eventually(`the page shows ${expected.slice(0, 500)}`, async () => {
    return (await shownResponse(page)) === expected;
  });
}
