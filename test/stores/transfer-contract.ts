import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { LedgerEvents } from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { accountId, assertTotals, createFixture, DAY } from "../contract/ledger/fixture.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";
import {
  accountOf,
  assertSame,
  fill,
  filledRecords,
  fillLedger,
  goOn,
  HASH,
  type Into,
  importAll,
  NOW,
  openEmpty,
  recordsOf,
} from "./transfer-fixture.ts";

/** An empty ledger in the store that is tried. */
export type Goal = Into & {
  ledger: Ledger;
  ledgerEvents: LedgerEvents;
  export(): Promise<TransferRecord[]>;
  /** Every column of every table that an export has, but those that an import computes. */
  columns(): Promise<{ table: string; column: string }[]>;
};

const filled = await filledRecords();

/** What holds for an export of any store and an import into it. `openGoal` is asked once a test; it cleans up by itself. */
export function holdTransfers(store: string, openGoal: (t: TestContext) => Promise<Goal>): void {
  describe(`an export of ${store} and an import into it`, () => {
    test("the export has the same records as that of SQLite, account by account", async (t) => {
      const to = await openGoal(t);
      await fillLedger(to);
      const records = await to.export();
      assert.deepEqual(records, filled);
      const owners = records.map(accountOf).filter((owner) => owner !== null);
      const changes = owners.filter((owner, at) => owner !== owners[at - 1]);
      assert.equal(changes.length, new Set(owners).size, "the records of an account are together");
      for (const [at, record] of records.entries())
        if (record.record === "account") assert.ok(!owners.slice(0, at).includes(record.id));
    });

    test("an imported ledger is equal and behaves like the original: spending, replaying, reversing, rolling up", async (t) => {
      const [from, to] = [openEmpty(t), await openGoal(t)];
      await fill(from);
      await importAll(to, filled);
      assert.deepEqual(await to.export(), filled);
      const kinds = ["account", "key", "grant", "purchase", "debit", "usage", "reversal"] as const;
      for (const kind of [...kinds, "idempotency" as const])
        assert.ok(filled.filter(({ record }) => record === kind).length > 1, kind);
      await assertSame(to, openSqliteDirect(from));
      await assertTotals(to.ledger, NOW);
      const went = await goOn(to);
      assert.deepEqual(went, await goOn(openSqliteDirect(from)));
      assert.deepEqual(
        went.slice(0, 5).map((outcome) => (outcome as { outcome: string }).outcome),
        ["replayed", "debited", "invalid_key", "account_suspended", "invalid_key"],
      );
      assert.deepEqual(await to.export(), await recordsOf(from));
    });

    test("an import writes the upcoming expiry events of a grant", async (t) => {
      const to = await openGoal(t);
      await importAll(to, filled);
      const { ledger, ledgerEvents } = to;
      const look = (now: number) =>
        ledger.maintain({ now, rollUpBefore: 0, rowsMax: 99, after: null });
      assert.equal((await look(NOW + 3 * DAY - 1)).notified, 0);
      assert.equal((await look(NOW + 3 * DAY)).notified, 1);
      assert.equal((await look(NOW + 10 * DAY)).notified, 1);
      const events = await ledgerEvents.list({ max: 99 });
      assert.deepEqual(
        events.map(({ account, kind }) => [account, kind]),
        ["credits.expiring", "credits.depleted"].map((kind) => [accountId("Eve"), kind]),
      );
    });

    test("an export shows what running calls hold as if it had been released", async (t) => {
      const to = await openGoal(t);
      await fillLedger(to);
      const before = await to.export();
      const account = accountId("Fay");
      const { debitOrder } = createFixture({ ledger: to.ledger });
      const { idempotency: _, ...call } = debitOrder(account, { credits: 40, now: NOW });
      const lease = { leaseMs: 1_000, onCrash: "release", idempotency: null } as const;
      for (const callId of ["running-1", "running-2"])
        assert.equal((await to.ledger.hold({ ...call, ...lease, callId })).outcome, "held");
      const withoutUse = (records: readonly TransferRecord[]) =>
        records.map((record) => (record.record === "key" ? { ...record, lastUsedAt: 0 } : record));
      assert.deepEqual(withoutUse(await to.export()), withoutUse(before));
    });

    test("a call that may have changed the world does not run again under its key after a move", async (t) => {
      const [from, to] = [openEmpty(t), await openGoal(t)];
      const { ledger } = openSqliteDirect(from);
      await fill(from);
      const account = accountId("Fay");
      const { debitOrder } = createFixture({ ledger });
      const at = NOW;
      const { idempotency: _, ...call } = debitOrder(account, {
        credits: 2,
        now: at,
        tool: "send",
      });
      const holdOf = (callId: string, onCrash: "release" | "unknown") => ({
        ...{ ...call, callId, onCrash, leaseMs: 1_000 },
        idempotency: { key: callId, bodySha256: HASH, keptBytesMax: 1_000 },
      });
      const settle = (callId: string) =>
        ledger.settle({
          ...{ ...call, callId, at, now: at + 1 },
          idempotency: { key: callId, bodySha256: HASH, response: "sealed" },
        });
      for (const callId of ["running", "settled"]) await ledger.hold(holdOf(callId, "unknown"));
      await ledger.hold(holdOf("looked-up", "release"));
      for (const callId of ["settled", "looked-up"])
        assert.equal((await settle(callId)).outcome, "settled");
      await importAll(to, await recordsOf(from));
      assert.deepEqual(await to.export(), await recordsOf(from));
      const again = async (key: string) => {
        const order = holdOf(key, "unknown");
        return (await to.ledger.hold({ ...order, callId: `${key}-again`, now: at + 2 })).outcome;
      };
      assert.deepEqual(
        [await again("running"), await again("settled"), await again("looked-up")],
        ["outcome_unknown", "outcome_unknown", "held"],
      );
    });

    test("an export of many pages has every record once, in whichever table debits are", async (t) => {
      const [from, to] = [openEmpty(t), await openGoal(t)];
      from.exec(MANY);
      const records = await recordsOf(from);
      assert.equal(new Set(records.map((record) => JSON.stringify(record))).size, records.length);
      assert.equal(records.filter(({ record }) => record === "debit").length, 12_000);
      await importAll(to, records);
      assert.deepEqual(await to.export(), records);
    });

    test("an export has every table and every column of the schema", async (t) => {
      const to = await openGoal(t);
      await fillLedger(to);
      const members = new Map<string, Set<string>>();
      for (const { record, ...rest } of await to.export())
        members.set(record, new Set(Object.keys(rest)));
      const columns = await to.columns();
      assert.ok(columns.length > 40);
      for (const { table, column } of columns) {
        // The secret is not a record of the database.
        if (table === "setting") continue;
        const written = members.get(RECORD_OF[table] ?? table);
        assert.ok(written, `the table ${table} is exported`);
        // The row number differs between stores.
        if (column === "no") continue;
        const member = column.replace(/^(account|key|grant)_(?:no|id)$/, "$1");
        const camel = member.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
        assert.ok(written.has(camel), `${table}.${column} is exported`);
      }
    });
  });
}

/** Debits of two accounts that take several pages and batches, in both tables of SQLite. */
const MANY = `
  INSERT INTO account (id, created_at, free_call) VALUES ('acc_One000000000', 1, 'withheld'), ('acc_Two000000000', 1, 'withheld');
  INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
    VALUES (1, 'key_One0000000000000000001', '${HASH}', 'tb_', 'l', 1);
  INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at)
    VALUES (1, 'g', 'pack', 8000, 0, 1, 1), (2, 'g', 'pack', 4000, 0, 1, 1);
  ${[0, 1]
    .map(
      (rest) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
        INSERT INTO ${["debit_by_account", "debit_journal"][rest]}
          (account_no, at, call_id, key_no, tool, credits, is_free, grant_no)
        SELECT 1 + (i > 8000), i / 3, 'call_' || i, 1, 'hash', 1, 0, 1 + (i > 8000) FROM n WHERE i % 2 = ${rest}`,
    )
    .join(";")}`;

const RECORD_OF: Record<string, string> = {
  ...{ api_key: "key", credit_grant: "grant", usage_hour: "usage" },
  ...{ closed_address: "closedAddress", starter_claim: "starterClaim" },
  ...{ debit_by_account: "debit", debit_journal: "debit" },
};
