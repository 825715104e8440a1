import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { type ApiResponse, type Caller, sharedFleet } from "./fixture.ts";

/** Changes on one node take effect on the other at the next call, and concurrent requests to both are carried out once. */
const ROUNDS = 10;
const codeOf = ({ body }: ApiResponse) => (JSON.parse(body) as { code: string }).code;
const sortedStatuses = (responses: ApiResponse[]) =>
  responses.map(({ status }) => status).sort((one, other) => one - other);

describe("keys and accounts of a fleet", () => {
  let fleet: Awaited<ReturnType<typeof sharedFleet>>;
  before(async () => {
    fleet = await sharedFleet();
  });

  const onEvery = (...given: Parameters<Caller["call"]>) =>
    Promise.all(fleet.callers.map((caller) => caller.call(...given)));
  /** Of a call to one node after the other. */
  async function statuses(key: string): Promise<number[]> {
    const found = [];
    for (const caller of fleet.callers) found.push((await caller.call(key)).status);
    return found;
  }
  const balanceOf = async (account: string) =>
    (await fleet.accountDeps.ledger.credits({ account, now: Date.now() })).balance;

  test("nodes that start at once without SECRET create one demo account, and each shown key works on all nodes", async () => {
    const { nodes, accountDeps } = fleet;
    const shown = nodes.flatMap((node) => [...node.written().matchAll(/^ {2}(tb_\w+)$/gm)]);
    const keys = shown.map(([, key]) => key as string);
    assert.ok(keys.length >= 1 && keys.length <= nodes.length);
    for (const key of keys) assert.deepEqual(new Set(await statuses(key)), new Set([200]));
    const email = "demo@toolbooth.localhost";
    const { account = "" } = (await accountDeps.directory.findByEmail({ email })) ?? {};
    const { grants } = await accountDeps.ledger.credits({ account, now: Date.now() });
    assert.deepEqual(
      grants.map(({ kind, amount }) => [kind, amount]),
      [["starter", 100]],
    );
  });

  test("the same Idempotency-Key sent to two nodes at once is charged once and gets one response", async () => {
    const { account, key } = await fleet.openUser(ROUNDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = { tool: "uuid", body: '{"count":3}', idempotencyKey: `round-${round}` };
      const turned = round % 2 === 0 ? fleet.callers : fleet.callers.toReversed();
      const pair = turned.slice(0, 2);
      const responses = await Promise.all(pair.map((caller) => caller.call(key, call)));
      assert.deepEqual(sortedStatuses(responses), [200, 200]);
      assert.equal(new Set(responses.map(({ body }) => body)).size, 1);
      const charges = responses.map(({ charged, replayed }) => `${charged} ${replayed}`);
      assert.deepEqual(charges.sort(), ["0 true", "1 false"]);
    }
    assert.equal(await balanceOf(account), 0);
  });

  test("many concurrent retries on all nodes are charged once, and the others get 409", async () => {
    const { account, key } = await fleet.openUser(ROUNDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = { tool: "uuid", body: "{}", idempotencyKey: `many-${round}` };
      const responses = (await Promise.all([1, 2, 3, 4].map(() => onEvery(key, call)))).flat();
      const good = responses.filter(({ status }) => status === 200);
      assert.equal(good.filter(({ charged }) => charged === "1").length, 1);
      assert.equal(new Set(good.map(({ body }) => body)).size, 1);
      for (const other of responses.filter(({ status }) => status !== 200)) {
        const rejection = [other.status, codeOf(other), other.retryAfter];
        assert.deepEqual(rejection, [409, "idempotency_in_progress", "1"]);
      }
      for (const late of await onEvery(key, call))
        assert.deepEqual([late.status, late.replayed, late.body], [200, true, good[0]?.body]);
    }
    assert.equal(await balanceOf(account), 0);
  });

  test("of two bodies with one Idempotency-Key sent to two nodes at once, one succeeds and the other is rejected", async () => {
    const { key } = await fleet.openUser(ROUNDS);
    const [first, second] = fleet.callers as [Caller, Caller];
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = { tool: "uuid", idempotencyKey: `bodies-${round}` };
      const responses = await Promise.all([
        first.call(key, { ...call, body: '{"count":1}' }),
        second.call(key, { ...call, body: '{"count":2}' }),
      ]);
      assert.deepEqual(sortedStatuses(responses), [200, 400]);
      const refused = responses.filter(({ status }) => status === 400);
      assert.deepEqual(refused.map(codeOf), ["idempotency_key_reused"]);
    }
  });

  test("exactly one of many concurrent first calls of an account on all nodes is free and succeeds", async () => {
    const { accountDeps } = fleet;
    const { account } = await openAccount(accountDeps, "free@example.com", Date.now());
    const { key } = await createKey(accountDeps, account, "test", Date.now());
    const responses = (
      await Promise.all(Array.from({ length: ROUNDS }, () => onEvery(key)))
    ).flat();
    const [first, ...others] = sortedStatuses(responses);
    assert.equal(first, 200);
    assert.deepEqual(new Set(others), new Set([402]));
  });

  test("every node rejects a revoked key at the next call, even while it is in use", async () => {
    const { account } = await fleet.openUser(1_000);
    for (let round = 0; round < 5; round += 1) {
      const { accountDeps } = fleet;
      const { id, key } = await createKey(accountDeps, account, `round ${round}`, Date.now());
      assert.deepEqual(new Set(await statuses(key)), new Set([200]));
      const inUse = [1, 2, 3, 4, 5].map(() => onEvery(key));
      await accountDeps.ledger.revokeKey({ account, id, now: Date.now() });
      assert.deepEqual(new Set(await statuses(key)), new Set([401]));
      for (const { status } of (await Promise.all(inUse)).flat())
        assert.ok([200, 401].includes(status));
    }
  });

  test("every node rejects a suspended account at the next call and accepts it again when it is resumed", async () => {
    const { account, key } = await fleet.openUser(100);
    const { ledger } = fleet.accountDeps;
    for (let round = 0; round < 5; round += 1) {
      await ledger.changeAccount({ account, now: Date.now(), state: "suspended" });
      assert.deepEqual(new Set(await statuses(key)), new Set([403]));
      await ledger.changeAccount({ account, now: Date.now(), state: "open" });
      assert.deepEqual(new Set(await statuses(key)), new Set([200]));
    }
  });

  test("a grant is available on every node at the next call, and no credit is spent twice", async () => {
    const { account, key } = await fleet.openUser(0);
    for (let round = 0; round < 5; round += 1) {
      assert.deepEqual(new Set(await statuses(key)), new Set([402]));
      await fleet.grant(account, `grant-${round}`, 1);
      const [first, ...others] = sortedStatuses(await onEvery(key));
      assert.equal(first, 200);
      assert.deepEqual(new Set(others), new Set([402]));
    }
  });
});
