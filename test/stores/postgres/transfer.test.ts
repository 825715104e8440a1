import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { TransferError } from "#ledger/transfer/records.ts";
import { keepSecret } from "#stores/postgres/settings.ts";
import { exportPostgres, importPostgres } from "#stores/postgres/transfer.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { importSqlite } from "#stores/sqlite/transfer.ts";
import { assertTotals } from "../../contract/ledger/fixture.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";
import { type Goal, holdImports } from "../import-contract.ts";
import {
  assertSame,
  bytesOf,
  fill,
  fillLedger,
  goOn,
  HASH,
  linesOf,
  NOW,
  openEmpty,
  SECRET,
} from "../transfer-fixture.ts";
import { newDatabase } from "./fixture.ts";
import { openFresh, openStore } from "./transfer-fixture.ts";

/** A rejected import leaves no rows, so the next test can use the same database. */
let reused: ReturnType<typeof openStore> | undefined;
after(() => reused?.close());

async function openGoal(): Promise<Goal> {
  if (reused === undefined || !(await reused.isEmpty())) {
    await reused?.close();
    reused = openStore(await newDatabase());
  }
  return reused;
}

holdImports("PostgreSQL", openGoal);

describe("an export of PostgreSQL", () => {
  test("writes the same lines as SQLite for the same ledger", async (t) => {
    const [from, to] = [openEmpty(t), await openFresh(t)];
    await fill(from);
    await keepSecret(to.pool, () => SECRET);
    await fillLedger(to);
    assert.deepEqual(await to.lines(true), linesOf(from, true));
    assert.deepEqual(await to.lines(), linesOf(from));
  });

  test("of a ledger imported from SQLite is the same export, and the ledgers are equal", async (t) => {
    const [from, to] = [openEmpty(t), await openFresh(t)];
    await fill(from);
    const lines = linesOf(from, true);
    await to.take(lines);
    assert.deepEqual(await to.lines(true), lines);
    await assertSame(to, openSqliteDirect(from));
    await assertTotals(to.ledger, NOW);
  });

  test("an imported ledger behaves like the original: spending, replaying, reversing, rolling up", async (t) => {
    const [from, to] = [openEmpty(t), await openFresh(t)];
    await fill(from);
    await to.take(linesOf(from));
    const went = await goOn(to);
    assert.deepEqual(went, await goOn(openSqliteDirect(from)));
    assert.deepEqual(
      went.slice(0, 5).map((outcome) => (outcome as { outcome: string }).outcome),
      ["replayed", "debited", "invalid_key", "account_suspended", "invalid_key"],
    );
    const back = openEmpty(t);
    importSqlite(back, bytesOf(await to.lines()), NOW);
    assert.deepEqual(linesOf(back), linesOf(from));
  });

  test("with many pages contains every record once, including debits without a partition of their own", async (t) => {
    const from = openEmpty(t);
    from.exec(MANY);
    const lines = linesOf(from);
    assert.equal(new Set(lines).size, lines.length);
    const to = await openFresh(t);
    assert.equal((await to.take(lines)).debit, 5_000);
    assert.deepEqual(await to.lines(), lines);
    await assertSame(to, openSqliteDirect(from), ["acc_One000000000", "acc_Two000000000"]);
    assert.deepEqual(await to.places(), { debit_other: 5_000 });
  });

  test("shows one moment, whatever is written concurrently, and blocks no writer", async (t) => {
    const store = await openFresh(t);
    await fillLedger(store);
    const before = await store.lines();
    let opening: Promise<unknown> | undefined;
    const chunks: Uint8Array[] = [];
    await exportPostgres(store.pool, { secret: null }, (bytes) => {
      // The snapshot starts with the first record, after the header.
      if (chunks.length === 1)
        opening = store.ledger.openAccount({ account: "acc_z", freeCall: "open", now: 1 });
      chunks.push(bytes);
    });
    assert.deepEqual(await opening, { opened: true });
    assert.deepEqual(Buffer.concat(chunks).toString().trimEnd().split("\n"), before);
    assert.equal((await store.lines()).length, before.length + 1);
  });

  test("has every table and every column of the schema", async (t) => {
    const store = await openFresh(t);
    await keepSecret(store.pool, () => SECRET);
    await fillLedger(store);
    const members = new Map<string, Set<string>>();
    for (const { record, ...rest } of (await store.lines(true)).map((line) => JSON.parse(line)))
      members.set(record, new Set(Object.keys(rest)));
    const columns = await store.pool.once<{ table: string; column: string }>("read", COLUMNS);
    assert.ok(columns.length > 40);
    for (const { table, column } of columns) {
      // The request log is apart from the ledger, and no export has it.
      if (table.startsWith("request_")) continue;
      const written = members.get(RECORD_OF[table] ?? table);
      assert.ok(written, `the table ${table} is exported`);
      // The row number, which differs between stores, and columns that are computed from others.
      if (DERIVED.includes(column) || table === "setting") continue;
      const member = column.replace(/^(account|key|grant)_no$/, "$1");
      const camel = member.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
      assert.ok(written.has(camel), `${table}.${column} is exported`);
    }
  });
});

describe("an import into a PostgreSQL that is in use", () => {
  test("if two are imported concurrently, one is rejected", async (t) => {
    const url = await newDatabase();
    const stores = [openStore(url), openStore(url)];
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const from = openEmpty(t);
    await fill(from);
    const lines = linesOf(from);
    const came = await Promise.allSettled(stores.map((store) => store.take(lines)));
    assert.deepEqual(came.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const [refused] = came.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    assert.ok(refused instanceof TransferError && /not empty/.test(refused.message));
    assert.deepEqual(await stores[0]?.lines(), lines);
  });

  test("leaves nothing behind if its connection breaks, and the next one succeeds", async (t) => {
    const url = new URL(await newDatabase());
    const network = await openNetwork(Number(url.port));
    const direct = openStore(url.href);
    url.port = String(network.port);
    const far = openStore(url.href);
    t.after(() => Promise.all([far.close(), direct.close()]).then(() => network.close()));
    const from = openEmpty(t);
    from.exec(MANY);
    const lines = linesOf(from);
    function* breaking() {
      for (const [at, line] of bytesOf(lines).entries()) {
        if (at === 3_000) network.cut();
        yield line;
      }
    }
    await assert.rejects(importPostgres(far.pool, breaking(), { now: NOW, keptFrom: NOW }));
    assert.equal(await direct.isEmpty(), true);
    await far.take(lines);
    assert.deepEqual(await direct.lines(), lines);
  });

  test("rejects a character that PostgreSQL cannot store, with its line and member", async () => {
    const to = await openGoal();
    const account = {
      record: "account",
      id: "a\u0000",
      createdAt: 1,
      state: "open",
      freeCall: "open",
      lowBalance: 20,
      notifiedLevel: "gone",
    };
    const header = { record: "header", format: "toolbooth-ledger", version: 1 };
    const trailer = { record: "trailer", counts: { account: 2 } };
    const lines = [header, { ...account, id: "acc_Bob000000000" }, account, trailer];
    await assert.rejects(
      to.take(lines.map((line) => JSON.stringify(line))),
      /^Error: Line 3 is an invalid record of kind "account" \(id: .*u0000/,
    );
    assert.equal(await to.isEmpty(), true);
  });
});

/** Debits of two accounts that take several pages and batches. */
const MANY = `
  INSERT INTO account (id, created_at, free_call) VALUES ('acc_One000000000', 1, 'withheld'), ('acc_Two000000000', 1, 'withheld');
  INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
    VALUES (1, 'key_One0000000000000000001', '${HASH}', 'tb_', 'l', 1);
  INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at)
    VALUES (1, 'g', 'pack', 2507, 7, 0, 1), (2, 'g', 'pack', 2500, 0, 1, 1);
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO debit_by_account SELECT 1 + (i > 2500), i / 3, 'call_' || i, 1, 'hash', 1, 0, 1 + (i > 2500), NULL, NULL, NULL FROM n;
`;

const RECORD_OF: Record<string, string> = {
  api_key: "key",
  credit_grant: "grant",
  usage_hour: "usage",
  closed_address: "closedAddress",
  starter_claim: "starterClaim",
  setting: "secret",
};

/** Columns that an import recomputes, or that no import needs. */
const DERIVED = [
  ...["no", "spent", "event_due_at", "lifetime_grants", "front_grant", "rest", "summed_until"],
  // Of starter claims; budgets count it for two days.
  "network",
];

/**
 * Of our tables but those of the dashboard, whose users sign up again, of what is counted for minutes, of events and jobs, which the node that
 * is left carries on, of operators' actions, which stay where they were done, of the sums of kept debits, and of the days of debits.
 */
const COLUMNS = `SELECT table_name AS table, column_name AS column FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name <> 'schema_migration'
    AND table_name !~ '^(users?|email|throttle|event|job|notification|operator_action|account_import|import_page|purchase|webhook|debit_|usage_kept)'`;
