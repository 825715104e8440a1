import type { RecordCounts, TransferRecord } from "#ledger/transfer/records.ts";
import { IMPORT_PAGE_BYTES_MAX } from "#limits.ts";
import type { AddressRecord } from "#operator/move-actions.ts";
import type { OperatorClient } from "#operator/operations.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { hasAccount, importSqlite, recordsOfAccount } from "#stores/sqlite/transfer.ts";
import { activeKeyStarts, pagesOf } from "#stores/sqlite/transfer-rows.ts";
import { CommandError, type Invocation, type Remote } from "../command.ts";
import { withTemporaryDatabase } from "../files.ts";
import { chunksOf, createProgress, mapConcurrently } from "../lists.ts";
import { counted, integer, shortList } from "../text.ts";
import { createHttpClient } from "./client.ts";
import { checkLines, checkTarget, verifyImport } from "./import-checks.ts";

/**
 * Imports JSON lines into a running service. The lines are first checked and audited in a temporary database. Then each
 * account is sent separately, and accepts calls once its records reconcile on the service. After an interruption,
 * another run with the same lines skips complete accounts and sends the others.
 */
export async function importRemote(
  invocation: Invocation,
  remote: Remote,
  lines: Iterable<Uint8Array>,
): Promise<RecordCounts> {
  return withTemporaryDatabase(async (driver) => {
    const counts = importSqlite(driver, lines, invocation.now);
    checkLines(invocation, driver);
    const client = createHttpClient(remote);
    await checkTarget(invocation, client, driver, remote.url);
    await logUnknownKeys(invocation, client, driver, counts.secret !== undefined);
    const closed = await sendAccounts(invocation, client, driver);
    const taken = await sendAddresses(invocation, client, driver, closed);
    await sendPurchases(client, driver);
    await verifyImport(invocation, client, driver);
    rejectTaken(taken);
    return counts;
  });
}

const KEYS_PER_REQUEST = 1_000;

/** Logs how many keys will not work. The first characters of a key tell the service whether it has the key's secret. */
async function logUnknownKeys(
  { log }: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
  isSecretIncluded: boolean,
): Promise<void> {
  let keys = 0;
  let unknown = 0;
  for (const starts of chunksOf(activeKeyStarts(driver), KEYS_PER_REQUEST)) {
    const { known } = await client.knowsKeys({ starts });
    keys += starts.length;
    unknown += known.filter((each) => !each).length;
  }
  if (unknown > 0) {
    log(
      `${integer(unknown)} of ${counted(keys, "key")} were made with a secret that the service does not have, so their calls get 401. To accept them, append the original service's secret to SECRET, after a comma: on every node, or for both Workers.`,
    );
  }
  if (isSecretIncluded) {
    log(
      "The secret in the lines was not sent. Set SECRET to it; at the edge, with wrangler secret put SECRET.",
    );
  }
}

/** Returns the accounts that were imported by an earlier run and closed on the service since. */
async function sendAccounts(
  invocation: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
): Promise<Set<string>> {
  const { now, log } = invocation;
  const progress = createProgress(invocation, "imported");
  const closed = new Set<string>();
  let alreadyImported = 0;
  const outcomes = mapConcurrently(pagesOf(driver, "account"), async (record) => {
    const outcome = await sendAccount(invocation, client, driver, record);
    if (outcome !== "opened_before") return outcome;
    const status = await client.findAccount({ account: record.id, now });
    if (status?.state === "closed") closed.add(record.id);
    return outcome;
  });
  for await (const outcome of outcomes) {
    progress.step();
    if (outcome === "opened_before") alreadyImported += 1;
  }
  if (alreadyImported > 0)
    log(`${counted(alreadyImported, "account was", "accounts were")} already imported.`);
  return closed;
}

async function sendAccount(
  { now }: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
  { id: account, createdAt }: { id: string; createdAt: number },
): Promise<string> {
  let begin = true;
  const pages = importPages(recordsOfAccount(driver, account));
  for (let page = pages.next(); !page.done; ) {
    const records = page.value;
    const next = pages.next();
    const order = { account, createdAt, records, begin, finish: next.done === true, now };
    const { outcome } = await client.importAccount(order).catch((error: Error) => {
      if (!error.message.includes(account)) error.message = `${account}: ${error.message}`;
      throw error;
    });
    if (outcome !== "taken") return outcome;
    begin = false;
    page = next;
  }
  return "taken";
}

/** Leaves room for the rest of the request and one more record, which is far smaller. */
const PAGE_BYTES = IMPORT_PAGE_BYTES_MAX * 0.75;
const PAGE_RECORDS = 2_000;

function* importPages(records: Iterable<TransferRecord>): Generator<TransferRecord[]> {
  let page: TransferRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    page.push(record);
    bytes += Buffer.byteLength(JSON.stringify(record)) + 1;
    if (bytes < PAGE_BYTES && page.length < PAGE_RECORDS) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

/** Each address takes up to three statements, and a Worker may run only 50 per request. */
const ADDRESSES_PER_REQUEST = 15;

/** An account whose address belongs to another account on the service. */
type TakenAddress = { account: string; by: string };

/**
 * Sends the addresses, after all accounts. Accounts in `closed` are skipped: the service has deleted their addresses. Returns
 * the addresses that belong to other accounts there.
 */
async function sendAddresses(
  { log }: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
  closed: ReadonlySet<string>,
): Promise<TakenAddress[]> {
  const taken: TakenAddress[] = [];
  const changed: string[] = [];
  const kinds: Iterable<AddressRecord>[] = [
    addressesOf(driver, closed),
    pagesOf(driver, "closedAddress"),
    pagesOf(driver, "starterClaim"),
  ];
  for (const records of kinds) {
    const results = mapConcurrently(chunksOf(records, ADDRESSES_PER_REQUEST), (chunk) =>
      client.importAddresses({ records: chunk }),
    );
    for await (const { refused } of results) {
      for (const { account, by } of refused) {
        if (by === null) changed.push(account);
        else taken.push({ account, by });
      }
    }
  }
  if (changed.length > 0) {
    log(
      `${counted(changed.length, "account has", "accounts have")} a new address on the service and ${changed.length === 1 ? "keeps" : "keep"} it (${shortList(changed)}).`,
    );
  }
  return taken;
}

function* addressesOf(driver: NodeSqlite, closed: ReadonlySet<string>) {
  for (const record of pagesOf(driver, "address")) {
    if (hasAccount(driver, record.account) && !closed.has(record.account)) yield record;
  }
}

/** Called last, when everything else is imported. */
function rejectTaken(taken: readonly TakenAddress[]): void {
  if (taken.length === 0) return;
  const list = shortList(taken.map(({ account, by }) => `${account}: taken by ${by}`));
  throw new CommandError(
    `The records were imported and reconcile, but ${counted(taken.length, "address belongs", "addresses belong")} to another account on the service (${list}), because someone else signed up first. To give the address to the imported account, find the other account with account list, close it with account close and run the import again. The user can then sign up again and gets the imported account.`,
  );
}

/** Each purchase takes a statement, and a Worker may run only 50 per request. */
const PURCHASES_PER_REQUEST = 30;

/** Sends the purchases, after all accounts. Purchases that already exist on the service are not changed. */
async function sendPurchases(client: OperatorClient, driver: NodeSqlite): Promise<void> {
  const sent = mapConcurrently(
    chunksOf(pagesOf(driver, "purchase"), PURCHASES_PER_REQUEST),
    (records) => client.importPurchases({ records }),
  );
  for await (const _ of sent);
}
