/** What may happen to a ledger, for random runs. */
import fc from "fast-check";
import { accountId, DAY, HOUR, MINUTE } from "./scene.ts";

/** The last of them is never opened. */
export const ACCOUNTS = ["Ada", "Bob", "Cid", "Nobody"].map(accountId);
export const KEYS = ["main", "other"];

const account = fc.constantFrom(...ACCOUNTS, ...ACCOUNTS.slice(0, 2));
/** A number met before means the same call: it is sent again. */
const call = fc.nat({ max: 50 });
const debitStep = fc.record({
  type: fc.constant("debit"),
  call,
  account,
  key: fc.constantFrom(...KEYS, "main", "unknown"),
  tool: fc.constantFrom("hash", "hash", "uuid"),
  idempotencyKey: fc.option(fc.constantFrom("one", "two")),
  body: fc.constantFrom("body", "body", "other"),
});
const grantId = fc.constantFrom("g1", "g2", "g3", "g4", "g5", "g6");
const grantStep = fc.record({
  type: fc.constant("grant"),
  account,
  id: grantId,
  amount: fc.integer({ min: 1, max: 4 }),
  kind: fc.constantFrom("pack", "pack", "operator", "lifetime"),
  /** Hours until it expires. */
  hours: fc.option(fc.constantFrom(0, 1, 6, 24, 24, 48, 8 * 24, 31 * 24)),
});
const clawbackStep = fc.record({
  type: fc.constant("clawback"),
  account,
  id: fc.option(grantId, { freq: 2 }),
  credits: fc.integer({ min: 0, max: 5 }),
  /** How far the version is behind the latest one. */
  behind: fc.constantFrom(0, 0, 0, 1, 5),
});
const lookStep = fc.record({ type: fc.constant("look"), max: fc.constantFrom(1, 2, 100) });
const settleStep = fc.record({ type: fc.constant("settle"), max: fc.constantFrom(1, 3, 100) });
const boundStep = fc.record({
  type: fc.constant("bound"),
  account,
  lowBalance: fc.constantFrom(0, 1, 2, 3, 5, 20),
});
/** Null, here and below: what was debited last. */
const reverseStep = fc.record({ type: fc.constant("reverse"), call: fc.option(call, { freq: 2 }) });
const clockStep = fc.record({
  type: fc.constant("clock"),
  ms: fc.constantFrom(1, MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, -HOUR, -DAY),
});
/** To the next time at which something comes or ends, or a millisecond off it. */
const boundaryStep = fc.record({ type: fc.constant("boundary"), off: fc.constantFrom(-1, 0, 1) });
const accountStep = fc.record({
  type: fc.constantFrom("suspend", "resume", "resume", "revoke", "keyStatus"),
  account,
  key: fc.constantFrom(...KEYS),
});
const closeStep = fc.record({ type: fc.constant("close"), account });
const maintainStep = fc.record({
  type: fc.constant("maintain"),
  rowsMax: fc.constantFrom(1, 2, 5, 100),
  hours: fc.constantFrom(1, 24, 48),
});

export const step = fc.oneof(
  { weight: 40, arbitrary: debitStep },
  { weight: 14, arbitrary: grantStep },
  { weight: 14, arbitrary: reverseStep },
  { weight: 6, arbitrary: clockStep },
  { weight: 8, arbitrary: boundaryStep },
  { weight: 8, arbitrary: accountStep },
  { weight: 7, arbitrary: clawbackStep },
  { weight: 7, arbitrary: lookStep },
  { weight: 3, arbitrary: settleStep },
  { weight: 3, arbitrary: boundStep },
  { weight: 1, arbitrary: closeStep },
  { weight: 5, arbitrary: maintainStep },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
