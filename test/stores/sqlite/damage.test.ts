import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { checkRowsToo } from "#stores/sqlite/backup.ts";
import { createSqliteReads } from "#stores/sqlite/database.ts";
import { openNodeSqlite, openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import { type DamagedFile, openDamaged } from "#stores/sqlite/node-damaged-file.ts";
import { type Salvaged, salvage } from "#stores/sqlite/node-salvage.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { SAMPLE_SEED } from "../../support/sample.ts";
import {
  fillLedgerFile,
  LATER,
  LEDGER_TABLES,
  PAGE_BYTES,
  pagesOf,
  rowsInFile,
  spoilPage,
} from "./damage-fixture.ts";

/** Bits to flip in the rows of each table: `npm run test:deep` sets 2500. */
const BITS = Number(process.env["TEST_FLIPPED_BITS"] ?? 6);
const ACCOUNTS = 40;

describe("a damaged file", () => {
  const folders: string[] = [];
  const temporaryFolder = () => {
    const made = mkdtempSync(path.join(tmpdir(), "toolbooth-damage-"));
    folders.push(made);
    return made;
  };
  after(() => {
    for (const made of folders) rmSync(made, { recursive: true, force: true });
  });
  const folder = temporaryFolder();
  const file = path.join(folder, "whole.sqlite");
  const spoiled = path.join(folder, "spoiled.sqlite");
  let bytes: Buffer;
  before(() => {
    fillLedgerFile(file, ACCOUNTS, 40);
    bytes = readFileSync(file);
  });

  /** What `audit` finds. */
  function faultsOf(name: string): string[] {
    const driver = openNodeSqliteReadOnly(name);
    try {
      const damage = checkRowsToo(driver);
      if (damage.length > 0) return damage;
      return createSqliteReads(driver).audit({ now: LATER }).faults;
    } finally {
      driver.close();
    }
  }

  test("has no faults before it is damaged", () => {
    assert.deepEqual(faultsOf(file), []);
  });

  test(`with one flipped bit in a row is noticed, in 99 of 100 cases at least (${BITS} bits of each table, TEST_SEED=${SAMPLE_SEED})`, () => {
    const chance = createChance(SAMPLE_SEED);
    for (const table of LEDGER_TABLES) {
      const rows = rowsInFile(file, bytes, table);
      assert.ok(rows.length > 0, `${table} has rows`);
      const missed: string[] = [];
      for (let flip = 0; flip < BITS; flip++) {
        const { at, length } = rows[chance.below(rows.length)] as (typeof rows)[number];
        const [place, bit] = [at + chance.below(length), chance.below(8)];
        const copy = Buffer.from(bytes);
        copy[place] = (copy[place] as number) ^ (1 << bit);
        writeFileSync(spoiled, copy);
        if (faultsOf(spoiled).length === 0) missed.push(`bit ${bit} of byte ${place}`);
      }
      // A small sample may have one of the bits that change nothing. Without checksums it misses nearly all.
      const missedMax = Math.max(1, BITS / 100);
      assert.ok(missed.length <= missedMax, `${table}: ${missed.join(", ")} of ${BITS}`);
    }
  });

  /** What `recover` reads of the file, and the audit of what it would export. */
  async function recovered(spoil: (copy: Buffer) => Buffer): Promise<Salvaged> {
    const copy = Buffer.from(bytes);
    writeFileSync(spoiled, spoil(copy));
    const work = temporaryFolder();
    const damaged = (await openDamaged(spoiled, work)) as DamagedFile;
    const driver = openNodeSqlite(path.join(work, "whole.sqlite"));
    const result = salvage(damaged, driver, LATER);
    damaged.pages.close();
    assert.deepEqual(createSqliteReads(driver).audit({ now: LATER }).faults, []);
    assert.deepEqual(checkRowsToo(driver), []);
    const count = driver.prepare("SELECT count(*) AS count FROM account").get()?.["count"];
    assert.equal(count, result.whole);
    driver.close();
    return result;
  }
  const middle = (pages: number[]) => pages[pages.length >> 1] as number;

  test("with a spoiled header or schema loses nothing", async () => {
    const schema = pagesOf(file, "sqlite_schema");
    for (const spoil of [
      (copy: Buffer) => spoilPage(copy, 1, 0, 100),
      (copy: Buffer) => spoilPage(copy, 1, 100),
      (copy: Buffer) => spoilPage(copy, middle(schema)),
    ])
      assert.deepEqual(await recovered(spoil), { whole: ACCOUNTS, damaged: [], tables: [] });
  });

  test("with a spoiled page loses only the accounts that have rows on it, and names them", async () => {
    for (const table of ["debit_by_account", "usage_hour", "reversal", "api_key"]) {
      const { whole, damaged, tables } = await recovered((copy) =>
        spoilPage(copy, middle(pagesOf(file, table))),
      );
      assert.ok(whole > ACCOUNTS / 3, `${table}: ${whole} whole`);
      assert.ok(damaged.length > 0);
      assert.equal(whole + damaged.length, ACCOUNTS);
      assert.deepEqual(
        tables.map((each) => each.table),
        [table],
      );
      for (const { account, email, balance, problems } of damaged) {
        assert.match(String(account), /^acc_/);
        assert.match(String(email), /^owner\d+@/);
        assert.ok((balance ?? 0) > 900);
        assert.ok(problems.length > 0);
      }
    }
  });

  test("with spoiled grants or accounts names their owners from an index", async () => {
    for (const table of ["credit_grant", "account"]) {
      const { whole, damaged } = await recovered((copy) =>
        spoilPage(copy, middle(pagesOf(file, table))),
      );
      assert.ok(damaged.length > 0, table);
      assert.equal(whole + damaged.length, ACCOUNTS, table);
      assert.ok(damaged.every(({ account, email }) => account !== null && email !== null));
    }
  });

  test("with spoiled indexes and records of replays keeps all accounts", async () => {
    for (const name of ["credit_grant_by_age", "idempotency", "sqlite_autoindex_api_key_1"])
      assert.equal(
        (await recovered((copy) => spoilPage(copy, middle(pagesOf(file, name))))).whole,
        ACCOUNTS,
      );
  });

  test("that is cut off, or of which many pages are spoiled, exports nothing that does not reconcile", async () => {
    const pages = bytes.length / PAGE_BYTES;
    const chance = createChance(SAMPLE_SEED);
    await recovered((copy) => copy.subarray(0, (pages >> 1) * PAGE_BYTES));
    await recovered((copy) => {
      for (let count = 0; count < pages / 5; count++) spoilPage(copy, 2 + chance.below(pages - 2));
      return copy;
    });
  });

  test("of which nothing can be read is not opened", async () => {
    writeFileSync(spoiled, Buffer.alloc(bytes.length, 7));
    assert.equal(await openDamaged(spoiled, temporaryFolder()), null);
  });
});
