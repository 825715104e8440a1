import { hash, randomBytes } from "node:crypto";
import { keyStart, makeKey } from "#accounts/key-format.ts";
import { createIds, newAccountId, newKeyId } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { databaseFile } from "../src/apps/node/data-folder.ts";
import { readSecretFile } from "../src/apps/node/secret-file.ts";
import { startOwnServer } from "./servers.ts";

/** A ledger without a server: accounts and debits through the ledger's own thread, as a server sends them. */
export type LedgerAccount = { account: string; key: string; keySha256: string };
export type OpenLedger = { ledger: Ledger; close(): Promise<void> };

const CREDITS = 1_000_000_000;
/** As many orders as the ledger commits at once. */
const FILL_LANES = 512;

const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
const newId = createIds(random);

/** Creates a data folder's database and secret by starting a server once, and returns the secret. */
export async function createDataFolder(dataDir: string): Promise<readonly string[]> {
  const server = await startOwnServer(dataDir, "warn");
  await server.stop();
  const secrets = readSecretFile(dataDir);
  if (secrets === null) throw new Error("The server has not created its secret");
  return secrets;
}

export const openLedger = (dataDir: string): Promise<OpenLedger> =>
  openSqliteThread({ file: databaseFile(dataDir) });

/** Opens accounts with a key and credits each. They have no email address, which calls do not need. */
export async function openLedgerAccounts(
  ledger: Ledger,
  count: number,
  secrets: readonly string[],
  now: number,
): Promise<LedgerAccount[]> {
  const accounts: LedgerAccount[] = new Array(count);
  await inLanes(count, FILL_LANES, async (i) => {
    const account = newAccountId(random);
    const key = makeKey(account, secrets, random);
    const keySha256 = hash("sha256", key);
    await ledger.openAccount({ account, freeCall: "withheld", now });
    await ledger.grant({
      account,
      id: "bench",
      kind: "operator",
      amount: CREDITS,
      expiresAt: null,
      now,
    });
    const id = newKeyId(account, random);
    const limits = null;
    const start = keyStart(key);
    await ledger.createKey({ account, id, sha256: keySha256, start, label: "bench", limits, now });
    accounts[i] = { account, key, keySha256 };
  });
  return accounts;
}

/**
 * Makes debits of one credit, spread evenly over the accounts. `inRow`: how many an account makes in a row (1). `at` is the time of
 * each. Throws unless all are debited.
 */
export async function makeDebits(
  ledger: Ledger,
  accounts: readonly LedgerAccount[],
  {
    count,
    lanes,
    at,
    inRow = 1,
  }: { count: number; lanes: number; at: (i: number) => number; inRow?: number },
): Promise<void> {
  await inLanes(count, lanes, async (i) => {
    const { account, keySha256 } = accounts[
      Math.floor(i / inRow) % accounts.length
    ] as LedgerAccount;
    const { outcome } = await ledger.debit({
      account,
      keySha256,
      callId: newId("call"),
      tool: "hash",
      credits: 1,
      freeCallCredits: 0,
      now: at(i),
      idempotency: null,
    });
    if (outcome !== "debited") throw new Error(`A debit ended with ${outcome}`);
  });
}

export const fillLanes = FILL_LANES;

/** Runs `act` for 0 to `count` - 1, `lanes` at a time. */
async function inLanes(
  count: number,
  lanes: number,
  act: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await act(next - 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** CPU microseconds of this process: of all threads, and of all but the calling one, which is mostly the ledger's. */
export function cpuClock(): () => { process: number; ledger: number } {
  const whole = process.cpuUsage();
  const thread = process.threadCpuUsage();
  return () => {
    const all = process.cpuUsage(whole);
    const own = process.threadCpuUsage(thread);
    const total = all.user + all.system;
    return { process: total, ledger: Math.max(0, total - own.user - own.system) };
  };
}
