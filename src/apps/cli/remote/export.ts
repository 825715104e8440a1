import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorClient, OutcomeOf } from "#operator/operations.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import { dropAccount, exportSqlite, takeRecords } from "#stores/sqlite/transfer.ts";
import { type Call, ProblemDetails } from "../command.ts";
import { everyAccount, everyAddress, everyClosed } from "../lists.ts";
import { eachAtOnce } from "../parallel.ts";
import { createProgress } from "../progress.ts";
import { gatherPurchases } from "./purchases.ts";
import { withTemporaryData } from "./temporary.ts";

/**
 * A deployed service as lines of JSON: its accounts are gathered in a temporary database, each as it was at one moment,
 * and written from there, so that the lines are those of any store.
 */
export async function exportRemote(
  call: Call,
  client: OperatorClient,
  write: (bytes: Uint8Array) => void,
): Promise<RecordCounts> {
  return withTemporaryData(async (driver) => {
    const progress = createProgress(call, "read");
    const began = new Set<string>();
    const firstPages = eachAtOnce(everyAccount(client), async ({ account }) => ({
      ...{ account, page: await readPage(client, account, null, false) },
    }));
    for await (const { account, page } of firstPages) {
      await gather(client, driver, account, page);
      began.add(account);
      progress.step();
    }
    const gatherLate = async (account: string) =>
      gather(client, driver, account, await readPage(client, account, null, false));
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

const readPage = (client: OperatorClient, account: string, place: Page["next"], hold: boolean) =>
  client.exportAccount({ account, place, hold });

/** An account that is busy all the time is held while it is read: its calls are refused with 503 for some seconds. */
const TRIES_WITHOUT_HOLD = 3;
const TRIES_MAX = 8;

/** Takes in an account whose first page has come: again from the start where it changed between two pages. */
async function gather(
  client: OperatorClient,
  driver: NodeSqlite,
  account: string,
  firstPage: Page,
): Promise<void> {
  let first = firstPage;
  for (let tries = 1; ; tries += 1) {
    if (await gatherPages(client, driver, account, first, tries > TRIES_WITHOUT_HOLD)) return;
    dropAccount(driver, account);
    if (tries === TRIES_MAX) {
      throw new ProblemDetails(
        `The account ${account} changes faster than it can be read. Suspend it for the time of the export, or try again later.`,
      );
    }
    first = await readPage(client, account, null, tries + 1 > TRIES_WITHOUT_HOLD);
  }
}

async function gatherPages(
  client: OperatorClient,
  driver: NodeSqlite,
  account: string,
  first: Page,
  hold: boolean,
): Promise<boolean> {
  const { state } = first;
  // Several states in one page are several moments.
  if (state.includes(" ")) return false;
  takeRecords(driver, first.records);
  for (let next = first.next; next !== null; ) {
    const page = await readPage(client, account, next, hold);
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
