/**
 * What a test does behind the scenes: it sends orders to the ledger past the service, moves the clock, and lets the
 * service's own orders fail, wait or lose their answers. Commands are plain data, so they reach into workerd too.
 */
import { probeReadiness } from "#api/readiness.ts";
import { type CallLedger, LocalCallLedger } from "#ledger/call-ledger.ts";
import type { CallRef, Ledger, LedgerOperation, LedgerOperations } from "#ledger/port.ts";

const TROUBLES = [
  "none",
  "refuse_all",
  "refuse_debits",
  "hold_debits",
  "lose_answers",
  "lose_all",
] as const;
/**
 * `refuse_*`: nothing is done and the promise rejects. `hold_debits`: debits wait until the trouble is over.
 * `lose_answers`: debits are made, and their promises reject. `lose_all`: so are they, and reversals are refused.
 */
export type Trouble = (typeof TROUBLES)[number];

/** What must never be seen in an answer. */
export const CAUSE = "disk /var/lib/toolbooth on db-7.internal is gone";

export type Command =
  | { command: "order"; name: LedgerOperation; order: unknown }
  | { command: "trouble"; trouble: Trouble }
  | { command: "advance"; ms: number }
  | { command: "now" }
  /** How many debits wait. */
  | { command: "held" }
  /** How many operations of this name the service has ordered. */
  | { command: "ordered"; name: LedgerOperation }
  /** How often the service has asked its ledger, whatever it asked. */
  | { command: "roundTrips" }
  /** The errors that the service has logged so far. */
  | { command: "loggedErrors" };

export type Backstage = ReturnType<typeof createBackstage>;

type Parts = {
  /** The ledger as the service reaches it; left out, it is the one that commands order from. */
  service?: Ledger;
  /** How calls ask the ledger, where it is remote. */
  remote?: CallLedger;
  /** Counts the round trips where that can be seen more closely than here. */
  roundTrips?: () => number;
};

export function createBackstage(
  ledger: Ledger,
  time: { now(): number; elapsed(): number },
  { service = ledger, remote, roundTrips: countRoundTrips }: Parts = {},
) {
  let trouble: Trouble = "none";
  let aheadMs = 0;
  let held = 0;
  let roundTrips = 0;
  const ordered = new Map<LedgerOperation, number>();
  const loggedErrors: string[] = [];
  const kept: CallRef[] = [];
  const now = () => time.now() + aheadMs;

  async function order<Outcome>(
    name: LedgerOperation,
    carryOut: () => Promise<Outcome>,
  ): Promise<Outcome> {
    roundTrips += 1;
    ordered.set(name, (ordered.get(name) ?? 0) + 1);
    const isDebit = name === "debit" || name === "settle";
    if (trouble === "refuse_all" || (trouble === "refuse_debits" && isDebit))
      throw new Error(CAUSE);
    if (trouble === "lose_all" && name === "reverse") throw new Error(CAUSE);
    if (trouble === "hold_debits" && isDebit) await untilOver();
    const outcome = await carryOut();
    if ((trouble === "lose_answers" || trouble === "lose_all") && isDebit) throw new Error(CAUSE);
    return outcome;
  }

  /** Looks again and again, because in workerd no request can wake another. */
  async function untilOver(): Promise<void> {
    held += 1;
    while (trouble === "hold_debits") await new Promise((resolve) => setTimeout(resolve, 2));
    held -= 1;
  }

  /** What a cron does at the edge: it gives back what could not be given back when it was due. */
  async function giveBackKept(): Promise<void> {
    for (const call of kept.splice(0)) await ledger.reverse({ ...call, now: now() });
  }

  async function perform(command: Command): Promise<unknown> {
    switch (command.command) {
      case "order":
        return (ledger[command.name] as (value: unknown) => Promise<unknown>)(command.order);
      case "trouble":
        trouble = command.trouble;
        if (trouble === "none") await giveBackKept();
        return null;
      case "advance":
        aheadMs += command.ms;
        return null;
      case "now":
        return now();
      case "held":
        return held;
      case "ordered":
        return ordered.get(command.name) ?? 0;
      case "roundTrips":
        return countRoundTrips?.() ?? roundTrips;
      case "loggedErrors":
        return loggedErrors;
    }
  }

  const names = Object.keys(service) as LedgerOperation[];
  const troubled = Object.fromEntries(
    names.map((name) => [
      name,
      (value: LedgerOperations[typeof name][0]) =>
        order<unknown>(name, () => service[name](value as never)),
    ]),
  ) as Ledger;
  const elapsed = () => time.elapsed() + aheadMs;
  const callsFor = (rateLimit: number): CallLedger =>
    remote === undefined
      ? new LocalCallLedger(troubled, rateLimit, elapsed)
      : {
          ...remote,
          debit: (value, isCounted) => order("debit", () => remote.debit(value, isCounted)),
          keyStatus: (value) => order("keyStatus", () => remote.keyStatus(value)),
          hold: (value, isCounted) => order("hold", () => remote.hold(value, isCounted)),
          settle: (value) => order("settle", () => remote.settle(value)),
          release: (value) => order("release", () => remote.release(value)),
          renew: (value) => order("renew", () => remote.renew(value)),
        };
  return {
    perform,
    /** For an app that hands over the calls that it could not reverse. */
    keep: async (call: CallRef) => void kept.push(call),
    /** What the app is built with. */
    parts: ({ rateLimit }: { rateLimit: number }) => ({
      /** Once; a call that cannot be reversed now is reversed when there is no more trouble. */
      reverseLater: async (call: CallRef) =>
        void troubled.reverse({ ...call, now: now() }).catch(() => kept.push(call)),
      ...{ ledger: troubled, calls: callsFor(rateLimit), now, elapsed },
      readiness: probeReadiness({ ledger: troubled, now, elapsed }),
      logError(message: string, { cause }: { cause?: unknown }) {
        loggedErrors.push(`${message} ${cause}`);
      },
    }),
  };
}
