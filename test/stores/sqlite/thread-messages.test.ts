import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import { type BatchItem, type BatchResult, outcomeOf } from "#stores/ledger/store-ledger.ts";
import {
  packOrders,
  packResults,
  unpackOrders,
  unpackOutcomes,
} from "#stores/sqlite/thread-messages.ts";
import fc from "../../support/properties.ts";

/** What crosses to the ledger's thread and back arrives as it was sent. */
const word = fc.string();
const amount = fc.double({ noNaN: true });

/** Every field, so that the compiler reports one that this test lacks. */
const DEBIT: { [Field in keyof Required<DebitOrder>]: fc.Arbitrary<DebitOrder[Field]> } = {
  ...{ account: word, keySha256: word, callId: word, tool: word },
  ...{ credits: amount, freeCallCredits: amount, now: amount },
  address: fc.option(word),
  idempotency: fc.option(
    fc.record({
      ...{ key: word, bodySha256: word, responseSha256: word, receivedAt: amount },
      random: fc.option(word),
    }),
  ),
  namesKey: fc.boolean(),
};
const { address: _, namesKey: __, ...REQUIRED } = DEBIT;
const debit = fc.record(DEBIT, { requiredKeys: Object.keys(REQUIRED) as never });
const items: fc.Arbitrary<BatchItem[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant("debit" as const), debit) },
    fc.tuple(fc.constantFrom("audit", "credits"), fc.record({ account: word, now: amount })),
  ),
);

const keyRate = fc.record({ keyNo: amount, callsPerSecond: amount });
const debited = fc.record(
  {
    outcome: fc.constant("debited" as const),
    ...{ charged: amount, balance: amount, keyRate, keyId: word },
  },
  { requiredKeys: ["outcome", "charged", "balance"] },
) as fc.Arbitrary<DebitOutcome>;
const results: fc.Arbitrary<BatchResult[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ value: debited }) },
    fc.record({
      value: fc.oneof(
        fc.constant(null),
        fc.constant(7),
        fc.record({ outcome: fc.constant("insufficient_credits"), balance: amount, keyRate }),
      ),
    }),
    fc.record({
      error: fc.record(
        {
          kind: fc.constantFrom("rejected", "being_moved", "not_summed", "not_carried_out"),
          ...{ message: word, errcode: fc.nat() },
        },
        { requiredKeys: ["kind", "message"] },
      ),
    }) as fc.Arbitrary<BatchResult>,
  ),
);

test("orders and outcomes arrive as they were sent, in their sequence", () => {
  fc.assert(
    fc.property(items, results, (sent, made) => {
      assert.deepStrictEqual(unpackOrders(structuredClone(packOrders(sent))), plain(sent));
      const outcomes = unpackOutcomes(structuredClone(packResults(made)));
      assert.deepStrictEqual(outcomes, plain(made).map(outcomeOf));
    }),
  );
});

/** Records of fast-check have no prototype. */
const plain = <Value>(value: Value): Value => structuredClone(value);
