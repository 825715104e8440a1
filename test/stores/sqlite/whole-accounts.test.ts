import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { openDamaged } from "#stores/sqlite/node-damaged-file.ts";
import { salvage } from "#stores/sqlite/node-salvage.ts";
import { recordsOfAccount } from "#stores/sqlite/transfer.ts";
import { accountId, keyId, keySha256, START, sha256 } from "../../contract/ledger/fixture.ts";
import { type Chance, createChance } from "../../ledger/rules/chance.ts";
import { SAMPLE_SEED } from "../../support/sample.ts";
import { fillLedgerFile, LATER, PAGE_BYTES, pagesOf, rowsInFile } from "./damage-fixture.ts";

/** Files to damage: `npm run test:deep` sets 3000. */
const FILES = Number(process.env["TEST_DAMAGED_FILES"] ?? 4);
const ACCOUNTS = 30;
/** Accounts that have a grant and no calls, or only a free call. */
const QUIET = 24;

/** Changes a file in place, or returns another one. `earlier`: the file as it was some commits before. */
type Damage = (bytes: Buffer, chance: Chance, earlier: Buffer) => Buffer | undefined;

const pageAt = (bytes: Buffer, chance: Chance) => chance.below(bytes.length / PAGE_BYTES);

/** The ways in which files break. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  "random bytes in a range": (bytes, chance) => {
    const length = 1 + chance.below(chance.below(2) === 0 ? 40 : 9_000);
    const from = chance.below(bytes.length - length);
    for (let at = from; at < from + length; at++) bytes[at] = chance.below(256);
    return undefined;
  },
  "zeros in a range": (bytes, chance) => {
    const from = chance.below(bytes.length);
    bytes.fill(0, from, from + 1 + chance.below(3 * PAGE_BYTES));
    return undefined;
  },
  "flipped bits": (bytes, chance) => {
    for (let count = 1 + chance.below(30); count > 0; count--) {
      const at = chance.below(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << chance.below(8));
    }
    return undefined;
  },
  "a changed page header": (bytes, chance) => {
    const at = pageAt(bytes, chance) * PAGE_BYTES + chance.below(40);
    bytes[at] = chance.below(256);
    return undefined;
  },
  "one page in place of another": (bytes, chance) => {
    const [from, to] = [pageAt(bytes, chance), pageAt(bytes, chance)];
    bytes.copy(bytes, to * PAGE_BYTES, from * PAGE_BYTES, (from + 1) * PAGE_BYTES);
    return undefined;
  },
  "a write that was lost": (bytes, chance, earlier) => {
    const page = pageAt(earlier, chance) * PAGE_BYTES;
    earlier.copy(bytes, page, page, page + PAGE_BYTES);
    return undefined;
  },
  "many damaged pages": (bytes, chance) => {
    for (let count = 1 + chance.below(12); count > 0; count--) {
      const page = pageAt(bytes, chance) * PAGE_BYTES;
      bytes.fill(chance.below(256), page + chance.below(PAGE_BYTES), page + PAGE_BYTES);
    }
    return undefined;
  },
  "a cut end": (bytes, chance) => bytes.subarray(0, chance.below(bytes.length)),
};

describe("recover", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-whole-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "clean.sqlite");
  const clean = new Map<string, string[]>();
  let bytes: Buffer;
  let earlier: Buffer;
  before(() => {
    fillLedgerFile(file, ACCOUNTS, 40);
    earlier = readFileSync(file);
    const driver = openNodeSqlite(file);
    addQuietAccounts(driver);
    for (const { id } of driver.prepare("SELECT id FROM account").all())
      clean.set(String(id), rowsOf(driver, String(id)));
    driver.close();
    bytes = readFileSync(file);
  });

  /** Returns the accounts that are called whole, with what is wrong about them, or null if the file cannot be opened. */
  async function recovered(damaged: Buffer): Promise<{ whole: number; wrong: string[] } | null> {
    const work = mkdtempSync(path.join(folder, "work-"));
    const spoiled = path.join(work, "spoiled.sqlite");
    writeFileSync(spoiled, damaged);
    const opened = await openDamaged(spoiled, work);
    if (opened === null) return null;
    const driver = openNodeSqlite(":memory:");
    try {
      salvage(opened, driver, LATER);
      const ids = driver.prepare("SELECT id FROM account").all();
      const wrong = ids.map(({ id }) => String(id)).filter((id) => !isAsBefore(driver, id));
      return { whole: ids.length, wrong };
    } finally {
      driver.close();
      opened.pages.close();
      rmSync(work, { recursive: true });
    }
  }

  /** Records of replays may be missing: they are left out singly. */
  function isAsBefore(driver: NodeSqlite, id: string): boolean {
    const found = rowsOf(driver, id);
    const expected = new Set(clean.get(id));
    const missing = expected.size - found.length;
    const replays = [...expected].filter((line) => line.includes('"record":"idempotency"'));
    const kept = found.filter((line) => line.includes('"record":"idempotency"'));
    return found.every((line) => expected.has(line)) && missing === replays.length - kept.length;
  }

  test("finds all accounts of a file that is not damaged", async () => {
    assert.deepEqual(await recovered(bytes), { whole: ACCOUNTS + QUIET, wrong: [] });
  });

  test(`calls whole only what is whole (${FILES} files, TEST_SEED=${SAMPLE_SEED})`, async () => {
    const kinds = Object.entries(DAMAGES);
    let whole = 0;
    for (let number = 0; number < FILES; number++) {
      const [name, damage] = kinds[number % kinds.length] as (typeof kinds)[number];
      const chance = createChance(SAMPLE_SEED + number);
      const copy = Buffer.from(bytes);
      const result = await recovered(damage(copy, chance, earlier) ?? copy);
      whole += result?.whole ?? 0;
      assert.deepEqual(result?.wrong ?? [], [], `${name}, TEST_SEED=${SAMPLE_SEED + number}`);
    }
    assert.ok(whole > (FILES * (ACCOUNTS + QUIET)) / 2, `${whole} whole`);
  });

  test("calls no account whole whose grants are on a page with 200 changed bytes, and reads the rest of it", async () => {
    for (const { at } of rowsInFile(file, bytes, "credit_grant").filter(
      (_, row) => row % 9 === 0,
    )) {
      const copy = Buffer.from(bytes);
      const end = Math.min(at + 200, Math.ceil((at + 1) / PAGE_BYTES) * PAGE_BYTES);
      for (let byte = at; byte < end; byte++) copy[byte] = (copy[byte] as number) ^ 0x5a;
      const result = await recovered(copy);
      assert.deepEqual(result?.wrong, []);
      assert.ok((result?.whole ?? 0) < ACCOUNTS + QUIET);
      assert.ok((result?.whole ?? 0) > ACCOUNTS);
    }
  });

  test("finds the rows below a lost inner page", async () => {
    for (const table of ["debit_journal", "debit_by_account", "credit_grant", "api_key"]) {
      const pages = pagesOf(file, table, "internal");
      assert.ok(pages.length > 0, table);
      const copy = Buffer.from(bytes);
      for (const page of pages) copy.fill(0, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
      const result = await recovered(copy);
      assert.deepEqual(result?.wrong, [], table);
      assert.ok((result?.whole ?? 0) > ACCOUNTS / 2, `${table}: ${result?.whole}`);
    }
  });
});

/** All rows of an account that an export contains, in a comparable form. */
function rowsOf(driver: NodeSqlite, id: string): string[] {
  const address = driver.prepare("SELECT email, created_at FROM address WHERE account = ?").all(id);
  return [...recordsOfAccount(driver, id), ...address].map((row) => JSON.stringify(row));
}

function addQuietAccounts(driver: NodeSqlite): void {
  const runBatch = createBatchRunner(driver);
  const now = LATER - 1_000;
  for (let number = 0; number < QUIET; number++) {
    const account = accountId(`q${number}b`);
    const key = { id: keyId(account, "main"), sha256: keySha256(account, "main") };
    const debit = { tool: "hash", credits: 1, freeCallCredits: 1, idempotency: null };
    const results = runBatch([
      ["openAccount", { account, freeCall: "open", now }],
      ["grant", { account, kind: "operator", id: "gift", amount: 50, expiresAt: null, now }],
      ["createKey", { ...key, account, start: "tb_", label: "main", limits: null, now }],
      ...(number % 2 === 0
        ? ([
            [
              "debit",
              {
                ...debit,
                account,
                callId: `req_${sha256(account).slice(0, 22)}`,
                now,
                keySha256: key.sha256,
              },
            ],
          ] as ["debit", object][])
        : []),
    ]);
    for (const result of results) assert.ok("value" in result, JSON.stringify(result));
  }
  // As the server does: sums of debits that are kept.
  for (let number = 0; number < ACCOUNTS; number += 2)
    runBatch([["sumUsage", { account: accountId(`a${number}b`), now: START }]]);
  driver.exec(`INSERT INTO address (email, account, created_at)
    SELECT 'owner' || no || '@example.com', id, created_at FROM account
    WHERE id NOT IN (SELECT account FROM address)`);
}
