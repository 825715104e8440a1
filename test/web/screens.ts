import type { Page } from "playwright-core";
import { listFactorScreens, NO_FACTORS } from "./factor-screens.ts";
import { listFirstKeyScreens } from "./first-key-screens.ts";
import * as fixtures from "./fixtures.ts";
import { LOG_MOCKS, listLogScreens, NO_LOG } from "./log-screens.ts";
import { listSalesScreens, NO_SALES, SALES_MOCKS } from "./sales-screens.ts";
import { broken, type Mock, type Mocks, problem, type Screen } from "./screen-mocks.ts";
import { SIGN_IN_SCREENS } from "./sign-in-screens.ts";
import { listToolScreens } from "./tool-screens.ts";

const ALL: Mocks = {
  "GET /dashboard/visitor": { body: fixtures.visitor },
  "GET /dashboard/keys": { body: fixtures.keysView(fixtures.keys) },
  "GET /dashboard/usage": { body: fixtures.usage },
  "GET /dashboard/credits": { body: fixtures.credits },
  "GET /dashboard/credits/entries": { body: fixtures.entries },
  "GET /dashboard/credits/entries?after=cursor-2": { body: fixtures.olderEntries },
  "GET /dashboard/sessions": { body: { sessions: fixtures.sessions } },
  "GET /dashboard/events": { body: fixtures.events },
  "GET /dashboard/events?after=cursor-2": { body: fixtures.olderEvents },
  "GET /dashboard/factors": { body: NO_FACTORS },
  "POST /dashboard/keys": { status: 201, body: { key: fixtures.newKey, secret: fixtures.SECRET } },
  [`POST /dashboard/keys/${fixtures.keys[0]?.id}/rotate`]: {
    body: { key: fixtures.rotatedKey, secret: fixtures.SECRET },
  },
  "POST /dashboard/auth/change-email": { body: { status: true } },
  "POST /dashboard/auth/request-password-reset": { body: { status: true } },
  "POST /dashboard/auth/change-password": { body: {} },
  "DELETE /dashboard/sessions/others": { body: {} },
  ...SALES_MOCKS,
  ...LOG_MOCKS,
};
const NEW: Mocks = {
  ...ALL,
  ...NO_SALES,
  ...NO_LOG,
  "GET /dashboard/home": { body: fixtures.newHome },
  "GET /dashboard/keys": { body: fixtures.keysView([]) },
  "GET /dashboard/usage": { body: fixtures.noUsage },
  "GET /dashboard/credits": { body: fixtures.noCredits },
  "GET /dashboard/credits/entries": { body: fixtures.noEntries },
  "GET /dashboard/events": { body: { events: [], next: null } },
};
const notVerified = problem(403, "email_not_verified", "Confirm your email address first.");
const UNVERIFIED: Mocks = {
  "GET /dashboard/visitor": { body: fixtures.unverified },
  "GET /dashboard/home": notVerified,
  "GET /dashboard/keys": notVerified,
  "GET /dashboard/usage": notVerified,
  "GET /dashboard/requests": notVerified,
  "GET /dashboard/requests/summary": notVerified,
  "GET /dashboard/credits": notVerified,
  "GET /dashboard/credits/entries": notVerified,
  "GET /dashboard/prices": SALES_MOCKS["GET /dashboard/prices"] as Mock,
  "GET /dashboard/purchases": notVerified,
  "GET /dashboard/notifications": notVerified,
  "GET /dashboard/webhooks": notVerified,
  "GET /dashboard/sessions": { body: { sessions: fixtures.sessions } },
  "GET /dashboard/events": { body: fixtures.events },
  "GET /dashboard/factors": notVerified,
};
const SUSPENDED: Mocks = { ...ALL, "GET /dashboard/visitor": { body: fixtures.suspended } };

/** The same response to every request except for the session. */
const every = (mock: Mock): Mocks =>
  Object.fromEntries(
    Object.entries(ALL).map(([name, ordinary]) => [
      name,
      name === "GET /dashboard/visitor" ? ordinary : mock,
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

/** Opens the menu of the first key, or of the one with the label, and chooses an action. */
const choose =
  (action: string, label = "") =>
  async (page: Page): Promise<void> => {
    await page
      .getByRole("button", { name: `Actions for ${label}` })
      .first()
      .click();
    await page.getByRole("menuitem", { name: action }).click();
    await page.getByRole("dialog").waitFor();
  };

async function openLimits(page: Page): Promise<void> {
  await press("Create key")(page);
  await page.getByRole("dialog").getByText("Limits (optional)").click();
}

/** Everything that the page can find wrong before it sends the form. */
async function fillWrongLimits(page: Page): Promise<void> {
  await openLimits(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill("production");
  await dialog.getByLabel("Expires").selectOption("date");
  await dialog.getByLabel("Last day (UTC)").fill("2026-11-01");
  await dialog.getByLabel("Only these tools").check();
  await dialog.getByLabel("Per day").fill("1.5");
  await dialog.getByLabel("Per month").fill("0");
  await dialog.getByLabel("Allowed networks").fill("203.0.113.7\n10.0.0.0/40");
  await dialog.getByLabel("Calls per second").fill("100");
  await dialog.getByRole("button", { name: "Create key" }).click();
}

async function rotateKey(page: Page): Promise<void> {
  await choose("Rotate")(page);
  await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
}

async function renameKey(page: Page): Promise<void> {
  await choose("Rename")(page);
  await page.getByRole("dialog").getByRole("textbox", { name: "Label" }).fill("live");
  await press("Save")(page);
}

async function fillClosing(page: Page): Promise<void> {
  await press("Close account…")(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Confirm your email address").fill(fixtures.user.email);
  await dialog.getByLabel("Your password", { exact: true }).fill("not the right one");
  await dialog.getByRole("button", { name: "Close account permanently" }).click();
}

/** The credits page has two lists with this button. */
const showOlderEntries = (page: Page) =>
  page.getByRole("region", { name: "Ledger" }).getByRole("button", { name: "Show older" }).click();

/** The chart is loaded last. */
const waitForChart = (page: Page) => page.getByRole("img", { name: /^Bar chart/ }).waitFor();

/** The states that every screen has. */
const commonStates = (name: string, path: string): Screen[] => [
  { name, path, mocks: ALL },
  { name: `${name}, new account`, path, mocks: NEW },
  { name: `${name}, loading`, path, mocks: every("silence") },
  { name: `${name}, error`, path, mocks: every(broken) },
  { name: `${name}, service unreachable`, path, mocks: every("away") },
  { name: `${name}, address not confirmed`, path, mocks: UNVERIFIED },
  { name: `${name}, suspended`, path, mocks: SUSPENDED },
  {
    name: `${name}, session ended`,
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

const FIRST_KEY = `/dashboard/keys/${fixtures.keys[0]?.id}`;
const WITH_LIMITS: Mocks = {
  "GET /dashboard/keys": { body: fixtures.keysView(fixtures.limitedKeys) },
};

const KEY_STATES: Screen[] = [
  onKeys("revoked keys shown", (page) => page.getByText("1 revoked key").click()),
  onKeys("limit reached", undefined, {
    "GET /dashboard/keys": { body: fixtures.keysView(fixtures.fullKeys) },
  }),
  onKeys("calls being counted", choose("Revoke"), {
    "GET /dashboard/keys": {
      body: fixtures.keysView(fixtures.keys.map((key) => ({ ...key, callsLastDay: null }))),
    },
  }),
  onKeys("creating", press("Create key")),
  onKeys("creating without a label", async (page) => {
    await press("Create key")(page);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  }),
  onKeys("creating fails", createKey, { "POST /dashboard/keys": broken }),
  onKeys("creating while suspended", createKey, {
    "POST /dashboard/keys": problem(403, "account_suspended", "This account is suspended."),
  }),
  onKeys("creating while the service is unreachable", createKey, {
    "POST /dashboard/keys": "away",
  }),
  onKeys("secret shown", createKey),
  onKeys("secret not stored", async (page) => {
    await createKey(page);
    await page.getByRole("textbox", { name: "Your new key" }).waitFor();
    await page.keyboard.press("Escape");
  }),
  onKeys("with limits", undefined, WITH_LIMITS),
  onKeys("actions of a key", (page) =>
    page.getByRole("button", { name: "Actions for" }).first().click(),
  ),
  onKeys("creating with limits", openLimits),
  onKeys("creating with wrong limits", fillWrongLimits),
  onKeys("editing limits", choose("Edit limits", "staging"), WITH_LIMITS),
  onKeys("editing limits of an expired key", choose("Edit limits", "contractor"), WITH_LIMITS),
  onKeys(
    "editing limits fails",
    async (page) => {
      await choose("Edit limits")(page);
      await press("Save limits")(page);
    },
    { [`PATCH ${FIRST_KEY}`]: broken },
  ),
  onKeys(
    "limits edited",
    async (page) => {
      await choose("Edit limits")(page);
      await press("Save limits")(page);
      await page.getByText("Limits of “production” saved").waitFor();
    },
    { [`PATCH ${FIRST_KEY}`]: { body: { key: fixtures.limitedKeys[0] } } },
  ),
  onKeys("rotating", choose("Rotate")),
  onKeys("rotating again", choose("Rotate", "partner"), WITH_LIMITS),
  onKeys("new secret shown", rotateKey),
  onKeys("new secret not stored", async (page) => {
    await rotateKey(page);
    await page.getByRole("textbox", { name: "Your new secret" }).waitFor();
    await page.keyboard.press("Escape");
  }),
  onKeys(
    "rotated, response lost",
    async (page) => {
      await rotateKey(page);
      await page.getByText("its new secret was lost").waitFor();
    },
    {
      "GET /dashboard/keys": [
        { body: fixtures.keysView(fixtures.keys) },
        { body: fixtures.keysView([fixtures.rotatedKey]) },
      ],
      [`POST ${FIRST_KEY}/rotate`]: "away",
    },
  ),
  onKeys("renaming", choose("Rename")),
  onKeys("renamed, refetching fails", renameKey, {
    "GET /dashboard/keys": [{ body: fixtures.keysView(fixtures.keys) }, "away"],
    [`PATCH ${FIRST_KEY}`]: { body: { key: fixtures.keys[0] } },
  }),
  onKeys("revoking", choose("Revoke")),
  onKeys(
    "revoked",
    async (page) => {
      await choose("Revoke")(page);
      await press("Revoke key")(page);
    },
    {
      [`DELETE ${FIRST_KEY}`]: {
        body: { key: { ...fixtures.keys[0], revokedAt: fixtures.NOW } },
      },
    },
  ),
];

const ACCOUNT_STATES: Screen[] = [
  onAccount("without a password", undefined, {
    "GET /dashboard/visitor": { body: fixtures.withoutPassword },
  }),
  onAccount("address change requested", async (page) => {
    await page.getByLabel("New email address").fill("new@example.com");
    await press("Change email address")(page);
  }),
  onAccount("password fields empty", press("Change password")),
  onAccount("more activity", press("Show older")),
  onAccount("closing", press("Close account…")),
  onAccount("closing with a wrong password", fillClosing, {
    "POST /dashboard/account/close": problem(403, "wrong_password", "The password is not right."),
  }),
];

const ledger = "/credits?tab=ledger";
const LEDGER = "GET /dashboard/credits/entries";
const LEDGER_STATES: Screen[] = [
  { name: "credits, ledger", path: ledger, mocks: ALL },
  { name: "credits, no entries", path: ledger, mocks: NEW },
  { name: "credits, ledger, loading", path: ledger, mocks: { ...ALL, [LEDGER]: "silence" } },
  { name: "credits, ledger fails", path: ledger, mocks: { ...ALL, [LEDGER]: broken } },
  { name: "credits, older entries", path: ledger, mocks: ALL, actions: showOlderEntries },
  {
    name: "credits, older entries fail",
    path: ledger,
    mocks: { ...ALL, [`${LEDGER}?after=cursor-2`]: broken },
    actions: showOlderEntries,
  },
  {
    name: "credits, filtered ledger",
    path: `${ledger}&show=calls&tool=hash&from=2026-10-01`,
    mocks: { ...ALL, [LEDGER]: { body: fixtures.searchedEntries } },
  },
  {
    name: "credits, no matching entries",
    path: `${ledger}&key=key_gone&to=2026-11-02`,
    mocks: { ...ALL, [LEDGER]: { body: fixtures.noEntries } },
  },
];

const withLevel = (
  level: "low" | "gone",
  balance: number,
  sales = fixtures.visitor.sales,
): Mocks => ({
  ...ALL,
  "GET /dashboard/visitor": {
    body: {
      ...fixtures.visitor,
      sales,
      user: { ...fixtures.user, account: { ...fixtures.user.account, balance, level } },
    },
  },
});
const BALANCE_STATES: Screen[] = [
  { name: "balance low", path: "/usage", mocks: withLevel("low", 17) },
  {
    name: "balance low, dismissed",
    path: "/usage",
    mocks: withLevel("low", 17),
    actions: press("Dismiss for a day"),
  },
  { name: "balance gone", path: keys, mocks: withLevel("gone", 0) },
  {
    name: "balance gone, with a contact",
    path: "/settings/notifications",
    mocks: withLevel("gone", 0, { payable: false, contact: "sales@example.org" }),
  },
  {
    name: "balance gone, nothing sold",
    path: ledger,
    mocks: withLevel("gone", 0, { payable: false, contact: null }),
  },
  { name: "balance gone, where credits are bought", path: "/credits", mocks: withLevel("gone", 0) },
];

const OTHER_STATES: Screen[] = [
  {
    name: "home, with the new key",
    path: keys,
    mocks: ALL,
    actions: async (page) => {
      await createKey(page);
      await press("I have stored it")(page);
      // Navigates like a link of the dashboard, without loading the page.
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
      "GET /dashboard/home": { body: { ...fixtures.home, balance: 0, nextExpiry: null, keys: 1 } },
    },
  },
  {
    name: "home, no starter credits",
    path: "/home",
    mocks: {
      ...ALL,
      "GET /dashboard/home": {
        body: {
          ...{ ...fixtures.home, balance: 0, nextExpiry: null, keys: 0 },
          ...{ freeCall: false, noStarter: "address_used" },
        },
      },
    },
  },
  {
    name: "home, calls being counted",
    path: "/home",
    mocks: {
      ...ALL,
      "GET /dashboard/home": {
        body: { ...fixtures.home, today: null, days: null, creditsPerDay: null },
      },
    },
  },
  {
    name: "usage, calls being counted",
    path: "/usage",
    mocks: {
      ...ALL,
      "GET /dashboard/usage": problem(503, "unavailable", "Your calls are being added up."),
    },
  },
  { name: "usage, with its chart", path: "/usage", mocks: ALL, actions: waitForChart },
  { name: "usage, by key", path: "/usage?by=day-key", mocks: ALL, actions: waitForChart },
  { name: "usage, one tool", path: "/usage?tool=hash&by=tool", mocks: ALL },
  { name: "usage, no match", path: "/usage?tool=none", mocks: ALL },
  {
    name: "usage, invalid range",
    path: "/usage",
    mocks: ALL,
    actions: async (page) => {
      await page.getByText("Custom", { exact: true }).click();
      await page.getByLabel("First day").fill("2026-11-20");
      await page.getByLabel("Last day").fill("2026-11-10");
      await press("Show")(page);
    },
  },
  ...LEDGER_STATES,
  {
    name: "credits, all grants",
    path: "/credits?tab=grants",
    mocks: ALL,
    actions: press("Show 2 spent or expired grants"),
  },
  {
    name: "credits, more grants",
    path: "/credits?tab=grants",
    mocks: {
      ...ALL,
      "GET /dashboard/credits": { body: { ...fixtures.credits, next: "cursor-2" } },
    },
    actions: press("Show spent or expired grants"),
  },
  ...BALANCE_STATES,
];

/** Every screen in every state, for accessibility checks and screenshots. */
export const SCREENS: Screen[] = [
  ...SIGN_IN_SCREENS,
  ...commonStates("home", "/home"),
  ...listFirstKeyScreens(ALL),
  ...commonStates("keys", keys),
  ...KEY_STATES,
  ...commonStates("requests", "/requests"),
  ...commonStates("usage", "/usage"),
  ...commonStates("credits", "/credits"),
  { name: "credits, grants", path: "/credits?tab=grants", mocks: ALL },
  { name: "credits, no grants", path: "/credits?tab=grants", mocks: NEW },
  ...commonStates("notifications", "/settings/notifications"),
  ...commonStates("webhooks", "/settings/webhooks"),
  ...commonStates("account", account),
  ...ACCOUNT_STATES,
  ...OTHER_STATES,
  ...listFactorScreens(ALL),
  ...listSalesScreens(ALL),
  ...listLogScreens(ALL),
  ...listToolScreens(ALL),
];
