import type { AccountIndex, IndexedAccount } from "#accounts/directory.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import {
  type AccountImports,
  importsOver,
  type MoveOperations,
} from "#ledger/transfer/account-moves.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { exportAccount } from "../sql/export-records.ts";
import { requestLong } from "./ledger.ts";
import type { MovingStub } from "./rpc.ts";

/** Exporting and importing accounts that are Durable Objects, as the site Worker does. */

type FindMoving = (order: { account: string }) => MovingStub;

const move = <Name extends keyof MoveOperations>(
  find: FindMoving,
  name: Name,
  order: MoveOperations[Name][0],
) => requestLong(() => find(order).move(name, order)) as Promise<MoveOperations[Name][1]>;

/** Creates the import of accounts over their objects. */
export const importsOfObjects = (find: FindMoving): AccountImports =>
  importsOver((name, order) => move(find, name, order));

/** After so many tries a busy account is held while it is read: its calls get 503 for some seconds. */
const TRIES_WITHOUT_HOLD = 3;
/** More than this is not kept in memory until all of it has been read. */
const KEPT_PAGES_MAX = 20;

/** Yields the records of an account as of one moment. */
async function* exportObject(
  find: FindMoving,
  account: string,
): AsyncGenerator<readonly TransferRecord[]> {
  for (let tries = 0; tries < TRIES_WITHOUT_HOLD; tries += 1) {
    const kept: (readonly TransferRecord[])[] = [];
    try {
      for await (const page of readObject(find, account, false)) {
        kept.push(page);
        if (kept.length > KEPT_PAGES_MAX) break;
      }
    } catch (error) {
      if (!(error instanceof HasChanged)) throw error;
      continue;
    }
    if (kept.length > KEPT_PAGES_MAX) break;
    yield* kept;
    return;
  }
  yield* readObject(find, account, true);
}

class HasChanged extends NotCarriedOut {}

/** Throws `HasChanged` where two pages show different moments. */
function readObject(find: FindMoving, account: string, hold: boolean) {
  let state: string | undefined;
  return exportAccount(async (order) => {
    const page = await move(find, "exportRecords", { account, hold, ...order });
    state ??= page.state;
    if (page.state === state) return page;
    throw new HasChanged(`The account ${account} changes faster than it can be read`);
  });
}

/**
 * Yields the records of at most `max` accounts after the given one; after the last account, `others`. Returns the account after which to
 * continue; null at the end.
 */
export async function* exportObjects(
  find: FindMoving,
  order: {
    index: AccountIndex;
    others: AsyncIterable<readonly TransferRecord[]>;
    after: IndexedAccount | null;
    max: number;
  },
): AsyncGenerator<readonly TransferRecord[], IndexedAccount | null> {
  const { index, others, after, max } = order;
  const accounts = await index.list({ after, max });
  for (const { account } of accounts) yield* exportObject(find, account);
  if (accounts.length === max) return accounts.at(-1) ?? null;
  yield* others;
  return null;
}
