import { DAY_MS } from "#limits.ts";

/**
 * Starter credits come once a person, and within budgets: so many grants a UTC day for one network and for the whole service.
 *
 * - `granted`: the account has starter credits.
 * - `address_used`: another account of this person had them. An address counts in its canonical form.
 * - `disposable`: the address is at a provider of disposable addresses.
 * - `network_full`, `day_full`: a budget is exhausted. An operator can grant credits.
 */
export const STARTER_OUTCOMES = [
  "granted",
  "address_used",
  "disposable",
  "network_full",
  "day_full",
] as const;
export type StarterOutcome = (typeof STARTER_OUTCOMES)[number];

/** Grants a UTC day; 0: no limit. */
export type StarterBudgets = { perNetwork: number; perDay: number };

export type StarterClaim = {
  account: string;
  /** The address, which is registered for the account. */
  email: string;
  /** Hashes that stand for the person (`emailHashes`), the one to store first. */
  emailHashes: readonly string[];
  /** Keyed hash of the network; empty where it is unknown, which no network's budget counts. */
  network: string;
  isDisposable: boolean;
  budgets: StarterBudgets;
  now: number;
};

/** A claim as it is stored and exported. The network is not exported, because it matters for a day only. */
export type StarterDecision = {
  account: string;
  emailHash: string;
  at: number;
  outcome: StarterOutcome;
};

/** A person who comes again has had a free call too. An exhausted budget does not withhold it, because it costs next to nothing. */
export const isFreeCallOpen = (outcome: StarterOutcome): boolean =>
  outcome !== "address_used" && outcome !== "disposable";

/** The start of the UTC day, in which budgets are counted. */
export const startOfDay = (now: number): number => now - (now % DAY_MS);

/** After this time a claim's network is erased: no budget counts it any longer. */
export const CLAIM_NETWORK_KEPT_MS = 2 * DAY_MS;

/** For the log, once a day. */
export const exhaustedText = (outcome: "network_full" | "day_full"): string =>
  outcome === "day_full"
    ? "The day's budget of starter credits is used up: new accounts start without credits until midnight UTC. Grant credits with the command credits grant."
    : "A network has used up its budget of starter credits: its new accounts start without credits until midnight UTC. This line appears once a day.";
