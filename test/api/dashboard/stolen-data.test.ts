import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { accountOfKey } from "#accounts/key-format.ts";
import type { EndpointSecretView } from "#api/dashboard/shapes.ts";
import { createMail, emailSealer } from "#email/email-queue.ts";
import { signedHeaders } from "#events/deliver-webhooks.ts";
import { readUnsubscription, signUnsubscription } from "#events/notification-emails.ts";
import {
  AUTH_SECRET,
  enter,
  type Fixture,
  isOverSqlite,
  makeKey,
  open,
  openFixture,
  openMember,
  secretIn,
  start,
} from "./dashboard-fixture.ts";
import { cellsOf, tracesIn } from "./fixture-stores.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

/** What someone can do with a copy of the database, but without SECRET. */
const WEBHOOKS = "/dashboard/webhooks";
const SESSION = "tb.session_token";
const ATTEMPT = "tb.attempt";
/** No secret is shorter. */
const CHARS_MIN = 16;

type Service = Awaited<ReturnType<typeof openService>>;

/** A service in use: each kind of secret that it knows is in use at this moment. */
async function openService() {
  const fixture = openFixture({ providers: PROVIDERS });
  const { secrets, random } = fixture.accountDeps;
  const owner = await openMember(fixture);
  const { secret: key } = await makeKey(owner.browser, "laptop");
  const order = { url: "https://shop.example/hooks", kinds: ["key.created"], paused: false };
  const added = (await owner.browser.post(WEBHOOKS, order)).body as EndpointSecretView;
  const path = `${WEBHOOKS}/${added.endpoint.id}/secret`;
  const rotated = (await owner.browser.post(path, {})).body as EndpointSecretView;
  const moved = await openMember(fixture);
  await moved.browser.post("/dashboard/account/email", { email: "moved@example.org" });
  const newAddressCode = await fixture.lastCode("moved@example.org");
  await moved.browser.post("/dashboard/account/email/code", { code: newAddressCode });
  const undo = secretIn(await fixture.lastLink(moved.email, "address_changed"));
  const newcomer = "newcomer@example.org";
  const attempt = fixture.browser();
  await start(attempt, newcomer);
  const link = secretIn(await fixture.lastLink(newcomer, "sign_up_code"));
  const code = await fixture.lastCode(newcomer);
  using _ = standIn({ email: "octo@example.org", verified: true });
  await comeBackFrom("github", fixture.browser());
  const begun = await fixture.browser().post("/dashboard/auth/sign-in/social", {
    ...{ provider: "github", callbackURL: "http://127.0.0.1:8787/home" },
  });
  const state = new URL((begun.body as { url: string }).url).searchParams.get("state") ?? "";

  const unsubscription = signUnsubscription({ account: owner.account, topic: "low" }, secrets);
  // The fixture collects emails; here they wait in the queue of the store, as they do while a mail server is down.
  const mail = createMail({
    ...{ queue: fixture.store.emailQueue, transportKind: "smtp", sealer: emailSealer(secrets) },
    ...{ now: Date.now, random, logError: (message) => assert.fail(message) },
  });
  const text = `Unsubscribe: http://127.0.0.1:8787/unsubscribe?token=${unsubscription}`;
  const about = { to: owner.email, subject: "Low", text, html: text, kind: "credits_low" } as const;
  for (const email of [...fixture.emails, about]) await mail.enqueue(email);
  const cookie = owner.browser.cookies.get(SESSION) ?? "";
  return {
    ...{ fixture, owner, code },
    live: {
      ...{ key, undo, link, unsubscription, state },
      cookie: decodeURIComponent(cookie),
      attempt: attempt.cookies.get(ATTEMPT) ?? "",
    },
    webhookSecrets: [added.secret, rotated.secret],
  };
}

/** Everything that a copy of the database contains and that is long enough to be a secret, JSON taken apart. */
async function stolenTexts({ kept }: Fixture): Promise<string[]> {
  const texts = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "object" && value !== null) Object.values(value).forEach(add);
    if (typeof value !== "string") return;
    texts.add(value);
    // A stored form may name its kind, as in `sha256:…`.
    for (const part of value.split(/[.:,"\s]/)) texts.add(part);
    if (/^[[{]/.test(value)) add(JSON.parse(value));
  };
  for (const { value } of await cellsOf(kept)) add(value);
  return [...texts].filter(({ length }) => length >= CHARS_MIN);
}

/**
 * What can be tried with a text. Each returns whether it worked. A new kind of secret needs an entry here and in `openService`: the
 * first test shows that the live secret works, so that the second one proves something.
 */
const attacks = ({ fixture, owner, code, webhookSecrets }: Service) => {
  // Each has a network address of its own, so that no limit on requests ends the attack.
  const { browser } = fixture;
  const isSignedIn = async (cookie: string) => {
    const thief = browser();
    thief.cookies.set(SESSION, encodeURIComponent(cookie));
    const { body } = await thief.get("/dashboard/visitor");
    return (body as { user: unknown }).user !== null;
  };
  const { secrets } = fixture.accountDeps;
  const body = '{"type":"key.created"}';
  return {
    async cookie(text: string) {
      const signed = `${text}.${createHmac("sha256", text).update(text).digest("base64")}`;
      return (await isSignedIn(text)) || (await isSignedIn(signed));
    },
    /** In the cookie of an attempt, with whatever code a thief can derive. */
    async attempt(text: string) {
      const thief = browser();
      thief.cookies.set(ATTEMPT, text);
      return (await enter(thief, code)).status === 200;
    },
    async link(text: string) {
      return (await open(browser(), `https://x.test/#${text}`)).status === 200;
    },
    async undo(secret: string) {
      const { status } = await browser().post("/dashboard/auth/undo-email-change", { secret });
      return status === 200;
    },
    async key(text: string) {
      return accountOfKey(text, secrets) !== undefined;
    },
    async unsubscription(text: string) {
      const order = { account: owner.account, topic: "low" } as const;
      const tokens = [text, signUnsubscription(order, [text])];
      return tokens.some((token) => readUnsubscription(token, secrets) !== null);
    },
    async webhook(text: string) {
      return webhookSecrets.some((secret) => {
        try {
          const headers = signedHeaders({ secrets: [text], id: "evt_1", body, at: Date.now() });
          new Webhook(secret).verify(body, headers);
          return true;
        } catch {
          return false;
        }
      });
    },
  };
};

test("each attack works with the live secret, so that its failure means something", async () => {
  const service = await openService();
  const { live, webhookSecrets } = service;
  const attack = attacks(service);
  for (const secret of webhookSecrets) assert.ok(await attack.webhook(secret));
  // The attempt comes last, because it is used up.
  for (const name of ["cookie", "key", "unsubscription", "link", "undo", "attempt"] as const) {
    assert.ok(await attack[name](live[name]), name);
  }
});

const ATTACKED =
  "a copy of the database without SECRET signs in nobody, and undoes, calls and forges nothing";
// The stored forms are the same in every store, and thousands of requests over D1 take a minute.
if (isOverSqlite())
  test(ATTACKED, async () => {
    const service = await openService();
    const { fixture } = service;
    const texts = await stolenTexts(fixture);
    assert.ok(texts.length > 50, `${texts.length} texts`);
    for (const [name, attack] of Object.entries(attacks(service))) {
      for (const text of texts) assert.ok(!(await attack(text)), `${name} with ${text}`);
    }
  });

test("the hash of a session's token opens no session, not even with SECRET", async () => {
  const service = await openService();
  const [token = ""] = service.live.cookie.split(".");
  const signed = (text: string) =>
    `${text}.${createHmac("sha256", AUTH_SECRET).update(text).digest("base64")}`;
  assert.equal(signed(token), service.live.cookie);
  const sessions = await service.fixture.rows("SELECT token FROM user_session");
  assert.ok(sessions.length > 0);
  const { cookie } = attacks(service);
  for (const session of sessions)
    assert.ok(!(await cookie(signed(String(session["token"])))), String(session["token"]));
});

test("the code of an attempt is not in the database, nor a hash of it that eight digits can be guessed from", async () => {
  const { fixture, code } = await openService();
  const texts = new Set(await stolenTexts(fixture));
  const [attempt] = await fixture.rows("SELECT * FROM sign_in_attempt WHERE purpose = 'sign-in'");
  assert.ok(attempt !== undefined);
  const salts = ["", ...Object.values(attempt).map(String)];
  for (const salt of salts) {
    for (const text of [`${salt}${code}`, `${code}${salt}`, `toolbooth code ${salt} ${code}`]) {
      for (const encoding of ["hex", "base64url"] as const) {
        const plain = createHash("sha256").update(text).digest(encoding);
        assert.ok(!texts.has(plain), text);
        assert.ok(!texts.has(createHmac("sha256", salt).update(code).digest(encoding)), salt);
      }
    }
  }
});

test("no column of the database contains a live secret", async () => {
  const { fixture, live, webhookSecrets, owner } = await openService();
  const [token = ""] = live.cookie.split(".");
  const secrets = [
    ...Object.values(live),
    token,
    ...webhookSecrets,
    ...fixture.accountDeps.secrets,
  ];
  const providers = ["a-token-of-github", PROVIDERS.github.clientSecret];
  const cells = await cellsOf(fixture.kept);
  for (const secret of [...secrets, providers[0] ?? ""]) {
    assert.ok(secret.length >= CHARS_MIN, secret);
    assert.deepEqual(tracesIn(cells, secret), [], secret);
  }
  for (const part of ["?token=", "/sign-in/link", "whsec_"]) {
    assert.deepEqual(tracesIn(cells, part), [], part);
  }
  const logins = await fixture.rows("SELECT * FROM user_login");
  for (const login of logins) {
    const { accessToken, refreshToken, idToken } = login;
    assert.deepEqual([accessToken, refreshToken, idToken], [null, null, null]);
  }
  assert.ok(logins.length >= 1);
  assert.notDeepEqual(tracesIn(cells, owner.account), [], "the scan finds what is there");
});
