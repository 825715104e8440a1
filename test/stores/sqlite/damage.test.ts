import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { inspectSqlite } from "#stores/sqlite/backup.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";
import { fillLedgerFile, LATER, LEDGER_TABLES, rowsInFile } from "./damage-fixture.ts";

/** Bits to flip in the rows of each table; `npm run test:chaos` flips 2500. */
const BITS = Number(process.env["TEST_FLIPPED_BITS"] ?? 6);

describe("audit of a file", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-damage-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "whole.sqlite");
  const spoiled = path.join(folder, "spoiled.sqlite");
  let bytes: Buffer;
  before(() => {
    fillLedgerFile(file, 40, 40);
    bytes = readFileSync(file);
  });

  function faultsOf(name: string): string[] {
    const { damage, audit } = inspectSqlite(name, LATER, false);
    return [...damage, ...(audit?.faults ?? [])];
  }

  test("finds nothing in an undamaged file", () => {
    assert.deepEqual(faultsOf(file), []);
  });

  test(`notices at least 99 of 100 flipped bits (${BITS} in the rows of each table, TEST_SEED=${SEED})`, () => {
    const chance = createChance(SEED);
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
      // A small sample may have two of the bits that change nothing. Without checksums it misses nearly all.
      const missedMax = Math.max(2, BITS / 100);
      assert.ok(missed.length <= missedMax, `${table}: ${missed.join(", ")} of ${BITS}`);
    }
  });
});
