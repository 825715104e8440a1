import { EVENTS_AT_ONCE } from "#events/bounds.ts";
import type { Ledger, LedgerOperation } from "#ledger/port.ts";
import { HOUR_MS } from "#limits.ts";
import type { ForwardedEvents } from "../sql/forwarded-events.ts";
import type { SqlDriver } from "../sqlite/driver.ts";

/**
 * The events of an account's object. The object writes the events of grants that expire, which no call triggers, and forwards all
 * events to D1, where the events of all accounts are handled. An event is deleted here after D1 stored it. So an event may arrive
 * twice, but is never lost.
 */
export type Forwarding = {
  /** Returns when the next round is due; null if there is nothing to do. */
  dueAt(now: number): number | null;
  /** Writes and forwards the events that are due. Events that cannot be forwarded stay, and are due again. */
  round(now: number): Promise<void>;
};

/** Events are forwarded this long after the first of them was written, so that several are forwarded together. */
export const FORWARD_AFTER_MS = 1_000;
/**
 * An event that could not be forwarded waits for as long as it has waited already, so the waits double, up to this maximum. The
 * age of the event determines the wait, because an object loses its memory between two rounds.
 */
const FORWARD_WAIT_MAX_MS = 6 * HOUR_MS;
const GRANTS_A_STEP = 100;

/** Performs an operation of the object's own ledger; throws if it is not carried out. */
export type PerformOwn = <Name extends LedgerOperation>(
  name: Name,
  order: Parameters<Ledger[Name]>[0],
) => Awaited<ReturnType<Ledger[Name]>>;

export function createForwarding(
  driver: SqlDriver,
  perform: PerformOwn,
  forwardedEvents: Pick<ForwardedEvents, "add">,
): Forwarding {
  const oldestEvent = driver.prepare("SELECT at FROM event ORDER BY no LIMIT 1");
  const nextExpiryEvent = driver.prepare(
    "SELECT event_due_at FROM credit_grant WHERE event_due_at IS NOT NULL ORDER BY event_due_at, no LIMIT 1",
  );

  function recordExpiries(now: number): void {
    const dueAt = nextExpiryEvent.get()?.["event_due_at"];
    if (typeof dueAt !== "number" || dueAt > now) return;
    for (let more = true; more; ) {
      ({ more } = perform("recordExpiries", { now, max: GRANTS_A_STEP }));
    }
  }

  async function forward(): Promise<void> {
    for (;;) {
      const { events } = perform("listEvents", { max: EVENTS_AT_ONCE });
      if (events.length === 0) return;
      await forwardedEvents.add(events);
      perform("deleteEvents", { ids: events.map(({ id }) => id) });
    }
  }

  return {
    dueAt(now) {
      const writtenAt = oldestEvent.get()?.["at"];
      const expiryDueAt = nextExpiryEvent.get()?.["event_due_at"];
      const times = [];
      if (typeof writtenAt === "number") {
        const wait = Math.min(now - writtenAt, FORWARD_WAIT_MAX_MS);
        times.push(now + Math.max(wait, FORWARD_AFTER_MS));
      }
      // Not sooner, so that a clock that was set back does not wake the object over and over.
      if (typeof expiryDueAt === "number")
        times.push(Math.max(expiryDueAt, now + FORWARD_AFTER_MS));
      return times.length === 0 ? null : Math.min(...times);
    },
    async round(now) {
      recordExpiries(now);
      try {
        await forward();
      } catch (cause) {
        console.error(JSON.stringify({ message: NOT_FORWARDED, cause: String(cause) }));
      }
    },
  };
}

const NOT_FORWARDED =
  "Events of an account could not be forwarded to D1; trying again. If D1 lacks a table, import the files that `npx wrangler d1 migrations list DB -c wrangler.site.jsonc --remote` shows";
