import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { callsByKey } from "#ledger/read-pages.ts";
import { MEMORY_WAIT_MS, WORKER_MEMORY } from "#limits.ts";
import { openRaw, type RawConnection, rawPost } from "../../http/raw-socket.ts";
import { callsConfig } from "../../support/wrangler-config.ts";
import { hostileNamed } from "../../tools/markdown-render/hostile-catalogue.ts";
import { ofBytes } from "../../tools/markdown-render/hostile-shapes.ts";
import { ordinaryDocument } from "../../tools/markdown-render/ordinary-document.ts";
import { type EdgeAccount, openEdgeAccount, openEdgeAccountAtOnce } from "./edge-ledger.ts";
import { type FixtureSettings, openWorkerFixture, type WorkerFixture } from "./fixture.ts";
import { openInspector, processUsage } from "./measure.ts";
import { type Large, send, sendTo, worstCalls } from "./worst-calls.ts";

/** A Worker under load: a thousand accounts, the largest calls at once in the memory of an isolate, and the slowest documents. */
const MB = 1024 * 1024;

async function openWorker(t: TestContext, settings: FixtureSettings = {}): Promise<WorkerFixture> {
  const worker = await openWorkerFixture(settings);
  t.after(worker.close);
  return worker;
}

const ACCOUNTS = 1_000;
const FLOOD = 600;
/** Connections opened together, and concurrent requests outside the measured calls. */
const AT_ONCE = 100;
const CREDITS = 3;

async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next; index < items.length; index = next) {
        next += 1;
        results[index] = await work(items[index] as Item);
      }
    }),
  );
  return results;
}

/** Sends each request on its own connection, and reads no response before all are sent. */
async function callTogether(port: number, callers: readonly Pick<EdgeAccount, "key">[]) {
  const connections = await inBatches(callers, async ({ key }) => {
    const connection = openRaw(port);
    await once(connection.socket, "connect");
    return { connection, key };
  });
  const started = performance.now();
  for (const { connection, key } of connections) {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    connection.write(rawPost("/api/v1/uuid", "{}", headers));
  }
  const responses = await Promise.all(
    connections.map(({ connection }) => takeResponse(connection)),
  );
  return { responses, ms: Math.round(performance.now() - started) };
}

async function takeResponse(connection: RawConnection) {
  const { status, headers } = await connection.response();
  connection.socket.destroy();
  return { status, headers };
}

test(`${ACCOUNTS} accounts call at once, and each object records its own debit`, async (t) => {
  const fixture = await openWorker(t, { entry: "worker-that-counts.ts" });
  const empty = processUsage(fixture.pid);
  const numbers = Array.from({ length: ACCOUNTS }, (_, index) => index);
  const accounts = await inBatches(numbers, () => openEdgeAccountAtOnce(fixture, CREDITS));
  const opened = processUsage(fixture.pid);
  const { responses, ms } = await callTogether(fixture.port, accounts);
  const balances = responses.map(
    ({ status, headers }) => `${status} ${headers.get("credits-remaining")}`,
  );
  assert.deepEqual(new Set(balances), new Set([`200 ${CREDITS - 1}`]));
  const called = processUsage(fixture.pid);
  t.diagnostic(`${ms} ms and ${called.cpuMs - opened.cpuMs} ms of CPU for the calls`);
  t.diagnostic(`${opened.cpuMs - empty.cpuMs} ms of CPU for opening the accounts`);
  t.diagnostic(`${called.residentMb.toFixed(0)} MB, ${empty.residentMb.toFixed(0)} when empty`);
  await inBatches(accounts, async ({ account }) => {
    const made = await callsByKey(fixture.ledger, { account, since: 0 });
    assert.deepEqual(
      made.map(({ calls, credits }) => ({ calls, credits })),
      [{ calls: 1, credits: 1 }],
    );
  });
});

test("in a flood of calls for one account, every call gets a response and every credit is accounted for", async (t) => {
  const fixture = await openWorker(t);
  const caller = await openEdgeAccount(fixture, FLOOD / 2);
  const { responses } = await callTogether(
    fixture.port,
    Array.from({ length: FLOOD }, () => caller),
  );
  const of = (status: number) => responses.filter((response) => response.status === status);
  const [paid, wasBroken, busy] = [of(200), of(402), of(503)];
  t.diagnostic(`${paid.length} succeeded, ${wasBroken.length} rejected, ${busy.length} overloaded`);
  assert.equal(paid.length + wasBroken.length + busy.length, FLOOD);
  assert.ok(paid.length > 0);
  for (const { headers } of busy) assert.match(headers.get("retry-after") ?? "", /^[1-9]/);
  const { account } = caller;
  const { balance } = await fixture.ledger.credits({ account, now: Date.now() });
  assert.equal(balance, FLOOD / 2 - paid.length);
  // A response without remaining credits comes after the last debit.
  if (wasBroken.length > 0) assert.equal(balance, 0);
  const { ok } = await fixture.ledger.audit({ now: Date.now(), account });
  assert.equal(ok, true);
});

/** An isolate has 128 MB. What the site Worker holds beside MCP is missing here: its code, pages and documentation. */
const SITE_MB = 20;
const ISOLATE_MB = 128 - SITE_MB;
/**
 * V8 is limited to what buffers leave of that: they hold the budget, and the largest response. The process ends if the
 * heap ever holds more. 40 MB suffice, so that fragments of the heap do not decide.
 */
const HEAP_MB = 60;

/** Returns the peak memory while `work` ran. */
async function watched(fixture: WorkerFixture, work: () => Promise<void>) {
  const inspector = await openInspector(fixture);
  const most = { heap: 0, buffers: 0, sum: 0 };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      let { heap, buffers } = await inspector.memory();
      // Garbage that V8 has not collected yet does not count.
      if (heap + buffers >= ISOLATE_MB) ({ heap, buffers } = await inspector.memoryInUse());
      most.heap = Math.max(most.heap, heap);
      most.buffers = Math.max(most.buffers, buffers);
      most.sum = Math.max(most.sum, heap + buffers);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
    inspector.close();
  }
  return most;
}

test("64 of the largest calls at once stay within the memory of an isolate", async (t) => {
  const fixture = await openWorker(t, { v8Flags: `--max-heap-size=${HEAP_MB}` });
  const accounts = await Promise.all(
    Array.from({ length: 16 }, () => openEdgeAccount(fixture, 1_000)),
  );
  const calls = worstCalls();
  const before = processUsage(fixture.pid);
  let responded = 0;
  let refused = 0;
  const most = await watched(fixture, async () => {
    for (let round = 0; round < 10; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 64 }, async (_, index) => {
          const call = calls[index % calls.length] as Large;
          const result = await send(fixture, accounts[index % 16] as EdgeAccount, call);
          return { call, response: result };
        }),
      );
      for (const { call, response: result } of responses) {
        if (result?.status === 200) {
          responded += 1;
          assert.ok(result.chars >= call.responseChars, `${result.chars} of ${call.responseChars}`);
          assert.equal(result.charged, "1");
          continue;
        }
        refused += 1;
        if (result === null) continue;
        // On a busy machine a body of 6 MB may arrive too slowly.
        if (result.status !== 408) {
          assert.equal(result.status, 503);
          assert.match(result.retryAfter ?? "", /^[1-9]\d*$/);
        }
        assert.equal(result.charged, "0");
      }
    }
  });
  t.diagnostic(`${responded} answered, ${refused} refused`);
  t.diagnostic(
    `at most ${most.heap.toFixed(0)} MB of heap, ${most.buffers.toFixed(0)} MB of buffers`,
  );
  const grown = processUsage(fixture.pid).peakMb - before.peakMb;
  t.diagnostic(`the process ${grown.toFixed(0)} MB more than ${before.peakMb.toFixed(0)}`);
  assert.ok(most.sum < ISOLATE_MB, `${most.sum} MB`);
  assert.ok(responded > 0 && refused > 0);

  let charged = 0;
  for (const { account } of accounts) {
    charged += 1_000 - (await fixture.ledger.credits({ account, now: Date.now() })).balance;
  }
  assert.equal(charged, responded, "only calls with a response were charged");
  // Each call succeeds alone, so the memory budget was released.
  for (const call of calls) {
    const result = await send(fixture, accounts[0] as EdgeAccount, call);
    assert.equal(result?.status, 200, call.tool);
  }
});

test("64 of the largest calls at once through MCP stay within the memory of an isolate", async (t) => {
  const entry = "worker-with-mcp.ts";
  const fixture = await openWorker(t, { entry, v8Flags: `--max-heap-size=${HEAP_MB}` });
  const accounts = await Promise.all(
    Array.from({ length: 16 }, () => openEdgeAccount(fixture, 1_000)),
  );
  const calls = worstCalls().map(({ tool, body, responseChars }) => {
    const args = tool === "echo" ? `{"body":${body}}` : body;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
    return { body: Buffer.from(message), responseChars };
  });
  let responded = 0;
  let refused = 0;
  const most = await watched(fixture, async () => {
    const responses = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const call = calls[index % calls.length] as (typeof calls)[number];
        const account = accounts[index % 16] as EdgeAccount;
        return { call, response: await sendTo(fixture, account, "/mcp", call.body) };
      }),
    );
    for (const { call, response } of responses) {
      // An error of the API is a small result of MCP.
      if (response?.status === 200 && response.chars >= call.responseChars) responded += 1;
      else refused += 1;
      if (response?.status === 503) assert.match(response.retryAfter ?? "", /^[1-9]\d*$/);
    }
  });
  t.diagnostic(`${responded} answered, ${refused} refused`);
  t.diagnostic(
    `at most ${most.heap.toFixed(0)} MB of heap, ${most.buffers.toFixed(0)} MB of buffers`,
  );
  assert.ok(most.sum < ISOLATE_MB, `${most.sum} MB`);
  assert.ok(responded > 0 && refused > 0);
  for (const call of calls) {
    const result = await sendTo(fixture, accounts[0] as EdgeAccount, "/mcp", call.body);
    assert.ok((result?.chars ?? 0) >= call.responseChars);
  }
});

/** Ordinary large calls at once: they wait for memory instead of getting 503. */
const MEGABYTE = 1_000_000;
const CALLS = 20;

async function callAtOnce(fixture: WorkerFixture, accounts: number) {
  const callers = await Promise.all(
    Array.from({ length: accounts }, () => openEdgeAccount(fixture, 100)),
  );
  const body = JSON.stringify({ markdown: ordinaryDocument(MEGABYTE) });
  const since = performance.now();
  const responses = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const { key } = callers[index % accounts] as (typeof callers)[number];
      // Null: on a busy machine the rest of a rejected body comes too slowly, and its connection is closed.
      const response = await fixture.post(key, "markdown-render", body).catch(() => null);
      const waitedMs = performance.now() - since;
      await response?.arrayBuffer();
      return { status: response?.status ?? null, waitedMs };
    }),
  );
  return { responses, tookMs: performance.now() - since };
}

for (const accounts of [5, 1]) {
  test(`${CALLS} ordinary megabytes at once, of ${accounts} account(s): a 503 comes only after the wait`, async (t) => {
    const fixture = await openWorker(t);
    const { responses, tookMs } = await callAtOnce(fixture, accounts);
    const succeeded = responses.filter(({ status }) => status === 200).length;
    const seconds = (tookMs / 1_000).toFixed(1);
    t.diagnostic(`${succeeded} of ${CALLS} succeeded in ${seconds} s`);
    t.diagnostic(`workerd holds ${processUsage(fixture.pid).peakMb.toFixed(0)} MB at most`);
    // As many as one account may hold at once, with the escapes of their JSON.
    assert.ok(succeeded >= WORKER_MEMORY.bytesPerAccount / (1.1 * MEGABYTE) - 1);
    for (const { status, waitedMs } of responses) {
      if (status === 200) continue;
      // On a busy machine the calls before it take longer than it may wait.
      assert.ok(status === 503 || status === null, String(status));
      assert.ok(waitedMs >= MEMORY_WAIT_MS, `${waitedMs} ms`);
    }
  });
}

/** A megabyte of Markdown fits the CPU limit of a Worker. An ordinary one takes well under half a second. */
const TIMES_ORDINARY_MAX = 12;
/** A tenth of the deployed limit for a call. */
const CPU_MS_MAX = callsConfig.limits.cpu_ms / 10;
const TRIES = 3;

/** The slowest known documents, from test/tools/markdown-render/hostile.test.ts. */
const SLOWEST = [
  "cmark: pattern ![[]()",
  "cmark: nested strong emph",
  "cmark-gfm: footnote of every number",
  "tables: one column without bars",
  "cmark: tables",
  "cmark-gfm: autolink of www and spaces",
  "cmark: emph delimiters of both kinds",
  'lists: "1. a\\n1) b\\n" repeated',
  "md4c: CR and CR+LF line endings",
  "md4c: many images with brackets in URLs",
  "containers: quotes 99 deep in every paragraph",
];

test("a hostile megabyte of Markdown takes at most a few times the CPU time of an ordinary one", async (t) => {
  const fixture = await openWorker(t);
  const { key } = await openEdgeAccount(fixture, 1_000);

  /** The CPU time of the process, with its proxy and garbage collector; the minimum of several tries. */
  async function cpuMs(markdown: string): Promise<number> {
    const body = JSON.stringify({ markdown, format: "text" });
    const times: number[] = [];
    for (let round = 0; round < TRIES; round += 1) {
      const before = processUsage(fixture.pid).cpuMs;
      const response = await fixture.post(key, "markdown-render", body);
      await response.arrayBuffer();
      assert.equal(response.status, 200);
      times.push(processUsage(fixture.pid).cpuMs - before);
    }
    return Math.min(...times);
  }

  const document = ordinaryDocument(MB);
  await cpuMs(document);
  const ordinary = await cpuMs(document);
  t.diagnostic(`${ordinary} ms of CPU for an ordinary document`);
  for (const name of SLOWEST) {
    const hostile = await cpuMs(ofBytes(hostileNamed(name).make, MB));
    t.diagnostic(`${hostile} ms: ${name}`);
    assert.ok(hostile <= TIMES_ORDINARY_MAX * ordinary, `${name}: ${hostile} of ${ordinary} ms`);
    assert.ok(hostile < CPU_MS_MAX, `${name}: ${hostile} ms, more than a tenth of the limit`);
  }
});
