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
  actions?: (page: Page) => Promise<void>;
  /** Whether a request stays pending, because it waits for the user. */
  isBusy?: boolean;
  /** Console errors that the state is expected to cause. */
  consoleError?: RegExp;
};

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

const pagesWithFixedClock = new WeakSet<Page>();

/** Answers the requests of a page with mocks, at the time of the fixtures. Call it before each `page.goto`. */
export async function respondWith(page: Page, mocks: Mocks): Promise<void> {
  if (!pagesWithFixedClock.has(page)) await page.clock.setFixedTime(NOW);
  pagesWithFixedClock.add(page);
  await page.unrouteAll();
  const counts = new Map<string, number>();
  await page.route("**/dashboard/**", async (route) => {
    const url = new URL(route.request().url());
    const path = url.pathname.slice(url.pathname.indexOf("/dashboard/"));
    const name = `${route.request().method()} ${path}`;
    const exact = `${name}${url.search}`;
    const mock = mocks[exact] ?? mocks[name] ?? problem(404, "not_found", `No mock for ${exact}.`);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const response = Array.isArray(mock) ? mock[Math.min(count, mock.length - 1)] : mock;
    if (response === "silence" || response === undefined || Array.isArray(response)) return;
    if (response === "away") return route.abort("connectionrefused");
    const body = JSON.stringify(response.body).replaceAll(PAGE_ORIGIN, url.origin);
    const contentType = "application/json";
    await route.fulfill({ status: response.status ?? 200, contentType, body });
  });
}
