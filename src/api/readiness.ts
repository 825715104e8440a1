import type { Readiness, Unready } from "#calls/app-context.ts";
import type { Ledger } from "#ledger/port.ts";

/** The result of a probe is used for this long. */
const PROBE_REUSED_MS = 1_000;

type Sources = {
  ledger: Pick<Ledger, "probe">;
  now(): number;
  /** A monotonic clock in milliseconds. */
  elapsed(): number;
};

/**
 * Asks the ledger whether it accepts debits: at most once a second, however many clients ask.
 *
 * `explain`: turns the fault into the sentence of `Unready`.
 */
export function probeReadiness(
  { ledger, now, elapsed }: Sources,
  explain: (cause: unknown) => string = () => NOT_ACCEPTED,
): Readiness {
  let last: { at: number; unready: Promise<Unready | null> } | null = null;
  return () => {
    const at = elapsed();
    if (last === null || at - last.at >= PROBE_REUSED_MS) {
      const unready = ledger.probe({ now: now() }).then(
        () => null,
        (cause) => ({ message: explain(cause), cause }),
      );
      last = { at, unready };
    }
    return last.unready;
  };
}

export const NOT_ACCEPTED = "The ledger does not accept writes. Calls fail until it does.";
