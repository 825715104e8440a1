import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { LedgerOperation } from "#ledger/port.ts";
import type { BatchItem } from "#stores/ledger/store-ledger.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { CHECKED_TABLES } from "#stores/sqlite/checked-tables.ts";
import { createJournal } from "#stores/sqlite/new-debits.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { accountId, DAY, keyId, keySha256, START, sha256 } from "../../contract/ledger/fixture.ts";

/** The time of the audits: after every call of the file. */
export const LATER = START + 60 * DAY;

const TOOLS = ["hash", "uuid", "echo", "qr-code", "markdown-render"];

/** Fills a file with rows in every table of the ledger, as a server would, and closes it. */
export function fillLedgerFile(file: string, accounts: number, rounds: number): void {
  const driver = openNodeSqlite(file);
  const runBatch = createBatchRunner(driver, { createReads: createSqliteReads });
  const perform = (items: [LedgerOperation, object][]) => {
    const results = runBatch(items as BatchItem[]);
    for (const result of results) assert.ok("value" in result, JSON.stringify(result));
    return results.map((result) => ("value" in result ? result.value : null));
  };
  const ids = Array.from({ length: accounts }, (_, index) => accountId(`a${index}b`));
  for (const account of ids) openAccount(perform, account);
  driver.exec(`INSERT INTO address (email, account, created_at)
    SELECT 'owner' || no || '@example.com', id, created_at FROM account`);
  let calls = 0;
  for (let round = 0; round < rounds; round++) {
    const now = START + Math.floor((round * 50 * DAY) / rounds);
    const debits = ids.map((account): [LedgerOperation, object] => {
      calls += 1;
      return ["debit", debitOrder(account, calls, now + calls)];
    });
    perform(debits);
    const reversed = debits.filter((_, index) => (index + round) % 7 === 0);
    perform(
      reversed.map(([, order]): [LedgerOperation, object] => {
        const { account, callId, now: at } = order as ReturnType<typeof debitOrder>;
        return ["reverse", { account, callId, at, now: at + 5_000 }];
      }),
    );
    // Half of the rows are in the table by account, and a third of them is rolled up.
    if (round === Math.floor(rounds / 2))
      driver.transaction("write", () => createJournal(driver).drain(1_000_000));
  }
  perform(ids.map((account): [LedgerOperation, object] => ["hold", holdOrder(account, calls)]));
  const before = START + 16 * DAY;
  for (let after: number | null = 0; after !== null; ) {
    const order = { now: before, rollUpBefore: before, rowsMax: 500, after };
    [{ after }] = perform([["maintain", order]]) as [{ after: number | null }];
  }
  driver.close();
}

type Perform = (items: [LedgerOperation, object][]) => unknown;

function openAccount(perform: Perform, account: string): void {
  const now = START - DAY;
  const limits = {
    expiresAt: null,
    tools: null,
    budgets: { total: 10_000, month: null, day: 500 },
    networks: null,
    rate: null,
  };
  perform([["openAccount", { account, freeCall: "open", now }]]);
  const grant = { account, kind: "operator", now };
  perform([["grant", { ...grant, id: "first", amount: 100, expiresAt: LATER + DAY }]]);
  perform([["grant", { ...grant, id: "second", amount: 1_000, expiresAt: null }]]);
  for (const [name, limited] of [
    ["main", null],
    ["other", limits],
  ] as const) {
    const id = keyId(account, name);
    const key = { account, id, sha256: keySha256(account, name), start: "tb_", label: name };
    perform([["createKey", { ...key, limits: limited, now }]]);
  }
}

const debitOrder = (account: string, number: number, now: number) => ({
  account,
  callId: `req_${sha256(`call ${number}`).slice(0, 22)}`,
  tool: TOOLS[number % TOOLS.length] as string,
  now,
  keySha256: keySha256(account, number % 2 === 0 ? "main" : "other"),
  credits: 1,
  freeCallCredits: 1,
  idempotency:
    number % 3 === 0
      ? {
          key: `order-${number}`,
          bodySha256: sha256(`body ${number}`),
          responseSha256: sha256(`response ${number}`),
          receivedAt: now,
          random: number % 2 === 0 ? sha256(`random ${number}`) : null,
        }
      : null,
});

const holdOrder = (account: string, calls: number) => {
  const { idempotency: _, ...call } = debitOrder(account, calls, START + 55 * DAY);
  return { ...call, idempotency: null, leaseMs: 10_000, onCrash: "release" };
};

export const PAGE_BYTES = 4_096;

/** Returns the pages of a table or index that have rows. */
export function pagesOf(file: string, name: string, type: "leaf" | "internal" = "leaf"): number[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY pageno")
    .all(name, type);
  database.close();
  return rows.map((row) => Number(row["pageno"]));
}

/** Overwrites a page, or the part of it from `from` to `to`. */
export function spoilPage(bytes: Buffer, page: number, from = 0, to = PAGE_BYTES): Buffer {
  return bytes.fill(0xab, (page - 1) * PAGE_BYTES + from, (page - 1) * PAGE_BYTES + to);
}

/** The bytes of a table's rows in the file: place and length of each row that is on one page. */
export function rowsInFile(file: string, bytes: Buffer, table: string) {
  const rows: { at: number; length: number }[] = [];
  for (const type of ["leaf", "internal"] as const) {
    for (const page of pagesOf(file, table, type)) {
      const start = (page - 1) * PAGE_BYTES;
      const kind = bytes[start];
      // The inner pages of a table with row numbers (5) hold no rows.
      if (kind === 5) continue;
      const cells = start + (kind === 2 ? 12 : 8);
      for (let cell = 0; cell < bytes.readUInt16BE(start + 3); cell++) {
        let at = start + bytes.readUInt16BE(cells + 2 * cell) + (kind === 2 ? 4 : 0);
        let length = 0;
        [length, at] = readVarint(bytes, at);
        if (kind === 13) [, at] = readVarint(bytes, at);
        rows.push({ at, length: Math.min(length, start + PAGE_BYTES - at) });
      }
    }
  }
  return rows;
}

/** sqlite.org/fileformat2.html#varint, for numbers of at most 8 bytes. */
function readVarint(bytes: Buffer, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from; ; at++) {
    const byte = bytes[at] as number;
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, at + 1];
  }
}

export const LEDGER_TABLES = Object.keys(CHECKED_TABLES);
