import { EVENTS_AT_ONCE } from "#events/bounds.ts";
import type { LedgerEvents } from "#ledger/events.ts";
import { HOUR_MS } from "#limits.ts";
import type { ForwardedEvents } from "../sql/ledger-events.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import type { Chore } from "./next-alarm.ts";

/** Events are forwarded this long after the first of them was written, so that several are forwarded together. */
export const FORWARD_AFTER_MS = 1_000;
/**
 * An event that could not be forwarded waits for as long as it has waited already, so the waits double, up to this maximum. The
 * age of the event determines the wait, because an object loses its memory between two rounds.
 */
const FORWARD_WAIT_MAX_MS = 6 * HOUR_MS;

/**
 * The events of an account's object, which it forwards to D1, where the events of all accounts are handled. An event is deleted here
 * after D1 stored it. So an event may arrive twice, but is never lost.
 */
export function createForwarding(
  driver: SqlDriver,
  ownEvents: LedgerEvents,
  forwardedEvents: Pick<ForwardedEvents, "add">,
): Chore {
  const oldestEvent = driver.prepare("SELECT at FROM event ORDER BY no LIMIT 1");

  async function forward(): Promise<void> {
    for (;;) {
      const events = await ownEvents.list({ max: EVENTS_AT_ONCE });
      if (events.length === 0) return;
      await forwardedEvents.add(events);
      await ownEvents.settle(events);
    }
  }

  return {
    dueAt(now) {
      const writtenAt = oldestEvent.get()?.["at"];
      if (typeof writtenAt !== "number") return null;
      const wait = Math.min(now - writtenAt, FORWARD_WAIT_MAX_MS);
      return now + Math.max(wait, FORWARD_AFTER_MS);
    },
    async round() {
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
