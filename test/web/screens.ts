import type { Page } from "playwright-core";
import { listFirstKeyScreens } from "./first-key-screens.ts";
import * as fixtures from "./fixtures.ts";
import { LOG_MOCKS, listLogScreens, NO_LOG } from "./log-screens.ts";
import { listPasskeyScreens, NO_PASSKEYS } from "./passkey-screens.ts";
import { listSalesScreens, NO_SALES, SALES_MOCKS } from "./sales-screens.ts";
import { broken, type Mock, type Mocks, problem, type Screen, statesOf } from "./screen-mocks.ts";
import { SIGN_IN_SCREENS } from "./sign-in-screens.ts";
import { listToolScreens } from "./tool-screens.ts";

const ALL: Mocks = {
  "GET /dashboard/visitor": { body: fixtures.visitor },
  "GET /dashboard/keys": { body: fixtures.keysView(fixtures.keys) },
  "GET /dashboard/usage": { body: fixtures.usage },
  "GET /dashboard/credits": { body: fixtures.credits },
  "GET /dashboard/credits/entries": { body: fixtures.entries },
  "GET /dashboard/sessions": { body: { sessions: fixtures.sessions } },
  "GET /dashboard/events": { body: fixtures.events },
  "GET /dashboard/passkeys": { body: NO_PASSKEYS },
  [`POST /dashboard/keys/${fixtures.keys[0]?.id}/rotate`]: {
    body: { key: fixtures.rotatedKey, secret: fixtures.SECRET },
  },
  "POST /dashboard/account/email": { body: { sent: true } },
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
const SUSPENDED: Mocks = { "GET /dashboard/visitor": { body: fixtures.suspended } };

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

/** The states that every screen has. */
const commonStates = (name: string, path: string): Screen[] => [
  { name, path, mocks: ALL },
  statesOf(name, path, NEW)("new account"),
];

const keys = "/settings/api-keys";
const onKeys = statesOf("keys", keys, ALL);
const onAccount = statesOf("account", "/settings/account", ALL);
const onHome = statesOf("home", "/home", ALL);
const onUsage = (state: string, query: string, mocks?: Mocks, actions?: Screen["actions"]) =>
  statesOf("usage", `/usage${query}`, ALL)(state, mocks, actions);
const onCredits = (state: string, query: string, mocks?: Mocks, actions?: Screen["actions"]) =>
  statesOf("credits", `/credits${query}`, ALL)(state, mocks, actions);

const body = (value: unknown): Mock => ({ body: value });
const FIRST_KEY = `/dashboard/keys/${fixtures.keys[0]?.id}`;
const KEYS = "GET /dashboard/keys";
const withKeys = (list: typeof fixtures.keys): Mock => body(fixtures.keysView(list));
const WITH_LIMITS: Mocks = { [KEYS]: withKeys(fixtures.limitedKeys) };

const KEY_STATES: Screen[] = [
  onKeys("revoked keys shown", {}, (page) => page.getByText("1 revoked key").click()),
  onKeys("limit reached", { [KEYS]: withKeys(fixtures.fullKeys) }),
  onKeys("creating without a label", {}, async (page) => {
    await press("Create key")(page);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  }),
  onKeys("with limits", WITH_LIMITS),
  onKeys("actions of a key", {}, press("Actions for")),
  onKeys("creating with wrong limits", {}, fillWrongLimits),
  onKeys("editing limits", WITH_LIMITS, choose("Edit limits", "staging")),
  onKeys("rotating again", WITH_LIMITS, choose("Rotate", "partner")),
  onKeys("new secret shown", {}, rotateKey),
  onKeys(
    "rotated, response lost",
    {
      [KEYS]: [withKeys(fixtures.keys), withKeys([fixtures.rotatedKey])],
      [`POST ${FIRST_KEY}/rotate`]: "away",
    },
    async (page) => {
      await rotateKey(page);
      await page.getByText("its new secret was lost").waitFor();
    },
  ),
  onKeys(
    "renamed, refetching fails",
    {
      [KEYS]: [withKeys(fixtures.keys), "away"],
      [`PATCH ${FIRST_KEY}`]: body({ key: fixtures.keys[0] }),
    },
    renameKey,
  ),
  onKeys("revoking", {}, choose("Revoke")),
];

async function askForNewAddress(page: Page): Promise<void> {
  await page.getByLabel("New email address").fill("new@example.com");
  await press("Change email address")(page);
  await page.getByLabel("Code").waitFor();
}
const CODE = "POST /dashboard/account/email/code";
const changeAddress = async (page: Page) => {
  await askForNewAddress(page);
  await page.getByLabel("Code").fill("12345678");
};
const ACCOUNT_STATES: Screen[] = [
  onAccount("code for a new address", {}, askForNewAddress),
  onAccount("address changed", { [CODE]: { body: { email: "new@example.com" } } }, changeAddress),
  onAccount("closing fails", { "POST /dashboard/account/close": broken }, async (page) => {
    await press("Close account…")(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Confirm your email address").fill(fixtures.user.email);
    await dialog.getByRole("button", { name: "Close account permanently" }).click();
  }),
];

const ledger = "?tab=ledger";
const LEDGER = "GET /dashboard/credits/entries";
const LEDGER_STATES: Screen[] = [
  onCredits("ledger", ledger),
  onCredits("filtered ledger", `${ledger}&show=calls&tool=hash&from=2026-10-01`, {
    [LEDGER]: body(fixtures.searchedEntries),
  }),
  onCredits("no matching entries", `${ledger}&key=key_gone&to=2026-11-02`, {
    [LEDGER]: body(fixtures.noEntries),
  }),
];

const onBalance = (level: "low" | "gone", path: string, balance: number): Screen => {
  const account = { ...fixtures.user.account, balance, level };
  const visitor = { ...fixtures.visitor, user: { ...fixtures.user, account } };
  return statesOf("balance", path, ALL)(level, { "GET /dashboard/visitor": body(visitor) });
};

const OTHER_STATES: Screen[] = [
  onHome("calls being counted", {
    "GET /dashboard/home": body({
      ...{ ...fixtures.home, today: null, days: null, creditsPerDay: null },
    }),
  }),
  onUsage("no match", "?tool=none"),
  onUsage("invalid range", "", {}, async (page) => {
    await page.getByRole("radio", { name: "Custom" }).check();
    await page.getByLabel("First day").fill("2026-11-20");
    await page.getByLabel("Last day").fill("2026-11-10");
    await press("Show")(page);
  }),
  ...LEDGER_STATES,
  onCredits("all grants", "?tab=grants", {}, press("Show 2 spent or expired grants")),
  onBalance("low", "/usage", 17),
  onBalance("gone", keys, 0),
];

/** Every screen in every state, for accessibility checks and screenshots. */
export const SCREENS: Screen[] = [
  ...SIGN_IN_SCREENS,
  ...commonStates("home", "/home"),
  onHome("loading", every("silence")),
  onHome("error", every(broken)),
  onHome("service unreachable", every("away")),
  ...listFirstKeyScreens(ALL),
  ...commonStates("keys", keys),
  ...KEY_STATES,
  ...commonStates("requests", "/requests"),
  ...commonStates("usage", "/usage"),
  ...commonStates("credits", "/credits"),
  onCredits("grants", "?tab=grants"),
  { name: "notifications", path: "/settings/notifications", mocks: ALL },
  statesOf(
    "notifications",
    "/settings/notifications",
    ALL,
  )("session ended", every(problem(401, "signed_out", "Sign in again."))),
  ...commonStates("webhooks", "/settings/webhooks"),
  ...commonStates("account", "/settings/account"),
  statesOf("webhooks", "/settings/webhooks", ALL)("suspended", SUSPENDED),
  ...ACCOUNT_STATES,
  ...OTHER_STATES,
  ...listPasskeyScreens(ALL),
  ...listSalesScreens(ALL),
  ...listLogScreens(ALL),
  ...listToolScreens(ALL),
];
