import * as fixtures from "./fixtures.ts";
import * as log from "./request-fixtures.ts";
import { broken, type Mocks, problem, type Screen, statesOf } from "./screen-mocks.ts";

/** The states of the request log, and those of the home page that depend on what the account did. */

const [newest] = log.requests.requests;
const SINCE = `GET /dashboard/requests?after=${newest?.cursor}`;

export const LOG_MOCKS: Mocks = {
  "GET /dashboard/home": { body: { ...fixtures.home, lastErrors: log.lastErrors } },
  "GET /dashboard/requests": { body: log.requests },
  [SINCE]: { body: log.noRequests },
  "GET /dashboard/requests/summary": { body: log.requestSummary },
};
export const NO_LOG: Mocks = {
  "GET /dashboard/requests": { body: log.noRequests },
  [SINCE]: { body: log.noRequests },
  "GET /dashboard/requests/summary": { body: log.noSummary },
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
  const id = log.oneRequest.requests[0]?.id ?? "";
  return [
    onLog("an error that names fields", "", {}, async (page) => {
      await page.locator(".tb-log-open").nth(3).click();
      await page.getByRole("dialog").waitFor();
    }),
    onLog("a download too many", "", TOO_MANY, async (page) => {
      await page.getByRole("link", { name: "Download CSV" }).click();
      await page.getByRole("alert").waitFor();
    }),
    onLog(
      "by its id",
      `?id=${id}`,
      { "GET /dashboard/requests": { body: log.oneRequest } },
      (page) => page.getByRole("dialog").waitFor(),
    ),
    onLog("no match", "?tool=echo&status=429", NO_LOG),
    onLog("filtered", `?tool=hash&code=rate_limited&span=24h&key=${fixtures.keys[0]?.id}`),
    onLog("invalid time", "?from=2026-11-20T08:00", {}, async (page) => {
      if (await page.getByRole("button", { name: /^Filters/ }).isVisible())
        await page.getByRole("button", { name: /^Filters/ }).click();
      await page.getByLabel("To (UTC)").fill("2026-11-19T08:00");
      await page.getByRole("button", { name: "Show", exact: true }).click();
    }),
    onLog("older ones fail", "", { "GET /dashboard/requests?before=older": broken }, (page) =>
      page.getByRole("button", { name: "Show older" }).click(),
    ),
    onLog("new ones wait", "", {}, async (page) => {
      // The list is being read, so the new requests wait behind the button. None arrives before that.
      await page.locator(".tb-log-open").first().focus();
      await page.route("**/dashboard/requests?after=*", (route) =>
        route.fulfill({ json: log.newRequests }),
      );
      await page.getByRole("button", { name: "12 new requests" }).waitFor();
    }),
    onLog("log unavailable", "", {
      "GET /dashboard/requests": problem(503, "unavailable", "The request log is unavailable."),
    }),
    onLog("not kept", "", {
      "GET /dashboard/visitor": { body: { ...fixtures.visitor, requestLog: false } },
    }),
    statesOf(
      "home",
      "/home",
      all,
    )("credits run low", {
      "GET /dashboard/home": { body: { ...fixtures.home, balance: 1500, creditsPerDay: 560 } },
    }),
  ];
}
