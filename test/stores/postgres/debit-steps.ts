import fc from "fast-check";
import { LAST_USED_STEP_MS } from "#ledger/port.ts";
import { DAY, HOUR, START } from "../../contract/ledger/fixture.ts";

/** The steps of a run of random batches (debit.test.ts). */
export const WHO = ["Ada", "Bob", "Cid", "Nobody"];
export const KEYS = ["main", "other"];
const who = fc.constantFrom(...WHO, "Ada", "Ada", "Bob");
/** Around the expiry of the grants and idempotency keys, not in order. */
const time = fc
  .tuple(
    fc.constantFrom(0, 0, 0, HOUR, 2 * HOUR, DAY, DAY + HOUR, LAST_USED_STEP_MS),
    fc.integer({ min: -2, max: 2 }),
  )
  .map(([ms, off]) => START + ms + off);
const freshOrder = fc.record({
  type: fc.constant("fresh"),
  who,
  key: fc.constantFrom("main", "main", "main", "other", "unknown"),
  tool: fc.constantFrom("hash", "hash", "uuid"),
  credits: fc.constantFrom(0, 1, 1, 1, 1, 2, 3, 7),
  now: time,
  idempotencyKey: fc.option(fc.constantFrom("one", "one", "two"), { freq: 2 }),
  body: fc.constantFrom("body", "body", "other"),
});
/** Like most calls: the batch decides those of such an account together. */
const calmOrder = fc.record({
  type: fc.constant("fresh"),
  who: fc.constantFrom("Ada", "Bob", "Cid"),
  key: fc.constantFrom("main", "main", "main", "main", "main", "other", "unknown"),
  tool: fc.constant("hash"),
  credits: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 4),
  now: fc.integer({ min: START, max: START + 5 }),
  idempotencyKey: fc.constantFrom(null, null, null, null, null, null, null, "one"),
  body: fc.constant("body"),
});
/** One of the orders sent earlier in this batch or a previous one, by its position. */
const again = fc.record({ type: fc.constant("again"), place: fc.nat() });
const batchOf = (order: typeof freshOrder | typeof calmOrder, againWeight: number) => {
  const one = fc.oneof({ weight: 24, arbitrary: order }, { weight: againWeight, arbitrary: again });
  const orders = fc.array(one, { minLength: 1, maxLength: 14, size: "max" });
  return fc.record({ type: fc.constant("batch"), orders });
};
const grantStep = fc.record({
  type: fc.constant("grant"),
  who,
  amount: fc.constantFrom(1, 2, 3, 5, 40),
  ends: fc.option(fc.constantFrom(HOUR, HOUR, 2 * HOUR, DAY)),
  kind: fc.constantFrom("pack", "pack", "lifetime"),
});
const clawbackStep = fc.record({
  type: fc.constant("clawback"),
  who,
  place: fc.nat(),
  credits: fc.constantFrom(1, 2, 50),
  version: fc.integer({ min: 0, max: 5 }),
  now: time,
});
/** Around the sum of the grants, so that balances often cross it. */
const lowStep = fc.record({
  type: fc.constant("low"),
  who,
  lowBalance: fc.constantFrom(0, 1, 2, 3, 5, 12, 38),
  now: time,
});
const accountStep = fc.record({
  type: fc.constantFrom("suspend", "resume", "resume", "revoke", "close"),
  who,
  key: fc.constantFrom(...KEYS),
});
export const step = fc.oneof(
  { weight: 8, arbitrary: batchOf(freshOrder, 0) },
  { weight: 8, arbitrary: batchOf(freshOrder, 4) },
  { weight: 8, arbitrary: batchOf(calmOrder, 0) },
  { weight: 2, arbitrary: batchOf(calmOrder, 1) },
  { weight: 8, arbitrary: grantStep },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("reverse"), place: fc.nat() }) },
  { weight: 4, arbitrary: accountStep },
  { weight: 4, arbitrary: lowStep },
  { weight: 2, arbitrary: clawbackStep },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
export type Batch = Extract<Step, { type: "batch" }>;
