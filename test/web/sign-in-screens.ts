import type { Page } from "playwright-core";
import { TOOLS as REGISTRY } from "#tools/registry.ts";
import * as told from "./fixtures.ts";
import { broken, type Mock, type Mocks, type Screen } from "./screen-mocks.ts";

/** What is open to everyone: signing up and in, the links out of letters, the tools, and the frame around them. */
const NOBODY: Mocks = {
  "GET /dashboard/visitor": { body: told.nobody },
  "POST /dashboard/auth/sign-up/email": { body: { signUp: "proof" } },
  "POST /dashboard/auth/send-verification-email": { body: { status: true } },
  "POST /dashboard/auth/request-password-reset": { body: { status: true } },
  "POST /dashboard/auth/reset-password": { body: { status: true } },
};
const SIGNED_IN: Mocks = { ...NOBODY, "GET /dashboard/visitor": { body: told.visitor } };

const authError = (status: number, code: string): Mock => ({
  status,
  body: { code, message: "What better-auth says." },
});

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name }).click();

const fill = (button: string) => async (page: Page) => {
  const main = page.getByRole("main");
  const password = main.getByLabel(/^(?:New )?[Pp]assword$/);
  const email = main.getByLabel("E-mail address");
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
): Screen => ({
  ...{ name, path, mocks: { ...NOBODY, ...mocks } },
  ...(actions === undefined ? {} : { actions }),
});

const closed = { body: { ...told.nobody, signUp: "closed", providers: [] } };
const SIGN_UP: Screen[] = [
  at("/sign-up", "sign up"),
  at("/sign-up", "sign up, nothing entered", press("Sign up")),
  at("/sign-up", "sign up, check your mail", fill("Sign up")),
  at("/sign-up", "sign up, refused", fill("Sign up"), {
    "POST /dashboard/auth/sign-up/email": broken,
  }),
  at("/sign-up", "sign up, closed", undefined, { "GET /dashboard/visitor": closed }),
  at("/sign-up", "sign up, signed in already", undefined, SIGNED_IN),
  at("/sign-up", "sign up, loading", undefined, { "GET /dashboard/visitor": "silence" }),
  at("/sign-up", "sign up, service away", undefined, { "GET /dashboard/visitor": "away" }),
];

const signInRefused = (mock: Mock): Mocks => ({ "POST /dashboard/auth/sign-in/email": mock });
const SIGN_IN: Screen[] = [
  at("/sign-in", "sign in"),
  at("/sign-in", "sign in, nothing entered", press("Sign in")),
  at(
    "/sign-in",
    "sign in, wrong password",
    fill("Sign in"),
    signInRefused(authError(401, "INVALID_EMAIL_OR_PASSWORD")),
  ),
  at(
    "/sign-in",
    "sign in, address not confirmed",
    fill("Sign in"),
    signInRefused(authError(403, "EMAIL_NOT_VERIFIED")),
  ),
  at("/sign-in", "sign in, too often", fill("Sign in"), signInRefused(authError(429, "TOO_MANY"))),
  at("/sign-in", "sign in, waiting", fill("Sign in"), signInRefused("silence")),
  at("/sign-in", "sign in, service away", fill("Sign in"), signInRefused("away")),
  at("/sign-in?error=access_denied", "sign in, not allowed at the other service"),
  at("/sign-in", "sign in, sign-up closed", undefined, { "GET /dashboard/visitor": closed }),
];

const VERIFY = "/verify-email?token=a-token";
const verified = (mock: Mock): Mocks => ({ "POST /dashboard/auth/verify-email": mock });
const confirm = press("Confirm my address");
const EMAILS: Screen[] = [
  at(VERIFY, "confirm"),
  at(VERIFY, "confirm, done", confirm, verified({ body: { status: true } })),
  at(VERIFY, "confirm, done and signed in", confirm, {
    ...SIGNED_IN,
    ...verified({ body: { status: true } }),
  }),
  at(
    VERIFY,
    "confirm, somebody else chose the password",
    confirm,
    verified({ body: { resetToken: "another-token" } }),
  ),
  at(
    VERIFY,
    "confirm, the new address has to agree",
    confirm,
    verified({ body: { emailTo: "new@example.com" } }),
  ),
  at(VERIFY, "confirm, address changed", confirm, {
    ...SIGNED_IN,
    ...verified({ body: { moved: true } }),
  }),
  at(VERIFY, "confirm, link used up", confirm, verified(authError(401, "INVALID_TOKEN"))),
  at(VERIFY, "confirm, refused", confirm, verified(broken)),
  at("/verify-email", "confirm, no token"),
  at("/verify-email", "confirm, new link on its way", fill("Send a new link")),
  at("/forgot-password", "forgotten password"),
  at("/forgot-password", "forgotten password, check your mail", fill("Send the link")),
  at("/reset-password?token=a-token", "new password"),
  at("/reset-password?token=a-token", "new password, nothing entered", press("Set the password")),
  at("/reset-password?token=a-token", "new password, done", fill("Set the password")),
  at("/reset-password?token=a-token", "new password, link used up", fill("Set the password"), {
    "POST /dashboard/auth/reset-password": authError(400, "INVALID_TOKEN"),
  }),
];

const responded = (page: Page) => page.getByRole("figure", { name: /^Answer/ }).waitFor();
const TOOLS: Screen[] = [
  at("/tools", "tools"),
  at("/tools", "tools, signed in", undefined, SIGNED_IN),
  ...REGISTRY.map(({ name, page: { button } = {} }) =>
    at(`/tools/${name}`, name, (page) =>
      button === undefined ? responded(page) : page.getByRole("button", { name: button }).waitFor(),
    ),
  ),
  at("/tools/uuid", "uuid, made", async (page) => {
    await page.getByRole("button", { name: "Generate" }).click();
    await responded(page);
  }),
  at("/tools/echo", "echo, refused", async (page) => {
    await responded(page);
    await page.getByRole("textbox").first().fill("{");
    await page.getByRole("figure", { name: "Answer, status 400" }).waitFor();
  }),
  at("/tools/nothing-like-it", "unknown tool"),
];

const FRAME: Screen[] = [
  at("/tools", "not found", async (page) => {
    // The service has a page of its own for lost addresses; this is for a link within the pages.
    await page.evaluate(
      "history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
  }),
  {
    ...at("/tools", "newer version", async (page) => {
      // As after an update: the file of the screen that is asked for next is gone.
      await page.route("**/assets/tool-screen-*", (route) => route.abort());
      await page.getByRole("link", { name: "Hash" }).click();
      await page.getByRole("button", { name: "Load the new version" }).waitFor();
    }),
    loggedError: /The screen's file is gone/,
  },
  at("/tools", "menu or appearance", openMenu),
  at("/tools", "menu or account panel", openMenu, SIGNED_IN),
];

/** Narrow screens have one menu, wide ones a panel at the edge. */
async function openMenu(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^(?:Open the menu|Account|Appearance)/ });
  await page.getByRole("link", { name: "Sign in" }).or(button).first().waitFor();
  await button.first().click();
  await page.getByRole("radio", { name: "Dark" }).waitFor();
}

export const SIGN_IN_SCREENS: Screen[] = [...SIGN_UP, ...SIGN_IN, ...EMAILS, ...TOOLS, ...FRAME];
