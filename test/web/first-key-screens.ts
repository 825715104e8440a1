import type { Page } from "playwright-core";
import type { RequestsView, RequestView } from "#api/dashboard/shapes.ts";
import * as fixtures from "./fixtures.ts";
import { sampleRequest } from "./request-fixtures.ts";
import { type Mock, type Mocks, problem, type Screen, statesOf } from "./screen-mocks.ts";

/** The home page of a new account: the dialog of the first key, and waiting for the first call. */

const requestOf = (status: number, code: string | null): RequestView =>
  sampleRequest(0, {
    ...{ id: `req_${status}4fVq8ZkLm0`, cursor: `c${status}`, at: fixtures.NOW },
    ...{ status, code, key: fixtures.newKey.id, charged: 0 },
  });
const log = (...requests: RequestView[]): Mock => ({
  body: {
    ...{ requests, next: null, keys: [], keptDays: 7, keptMax: 10_000 },
  } satisfies RequestsView,
});
const REJECTED = requestOf(402, "insufficient_credits");
const key = { ...fixtures.newKey, label: "Development" };
const WITH_KEY: Mocks = {
  "GET /dashboard/home": { body: { ...fixtures.newHome, keys: 1 } },
  "GET /dashboard/keys": { body: fixtures.keysView([key]) },
};

async function open(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Reveal your first key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reveal and copy" }).waitFor();
}

async function press(page: Page): Promise<void> {
  await open(page);
  await page.getByRole("dialog").getByRole("button", { name: "Reveal and copy" }).click();
}

async function reveal(page: Page): Promise<void> {
  await press(page);
  await page.getByRole("dialog").getByRole("button", { name: "Copy the key" }).waitFor();
}

export function listFirstKeyScreens(all: Mocks): Screen[] {
  const onHome = statesOf("home", "/home", {
    ...all,
    "GET /dashboard/home": { body: fixtures.newHome },
    "GET /dashboard/keys": { body: fixtures.keysView([]) },
    "POST /dashboard/keys": { status: 201, body: { key, secret: fixtures.SECRET } },
    [`POST /dashboard/keys/${key.id}/rotate`]: { body: { key, secret: fixtures.SECRET } },
    "GET /dashboard/requests": log(),
  });
  const at = (state: string, actions?: Screen["actions"], mocks?: Mocks): Screen =>
    onHome(state, mocks, actions);
  const homes: Mock = [
    { body: fixtures.newHome },
    { body: { ...fixtures.newHome, keys: 1 } },
    { body: { ...fixtures.newHome, keys: 1, freeCall: false } },
  ];
  return [
    at("first key", open),
    at("first key, revealed", reveal, { "GET /dashboard/home": homes }),
    at(
      "first key, not stored",
      async (page) => {
        await reveal(page);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog", { name: "Close without storing the key?" }).waitFor();
      },
      { "GET /dashboard/home": homes },
    ),
    at("first key, suspended", press, {
      "POST /dashboard/keys": problem(403, "account_suspended", "This account is suspended."),
    }),
    at(
      "first key, made in another tab",
      async (page) => {
        await press(page);
        await page.getByText("A key already exists.").waitFor();
      },
      { "GET /dashboard/keys": { body: fixtures.keysView([key]) } },
    ),
    at(
      "first call received",
      async (page) => {
        await reveal(page);
        await page.getByRole("dialog", { name: "You are set up" }).waitFor();
      },
      { "GET /dashboard/home": homes, "GET /dashboard/requests": log(requestOf(200, null)) },
    ),
    at("waiting for the first call", undefined, WITH_KEY),
    at("first call rejected", (page) => page.getByText("A call was rejected").waitFor(), {
      ...WITH_KEY,
      "GET /dashboard/requests": log(REJECTED),
    }),
  ];
}
