import type { Page } from "playwright-core";
import { REPEATED } from "#accounts/new-password.ts";
import * as fixtures from "./fixtures.ts";
import { broken, type Mock, type Mocks, type Screen } from "./screen-mocks.ts";

/** The pages that need no session: signing up and in, the links in emails, the tools, and the frame. */
const SIGNED_OUT: Mocks = {
  "GET /dashboard/visitor": { body: fixtures.signedOut },
  "POST /dashboard/auth/sign-up/email": { body: {} },
  "POST /dashboard/auth/send-verification-email": { body: { status: true } },
  "POST /dashboard/auth/request-password-reset": { body: { status: true } },
  "POST /dashboard/auth/reset-password": { body: { status: true } },
};
const SIGNED_IN: Mocks = { ...SIGNED_OUT, "GET /dashboard/visitor": { body: fixtures.visitor } };

const authError = (status: number, code: string): Mock => ({
  status,
  body: { code, message: "A message of better-auth." },
});

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name }).click();

const fill = (button: string) => async (page: Page) => {
  const main = page.getByRole("main");
  const password = main.getByLabel(/^(?:New )?[Pp]assword$/);
  const email = main.getByLabel("Email address");
  await main.getByRole("button", { name: button }).waitFor();
  if ((await email.count()) > 0) await email.fill("ada@example.com");
  if ((await password.count()) > 0) await password.fill("correct horse battery staple");
  await press(button)(page);
};

const at = (
  path: string,
  name: string,
  actions?: Screen["actions"],
  mocks: Mocks = {},
): Screen => ({ name, path, mocks: { ...SIGNED_OUT, ...mocks }, actions });

/** Another tab of the browser has confirmed the address, and tells this one. */
async function waitForHome(page: Page): Promise<void> {
  await fill("Sign up")(page);
  await page.getByRole("heading", { level: 1, name: "Check your email" }).waitFor();
  await page.evaluate("new BroadcastChannel('toolbooth-session').postMessage('signed in')");
  await page.getByRole("button", { name: "Reveal your first key" }).waitFor();
}

const closed = { body: { ...fixtures.signedOut, signUp: "closed", providers: [] } };
const SIGN_UP: Screen[] = [
  at("/sign-up", "sign up"),
  at("/sign-up", "sign up, nothing entered", press("Sign up")),
  at("/sign-up", "sign up, check your email", fill("Sign up")),
  at("/sign-up", "sign up, confirmed in another tab", waitForHome, {
    "GET /dashboard/visitor": [{ body: fixtures.signedOut }, { body: fixtures.visitor }],
    "GET /dashboard/home": { body: fixtures.newHome },
  }),
  at("/sign-up", "sign up, error", fill("Sign up"), {
    "POST /dashboard/auth/sign-up/email": broken,
  }),
  at("/sign-up", "sign up, weak password", fill("Sign up"), {
    "POST /dashboard/auth/sign-up/email": {
      status: 400,
      body: {
        ...{ ok: false, type: "about:blank", title: "The sign-in request failed", status: 400 },
        ...{ code: REPEATED.code, detail: REPEATED.message, requestId: "req_2fVq8ZkLm0Xa1" },
      },
    },
  }),
  at("/sign-up", "sign up, closed", undefined, { "GET /dashboard/visitor": closed }),
  at("/sign-up", "sign up, already signed in", undefined, SIGNED_IN),
  at("/sign-up", "sign up, loading", undefined, { "GET /dashboard/visitor": "silence" }),
  at("/sign-up", "sign up, service unreachable", undefined, { "GET /dashboard/visitor": "away" }),
];

const signInResponse = (mock: Mock): Mocks => ({ "POST /dashboard/auth/sign-in/email": mock });
const SIGN_IN: Screen[] = [
  at("/sign-in", "sign in"),
  at("/sign-in", "sign in, nothing entered", press("Sign in")),
  at(
    "/sign-in",
    "sign in, wrong password",
    fill("Sign in"),
    signInResponse(authError(401, "INVALID_EMAIL_OR_PASSWORD")),
  ),
  at(
    "/sign-in",
    "sign in, address not confirmed",
    fill("Sign in"),
    signInResponse(authError(403, "EMAIL_NOT_VERIFIED")),
  ),
  at(
    "/sign-in",
    "sign in, too many attempts",
    fill("Sign in"),
    signInResponse(authError(429, "TOO_MANY")),
  ),
  at("/sign-in", "sign in, waiting", fill("Sign in"), signInResponse("silence")),
  at("/sign-in", "sign in, service unreachable", fill("Sign in"), signInResponse("away")),
  at("/sign-in?error=access_denied", "sign in, denied at the provider"),
  at("/sign-in", "sign in, sign-up closed", undefined, { "GET /dashboard/visitor": closed }),
];

/** As better-auth writes it: the pages read the address in it. */
const LINK_TOKEN = `e30.${Buffer.from('{"email":"ada@example.com"}').toString("base64url")}.mac`;
const VERIFY = `/verify-email?token=${LINK_TOKEN}`;
const email = "ada@example.com";
const verified = (mock: Mock): Mocks => ({ "POST /dashboard/auth/verify-email": mock });
const confirm = press("confirm address");
async function confirmAndWait(page: Page): Promise<void> {
  await confirm(page);
  await page.getByRole("dialog").getByRole("button", { name: "Reveal and copy" }).waitFor();
}
const EMAILS: Screen[] = [
  at(VERIFY, "confirm"),
  at("/verify-email?token=a-token", "confirm, unreadable token"),
  at(VERIFY, "confirm, done before", confirm, verified({ body: { status: true, email } })),
  at(VERIFY, "confirm, done and signed in", confirmAndWait, {
    ...SIGNED_IN,
    "GET /dashboard/home": { body: fixtures.newHome },
    ...verified({ body: { status: true, email } }),
  }),
  at(
    VERIFY,
    "confirm, set a password",
    async (page) => {
      await confirm(page);
      await page.getByRole("heading", { level: 1, name: "Choose your password" }).waitFor();
    },
    verified({ body: { status: true, email, resetToken: "another-token" } }),
  ),
  at(
    VERIFY,
    "confirm, new address pending",
    confirm,
    verified({ body: { emailTo: "new@example.com" } }),
  ),
  at(VERIFY, "confirm, address changed", confirm, {
    ...SIGNED_IN,
    ...verified({ body: { moved: true } }),
  }),
  at(VERIFY, "confirm, link expired", confirm, verified(authError(401, "INVALID_TOKEN"))),
  at(VERIFY, "confirm, error", confirm, verified(broken)),
  at("/verify-email", "confirm, no token"),
  at("/verify-email", "confirm, new link sent", fill("Send new link")),
  at("/forgot-password", "forgot password"),
  at("/forgot-password", "forgot password, check your email", fill("Send reset link")),
  at("/reset-password?token=a-token", "new password"),
  at("/reset-password?token=a-token", "new password, nothing entered", press("Set password")),
  at("/reset-password?token=a-token", "new password, done", fill("Set password")),
  at("/reset-password?token=a-token", "new password, link expired", fill("Set password"), {
    "POST /dashboard/auth/reset-password": authError(400, "INVALID_TOKEN"),
  }),
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

export const SIGN_IN_SCREENS: Screen[] = [...SIGN_UP, ...SIGN_IN, ...EMAILS, ...FRAME];
