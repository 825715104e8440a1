import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isOperation, OPERATIONS } from "#operator/operations.ts";
import { SCHEMAS } from "#operator/schemas/schemas.ts";
import { anyCharacter } from "../../support/arbitraries.ts";
import { SEED } from "../../support/random.ts";
import { ask, createDeployment } from "./deployment-fixture.ts";

/** Orders of every shape: never a 5xx, and never an action without its record. */
const RUNS = Number(process.env["TEST_FUZZ_RUNS"] ?? 300);

const NAMES = Object.keys(OPERATIONS);
const MOVING = "acc_Cid000000000";
const account = fc.constantFrom("acc_Ada000000000", "acc_Bob000000000", MOVING);
const keyId = fc.constantFrom("key_Ada0000000000000000001", "key_Bob0000000000000000002");
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom("ada@b.c", "bob@b.c", "", " ", "\u0000@\u0000", "\ud800@b.c", "label"),
);
const number = fc.oneof(fc.integer(), fc.nat(9), fc.double(), fc.maxSafeInteger());
const time = fc.oneof({ arbitrary: fc.constant("now"), weight: 4 }, fc.nat(), number);
const record = fc.oneof(
  fc.record({
    record: fc.constant("account"),
    id: account,
    createdAt: fc.nat(),
    state: fc.constantFrom("open", "suspended", "closed"),
    freeCall: fc.constantFrom("open", "used", "withheld"),
  }),
  fc.record({
    record: fc.constant("grant"),
    ...{ account, id: text, kind: fc.constantFrom("operator", "pack"), amount: fc.nat(9) },
    ...{
      remaining: fc.nat(9),
      voided: fc.nat(2),
      voidedAt: fc.constant(null),
      grantedAt: fc.nat(),
    },
    expiresAt: fc.option(fc.maxSafeNat()),
  }),
  fc.record({ record: fc.constant("address"), email: text, account, createdAt: fc.nat() }),
  fc.record({ record: fc.constant("closedAddress"), emailHash: text, closedAt: fc.nat() }),
  fc.record({ record: text, account }),
);
const place = fc.record({
  kind: fc.constantFrom("account", "key", "grant", "debit", "usage", "reversal", "idempotency"),
  after: fc.option(fc.array(fc.oneof(text, number, fc.constant(null)), { maxLength: 4 })),
});
/** Members that orders have, each mostly of a good kind; all of them, every subset, and others. */
const MEMBERS = {
  ...{ account, email: text, label: text, id: fc.oneof(keyId, text), now: time, max: number },
  credits: fc.option(fc.record({ grant: fc.constantFrom("operator:a", "b"), amount: number })),
  ...{ kind: fc.constant("operator"), amount: number, expiresAt: fc.option(time) },
  after: fc.oneof(
    ...[text, fc.constant(null), fc.record({ account, createdAt: fc.nat() })],
    fc.record({ createdAt: fc.nat(), id: text }),
    fc.record({ queue: fc.nat(2), after: fc.option(fc.nat()) }),
  ),
  dead: fc.boolean(),
  ...{ since: time, ref: fc.record({ purchase: text }) },
  ...{ from: time, to: time, starts: fc.array(text), place: fc.option(place) },
  ...{ hold: fc.boolean(), begin: fc.boolean(), finish: fc.boolean(), createdAt: fc.nat() },
  records: fc.array(record, { maxLength: 4 }),
};
const order = fc.oneof(
  { arbitrary: fc.record(MEMBERS), weight: 3 },
  fc.record(MEMBERS, { requiredKeys: [] }),
  fc.jsonValue(),
);

/**
 * Only the members that the operation knows: most orders then get past the schema. One account alone moves, for what is
 * on its way takes nothing else.
 */
function fit(name: string, given: unknown): unknown {
  if (!isOperation(name) || typeof given !== "object" || given === null) return given;
  const shape = (SCHEMAS[name].input as unknown as { shape: Record<string, unknown> }).shape;
  const members = Object.entries(given).filter(([member]) => Object.hasOwn(shape, member));
  const fitted = Object.fromEntries(
    members.map(([member, value]) => [member, value === "now" ? Date.now() : value]),
  );
  const moves = name === "importAccount" || fitted["hold"] === true;
  return moves && "account" in fitted ? { ...fitted, account: MOVING } : fitted;
}

test("random orders get a clear response, and every action that was carried out is recorded", async () => {
  const deployment = createDeployment();
  let lines = 0;
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      order,
      fc.boolean(),
      async (name, given, fitted) => {
        const { status, body } = await ask(deployment, name, fitted ? fit(name, given) : given);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const { actions } = await deployment.actions.list({ after: null, max: 1 });
        const newest = Number(actions[0]?.id ?? 0);
        const kept = newest - lines;
        lines = newest;
        // An account that is held takes no orders meanwhile: that is 503, and said as such.
        const isMoving = status === 503 && /is being exported/.test(body.detail);
        assert.ok(
          [200, 400, 409].includes(status) || isMoving,
          `${status} ${JSON.stringify(body)}`,
        );
        assert.equal(body.ok, status === 200);
        const isAction = isOperation(name) && OPERATIONS[name].action !== null;
        const { begin, finish } = (given ?? {}) as { begin?: unknown; finish?: unknown };
        const isPart = name === "importAccount" && !begin && !finish && status === 200;
        assert.equal(kept, isAction && status !== 400 && !isPart ? 1 : 0, `${name}: ${status}`);
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  assert.ok((statuses.get(200) ?? 0) > RUNS / 40, "some orders are good ones");
  assert.ok((statuses.get(400) ?? 0) > RUNS / 20, "and some are not");
});
