import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, describe, test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { accountPart } from "#ids.ts";
import type { DebitOrder } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { anEntry, chunkOf } from "../../contract/request-log.ts";
import { eventually } from "../../http/test-api.ts";
import { EDGE_TEXTS, type EdgeAccount, openEdgeAccount, requestLogAt } from "./edge-ledger.ts";
import { sharedWorker, type WorkerFixture } from "./fixture.ts";
import type { Bill } from "./worker-that-counts.ts";

/**
 * What the platform bills for a call and for the request log, which follows seconds later, by its own counters. docs/edge-costs.md has
 * the same numbers.
 */
const COUNTING = {
  entry: "worker-that-counts.ts",
  texts: { TOOLBOOTH_REQUEST_LOG_DAYS: "0" },
  // Without events of an account, which its alarm would forward at any time.
  beside: { d1Databases: {} },
};
let fixture: WorkerFixture;
before(async () => {
  fixture = await sharedWorker(COUNTING);
});

type Sent = { tool?: string; body?: string; headers?: Record<string, string> };

const takeBill = async (of = fixture) =>
  (await (await fetch(`${of.base}/test/bill`)).json()) as Bill;

async function billOf({ key }: Pick<EdgeAccount, "key">, { tool, body, headers }: Sent = {}) {
  await takeBill();
  const response = await fixture.post(key, tool ?? "hash", body ?? '{"text":"a"}', headers);
  await response.arrayBuffer();
  return { status: response.status, ...(await takeBill()) };
}

type Expected = { status: number; read: number; written: number };

/** Setting an alarm is billed as one row written. */
function assertBill(bill: Bill & { status: number }, { status, read, written }: Expected) {
  assert.equal(bill.status, status);
  assert.equal(bill.requests, 1, "one request to the object");
  const rows = bill.written + bill.alarms;
  assert.ok(rows <= written, `${rows} rows written, ${bill.alarms} of them alarms`);
  assert.ok(bill.read <= read, `${bill.read} rows read`);
}

const perform = (object: string, items: [name: string, order: unknown][]) =>
  fetch(`${fixture.base}/test/perform-all`, {
    method: "POST",
    body: JSON.stringify({ object, items }),
  });

const ORDINARY = { status: 200, read: 1, written: 2 };

test("the first call of an account also records the use of its key and sets the alarm", async () => {
  const caller = await openEdgeAccount(fixture, 10);
  assertBill(await billOf(caller), { status: 200, read: 6, written: 4 });
});

test("a debit writes two rows: the debit and its grant", async () => {
  const caller = await openEdgeAccount(fixture, 10);
  await billOf(caller);
  for (let call = 0; call < 3; call += 1) assertBill(await billOf(caller), ORDINARY);
});

test("a free first call writes no grant", async () => {
  const caller = await openEdgeAccount(fixture, 0, "open");
  assertBill(await billOf(caller), { status: 200, read: 6, written: 4 });
  assert.equal((await billOf(caller)).status, 402);
});

test("an idempotency key costs one more row, and a replay writes nothing", async () => {
  const caller = await openEdgeAccount(fixture, 10);
  await billOf(caller);
  const named = (name: string): Sent => ({
    tool: "uuid",
    body: "{}",
    headers: { "idempotency-key": name },
  });
  // The first call moves the alarm forward.
  assertBill(await billOf(caller, named("one")), { status: 200, read: 1, written: 4 });
  assertBill(await billOf(caller, named("two")), { status: 200, read: 1, written: 3 });
  assertBill(await billOf(caller, named("two")), { status: 200, read: 2, written: 0 });
  const other = { ...named("two"), body: '{"count":2}' };
  assertBill(await billOf(caller, other), { status: 400, read: 2, written: 0 });
});

test("a rejected call writes nothing, whatever the reason", async () => {
  const caller = await openEdgeAccount(fixture, 10);
  const poor = await openEdgeAccount(fixture, 0);
  const nothing = { read: 5, written: 0 };
  assertBill(await billOf(caller, { body: "{}" }), { status: 400, ...nothing });
  assertBill(await billOf(caller, { body: "a" }), { status: 400, ...nothing });
  const large = { body: JSON.stringify({ text: "a".repeat(1_100_000) }) };
  assertBill(await billOf(caller, large), { status: 413, ...nothing });
  assertBill(await billOf(poor), { status: 402, ...nothing });
  await fixture.ledger.changeAccount({
    account: caller.account,
    now: Date.now(),
    state: "suspended",
  });
  assertBill(await billOf(caller), { status: 403, ...nothing });
  await fixture.ledger.changeAccount({ account: caller.account, now: Date.now(), state: "open" });
  await fixture.ledger.revokeKey({ account: caller.account, id: caller.id, now: Date.now() });
  assertBill(await billOf(caller), { status: 401, ...nothing });
});

test("a forged key causes no request to an object", async () => {
  const { requests, wakings, status } = await billOf({ key: `tb_${"a".repeat(60)}` });
  assert.deepEqual({ requests, wakings, status }, { requests: 0, wakings: 0, status: 401 });
});

test("after an unknown key, a new valid key is checked first, and forged keys cost one request", async () => {
  const caller = await openEdgeAccount(fixture, 10);
  const forged = () => ({ key: makeKey(caller.account, [EDGE_TEXTS.SECRET], randomBytes) });
  const refused = { status: 401, read: 6, written: 0 };
  const again = forged();
  assertBill(await billOf(again), refused);
  assertBill(await billOf(forged()), refused);
  // From now on, keys that this isolate does not know are checked first, with another operation.
  for (const requests of [1, 0, 0]) {
    const bill = await billOf(again);
    assert.deepEqual([bill.status, bill.requests], [401, requests]);
  }
  const { status, requests, read, written, alarms } = await billOf(caller);
  assert.deepEqual(
    { status, requests, rows: written + alarms },
    { status: 200, requests: 2, rows: 4 },
  );
  assert.ok(read <= 6 + 5, `${read} rows read`);
  assertBill(await billOf(caller), ORDINARY);
});

test("a call over the rate limit writes no row, and usually does not reach the object", async () => {
  const limited = await sharedWorker({
    ...COUNTING,
    texts: { ...COUNTING.texts, RATE_LIMIT: "1" },
  });
  const caller = await openEdgeAccount(limited, 100);
  await takeBill(limited);
  const statuses: number[] = [];
  for (let call = 0; call < 12; call += 1) {
    const response = await limited.post(caller.key, "hash", '{"text":"a"}');
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  const bill = await takeBill(limited);
  const succeeded = statuses.filter((status) => status === 200).length;
  // After a 429, the isolate knows until when the object would send another one.
  assert.ok(bill.requests <= 2 * succeeded, `${bill.requests} requests`);
  assert.ok(succeeded < 12 && statuses.every((status) => status === 200 || status === 429));
  // Two more for the first call: the use of its key, and the alarm.
  assert.ok(bill.written + bill.alarms <= 2 * succeeded + 2, `${bill.written} rows written`);
});

let calls = 0;
function orderOf({ account, sha256: keySha256 }: EdgeAccount, now: number): DebitOrder {
  calls += 1;
  const callId = `call_${String(calls).padStart(14, "0")}`;
  return {
    account,
    keySha256,
    callId,
    tool: "hash",
    now,
    credits: 1,
    freeCallCredits: 1,
    idempotency: null,
  };
}

test("a call a minute later records the use of its key: one more row", async () => {
  const caller = await openEdgeAccount(fixture, 10);
  await billOf(caller);
  await takeBill();
  await fixture.ledger.debit(orderOf(caller, Date.now() + 61_000));
  const bill = { status: 200, ...(await takeBill()) };
  assertBill(bill, { status: 200, read: 2, written: 3 });
});

test("a call that causes an event writes six more rows, and D1 gets the event", async (t) => {
  const { entry, texts } = COUNTING;
  const notifying = await sharedWorker({ entry, texts });
  const d1 = await notifying.miniflare.getD1Database("DB");
  const forwarded = async () =>
    (await d1.prepare("SELECT id FROM forwarded_event").all()).results.length;
  const caller = await openEdgeAccount(notifying, 21);
  await eventually("the events of the key and the grant", async () => (await forwarded()) === 2);
  const call = async () => (await notifying.post(caller.key, "hash", '{"text":"a"}')).arrayBuffer();
  await call();
  await takeBill(notifying);
  await call();
  await eventually("the event of the balance", async () => (await forwarded()) === 3);
  await eventually("and settled", async () => (await eventsLeft(notifying, caller)) === 0);
  const bill = await takeBill(notifying);
  t.diagnostic(`${bill.written} rows written, ${bill.alarms} alarms set, ${bill.read} rows read`);
  assert.ok(bill.read <= 1 + 30, `${bill.read} rows read`);
  assert.ok(bill.written + bill.alarms <= 2 + 6, `${bill.written} rows, ${bill.alarms} alarms`);
});

async function eventsLeft(of: WorkerFixture, { account }: EdgeAccount): Promise<number> {
  const body = JSON.stringify({ object: accountPart(account) });
  const response = await fetch(`${of.base}/test/events`, { method: "POST", body });
  return (await response.json()) as number;
}

test("a call costs the same with any number of grants", async () => {
  for (const grants of [1, 10, 1_000]) {
    const caller = await openEdgeAccount(fixture, 0);
    const { account } = caller;
    const now = Date.now();
    const items = Array.from({ length: grants }, (_, index): [string, unknown] => {
      const expiresAt = now + DAY_MS + index;
      return ["grant", { account, id: `g${index}`, kind: "operator", amount: 5, expiresAt, now }];
    });
    await perform(accountPart(account), items);
    const first = await billOf(caller);
    // Grants are read once in an object's lifetime.
    assertBill(first, { status: 200, read: 4 + 2 * grants, written: 4 });
    for (let call = 0; call < 3; call += 1) assertBill(await billOf(caller), ORDINARY);
  }
});

/** SQLite writes every table, view and trigger of the schema again when a table is renamed. */
const WRITTEN_BY_RENAMING = OBJECT_MIGRATIONS.flatMap(
  ({ sql }) => sql.match(/^CREATE (?:TABLE|VIEW|TRIGGER)/gm) ?? [],
).length;

test("a call costs the same after any number of debits, and rolling up frees their space", async (t) => {
  const LONG_AGO = Date.now() - 200 * DAY_MS;
  // From 10,000 on, an alarm sums and rolls up meanwhile.
  for (const debits of [10, 9_000]) {
    const caller = await openEdgeAccount(fixture, 1_000_000);
    const object = accountPart(caller.account);
    const debitAt = async (now: number) => {
      await fixture.ledger.debit(orderOf(caller, now));
      return { status: 200, ...(await takeBill()) };
    };
    await debitAt(LONG_AGO - 1_000);
    const empty = (await debitAt(LONG_AGO - 999)).bytes;
    const items = Array.from({ length: debits }, (_, index): [string, unknown] => [
      "debit",
      orderOf(caller, LONG_AGO + index),
    ]);
    await perform(object, items);
    await takeBill();
    const full = await debitAt(LONG_AGO + debits);
    assertBill(full, ORDINARY);
    await fetch(`${fixture.base}/test/wake`, { method: "POST", body: JSON.stringify({ object }) });
    const rollingUp = await takeBill();
    const rolledUp = await billOf(caller);
    // Any other operation makes the next call read again, and it uses the key for the first time in a minute.
    assertBill(rolledUp, { status: 200, read: 8, written: 4 });
    assertBill(await billOf(caller), ORDINARY);
    const a = (bytes: number) => (bytes / debits).toFixed(0);
    t.diagnostic(`${empty} bytes without debits`);
    t.diagnostic(
      `${debits} debits: ${a(full.bytes - empty)} bytes each, ${a(rolledUp.bytes - empty)} after the rollup; ` +
        `the rollup wrote ${rollingUp.written} rows and read ${(rollingUp.read / debits).toFixed(2)} for each`,
    );
    // However many debits there are: rows of hours and of the schema.
    assert.ok(
      rollingUp.written <= WRITTEN_BY_RENAMING + 14,
      `${rollingUp.written} rows to roll up ${debits}`,
    );
    assert.ok(rollingUp.read <= 5 * debits + 500, `${rollingUp.read} rows read`);
    assert.ok((full.bytes - empty) / debits <= 120 || debits === 10);
    assert.ok(
      rolledUp.bytes <= Math.max(full.bytes / 2, 160_000),
      `${rolledUp.bytes} of ${full.bytes}`,
    );
  }
});

describe("the request log", () => {
  let logging: WorkerFixture;
  before(async () => {
    logging = await sharedWorker({ entry: COUNTING.entry, beside: COUNTING.beside });
  });

  const takeLogBill = () => takeBill(logging);

  /** Waits for so many requests to objects, and returns what they are billed together. */
  async function billOfRequests(
    requests: number,
  ): Promise<Pick<Bill, "requests" | "read" | "written">> {
    const sum = { requests: 0, read: 0, written: 0 };
    await eventually(`${requests} requests to objects`, async () => {
      const { requests: more, read, written, alarms } = await takeLogBill();
      sum.requests += more;
      sum.read += read;
      sum.written += written + alarms;
      return sum.requests >= requests;
    });
    assert.equal(sum.requests, requests);
    return sum;
  }

  async function call({ key }: EdgeAccount, body = '{"text":"a"}'): Promise<number> {
    const response = await logging.post(key, "hash", body);
    await response.arrayBuffer();
    return response.status;
  }

  /** Hands requests over as a Worker does, and returns what that is billed. */
  async function append({ account }: EdgeAccount, count: number, at = Date.now()) {
    const entries = Array.from({ length: count }, () => anEntry({ at }));
    await requestLogAt(logging.base).append(chunkOf(account, entries));
    return billOfRequests(1);
  }

  test("the first call of a day begins a row, and may set an alarm; a later one costs a request and a row", async (t) => {
    const caller = await openEdgeAccount(logging, 10);
    await takeLogBill();
    assert.equal(await call(caller), 200);
    const first = await billOfRequests(2);
    assert.ok(first.written <= 4 + 2, `${first.written} rows written`);
    const later = await append(caller, 1);
    t.diagnostic(`${later.written} rows written, ${later.read} read`);
    assert.equal(later.written, 1);
    assert.ok(later.read <= 5, `${later.read} rows read`);
  });

  test("250 calls are one row, whose deletion costs one more, and one a day for its counts", async (t) => {
    const caller = await openEdgeAccount(logging, 10);
    await takeLogBill();
    const old = Date.now() - 9 * DAY_MS;
    await append(caller, 100, old);
    for (const count of [100, 50]) assert.equal((await append(caller, count, old)).written, 1);
    assert.equal((await append(caller, 100, old + 1)).written, 1, "the alarm is early enough");
    const bill = await append(caller, 1);
    t.diagnostic(`${bill.written} rows written, ${bill.read} read`);
    assert.equal(bill.written, 1 + 2 + 1);
  });
});
