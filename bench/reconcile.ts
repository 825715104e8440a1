import { hash, randomBytes } from "node:crypto";
import { type AccountDeps, createKey, openAccount } from "#accounts/accounts.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { databaseFile } from "../src/apps/node/data-folder.ts";
import { readSecretFile } from "../src/apps/node/secret-file.ts";
import { countUsualDebits } from "./peers/usual-ledger.ts";

/** Opens accounts in the server's ledger, and compares the ledger with the responses at the end. */
const CREDITS = 1_000_000_000;

/** Opens accounts while the server runs, as the command line does. Returns a key for each. */
export async function openAccounts(dataDir: string, count: number): Promise<string[]> {
  const driver = openNodeSqlite(databaseFile(dataDir));
  try {
    const secrets = readSecretFile(dataDir);
    if (secrets === null) throw new Error("The server has not created its secret");
    const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
    const hashKey = (key: string) => hash("sha256", key);
    const accountDeps: AccountDeps = {
      ...openSqliteDirect(driver),
      secrets,
      random,
      hashKey,
    };
    const keys: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const now = Date.now();
      const { account } = await openAccount(accountDeps, `bench-${i}@toolbooth.localhost`, now);
      await accountDeps.ledger.grant({
        account,
        id: "bench",
        kind: "operator",
        amount: CREDITS,
        expiresAt: null,
        now,
      });
      keys.push((await createKey(accountDeps, account, "bench", now)).key);
    }
    return keys;
  } finally {
    driver.close();
  }
}

export type Reconciliation = { responded: number; recorded: number; ok: boolean; faults: string[] };

const RECORDED = `SELECT (SELECT coalesce(sum(calls), 0) FROM usage_hour) +
  (SELECT count(*) FROM debit WHERE reversed_at IS NULL) AS calls`;

/** Checks that the ledger has exactly the calls with a response, and reconciles. The server must have ended. */
export async function reconcile(dataDir: string, responded: number): Promise<Reconciliation> {
  const driver = openNodeSqlite(databaseFile(dataDir));
  try {
    const { ledger } = openSqliteDirect(driver);
    const audit = await ledger.audit({ now: Date.now() });
    const recorded = Number(driver.prepare(RECORDED).get()?.["calls"]);
    return { responded, recorded, ok: audit.ok && recorded === responded, faults: audit.faults };
  } finally {
    driver.close();
  }
}

export const showReconciliation = ({ responded, recorded, ok, faults }: Reconciliation): string =>
  ok
    ? `Ledger: ${responded} responses and ${recorded} debits after the server was killed (SIGKILL). The ledger reconciles.`
    : `Ledger: ${responded} responses, but ${recorded} debits. ${faults.join("; ")}`;

/** Throws unless the ledger of a usual build has exactly the calls with a response. The server must have ended. */
export function reconcileUsual(name: string, dataDir: string, responded: number): void {
  const recorded = countUsualDebits(dataDir);
  if (recorded !== responded)
    throw new Error(`${name}: ${responded} responses, but ${recorded} debits`);
}
