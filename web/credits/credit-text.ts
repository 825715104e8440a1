import type { CreditsView, EntryView, GrantKind, UserView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import type { StateLabel } from "../parts/tone.ts";

/** The labels of grants and ledger entries. */
export const GRANT_LABELS: Record<GrantKind, string> = {
  starter: "Starter credits",
  pack: "Credit pack",
  lifetime: "Lifetime credits",
  operator: "From the operator",
};

export const ENTRY_LABELS: Record<EntryView["kind"], StateLabel> = {
  grant: { title: "Grant", shape: "plus", tone: "ok" },
  debit: { title: "Call", shape: "minus", tone: "soft" },
  usage: { title: "Calls in one hour", shape: "minus", tone: "soft" },
  reversal: { title: "Reversal", shape: "back", tone: "ok" },
  expiry: { title: "Expiry", shape: "clock", tone: "warn" },
  void: { title: "Removal", shape: "cross", tone: "warn" },
};

/** Describes an entry; `keyName` returns the label of a key. */
export function entryText(entry: EntryView, keyName: (id: string) => string): string {
  const { kind, grant, tool, key, calls, credits } = entry;
  const grantLabel = grant === null ? "" : GRANT_LABELS[grant.kind];
  if (kind === "grant") return grantLabel;
  if (kind === "expiry") return `${grantLabel}: remaining credits expired`;
  if (kind === "void") return `${grantLabel}: credits removed`;
  const source = entry.parts === null ? null : "paid from several grants";
  const call = [tool, key === null ? null : keyName(key), source].filter(Boolean).join(", ");
  if (kind === "reversal") return `Charge reversed for a call without a response: ${call}`;
  if (kind === "usage") return `${counted(calls ?? 0, "call")}: ${call}`;
  return credits === 0 ? `${call}, free of charge` : call;
}

/**
 * What the page says below the balance: a state, or words. `account`: as the page knows the user; without credits, it has enough only
 * while its first call is free.
 */
export function balanceText(
  { balance, held, lifetime }: Pick<CreditsView, "balance" | "held" | "lifetime">,
  account: Pick<UserView["account"], "balance" | "level"> | undefined,
): StateLabel | string {
  if (held > 0) return `${counted(held, "credit")} held by running calls`;
  if (balance === 0) {
    return account?.balance === 0 && account.level === "enough"
      ? { shape: "check", tone: "ok", title: "Your next call is free" }
      : { shape: "cross", tone: "warn", title: "Calls are rejected" };
  }
  if (lifetime) return { shape: "check", tone: "ok", title: "Lifetime plan: never expires" };
  return "Those that expire first are used first";
}
