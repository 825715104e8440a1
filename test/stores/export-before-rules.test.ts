import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { settleCredits } from "#billing/settle-credits.ts";
import type { Ledger } from "#ledger/port.ts";
import { readTransfer } from "#ledger/transfer/lines.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { createPostgresReads } from "#stores/postgres/database.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { exportPostgres, importPostgres } from "#stores/postgres/transfer.ts";
import { postgresDashboard } from "#stores/schema/postgres-dashboard.ts";
import { postgresLedger } from "#stores/schema/postgres-ledger.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { importSqlite } from "#stores/sqlite/transfer.ts";
import { accountId, DAY, keySha256 } from "../contract/ledger/fixture.ts";
import { startPostgres } from "../support/postgres.ts";
import { openObjects } from "./durable-object/fixture.ts";
import { bytesOf, linesOf, openEmpty } from "./transfer-fixture.ts";

/**
 * A file that the version wrote whose rules still stood in its stores: it has one of everything, a pack and a plan that were
 * disputed and won (`:restored`) among it. The figures below are what that version told of it.
 */
const FILE = path.join(import.meta.dirname, "../fixtures/export-before-rules.jsonl");
const LINES = readFileSync(FILE, "utf8").trimEnd().split("\n");
const NOW = 1_771_934_765_048;
const objects = openObjects();

type Told = {
  state: string;
  freeCall: string;
  lifetime: boolean;
  balance: number;
  /** The balance 400 days later. */
  later: number;
  remaining: Record<string, number>;
};
const open = { state: "open", freeCall: "used", lifetime: false };
const withheld = { ...open, freeCall: "withheld" };
const [pack, plan, other] = ["e3e86a47000002", "e3e86a47000010", "e3e86a47000016"];
const TOLD: Record<string, Told> = {
  Ada: { ...open, balance: 24, later: 24, remaining: { c: 24, b: 0, a: 15 } },
  Bob: { ...withheld, state: "suspended", balance: 5, later: 5, remaining: { first: 5 } },
  Cid: { ...withheld, state: "closed", balance: 0, later: 0, remaining: { first: 0 } },
  Dan: { ...withheld, lifetime: true, balance: 25, later: 25, remaining: { pack: 20, plan: 5 } },
  Eve: { ...withheld, balance: 19, later: 0, remaining: { pack: 19, plan: 0 } },
  Gil: {
    ...{ ...open, balance: 62, later: 0 },
    remaining: { [`stripe:pi_${pack}:restored`]: 62, [`stripe:pi_${pack}`]: 0 },
  },
  Hal: {
    ...{ ...open, lifetime: true, balance: 592, later: 592 },
    remaining: {
      [`stripe:pi_${other}`]: 97,
      [`stripe:pi_${plan}:restored`]: 495,
      [`stripe:pi_${plan}`]: 0,
    },
  },
  Ida: { ...open, balance: 0, later: 0, remaining: { "stripe:pi_e3e86a47000023": 0 } },
  Jon: { ...open, balance: 0, later: 0, remaining: {} },
  Kim: { ...open, freeCall: "open", balance: 0, later: 0, remaining: {} },
};
const TOTALS = {
  ...{ granted: 1561, debited: 104, reversed: 15 },
  ...{ remaining: 727, expired: 15, voided: 730 },
};

type Reads = Pick<Ledger, "findAccount" | "credits" | "audit" | "entries">;

async function assertTold(ledger: Reads, names = Object.keys(TOLD)): Promise<void> {
  for (const name of names) {
    const account = accountId(name);
    const found = await ledger.findAccount({ account, now: NOW });
    assert.ok(found, name);
    const { state, freeCall, lifetime, balance } = found;
    const { grants } = await ledger.credits({ account, now: NOW });
    const later = (await ledger.credits({ account, now: NOW + 400 * DAY })).balance;
    const remaining = Object.fromEntries(grants.map(({ id, remaining: left }) => [id, left]));
    const told = { state, freeCall, lifetime, balance, later, remaining };
    assert.deepEqual(told, TOLD[name], name);
    const { entries } = await ledger.entries({ account, after: null, max: 1000, now: NOW });
    assert.equal(
      entries.reduce((sum, { credits }) => sum + credits, 0),
      balance,
      name,
    );
    assert.deepEqual(
      entries.filter(({ parts }) => parts !== null),
      [],
    );
  }
}

async function assertTotalsReported(ledger: Reads): Promise<void> {
  const { ok, accounts, totals } = await ledger.audit({ now: NOW });
  assert.deepEqual({ ok, accounts, totals }, { ok: true, accounts: 10, totals: TOTALS });
}

/** What calls come to, the first ones after the import. */
async function callAgain({ debit, credits }: Pick<Ledger, "debit" | "credits">, name: string) {
  const account = accountId(name);
  const order = {
    ...{ account, keySha256: keySha256(account, "main"), callId: "after", tool: "hash" },
    ...{ credits: 2, freeCallCredits: 1, now: NOW, idempotency: null },
  };
  const came = await debit(order);
  if (!("balance" in came)) return came.outcome;
  assert.equal((await credits({ account, now: NOW })).balance, came.balance);
  return `${came.outcome} ${came.balance}`;
}
const AFTER: Record<string, string> = {
  Ada: "debited 22",
  Bob: "account_suspended 5",
  Cid: "invalid_key",
  Dan: "debited 23",
  Gil: "debited 60",
  Hal: "debited 590",
  Kim: "insufficient_credits 0",
};

const RETIRED = /"withdrawn"|"restoredGrant"/;
const isNew = (lines: readonly string[]) => {
  for (const line of lines) assert.doesNotMatch(line, RETIRED);
};

describe("a file of the version before the rules module", () => {
  test("contains the member names of its version", () => {
    assert.ok(LINES.some((line) => RETIRED.test(line)));
    assert.ok(LINES.some((line) => line.includes(":restored")));
  });

  test("can be imported into SQLite, which behaves as that version did", async (t) => {
    const driver = openEmpty(t);
    importSqlite(driver, bytesOf(LINES), NOW);
    const { ledger } = openSqliteDirect(driver);
    await assertTold(ledger);
    await assertTotalsReported(ledger);
    const lines = linesOf(driver, true);
    isNew(lines);
    const again = openEmpty(t);
    importSqlite(again, bytesOf(lines), NOW);
    assert.deepEqual(linesOf(again, true), lines);
    for (const [name, after] of Object.entries(AFTER))
      assert.equal(await callAgain(ledger, name), after, name);
    assert.equal((await ledger.audit({ now: NOW })).ok, true);
  });

  test("has purchases that the next check of their payments does not change", async (t) => {
    const driver = openEmpty(t);
    importSqlite(driver, bytesOf(LINES), NOW);
    const { ledger } = openSqliteDirect(driver);
    const purchases = createPurchaseStore(createSqliteDatabase(driver));
    const deps = { ledger, provider: { name: "stripe" } };
    for (const [no, usage] of [
      [1, { grant: `stripe:pi_${pack}:restored`, voided: 20, spent: 0, trouble: null }],
      [2, { grant: `stripe:pi_${plan}:restored`, voided: 0, spent: 0, trouble: null }],
      [3, { grant: `stripe:pi_${other}`, voided: 0, spent: 0, trouble: null }],
      [4, { grant: "stripe:pi_e3e86a47000023", voided: 89, spent: 11, trouble: null }],
    ] as const) {
      const purchase = await purchases.find({ id: `pur_fixture${no}` });
      assert.ok(purchase);
      const settled = await settleCredits(deps, purchase, NOW);
      assert.deepEqual(settled, { outcome: "settled", credits: usage, isNew: false });
    }
    await assertTold(ledger);
  });

  test("can be imported into PostgreSQL, which exports the same lines", async (t) => {
    const server = await startPostgres({ fsync: "off", full_page_writes: "off" });
    t.after(() => server.dispose());
    const pool = openPostgresPool(await server.createDatabase(), { max: 2 });
    t.after(() => pool.close());
    await pool.transaction("upkeep", (query) => query(postgresLedger + postgresDashboard));
    await importPostgres(pool, bytesOf(LINES), { now: NOW, keptFrom: NOW - DAY });
    const reads = createPostgresReads(pool);
    await assertTold(reads);
    await assertTotalsReported(reads);
    const chunks: Uint8Array[] = [];
    const secret = await findSecret(pool);
    await exportPostgres(pool, { secret }, (bytes) => chunks.push(bytes));
    const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
    const driver = openEmpty(t);
    importSqlite(driver, bytesOf(LINES), NOW);
    assert.deepEqual(lines, linesOf(driver, true));
  });

  test("can be imported into Durable Objects, account by account", async () => {
    for (const name of Object.keys(TOLD)) {
      const account = accountId(name);
      const { ledger, moves } = objects.object(name);
      await moves.beginImport({ account });
      await moves.importRecords({ account, records: recordsOf(account) });
      assert.deepEqual(await moves.finishImport({ account, now: NOW }), { ok: true, faults: [] });
      await assertTold(ofAccount(ledger, account), [name]);
      if (name in AFTER) assert.equal(await callAgain(ledger, name), AFTER[name], name);
      assert.equal((await ledger.audit({ account, now: NOW })).ok, true, name);
    }
  });
});

const OF_OBJECT = ["account", "key", "grant", "debit", "usage", "reversal", "idempotency"];

function recordsOf(account: string): TransferRecord[] {
  return [...readTransfer(bytesOf(LINES))]
    .map(({ record }) => record)
    .filter((record) => OF_OBJECT.includes(record.record))
    .filter((record) => Object.values(record).includes(account));
}

const ofAccount = (ledger: Ledger, account: string): Reads => ({
  ...ledger,
  audit: ({ now }) => ledger.audit({ account, now }),
});
