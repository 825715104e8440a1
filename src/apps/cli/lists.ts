import type { OperatorClient, OutcomeOf } from "#operator/operations.ts";
import { eachAtOnce } from "./parallel.ts";
import { unlessMoved } from "./remote/faults.ts";

/** Whole lists, page by page. */

/** Every account that was ever opened, closed ones too, in that order, where each has a ledger of its own. */
export const everyAccount = ({ listAccounts }: OperatorClient) =>
  every<OutcomeOf<"listAccounts">[number], IndexedAccount>(listAccounts, (account) => account);

export type IndexedAccount = OutcomeOf<"listAccounts">[number];

/** Every address that has an account. */
export const everyAddress = ({ listAddresses }: OperatorClient) =>
  every<OutcomeOf<"listAddresses">[number], string>(listAddresses, ({ email }) => email);

/** What is kept of the addresses of closed accounts. */
export const everyClosed = ({ listClosed }: OperatorClient) =>
  every<OutcomeOf<"listClosed">[number], string>(listClosed, ({ emailHash }) => emailHash);

/** Everything that was bought, of every account, oldest first. */
export const everyPurchase = ({ listAllPurchases }: OperatorClient) =>
  every<OutcomeOf<"listAllPurchases">[number], { createdAt: number; id: string }>(
    listAllPurchases,
    ({ createdAt, id }) => ({ createdAt, id }),
  );

/** What an account has bought, newest first. */
export const purchasesOf = ({ listPurchases }: OperatorClient, account: string) =>
  every<OutcomeOf<"listPurchases">[number], string>(
    (order) => listPurchases({ account, ...order }),
    ({ id }) => id,
  );

/** Every address with how its account stands, or why that cannot be said. */
export const everyStatus = (client: OperatorClient, now: number) =>
  eachAtOnce(everyAddress(client), async (address) => ({
    ...address,
    asked: await unlessMoved(client.findAccount({ account: address.account, now })),
  }));

/** The first `max` items of a list whose pages say where the next one begins. */
export async function firstOf<Item, Place>(
  max: number,
  list: (order: { after: Place | null; max: number }) => Promise<[Item[], next: Place | null]>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let after: Place | null = null; found.length < max; ) {
    const [items, next] = await list({ after, max: Math.min(PAGE, max - found.length) });
    found.push(...items);
    if (next === null) break;
    after = next;
  }
  return found;
}

const PAGE = 1_000;

/** `placeOf` says after which one the next page starts. */
async function* every<Item, Place>(
  list: (order: { after: Place | null; max: number }) => Promise<Item[]>,
  placeOf: (item: Item) => Place,
): AsyncGenerator<Item> {
  for (let after: Place | null = null; ; ) {
    const page: Item[] = await list({ after, max: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = placeOf(last);
  }
}
