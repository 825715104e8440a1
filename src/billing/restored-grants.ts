import type { Ledger } from "#ledger/port.ts";
import type { Purchase } from "./purchase-store.ts";

/**
 * In ledgers of earlier versions a clawback could not fall: where too much had been taken of a grant it was taken whole, and
 * what was due again became a grant of its own, `…:restored`, then `…:restored-2` and so on. Such grants come with imported
 * files; none is made any more.
 */
const RESTORED = /:restored(?:-(\d+))?$/;

export const isRestored = (grant: string): boolean => RESTORED.test(grant);

/**
 * How many of the purchase's credits were taken for good with the grants that its grant has replaced: those that neither calls
 * have spent nor the next grant has given again. 0 where it has replaced none.
 */
export async function takenBefore(
  ledger: Pick<Ledger, "clawback">,
  { account, offer }: Purchase,
  held: { id: string; amount: number },
  now: number,
): Promise<number> {
  const suffix = RESTORED.exec(held.id);
  if (suffix === null) return 0;
  const first = held.id.slice(0, suffix.index);
  let taken = offer.credits - held.amount;
  for (let place = 0; place < Number(suffix[1] ?? 1); place += 1) {
    const grant = place === 0 ? first : `${first}:restored${place === 1 ? "" : `-${place}`}`;
    // It was taken whole when it was replaced, so this changes nothing and tells what was spent.
    const told = await ledger.clawback({ account, grant, credits: offer.credits, version: 0, now });
    if (told.outcome !== "no_grant") taken -= told.spent;
  }
  return Math.max(0, taken);
}
