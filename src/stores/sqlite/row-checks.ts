import { counted } from "#counted.ts";
import { CHECKED_TABLES, CHECKSUMS } from "./checked-tables.ts";
import type { SqlDriver, SqlValue } from "./driver.ts";
import { ROW_CHECKSUM } from "./row-checksum.ts";

/**
 * Finds rows of the ledger whose content changed on the disk: by their checksums, and by what other rows say of the columns that
 * have none. It reads in slices, by the primary keys, so that no slice keeps the write-ahead log from being emptied.
 */

const SLICE_ROWS = 10_000;

/** Conditions, per table, of rows that contradict other rows. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  // A debit that was rolled up is in neither table. `debit` is the view of both.
  reversal: `debit_kept <> EXISTS (SELECT 1 FROM debit d
    WHERE d.account_no = t.account_no AND d.at = t.debit_at AND d.call_id = t.call_id)`,
};

/** The condition of a row that is damaged, in SQL. `t`: the table. */
function damagedSql(table: string): string {
  const wrong = CHECKSUMS.filter((each) => each.table === table).map(
    ({ columns, checksum }) => `${ROW_CHECKSUM}(${columns}) IS NOT ${checksum}`,
  );
  const contradiction = CONTRADICTIONS[table];
  return [...wrong, ...(contradiction === undefined ? [] : [contradiction])].join(" OR ");
}

/** Returns a sentence for each table that has damaged rows. Throws if SQLite cannot read a page. */
export function findRowDamage(driver: SqlDriver): string[] {
  const found: string[] = [];
  for (const [table, { key }] of Object.entries(CHECKED_TABLES)) {
    const { rows, accounts } = damagedRows(driver, table, key);
    if (rows > 0) found.push(describe(table, rows, [...accounts]));
  }
  return found;
}

const NAMED_MAX = 5;

function describe(table: string, rows: number, accounts: readonly string[]): string {
  const more = accounts.length - NAMED_MAX;
  const named = accounts.slice(0, NAMED_MAX).join(", ");
  return `${counted(rows, "row")} of ${table} changed on the disk: the checksum does not match (${named}${more > 0 ? ` and ${counted(more, "more account")}` : ""})`;
}

function damagedRows(driver: SqlDriver, table: string, key: string) {
  const columns = key.split(", ");
  const parameters = columns.map(() => "?").join(", ");
  const owner = table === "account" ? "t.id" : OWNER;
  const bound = driver.prepare(
    `SELECT ${key} FROM ${table} WHERE (${key}) > (${parameters}) ORDER BY ${key} LIMIT 1 OFFSET ${SLICE_ROWS - 1}`,
  );
  const damaged = (until: string) =>
    driver.prepare(
      `SELECT ${owner} AS account, count(*) AS damaged FROM ${table} t
       WHERE (${key}) > (${parameters}) ${until} AND (${damagedSql(table)}) GROUP BY 1`,
    );
  const slice = damaged(`AND (${key}) <= (${parameters})`);
  const rest = damaged("");
  const accounts = new Set<string>();
  let rows = 0;
  // Numbers come before texts, so this is before every key.
  for (
    let after: SqlValue[] | null = columns.map(() => Number.MIN_SAFE_INTEGER);
    after !== null;
  ) {
    const row = bound.get(...after);
    const until: SqlValue[] | null =
      row === undefined ? null : columns.map((column) => row[column] ?? null);
    const found = until === null ? rest.all(...after) : slice.all(...after, ...until);
    for (const { account, damaged: count } of found) {
      accounts.add(String(account));
      rows += Number(count);
    }
    after = until;
  }
  return { rows, accounts };
}

const OWNER = "coalesce((SELECT id FROM account WHERE no = t.account_no), 'no account')";
