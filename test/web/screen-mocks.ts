import type { IncomingMessage, ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { DASHBOARD_ERRORS } from "#api/dashboard/dashboard-error.ts";
import type { DashboardErrorCode, DashboardProblem } from "#api/dashboard/shapes.ts";
import { NOW } from "./fixtures.ts";

/** A screen of the dashboard in one state. */
export type Screen = {
  name: string;
  path: string;
  mocks: Mocks;
  /** The steps that lead to the state. */
  actions?: ((page: Page) => Promise<unknown>) | undefined;
  /** Whether a request stays pending, because it waits for the user. */
  isBusy?: boolean;
  /** Console errors that the state is expected to cause. */
  consoleError?: RegExp;
};

/** Lists the states of a page that responds with `mocks`, apart from those of a state: their names begin with that of the page. */
export const statesOf =
  (page: string, path: string, mocks: Mocks) =>
  (state: string, more: Mocks = {}, actions?: Screen["actions"]): Screen => ({
    ...{ name: `${page}, ${state}`, path, actions },
    mocks: { ...mocks, ...more },
  });

/** Responses by method and path, such as `GET /dashboard/home`. A key with a query string takes precedence. */
export type Mocks = Record<string, Mock>;
export type Mock =
  | { status?: number; body: unknown }
  /** The response never arrives. */
  | "silence"
  /** The connection is refused. */
  | "away"
  /** One for each request in turn; the last one repeats. */
  | Mock[];

/** Stands in mocks for the origin of the page: its port differs from run to run. */
export const PAGE_ORIGIN = "http://page.invalid";

export function problem(status: number, code: DashboardErrorCode, detail: string): Mock {
  const title = DASHBOARD_ERRORS[code].title;
  const body: DashboardProblem = {
    ok: false,
    type: "about:blank",
    title,
    status,
    code,
    detail,
    requestId: "req_2fVq8ZkLm0Xa1",
  };
  return { status, body };
}
export const broken = problem(500, "internal", "Something went wrong on our side. Try again.");

/**
 * Answers the requests of pages with mocks, on the server: a page whose requests were intercepted in the browser would load every
 * file anew. A cookie names what a page shows, so each page needs a context of its own.
 */
export class MockedPages {
  readonly #shown = new Map<string, { mocks: Mocks; counts: Map<string, number> }>();
  readonly #seen = new WeakSet<Page>();

  /** From now on the page gets these responses, at the time of the fixtures. Call it before each `page.goto`. */
  async show(page: Page, url: string, mocks: Mocks): Promise<void> {
    if (this.#seen.has(page)) await page.unrouteAll();
    else {
      this.#seen.add(page);
      await page.clock.setFixedTime(NOW);
      await page.addInitScript(FORGET);
    }
    const id = `screen=${this.#shown.size}`;
    this.#shown.set(id, { mocks, counts: new Map() });
    const [name = "", value = ""] = id.split("=");
    await page.context().addCookies([{ name, value, url }]);
  }

  /** Returns whether the request is one that mocks answer. */
  respond(request: IncomingMessage, response: ServerResponse): boolean {
    const shown = this.#shown.get(request.headers.cookie ?? "");
    const { pathname, search } = new URL(request.url ?? "", PAGE_ORIGIN);
    if (shown === undefined || !pathname.startsWith("/dashboard/")) return false;
    const name = `${request.method} ${pathname}`;
    const exact = `${name}${search}`;
    const missing = problem(404, "not_found", `No mock for ${exact}.`);
    const mock = shown.mocks[exact] ?? shown.mocks[name] ?? missing;
    const count = shown.counts.get(name) ?? 0;
    shown.counts.set(name, count + 1);
    send(Array.isArray(mock) ? mock[Math.min(count, mock.length - 1)] : mock, request, response);
    return true;
  }
}

/** Removes what the screen before it has stored, also when it was left. */
const FORGET = `
if (location.origin !== "null" && sessionStorage.getItem("shown") !== document.cookie) {
  sessionStorage.clear();
  localStorage.clear();
  sessionStorage.setItem("shown", document.cookie);
}`;

function send(mock: Mock | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (mock === "silence" || mock === undefined || Array.isArray(mock)) return;
  if (mock === "away") {
    request.socket.destroy();
    return;
  }
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  const body = JSON.stringify(mock.body).replaceAll(PAGE_ORIGIN, `http://${request.headers.host}`);
  response.writeHead(mock.status ?? 200, headers).end(body);
}
