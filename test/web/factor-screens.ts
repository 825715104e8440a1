import type { Page } from "playwright-core";
import type { FactorsView, ProofView, TotpSetupView, Visitor } from "#api/dashboard/shapes.ts";
import * as fixtures from "./fixtures.ts";
import {
  type Mock,
  type Mocks,
  PAGE_ORIGIN,
  problem,
  type Screen,
  statesOf,
} from "./screen-mocks.ts";

/** Passkeys, the authenticator app, the second step of a sign-in, and the dialog that asks for a fresh proof. */

const DAY = 86_400_000;

export const NO_FACTORS: FactorsView = {
  ...{ passkeys: [], passkeysMax: 20, totp: false, recoveryCodesLeft: 0 },
};
const FACTORS: FactorsView = {
  passkeys: [
    {
      ...{ id: "p1", name: "MacBook of Ada, in the office on the second floor" },
      ...{ createdAt: fixtures.NOW - 40 * DAY, lastUsedAt: fixtures.NOW - 3_600_000 },
    },
    { ...{ id: "p2", name: "Security key" }, createdAt: fixtures.NOW - DAY, lastUsedAt: null },
  ],
  ...{ passkeysMax: 20, totp: true, recoveryCodesLeft: 2 },
};
const SETUP: TotpSetupView = {
  uri: "otpauth://totp/Toolbooth:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA&issuer=Toolbooth&digits=6&period=30",
  secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
};
const CODES = Array.from({ length: 10 }, (_, each) => `k3x${each}q-7mz${each}p`);
const wrongCode = problem(400, "wrong_code", "This code is wrong or was already used.");
const proofNeeded = problem(403, "fresh_proof_required", "Confirm that it is you.");
const proof = (methods: ProofView["methods"]): Mock => ({
  body: { email: fixtures.user.email, methods } satisfies ProofView,
});
const withPasskeys = (visitor: Visitor): Mock => ({
  body: { ...visitor, passkeyOrigin: PAGE_ORIGIN } satisfies Visitor,
});

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name }).click();
const pressInDialog = (page: Page, name: string | RegExp) =>
  page.getByRole("dialog").last().getByRole("button", { name }).click();

async function confirmTotp(page: Page): Promise<void> {
  await press("Set up authenticator app")(page);
  await page.getByLabel("Code of your authenticator app").fill("123456");
  await pressInDialog(page, "Confirm");
}

const createKey = async (page: Page) => {
  await press("Create key")(page);
  await page.getByRole("dialog").getByRole("textbox", { name: "Label" }).fill("production");
  await pressInDialog(page, "Create key");
  await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
};

const waitsForPasskey: Mocks = {
  "POST /dashboard/auth/passkey/generate-authenticate-options": "silence",
};

/** `all`: the responses of a member. */
export function listFactorScreens(all: Mocks): Screen[] {
  const member: Mocks = { ...all, "GET /dashboard/visitor": withPasskeys(fixtures.visitor) };
  const signedOut: Mocks = { "GET /dashboard/visitor": withPasskeys(fixtures.signedOut) };
  const onAccount = statesOf("security", "/settings/account", {
    ...member,
    "GET /dashboard/factors": { body: FACTORS },
  });
  const none: Mocks = { "GET /dashboard/factors": { body: NO_FACTORS } };
  const setup: Mocks = { ...none, "POST /dashboard/factors/totp": { body: SETUP } };
  const askForProof = statesOf("proof", "/settings/api-keys", {
    ...member,
    "POST /dashboard/keys": proofNeeded,
  });
  const onKeys = (name: string, methods: ProofView["methods"]): Screen => ({
    ...askForProof(name, { "GET /dashboard/proof": proof(methods) }, createKey),
    isBusy: true,
  });
  const confirm = (state: string, methods: object | null, actions?: Screen["actions"]): Screen =>
    statesOf("confirm sign-in", "/confirm-sign-in?next=/home", {
      ...signedOut,
      "POST /dashboard/auth/two-factor/verify-totp": wrongCode,
    })(state, { "GET /dashboard/auth/second-factor": { body: { methods } } }, actions);
  const both = { totp: true, passkey: true };
  return [
    onAccount("no factors", none),
    onAccount("passkeys, app and few codes"),
    onAccount("adding a passkey", none, press("Add passkey")),
    onAccount("renaming a passkey", {}, press(/^Rename\sSecurity key/)),
    onAccount("removing a passkey", {}, press(/^Remove\sSecurity key/)),
    onAccount("setting up the app", setup, press("Set up authenticator app")),
    onAccount(
      "setting up the app, wrong code",
      { ...setup, "POST /dashboard/factors/totp/confirm": wrongCode },
      confirmTotp,
    ),
    onAccount(
      "recovery codes shown",
      {
        ...setup,
        "POST /dashboard/factors/totp/confirm": { status: 201, body: { recoveryCodes: CODES } },
      },
      confirmTotp,
    ),
    onAccount("removing the app", {}, press("Remove authenticator app…")),
    onAccount("new recovery codes", {}, press("Create new recovery codes…")),
    onAccount("removing the password", {}, press("Remove password…")),
    onKeys("password", ["password", "github"]),
    onKeys("passkey, app or recovery code", ["passkey", "totp", "recovery"]),
    onKeys("app", ["totp", "recovery"]),
    onKeys("provider", ["google"]),
    onKeys("none", []),
    confirm("all factors", both),
    confirm("app", { totp: true, passkey: false }),
    confirm("passkey", { totp: false, passkey: true }),
    confirm("recovery code", both, press("Use a recovery code instead")),
    confirm("wrong code", both, async (page) => {
      await page.getByLabel("Code of your authenticator app").fill("123456");
      await press(/^Sign in$/)(page);
    }),
    confirm("expired", null),
    statesOf("sign in", "/sign-in", signedOut)("with passkeys", waitsForPasskey),
  ];
}
