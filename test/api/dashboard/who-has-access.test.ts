/**
 * Who ends up with access to an address: histories of its owner, who reads its emails, and a stranger, who does not. The owner has
 * two browsers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";
import type { Browser } from "./browser.ts";
import { clock, HOUR } from "./clock.ts";
import {
  codeIn,
  enter,
  type Fixture,
  linkIn,
  move,
  open,
  openFixture,
  secretIn,
  start,
  userOf,
} from "./dashboard-fixture.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

const EMAIL = "owner@example.com";
const AWAY = "away@example.com";

type Scene = ReturnType<typeof openScene>;

function openScene() {
  const fixture = openFixture({ providers: PROVIDERS });
  const [desktop, phone, stranger] = [fixture.browser(), fixture.browser(), fixture.browser()];
  return { fixture, desktop, phone, stranger };
}

/** The address that the browser is signed in to; null: none. */
const isInAs = async (who: Browser) => (await userOf(who))?.email ?? null;

/** Whether the owner can get in with the last email, whatever happened before. */
async function ownerGetsIn(fixture: Fixture): Promise<boolean> {
  const browser = fixture.browser();
  clock.advance(24 * HOUR);
  await fixture.signIn(browser, EMAIL);
  return (await isInAs(browser)) === EMAIL;
}

async function comeByGoogle(who: Browser): Promise<void> {
  using _world = standIn({ email: EMAIL, verified: true });
  await comeBackFrom("google", who);
}

/** Moves the account of the browser to another address, whose emails its reader gives away. */
const undo = async (fixture: Fixture, who: Browser, at: string) =>
  who.post("/dashboard/auth/undo-email-change", {
    secret: secretIn(await fixture.lastLink(at, "address_changed")),
  });

const HISTORIES: {
  name: string;
  happens(scene: Scene): Promise<unknown>;
  /** The addresses that the three are signed in to afterwards. */
  in: { desktop?: string; phone?: string; stranger?: string };
}[] = [
  {
    name: "the owner signs up at the desk",
    happens: ({ fixture, desktop }) => fixture.signIn(desktop, EMAIL),
    in: { desktop: EMAIL },
  },
  {
    name: "a stranger begins to sign up, and the owner opens the link of that email",
    async happens({ fixture, desktop, stranger }) {
      await start(stranger, EMAIL);
      await open(desktop, await fixture.lastLink(EMAIL, "sign_up_code"));
    },
    in: {},
  },
  {
    name: "a stranger begins to sign up, and the owner enters that code in an attempt of their own",
    async happens({ fixture, desktop, stranger }) {
      await start(stranger, EMAIL);
      const [theirs] = await fixture.emailsTo(EMAIL);
      await start(desktop, EMAIL);
      await enter(desktop, theirs === undefined ? "" : codeIn(theirs));
    },
    in: {},
  },
  {
    name: "the owner begins, a stranger begins after that, and the owner enters the first code",
    async happens({ fixture, desktop, stranger }) {
      await start(desktop, EMAIL);
      const [own] = await fixture.emailsTo(EMAIL);
      await start(stranger, EMAIL);
      await enter(desktop, own === undefined ? "" : codeIn(own));
    },
    in: { desktop: EMAIL },
  },
  {
    name: "a stranger tries the codes of the owner's attempt in a browser of their own",
    async happens({ fixture, desktop, stranger }) {
      await start(desktop, EMAIL);
      await start(stranger, EMAIL);
      const [own] = await fixture.emailsTo(EMAIL);
      await enter(stranger, own === undefined ? "" : codeIn(own));
    },
    in: {},
  },
  {
    name: "the owner comes by Google, and later with a code: it is the same user",
    async happens({ fixture, desktop, phone }) {
      await comeByGoogle(desktop);
      await fixture.signIn(phone, EMAIL);
      assert.equal((await fixture.rows("SELECT id FROM users")).length, 1);
    },
    in: { desktop: EMAIL, phone: EMAIL },
  },
  {
    name: "a stranger begins to sign up, and the owner comes by Google",
    async happens({ desktop, stranger }) {
      await start(stranger, EMAIL);
      await comeByGoogle(desktop);
      await enter(stranger, "00000000");
    },
    in: { desktop: EMAIL },
  },
  {
    name: "a stranger sends the owner the link of the stranger's own sign-in",
    async happens({ fixture, desktop, stranger }) {
      await fixture.signIn(desktop, EMAIL);
      await fixture.signIn(stranger, "stranger@example.com");
      await start(stranger, "stranger@example.com");
      const [email] = (await fixture.emailsTo("stranger@example.com")).slice(-1);
      await open(desktop, email === undefined ? "" : linkIn(email));
    },
    in: { desktop: EMAIL, stranger: "stranger@example.com" },
  },
  {
    name: "the owner moves the account to another address and back",
    async happens({ fixture, desktop }) {
      await fixture.signIn(desktop, EMAIL);
      await move(fixture, desktop, AWAY);
      await move(fixture, desktop, EMAIL);
    },
    in: { desktop: EMAIL },
  },
  {
    name: "a thief at the owner's desk moves the account away, and the owner undoes it",
    async happens({ fixture, desktop, phone, stranger }) {
      await fixture.signIn(desktop, EMAIL);
      for (const [name, value] of desktop.cookies) stranger.cookies.set(name, value);
      await move(fixture, stranger, AWAY);
      assert.equal((await undo(fixture, phone, EMAIL)).status, 200);
    },
    in: {},
  },
  {
    name: "a thief moves the account away twice, and the owner undoes the first of it",
    async happens({ fixture, desktop, phone, stranger }) {
      await fixture.signIn(desktop, EMAIL);
      for (const [name, value] of desktop.cookies) stranger.cookies.set(name, value);
      await move(fixture, stranger, AWAY);
      await move(fixture, stranger, "further@example.com");
      assert.equal((await undo(fixture, phone, EMAIL)).status, 200);
      // The link to the thief's own first address has ended with it.
      assert.equal((await undo(fixture, stranger, AWAY)).code, "link_expired");
    },
    in: {},
  },
];

for (const { name, happens, in: expected } of HISTORIES) {
  test(name, async () => {
    const scene = openScene();
    await happens(scene);
    const { desktop, phone, stranger } = scene;
    assert.deepEqual(
      [await isInAs(desktop), await isInAs(phone), await isInAs(stranger)],
      [expected.desktop ?? null, expected.phone ?? null, expected.stranger ?? null],
    );
    assert.ok(await ownerGetsIn(scene.fixture));
    assert.deepEqual(scene.fixture.loggedErrors, []);
  });
}

/** What may happen next, in a random history. Only the owner reads emails. */
const STEPS: Record<string, (scene: Scene) => Promise<unknown>> = {
  "stranger begins": ({ stranger }) => start(stranger, EMAIL),
  "stranger guesses": ({ stranger }) => enter(stranger, "12345678"),
  "stranger opens an invented link": ({ stranger }) => open(stranger, "https://x.test/#invented"),
  "owner begins at the desk": ({ desktop }) => start(desktop, EMAIL),
  "owner begins on the phone": ({ phone }) => start(phone, EMAIL),
  "owner enters the last code at the desk": async ({ fixture, desktop }) =>
    enter(desktop, await lastCodeOr(fixture, "00000000")),
  "owner opens a link on the phone": async ({ fixture, phone }) => {
    const [email] = (await fixture.emailsTo(EMAIL))
      .filter(({ text }) => /\/link#/.test(text))
      .slice(-1);
    if (email !== undefined) await open(phone, linkIn(email));
  },
  "owner comes by Google": ({ phone }) => comeByGoogle(phone),
  "owner signs out at the desk": ({ desktop }) => desktop.post("/dashboard/auth/sign-out"),
};

async function lastCodeOr(fixture: Fixture, otherwise: string): Promise<string> {
  const [email] = (await fixture.emailsTo(EMAIL)).filter((each) => codeIn(each) !== "").slice(-1);
  return email === undefined ? otherwise : codeIn(email);
}

const RUNS = Number(process.env["TEST_ACCESS_RUNS"] ?? 5);

test(`in ${RUNS} random histories the stranger never gets in with emails that only the owner reads, and the owner always can`, async () => {
  const chance = createChance(SEED);
  const names = Object.keys(STEPS);
  for (let run = 0; run < RUNS; run += 1) {
    const scene = openScene();
    const taken: string[] = [];
    const hint = () => `TEST_SEED=${SEED}, run ${run}: ${taken.join("; ")}`;
    for (let step = 0; step < 9; step += 1) {
      const name = names[chance.below(names.length)] ?? "";
      taken.push(name);
      await STEPS[name]?.(scene);
      clock.advance(61_000);
      assert.equal(await isInAs(scene.stranger), null, hint());
    }
    assert.ok(await ownerGetsIn(scene.fixture), hint());
    assert.equal(await isInAs(scene.stranger), null, hint());
  }
});
