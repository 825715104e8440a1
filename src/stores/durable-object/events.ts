import { EVENTS_AT_ONCE } from "#events/bounds.ts";
import type { Ledger, LedgerOperation } from "#ledger/port.ts";
import { HOUR_MS } from "#limits.ts";
import type { ForwardedEvents } from "../sql/forwarded-events.ts";
import type { SqlDriver } from "../sqlite/driver.ts";

/**
 * What an account's object does about notices beside writing them: it looks for grants that end, which no call would tell
 * it of, and hands on what was written to where the notices of all accounts meet. A notice is settled here when it is kept
 * there, so one may arrive twice and none gets lost.
 */
export type Forwarding = {
  /** When there is something to do, by what is stored; null: nothing. */
  dueAt(now: number): number | null;
  /** What cannot be handed on stays, and is due again. */
  round(now: number): Promise<void>;
};

/** A notice is handed on so soon after it was written, and with it those that come in the meantime. */
export const FORWARD_AFTER_MS = 1_000;
/**
 * What could not be handed on waits for as long as it has waited already, so the waits double; an object forgets between two
 * of them whatever it does not store. At the most this long.
 */
const FORWARD_WAIT_MAX_MS = 6 * HOUR_MS;
const GRANTS_A_STEP = 100;

/** One operation of the object's own ledger; throws where it is not carried out. */
export type PerformOwn = <Name extends LedgerOperation>(
  name: Name,
  order: Parameters<Ledger[Name]>[0],
) => Awaited<ReturnType<Ledger[Name]>>;

export function createForwarding(
  driver: SqlDriver,
  perform: PerformOwn,
  place: Pick<ForwardedEvents, "add">,
): Forwarding {
  const oldestEvent = driver.prepare("SELECT at FROM event ORDER BY no LIMIT 1");
  const nextLook = driver.prepare(
    "SELECT event_due_at FROM credit_grant WHERE event_due_at IS NOT NULL ORDER BY event_due_at, no LIMIT 1",
  );

  function lookForEnds(now: number): void {
    const look = nextLook.get()?.["event_due_at"];
    if (typeof look !== "number" || look > now) return;
    for (let more = true; more; ) {
      ({ more } = perform("recordExpiries", { now, max: GRANTS_A_STEP }));
    }
  }

  async function handOn(): Promise<void> {
    for (;;) {
      const { events } = perform("listEvents", { max: EVENTS_AT_ONCE });
      if (events.length === 0) return;
      await place.add(events);
      perform("deleteEvents", { ids: events.map(({ id }) => id) });
    }
  }

  return {
    dueAt(now) {
      const [written, look] = [oldestEvent.get()?.["at"], nextLook.get()?.["event_due_at"]];
      const dues = [];
      if (typeof written === "number") {
        const wait = Math.min(now - written, FORWARD_WAIT_MAX_MS);
        dues.push(now + Math.max(wait, FORWARD_AFTER_MS));
      }
      // A clock that was set back wakes nobody again and again.
      if (typeof look === "number") dues.push(Math.max(look, now + FORWARD_AFTER_MS));
      return dues.length === 0 ? null : Math.min(...dues);
    },
    async round(now) {
      lookForEnds(now);
      try {
        await handOn();
      } catch (cause) {
        console.error(JSON.stringify({ message: NOT_HANDED_ON, cause: String(cause) }));
      }
    },
  };
}

const NOT_HANDED_ON =
  "Notices of an account could not be handed on to D1; it is tried again. Where D1 lacks a table, run `npx wrangler d1 migrations apply DB -c wrangler.site.jsonc --remote`";
