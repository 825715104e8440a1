import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccessLogEntry } from "#api/access-log.ts";
import type { DatabaseMeasures } from "#stores/postgres/operator.ts";
import {
  countRequest,
  createNodeMetrics,
  type DashboardCounts,
} from "../../../src/apps/node/metrics.ts";

type Sources = Parameters<typeof createNodeMetrics>[0];

const NONE = { hour: 0, day: 0 };
const COUNTS: DashboardCounts = {
  jobs: [],
  signUps: {
    starters: [],
    requested: { sign_up: NONE, sign_in: NONE, known: NONE, change: NONE },
    dropped: {},
  },
  holds: { holds: 0, credits: 0, keptBytes: 0 },
};

/** The metrics of a node, and the lines of a scrape. */
function open(sources: Partial<Sources> = {}) {
  const metrics = createNodeMetrics({
    ledger: () => 0,
    tools: () => 0,
    dashboard: () => null,
    reversals: async () => [],
    faults: () => new Map(),
    storage: { freeBytes: () => 0, wal: () => null },
    database: null,
    ...sources,
  });
  const read = async () => (await metrics.read()).text.split("\n");
  const readOf = async (name: string) => (await read()).filter((line) => line.startsWith(name));
  return { metrics, read, readOf };
}

function assertHas(lines: readonly string[], expected: readonly string[]): void {
  for (const line of expected) assert.ok(lines.includes(line), line);
}

const anEntry = (changes: Partial<AccessLogEntry>): AccessLogEntry => ({
  requestId: "req_1",
  method: "POST",
  route: "/api/v1/hash",
  tool: "hash",
  status: 200,
  code: null,
  account: "acc_1",
  key: "key_1",
  traceId: null,
  charged: 1,
  callId: null,
  ...{ replayed: false, delivered: true },
  durationMs: 1,
  ...changes,
});

test("requests, calls and credits are counted by route, tool, status and error code", async () => {
  const { metrics, readOf } = open();
  const rejected = { status: 402, code: "insufficient_credits", charged: 0 } as const;
  for (const entry of [
    anEntry({}),
    anEntry({ charged: 3, durationMs: 30 }),
    anEntry({ charged: null, delivered: false }),
    anEntry(rejected),
    anEntry({ ...rejected, delivered: false }),
    anEntry({ route: "/healthz", tool: null, charged: null }),
  ])
    countRequest(metrics, entry);
  assert.deepEqual(await readOf("toolbooth_requests_total"), [
    'toolbooth_requests_total{route="/api/v1/hash",status="200",code=""} 3',
    'toolbooth_requests_total{route="/api/v1/hash",status="402",code="insufficient_credits"} 2',
    'toolbooth_requests_total{route="/healthz",status="200",code=""} 1',
  ]);
  assert.deepEqual(await readOf("toolbooth_calls_total"), [
    'toolbooth_calls_total{tool="hash",status="200"} 3',
    'toolbooth_calls_total{tool="hash",status="402"} 2',
  ]);
  assert.deepEqual(await readOf("toolbooth_credits_charged_total"), [
    'toolbooth_credits_charged_total{tool="hash"} 4',
  ]);
  assert.deepEqual(await readOf("toolbooth_calls_not_delivered_total"), [
    'toolbooth_calls_not_delivered_total{tool="hash"} 1',
  ]);
  assertHas(await readOf("toolbooth_call_duration_seconds"), [
    'toolbooth_call_duration_seconds_bucket{le="0.001",tool="hash"} 4',
    'toolbooth_call_duration_seconds_bucket{le="0.05",tool="hash"} 5',
    'toolbooth_call_duration_seconds_count{tool="hash"} 5',
  ]);
});

test("jobs are counted by queue and state, with the age of the oldest", async () => {
  const jobs = [{ queue: "email", waiting: 3, oldestAt: Date.now() - 60_000, dead: 1 }] as const;
  const { readOf } = open({
    dashboard: () => ({ ...COUNTS, jobs }),
    reversals: async () => [{ queue: "reversal", waiting: 0, oldestAt: null, dead: 0 }],
  });
  const lines = await readOf("toolbooth_jobs");
  assertHas(lines, [
    'toolbooth_jobs{queue="email",state="waiting"} 3',
    'toolbooth_jobs{queue="email",state="dead"} 1',
    'toolbooth_jobs{queue="reversal",state="dead"} 0',
    'toolbooth_jobs_oldest_seconds{queue="reversal"} 0',
  ]);
  assert.match(lines.join("\n"), /toolbooth_jobs_oldest_seconds\{queue="email"\} [6-9]\d/);
});

test("what can no longer be counted is left out, also where it was counted before", async () => {
  let count = async () => [{ queue: "reversal" as const, waiting: 2, oldestAt: null, dead: 1 }];
  const jobs = [{ queue: "email", waiting: 3, oldestAt: null, dead: 0 }] as const;
  let dashboard: DashboardCounts | null = { ...COUNTS, jobs };
  const { readOf } = open({ dashboard: () => dashboard, reversals: () => count() });
  const read = async () => [
    ...(await readOf("toolbooth_jobs")),
    ...(await readOf("toolbooth_starter_claims_today")),
    ...(await readOf("toolbooth_requested_emails")),
  ];
  assertHas(await read(), ['toolbooth_jobs{queue="reversal",state="dead"} 1']);
  count = () => Promise.reject(new Error("the database is away"));
  dashboard = null;
  assert.deepEqual(await read(), []);
});

test("on a disk that fails, the metrics that need it are left out and the others are not", async () => {
  const fail = () => {
    throw new Error("disk I/O error");
  };
  const { read } = open({
    ledger: () => 7,
    reversals: async () => fail(),
    storage: { freeBytes: fail, wal: () => null },
  });
  const lines = await read();
  assertHas(lines, ["toolbooth_ledger_waiting_orders 7", 'toolbooth_fault{name="disk"} 0']);
  assert.doesNotMatch(lines.join("\n"), /^toolbooth_(?:jobs|disk_free_bytes)\b/m);
});

test("claims of starter credits, requested emails and dropped ones are counted once", async () => {
  const signUps: DashboardCounts["signUps"] = {
    starters: [{ outcome: "day_full", count: 4 }],
    requested: {
      ...{ sign_up: { hour: 3, day: 9 }, sign_in: NONE },
      ...{ known: { hour: 1, day: 2 }, change: NONE },
    },
    dropped: { total_full: 2 },
  };
  const { read } = open({ dashboard: () => ({ ...COUNTS, signUps }) });
  await read();
  assertHas(await read(), [
    'toolbooth_starter_claims_today{outcome="day_full"} 4',
    'toolbooth_starter_claims_today{outcome="granted"} 0',
    'toolbooth_requested_emails{group="sign_up",window="hour"} 3',
    'toolbooth_requested_emails{group="sign_up",window="day"} 9',
    'toolbooth_requested_emails{group="known",window="day"} 2',
    'toolbooth_emails_dropped_total{reason="total_full"} 2',
  ]);
});

test("holds and kept responses are counted, and left out until they are known", async () => {
  assert.deepEqual(await open().readOf("toolbooth_held"), []);
  const holds = { holds: 2, credits: 30, keptBytes: 400 };
  const { metrics, read } = open({ dashboard: () => ({ ...COUNTS, holds }) });
  metrics.holdsExpired.inc(3);
  assertHas(await read(), [
    "toolbooth_holds 2",
    "toolbooth_held_credits 30",
    "toolbooth_kept_response_bytes 400",
    "toolbooth_holds_expired_total 3",
  ]);
});

test("the metrics of PostgreSQL are those of the scrape before, and a scrape never waits for the database", async () => {
  const measured = Promise.withResolvers<DatabaseMeasures>();
  const storage = { freeBytes: () => 5, wal: () => null };
  const { read, readOf } = open({ storage, database: () => measured.promise });
  assert.deepEqual(await readOf("toolbooth_database_bytes"), []);
  measured.resolve({ bytes: 7, oldestTransactionMs: 1_500 });
  await measured.promise;
  const lines = await read();
  assertHas(lines, [
    "toolbooth_database_bytes 7",
    "toolbooth_database_oldest_transaction_seconds 1.5",
    "toolbooth_disk_free_bytes 5",
    'toolbooth_fault{name="disk"} 0',
  ]);
  assert.ok(!lines.some((line) => line.startsWith("toolbooth_wal")));
});
