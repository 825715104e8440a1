import type { Page } from "playwright-core";
import type { LinkView, SignedInView, StartedView } from "#api/dashboard/shapes.ts";
import * as fixtures from "./fixtures.ts";
import { type Mock, type Mocks, problem, type Screen } from "./screen-mocks.ts";

/** The pages that need no session: signing in, the links in emails, the tools, and the frame. */
const body = <Body>(value: Body): Mock => ({ body: value });
const started = (change: Partial<StartedView> = {}) =>
  body<StartedView>({ sent: true, signUpsFrom: null, signInsFrom: null, ...change });
const SIGNED_OUT: Mocks = {
  "GET /dashboard/visitor": body(fixtures.signedOut),
  "POST /dashboard/auth/sign-in/start": started(),
};
const SIGNED_IN: Mocks = { ...SIGNED_OUT, "GET /dashboard/visitor": body(fixtures.visitor) };

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name, exact: true }).click();

const at = (
  path: string,
  name: string,
  actions?: Screen["actions"],
  mocks: Mocks = {},
): Screen => ({ name, path, mocks: { ...SIGNED_OUT, ...mocks }, actions });

async function askForCode(page: Page): Promise<void> {
  await page.getByLabel("Email address").fill("ada@example.com");
  await press("Continue")(page);
}
async function enterCode(page: Page): Promise<void> {
  await askForCode(page);
  await page.getByLabel("Code").fill("1234 5678");
}

const start = (mock: Mock): Mocks => ({ "POST /dashboard/auth/sign-in/start": mock });
const code = (mock: Mock): Mocks => ({ "POST /dashboard/auth/sign-in/code": mock });
const wrongCode = problem(400, "wrong_code", "This code is wrong. You can try 4 more times.");
const severalCodes = problem(
  429,
  "too_many_emails",
  "We have sent several codes to this address. Enter the newest one that you asked for in this browser, look in your spam folder, or try again after 12:40 UTC.",
);
const SIGN_IN: Screen[] = [
  at("/sign-in", "sign in"),
  at("/sign-in", "sign in, waiting", askForCode, start("silence")),
  at(
    "/sign-in",
    "sign in, several codes",
    async (page) => {
      await askForCode(page);
      await page.getByText("try again after 12:40 UTC").waitFor();
    },
    start(severalCodes),
  ),
  at(
    "/sign-in",
    "sign in, the newest of several codes",
    async (page) => {
      await askForCode(page);
      await press("Enter the newest code")(page);
      await page.getByLabel("Code").waitFor();
    },
    start(severalCodes),
  ),
  at("/sign-in?closed=yes", "sign in, account closed"),
  at("/sign-in", "sign in, check your email", askForCode),
  at(
    "/sign-in",
    "sign in, no codes for new addresses",
    askForCode,
    start(started({ signUpsFrom: fixtures.NOW + 600_000 })),
  ),
  at("/sign-in", "sign in, wrong code", enterCode, code(wrongCode)),
  at(
    "/sign-in",
    "sign in, passkey required",
    enterCode,
    code(problem(403, "passkey_required", "Your account requires a passkey.")),
  ),
  at(
    "/sign-in",
    "sign in, new account",
    async (page) => {
      await enterCode(page);
      await page.getByRole("dialog").getByRole("button", { name: "Reveal and copy" }).waitFor();
    },
    {
      ...code(body<SignedInView>({ signedUp: true })),
      "GET /dashboard/visitor": [body(fixtures.signedOut), body(fixtures.visitor)],
      "GET /dashboard/home": body(fixtures.newHome),
      "GET /dashboard/keys": body(fixtures.keysView([])),
    },
  ),
];

const LINK = "/sign-in/link#a-secret";
const link = (mock: Mock): Mocks => ({ "POST /dashboard/auth/sign-in/link": mock });
const UNDO = "/undo-email-change#a-secret";
const undo = (mock: Mock): Mocks => ({ "POST /dashboard/auth/undo-email-change": mock });
const pressUndo = press("Undo the change");
const LINKS: Screen[] = [
  at(LINK, "link"),
  at(
    LINK,
    "link, another browser",
    press("Sign in"),
    link(body<LinkView>({ code: "12345678", signedUp: false })),
  ),
  at(
    LINK,
    "link, passkey required",
    async (page) => {
      await press("Sign in")(page);
      await page.getByText("This account requires a passkey. Sign in with yours.").waitFor();
    },
    link(problem(403, "passkey_required", "This account requires a passkey.")),
  ),
  at("/sign-in/link", "link, no secret"),
  at(UNDO, "undo"),
  at(UNDO, "undo, done", pressUndo, undo(body({ email: "ada@example.com" }))),
];

const FRAME: Screen[] = [
  at("/tools", "tools"),
  at("/tools", "not found", async (page) => {
    // Navigates within the dashboard. The server renders its own page for unknown paths.
    await page.evaluate(
      "history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  }),
  {
    ...at("/tools", "newer version", async (page) => {
      // As after an update, when the chunk of a screen no longer exists.
      await page.route("**/assets/tool-screen-*", (route) => route.abort());
      await page.getByRole("link", { name: "Hash" }).click();
      await page.getByRole("button", { name: "Load the new version" }).waitFor();
    }),
    consoleError: /The code of this screen was replaced/,
  },
  at("/tools", "menu or appearance", openMenu),
  at("/tools", "menu or account panel", openMenu, SIGNED_IN),
  at("/tools", "search", search, SIGNED_IN),
];

/** The search with results of several groups. */
async function search(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Search/ }).click();
  await page.getByRole("combobox", { name: /^Search/ }).fill("key");
  await page.getByRole("option", { name: "missing_key" }).waitFor();
}

/** Narrow screens have a menu, wide ones a popover. */
async function openMenu(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^(?:Menu|Account|Appearance)/ });
  await page.getByRole("link", { name: "Sign in" }).or(button).first().waitFor();
  await button.first().click();
  const inside = page.getByRole("radio", { name: "Dark" });
  await inside
    .or(page.getByRole("button", { name: "Sign out" }))
    .first()
    .waitFor();
}

export const SIGN_IN_SCREENS: Screen[] = [...SIGN_IN, ...LINKS, ...FRAME];
