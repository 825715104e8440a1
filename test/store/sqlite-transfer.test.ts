import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { TransferFault } from "#credits/transfer.ts";
import { openSqliteDirect } from "#store/sqlite-direct.ts";
import { type NodeSqlite, openNodeSqlite } from "#store/sqlite-node.ts";
import { keepSecret } from "#store/sqlite-settings.ts";
import { exportSqlite, importSqlite, isEmptyLedger } from "#store/sqlite-transfer.ts";
import {
  assertBooks,
  createScene,
  DAY,
  HOUR,
  idempotency,
  keyId,
  maintainFully,
  START,
} from "../contract/ledger/scene.ts";

const NOW = START + 40 * DAY;
const HASH = "c".repeat(64);

function openEmpty(t: TestContext, file = ":memory:") {
  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  return driver;
}

/** A ledger with one of everything that a ledger can hold. */
async function fill(driver: NodeSqlite): Promise<void> {
  const { ledger, directory } = openSqliteDirect(driver);
  const scene = createScene({ ledger });
  const [ada, bob, cid] = [
    await scene.account("Ada", { freeCall: "open" }),
    await scene.account("Bob", { credits: 5 }),
    await scene.account("Cid", { credits: 9 }),
  ];
  for (const [email, account] of [
    ["ada@b.c", ada],
    ["bob@b.c", bob],
    ["cid@b.c", cid],
  ] as const) {
    await directory.register({ email, account, createdAt: START });
  }
  await scene.grant(ada, "b", 20, { kind: "pack", expiresAt: START + 9 * DAY });
  await scene.grant(ada, "a", 20, { kind: "starter", expiresAt: START + 9 * DAY });
  await scene.grant(ada, "c", 50);
  await scene.createKey(ada, "other");
  // The folded part, with reversals; then the part that is kept, with reversals of its own.
  for (const day of [0, 10]) {
    for (let call = 0; call < 30; call += 1) {
      const order = scene.debitOrder(ada, {
        now: START + day * DAY + call * (HOUR / 4),
        tool: call % 2 === 0 ? "hash" : "uuid",
        key: call % 3 === 0 ? "other" : "main",
        idempotency: call % 5 === 0 ? idempotency(`${day}-${call}`) : null,
      });
      await ledger.debit(order);
      const { callId, now: at } = order;
      if (call % 7 === 3) await ledger.reverse({ account: ada, callId, at, now: at + 1 });
    }
    if (day === 0) {
      const now = START + DAY / 2;
      await maintainFully(ledger, { now, foldBefore: now, rowsMax: 7 });
    }
  }
  await ledger.revokeKey({ account: ada, id: keyId(ada, "other"), now: START + DAY });
  await ledger.suspendAccount({ account: bob, now: START });
  await ledger.closeAccount({ account: cid, now: START });
  await directory.forget({ account: cid, emailHash: HASH, now: START });
  keepSecret(driver, () => "the secret of this service");
}

function linesOf(driver: NodeSqlite, withSecret = false): string[] {
  const chunks: Uint8Array[] = [];
  exportSqlite(driver, { withSecret }, (bytes) => chunks.push(bytes));
  return Buffer.concat(chunks).toString().trimEnd().split("\n");
}

const bytesOf = (lines: readonly string[]) => lines.map((line) => new TextEncoder().encode(line));

describe("an export of SQLite", () => {
  test("imported elsewhere gives an equal ledger, and the same lines again", async (t) => {
    const [from, to] = [openEmpty(t), openEmpty(t)];
    await fill(from);
    const lines = linesOf(from, true);
    const counts = importSqlite(to, bytesOf(lines), NOW);
    assert.deepEqual(linesOf(to, true), lines);
    for (const kind of [
      "account",
      "key",
      "grant",
      "debit",
      "usage",
      "reversal",
      "idempotency",
    ] as const) {
      assert.ok((counts[kind] ?? 0) > 1, `there are records of the kind ${kind}`);
    }
    const [one, other] = [openSqliteDirect(from).ledger, openSqliteDirect(to).ledger];
    for (const now of [START, START + 10 * DAY, NOW]) {
      assert.deepEqual(await other.audit({ now }), await one.audit({ now }));
    }
    const all = { account: null, from: 0, to: NOW };
    assert.deepEqual(await other.usage(all), await one.usage(all));
    await assertBooks(other, NOW);
  });

  test("imported elsewhere goes on as the ledger would have: spending, replaying, reversing, folding", async (t) => {
    const [from, to] = [openEmpty(t), openEmpty(t)];
    await fill(from);
    importSqlite(to, bytesOf(linesOf(from)), NOW);
    const goOn = async (driver: NodeSqlite) => {
      const scene = createScene(openSqliteDirect(driver));
      const account = "acc_Ada000000000";
      const now = START + 10 * DAY + 8 * HOUR;
      const seen: unknown[] = [
        await scene.debit(account, {
          now,
          tool: "uuid",
          callId: "n1",
          idempotency: idempotency("10-25"),
        }),
        await scene.debit(account, { now, callId: "n2" }),
        await scene.debit(account, { now, callId: "n3", key: "other" }),
        await scene.debit("acc_Bob000000000", { now, callId: "n4" }),
        await scene.debit("acc_Cid000000000", { now, callId: "n5" }),
        await scene.ledger.reverse({ account, callId: "n2", at: now, now }),
        await scene.remaining(account, now),
      ];
      await maintainFully(scene.ledger, { now: NOW, foldBefore: NOW, rowsMax: 9 });
      return [...seen, await assertBooks(scene.ledger, NOW), await scene.usage()];
    };
    const went = await goOn(to);
    assert.deepEqual(went, await goOn(from));
    assert.deepEqual(
      went.slice(0, 5).map((outcome) => (outcome as { outcome: string }).outcome),
      ["replayed", "debited", "invalid_key", "account_suspended", "invalid_key"],
    );
  });

  test("has the secret only where it is asked for", async (t) => {
    const from = openEmpty(t);
    await fill(from);
    assert.equal(
      linesOf(from).some((line) => line.includes("secret")),
      false,
    );
    assert.ok(
      linesOf(from, true).includes('{"record":"secret","value":"the secret of this service"}'),
    );
  });

  test("has every table and every column of the schema", async (t) => {
    const from = openEmpty(t);
    await fill(from);
    const members = new Map<string, Set<string>>();
    for (const { record, ...rest } of linesOf(from, true).map((line) => JSON.parse(line))) {
      members.set(record, new Set(Object.keys(rest)));
    }
    const recordOf: Record<string, string> = {
      api_key: "key",
      credit_grant: "grant",
      usage_hour: "usage",
      closed_address: "closedAddress",
      setting: "secret",
    };
    /** Columns whose member has another name; `no` is a row's place, which no other store shares. */
    const memberOf: Record<string, string> = {
      account_no: "account",
      key_no: "key",
      grant_no: "grant",
    };
    const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const tables = from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) {
      const table = String(name);
      const written = members.get(recordOf[table] ?? table);
      assert.ok(written, `the table ${table} is exported`);
      for (const column of from.prepare(`PRAGMA table_info(${table})`).all()) {
        const text = String(column["name"]);
        if (text === "no" || table === "setting") continue;
        assert.ok(written.has(memberOf[text] ?? camel(text)), `${table}.${text} is exported`);
      }
    }
  });

  test("is of one moment, whatever is written beside it, and stops no writer", async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-transfer-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, "toolbooth.sqlite");
    const [reader, writer] = [openEmpty(t, file), openEmpty(t, file)];
    await fill(reader);
    const before = linesOf(reader);
    const accounts = writer.prepare(
      "INSERT INTO account (id, created_at, free_call) VALUES (?, 1, 'open')",
    );
    const chunks: Uint8Array[] = [];
    exportSqlite(reader, { withSecret: false }, (bytes) => {
      // The snapshot begins with the first record, after the header.
      if (chunks.length > 0) accounts.run(`acc_${chunks.length}`);
      chunks.push(bytes);
    });
    assert.deepEqual(Buffer.concat(chunks).toString().trimEnd().split("\n"), before);
  });

  test("of many pages has every record once", (t) => {
    const from = openEmpty(t);
    from.exec(`
      INSERT INTO account (id, created_at, free_call) VALUES ('acc_1', 1, 'withheld'), ('acc_2', 1, 'withheld');
      INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
        VALUES (1, 'key_1', '${HASH}', 'tb_', 'l', 1);
      INSERT INTO credit_grant (account_no, id, kind, amount, remaining, granted_at)
        VALUES (1, 'g', 'pack', 2500, 0, 1), (2, 'g', 'pack', 1500, 0, 1);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
      INSERT INTO debit SELECT 1 + (i > 2500), i / 3, 'call_' || i, 1, 'hash', 1, 1 + (i > 2500), NULL FROM n;
    `);
    const lines = linesOf(from);
    assert.equal(new Set(lines).size, lines.length);
    const to = openEmpty(t);
    assert.equal(importSqlite(to, bytesOf(lines), NOW).debit, 4000);
    assert.deepEqual(linesOf(to), lines);
  });
});

describe("an import into SQLite", () => {
  const spoilt: [what: string, spoil: (lines: string[]) => string[], fault: RegExp][] = [
    ["nothing at all", () => [], /not one line/],
    ["lines without their header", (lines) => lines.slice(1), /Line 1 is not the header/],
    [
      "a newer format",
      ([first = "", ...rest]) => [first.replace('"version":1', '"version":2'), ...rest],
      /Line 1 names version 2/,
    ],
    [
      "lines that were cut off",
      (lines) => lines.slice(0, -5),
      /end after line \d+ without a trailer/,
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
      /Line 5 .* says again/,
    ],
    ["lines after the trailer", (lines) => [...lines, lines[1] ?? ""], /comes after the trailer/],
    [
      "a record of an unknown kind",
      (lines) => lines.toSpliced(4, 0, '{"record":"coupon","id":"c"}'),
      /Line 5 is of an unknown kind, "coupon"/,
    ],
    [
      "a member that is not known",
      (lines) => lines.toSpliced(1, 1, (lines[1] ?? "").replace("{", '{"more":1,')),
      /Line 2 is not a good record of the kind "account"/,
    ],
    [
      "a value of the wrong type",
      (lines) => lines.map((line) => line.replace('"amount":20,', '"amount":"20",')),
      /"grant" \(amount: /,
    ],
    [
      "a grant before its account",
      (lines) => lines.toSpliced(1, 0, lines.find((line) => line.includes('"grant"')) ?? ""),
      /Line 2 \(grant\) names an account or a key that no earlier line has/,
    ],
    [
      "a digit that was changed",
      (lines) => lines.map((line) => line.replace(/("sha256":")[0-9a-f]{4}/, "$1beef")),
      /SHA-256 of the lines/,
    ],
    [
      "books that do not reconcile, though nobody signed them",
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
    test(`refuses ${what}, and keeps nothing`, async (t) => {
      const [from, to] = [openEmpty(t), openEmpty(t)];
      await fill(from);
      const empty = linesOf(to, true);
      assert.throws(
        () => importSqlite(to, bytesOf(spoil(linesOf(from, true))), NOW),
        (error) => error instanceof TransferFault && fault.test(error.message),
      );
      assert.deepEqual(linesOf(to, true), empty);
    });
  }

  test("never says the secret when it refuses a line", async (t) => {
    const lines = ['{"record":"header","format":"toolbooth-ledger","version":1}'];
    for (const line of [
      '{"record":"secret","value":["hush"]}',
      '{"record":"secret","value":"hush"',
    ]) {
      assert.throws(
        () => importSqlite(openEmpty(t), bytesOf([...lines, line]), NOW),
        (error) => error instanceof TransferFault && !/hush/.test(error.message),
      );
    }
  });

  test("takes lines into an empty ledger only", async (t) => {
    const from = openEmpty(t);
    assert.equal(isEmptyLedger(from), true);
    await fill(from);
    assert.equal(isEmptyLedger(from), false);
    assert.throws(() => importSqlite(from, bytesOf(linesOf(from)), NOW), /not empty/);
  });

  test("takes lines whose trailer has no SHA-256: somebody changed them on purpose", async (t) => {
    const [from, to] = [openEmpty(t), openEmpty(t)];
    await fill(from);
    const lines = linesOf(from).map((line) => line.replace(/,"sha256":"\w{64}"\}$/, "}"));
    const relabelled = lines.map((line) => line.replace('"email":"bob@b.c"', '"email":"rob@b.c"'));
    importSqlite(to, bytesOf(relabelled), NOW);
    const found = await openSqliteDirect(to).directory.findByEmail({ email: "rob@b.c" });
    assert.equal(found?.account, "acc_Bob000000000");
  });
});
