import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import type { PostgresMode, PostgresPool } from "#stores/postgres/pool.ts";
import { drawSample } from "../../support/sample.ts";
import type { ApiResponse } from "./browser.ts";
import { clock } from "./clock.ts";
import {
  type Fixture,
  type Member,
  openFixture,
  openMember,
  useDashboardStore,
} from "./dashboard-fixture.ts";
import { postgresStore } from "./postgres-store.ts";

/** `lost`: the next write after some is carried out, and its answer is lost. `away`: from then on nothing can be asked. */
type Trouble = { kind: "lost" | "away"; after: number };
let trouble: Trouble | null = null;
let isHit = false;

const READING: ReadonlySet<PostgresMode> = new Set(["read", "snapshot", "report"]);

async function troubled<Result>(mode: PostgresMode, ask: () => Promise<Result>): Promise<Result> {
  if (trouble === null || (trouble.kind === "lost" && READING.has(mode))) return ask();
  if (trouble.after > 0) {
    trouble.after -= 1;
    return ask();
  }
  isHit = true;
  if (trouble.kind === "away") throw new NotCarriedOut("PostgreSQL is away");
  trouble = null;
  await ask();
  throw new Error("Connection terminated unexpectedly");
}

const withTrouble = (pool: PostgresPool): PostgresPool => ({
  ...pool,
  once: (mode, ...given) => troubled(mode, () => pool.once(mode, ...given)) as never,
  together: (mode, ...given) => troubled(mode, () => pool.together(mode, ...given)) as never,
  transaction: (mode, body) => troubled(mode, () => pool.transaction(mode, body)),
  statement: (mode, ...given) => troubled(mode, () => pool.statement(mode, ...given)),
});
useDashboardStore(() => postgresStore(withTrouble));

/** What a user does; what has to be there for it is made before the trouble. */
type Act = (fixture: Fixture, member: Member) => Promise<() => Promise<ApiResponse>>;

const NEW = "another password 2";
let users = 0;
const newcomer = () => {
  users += 1;
  return `newcomer${users}@example.com`;
};
const keyOf = async ({ browser }: Member) => {
  const { body } = await browser.post("/dashboard/keys", { label: "ci" });
  return (body as { key: { id: string } }).key.id;
};

const ACTS: Record<string, Act> = {
  "signs up": async (fixture) => {
    const email = newcomer();
    return () => fixture.signUp(fixture.browser(), email, NEW);
  },
  "opens the link in an email": async (fixture) => {
    const [who, email] = [fixture.browser(), newcomer()];
    await fixture.signUp(who, email, NEW);
    const link = await fixture.lastLink(email, "verify_address");
    return () => fixture.open(who, link);
  },
  "signs in": async (fixture, { email, password }) => {
    const who = fixture.browser();
    return () => fixture.signIn(who, email, password);
  },
  "signs out":
    async (_, { browser }) =>
    () =>
      browser.post("/dashboard/auth/sign-out"),
  "makes a key":
    async (_, { browser }) =>
    () =>
      browser.post("/dashboard/keys", { label: "ci" }),
  "renames a key": async (_, member) => {
    const id = await keyOf(member);
    return () => member.browser.patch(`/dashboard/keys/${id}`, { label: "other" });
  },
  "revokes a key": async (_, member) => {
    const id = await keyOf(member);
    return () => member.browser.delete(`/dashboard/keys/${id}`);
  },
  "ends other sessions": async (fixture, { browser, email, password }) => {
    await fixture.signIn(fixture.browser(), email, password);
    return () => browser.delete("/dashboard/sessions/others");
  },
  "changes the password":
    async (_, { browser, password }) =>
    () =>
      browser.post("/dashboard/auth/change-password", {
        currentPassword: password,
        newPassword: NEW,
      }),
  "chooses a new password through an email": async (fixture, { email }) => {
    const who = fixture.browser();
    await who.post("/dashboard/auth/request-password-reset", { email });
    const link = new URL(await fixture.lastLink(email, "reset_password"));
    const token = link.searchParams.get("token");
    return () => who.post("/dashboard/auth/reset-password", { newPassword: NEW, token });
  },
  "closes the account":
    async (_, { browser, email, password }) =>
    () =>
      browser.post("/dashboard/account/close", { email, password }),
};

/** Far more than any act asks for. */
const ASKS_MAX = 60;

const SCENES = Object.entries(ACTS).flatMap(([what, prepare]) =>
  (["lost", "away"] as const).map((kind) => ({ what, prepare, kind })),
);
const takesAll = process.env["TEST_FLEET"] === "all";

for (const { what, prepare, kind } of drawSample("acts in trouble", SCENES, 4, takesAll)) {
  test(`somebody ${what} while the database is ${kind}, at each of its steps: it is done, or 503 says when to come again`, async (t) => {
    const fixture = openFixture();
    const statuses: number[] = [];
    for (let after = 0; after < ASKS_MAX; after += 1) {
      // Without a pause of a minute, sign-ups and resets would need proofs of work at last.
      clock.advance(61_000);
      const act = await prepare(fixture, await openMember(fixture));
      [trouble, isHit] = [{ kind, after }, false];
      const response = await act();
      const wasHit = isHit;
      trouble = null;
      if (!wasHit) {
        assert.ok(
          response.status < 300,
          `${response.status} without any trouble: ${response.text}`,
        );
        break;
      }
      statuses.push(response.status);
      if (response.status < 300) continue;
      assert.deepEqual([response.status, response.code], [503, "unavailable"], `step ${after}`);
      assert.ok(Number(response.headers.get("retry-after")) > 0);
    }
    t.diagnostic(statuses.join(" "));
    assert.ok(statuses.length > 0);
    if (kind === "away") assert.equal(statuses[0], 503);
  });
}

test("whoever is told that the sign-out did not work is signed in still, and signs out later", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const count = async () => (await fixture.rows("SELECT id FROM user_session")).length;
  const before = await count();
  trouble = { kind: "away", after: 0 };
  assert.equal((await browser.post("/dashboard/auth/sign-out")).status, 503);
  trouble = null;
  assert.equal(await count(), before);
  assert.equal((await browser.get("/dashboard/home")).status, 200);
  assert.equal((await browser.post("/dashboard/auth/sign-out")).status, 200);
  assert.equal(await count(), before - 1);
});
