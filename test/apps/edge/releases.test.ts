import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { accountPart } from "#ids.ts";
import { bundleWorker } from "../../http/edge.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";
import { COMPATIBILITY_DATE } from "../../support/wrangler-config.ts";
import { EDGE_TEXTS, type EdgeAccount, ledgerAt, openEdgeAccount } from "./edge-ledger.ts";

/**
 * Workers and objects of different releases at the same time: after a deployment or a rollback, the platform keeps the old code in an
 * active object for minutes. The rules are in `src/stores/durable-object/rpc.ts`.
 */
const RELEASES = ["previous", "this", "next"] as const;
type Release = (typeof RELEASES)[number];

const code = new Map<Release, string>();
before(async () => {
  for (const release of RELEASES) {
    code.set(release, (await bundleWorker(`apps/edge/worker-of-${release}-release.ts`)).code);
  }
});

type Running = Awaited<ReturnType<typeof start>>;

/** A Worker of each release in one workerd, all with the objects of one release. */
async function start(folder: string, objects: Release, texts: Record<string, string> = {}) {
  const script = (name: string, release: Release) => ({
    name,
    modules: [
      { type: "ESModule" as const, path: `${name}.mjs`, contents: code.get(release) as string },
    ],
    compatibilityDate: COMPATIBILITY_DATE,
    durableObjects: {
      LEDGER: { className: "AccountLedger", scriptName: "objects", useSQLite: true as const },
    },
    d1Databases: { DB: "toolbooth" },
    bindings: { ...EDGE_TEXTS, ...texts },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  });
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: false,
      unsafeInspectDurableObjects: true,
      handleStructuredLogs: () => {},
      workers: [script("objects", objects), ...RELEASES.map((release) => script(release, release))],
    }),
    resourcePersistencePath: folder,
  });
  await miniflare.ready;
  const urls = RELEASES.map(async (release) => {
    const { origin } = await miniflare.unsafeGetDirectURL(release);
    return [release, origin] as const;
  });
  return {
    miniflare,
    bases: Object.fromEntries(await Promise.all(urls)) as Record<Release, string>,
  };
}

/** Runs releases of objects one after the other on the same data. */
const deployments =
  (folder: string) =>
  async <Result>(
    objects: Release,
    step: (running: Running) => Promise<Result>,
    texts: Record<string, string> = {},
  ): Promise<Result> => {
    const running = await start(folder, objects, texts);
    try {
      return await step(running);
    } finally {
      await running.miniflare.dispose();
    }
  };

const openAccount = async ({ miniflare, bases }: Running) => {
  await applyMigrations(await miniflare.getD1Database("DB", "this"));
  return openEdgeAccount({ ledger: ledgerAt(bases.this) }, 100);
};

const call = (base: string, key: string, headers: Record<string, string> = {}) =>
  fetch(`${base}/api/v1/hash`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: '{"text":"a"}',
  });
const readyz = async (base: string) => (await fetch(`${base}/readyz`)).status;
const pendingReversals = async (base: string) => (await fetch(`${base}/test/kept`)).json();

/** Uses something that is new in a release. */
async function tryNew(base: string, { account }: EdgeAccount, name: string, order: object = {}) {
  const object = accountPart(account);
  const body = JSON.stringify({ object, name, order: { account, now: Date.now(), ...order } });
  const response = await fetch(`${base}/test/new`, { method: "POST", body });
  return (await response.json()) as {
    value?: unknown;
    isNotCarriedOut?: boolean;
    message?: string;
  };
}

/** A call, a repeated call, a rejected one and a free one, and that each costs what it should. Returns the new balance. */
async function callEverything(base: string, account: EdgeAccount, balance: number, what: string) {
  const { key } = account;
  const plain = await call(base, key);
  assert.equal(plain.status, 200, `${what}: ${await plain.text()}`);
  assert.equal(plain.headers.get("credits-remaining"), String(balance - 1), what);
  const headers = { "idempotency-key": what.replaceAll(" ", "-") };
  const first = await call(base, key, headers);
  const repeated = await call(base, key, headers);
  assert.deepEqual([first.status, repeated.status], [200, 200], what);
  assert.equal(repeated.headers.get("idempotency-replayed"), "true", what);
  assert.equal(await first.text(), await repeated.text(), what);
  assert.equal((await call(base, `${key.slice(0, -1)}_`)).status, 401, what);
  const authorization = `Bearer ${key}`;
  const status = await fetch(`${base}/api/v1/account`, { headers: { authorization } });
  const told = (await status.json()) as { balance: number };
  assert.deepEqual([status.status, told.balance], [200, balance - 2], what);
  assert.equal(await readyz(base), 200, what);
  return balance - 2;
}

const ORDER: readonly Release[] = ["previous", "this", "next", "this", "previous"];

test("Workers of three releases call objects of each, before, during and after a deployment and a rollback", async (t) => {
  const deploy = deployments(temporaryFolder(t));
  const account = await deploy("previous", openAccount);
  let balance = 100;
  for (const [turn, objects] of ORDER.entries()) {
    await deploy(objects, async (running) => {
      for (const release of RELEASES) {
        const what = `Worker of the ${release} release and objects of the ${objects} one at turn ${turn}`;
        balance = await callEverything(running.bases[release], account, balance, what);
        const ledger = ledgerAt(running.bases[release]);
        const order = { account: account.account, now: Date.now() };
        assert.equal((await ledger.credits(order)).balance, balance, what);
        assert.equal((await ledger.audit(order)).ok, true, what);
      }
      assert.deepEqual(await pendingReversals(running.bases.this), []);
    });
  }
  await deploy("this", async ({ miniflare }) => {
    const rows = await rowsOf(miniflare, account, "SELECT note FROM account");
    assert.deepEqual(rows, [{ note: "by the next release" }], "rows of the next release stay");
  });
});

test("an object does not carry out what it does not know, and no reversal is queued", async (t) => {
  const deploy = deployments(temporaryFolder(t));
  const account = await deploy("this", openAccount);
  const call = { callId: "call_1", at: Date.now() };
  await deploy("this", async ({ bases }) => {
    for (const name of ["operation", "kind", "method"]) {
      const told = await tryNew(bases.next, account, name);
      assert.equal(told.isNotCarriedOut, true, `${name}: ${JSON.stringify(told)}`);
      assert.match(
        told.message ?? "",
        /runs a release that does not know the (operation|call|method) hold/,
      );
    }
    assert.equal(await readyz(bases.this), 503, "a kind of call that the object lacks fails calls");
    const { value } = await tryNew(bases.this, account, "reversals", call);
    assert.deepEqual(value, [{ reversed: false }]);
  });
  await deploy("next", async ({ bases }) => {
    for (const name of ["operation", "kind", "method"])
      assert.ok((await tryNew(bases.next, account, name)).value, name);
    assert.equal(await readyz(bases.this), 200);
  });
  await deploy("previous", async ({ bases }) => {
    const told = await tryNew(bases.this, account, "reversals", call);
    assert.equal(told.isNotCarriedOut, true, JSON.stringify(told));
    assert.match(told.message ?? "", /does not know the method performAll/);
    assert.equal(await readyz(bases.this), 200, "calls do not need the method");
    assert.deepEqual(await pendingReversals(bases.this), []);
  });
});

test("when an object gets other code during a call, the Worker repeats the call, which is charged once", async (t) => {
  const deploy = deployments(temporaryFolder(t));
  const account = await deploy("this", openAccount);
  await deploy(
    "next",
    async ({ bases }) => {
      for (const left of ["99", "98"]) {
        const response = await call(bases.this, account.key);
        assert.deepEqual([response.status, response.headers.get("credits-remaining")], [200, left]);
      }
      assert.deepEqual(await pendingReversals(bases.this), []);
    },
    { TEST_RESETS: "yes" },
  );
});

describe("an outcome that a Worker does not know", () => {
  test("is sent only to an order that asks for it", async (t) => {
    const deploy = deployments(temporaryFolder(t));
    const account = await deploy("this", openAccount);
    await deploy("next", async ({ bases }) => {
      assert.equal((await call(bases.this, account.key)).status, 200);
      const told = await tryNew(bases.next, account, "outcome");
      assert.match(told.message ?? "", /does not know the outcome on_hold/);
    });
  });

  test("fails the call with 503, without a charge or a reversal, and /readyz reports it", async (t) => {
    const deploy = deployments(temporaryFolder(t));
    const account = await deploy("this", openAccount);
    await deploy(
      "next",
      async ({ bases }) => {
        assert.equal(await readyz(bases.this), 200, "the problem is not known yet");
        const response = await call(bases.this, account.key);
        assert.equal(response.status, 503);
        assert.ok(Number(response.headers.get("retry-after")) > 0);
        const problem = (await response.json()) as Record<string, unknown>;
        assert.deepEqual([problem["code"], problem["charged"]], ["unavailable", undefined]);
        await eventually("/readyz reports it", async () => (await readyz(bases.this)) === 503);
        assert.deepEqual(await pendingReversals(bases.this), []);
        const order = { account: account.account, now: Date.now() };
        assert.equal((await ledgerAt(bases.this).credits(order)).balance, 100);
      },
      { TEST_RUDE: "yes" },
    );
  });
});

async function rowsOf(miniflare: Miniflare, { account }: EdgeAccount, query: string) {
  const object = { name: accountPart(account) };
  const storage = await miniflare.unsafeGetDurableObjectStorage(
    ...(["objects", "AccountLedger", object] as const),
  );
  return storage.exec(query);
}
