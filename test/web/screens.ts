import type { Page } from "playwright-core";
import * as told from "./fixtures.ts";
import { listSalesScreens, NO_SALES, SALES_MOCKS } from "./sales-screens.ts";
import { broken, type Mock, type Mocks, problem, type Screen } from "./screen-mocks.ts";
import { SIGN_IN_SCREENS } from "./sign-in-screens.ts";

const ALL: Mocks = {
  "GET /dashboard/visitor": { body: told.visitor },
  "GET /dashboard/home": { body: told.home },
  "GET /dashboard/keys": { body: { keys: told.keys } },
  "GET /dashboard/usage": { body: told.usage },
  "GET /dashboard/credits": { body: told.credits },
  "GET /dashboard/credits/entries": { body: told.entries },
  "GET /dashboard/credits/entries?after=cursor-2": { body: told.olderEntries },
  "GET /dashboard/sessions": { body: { sessions: told.sessions } },
  "GET /dashboard/events": { body: told.events },
  "GET /dashboard/events?after=cursor-2": { body: told.olderEvents },
  "POST /dashboard/keys": { status: 201, body: { key: told.newKey, secret: told.SECRET } },
  "POST /dashboard/auth/change-email": { body: { status: true } },
  "POST /dashboard/auth/request-password-reset": { body: { status: true } },
  "POST /dashboard/auth/change-password": { body: {} },
  "DELETE /dashboard/sessions/others": { body: {} },
  ...SALES_MOCKS,
};
const NEW: Mocks = {
  ...ALL,
  ...NO_SALES,
  "GET /dashboard/home": { body: told.newHome },
  "GET /dashboard/keys": { body: { keys: [] } },
  "GET /dashboard/usage": { body: told.noUsage },
  "GET /dashboard/credits": { body: told.noCredits },
  "GET /dashboard/credits/entries": { body: told.noEntries },
  "GET /dashboard/events": { body: { events: [], next: null } },
};
const notYet = problem(403, "email_not_verified", "Confirm your e-mail address first.");
const UNVERIFIED: Mocks = {
  "GET /dashboard/visitor": { body: told.unverified },
  "GET /dashboard/home": notYet,
  "GET /dashboard/keys": notYet,
  "GET /dashboard/usage": notYet,
  "GET /dashboard/credits": notYet,
  "GET /dashboard/credits/entries": notYet,
  "GET /dashboard/prices": SALES_MOCKS["GET /dashboard/prices"] as Mock,
  "GET /dashboard/purchases": notYet,
  "GET /dashboard/notifications": notYet,
  "GET /dashboard/webhooks": notYet,
  "GET /dashboard/sessions": { body: { sessions: told.sessions } },
  "GET /dashboard/events": { body: told.events },
};
const SUSPENDED: Mocks = { ...ALL, "GET /dashboard/visitor": { body: told.suspended } };

/** The same of everything but who is signed in. */
const every = (mock: Mock): Mocks =>
  Object.fromEntries(
    Object.entries(ALL).map(([name, usual]) => [
      name,
      name === "GET /dashboard/visitor" ? usual : mock,
    ]),
  );

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name }).first().click();

async function createKey(page: Page): Promise<void> {
  await press("Create key")(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "production" }).click();
  await dialog.getByRole("button", { name: "Create key" }).click();
}

async function renameKey(page: Page): Promise<void> {
  await press(/^Rename/)(page);
  await page.getByRole("dialog").getByRole("textbox", { name: "Label" }).fill("live");
  await press("Save")(page);
}

async function fillClosing(page: Page): Promise<void> {
  await press("Close the account…")(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your e-mail address, to confirm").fill(told.person.email);
  await dialog.getByLabel("Your password", { exact: true }).fill("not the right one");
  await dialog.getByRole("button", { name: "Close it for good" }).click();
}

/** Of the two lists of the page the second one. */
const showOlderEntries = (page: Page) =>
  page.getByRole("region", { name: "History" }).getByRole("button", { name: "Show older" }).click();

/** It is fetched after everything else. */
const chartIsThere = (page: Page) => page.getByRole("img", { name: /^Bar chart/ }).waitFor();

/** The states that every screen has. */
const usualStates = (name: string, path: string): Screen[] => [
  { name, path, mocks: ALL },
  { name: `${name}, new account`, path, mocks: NEW },
  { name: `${name}, loading`, path, mocks: every("silence") },
  { name: `${name}, error`, path, mocks: every(broken) },
  { name: `${name}, service away`, path, mocks: every("away") },
  { name: `${name}, address not confirmed`, path, mocks: UNVERIFIED },
  { name: `${name}, suspended`, path, mocks: SUSPENDED },
  {
    name: `${name}, signed out meanwhile`,
    path,
    mocks: every(problem(401, "signed_out", "Sign in again.")),
  },
];

const keys = "/settings/api-keys";
const account = "/settings/account";
const onKeys = (state: string, actions: Screen["actions"], mocks: Mocks = {}): Screen => ({
  name: `keys, ${state}`,
  path: keys,
  mocks: { ...ALL, ...mocks },
  ...(actions === undefined ? {} : { actions }),
});
const onAccount = (state: string, actions: Screen["actions"], mocks: Mocks = {}): Screen => ({
  ...onKeys("", actions, mocks),
  name: `account, ${state}`,
  path: account,
});

const KEY_STATES: Screen[] = [
  onKeys("revoked ones shown", (page) => page.getByText("1 revoked key").click()),
  onKeys("as many as can be", undefined, {
    "GET /dashboard/keys": { body: { keys: told.fullKeys } },
  }),
  onKeys("creating", press("Create key")),
  onKeys("creating without a label", async (page) => {
    await press("Create key")(page);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  }),
  onKeys("creating refused", createKey, { "POST /dashboard/keys": broken }),
  onKeys("creating while suspended", createKey, {
    "POST /dashboard/keys": problem(403, "account_suspended", "This account is suspended."),
  }),
  onKeys("creating while the service is away", createKey, { "POST /dashboard/keys": "away" }),
  onKeys("secret shown", createKey),
  onKeys("secret not stored", async (page) => {
    await createKey(page);
    await page.getByRole("textbox", { name: "Your new key" }).waitFor();
    await page.keyboard.press("Escape");
  }),
  onKeys("renaming", press(/^Rename/)),
  onKeys("renamed, but out of date", renameKey, {
    "GET /dashboard/keys": [{ body: { keys: told.keys } }, "away"],
    [`PATCH /dashboard/keys/${told.keys[0]?.id}`]: { body: { key: told.keys[0] } },
  }),
  onKeys("revoking", press(/^Revoke/)),
  onKeys(
    "revoked",
    async (page) => {
      await press(/^Revoke/)(page);
      await press("Revoke the key")(page);
    },
    {
      [`DELETE /dashboard/keys/${told.keys[0]?.id}`]: {
        body: { key: { ...told.keys[0], revokedAt: told.NOW } },
      },
    },
  ),
];

const ACCOUNT_STATES: Screen[] = [
  onAccount("without a password", undefined, {
    "GET /dashboard/visitor": { body: told.withoutPassword },
  }),
  onAccount("address to change", async (page) => {
    await page.getByLabel("New e-mail address").fill("new@example.com");
    await press("Change address")(page);
  }),
  onAccount("password fields empty", press("Change password")),
  onAccount("more activity", press("Show older")),
  onAccount("closing", press("Close the account…")),
  onAccount("closing with a wrong password", fillClosing, {
    "POST /dashboard/account/close": problem(403, "wrong_password", "The password is not right."),
  }),
];

const OTHER_STATES: Screen[] = [
  {
    name: "home, with the new key",
    path: keys,
    mocks: ALL,
    actions: async (page) => {
      await createKey(page);
      await press("I have stored it")(page);
      // As a link within the pages does: the page stays open.
      await page.evaluate(
        "history.pushState(null, '', '/home'); dispatchEvent(new PopStateEvent('popstate'))",
      );
      await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    },
  },
  {
    name: "home, no credits",
    path: "/home",
    mocks: {
      ...ALL,
      "GET /dashboard/home": { body: { ...told.home, balance: 0, nextExpiry: null, keys: 1 } },
    },
  },
  { name: "usage, with its chart", path: "/usage", mocks: ALL, actions: chartIsThere },
  { name: "usage, by key", path: "/usage?by=day-key", mocks: ALL, actions: chartIsThere },
  { name: "usage, one tool", path: "/usage?tool=hash&by=tool", mocks: ALL },
  { name: "usage, no match", path: "/usage?tool=none", mocks: ALL },
  {
    name: "usage, custom days",
    path: "/usage",
    mocks: ALL,
    actions: async (page) => {
      await page.getByText("Custom", { exact: true }).click();
      await page.getByLabel("First day").fill("2026-11-20");
      await page.getByLabel("Last day").fill("2026-11-10");
      await press("Show")(page);
    },
  },
  { name: "credits, older entries", path: "/credits", mocks: ALL, actions: showOlderEntries },
  {
    name: "credits, all grants",
    path: "/credits",
    mocks: ALL,
    actions: press("Show 2 spent or expired grants"),
  },
  {
    name: "credits, older entries fail",
    path: "/credits",
    mocks: { ...ALL, "GET /dashboard/credits/entries?after=cursor-2": broken },
    actions: showOlderEntries,
  },
];

/** Every screen of the pages in every state, for tests that look at all of them: axe, pictures, widths. */
export const SCREENS: Screen[] = [
  ...SIGN_IN_SCREENS,
  ...usualStates("home", "/home"),
  ...usualStates("keys", keys),
  ...KEY_STATES,
  ...usualStates("usage", "/usage"),
  ...usualStates("credits", "/credits"),
  ...usualStates("notices", "/settings/notifications"),
  ...usualStates("webhooks", "/settings/webhooks"),
  ...usualStates("account", account),
  ...ACCOUNT_STATES,
  ...OTHER_STATES,
  ...listSalesScreens(ALL),
];
