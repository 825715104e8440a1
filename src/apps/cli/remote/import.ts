import type { RecordCounts, TransferRecord } from "#ledger/transfer/records.ts";
import { IMPORT_PAGE_BYTES_MAX } from "#limits.ts";
import type { OperatorClient } from "#operator/operations.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { importSqlite, recordsOfAccount } from "#stores/sqlite/transfer.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import type { Call } from "../command.ts";
import { chunksOf, eachAtOnce } from "../parallel.ts";
import { createProgress } from "../progress.ts";
import { counted, whole } from "../text.ts";
import type { Remote } from "./address.ts";
import { moveAddresses, refuseTaken } from "./addresses.ts";
import { createHttpClient } from "./client.ts";
import { movePurchases } from "./purchases.ts";
import { checkLines, checkTarget } from "./target.ts";
import { withTemporaryData } from "./temporary.ts";
import { verifyImport } from "./verify.ts";

/**
 * Lines of JSON into a running service: they are checked and audited here first, then each account goes by itself, and is
 * open to calls when its books reconcile there. Stopped in the middle it is run again: what is there is
 * left as it is, and the rest follows.
 */
export async function importRemote(
  call: Call,
  remote: Remote,
  lines: Iterable<Uint8Array>,
): Promise<RecordCounts> {
  return withTemporaryData(async (driver) => {
    const counts = importSqlite(driver, lines, call.now);
    checkLines(call, driver);
    const client = createHttpClient(remote);
    await checkTarget(call, client, driver, remote.url);
    await recordForeignKeys(call, client, driver, counts.secret !== undefined);
    const closed = await moveAccounts(call, client, driver);
    const taken = await moveAddresses(call, client, driver, closed);
    await movePurchases(client, driver);
    await verifyImport(call, client, driver);
    refuseTaken(taken);
    return counts;
  });
}

const KEYS_AT_ONCE = 1_000;

/** A key's first characters say under which secret it was made: the service says whether it has that one. */
async function recordForeignKeys(
  call: Call,
  client: OperatorClient,
  driver: NodeSqlite,
  secretCame: boolean,
): Promise<void> {
  let [asked, foreign] = [0, 0];
  for (const starts of chunksOf(liveStarts(driver), KEYS_AT_ONCE)) {
    const { known } = await client.knowsKeys({ starts });
    asked += starts.length;
    foreign += known.filter((each) => !each).length;
  }
  if (foreign > 0) {
    call.note(
      `${whole(foreign)} of ${counted(asked, "key")} were made under another secret than the service has: calls with them are refused with 401. Add the secret of the service that the lines are from to SECRET of every node, or of both Workers, after a comma, and they are good.`,
    );
  }
  if (secretCame)
    call.note(
      "The secret that came with the lines stays here: a running service gets its own by SECRET, at the edge with wrangler secret put SECRET.",
    );
}

function* liveStarts(driver: NodeSqlite): Generator<string> {
  for (const { start, revokedAt } of pagesOf(driver, "key")) if (revokedAt === null) yield start;
}

/** Gives those that were closed there after they had come over. */
async function moveAccounts(
  call: Call,
  client: OperatorClient,
  driver: NodeSqlite,
): Promise<Set<string>> {
  const { now } = call;
  const progress = createProgress(call, "imported");
  const closed = new Set<string>();
  let before = 0;
  const moved = eachAtOnce(pagesOf(driver, "account"), async (record) => {
    const outcome = await moveAccount(call, client, driver, record);
    if (outcome !== "opened_before") return outcome;
    const there = await client.findAccount({ account: record.id, now });
    if (there?.state === "closed") closed.add(record.id);
    return outcome;
  });
  for await (const outcome of moved) {
    progress.step();
    if (outcome === "opened_before") before += 1;
  }
  if (before > 0)
    call.note(`${counted(before, "account")} had come over before, and stayed as they were.`);
  return closed;
}

async function moveAccount(
  { now }: Call,
  client: OperatorClient,
  driver: NodeSqlite,
  { id: account, createdAt }: { id: string; createdAt: number },
): Promise<string> {
  let begin = true;
  const pages = pagesOfBytes(recordsOfAccount(driver, account));
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

/** No record comes near the room that is left. */
const PAGE_BYTES = IMPORT_PAGE_BYTES_MAX * 0.75;
const PAGE_RECORDS = 2_000;

function* pagesOfBytes(records: Iterable<TransferRecord>): Generator<TransferRecord[]> {
  let page: TransferRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    page.push(record);
    bytes += Buffer.byteLength(JSON.stringify(record)) + 1;
    if (bytes < PAGE_BYTES && page.length < PAGE_RECORDS) continue;
    yield page;
    [page, bytes] = [[], 0];
  }
  if (page.length > 0) yield page;
}
