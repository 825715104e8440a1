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
  "GET /dashboard/credits/entries?after=cursor-2": { body: fixtures.olderEntries },
  "GET /dashboard/sessions": { body: { sessions: fixtures.sessions } },
  "GET /dashboard/events": { body: fixtures.events },
  "GET /dashboard/events?after=cursor-2": { body: fixtures.olderEvents },
  "GET /dashboard/passkeys": { body: NO_PASSKEYS },
  "POST /dashboard/keys": { status: 201, body: { key: fixtures.newKey, secret: fixtures.SECRET } },
  [`POST /dashboard/keys/${fixtures.keys[0]?.id}/rotate`]: {
    body: { key: fixtures.rotatedKey, secret: fixtures.SECRET },
  },
  "POST /dashboard/account/email": { body: { sent: true } },
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

async function saveLimits(page: Page): Promise<void> {
  await choose("Edit limits")(page);
  await press("Save limits")(page);
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
  await dialog.getByRole("button", { name: "Close account permanently" }).click();
}

/** The credits page has two lists with this button. */
const showOlderEntries = (page: Page) =>
  page.getByRole("region", { name: "Ledger" }).getByRole("button", { name: "Show older" }).click();

/** The chart is loaded last. */
const waitForChart = (page: Page) => page.getByRole("img", { name: /^Bar chart/ }).waitFor();

/** What the frame shows around a screen, or in place of it. */
const FRAME: Record<string, Mocks> = {
  "service unreachable": every("away"),
  suspended: SUSPENDED,
  "session ended": every(problem(401, "signed_out", "Sign in again.")),
};

/** The states that every screen has, and some of those of the frame. */
const commonStates = (name: string, path: string, ...frame: string[]): Screen[] => {
  const at = statesOf(name, path, ALL);
  return [
    { name, path, mocks: ALL },
    at("new account", NEW),
    at("loading", every("silence")),
    at("error", every(broken)),
    ...frame.map((state) => at(state, FRAME[state])),
  ];
};

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
const suspended = problem(403, "account_suspended", "This account is suspended.");

const KEY_STATES: Screen[] = [
  onKeys("revoked keys shown", {}, (page) => page.getByText("1 revoked key").click()),
  onKeys("limit reached", { [KEYS]: withKeys(fixtures.fullKeys) }),
  onKeys(
    "calls being counted",
    { [KEYS]: withKeys(fixtures.keys.map((key) => ({ ...key, callsLastDay: null }))) },
    choose("Revoke"),
  ),
  onKeys("creating", {}, press("Create key")),
  onKeys("creating without a label", {}, async (page) => {
    await press("Create key")(page);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  }),
  onKeys("creating fails", { "POST /dashboard/keys": broken }, createKey),
  onKeys("creating while suspended", { "POST /dashboard/keys": suspended }, createKey),
  onKeys(
    "creating while the service is unreachable",
    { "POST /dashboard/keys": "away" },
    createKey,
  ),
  onKeys("secret shown", {}, createKey),
  onKeys("secret not stored", {}, async (page) => {
    await createKey(page);
    await page.getByRole("textbox", { name: "Your new key" }).waitFor();
    await page.keyboard.press("Escape");
  }),
  onKeys("with limits", WITH_LIMITS),
  onKeys("actions of a key", {}, press("Actions for")),
  onKeys("creating with limits", {}, openLimits),
  onKeys("creating with wrong limits", {}, fillWrongLimits),
  onKeys("editing limits", WITH_LIMITS, choose("Edit limits", "staging")),
  onKeys("editing limits of an expired key", WITH_LIMITS, choose("Edit limits", "contractor")),
  onKeys("editing limits fails", { [`PATCH ${FIRST_KEY}`]: broken }, saveLimits),
  onKeys(
    "limits edited",
    { [`PATCH ${FIRST_KEY}`]: body({ key: fixtures.limitedKeys[0] }) },
    async (page) => {
      await saveLimits(page);
      await page.getByText("Limits of “production” saved").waitFor();
    },
  ),
  onKeys("rotating", {}, choose("Rotate")),
  onKeys("rotating again", WITH_LIMITS, choose("Rotate", "partner")),
  onKeys("new secret shown", {}, rotateKey),
  onKeys("new secret not stored", {}, async (page) => {
    await rotateKey(page);
    await page.getByRole("textbox", { name: "Your new secret" }).waitFor();
    await page.keyboard.press("Escape");
  }),
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
  onKeys("renaming", {}, choose("Rename")),
  onKeys(
    "renamed, refetching fails",
    {
      [KEYS]: [withKeys(fixtures.keys), "away"],
      [`PATCH ${FIRST_KEY}`]: body({ key: fixtures.keys[0] }),
    },
    renameKey,
  ),
  onKeys("revoking", {}, choose("Revoke")),
  onKeys(
    "revoked",
    { [`DELETE ${FIRST_KEY}`]: body({ key: { ...fixtures.keys[0], revokedAt: fixtures.NOW } }) },
    async (page) => {
      await choose("Revoke")(page);
      await press("Revoke key")(page);
    },
  ),
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
  onAccount(
    "wrong code for a new address",
    { [CODE]: problem(400, "wrong_code", "This code is wrong. You can try 4 more times.") },
    changeAddress,
  ),
  onAccount("address changed", { [CODE]: { body: { email: "new@example.com" } } }, changeAddress),
  onAccount("more activity", {}, press("Show older")),
  onAccount("closing", {}, press("Close account…")),
  onAccount("closing fails", { "POST /dashboard/account/close": broken }, fillClosing),
];

const ledger = "?tab=ledger";
const LEDGER = "GET /dashboard/credits/entries";
const LEDGER_STATES: Screen[] = [
  onCredits("ledger", ledger),
  onCredits("no entries", ledger, NEW),
  onCredits("ledger, loading", ledger, { [LEDGER]: "silence" }),
  onCredits("ledger fails", ledger, { [LEDGER]: broken }),
  onCredits("older entries", ledger, {}, showOlderEntries),
  onCredits(
    "older entries fail",
    ledger,
    { [`${LEDGER}?after=cursor-2`]: broken },
    showOlderEntries,
  ),
  onCredits("filtered ledger", `${ledger}&show=calls&tool=hash&from=2026-10-01`, {
    [LEDGER]: body(fixtures.searchedEntries),
  }),
  onCredits("no matching entries", `${ledger}&key=key_gone&to=2026-11-02`, {
    [LEDGER]: body(fixtures.noEntries),
  }),
];

const withLevel = (
  level: "low" | "gone",
  balance: number,
  sales = fixtures.visitor.sales,
): Mocks => ({
  "GET /dashboard/visitor": body({
    ...{ ...fixtures.visitor, sales },
    user: { ...fixtures.user, account: { ...fixtures.user.account, balance, level } },
  }),
});
const BY_EMAIL = { payable: false, contact: "sales@example.org" };
const onBalance = (state: string, path: string, mocks: Mocks, actions?: Screen["actions"]) =>
  statesOf("balance", path, ALL)(state, mocks, actions);
const BALANCE_STATES: Screen[] = [
  onBalance("low", "/usage", withLevel("low", 17)),
  onBalance("low, dismissed", "/usage", withLevel("low", 17), press("Dismiss for a day")),
  onBalance("gone", keys, withLevel("gone", 0)),
  onBalance("gone, with a contact", "/settings/notifications", withLevel("gone", 0, BY_EMAIL)),
  onBalance(
    "gone, nothing sold",
    `/credits${ledger}`,
    withLevel("gone", 0, { payable: false, contact: null }),
  ),
  onBalance("gone, where credits are bought", "/credits", withLevel("gone", 0)),
];

const home = (change: Partial<typeof fixtures.home>): Mocks => ({
  "GET /dashboard/home": body({ ...fixtures.home, ...change }),
});
const OTHER_STATES: Screen[] = [
  onHome("no credits", home({ balance: 0, nextExpiry: null, keys: 1 })),
  onHome(
    "no starter credits",
    home({ balance: 0, nextExpiry: null, keys: 0, freeCall: false, noStarter: "address_used" }),
  ),
  onHome("calls being counted", home({ today: null, days: null, creditsPerDay: null })),
  onUsage("calls being counted", "", {
    "GET /dashboard/usage": problem(503, "unavailable", "Your calls are being added up."),
  }),
  onUsage("with its chart", "", {}, waitForChart),
  onUsage("by key", "?by=day-key", {}, waitForChart),
  onUsage("one tool", "?tool=hash&by=tool"),
  onUsage("no match", "?tool=none"),
  onUsage("invalid range", "", {}, async (page) => {
    await page.getByRole("radio", { name: "Custom" }).check();
    await page.getByLabel("First day").fill("2026-11-20");
    await page.getByLabel("Last day").fill("2026-11-10");
    await press("Show")(page);
  }),
  ...LEDGER_STATES,
  onCredits("all grants", "?tab=grants", {}, press("Show 2 spent or expired grants")),
  onCredits(
    "more grants",
    "?tab=grants",
    { "GET /dashboard/credits": body({ ...fixtures.credits, next: "cursor-2" }) },
    press("Show spent or expired grants"),
  ),
  ...BALANCE_STATES,
];

/** Every screen in every state, for accessibility checks and screenshots. */
export const SCREENS: Screen[] = [
  ...SIGN_IN_SCREENS,
  ...commonStates("home", "/home", "service unreachable"),
  ...listFirstKeyScreens(ALL),
  ...commonStates("keys", keys, "suspended", "session ended"),
  ...KEY_STATES,
  ...commonStates("requests", "/requests", "service unreachable"),
  ...commonStates("usage", "/usage"),
  ...commonStates("credits", "/credits", "suspended"),
  onCredits("grants", "?tab=grants"),
  onCredits("no grants", "?tab=grants", NEW),
  ...commonStates("notifications", "/settings/notifications", "session ended"),
  ...commonStates("webhooks", "/settings/webhooks", "suspended"),
  ...commonStates("account", "/settings/account", ...Object.keys(FRAME)),
  ...ACCOUNT_STATES,
  ...OTHER_STATES,
  ...listPasskeyScreens(ALL),
  ...listSalesScreens(ALL),
  ...listLogScreens(ALL),
  ...listToolScreens(ALL),
];

/** States that differ from another one of their page in a sentence. Only the chaos run shows them, with all others in all modes. */
const ALIKE: readonly RegExp[] = [
  /^sign in, (?:nothing entered|loading|too many emails|service unreachable|denied at the provider|sign-up closed)$/,
  /^sign in, (?:check your email, sign-up closed|incomplete code|code expired|code fails|no codes for new addresses)$/,
  /^(?:link|undo), (?:expired|error|no secret)$/,
  /^(?:keys|requests|usage|credits|webhooks), (?:loading|error|service unreachable|suspended|session ended)$/,
  /^account, (?:loading|error|service unreachable|session ended)$/,
  /^home, first key, (?:revealed, in PHP|response lost|error|suspended|made in another tab)$/,
  /^home, (?:no credits|no starter credits|no errors|no passkey|no call yet|a key expires)$/,
  /^home, (?:first call received, )?without a request log$/,
  /^keys, creating(?: fails| while suspended| while the service is unreachable| with limits)?$/,
  /^keys, (?:calls being counted|limits edited|revoked|renaming|renamed, refetching fails)$/,
  /^keys, (?:editing limits of an expired key|editing limits fails|rotating|rotating again|new secret not stored)$/,
  /^account, (?:wrong code for a new address|closing|more activity)$/,
  /^usage, (?:calls being counted|by key|one tool|no match)$/,
  /^credits, (?:ledger, loading|ledger fails|older entries|older entries fail|no entries|no matching entries)$/,
  /^credits, (?:no grants|more grants|all grants|no whole number|a lot of credits|prices fail to load|buying fails)$/,
  /^credits, back from payment, (?!paid|trouble)/,
  /^credits, purchases, (?:none, nothing sold|loading|fail|older)$/,
  /^balance, (?:low, dismissed|gone, )/,
  /^passkeys, (?:removing one|demand fails)$/,
  /^proof, (?:passkey or code|provider)$/,
  /^notifications, (?:saved|saving fails|loading|error)$/,
  /^webhooks, (?:test|rotat|adding|URL rejected|pausing fails|deliveries |deliveries,|limit reached|secret rotated|deleting|no del|resent)/,
  /^unsubscribe, (?:done, other kind|error|service unreachable|no token)$/,
  /^requests, (?:a success|an error|an error of an unknown key|by its id|unknown id|no match|custom time)$/,
  /^requests, (?:older ones|older ones fail|paused|log unavailable|summary fails)$/,
  /^tool, (?:hash that does not match|a link that cannot be used|uuid without|echo, not JSON)/,
  /^tool, qr-code (?:of a place, empty|of a SEPA transfer|with errors)$/,
];
export const isAlike = ({ name }: Screen): boolean => ALIKE.some((pattern) => pattern.test(name));
