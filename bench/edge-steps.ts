/** How far a call goes, each step with all before it: what one adds is the difference to the one before. */
export const STEPS = [
  "bare",
  "key",
  "body",
  "tool",
  "reply",
  "app",
  "roundTrip",
  "reads",
  "debit",
] as const;
export type Step = (typeof STEPS)[number];

export const STEP_NAMES: Record<Step, string> = {
  bare: "a bare Worker",
  key: "key: its SHA-256, what is known of it",
  body: "body: its bounds and encoding",
  tool: "tool: JSON, check, run",
  reply: "reply: headers",
  app: "app: routing, admission, ids, clock",
  roundTrip: "round trip: the RPC to an object",
  reads: "object: what a debit reads, a transaction",
  debit: "object: what it writes, on the disk",
};
