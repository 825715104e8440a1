import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DebitOrder, type DebitOutcome, OrderRejected } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { type BatchItem, type BatchResult, outcomeOf } from "#stores/sqlite/batch.ts";
import {
  createOrderReader,
  createOrderWriter,
  createOutcomeReader,
  createResultWriter,
  createWireMemory,
  NAMES_MAX,
  nextFlight,
  type OrderText,
  openWire,
} from "#stores/sqlite/batch-wire.ts";

/** What crosses to the ledger thread and back arrives as it was sent. */

type Exchange = { items: BatchItem[]; results: BatchResult[]; commitMs: number };

/** Both ends of one connection. Texts cross as JSON, as they do between threads. */
function openEnds() {
  const memory = createWireMemory();
  const texts: string[] = [];
  const [client, server] = [openWire(memory), openWire(memory)];
  const writeOrders = createOrderWriter(client);
  const readOrders = createOrderReader(server, () => JSON.parse(texts.shift() as string));
  const writeResults = createResultWriter(server);
  const readOutcomes = createOutcomeReader(client);
  const sent: OrderText[] = [];
  return {
    sent,
    /** Sends all batches before the first is read, and then reads all results. */
    cross(exchanges: Exchange[], from = 0) {
      let flight = from;
      const flights = exchanges.map(({ items }) => {
        const own = flight;
        flight = nextFlight(flight);
        const text = writeOrders(items, own);
        if (text !== null) {
          sent.push(text);
          texts.push(JSON.stringify(text));
        }
        return own;
      });
      const orders = flights.map(readOrders);
      const others = exchanges.map(({ results, commitMs }, i) =>
        writeResults(orders[i] as BatchItem[], results, flights[i] as number, commitMs),
      );
      return flights.map((own, i) => ({
        items: orders[i],
        ...readOutcomes(own, JSON.parse(JSON.stringify(others[i]))),
      }));
    },
  };
}

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("hash", "uuid", "acc_Ada000000000", "127.0.0.1", "") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 120 }) },
);
const amount = fc.oneof(fc.maxSafeNat(), fc.integer(), fc.constantFrom(0, 0.1, 1e300, -1e-9));
const callId = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "Z", "0", "_", "ÿ"), maxLength: 40 }),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
);
const idempotency = fc.record({
  key: word,
  bodySha256: word,
  responseSha256: word,
  receivedAt: amount,
  random: fc.option(word),
});

/** Every field, so that the compiler reports one that this test lacks. */
const DEBIT: { [Field in keyof Required<DebitOrder>]: fc.Arbitrary<DebitOrder[Field]> } = {
  account: word,
  keySha256: word,
  callId,
  tool: word,
  credits: amount,
  freeCallCredits: amount,
  now: amount,
  address: fc.option(word),
  idempotency: fc.option(idempotency, { freq: 5 }),
  earliestNow: amount,
  namesKey: fc.boolean(),
};
const { earliestNow: _, namesKey: ___, ...USUAL } = DEBIT;
const { address: __, ...WITHOUT_ADDRESS } = USUAL;
const debitOrder = fc.oneof(
  { weight: 4, arbitrary: fc.record(USUAL) },
  { weight: 1, arbitrary: fc.record(WITHOUT_ADDRESS) },
  { weight: 1, arbitrary: fc.record(DEBIT) },
);
const keyRate = fc.record({ keyNo: amount, callsPerSecond: amount });
const debited = fc.record(
  {
    outcome: fc.constant("debited" as const),
    charged: amount,
    balance: amount,
    keyRate,
    keyId: word,
  },
  { requiredKeys: ["outcome", "charged", "balance"] },
) as fc.Arbitrary<DebitOutcome>;
const otherOutcome: fc.Arbitrary<DebitOutcome> = fc.oneof(
  fc.constant({ outcome: "invalid_key" as const }),
  fc.record({ outcome: fc.constant("insufficient_credits" as const), balance: amount, keyRate }),
  fc.record({
    outcome: fc.constant("key_not_allowed" as const),
    balance: amount,
    limit: fc.constant("tools" as const),
    tools: fc.array(word),
  }),
);
const failure: fc.Arbitrary<BatchResult> = fc.record({
  error: fc.record(
    {
      kind: fc.constantFrom("rejected", "being_moved", "not_summed", "not_carried_out", "unknown"),
      message: word,
      errcode: fc.nat(),
    },
    { requiredKeys: ["kind", "message"] },
  ),
}) as fc.Arbitrary<BatchResult>;
const value = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.record({ value: arbitrary });
const exchanged: fc.Arbitrary<[BatchItem, BatchResult]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(
      debitOrder.map((order): BatchItem => ["debit", order]),
      fc.oneof({ weight: 4, arbitrary: value(debited) }, value(otherOutcome), failure),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.record({ account: word, now: amount }).map((order): BatchItem => ["findAccount", order]),
      // An outcome of another operation that looks like one of a debit.
      fc.oneof(value(debited), value(fc.constant(null)), failure),
    ),
  },
);
const exchange = fc.tuple(fc.array(exchanged, { maxLength: 40 }), fc.double({ noNaN: true })).map(
  ([pairs, commitMs]): Exchange => ({
    items: pairs.map(([item]) => item),
    results: pairs.map(([, result]) => result),
    commitMs,
  }),
);

test("random orders and outcomes arrive as a structured clone of them would", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(exchange, { minLength: 1, maxLength: 2 }), { maxLength: 5 }),
      (rounds) => {
        const { cross } = openEnds();
        for (const [i, round] of rounds.entries()) {
          const received = cross(round, i % 2);
          for (const [j, { items, results, commitMs }] of round.entries()) {
            assert.deepStrictEqual(received[j], {
              items: structuredClone(items),
              outcomes: structuredClone(results).map(outcomeOf),
              commitMs,
            });
          }
        }
      },
    ),
  );
});

const plain = (i: number): DebitOrder => ({
  account: "acc_Ada000000000",
  keySha256: `key ${i}`,
  callId: `call_${i}`,
  tool: "hash",
  credits: 1,
  freeCallCredits: 1,
  now: 1_000 + i,
  address: "127.0.0.1",
  idempotency: null,
});
const batchOf = (orders: DebitOrder[]): Exchange => ({
  items: orders.map((order) => ["debit", order]),
  results: orders.map(() => ({ value: { outcome: "debited", charged: 1, balance: 9 } })),
  commitMs: 0.5,
});

test("plain debits need a text only for names that are new", () => {
  const { cross, sent } = openEnds();
  const full = batchOf(Array.from({ length: LEDGER_BATCH_MAX }, (_, i) => plain(i % 3)));
  cross([full]);
  assert.deepEqual(sent, [
    { names: ["acc_Ada000000000", "key 0", "hash", "127.0.0.1", "key 1", "key 2"] },
  ]);
  assert.deepEqual(cross([full])[0]?.items, full.items);
  assert.equal(sent.length, 1);
});

test("names are bounded: when there are too many, both ends forget them", () => {
  const { cross, sent } = openEnds();
  const batches = Math.ceil(NAMES_MAX / LEDGER_BATCH_MAX) + 2;
  let names = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const orders = Array.from({ length: LEDGER_BATCH_MAX }, (_, i) =>
      plain(batch * LEDGER_BATCH_MAX + i),
    );
    const made = batchOf(orders);
    assert.deepEqual(cross([made])[0]?.items, made.items);
    const text = sent.at(-1);
    if (text?.forgets) names = 0;
    names += text?.names?.length ?? 0;
    assert.ok(names <= NAMES_MAX, `${names} names`);
  }
  assert.equal(sent.filter(({ forgets }) => forgets).length, 1);
});

test("a rejected order fails alone, with its class and sentence", () => {
  const { cross } = openEnds();
  const batch = batchOf([plain(1), plain(2), plain(3)]);
  batch.results[1] = { error: { kind: "rejected", message: "No" } };
  const outcomes = cross([batch])[0]?.outcomes;
  assert.ok(outcomes?.[1] instanceof OrderRejected);
  assert.deepEqual(
    [outcomes[0], outcomes[2]],
    Array(2).fill({ outcome: "debited", charged: 1, balance: 9 }),
  );
});
