import type { Page } from "playwright-core";
import { DASHBOARD_ERRORS } from "#api/dashboard/dashboard-error.ts";
import type { DashboardErrorCode, DashboardProblem } from "#api/dashboard/shapes.ts";
import { NOW } from "./fixtures.ts";

/** A screen of the pages in one state. */
export type Screen = {
  name: string;
  path: string;
  mocks: Mocks;
  /** What a person does before the state is there. */
  actions?: (page: Page) => Promise<void>;
  /** What the console says all the same. */
  loggedError?: RegExp;
};

/** `GET /dashboard/home` and the like, without what follows `?` unless a mock names it too. */
export type Mocks = Record<string, Mock>;
export type Mock =
  | { status?: number; body: unknown }
  /** No answer ever comes. */
  | "silence"
  /** The connection is refused. */
  | "away"
  /** In turn, one for each request; the last one stays. */
  | Mock[];

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

const still = new WeakSet<Page>();

/**
 * Lets a page be answered by mocks alone, at the time of the fixtures. To be called before the page is opened, and
 * again before it is opened for something else.
 */
export async function respondWith(page: Page, mocks: Mocks): Promise<void> {
  if (!still.has(page)) await page.clock.setFixedTime(NOW);
  still.add(page);
  await page.unrouteAll();
  const asked = new Map<string, number>();
  await page.route("**/dashboard/**", async (route) => {
    const url = new URL(route.request().url());
    const place = url.pathname.slice(url.pathname.indexOf("/dashboard/"));
    const name = `${route.request().method()} ${place}`;
    const exact = `${name}${url.search}`;
    const mock = mocks[exact] ?? mocks[name] ?? problem(404, "not_found", `No mock for ${exact}.`);
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    const turn = Array.isArray(mock) ? mock[Math.min(count, mock.length - 1)] : mock;
    if (turn === "silence" || turn === undefined || Array.isArray(turn)) return;
    if (turn === "away") return route.abort("connectionrefused");
    await route.fulfill({ status: turn.status ?? 200, json: turn.body });
  });
}
