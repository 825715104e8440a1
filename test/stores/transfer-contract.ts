import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Directory } from "#accounts/directory.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { Ledger } from "#ledger/port.ts";
import { type RecordCounts, TransferError } from "#ledger/transfer/records.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { accountId, assertTotals, DAY } from "../contract/ledger/fixture.ts";
import {
  assertSame,
  fill,
  fillLedger,
  goOn,
  HASH,
  linesOf,
  NOW,
  openEmpty,
  SECRET,
} from "./transfer-fixture.ts";

/** An empty ledger in the store that is tried. */
export type Goal = {
  ledger: Ledger;
  directory: Directory;
  purchases: PurchaseStore;
  keepSecret(secret: string): unknown;
  isEmpty(): Promise<boolean>;
  take(lines: readonly string[]): Promise<RecordCounts>;
  lines(withSecret?: boolean): Promise<string[]>;
  /** Every column of every table that an export has, but those that an import computes. */
  columns(): Promise<{ table: string; column: string }[]>;
};

/** What holds for an import into any store. `openGoal` is asked once a test; it cleans up by itself. */
export function holdImports(store: string, openGoal: (t: TestContext) => Promise<Goal>): void {
  describe(`an import into ${store}`, () => {
    const spoilt: [what: string, spoil: (lines: string[]) => string[], fault: RegExp][] = [
      ["nothing at all", () => [], /The input is empty/],
      ["lines without their header", (lines) => lines.slice(1), /Line 1 is not the header/],
      [
        "a newer format",
        ([first = "", ...rest]) => [first.replace('"version":1', '"version":2'), ...rest],
        /The export has format version 2/,
      ],
      [
        "a truncated export",
        (lines) => lines.slice(0, -5),
        /ends after line \d+ without a trailer/,
      ],
      [
        "a line that was cut off",
        (lines) => [...lines.slice(0, 9), (lines[9] ?? "").slice(0, -4)],
        /Line 10 is not JSON/,
      ],
      ["a line that is missing", (lines) => lines.toSpliced(-3, 1), /Line \d+: the trailer counts/],
      [
        "a line that came twice",
        (lines) => lines.toSpliced(3, 0, lines[3] ?? ""),
        /Line 5 .* repeats a record of an earlier line: \S/,
      ],
      ["lines after the trailer", (lines) => [...lines, lines[1] ?? ""], /comes after the trailer/],
      [
        "a record of unknown kind",
        (lines) => lines.toSpliced(4, 0, '{"record":"coupon","id":"c"}'),
        /Line 5 is a record of unknown kind "coupon"/,
      ],
      [
        "a member that is not known",
        (lines) => lines.toSpliced(1, 1, (lines[1] ?? "").replace("{", '{"more":1,')),
        /Line 2 is an invalid record of kind "account"/,
      ],
      [
        "a value of the wrong type",
        (lines) => lines.map((line) => line.replace('"amount":20,', '"amount":"20",')),
        /"grant" \(amount: /,
      ],
      [
        "a grant before its account",
        (lines) => lines.toSpliced(1, 0, lines.find((line) => line.includes('"grant"')) ?? ""),
        /Line 2 \(grant\) refers to an account or a key that is not in an earlier line/,
      ],
      [
        "a purchase of an unknown account",
        (lines) =>
          lines.map((line) => line.replace(/("pur_b","account":")\w+/, "$1acc_Nobody000000")),
        /\(purchase\) refers to an account or a key that is not in an earlier line/,
      ],
      [
        "a purchase with an unknown status",
        (lines) => lines.map((line) => line.replace('"status":"paid"', '"status":"gift"')),
        /"purchase" \(status: /,
      ],
      [
        "a call of which several grants paid more than its price",
        (lines) => lines.map((line) => line.replace(/("credits":)30(,"isFree":false)/, "$129$2")),
        /"debit" \(.*add up/,
      ],
      [
        "a digit that was changed",
        (lines) => lines.map((line) => line.replace(/("sha256":")[0-9a-f]{4}/, "$1beef")),
        /SHA-256 in the trailer does not match/,
      ],
      [
        "totals that do not reconcile, without a SHA-256",
        (lines) =>
          lines.map((line) =>
            line
              .replace('"remaining":24', '"remaining":23')
              .replace(/,"sha256":"\w+"\}$/, (end) => (line.includes("trailer") ? "}" : end)),
          ),
        /do not reconcile/,
      ],
    ];
    for (const [what, spoil, fault] of spoilt) {
      test(`rejects ${what}, and stores nothing`, async (t) => {
        const to = await openGoal(t);
        const empty = await to.lines(true);
        await assert.rejects(
          to.take(spoil([...(await filledLines())])),
          (error) => error instanceof TransferError && fault.test(error.message),
        );
        assert.deepEqual(await to.lines(true), empty);
      });
    }

    test("never reveals the secret when it rejects a line", async (t) => {
      const to = await openGoal(t);
      const lines = ['{"record":"header","format":"toolbooth-ledger","version":1}'];
      for (const line of [
        '{"record":"secret","value":["hush"]}',
        '{"record":"secret","value":"hush"',
      ]) {
        await assert.rejects(
          to.take([...lines, line]),
          (error) => error instanceof TransferError && !/hush/.test(error.message),
        );
      }
    });

    test("imports into an empty ledger only", async (t) => {
      const to = await openGoal(t);
      assert.equal(await to.isEmpty(), true);
      const lines = [...(await filledLines())];
      await to.take(lines);
      assert.equal(await to.isEmpty(), false);
      await assert.rejects(to.take(lines), /not empty/);
    });

    test("imports lines whose trailer has no SHA-256, which someone edited on purpose", async (t) => {
      const to = await openGoal(t);
      const lines = [...(await filledLines())].map((line) =>
        line.replace(/,"sha256":"\w{64}"\}$/, "}"),
      );
      await to.take(lines.map((line) => line.replace('"email":"bob@b.c"', '"email":"rob@b.c"')));
      const found = await to.directory.findByEmail({ email: "rob@b.c" });
      assert.equal(found?.account, "acc_Bob000000000");
    });

    test("writes the upcoming expiry events of a grant", async (t) => {
      const to = await openGoal(t);
      await to.take([...(await filledLines())]);
      const { ledger } = to;
      const look = (now: number) => ledger.recordExpiries({ now, max: 99 });
      assert.equal((await look(NOW + 3 * DAY - 1)).notified, 0);
      assert.equal((await look(NOW + 3 * DAY)).notified, 1);
      assert.equal((await look(NOW + 10 * DAY)).notified, 1);
      const { events } = await ledger.listEvents({ max: 99 });
      assert.deepEqual(
        events.map(({ account, kind }) => [account, kind]),
        ["credits.expiring", "credits.depleted"].map((kind) => [accountId("Eve"), kind]),
      );
    });

    test("names the line of the first conflicting record among many", async (t) => {
      const to = await openGoal(t);
      const lines = [...(await filledLines())];
      const place = lines.findIndex((line) => line.includes('"record":"debit"')) + 17;
      const debit = JSON.parse(lines[place] ?? "");
      for (const [change, fault] of [
        [
          { key: "key_Nobody0000000000000000" },
          "refers to an account or a key that is not in an earlier line",
        ],
        [
          { account: "acc_Nobody000000" },
          "refers to an account or a key that is not in an earlier line",
        ],
        [
          { grant: "nothing" },
          "contradicts itself, or refers to a grant that is not in an earlier line",
        ],
        [
          { credits: 3, parts: [part("a", 1), part("nothing", 2)] },
          "contradicts itself, or refers to a grant that is not in an earlier line",
        ],
        [{ credits: 0 }, "contradicts itself, or refers to a grant that is not in an earlier line"],
        [{}, "repeats a record of an earlier line"],
      ] as const) {
        const odd = { ...debit, credits: 1, grant: "a", ...change };
        await assert.rejects(
          to.take(lines.toSpliced(place + 1, 0, JSON.stringify(odd))),
          (error) =>
            error instanceof TransferError &&
            error.message === `Line ${place + 2} (debit) ${fault}: ${odd.callId}`,
        );
      }
      assert.equal(await to.isEmpty(), true);
    });
  });
}

const part = (id: string, credits: number) => ({ id, kind: "pack", credits });

let filled: Promise<readonly string[]> | undefined;

/** Lines of a ledger with one of everything, from SQLite. */
function filledLines(): Promise<readonly string[]> {
  filled ??= (async () => {
    const driver = openNodeSqlite(":memory:");
    await fill(driver);
    const lines = linesOf(driver, true);
    driver.close();
    return lines;
  })();
  return filled;
}

/** What holds for an export of any store. */
export function holdExports(store: string, openGoal: (t: TestContext) => Promise<Goal>): void {
  describe(`an export of ${store}`, () => {
    test("has the same lines as that of SQLite, and the secret only if requested", async (t) => {
      const to = await openGoal(t);
      await to.keepSecret(SECRET);
      await fillLedger(to);
      const lines = await filledLines();
      assert.deepEqual(await to.lines(true), lines);
      const isSecret = (line: string) => line.includes('"record":"secret"');
      assert.deepEqual(lines.filter(isSecret), [`{"record":"secret","value":"${SECRET}"}`]);
      assert.ok(!(await to.lines()).some(isSecret));
    });

    test("an imported ledger is equal, and exports the same lines", async (t) => {
      const [from, to] = [openEmpty(t), await openGoal(t)];
      await fill(from);
      const counts = await to.take(await filledLines());
      assert.deepEqual(await to.lines(true), await filledLines());
      const kinds = ["account", "key", "grant", "purchase", "debit", "usage", "reversal"] as const;
      for (const kind of [...kinds, "idempotency" as const])
        assert.ok((counts[kind] ?? 0) > 1, `there are records of the kind ${kind}`);
      await assertSame(to, openSqliteDirect(from));
      await assertTotals(to.ledger, NOW);
    });

    test("an imported ledger behaves like the original: spending, replaying, reversing, rolling up", async (t) => {
      const [from, to] = [openEmpty(t), await openGoal(t)];
      await fill(from);
      await to.take(await filledLines());
      const went = await goOn(to);
      assert.deepEqual(went, await goOn(openSqliteDirect(from)));
      assert.deepEqual(
        went.slice(0, 5).map((outcome) => (outcome as { outcome: string }).outcome),
        ["replayed", "debited", "invalid_key", "account_suspended", "invalid_key"],
      );
      assert.deepEqual(await to.lines(), linesOf(from));
    });

    test("with many pages contains every record once, in whichever table debits are", async (t) => {
      const [from, to] = [openEmpty(t), await openGoal(t)];
      from.exec(MANY);
      const lines = linesOf(from);
      assert.equal(new Set(lines).size, lines.length);
      assert.equal((await to.take(lines)).debit, 12_000);
      assert.deepEqual(await to.lines(), lines);
    });

    test("has every table and every column of the schema", async (t) => {
      const to = await openGoal(t);
      await to.keepSecret(SECRET);
      await fillLedger(to);
      const members = new Map<string, Set<string>>();
      for (const { record, ...rest } of (await to.lines(true)).map((line) => JSON.parse(line)))
        members.set(record, new Set(Object.keys(rest)));
      const columns = await to.columns();
      assert.ok(columns.length > 40);
      for (const { table, column } of columns) {
        const written = members.get(RECORD_OF[table] ?? table);
        assert.ok(written, `the table ${table} is exported`);
        // The row number differs between stores.
        if (table === "setting" || column === "no") continue;
        const member = column.replace(/^(account|key|grant)_(?:no|id)$/, "$1");
        const camel = member.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
        assert.ok(written.has(camel), `${table}.${column} is exported`);
      }
    });
  });
}

/** Debits of two accounts that take several pages and batches, in both tables of SQLite. */
export const MANY = `
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
  ...{ api_key: "key", credit_grant: "grant", usage_hour: "usage", setting: "secret" },
  ...{ closed_address: "closedAddress", starter_claim: "starterClaim" },
  ...{ debit_by_account: "debit", debit_journal: "debit" },
};
