/** The setup of the browser tool tests: the API in this process, and a page of a tool with the same time. */
import type { TestContext } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { TOOLS } from "#tools/registry.ts";
import { inProcess, openInProcess } from "../http/in-process.ts";
import { createBackstage } from "../http/ledger-access.ts";
import {
  createCaller,
  eventually,
  openService,
  PUBLIC_URL,
  type TestServiceSettings,
} from "../http/test-api.ts";
import { HANGS_MS } from "../support/deadline.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import { isFixedClockError } from "./screen-page.ts";

export const RECEIVED_AT = Date.UTC(2026, 10, 21, 22, 26, 7, 89);
/** A well-formed request id, which the service keeps. */
export const REQUEST_ID = "in-your-browser";

/** Deterministic bytes in place of random ones, on both sides. The page gets the source text of this function. */
export const patternedBytes = (count: number) =>
  Uint8Array.from({ length: count }, (_, at) => ((at * 31 + 7) ^ (at >> 5)) & 0xff);

export async function openApi() {
  const time = { now: () => RECEIVED_AT, elapsed: () => 0 };
  const backstage = createBackstage(createMemoryLedger(), time);
  const open = async (settings: TestServiceSettings) =>
    openInProcess(backstage, settings, { random: patternedBytes });
  const service = await openService({ ...inProcess, open }, { rateLimit: 0 });
  const caller = await createCaller(service, { credits: 1_000_000 });
  return {
    /** The status and the bytes of the API's response. */
    async post(
      tool: string,
      body: Uint8Array,
      sent: { contentType?: string; query?: string } = {},
    ) {
      const { contentType = "application/json", query = "" } = sent;
      const headers = { "Content-Type": contentType, "X-Request-Id": REQUEST_ID };
      const { status, bytes } = await caller.post(query === "" ? tool : `${tool}?${query}`, {
        headers,
        body,
      });
      return { status, bytes };
    },
  };
}

export const VISITOR: Visitor = {
  user: null,
  signUp: "open",
  providers: [],
  starter: { credits: 100, days: 90 },
  apiUrl: PUBLIC_URL,
  hasFreeCall: true,
  emailsStayHere: false,
  sales: { payable: false, contact: null },
  requestLog: false,
  passkeyOrigin: null,
};

export type Setup = { browser: Browser; url: string; api: Awaited<ReturnType<typeof openApi>> };

export type ToolPage = { page: Page; consoleErrors: string[]; requests: string[] };

/** Opens the page of a tool at a fixed time, and records its console errors and requests. */
export async function openTool(
  { browser, url }: Setup,
  t: TestContext,
  name: string,
): Promise<ToolPage> {
  const context = await browser.newContext({ acceptDownloads: true });
  context.setDefaultTimeout(HANGS_MS);
  t.after(() => context.close());
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !isFixedClockError(message.text())) {
      consoleErrors.push(message.text());
    }
  });
  page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.clock.setFixedTime(RECEIVED_AT);
  await page.goto(`${url}/tools${name === "" ? "" : `/${name}`}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  if (TOOLS.some((tool) => tool.name === name)) {
    await page.getByRole("tab", { name: "Raw" }).click();
  }
  return { page, consoleErrors, requests };
}

/** The response as it was sent, which the page shows in a tab of its own. */
export const responseOf = (page: Page): Locator =>
  page.getByRole("figure", { name: /^Response.*as sent$/ }).locator("code");
export const textOf = (page: Page | Locator): Locator => page.getByRole("textbox").first();

/** The API response that the page shows, or null. */
export const shownResponse = async (page: Page): Promise<string | null> =>
  (await responseOf(page).count()) === 0 ? null : responseOf(page).textContent();

/** Waits until the page shows the same response to this body as the API. */
export async function assertResponses(
  { api }: Setup,
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
