import { DAY_MS, EXPIRY_NOTICE_DAYS } from "#limits.ts";
import type { GrantKind } from "./port.ts";

/**
 * What an account's owner is to be told of. A notice is written in the transaction of what it tells of, so it is there
 * exactly where that has happened; it stays until whoever carries it on has settled it.
 *
 * A balance is at one of three levels. A notice of it is written when it comes to a worse one than was told last; a better
 * one is noted in silence. So there is one notice for each crossing, however many calls come after it.
 */
export type LedgerEvent = { id: string; account: string; at: number } & EventContent;

export type EventContent =
  | { kind: "credits.low"; balance: number; lowBalance: number }
  | { kind: "credits.depleted" }
  | {
      kind: "credits.granted";
      /** `amount`: of a new grant all of it; where a clawback has fallen, the voided credits that can be spent again. */
      grant: { id: string; kind: GrantKind; amount: number; expiresAt: number | null };
    }
  | {
      kind: "credits.expiring";
      /** The notice that was due: so many days ahead, or fewer where nobody looked in time. */
      days: (typeof EXPIRY_NOTICE_DAYS)[number];
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

/** `no`: what tells apart the notices of one account and millisecond, in the order in which they came about. */
export const eventId = (account: string, at: number, no: number) => `evt_${account}_${at}_${no}`;

/** The parts of a notice's id; null for a text that is none. */
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

export const isWorse = (level: Level, told: Level) => LEVELS.indexOf(level) > LEVELS.indexOf(told);

/** What is told where a balance has come to a level that is worse than the one told last. */
export const eventOfLevel = (balance: number, lowBalance: number): EventContent =>
  levelOf(balance, lowBalance) === "gone"
    ? { kind: "credits.depleted" }
    : { kind: "credits.low", balance, lowBalance };

/** When something about a grant is to be told or done next: a notice ahead of its end, or the end. Null: never. */
export function nextEventAt(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  const ahead = EXPIRY_NOTICE_DAYS.map((days) => expiresAt - days * DAY_MS);
  return [...ahead, expiresAt].find((at) => at > now) ?? null;
}

/** The notice that is due of a grant that was to be looked at by now; null where it is over. */
export function daysAhead(
  expiresAt: number,
  now: number,
): (typeof EXPIRY_NOTICE_DAYS)[number] | null {
  if (now >= expiresAt) return null;
  return EXPIRY_NOTICE_DAYS.findLast((days) => now >= expiresAt - days * DAY_MS) ?? null;
}
