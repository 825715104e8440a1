import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeAccount, createKey, openAccount } from "#accounts/accounts.ts";
import { assertTotals } from "../../contract/ledger/fixture.ts";
import {
  type ApiResponse,
  type Caller,
  type FleetNode,
  openAccounts,
  openCaller,
  startFleetDatabase,
  startNodes,
} from "../../support/fleet.ts";
import type { Postgres } from "../../support/postgres.ts";

/** Changes on one node take effect on the other at the next call, and concurrent requests to both are carried out once. */
const ROUNDS = 40;
let server: Postgres;
let nodes: FleetNode[] = [];
let accountDeps: Awaited<ReturnType<typeof openAccounts>>;
let callers: Caller[] = [];
const closing: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closing.push(close) };

before(async () => {
  server = await startFleetDatabase();
  const url = await server.createDatabase();
  nodes = await startNodes(hooks, 2, { DATABASE_URL: url });
  accountDeps = await openAccounts(hooks, url);
  callers = nodes.map(({ base }) => openCaller(base));
});
after(async () => {
  await assertTotals(accountDeps.ledger, Date.now());
  for (const caller of callers) caller.close();
  for (const close of closing) await close();
  await server?.dispose();
});

let users = 0;
/** Opens an account whose free call is used, with a key that both nodes have seen. */
async function openAccountOf(credits: number) {
  users += 1;
  const email = `user${users}@example.com`;
  const { account } = await openAccount(accountDeps, email, Date.now());
  const { id, key } = await createKey(accountDeps, account, "test", Date.now());
  assert.equal((await first().call(key)).charged, "0");
  await grant(account, "first", credits + 1);
  assert.equal((await second().call(key)).charged, "1");
  return { email, account, id, key };
}
const first = () => callers[0] as Caller;
const second = () => callers[1] as Caller;
const grant = (account: string, id: string, amount: number) =>
  accountDeps.ledger.grant({
    account,
    id,
    kind: "operator",
    amount,
    expiresAt: null,
    now: Date.now(),
  });
const statuses = async (key: string) => [
  (await first().call(key)).status,
  (await second().call(key)).status,
];
const codeOf = ({ body }: ApiResponse) => (JSON.parse(body) as { code: string }).code;

test("nodes that start at once without SECRET create one demo account, and each shown key works on all nodes", async () => {
  const shown = nodes.flatMap((node) => [...node.written().matchAll(/^ {2}(tb_\w+)$/gm)]);
  const keys = shown.map(([, key]) => key as string);
  assert.ok(keys.length >= 1 && keys.length <= nodes.length);
  for (const key of keys) assert.deepEqual(await statuses(key), [200, 200]);
  const { account } = (await accountDeps.directory.findByEmail({
    email: "demo@toolbooth.localhost",
  })) as { account: string };
  const { grants } = await accountDeps.ledger.credits({ account, now: Date.now() });
  assert.deepEqual(
    grants.map(({ kind, amount }) => [kind, amount]),
    [["starter", 100]],
  );
});

test(`the same Idempotency-Key sent to two nodes at once is charged once and gets one response, in ${ROUNDS} rounds`, async (t) => {
  const { account, key } = await openAccountOf(ROUNDS);
  let replays = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = { tool: "uuid", body: '{"count":3}', idempotencyKey: `round-${round}` };
    const callersTurned = round % 2 === 0 ? callers : callers.toReversed();
    const responses = await Promise.all(callersTurned.map((caller) => caller.call(key, call)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(new Set(responses.map(({ body }) => body)).size, 1, "one answer");
    const charges = responses.map(({ charged, replayed }) => `${charged} ${replayed}`);
    assert.deepEqual(charges.sort(), ["0 true", "1 false"]);
    replays += Number(responses[1]?.replayed);
  }
  t.diagnostic(`the second node returned the replay in ${replays} of ${ROUNDS} rounds`);
  const { balance } = await accountDeps.ledger.credits({ account, now: Date.now() });
  assert.equal(balance, 0);
});

test("an account reads the same on every node, right after a call on another", async () => {
  const { id, key } = await openAccountOf(3);
  const read = async ({ base }: FleetNode) => {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${base}/api/v1/account`, { headers });
    assert.equal(response.status, 200);
    const body = (await response.json()) as { balance: number; plan: string; key: { id: string } };
    assert.equal(response.headers.get("credits-remaining"), String(body.balance));
    return [body.balance, body.plan, body.key.id];
  };
  assert.equal((await first().call(key)).charged, "1");
  assert.deepEqual(await Promise.all(nodes.map(read)), [
    [2, "prepaid", id],
    [2, "prepaid", id],
  ]);
});

test("many concurrent retries on both nodes are charged once, and the others get 409", async () => {
  const { account, key } = await openAccountOf(ROUNDS);
  for (let round = 0; round < 10; round += 1) {
    const call = { tool: "uuid", body: "{}", idempotencyKey: `many-${round}` };
    const all = [...callers, ...callers, ...callers, ...callers];
    const responses = await Promise.all(all.map((caller) => caller.call(key, call)));
    const good = responses.filter(({ status }) => status === 200);
    const others = responses.filter(({ status }) => status !== 200);
    assert.equal(good.filter(({ charged }) => charged === "1").length, 1);
    assert.equal(new Set(good.map(({ body }) => body)).size, 1);
    for (const other of others) {
      const rejection = [other.status, codeOf(other), other.retryAfter];
      assert.deepEqual(rejection, [409, "idempotency_in_progress", "1"]);
    }
    const late = await second().call(key, call);
    assert.deepEqual([late.status, late.replayed, late.body], [200, true, good[0]?.body]);
  }
  const { balance } = await accountDeps.ledger.credits({ account, now: Date.now() });
  assert.equal(balance, ROUNDS - 10);
});

test("of two bodies with one Idempotency-Key sent to two nodes at once, one succeeds and the other is rejected", async () => {
  const { key } = await openAccountOf(ROUNDS);
  for (let round = 0; round < 10; round += 1) {
    const idempotencyKey = `bodies-${round}`;
    const responses = await Promise.all(
      callers.map((caller, no) =>
        caller.call(key, { tool: "uuid", body: `{"count":${no + 1}}`, idempotencyKey }),
      ),
    );
    const refused = responses.filter(({ status }) => status === 400);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400]);
    assert.deepEqual(refused.map(codeOf), ["idempotency_key_reused"]);
  }
});

test(`exactly one of ${ROUNDS} concurrent first calls of an account on both nodes is free and succeeds`, async () => {
  const { account } = await openAccount(accountDeps, "free@example.com", Date.now());
  const { key } = await createKey(accountDeps, account, "test", Date.now());
  const responses = await Promise.all(
    Array.from({ length: ROUNDS }, (_, no) => (callers[no % 2] as Caller).call(key)),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  assert.equal(responses.filter(({ status }) => status === 402).length, ROUNDS - 1);
});

test("every node rejects a revoked key at the next call, even while it is in use", async () => {
  const { account } = await openAccountOf(0);
  await grant(account, "more", 1_000);
  for (let round = 0; round < 10; round += 1) {
    const { id, key } = await createKey(accountDeps, account, `round ${round}`, Date.now());
    assert.deepEqual(await statuses(key), [200, 200]);
    const underWay = Array.from({ length: 10 }, (_, no) => (callers[no % 2] as Caller).call(key));
    await accountDeps.ledger.revokeKey({ account, id, now: Date.now() });
    assert.deepEqual(await statuses(key), [401, 401]);
    for (const { status } of await Promise.all(underWay)) assert.ok([200, 401].includes(status));
  }
});

test("every node rejects a suspended account at the next call and accepts it again when it is resumed", async () => {
  const { account, key } = await openAccountOf(100);
  for (let round = 0; round < 10; round += 1) {
    await accountDeps.ledger.suspendAccount({ account, now: Date.now() });
    assert.deepEqual(await statuses(key), [403, 403]);
    await accountDeps.ledger.resumeAccount({ account, now: Date.now() });
    assert.deepEqual(await statuses(key), [200, 200]);
  }
});

test("a grant is available on every node at the next call, and no credit is spent twice", async () => {
  const { account, key } = await openAccountOf(0);
  for (let round = 0; round < 10; round += 1) {
    assert.deepEqual(await statuses(key), [402, 402]);
    await grant(account, `grant-${round}`, 1);
    const responses = await Promise.all(callers.map((caller) => caller.call(key)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 402]);
  }
});

test("every node rejects the keys of a closed account at the next call", async () => {
  const { email, key } = await openAccountOf(10);
  assert.equal((await closeAccount(accountDeps, email, Date.now())).forfeited, 10);
  assert.deepEqual(await statuses(key), [401, 401]);
});

test("both nodes report that they are ready, and stop on SIGTERM", async () => {
  for (const { base } of nodes) assert.equal((await fetch(`${base}/readyz`)).status, 200);
  const ends = await Promise.all(nodes.map((node) => node.end("SIGTERM")));
  assert.deepEqual(
    ends.map(({ code }) => code),
    [0, 0],
  );
  for (const node of nodes) assert.doesNotMatch(node.written(), /"level":(?:50|60)/);
});
