import { createHash } from "node:crypto";
import path from "node:path";
import Database from "better-sqlite3";

/**
 * The ledger of the usual builds: better-sqlite3 as its documentation recommends it, with one transaction per call. It has no
 * idempotency, no expiry, no limits per key, no history by account and no checksums. Like Toolbooth's ledger, it syncs every
 * commit before the response.
 */
export type Charge = "charged" | "unknown_key" | "no_credits";
export type UsualLedger = {
  charge(key: string, tool: string): Charge;
  /** SQLite's own statement: 2 is FULL. */
  durability(): { journalMode: unknown; synchronous: unknown };
  close(): void;
};

const CREDITS = 1_000_000_000;

export const usualLedgerFile = (dataDir: string) => path.join(dataDir, "usual.sqlite");

export function openUsualLedger(dataDir: string): UsualLedger {
  const database = open(dataDir);
  const findKey = database.prepare<[string], { account: number }>(
    "SELECT account FROM api_key WHERE sha256 = ?",
  );
  const debit = database.prepare(
    "UPDATE account SET balance = balance - 1 WHERE id = ? AND balance >= 1",
  );
  const record = database.prepare("INSERT INTO debit (account, tool, at) VALUES (?, ?, ?)");
  const charge = database.transaction((sha256: string, tool: string): Charge => {
    const found = findKey.get(sha256);
    if (found === undefined) return "unknown_key";
    if (debit.run(found.account).changes === 0) return "no_credits";
    record.run(found.account, tool, Date.now());
    return "charged";
  });
  return {
    charge: (key, tool) => charge.immediate(sha256Of(key), tool),
    durability: () => ({
      journalMode: database.pragma("journal_mode", { simple: true }),
      synchronous: database.pragma("synchronous", { simple: true }),
    }),
    close: () => database.close(),
  };
}

/** Creates accounts with a key each, and returns the keys. */
export function createUsualAccounts(dataDir: string, count: number, credits = CREDITS): string[] {
  const database = open(dataDir);
  const openAccount = database.prepare("INSERT INTO account (balance) VALUES (?)");
  const createKey = database.prepare("INSERT INTO api_key (sha256, account) VALUES (?, ?)");
  const keys = Array.from({ length: count }, (_, i) => `usual_${i}`.padEnd(57, "x"));
  database.transaction(() => {
    for (const key of keys) {
      createKey.run(sha256Of(key), openAccount.run(credits).lastInsertRowid);
    }
  })();
  database.close();
  return keys;
}

/** Returns the number of recorded calls. Throws if the balances do not agree with it. */
export function countUsualDebits(dataDir: string): number {
  const database = open(dataDir);
  const { calls, spent } = database
    .prepare<[number], { calls: number; spent: number }>(
      `SELECT (SELECT count(*) FROM debit) AS calls,
        (SELECT sum(? - balance) FROM account) AS spent`,
    )
    .get(CREDITS) as { calls: number; spent: number };
  database.close();
  if (calls !== spent) throw new Error(`${calls} calls are recorded, but ${spent} credits spent`);
  return calls;
}

function open(dataDir: string): Database.Database {
  const database = new Database(usualLedgerFile(dataDir));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(`
    CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS api_key (sha256 TEXT PRIMARY KEY, account INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS debit (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, tool TEXT NOT NULL, at INTEGER NOT NULL);
  `);
  return database;
}

const sha256Of = (key: string) => createHash("sha256").update(key).digest("hex");
