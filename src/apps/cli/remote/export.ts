import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorClient, OutcomeOf } from "#operator/operations.ts";
import { createSqliteReads } from "#stores/sqlite/database.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { dropAccount, exportSqlite, takeRecords } from "#stores/sqlite/transfer.ts";
import { type Call, ProblemDetails } from "../command.ts";
import { everyAccount, everyAddress, everyClosed } from "../lists.ts";
import { eachAtOnce } from "../parallel.ts";
import { createProgress } from "../progress.ts";
import { gatherPurchases } from "./purchases.ts";
import { withTemporaryData } from "./temporary.ts";

/**
 * A service as lines of JSON: its accounts are gathered in a temporary database, each as it was at one moment, and written
 * from there, so that the lines are those of any store.
 */
export async function exportRemote(
  call: Call,
  client: OperatorClient,
  write: (bytes: Uint8Array) => void,
): Promise<RecordCounts> {
  return withTemporaryData(async (driver) => {
    const progress = createProgress(call, "read");
    const reader = createReader(client);
    const began = new Set<string>();
    const firstPages = eachAtOnce(everyAccount(client), async ({ account }) => ({
      ...{ account, first: await reader.begin(account) },
    }));
    for await (const { account, first } of firstPages) {
      await gather(reader, driver, account, first);
      began.add(account);
      progress.step();
    }
    const gatherLate = async (account: string) => {
      // It was opened after the snapshot that the others are of.
      await reader.renew();
      await gather(reader, driver, account, await reader.begin(account));
    };
    await gatherAddresses(client, driver, began, gatherLate);
    await gatherPurchases(call, client, driver, gatherLate);
    const { ok, faults } = createSqliteReads(driver).audit({ now: call.now });
    if (!ok) {
      call.note(
        `The books of the service do not reconcile (${faults[0]}), so import will refuse these lines. Run audit.`,
      );
    }
    return exportSqlite(driver, { withSecret: false }, write);
  });
}

type Page = OutcomeOf<"exportAccount">;
/** Null where each account is a database of its own. */
type Snapshot = Promise<string | null>;
/** The first page of an account, and as of which snapshot it was asked for. */
type First = { page: Page; snapshot: Snapshot };

/** Reads pages as of one snapshot, which all accounts share while the service keeps it. */
function createReader({ openSnapshot, exportAccount }: OperatorClient) {
  const open = async () => (await openSnapshot({})).snapshot;
  let current: Snapshot = open();
  const read = async (account: string, place: Page["next"], snapshot: Snapshot, hold: boolean) =>
    exportAccount({ account, place, snapshot: await snapshot, hold });
  return {
    read,
    async begin(account: string, hold = false): Promise<First> {
      const snapshot = current;
      return { page: await read(account, null, snapshot, hold), snapshot };
    },
    /** Opens another snapshot, once for all accounts that had the same one. */
    async renew(snapshot: Snapshot = current): Promise<void> {
      const isKept = (await snapshot) === null || snapshot !== current;
      if (!isKept) current = open();
    },
  };
}

type Reader = ReturnType<typeof createReader>;

/** An account that is busy all the time is held while it is read: its calls are refused with 503 for some seconds. */
const TRIES_WITHOUT_HOLD = 3;
const TRIES_MAX = 8;

/** Takes in an account whose first page has come: again from the start where it changed between two pages. */
async function gather(
  reader: Reader,
  driver: NodeSqlite,
  account: string,
  begun: First,
): Promise<void> {
  let first = begun;
  for (let tries = 1; ; tries += 1) {
    if (await gatherPages(reader, driver, account, first, tries > TRIES_WITHOUT_HOLD)) return;
    dropAccount(driver, account);
    if (tries === TRIES_MAX) {
      throw new ProblemDetails(
        `The account ${account} changes faster than it can be read. Suspend it for the time of the export, or try again later.`,
      );
    }
    await reader.renew(first.snapshot);
    first = await reader.begin(account, tries + 1 > TRIES_WITHOUT_HOLD);
  }
}

async function gatherPages(
  reader: Reader,
  driver: NodeSqlite,
  account: string,
  { page: first, snapshot }: First,
  hold: boolean,
): Promise<boolean> {
  const { state } = first;
  // Several states in one page are several moments; none is a snapshot that the service no longer has.
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

async function gatherAddresses(
  client: OperatorClient,
  driver: NodeSqlite,
  began: ReadonlySet<string>,
  gatherLate: (account: string) => Promise<void>,
): Promise<void> {
  for await (const address of everyAddress(client)) {
    // Opened since the list of accounts was read.
    if (!began.has(address.account)) await gatherLate(address.account);
    takeRecords(driver, [{ record: "address", ...address }]);
  }
  for await (const closed of everyClosed(client)) {
    takeRecords(driver, [{ record: "closedAddress", ...closed }]);
  }
}
