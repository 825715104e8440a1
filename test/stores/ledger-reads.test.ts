import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Entry } from "#ledger/entries.ts";
import { type LedgerOperations, OrderRejected, type UsageRow } from "#ledger/port.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { createPostgresReads } from "#stores/postgres/database.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { postgresLedger } from "#stores/schema/postgres-ledger.ts";
import type { ReadName } from "#stores/sql/ledger-reads.ts";
import { createSqliteReads } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { startPostgres } from "../support/postgres.ts";
import { rowsOfLedger, START } from "./ledger-reads-fixture.ts";

type Reads = {
  [Name in ReadName]: (
    order: LedgerOperations[Name][0],
  ) => LedgerOperations[Name][1] | Promise<LedgerOperations[Name][1]>;
};

type Rule = (title: string, body: (reads: Reads) => Promise<void>) => void;
type End = () => void | Promise<void>;

const NOW = START + 2 * DAY_MS;
const hours = (at: number) => (at - START) / HOUR_MS;

/** Every operation that only reads, over rows that no rule has written. */
function describeReads(store: string, open: (onEnd: (end: End) => void) => Promise<Reads>) {
  describe(`reads, ${store}`, () => {
    const ends: End[] = [];
    let ready: Reads;
    before(async () => {
      ready = await open((end) => ends.push(end));
    });
    after(async () => {
      for (const end of ends) await end();
    });
    const reads: Rule = (title, body) => test(title, () => body(ready));

    reads("an account, with what it can spend at that time", async ({ findAccount }) => {
      const ada = { account: "ada", state: "open", createdAt: START, freeCall: "used" };
      // As the account's row says, although its grants hold 51.
      const found = { ...ada, balance: 50, lifetime: true, lowBalance: 20 };
      assert.deepEqual(await findAccount({ account: "ada", now: NOW }), found);
      for (const [at, balance] of [
        [START + DAY_MS - 1, 53],
        [START + 3 * DAY_MS, 46],
      ] as const)
        assert.equal((await findAccount({ account: "ada", now: at }))?.balance, balance);
      assert.equal((await findAccount({ account: "bob", now: NOW }))?.lifetime, false);
      assert.equal(await findAccount({ account: "cid", now: NOW }), null);
    });

    reads("its keys, oldest first", async ({ listKeys }) => {
      const keys = await listKeys({ account: "ada" });
      assert.deepEqual(
        keys.map(({ id, account, label }) => [id, account, label]),
        [
          ["key_1", "ada", "first"],
          ["key_2", "ada", "second"],
        ],
      );
    });

    reads(
      "its grants in the order in which they are spent, with spent and expired ones last",
      async ({ credits }) => {
        const { balance, lifetime, grants } = await credits({ account: "ada", now: NOW });
        assert.deepEqual({ balance, lifetime }, { balance: 50, lifetime: true });
        assert.deepEqual(
          grants.map(({ id }) => id),
          ["soon", "never", "spent", "gone"],
        );
        const { nextExpiry, permanent } = await credits({ account: "ada", now: NOW });
        assert.deepEqual(nextExpiry, { credits: 5, at: START + 3 * DAY_MS });
        assert.equal(permanent, 46);
        const none = {
          ...{ balance: 0, lifetime: false, nextExpiry: null, permanent: 0 },
          ...{ hasGrants: false, grants: [], next: null },
        };
        assert.deepEqual(await credits({ account: "cid", now: NOW }), none);
      },
    );

    reads("usage by hour, whole and in pages", async ({ usage }) => {
      const rows = [
        // Keys are in the order in which they were made.
        { account: "ada", key: "key_2", tool: "uuid", hour: START, calls: 3, credits: 0 },
        { account: "ada", key: "key_1", tool: "hash", hour: START, calls: 5, credits: 4 },
        { account: "ada", key: "key_1", tool: "uuid", hour: START, calls: 1, credits: 1 },
        {
          account: "ada",
          key: "key_1",
          tool: "hash",
          hour: START + 2 * HOUR_MS,
          calls: 2,
          credits: 9,
        },
        {
          account: "ada",
          key: "key_2",
          tool: "uuid",
          hour: START + 3 * HOUR_MS,
          calls: 1,
          credits: 7,
        },
        {
          account: "ada",
          key: "key_2",
          tool: "echo",
          hour: START + 4 * HOUR_MS,
          calls: 1,
          credits: 0,
        },
      ];
      const plain = async (order: LedgerOperations["usage"][0]) =>
        (await usage(order)).map((row) => ({ ...row }));
      assert.deepEqual(await plain({ account: "ada", from: START, to: NOW }), rows);
      assert.deepEqual(await plain({ account: "ada", from: START - 1, to: NOW }), rows);
      assert.deepEqual(await plain({ account: "ada", from: START + 1, to: NOW }), rows.slice(3));
      assert.deepEqual(await plain({ account: "bob", from: START, to: NOW }), []);
      for (const max of [1, 2, 4]) {
        const pages: UsageRow[] = [];
        for (let after: UsageRow | null = null, length = max; length === max; ) {
          const page = await plain({ account: "ada", from: START, to: NOW, after, max });
          pages.push(...page);
          after = page.at(-1) ?? null;
          length = page.length;
        }
        assert.deepEqual(pages, rows);
      }
    });

    describeEntries(reads);

    reads("events in the order in which they occurred", async ({ listEvents }) => {
      const { events } = await listEvents({ max: 9 });
      assert.deepEqual(events, [
        { id: `evt_ada_${START}_1`, account: "ada", at: START, kind: "credits.depleted" },
        {
          ...{ id: `evt_bob_${START + 1}_2`, account: "bob", at: START + 1 },
          ...{ kind: "credits.low", balance: 3, lowBalance: 5 },
        },
      ]);
      assert.equal((await listEvents({ max: 1 })).events.length, 1);
    });

    reads("the sums of all accounts, and what does not reconcile", async ({ audit }) => {
      const { ok, accounts, totals, faults } = await audit({ now: NOW });
      assert.deepEqual({ ok, accounts }, { ok: false, accounts: 2 });
      assert.deepEqual(totals, {
        ...{ granted: 78, debited: 29, reversed: 8 },
        ...{ remaining: 58, expired: 2, voided: 1 },
      });
      // What the rows say on purpose: the free call and the plan are right, the sum and the kept balance are not.
      assert.deepEqual(faults, [
        "ada: 71 credits were granted, but 75 are accounted for",
        "ada: the account row says that the balance is 50, but its grants hold 51",
      ]);
      const later = await audit({ now: START + 3 * DAY_MS });
      assert.equal(
        later.faults.length,
        1,
        "the stored balance is valid until the front grant expires",
      );
    });
  });
}

function describeEntries(reads: Rule) {
  const lines = [
    "7 void -1 soon",
    "5 reversal 1 gone c15",
    "4 debit 0 - c5",
    "3 debit -7 soon c4",
    "2 reversal 7 soon c0",
    "2 debit -4 spent c2",
    "2 debit -1 gone c15",
    "2 debit -5 gone c1",
    "1 debit -7 soon c0",
    "0 usage -1 - uuid",
    "0 usage -4 - hash",
    "0 usage 0 - uuid",
    "0 grant 4 spent",
    "0 grant 9 soon",
    "0 grant 50 never",
    "0 grant 8 gone",
  ];
  const lineOf = ({ id, at, kind, credits, grant, tool }: Entry) => {
    const last = kind === "usage" ? [tool] : (/c\d+$/.exec(id) ?? []);
    const isCall = last.length > 0;
    return [hours(at), kind, credits, grant?.id ?? (isCall ? "-" : ""), ...last].join(" ");
  };

  reads("entries are the same in pages of any size, across all tables", async ({ entries }) => {
    for (const max of [1, 2, 3, 7, 100]) {
      const all: Entry[] = [];
      for (let after: string | null = null; ; ) {
        const page: LedgerOperations["entries"][1] = await entries({
          ...{ account: "ada", after, max },
          now: START + DAY_MS - 1,
        });
        assert.ok(page.entries.length <= max);
        all.push(...page.entries);
        after = page.next;
        if (after === null) break;
      }
      assert.deepEqual(all.map(lineOf), lines, `pages of ${max}`);
    }
  });

  reads(
    "a call that several grants paid shows what each paid and got back",
    async ({ entries }) => {
      const order = { account: "ada", after: null, max: 100, now: NOW };
      const several = (await entries(order)).entries.filter(({ parts }) => parts !== null);
      const [soon, never] = [
        { id: "soon", kind: "pack" },
        { id: "never", kind: "operator" },
      ];
      const gave = [
        { grant: soon, credits: -3 },
        { grant: never, credits: -4 },
      ];
      const gotBack = gave.map(({ grant, credits }) => ({ grant, credits: -credits }));
      assert.deepEqual(
        several.map(({ kind, grant, parts }) => ({ kind, grant, parts })),
        [
          { kind: "debit", grant: soon, parts: gave },
          { kind: "reversal", grant: soon, parts: gotBack },
          { kind: "debit", grant: soon, parts: gave },
        ],
      );
    },
  );

  reads("an expiry is listed from its time on", async ({ entries }) => {
    const first = async (now: number) =>
      (await entries({ account: "ada", after: null, max: 1, now })).entries[0]?.kind;
    assert.equal(await first(START + DAY_MS - 1), "void");
    assert.equal(await first(START + DAY_MS), "expiry");
  });

  reads(
    "an invalid cursor is rejected, and an unknown account has no entries",
    async ({ entries }) => {
      const order = { account: "ada", max: 5, now: NOW };
      const refused = async (after: string, max = 5) =>
        assert.rejects(async () => entries({ ...order, after, max }), OrderRejected);
      for (const after of ["", "debit:1", `usage:${START}:key_3:hash`, `usage:${START}:key_9:hash`])
        await refused(after);
      await refused(`usage:${START}:key_1:hash`, 0);
      const unknown = await entries({ ...order, account: "cid", after: null });
      assert.deepEqual(unknown, { entries: [], next: null });
      const elsewhere = { ...order, account: "cid", after: `usage:${START}:key_1:hash` };
      assert.deepEqual(await entries(elsewhere), { entries: [], next: null });
    },
  );
}

const inSqlite = (tables: Parameters<typeof rowsOfLedger>[0]) =>
  async function open(onEnd: (end: End) => void): Promise<Reads> {
    const driver = openNodeSqlite(":memory:");
    onEnd(() => driver.close());
    for (const statement of rowsOfLedger(tables)) driver.exec(statement);
    return createSqliteReads(driver);
  };

describeReads("SQLite, new debits in the journal", inSqlite(["debit_by_account", "debit_journal"]));
describeReads("SQLite, debits by account", inSqlite(["debit_by_account", "debit_by_account"]));
describeReads("PostgreSQL", async (onEnd) => {
  const server = await startPostgres({ fsync: "off", full_page_writes: "off" });
  const pool = openPostgresPool(await server.createDatabase(), { max: 2 });
  onEnd(async () => {
    await pool.close();
    await server.dispose();
  });
  const statements = [postgresLedger, ...rowsOfLedger(["debit", "debit"])];
  await pool.transaction("upkeep", (query) => query(statements.join(";\n")));
  return createPostgresReads(pool);
});
