import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkIntegrity, checkRowsToo } from "#stores/sqlite/backup.ts";
import { createSqliteReads } from "#stores/sqlite/database.ts";
import { openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import { createChance } from "../ledger/rules/chance.ts";
import {
  fillLedgerFile,
  LATER,
  LEDGER_TABLES,
  rowsInFile,
} from "../stores/sqlite/damage-fixture.ts";

/**
 * Flips single bits in the rows of each table of a ledger's file, and prints what notices them: SQLite's own checks, the totals, or
 * only the checksums. `node test/trials/flipped-bits.ts [bits of each table] [seed]`
 */
const [bits = 2_500, seed = 1] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-flips-"));
const [file, spoiled] = ["whole", "spoiled"].map((name) => path.join(folder, name)) as [
  string,
  string,
];
fillLedgerFile(file, 40, 40);
const bytes = readFileSync(file);
const chance = createChance(seed);

function finderOf(name: string): "sqlite" | "totals" | "checksum" | "nothing" {
  const driver = openNodeSqliteReadOnly(name);
  try {
    if (checkIntegrity(driver).length > 0) return "sqlite";
    if (createSqliteReads(driver).audit({ now: LATER }).faults.length > 0) return "totals";
    return checkRowsToo(driver).length > 0 ? "checksum" : "nothing";
  } catch {
    return "sqlite";
  } finally {
    driver.close();
  }
}

for (const table of LEDGER_TABLES) {
  const rows = rowsInFile(file, bytes, table);
  const found = { sqlite: 0, totals: 0, checksum: 0, nothing: 0 };
  for (let flip = 0; flip < bits; flip++) {
    const { at, length } = rows[chance.below(rows.length)] as (typeof rows)[number];
    const place = at + chance.below(length);
    const before = bytes[place] as number;
    bytes[place] = before ^ (1 << chance.below(8));
    writeFileSync(spoiled, bytes);
    bytes[place] = before;
    found[finderOf(spoiled)] += 1;
  }
  console.log(table.padEnd(18), JSON.stringify(found));
}
rmSync(folder, { recursive: true });
