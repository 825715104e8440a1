/** How far a call runs. Each step includes the steps before it, so its own cost is the difference. */
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
  key: "key: SHA-256 and cached status",
  body: "body: limits and encoding",
  tool: "tool: JSON, check, run",
  reply: "reply: headers",
  app: "app: routing, memory budget, ids, clock",
  roundTrip: "round trip: RPC to an object",
  reads: "object: reads of a debit, transaction",
  debit: "object: writes of a debit, on disk",
};
