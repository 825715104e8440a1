import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Migration } from "#stores/schema/migrations.ts";
import { bundleWorker, type Edge, startEdge } from "../../http/edge.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { INCOMPATIBLE } from "../../stores/other-version.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";
import { EDGE_TEXTS, ledgerAt, openEdgeAccount } from "./edge-ledger.ts";

/** The API Worker with objects that cannot start. `releases.test.ts` has rollbacks over migrations that older code can read. */
let code = "";
before(async () => {
  ({ code } = await bundleWorker("apps/edge/worker-of-another-release.ts"));
});

/** Runs releases one after the other on the same data. Each ends before the next starts. */
function releases(folder: string, log: string[]) {
  return async <Result>(
    migrations: readonly Migration[],
    step: (edge: Edge) => Promise<Result>,
  ): Promise<Result> => {
    const edge = await startEdge(code, {
      folder,
      texts: { ...EDGE_TEXTS, TEST_MIGRATIONS: JSON.stringify(migrations) },
      beside: {
        d1Databases: { DB: "toolbooth" },
        handleStructuredLogs: ({ message }) => void log.push(message),
      },
    });
    try {
      return await step(edge);
    } finally {
      await edge.close();
    }
  };
}

const call = ({ base }: Edge, key: string) =>
  fetch(`${base}/api/v1/hash`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: '{"text":"a"}',
  });
const readyz = async ({ base }: Edge) => (await fetch(`${base}/readyz`)).status;
const pendingReversals = async ({ base }: Edge) => (await fetch(`${base}/test/kept`)).json();

/** A call with an unknown outcome would be stored after the pauses of its reversal (0, 0.5 and 2 seconds). */
async function assertNothingPending(edge: Edge) {
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  assert.deepEqual(await pendingReversals(edge), []);
}

/** A call that fails because its object cannot start: the client is told that it was not charged. */
async function assertUncharged(edge: Edge, key: string) {
  const response = await call(edge, key);
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  const problem = (await response.json()) as Record<string, unknown>;
  assert.deepEqual([problem["code"], problem["charged"]], ["unavailable", undefined]);
}

/** An account with 9 credits, in a release without faults. */
async function openBefore(edge: Edge) {
  await applyMigrations(await edge.miniflare.getD1Database("DB"));
  return openEdgeAccount({ ledger: ledgerAt(edge.base) }, 9);
}

const balanceOf = async ({ base }: Edge, account: string) =>
  (await ledgerAt(base).credits({ account, now: Date.now() })).balance;

describe("rolling the Worker back over a migration that older code cannot read", () => {
  test("responds with 503 without charging, reports it in /readyz and the log, and the newer release continues later", async (t) => {
    const log: string[] = [];
    const inRelease = releases(temporaryFolder(t), log);
    const { account, key } = await inRelease([], async (edge) => {
      assert.equal(await readyz(edge), 200);
      return openBefore(edge);
    });
    // The newer release migrates only this account's object, and not the one of /readyz.
    const now = Date.now();
    await inRelease([INCOMPATIBLE], async (edge) => {
      await ledgerAt(edge.base).listKeys({ account });
    });
    await inRelease([], async (edge) => {
      for (let tries = 0; tries < 3; tries += 1) {
        const response = await call(edge, key);
        assert.equal(response.status, 503);
        assert.ok(Number(response.headers.get("retry-after")) > 0);
        assert.doesNotMatch(await response.text(), /schema/);
      }
      await eventually("/readyz reports it", async () => (await readyz(edge)) === 503);
      await assertNothingPending(edge);
      assert.match(log.join("\n"), /This version cannot use the ledger.+schema version 2/);
    });
    await inRelease([INCOMPATIBLE], async (edge) => {
      assert.equal(await readyz(edge), 200);
      const found = await ledgerAt(edge.base).findAccount({ account, now });
      assert.equal(found?.balance, 9);
      assert.deepEqual(await pendingReversals(edge), []);
    });
  });
});

describe("an object that cannot start", () => {
  test("because its migration fails rejects calls without charging them, is left unchanged, and continues with other code", async (t) => {
    const log: string[] = [];
    const inRelease = releases(temporaryFolder(t), log);
    const { account, key } = await inRelease([], openBefore);
    const sql = "CREATE TABLE extra (id INTEGER); INSERT INTO missing VALUES (1)";
    const failing = { name: "extra", sql, readableFrom: 1 };
    await inRelease([failing], async (edge) => {
      assert.equal(await readyz(edge), 503, "its own object cannot start either");
      for (let tries = 0; tries < 3; tries += 1) await assertUncharged(edge, key);
      await assertNothingPending(edge);
      assert.match(log.join("\n"), /This version cannot use the ledger.+no such table: missing/);
    });
    // The migration would fail if the table had been left behind.
    const fixed = { ...failing, sql: "CREATE TABLE extra (id INTEGER)" };
    for (const release of [[], [fixed], []]) {
      await inRelease(release, async (edge) => {
        assert.deepEqual([await balanceOf(edge, account), await readyz(edge)], [9, 200]);
      });
    }
  });

  test("because the storage fails rejects calls without charging them, and starts once the storage works again", async (t) => {
    const inRelease = releases(temporaryFolder(t), []);
    const { account, key } = await inRelease([], openBefore);
    await inRelease([], async (edge) => {
      const setFault = (body: string) =>
        fetch(`${edge.base}/test/storage-fault`, { method: "POST", body });
      assert.equal(await readyz(edge), 200);
      await setFault("disk I/O error");
      await eventually("/readyz reports a repeated fault", async () => {
        await assertUncharged(edge, key);
        return (await readyz(edge)) === 503;
      });
      await setFault("");
      await eventually("calls succeed", async () => (await call(edge, key)).status === 200);
      assert.equal(await balanceOf(edge, account), 8);
      await assertNothingPending(edge);
    });
  });
});
