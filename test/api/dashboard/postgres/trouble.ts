/** Actions of a user while PostgreSQL fails at one of their steps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import type { PostgresMode, PostgresPool } from "#stores/postgres/pool.ts";
import type { ApiResponse } from "../browser.ts";
import { clock } from "../clock.ts";
import {
  enter,
  type Fixture,
  type Member,
  openFixture,
  openMember,
  start,
} from "../dashboard-fixture.ts";

/** `lost`: after some statements, one write succeeds and its response is lost. `away`: from then on every statement fails. */
export type Trouble = { kind: "lost" | "away"; after: number };
export const trouble = { next: null as Trouble | null, isHit: false };

const READING: ReadonlySet<PostgresMode> = new Set(["read", "snapshot", "report"]);

async function troubled<Result>(mode: PostgresMode, ask: () => Promise<Result>): Promise<Result> {
  const { next } = trouble;
  if (next === null || (next.kind === "lost" && READING.has(mode))) return ask();
  if (next.after > 0) {
    next.after -= 1;
    return ask();
  }
  trouble.isHit = true;
  if (next.kind === "away") throw new NotCarriedOut("PostgreSQL is away");
  trouble.next = null;
  await ask();
  throw new Error("Connection terminated unexpectedly");
}

export const withTrouble = (pool: PostgresPool): PostgresPool => ({
  ...pool,
  once: (mode, ...given) => troubled(mode, () => pool.once(mode, ...given)) as never,
  together: (mode, ...given) => troubled(mode, () => pool.together(mode, ...given)) as never,
  transaction: (mode, body) => troubled(mode, () => pool.transaction(mode, body)),
  statement: (mode, ...given) => troubled(mode, () => pool.statement(mode, ...given)),
});

/** Prepares an action of a user, before the trouble begins, and returns it. */
type Prepare = (fixture: Fixture, member: Member) => Promise<() => Promise<ApiResponse>>;

let users = 0;
const newcomer = () => {
  users += 1;
  return `newcomer${users}@example.com`;
};
const keyOf = async ({ browser }: Member) => {
  const { body } = await browser.post("/dashboard/keys", { label: "ci" });
  return (body as { key: { id: string } }).key.id;
};

export const ACTIONS: Record<string, Prepare> = {
  async "asks for a code"(fixture) {
    const email = newcomer();
    return () => start(fixture.browser(), email);
  },
  async "signs up"(fixture) {
    const [who, email] = [fixture.browser(), newcomer()];
    await start(who, email);
    const code = await fixture.lastCode(email);
    return () => enter(who, code);
  },
  async "signs in"(fixture, { email }) {
    const who = fixture.browser();
    await start(who, email);
    const code = await fixture.lastCode(email);
    return () => enter(who, code);
  },
  async "signs out"(_, { browser }) {
    return () => browser.post("/dashboard/auth/sign-out");
  },
  async "makes a key"(_, { browser }) {
    return () => browser.post("/dashboard/keys", { label: "ci" });
  },
  async "renames a key"(_, member) {
    const id = await keyOf(member);
    return () => member.browser.patch(`/dashboard/keys/${id}`, { label: "other" });
  },
  async "revokes a key"(_, member) {
    const id = await keyOf(member);
    return () => member.browser.delete(`/dashboard/keys/${id}`);
  },
  async "ends other sessions"(fixture, { browser, email }) {
    await fixture.signIn(fixture.browser(), email);
    return () => browser.delete("/dashboard/sessions/others");
  },
  async "changes the address"(fixture, { browser }) {
    const email = newcomer();
    await browser.post("/dashboard/account/email", { email });
    const code = await fixture.lastCode(email);
    return () => browser.post("/dashboard/account/email/code", { code });
  },
  async "closes the account"(_, { browser, email }) {
    return () => browser.post("/dashboard/account/close", { email });
  },
};

/** More statements than any action needs. */
const STEPS_MAX = 60;

export function testInterruption(action: string, kind: Trouble["kind"]): void {
  test(`a user ${action} while PostgreSQL is ${kind}, at each step: it is done, or 503 says when to try again`, async (t) => {
    const fixture = openFixture();
    const statuses: number[] = [];
    for (let after = 0; after < STEPS_MAX; after += 1) {
      clock.advance(61_000);
      const act = await (ACTIONS[action] as Prepare)(fixture, await openMember(fixture));
      Object.assign(trouble, { next: { kind, after }, isHit: false });
      const response = await act();
      const { isHit } = trouble;
      trouble.next = null;
      if (!isHit) {
        assert.ok(response.status < 300, `${response.status} without trouble: ${response.text}`);
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
