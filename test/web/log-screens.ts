import type { Page } from "playwright-core";
import type { HomeView } from "#api/dashboard/shapes.ts";
import * as fixtures from "./fixtures.ts";
import * as log from "./request-fixtures.ts";
import { broken, type Mocks, problem, type Screen, statesOf } from "./screen-mocks.ts";

/** The states of the request log, and those of the home page that depend on what the account did. */

const [newest] = log.requests.requests;
const SINCE = `GET /dashboard/requests?after=${newest?.cursor}`;

export const LOG_MOCKS: Mocks = {
  "GET /dashboard/home": { body: { ...fixtures.home, lastErrors: log.lastErrors } },
  "GET /dashboard/requests": { body: log.requests },
  "GET /dashboard/requests?before=older": { body: log.olderRequests },
  [SINCE]: { body: log.noRequests },
  "GET /dashboard/requests/summary": { body: log.requestSummary },
};
export const NO_LOG: Mocks = {
  "GET /dashboard/requests": { body: log.noRequests },
  [SINCE]: { body: log.noRequests },
  "GET /dashboard/requests/summary": { body: log.noSummary },
};

const openRow = (row: number) => async (page: Page) => {
  await page.locator(".tb-log-open").nth(row).click();
  await page.getByRole("dialog").waitFor();
};
/** The first answer is the list itself, the second that nothing is new. */
const NEW_OF: Mocks = {
  [SINCE]: [{ body: log.requests }, { body: log.noRequests }, { body: log.newRequests }],
};

const TOO_MANY: Mocks = {
  "GET /dashboard/downloads/ready": problem(
    429,
    "too_many_downloads",
    "2 downloads of your account are still running. Wait until one of them is complete, then try again.",
  ),
};

export function listLogScreens(all: Mocks): Screen[] {
  const onLog = (
    state: string,
    path = "",
    mocks: Mocks = {},
    actions?: Screen["actions"],
  ): Screen => statesOf("requests", `/requests${path}`, all)(state, mocks, actions);
  const onHome = (state: string, change: Partial<HomeView>): Screen =>
    statesOf(
      "home",
      "/home",
      all,
    )(state, {
      "GET /dashboard/home": { body: { ...fixtures.home, lastErrors: log.lastErrors, ...change } },
    });
  const id = log.oneRequest.requests[0]?.id ?? "";
  return [
    onLog("a success", "", {}, openRow(4)),
    onLog("an error", "", {}, openRow(7)),
    onLog("an error that names fields", "", {}, openRow(3)),
    onLog("a download too many", "", TOO_MANY, async (page) => {
      await page.getByRole("link", { name: "Download CSV" }).click();
      await page.getByRole("alert").waitFor();
    }),
    onLog("an error of an unknown key", "", {}, openRow(10)),
    onLog(
      "by its id",
      `?id=${id}`,
      { "GET /dashboard/requests": { body: log.oneRequest } },
      (page) => page.getByRole("dialog").waitFor(),
    ),
    onLog("unknown id", "?id=req_unknown", NO_LOG),
    onLog("no match", "?tool=echo&status=429", NO_LOG),
    onLog("filtered", `?tool=hash&code=rate_limited&span=24h&key=${fixtures.keys[0]?.id}`),
    onLog("custom time", "?from=2026-11-20T08:00&to=2026-11-20T09:30"),
    onLog("invalid time", "?from=2026-11-20T08:00", {}, async (page) => {
      if (await page.getByRole("button", { name: /^Filters/ }).isVisible())
        await page.getByRole("button", { name: /^Filters/ }).click();
      await page.getByLabel("To (UTC)").fill("2026-11-19T08:00");
      await page.getByRole("button", { name: "Show", exact: true }).click();
    }),
    onLog("older ones", "", {}, async (page) => {
      await page.getByRole("button", { name: "Show older" }).click();
      // Rows half below the header, which stays on top, count as targets that are too small.
      await page.evaluate("scrollTo(0, 0)");
    }),
    onLog("older ones fail", "", { "GET /dashboard/requests?before=older": broken }, (page) =>
      page.getByRole("button", { name: "Show older" }).click(),
    ),
    onLog("new ones wait", "", NEW_OF, async (page) => {
      // The list is being read, so the new requests wait behind the button.
      await page.locator(".tb-log-open").first().focus();
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole("button", { name: "12 new requests" }).waitFor();
    }),
    onLog("paused", "", {}, (page) => page.getByRole("button", { name: "Pause" }).click()),
    onLog("summary fails", "", { "GET /dashboard/requests/summary": broken }),
    onLog("log unavailable", "", {
      "GET /dashboard/requests": problem(503, "unavailable", "The request log is unavailable."),
    }),
    onLog("not kept", "", {
      "GET /dashboard/visitor": { body: { ...fixtures.visitor, requestLog: false } },
    }),
    onHome("without a request log", {
      lastErrors: null,
      days: (fixtures.home.days ?? []).map((day) => ({ ...day, errors: null })),
    }),
    onHome("no errors", { lastErrors: [] }),
    onHome("credits run low", { balance: 1500, creditsPerDay: 560 }),
    onHome("a key expires", {
      keyExpiry: {
        id: "key_1",
        label: "demo at the conference",
        at: fixtures.NOW + 2.5 * 24 * 3_600_000,
      },
    }),
    onHome("no passkey", { setUp: { passkey: false, alerts: false } }),
    onHome("no call yet", {
      ...fixtures.newHome,
      keys: 1,
      topKeys: fixtures.home.topKeys.slice(1, 2),
    }),
  ];
}
