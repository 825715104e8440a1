/**
 * Who ends up with access to an address: histories of its owner, who reads its emails, and a stranger, who does not. The owner has
 * two browsers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";
import type { Browser } from "./browser.ts";
import { clock } from "./clock.ts";
import { type Fixture, openFixture } from "./dashboard-fixture.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

const EMAIL = "owner@example.com";
const OWN = "the owner's password";
const SECOND = "the owner's second one";
const STRANGERS = "the stranger's password";

type Scene = ReturnType<typeof openScene>;

function openScene() {
  const fixture = openFixture({ providers: PROVIDERS });
  const [desktop, phone, stranger] = [fixture.browser(), fixture.browser(), fixture.browser()];
  return { fixture, desktop, phone, stranger };
}

/** Whether the browser gets in with the password; its session, if any, is what it was before. */
async function getsIn(fixture: Fixture, password: string): Promise<boolean> {
  return (await fixture.signIn(fixture.browser(), EMAIL, password)).status === 200;
}

const hasSession = async (who: Browser) => (await who.get("/dashboard/home")).status === 200;

/** Opens the link of the last email; sets a new password where the page asks for one. */
async function confirm(fixture: Fixture, who: Browser, setsPassword = true): Promise<boolean> {
  const opened = await fixture.open(who, await fixture.lastLink(EMAIL, "verify_address"));
  assert.equal(opened.status, 200);
  const { resetToken } = opened.body as { resetToken?: string };
  if (resetToken === undefined) return false;
  if (setsPassword) await choose(who, resetToken);
  return true;
}

async function choose(who: Browser, token: string): Promise<void> {
  const chosen = await who.post("/dashboard/auth/reset-password", { token, newPassword: SECOND });
  assert.equal(chosen.status, 200, chosen.text);
}

async function resetFrom(fixture: Fixture, asking: Browser, using: Browser): Promise<void> {
  await asking.post("/dashboard/auth/request-password-reset", { email: EMAIL });
  const token = new URL(await fixture.lastLink(EMAIL, "reset_password")).searchParams.get("token");
  await choose(using, token ?? "");
}

async function comeByGoogle(who: Browser): Promise<void> {
  using _world = standIn({ email: EMAIL, verified: true });
  await comeBackFrom("google", who);
}

const HISTORIES: { name: string; happens(scene: Scene): Promise<void>; in: string[] }[] = [
  {
    name: "the owner signs up and opens the link in that browser",
    async happens({ fixture, desktop }) {
      await fixture.signUp(desktop, EMAIL, OWN);
      assert.equal(await confirm(fixture, desktop), false);
    },
    in: [OWN],
  },
  {
    name: "the owner signs up at the desk and opens the link on the phone, which sets the password anew",
    async happens({ fixture, desktop, phone }) {
      await fixture.signUp(desktop, EMAIL, OWN);
      assert.equal(await confirm(fixture, phone), true);
    },
    in: [SECOND],
  },
  {
    name: "the owner signs up at the desk, signs in on the phone and opens the link there",
    async happens({ fixture, desktop, phone }) {
      await fixture.signUp(desktop, EMAIL, OWN);
      assert.equal((await fixture.signIn(phone, EMAIL, OWN)).code, "EMAIL_NOT_VERIFIED");
      assert.equal(await confirm(fixture, phone), false);
    },
    in: [OWN],
  },
  {
    name: "a stranger signs up, and the owner opens the link once and leaves",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      assert.equal(await confirm(fixture, desktop, false), true);
    },
    in: [],
  },
  {
    name: "a stranger signs up, the owner opens the link once and later comes by Google",
    async happens({ fixture, desktop, phone, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      await confirm(fixture, desktop, false);
      await comeByGoogle(phone);
      assert.ok(await hasSession(phone));
    },
    in: [],
  },
  {
    name: "a stranger signs up, the owner comes by Google and opens the link afterwards",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      await comeByGoogle(desktop);
      assert.equal(await confirm(fixture, desktop), false);
      assert.ok(await hasSession(desktop));
    },
    in: [],
  },
  {
    name: "a stranger signs up and signs in at once, and the owner opens the link of the second email",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      await fixture.signIn(stranger, EMAIL, STRANGERS);
      assert.equal(await confirm(fixture, desktop, false), true);
    },
    in: [],
  },
  {
    name: "a stranger signs up, and the owner resets the password, which confirms the address",
    async happens({ fixture, desktop, phone, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      await resetFrom(fixture, desktop, phone);
      await fixture.signUp(stranger, EMAIL, STRANGERS);
    },
    in: [SECOND],
  },
  {
    name: "a stranger signs up and requests a reset, and the owner opens the link of the sign-up",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      await stranger.post("/dashboard/auth/request-password-reset", { email: EMAIL });
      assert.equal(await confirm(fixture, desktop), true);
    },
    in: [SECOND],
  },
  {
    name: "the owner signs up, a stranger does too, and the owner opens the link in the browser that signed up",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(desktop, EMAIL, OWN);
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      assert.equal(await confirm(fixture, desktop), true);
    },
    in: [SECOND],
  },
  {
    name: "both sign up, and the owner opens the link of the stranger's email",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      const link = await fixture.lastLink(EMAIL, "verify_address");
      await fixture.signUp(desktop, EMAIL, OWN);
      const { resetToken } = (await fixture.open(desktop, link)).body as { resetToken: string };
      await choose(desktop, resetToken);
      const again = { token: resetToken, newPassword: STRANGERS };
      const used = await stranger.post("/dashboard/auth/reset-password", again);
      assert.deepEqual([used.status, used.code], [400, "INVALID_TOKEN"]);
    },
    in: [SECOND],
  },
  {
    name: "a stranger signs up, and the owner requests the email and opens its link",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      await desktop.post("/dashboard/auth/send-verification-email", { email: EMAIL });
      assert.equal(await confirm(fixture, desktop), true);
    },
    in: [SECOND],
  },
  {
    name: "the owner has confirmed, and a stranger signs up and opens nothing",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(desktop, EMAIL, OWN);
      await confirm(fixture, desktop);
      await fixture.signUp(stranger, EMAIL, STRANGERS);
    },
    in: [OWN],
  },
  {
    name: "the owner opens the old link on the phone after confirming at the desk: the password stays",
    async happens({ fixture, desktop, phone }) {
      await fixture.signUp(desktop, EMAIL, OWN);
      await confirm(fixture, desktop);
      assert.equal(await confirm(fixture, phone), false);
    },
    in: [OWN],
  },
  {
    name: "a mail scanner opens the link before the owner does: a GET confirms nothing",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      const scanner = fixture.browser();
      const link = new URL(await fixture.lastLink(EMAIL, "verify_address"));
      const got = await scanner.get(`/dashboard/auth/verify-email${link.search}`);
      assert.equal(got.status, 405);
      assert.equal((await fixture.signIn(stranger, EMAIL, STRANGERS)).code, "EMAIL_NOT_VERIFIED");
      assert.equal(await confirm(fixture, desktop), true);
    },
    in: [SECOND],
  },
  {
    name: "an account moves to an address with which a stranger has signed up",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signUp(stranger, EMAIL, STRANGERS);
      const before = "before@example.com";
      await fixture.signUp(desktop, before, OWN);
      await fixture.open(desktop, await fixture.lastLink(before, "verify_address"));
      await fixture.signIn(desktop, before, OWN);
      await desktop.post("/dashboard/auth/change-email", { newEmail: EMAIL });
      await fixture.open(desktop, await fixture.lastLink(before, "confirm_address_change"));
      await fixture.open(desktop, await fixture.lastLink(EMAIL, "verify_new_address"));
    },
    in: [OWN],
  },
];

for (const { name, happens, in: accepted } of HISTORIES) {
  test(`${name}: ${accepted.length === 0 ? "no password" : accepted.join(", ")} works`, async () => {
    const scene = openScene();
    await happens(scene);
    for (const password of [OWN, SECOND, STRANGERS])
      assert.equal(await getsIn(scene.fixture, password), accepted.includes(password), password);
    assert.equal(await hasSession(scene.stranger), false);
    assert.deepEqual(scene.fixture.loggedErrors, []);
  });
}

test("a client cannot send the marks of a sign-up itself, and a stranger's mark is of no use in the owner's browser", async () => {
  const { fixture, desktop, stranger } = openScene();
  await fixture.signUp(stranger, EMAIL, STRANGERS);
  const link = new URL(await fixture.lastLink(EMAIL, "verify_address"));
  const [user] = await fixture.rows("SELECT id FROM users");
  const mark = fixture.auth.signUpMark(String(user?.["id"]));
  const opened = await desktop.send(
    "POST",
    "/dashboard/auth/verify-email",
    { token: link.searchParams.get("token") },
    { "x-toolbooth-sign-ups": mark },
  );
  assert.equal(opened.status, 200);
  assert.equal(await getsIn(fixture, STRANGERS), false);
});

/** What may happen next, in a random history. Only the owner opens links. */
const STEPS: Record<string, (scene: Scene) => Promise<unknown>> = {
  "stranger signs up": ({ fixture, stranger }) => fixture.signUp(stranger, EMAIL, STRANGERS),
  "stranger signs in": ({ fixture, stranger }) => fixture.signIn(stranger, EMAIL, STRANGERS),
  "stranger requests the link": ({ stranger }) =>
    stranger.post("/dashboard/auth/send-verification-email", { email: EMAIL }),
  "stranger requests a reset": ({ stranger }) =>
    stranger.post("/dashboard/auth/request-password-reset", { email: EMAIL }),
  "owner signs up": ({ fixture, desktop }) => fixture.signUp(desktop, EMAIL, OWN),
  "owner signs in": ({ fixture, phone }) => fixture.signIn(phone, EMAIL, OWN),
  "owner opens a link at the desk": (scene) => openAny(scene, scene.desktop),
  "owner opens a link on the phone": (scene) => openAny(scene, scene.phone),
  "owner comes by Google": ({ phone }) => comeByGoogle(phone),
  "owner uses a reset": async ({ fixture, phone }) => {
    const [email] = (await fixture.emailsTo(EMAIL, "reset_password")).slice(-1);
    const token = /token=(\S+)/.exec(email?.text ?? "")?.[1] ?? "none";
    await phone.post("/dashboard/auth/reset-password", { token, newPassword: SECOND });
  },
};

async function openAny({ fixture }: Scene, who: Browser): Promise<void> {
  if ((await fixture.emailsTo(EMAIL, "verify_address")).length > 0)
    await confirm(fixture, who, true);
}

const RUNS = Number(process.env["TEST_ACCESS_RUNS"] ?? 5);

test(`in ${RUNS} random histories the stranger never gets in, and the owner always can`, async () => {
  const chance = createChance(SEED);
  for (let run = 0; run < RUNS; run += 1) {
    const scene = openScene();
    const taken: string[] = [];
    const hint = () => `TEST_SEED=${SEED}, run ${run}: ${taken.join("; ")}`;
    for (let step = 0; step < 9; step += 1) {
      const name = Object.keys(STEPS)[chance.below(Object.keys(STEPS).length)] ?? "";
      taken.push(name);
      await STEPS[name]?.(scene);
      clock.advance(61_000);
      assert.equal(await hasSession(scene.stranger), false, hint());
    }
    assert.equal(await getsIn(scene.fixture, STRANGERS), false, hint());
    const users = await scene.fixture.rows("SELECT id FROM users");
    if (users.length > 0) await resetFrom(scene.fixture, scene.desktop, scene.phone);
    assert.equal(await getsIn(scene.fixture, SECOND), users.length > 0, hint());
    assert.equal(await getsIn(scene.fixture, STRANGERS), false, hint());
  }
});
