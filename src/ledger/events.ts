import { DAY_MS, EXPIRY_WARNING_DAYS } from "#limits.ts";
import type { GrantKind } from "./model.ts";

/**
 * Events about an account that its owner can be notified of. An event is written in the same transaction as the change that
 * it reports, so it exists exactly if the change happened. It stays in the ledger until its handler deletes it.
 *
 * A balance is at one of three levels. An event is written when the balance reaches a level that is worse than the one the
 * owner was last notified of. A better level is recorded without an event. So each crossing causes one event, however many
 * calls follow.
 */
export type LedgerEvent = { id: string; account: string; at: number } & EventContent;

/** The events that no handler has deleted yet. */
export type LedgerEvents = {
  /** The oldest ones, at most `max`, in the order in which they were written. */
  list(order: { max: number }): Promise<readonly LedgerEvent[]>;
  /** Deletes events that were handled. Those that are deleted already are ignored. */
  settle(events: readonly LedgerEvent[]): Promise<void>;
};

export type EventContent =
  | { kind: "credits.low"; balance: number; lowBalance: number }
  | { kind: "credits.depleted" }
  | {
      kind: "credits.granted";
      /** `amount`: the amount of a new grant, or the voided credits that became spendable because a clawback was lowered. */
      grant: { id: string; kind: GrantKind; amount: number; expiresAt: number | null };
    }
  | {
      kind: "credits.expiring";
      /** The notice period in days. The grant may expire sooner if the event was written late. */
      days: (typeof EXPIRY_WARNING_DAYS)[number];
      grant: { id: string; kind: GrantKind; remaining: number; expiresAt: number };
    }
  | {
      kind: "key.created" | "key.revoked";
      key: { id: string; label: string; start: string };
    };

export const LEDGER_EVENT_KINDS = [
  "credits.low",
  "credits.depleted",
  "credits.granted",
  "credits.expiring",
  "key.created",
  "key.revoked",
] as const satisfies readonly EventContent["kind"][];
export type LedgerEventKind = (typeof LEDGER_EVENT_KINDS)[number];

/** `no` distinguishes events of one account and millisecond, in the order in which they occurred. */
export const eventId = (account: string, at: number, no: number) => `evt_${account}_${at}_${no}`;

/** Parses an event id; returns null if the text is not one. */
export function parseEventId(id: string): { account: string; at: number; no: number } | null {
  const [, account, at, no] = /^evt_(.+)_(-?\d+)_(\d+)$/.exec(id) ?? [];
  return account === undefined ? null : { account, at: Number(at), no: Number(no) };
}

/** From the best to the worst. */
export const LEVELS = ["enough", "low", "gone"] as const;
export type Level = (typeof LEVELS)[number];

export function levelOf(balance: number, lowBalance: number): Level {
  if (balance < 1) return "gone";
  return balance < lowBalance ? "low" : "enough";
}

export const isWorse = (level: Level, other: Level) =>
  LEVELS.indexOf(level) > LEVELS.indexOf(other);

/** The event for a balance that reached a worse level. */
export const eventOfLevel = (balance: number, lowBalance: number): EventContent =>
  levelOf(balance, lowBalance) === "gone"
    ? { kind: "credits.depleted" }
    : { kind: "credits.low", balance, lowBalance };

/** The next time after `now` at which an expiry causes an event: a notice period before it, or the expiry itself. Null: never. */
export function nextEventAt(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  const ahead = EXPIRY_WARNING_DAYS.map((days) => expiresAt - days * DAY_MS);
  return [...ahead, expiresAt].find((at) => at > now) ?? null;
}

/** The shortest notice period in days that has begun; null if none has begun or the grant has expired. */
export function daysAhead(
  expiresAt: number,
  now: number,
): (typeof EXPIRY_WARNING_DAYS)[number] | null {
  if (now >= expiresAt) return null;
  return EXPIRY_WARNING_DAYS.findLast((days) => now >= expiresAt - days * DAY_MS) ?? null;
}
