import type { Page } from "playwright-core";
import type { PasskeysView, ProofView, Visitor } from "#api/dashboard/shapes.ts";
import * as fixtures from "./fixtures.ts";
import {
  type Mock,
  type Mocks,
  PAGE_ORIGIN,
  problem,
  type Screen,
  statesOf,
} from "./screen-mocks.ts";

/** Passkeys, and the dialog that asks for a fresh proof. */

const DAY = 86_400_000;

export const NO_PASSKEYS: PasskeysView = { passkeys: [], passkeysMax: 20, requiresPasskey: false };
const PASSKEYS: PasskeysView = {
  passkeys: [
    {
      ...{ id: "p1", name: "MacBook of Ada, in the office on the second floor" },
      ...{ createdAt: fixtures.NOW - 40 * DAY, lastUsedAt: fixtures.NOW - 3_600_000 },
    },
    { ...{ id: "p2", name: "Security key" }, createdAt: fixtures.NOW - DAY, lastUsedAt: null },
  ],
  ...{ passkeysMax: 20, requiresPasskey: true },
};
const proofNeeded = problem(403, "fresh_proof_required", "Confirm that it is you.");
const withPasskeys = (visitor: Visitor): Mock => ({
  body: { ...visitor, passkeyOrigin: PAGE_ORIGIN } satisfies Visitor,
});

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name }).click();
const pressInDialog = (page: Page, name: string | RegExp) =>
  page.getByRole("dialog").last().getByRole("button", { name }).click();

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
export function listPasskeyScreens(all: Mocks): Screen[] {
  const member: Mocks = { ...all, "GET /dashboard/visitor": withPasskeys(fixtures.visitor) };
  const signedOut: Mocks = { "GET /dashboard/visitor": withPasskeys(fixtures.signedOut) };
  const onAccount = statesOf("passkeys", "/settings/account", {
    ...member,
    "GET /dashboard/passkeys": { body: PASSKEYS },
  });
  const only: Mocks = {
    "GET /dashboard/passkeys": { body: { ...PASSKEYS, passkeys: PASSKEYS.passkeys.slice(0, 1) } },
  };
  const none: Mocks = { "GET /dashboard/passkeys": { body: NO_PASSKEYS } };
  const askForProof = statesOf("proof", "/settings/api-keys", {
    ...member,
    "POST /dashboard/keys": proofNeeded,
    "POST /dashboard/auth/sign-in/start": {
      body: { sent: true, signUpsFrom: null, signInsFrom: null },
    },
  });
  const onKeys = (
    name: string,
    methods: ProofView["methods"],
    more?: (page: Page) => Promise<unknown>,
  ): Screen => ({
    ...askForProof(
      name,
      {
        "GET /dashboard/proof": {
          body: { email: fixtures.user.email, methods } satisfies ProofView,
        },
      },
      async (page) => {
        await createKey(page);
        await more?.(page);
      },
    ),
    isBusy: true,
  });
  return [
    onAccount("none", none),
    onAccount("required"),
    onAccount("adding one", none, press("Add passkey")),
    onAccount("renaming one", {}, press(/^Rename\sSecurity key/)),
    onAccount("removing the last one", only, async (page) => {
      await press(/^Remove\sMacBook/)(page);
      await page.getByText("no longer requires one").waitFor();
    }),
    onKeys("code", ["code", "github"]),
    onKeys("code sent", ["code"], async (page) => {
      await pressInDialog(page, "Send code");
      await page.getByLabel("Code").waitFor();
    }),
    onKeys("provider", ["google"]),
    onKeys("none", []),
    statesOf("sign in", "/sign-in", signedOut)("with passkeys", waitsForPasskey),
    statesOf("sign in", "/sign-in?error=passkey_required", {
      "GET /dashboard/visitor": {
        body: { ...fixtures.signedOut, passkeyOrigin: "http://localhost:8787" },
      },
    })("passkeys at another address"),
  ];
}
