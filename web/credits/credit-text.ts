import type { EntryView, GrantKind } from "#api/dashboard/shapes.ts";
import { counted, longDay, relative } from "../parts/numbers.ts";
import type { Shape, Tone } from "../parts/tone.ts";

/** What grants and entries are called on the pages. */
export const GRANT_LABELS: Record<GrantKind, string> = {
  starter: "Starter credits",
  pack: "Credit pack",
  lifetime: "Lifetime credits",
  operator: "From the operator",
};

type Told = { title: string; shape: Shape; tone: Tone };
export const ENTRY_LABELS: Record<EntryView["kind"], Told> = {
  grant: { title: "Grant", shape: "plus", tone: "ok" },
  debit: { title: "Call", shape: "minus", tone: "soft" },
  usage: { title: "Calls of one hour", shape: "minus", tone: "soft" },
  reversal: { title: "Reversal", shape: "back", tone: "ok" },
  expiry: { title: "Expiry", shape: "clock", tone: "warn" },
  void: { title: "Void", shape: "cross", tone: "warn" },
};

/** How many credits end, and when. */
export const endText = ({ credits, at }: { credits: number; at: number }, now: number): string =>
  `${counted(credits, "credit")} on ${longDay(at)}, ${relative(at, now)}`;

/** One sentence about an entry; `keyName` names the key of a call. */
export function entryText(entry: EntryView, keyName: (id: string) => string): string {
  const { kind, grant, tool, key, calls, credits } = entry;
  const of = grant === null ? "" : GRANT_LABELS[grant.kind];
  if (kind === "grant") return of;
  if (kind === "expiry") return `${of}: what was left has expired`;
  if (kind === "void") return `${of}: taken back`;
  const paidBy = entry.parts === null ? null : "from several grants";
  const called = [tool, key === null ? null : keyName(key), paidBy].filter(Boolean).join(", ");
  if (kind === "reversal") return `Given back for a call without an answer: ${called}`;
  if (kind === "usage") return `${counted(calls ?? 0, "call")}: ${called}`;
  return credits === 0 ? `${called}; free of charge` : called;
}
