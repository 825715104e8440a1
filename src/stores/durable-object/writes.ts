import { NotCarriedOut } from "#ledger/port.ts";

const HOLD_MS = 10_000;

/** The writes to an account's object, as an export sees them (`exports.ts`). */
export type Writes = ReturnType<typeof countWrites>;

export function countWrites() {
  /** Differs after each restart of the object, because `writes` and `heldUntil` are lost then. */
  const instanceId = crypto.randomUUID();
  let writes = 0;
  let heldUntil = 0;
  return {
    /** Call before every write. Throws while the account is held for an export. */
    begin(): void {
      if (Date.now() < heldUntil) throw new NotCarriedOut("The account is being exported");
      writes += 1;
    },
    /** Keeps writes away for a while. */
    hold(): void {
      heldUntil = Date.now() + HOLD_MS;
    },
    /** Differs after each write. */
    state: () => `${instanceId}:${writes}`,
  };
}
