import type { Ledger } from "#ledger/port.ts";
import type { Purchase } from "./purchase-store.ts";

/**
 * Earlier versions could not lower a clawback. They clawed back the whole grant and made a new one for what was due again,
 * with the id `…:restored`, then `…:restored-2` and so on. Imported files contain such grants; no new ones are made.
 */
const RESTORED = /:restored(?:-(\d+))?$/;

export const isRestored = (grant: string): boolean => RESTORED.test(grant);

/**
 * Returns how many of the purchase's credits were clawed back for good with the grants that `current` has replaced: credits
 * that were neither spent nor granted again. Returns 0 where it has replaced none.
 */
export async function clawedBackBefore(
  ledger: Pick<Ledger, "clawback">,
  { account, offer }: Purchase,
  current: { id: string; amount: number },
  now: number,
): Promise<number> {
  const suffix = RESTORED.exec(current.id);
  if (suffix === null) return 0;
  const first = current.id.slice(0, suffix.index);
  let clawedBack = offer.credits - current.amount;
  for (let index = 0; index < Number(suffix[1] ?? 1); index += 1) {
    const grant = index === 0 ? first : `${first}:restored${index === 1 ? "" : `-${index}`}`;
    // The grant was clawed back whole when it was replaced, so this changes nothing and returns what was spent.
    const result = await ledger.clawback({
      account,
      grant,
      credits: offer.credits,
      version: 0,
      now,
    });
    if (result.outcome !== "no_grant") clawedBack -= result.spent;
  }
  return Math.max(0, clawedBack);
}
