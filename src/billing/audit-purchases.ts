import { quotedCommand } from "#command-line.ts";
import { counted, formatNumber } from "#counted.ts";
import type { Grant, Ledger } from "#ledger/port.ts";
import { grantPages } from "#ledger/read-pages.ts";
import { DAY_MS } from "#limits.ts";
import type { Purchase, PurchaseStore } from "./purchase-store.ts";
import { refundedCredits } from "./settle-credits.ts";

const PAGE = 500;
/** A purchase that is being settled is written before its credits are granted, so a recent row may lack its grant. */
const SETTLING_MS = 60_000;
/** No payment takes longer from its beginning to its grant. */
const PAYING_MS = 30 * DAY_MS;

export type GrantSeen = { account: string; id: string; amount: number; grantedAt: number };

type Ledgers = {
  ledger: Pick<Ledger, "credits">;
  /** Every grant, page by page, from a fresh read. */
  grants(): AsyncIterable<readonly GrantSeen[]>;
};

/**
 * Checks that the ledger has a grant for every paid purchase, and a purchase for every bought grant. Returns one sentence for
 * each mismatch. A purchase's row is written before its grant and is never deleted, so a grant without a purchase means
 * that the databases come from different backups.
 */
export async function auditPurchases(
  purchases: Pick<PurchaseStore, "listAll">,
  { ledger, grants }: Ledgers,
  now: number,
): Promise<string[]> {
  const bought = await readBoughtGrants(grants());
  const unnamed = new Map(bought);
  const findings: string[] = [];
  for await (const purchase of listAllPurchases(purchases)) {
    const { id, account, grant, session, payment } = purchase;
    const finding = await checkPurchase(purchase, bought, ledger, now);
    if (finding !== null) findings.push(`The purchase ${id} of ${account} ${finding}`);
    for (const each of [grant, `${BOUGHT}${payment}`, `${BOUGHT}${session}`])
      if (each !== null) unnamed.delete(keyOf(account, each));
  }
  for (const { account, id, grantedAt } of unnamed.values()) {
    const since = new Date(Math.max(0, grantedAt - PAYING_MS)).toISOString().slice(0, 10);
    findings.push(
      `The grant ${id} of ${account} was bought, but no purchase names it: run ${quotedCommand("payments reconcile", "--since", since)}`,
    );
  }
  return findings;
}

/** The prefix of the ids of bought grants. */
const BOUGHT = "stripe:";

const keyOf = (account: string, grant: string) => `${account} ${grant}`;

async function readBoughtGrants(grants: AsyncIterable<readonly GrantSeen[]>) {
  const bought = new Map<string, GrantSeen>();
  for await (const page of grants) {
    for (const { account, id, amount, grantedAt } of page)
      if (id.startsWith(BOUGHT)) bought.set(keyOf(account, id), { account, id, amount, grantedAt });
  }
  return bought;
}

export async function* listAllPurchases(
  purchases: Pick<PurchaseStore, "listAll">,
): AsyncGenerator<Purchase> {
  for (let after: Purchase | null = null; ; ) {
    const page: Purchase[] = await purchases.listAll({ after, max: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1) ?? null;
  }
}

/** The predicate of the sentence that says what is wrong with the purchase; null where nothing is. */
async function checkPurchase(
  purchase: Purchase,
  bought: ReadonlyMap<string, GrantSeen>,
  ledger: Pick<Ledger, "credits">,
  now: number,
): Promise<string | null> {
  const { account, grant, offer } = purchase;
  if (grant === null) return checkUngrantedPurchase(purchase, bought, now);
  // A grant made since the pages were read is looked up by itself.
  const amount =
    bought.get(keyOf(account, grant))?.amount ??
    (await findGrant(ledger, account, grant, now))?.amount;
  if (amount === undefined) return `names the grant ${grant}, which the ledger does not have`;
  if (amount === offer.credits) return null;
  return `is for ${counted(offer.credits, "credit")}, but its grant ${grant} is for ${formatNumber(amount)}`;
}

async function findGrant(
  ledger: Pick<Ledger, "credits">,
  account: string,
  id: string,
  now: number,
): Promise<Grant | undefined> {
  for await (const grants of grantPages(ledger, { account, now })) {
    const found = grants.find((grant) => grant.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Checks a purchase whose row names no grant. */
function checkUngrantedPurchase(
  purchase: Purchase,
  bought: ReadonlyMap<string, GrantSeen>,
  now: number,
): string | null {
  const { account, session, payment, offer, status, trouble, updatedAt } = purchase;
  const isBeingSettled = updatedAt > now - SETTLING_MS;
  const grant = bought.get(keyOf(account, `${BOUGHT}${payment ?? session}`));
  if (grant !== undefined) {
    if (isBeingSettled) return null;
    return `has the grant ${grant.id}, which its row does not name: run ${quotedCommand("payments reconcile")}`;
  }
  if (status !== "paid" || refundedCredits(purchase) >= offer.credits) return null;
  if (trouble !== null) return `is paid, but could not be granted (${trouble}): refund it`;
  if (isBeingSettled) return null;
  return `is paid, but its credits were not granted: run ${quotedCommand("payments reconcile")}`;
}
