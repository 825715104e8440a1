import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "#operator/operations.ts";
import { anyCharacter } from "../../support/arbitraries.ts";
import fc from "../../support/properties.ts";
import { ask, createDeployment } from "./deployment-fixture.ts";

/** Inputs of every shape: never a 5xx, and never an action without its record. */
const RUNS = Number(process.env["TEST_FUZZ_RUNS"] ?? 300);

const MOVING = "acc_Cid000000000";
const accountId = fc.constantFrom("acc_Ada000000000", "acc_Bob000000000", MOVING);
const keyId = fc.constantFrom("key_Ada0000000000000000001", "key_Bob0000000000000000002");
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom("ada@example.org", "bob@example.org", "", " ", "\u0000@\u0000", "\ud800@b.co"),
);
const number = fc.oneof(fc.nat(9), fc.integer(), fc.double(), fc.maxSafeInteger());
const day = fc.constantFrom("2026-01-01", "2099-12-31", "2027-01-31T12:00:00Z", "tomorrow", "");
const record = fc.oneof(
  fc.record({
    ...{ record: fc.constant("account"), id: accountId, createdAt: fc.nat() },
    state: fc.constantFrom("open", "suspended", "closed"),
    freeCall: fc.constantFrom("open", "used", "withheld"),
    ...{ lowBalance: fc.nat(9), notifiedLevel: fc.constantFrom("gone", "enough") },
    prices: fc.option(fc.constantFrom({ hash: 3 }, { hash: 3, nope: 0 }, { hash: -1 })),
  }),
  fc.record({
    ...{ record: fc.constant("address"), email: text, account: accountId, createdAt: fc.nat() },
  }),
  fc.record({ record: fc.constant("closedAddress"), emailHash: text, closedAt: fc.nat() }),
  fc.record({ record: text, account: accountId }),
);
/** Members that inputs have, each mostly of a good kind. */
const MEMBERS = {
  email: fc.oneof({ arbitrary: fc.constant("ada@example.org"), weight: 3 }, accountId, text),
  ...{ label: text, search: text, grant: text, id: fc.oneof(keyId, text) },
  ...{ credits: number, max: number, rate: number, budgetDay: fc.option(number) },
  ...{ expires: fc.option(day), from: day, to: day, since: day, keep: fc.constantFrom("2h", "x") },
  ...{ after: text, dead: fc.boolean(), again: fc.boolean(), clear: fc.boolean() },
  ...{ tools: fc.array(fc.constantFrom("hash", "nope")), withSecret: fc.boolean() },
  tool: fc.oneof({ arbitrary: fc.constant("hash"), weight: 3 }, text),
  records: fc.array(record, { maxLength: 4 }),
  account: fc.option(
    fc.oneof(
      { arbitrary: accountId, weight: 2 },
      fc.record({
        ...{ id: fc.constant(MOVING), createdAt: fc.nat() },
        ...{ begin: fc.boolean(), finish: fc.boolean() },
      }),
    ),
  ),
};
const input = fc.oneof(
  { arbitrary: fc.record(MEMBERS, { requiredKeys: [] }), weight: 5 },
  fc.jsonValue(),
);

/** Only the members that the operation knows: most inputs then get past the schema. */
function fit(shape: object, given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).filter(([member]) => Object.hasOwn(shape, member)),
  );
}

test("random inputs get a clear response, and every action that was carried out is recorded", async () => {
  const deployment = createDeployment();
  let lines = 0;
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OPERATIONS),
      input,
      // Any other member makes an input wrong.
      fc.constantFrom(true, true, true, false),
      async (operation, given, fitted) => {
        const sent = fitted ? fit(operation.input.shape, given) : given;
        const { status, body } = await ask(deployment, operation.name, sent);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const { actions } = await deployment.actions.list({ after: null, max: 1 });
        const newest = Number(actions[0]?.id ?? 0);
        const kept = newest - lines;
        lines = newest;
        assert.ok([200, 400, 409].includes(status), `${status} ${JSON.stringify(body)}`);
        if (body !== null) assert.equal(body.ok, status === 200);
        if (operation.action === null || status === 400) assert.equal(kept, 0, operation.name);
        // A page of an import in the middle leaves no line, and neither does what names no account.
        else assert.ok(kept <= 1 && (kept === 1 || status === 409 || operation.name === "import"));
      },
    ),
    { numRuns: RUNS },
  );
  // One in fourteen, so a hundred inputs may have few.
  if (RUNS >= 300) assert.ok((statuses.get(200) ?? 0) > RUNS / 100, "some inputs are good ones");
  assert.ok((statuses.get(400) ?? 0) > RUNS / 20, "and some are not");
});
