import { purchaseToRecord } from "#billing/purchase-store.ts";
import { quotedCommand } from "#command-line.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorClient, OutcomeOf } from "#operator/operations.ts";
import { createSqliteReads } from "#stores/sqlite/database.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { dropAccount, exportSqlite, hasAccount, takeRecords } from "#stores/sqlite/transfer.ts";
import { CommandError, type Invocation } from "../command.ts";
import { withTemporaryDatabase } from "../files.ts";
import {
  createProgress,
  everyAccount,
  everyAddress,
  everyClosedAddress,
  everyPurchase,
  everyStarterClaim,
  mapConcurrently,
} from "../lists.ts";
import { counted, shortList } from "../text.ts";

/**
 * Exports a remote service as JSON lines. The accounts are collected in a temporary database first, each from one snapshot,
 * so that the lines have the same format and order as those of any store.
 */
export async function exportRemote(
  invocation: Invocation,
  client: OperatorClient,
  write: (bytes: Uint8Array) => void,
): Promise<RecordCounts> {
  return withTemporaryDatabase(async (driver) => {
    const progress = createProgress(invocation, "read");
    const reader = createReader(client);
    const collected = new Set<string>();
    const firstPages = mapConcurrently(everyAccount(client), async ({ account }) => ({
      account,
      first: await reader.begin(account),
    }));
    for await (const { account, first } of firstPages) {
      await collectAccount(reader, driver, account, first);
      collected.add(account);
      progress.step();
    }
    const collectNewAccount = async (account: string) => {
      // The account was opened after the current snapshot.
      await reader.renew();
      await collectAccount(reader, driver, account, await reader.begin(account));
    };
    await collectAddresses(client, driver, collected, collectNewAccount);
    await collectPurchases(invocation, client, driver, collectNewAccount);
    const { ok, faults } = createSqliteReads(driver).audit({ now: invocation.now });
    if (!ok) {
      invocation.log(
        `The service's ledger does not reconcile (${faults[0]}), so import will reject these lines. For details, run ${quotedCommand("audit")}.`,
      );
    }
    return exportSqlite(driver, { secret: null }, write);
  });
}

type Page = OutcomeOf<"exportAccount">;
/** Null if each account has its own database. */
type Snapshot = Promise<string | null>;
/** The first page of an account, and the snapshot that it was requested from. */
type FirstPage = { page: Page; snapshot: Snapshot };

/** Reads pages from one snapshot, which all accounts share as long as the service keeps it. */
function createReader({ openSnapshot, exportAccount }: OperatorClient) {
  const open = async () => (await openSnapshot({})).snapshot;
  let current: Snapshot = open();
  const read = async (account: string, place: Page["next"], snapshot: Snapshot, hold: boolean) =>
    exportAccount({ account, place, snapshot: await snapshot, hold });
  return {
    read,
    async begin(account: string, hold = false): Promise<FirstPage> {
      const snapshot = current;
      return { page: await read(account, null, snapshot, hold), snapshot };
    },
    /** Opens a new snapshot, once for all accounts that used `snapshot`. */
    async renew(snapshot: Snapshot = current): Promise<void> {
      const isKept = (await snapshot) === null || snapshot !== current;
      if (!isKept) current = open();
    },
  };
}

type Reader = ReturnType<typeof createReader>;

/** After this many tries a busy account is held while it is read; its calls get 503 for a few seconds. */
const TRIES_WITHOUT_HOLD = 3;
const TRIES_MAX = 8;

/** Collects an account, given its first page. Starts again if the account changed between two pages. */
async function collectAccount(
  reader: Reader,
  driver: NodeSqlite,
  account: string,
  firstPage: FirstPage,
): Promise<void> {
  let first = firstPage;
  for (let tries = 1; ; tries += 1) {
    if (await collectPages(reader, driver, account, first, tries > TRIES_WITHOUT_HOLD)) return;
    dropAccount(driver, account);
    if (tries === TRIES_MAX) {
      throw new CommandError(
        `The account ${account} changes faster than it can be read. Suspend it during the export, or try again later.`,
      );
    }
    await reader.renew(first.snapshot);
    first = await reader.begin(account, tries + 1 > TRIES_WITHOUT_HOLD);
  }
}

async function collectPages(
  reader: Reader,
  driver: NodeSqlite,
  account: string,
  { page: first, snapshot }: FirstPage,
  hold: boolean,
): Promise<boolean> {
  const { state } = first;
  // Null: the service no longer has the snapshot. Several states: the account changed within the page.
  if (state === null || state.includes(" ")) return false;
  takeRecords(driver, first.records);
  for (let next = first.next; next !== null; ) {
    const page = await reader.read(account, next, snapshot, hold);
    if (page.state !== state) return false;
    takeRecords(driver, page.records);
    next = page.next;
  }
  return true;
}

async function collectAddresses(
  client: OperatorClient,
  driver: NodeSqlite,
  collected: ReadonlySet<string>,
  collectNewAccount: (account: string) => Promise<void>,
): Promise<void> {
  for await (const address of everyAddress(client)) {
    // The account was opened after the list of accounts was read.
    if (!collected.has(address.account)) await collectNewAccount(address.account);
    takeRecords(driver, [{ record: "address", ...address }]);
  }
  for await (const closed of everyClosedAddress(client)) {
    takeRecords(driver, [{ record: "closedAddress", ...closed }]);
  }
  for await (const claim of everyStarterClaim(client)) {
    takeRecords(driver, [{ record: "starterClaim", ...claim }]);
  }
}

/** Called after all accounts were collected. */
async function collectPurchases(
  { log }: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
  collectNewAccount: (account: string) => Promise<void>,
): Promise<void> {
  const skipped: string[] = [];
  for await (const purchase of everyPurchase(client)) {
    const { id, account, trouble } = purchase;
    const mayBeUnknown = trouble === "no_account";
    if (!mayBeUnknown && !hasAccount(driver, account)) await collectNewAccount(account);
    if (mayBeUnknown || hasAccount(driver, account))
      takeRecords(driver, [purchaseToRecord(purchase)]);
    else skipped.push(`${id} of ${account}`);
  }
  if (skipped.length > 0) {
    log(
      `${counted(skipped.length, "purchase was", "purchases were")} skipped, because the service has no such account (${shortList(skipped)}). To see what happened to the payments, run ${quotedCommand("payments reconcile")}.`,
    );
  }
}
