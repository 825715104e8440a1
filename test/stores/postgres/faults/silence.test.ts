import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { BrokenOff } from "#stores/postgres/faults.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool, type PostgresMode } from "#stores/postgres/pool.ts";
import { createFixture } from "../../../contract/ledger/fixture.ts";
import { borrowDatabase } from "../fixture.ts";
import { PATIENT } from "./fixture.ts";

/** If a node falls silent in the middle of a transaction, its locks are released after a while. */
async function openFixture(t: TestContext) {
  const url = await borrowDatabase(t);
  const pool = openPostgresPool(url, { max: 4 });
  const { ledger, close } = createPostgresLedger(pool);
  t.after(async () => {
    await close();
    await pool.close();
  });
  const fixture = createFixture({ ledger });
  const account = await fixture.account("Ada", { credits: 5 });
  /** A debit succeeds once the account is no longer locked. */
  async function debitAtLast(): Promise<void> {
    for (;;) {
      const outcome = await fixture.debit(account).catch((error: Error) => error);
      if (!(outcome instanceof Error)) return assert.equal(outcome.outcome, "debited");
    }
  }
  const silent = () =>
    pool.once<{ pid: number }>(
      "read",
      "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()",
    );
  return { ...fixture, url, pool, account, debitAtLast, silent };
}

describe("a node that falls silent", { concurrency: 4 }, () => {
  test(
    "a node is frozen in the middle of a transaction: a debit of the same account on another node goes through within seconds",
    PATIENT,
    async (t) => {
      const fixture = await openFixture(t);
      const program = path.join(import.meta.dirname, "holder.ts");
      const holder = spawn(process.execPath, [program, fixture.url, fixture.account], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      t.after(() => holder.kill("SIGKILL"));
      await once(holder.stdout, "data");
      holder.kill("SIGSTOP");
      await fixture.debitAtLast();
      // Its locks are released a moment before the connection ends.
      while ((await fixture.silent()).length > 0) await wait(10);
      const gone = once(holder, "exit");
      holder.kill("SIGCONT");
      holder.stdin.end("go on\n");
      // The node knows that its transaction was rolled back, and its next one succeeds.
      assert.deepEqual(await gone, [0, null]);
    },
  );

  for (const mode of ["write", "batch", "read", "snapshot", "upkeep"] satisfies PostgresMode[]) {
    test(
      `a transaction (${mode}) that falls silent is ended by the server and counts as not carried out`,
      PATIENT,
      async (t) => {
        const { pool } = await openFixture(t);
        const isThere = async (pid: number | undefined) => {
          const sql = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
          return (await pool.once("read", sql, [pid ?? 0])).length > 0;
        };
        const fallSilent = pool.transaction(mode, async (query) => {
          const [own] = await query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
          while (await isThere(own?.pid)) await wait(100);
          return query("SELECT 1");
        });
        await assert.rejects(fallSilent, BrokenOff);
      },
    );
  }

  test("a report may be silent for longer", PATIENT, async (t) => {
    const { pool } = await openFixture(t);
    const rows = await pool.transaction("report", async (query) => {
      await query("SELECT 1");
      await wait(3_000);
      return query<{ two: number }>("SELECT 2 AS two");
    });
    assert.deepEqual(rows, [{ two: 2 }]);
  });
});
