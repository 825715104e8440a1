import type { Ledger } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import type { Purchase, PurchaseStore } from "./purchase-store.ts";
import { isRestored } from "./restored-grants.ts";
import { paidBack } from "./settle-credits.ts";

const PAGE = 500;
/** A purchase that is just being settled is written before its credits are granted. */
const UNDER_WAY_MS = 60_000;
/** From its beginning to its grant no payment takes longer. */
const PAYING_MS = 30 * DAY_MS;

export type GrantSeen = { account: string; id: string; amount: number; grantedAt: number };

type Ledgers = {
  ledger: Pick<Ledger, "credits">;
  /** Every grant, read anew. */
  grants(): AsyncIterable<readonly GrantSeen[]>;
};

/**
 * Whether the ledger has what the book says was bought, and the book what the ledger says was: one sentence for each purchase
 * or grant where it is not so. A purchase's row is there before its grant and never goes, so a grant that none names is of
 * data that was put together from parts, as when one of the edge's databases was set back.
 */
export async function auditPurchases(
  purchases: Pick<PurchaseStore, "listAll">,
  { ledger, grants }: Ledgers,
  now: number,
): Promise<string[]> {
  const bought = await boughtOf(grants());
  const unnamed = new Map([...bought].filter(([, { id }]) => !isRestored(id)));
  const faults: string[] = [];
  for await (const purchase of everyPurchase(purchases)) {
    const { id, account, grant, session, payment } = purchase;
    const fault = await faultOf(purchase, bought, ledger, now);
    if (fault !== null) faults.push(`The purchase ${id} of ${account} ${fault}`);
    for (const each of [grant, `${BOUGHT}${payment}`, `${BOUGHT}${session}`])
      if (each !== null) unnamed.delete(keyOf(account, each));
  }
  for (const { account, id, grantedAt } of unnamed.values()) {
    const since = new Date(Math.max(0, grantedAt - PAYING_MS)).toISOString().slice(0, 10);
    faults.push(
      `The grant ${id} of ${account} was bought, but no purchase names it: run payments reconcile --since ${since}`,
    );
  }
  return faults;
}

/** How the ids of grants begin that were bought. */
const BOUGHT = "stripe:";

const keyOf = (account: string, grant: string) => `${account} ${grant}`;

async function boughtOf(grants: AsyncIterable<readonly GrantSeen[]>) {
  const bought = new Map<string, GrantSeen>();
  for await (const page of grants) {
    for (const { account, id, amount, grantedAt } of page)
      if (id.startsWith(BOUGHT)) bought.set(keyOf(account, id), { account, id, amount, grantedAt });
  }
  return bought;
}

async function* everyPurchase(purchases: Pick<PurchaseStore, "listAll">): AsyncGenerator<Purchase> {
  for (let after: Pick<Purchase, "createdAt" | "id"> | null = null; ; ) {
    const page: Purchase[] = await purchases.listAll({ after, max: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

async function faultOf(
  purchase: Purchase,
  bought: ReadonlyMap<string, GrantSeen>,
  ledger: Pick<Ledger, "credits">,
  now: number,
): Promise<string | null> {
  const { account, grant, offer } = purchase;
  if (grant === null) return faultOfUngranted(purchase, bought, now);
  // One that was granted since they were read is asked for.
  const amount =
    bought.get(keyOf(account, grant))?.amount ??
    (await ledger.credits({ account, now })).grants.find(({ id }) => id === grant)?.amount;
  if (amount === undefined) return `names the grant ${grant}, which the ledger has not`;
  if (amount === offer.credits || isRestored(grant)) return null;
  return `is of ${offer.credits} credits, but its grant ${grant} is of ${amount}`;
}

/** Of a purchase whose row names no grant. */
function faultOfUngranted(
  purchase: Purchase,
  bought: ReadonlyMap<string, GrantSeen>,
  now: number,
): string | null {
  const { account, session, payment, offer, status, trouble, updatedAt } = purchase;
  const isUnderWay = updatedAt > now - UNDER_WAY_MS;
  const given = bought.get(keyOf(account, `${BOUGHT}${payment ?? session}`));
  if (given !== undefined) {
    if (isUnderWay) return null;
    return `has the grant ${given.id}, which its row does not name: run payments reconcile`;
  }
  if (status !== "paid" || paidBack(purchase) >= offer.credits) return null;
  if (trouble !== null) return `is paid, but could not be granted (${trouble}): refund it`;
  if (isUnderWay) return null;
  return "is paid, but its credits were not granted: run payments reconcile";
}
