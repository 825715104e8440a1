import type { OperatorClient, OutcomeOf } from "#operator/operations.ts";
import type { Invocation } from "./command.ts";
import { unlessMoving } from "./remote/faults.ts";
import { counted } from "./text.ts";

/** Reads complete lists page by page, and works on their items with several requests at once. */

/** Every account that was ever opened, including closed ones, in the order of opening. */
export const everyAccount = ({ listAccounts }: OperatorClient) =>
  everyItem<IndexedAccount, IndexedAccount>(listAccounts, (account) => account);

export type IndexedAccount = OutcomeOf<"listAccounts">[number];

export const everyAddress = ({ listAddresses }: OperatorClient, after: string | null = null) =>
  everyItem<AddressItem, string>(listAddresses, ({ email }) => email, after);

/** Hashes of the addresses of closed accounts. */
export const everyClosedAddress = ({ listClosed }: OperatorClient) =>
  everyItem<OutcomeOf<"listClosed">[number], string>(listClosed, ({ emailHash }) => emailHash);

/** Which accounts got starter credits. */
export const everyStarterClaim = ({ listStarters }: OperatorClient) =>
  everyItem<OutcomeOf<"listStarters">[number], string>(listStarters, ({ account }) => account);

/** Every purchase of every account, oldest first. */
export const everyPurchase = ({ listAllPurchases }: OperatorClient) =>
  everyItem<OutcomeOf<"listAllPurchases">[number], { createdAt: number; id: string }>(
    listAllPurchases,
    ({ createdAt, id }) => ({ createdAt, id }),
  );

/** The purchases of one account, newest first. */
export const purchasesOf = ({ listPurchases }: OperatorClient, account: string) =>
  everyItem<OutcomeOf<"listPurchases">[number], string>(
    (page) => listPurchases({ account, ...page }),
    ({ id }) => id,
  );

type AddressItem = OutcomeOf<"listAddresses">[number];

/**
 * A page of addresses in their order: those after `after` that contain the text, or whose account's id does. `max` null: all. `next`:
 * the last of them, if more follow.
 */
export async function addressPage(
  client: OperatorClient,
  { search, max, after }: { search: string; max: number | null; after: string | null },
): Promise<{ addresses: AddressItem[]; next: string | null }> {
  const text = search.toLowerCase();
  const addresses: AddressItem[] = [];
  for await (const address of everyAddress(client, after)) {
    if (!address.email.includes(text) && !address.account.toLowerCase().includes(text)) continue;
    if (addresses.length === max) return { addresses, next: addresses.at(-1)?.email ?? null };
    addresses.push(address);
  }
  return { addresses, next: null };
}

/** Every address with the state of its account, or the reason why the state is not available. */
export const everyStatus = (client: OperatorClient, now: number) =>
  statusesOf(client, everyAddress(client), now);

/** The same of some addresses. */
export const statusesOf = (
  client: OperatorClient,
  addresses: Iterable<AddressItem> | AsyncIterable<AddressItem>,
  now: number,
) =>
  mapConcurrently(addresses, async (address) => ({
    ...address,
    status: await unlessMoving(client.findAccount({ account: address.account, now })),
  }));

/** Returns the first `max` items of a list whose pages contain the cursor of the next page. */
export async function takeFirst<Item, Cursor>(
  max: number,
  list: (page: { after: Cursor | null; max: number }) => Promise<{
    items: Item[];
    next: Cursor | null;
  }>,
): Promise<Item[]> {
  const taken: Item[] = [];
  for (let after: Cursor | null = null; taken.length < max; ) {
    const { items, next } = await list({ after, max: Math.min(PAGE_ITEMS, max - taken.length) });
    taken.push(...items);
    if (next === null) break;
    after = next;
  }
  return taken;
}

const PAGE_ITEMS = 1_000;

/** `cursorOf` returns the cursor of the page that follows an item. */
async function* everyItem<Item, Cursor>(
  list: (page: { after: Cursor | null; max: number }) => Promise<Item[]>,
  cursorOf: (item: Item) => Cursor,
  start: Cursor | null = null,
): AsyncGenerator<Item> {
  for (let after: Cursor | null = start; ; ) {
    const items: Item[] = await list({ after, max: PAGE_ITEMS });
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < PAGE_ITEMS) return;
    after = cursorOf(last);
  }
}

const CONCURRENT_REQUESTS = 8;

/** Yields the results in the order of the items, with up to 8 of them in progress at once. */
export async function* mapConcurrently<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const inProgress: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = run(item);
      // A rejection is thrown when its item is yielded; until then it must not count as unhandled.
      result.catch(() => {});
      inProgress.push(result);
      if (inProgress.length >= CONCURRENT_REQUESTS)
        yield await (inProgress.shift() as Promise<Result>);
    }
    while (inProgress.length > 0) yield await (inProgress.shift() as Promise<Result>);
  } finally {
    // A consumer that stops early must not leave requests running.
    await Promise.allSettled(inProgress);
  }
}

export function* chunksOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

const PROGRESS_INTERVAL_MS = 3_000;

/** Logs every 3 seconds how many accounts are done. `done` is a participle, such as "audited". */
export function createProgress({ log }: Pick<Invocation, "log">, done: string): { step(): void } {
  let accounts = 0;
  let loggedAt = performance.now();
  return {
    step() {
      accounts += 1;
      const at = performance.now();
      if (at - loggedAt < PROGRESS_INTERVAL_MS) return;
      loggedAt = at;
      log(`${counted(accounts, "account")} ${done} so far …`);
    },
  };
}
