import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { type Network, openNetwork } from "../../support/postgres-proxy.ts";
import {
  type Accounts,
  BEHIND_PROXY,
  type FleetNode,
  type Member,
  openAccounts,
  openMember,
  openVisitor,
  startNode,
} from "./fixture.ts";

/** A node whose PostgreSQL fails: each request gets 503 with Retry-After, or a correct response. */
describe("a node whose PostgreSQL fails", () => {
  let direct: string;
  let network: Network;
  let env: Record<string, string>;
  let node: FleetNode;
  let accountDeps: Accounts;
  let ada: { account: string; key: string };
  let bob: typeof ada;
  let member: Member & { keyId: string };
  const closing: (() => unknown)[] = [];
  const hooks = { after: (close: unknown) => void closing.unshift(close as () => unknown) };

  before(async () => {
    const postgres = await sharedPostgres();
    direct = await postgres.createDatabase();
    network = await openNetwork(postgres.port);
    closing.push(() => network.close());
    const url = new URL(direct);
    url.port = String(network.port);
    env = { DATABASE_URL: url.href, DATA_DIR: temporaryFolder(hooks), ...BEHIND_PROXY };
    node = { ...(await startNode(hooks, env)), outbox: `${env["DATA_DIR"]}/outbox` };
    accountDeps = await openAccounts(hooks, direct);
    [ada, bob] = [await openUser("ada"), await openUser("bob")];
    const opened = await openMember([node]);
    const { body } = await opened.ask(node, "POST", "/dashboard/keys", { label: "test" });
    member = { ...opened, keyId: (body as { key: { id: string } }).key.id };
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** Opens an account with 100 credits whose free call is used. */
  async function openUser(name: string) {
    const now = Date.now();
    const { account } = await openAccount(accountDeps, `${name}@example.com`, now);
    const grant = { id: "all", kind: "operator", amount: 100, expiresAt: null } as const;
    await accountDeps.ledger.grant({ ...grant, account, now });
    const { key } = await createKey(accountDeps, account, "test", now);
    assert.deepEqual(await call({ key }), { status: 200, left: 100 });
    return { account, key };
  }

  async function call({ key }: { key: string }) {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${node.base}/api/v1/uuid`, { method: "POST", headers });
    await response.text();
    if (response.status !== 200) assert.ok(Number(response.headers.get("retry-after")) > 0);
    return { status: response.status, left: Number(response.headers.get("credits-remaining")) };
  }
  /** The detail of the last response of `/readyz`. */
  let detail: string | undefined;
  async function readyz(): Promise<number> {
    const response = await fetch(`${node.base}/readyz`);
    ({ detail } = (await response.json()) as { detail?: string });
    if (response.status !== 200) assert.ok(Number(response.headers.get("retry-after")) > 0);
    return response.status;
  }
  async function until(status: number): Promise<void> {
    while ((await readyz()) !== status) await wait(20);
  }
  const balanceOf = async ({ account }: { account: string }) =>
    (await accountDeps.ledger.credits({ account, now: Date.now() })).balance;

  let visitors = 0;
  /** Each request comes from another network, so that none is throttled. */
  function newVisitor() {
    visitors += 1;
    return openVisitor(`10.9.${visitors}.1`);
  }

  /** Checks that a user gets 503 for every action. */
  async function assertUsersRefused(): Promise<void> {
    const { ask, email, keyId } = member;
    const newcomer = { email: "newcomer@example.com" };
    const acts = [
      newVisitor()(node, "POST", "/dashboard/auth/sign-in/start", newcomer),
      newVisitor()(node, "POST", "/dashboard/auth/sign-in/start", { email }),
      ask(node, "POST", "/dashboard/auth/sign-out", {}),
      ask(node, "POST", "/dashboard/account/email", newcomer),
      ask(node, "POST", "/dashboard/keys", { label: "other" }),
      ask(node, "PATCH", `/dashboard/keys/${keyId}`, { label: "renamed" }),
      ask(node, "DELETE", `/dashboard/keys/${keyId}`),
      ask(node, "DELETE", "/dashboard/sessions/others"),
      ask(node, "POST", "/dashboard/account/close", { email }),
      ask(node, "GET", "/dashboard/home"),
    ];
    for (const { status, body, retryAfter } of await Promise.all(acts)) {
      assert.equal(status, 503, JSON.stringify(body));
      assert.equal((body as { code: string }).code, "unavailable");
      assert.ok(Number(retryAfter) > 0);
    }
  }

  /** Checks that the user is still signed in, nothing was changed, and everything works again. */
  async function assertUsersAsBefore(): Promise<void> {
    const { ask, email, keyId } = member;
    while ((await ask(node, "GET", "/dashboard/home")).status === 503) await wait(20);
    const { status, body } = await ask(node, "GET", "/dashboard/keys");
    assert.equal(status, 200, JSON.stringify(body));
    const { keys } = body as { keys: { id: string; label: string; revokedAt: number | null }[] };
    const listed = keys.map(({ id, label, revokedAt }) => [id, label, revokedAt]);
    assert.deepEqual(listed, [[keyId, "test", null]]);
    const again = await newVisitor()(node, "POST", "/dashboard/auth/sign-in/start", { email });
    assert.equal(again.status, 200, JSON.stringify(again.body));
  }

  const outages: [name: string, begin: () => void, end: () => void, detail: RegExp][] = [
    [
      "nothing listens",
      () => {
        network.leadTo(1);
        network.cut();
      },
      () => network.leadTo(Number(new URL(direct).port)),
      /^Calls fail: the database is unreachable\.$/,
    ],
    [
      "the network drops everything",
      () => network.swallow(true),
      () => {
        network.swallow(false);
        network.cut();
      },
      // First orders are late, and then connections.
      /^Calls fail: the database (?:does not respond in time|is unreachable)\.$/,
    ],
  ];
  for (const [name, begin, end, expected] of outages)
    test(`while ${name}, calls, probes and users get 503, and afterwards everything is as before`, async () => {
      const left = await balanceOf(ada);
      begin();
      const [refused] = await Promise.all([call(ada), assertUsersRefused()]);
      assert.equal(refused.status, 503);
      await until(503);
      assert.match(detail ?? "", expected);
      end();
      await until(200);
      await assertUsersAsBefore();
      // Rejected calls are reversed if they were charged.
      assert.deepEqual(await call(ada), { status: 200, left: left - 1 });
    });

  test("users get 503 while the response to every commit is lost, and afterwards everything is as before", async () => {
    network.loseCommits(1_000_000);
    await assertUsersRefused();
    network.loseCommits(0);
    await assertUsersAsBefore();
  });

  test("a node that stops during an outage stores its pending reversals, waits for the database when it starts, and makes them", async () => {
    const credits = await balanceOf(bob);
    const written = node.written().length;
    let calls: ReturnType<typeof call>[];
    for (;;) {
      network.leadTo(1);
      const { promise: isCut, resolve } = Promise.withResolvers<void>();
      // At once, or the node would look the calls up over another connection.
      network.loseCommits(1, () => {
        network.cut();
        resolve();
      });
      calls = Array.from({ length: 20 }, () => call(bob));
      await isCut;
      await until(503);
      if ((await balanceOf(bob)) < credits) break;
      // The COMMIT was not of a debit.
      await Promise.all(calls);
      network.leadTo(Number(new URL(direct).port));
      await until(200);
    }
    const ended = node.end("SIGTERM");
    for (const { status } of await Promise.all(calls)) assert.equal(status, 503);
    assert.deepEqual(await ended, { code: 0, signal: null });
    const owed = credits - (await balanceOf(bob));
    assert.ok(owed >= 1, "debited and rejected");
    assert.ok(existsSync(path.join(env["DATA_DIR"] as string, "reversals.sqlite")));
    const logged =
      node
        .written()
        .slice(written)
        .match(/Call call_\w+ of acc_\w+ at \d+ was not reversed/g) ?? [];
    assert.ok(logged.length >= owed && new Set(logged).size === logged.length, node.written());

    const tried = network.connections();
    const starting = startNode(hooks, env);
    while (network.connections() < tried + 3) await wait(20);
    network.leadTo(Number(new URL(direct).port));
    node = await starting;
    assert.match(
      node.written(),
      /PostgreSQL does not respond at the address in DATABASE_URL\. Start it or correct the address\. Waiting up to \d+ s for it\./,
    );
    while ((await balanceOf(bob)) < credits) await wait(20);
    assert.equal(await balanceOf(bob), credits);
    assert.equal(await readyz(), 200);
    assert.deepEqual((await accountDeps.ledger.audit({ now: Date.now() })).faults, []);
    assert.deepEqual(await node.end("SIGTERM"), { code: 0, signal: null });
  });
});
