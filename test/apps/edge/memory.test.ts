import assert from "node:assert/strict";
import { request } from "node:http";
import type { Socket } from "node:net";
import { WORKER_MEMORY } from "#limits.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { eventually } from "../../http/test-api.ts";
import { sampleTests } from "../../support/sample.ts";
import { hostileNamed } from "../../tools/markdown-render/hostile-catalogue.ts";
import { ofBytes } from "../../tools/markdown-render/hostile-shapes.ts";
import { type EdgeAccount, openEdgeAccount } from "./edge-ledger.ts";
import { openInspector, openWorkerFixture, processUsage, type WorkerFixture } from "./fixture.ts";

/** An isolate has 128 MB. What the site Worker holds beside MCP is missing here: its code, pages and documentation. */
const SITE_MB = 20;
const ISOLATE_MB = 128 - SITE_MB;
/**
 * V8 is limited to what buffers leave of that: they hold the budget, and the largest response. The process ends if the
 * heap ever holds more. 40 MB suffice, so that fragments of the heap do not decide.
 */
const HEAP_MB = 60;
const MB = 1024 * 1024;
const DEEP = process.env["TEST_EDGE"] === "all";

type Large = { tool: string; body: Buffer; responseChars: number };

const markdown = (name: string) => ofBytes(hostileNamed(name).make, MB - 3);
const escaped = (text: string) =>
  text.replaceAll(/./gs, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const large = (tool: string, body: string, responseChars: number): Large => ({
  tool,
  body: Buffer.from(body),
  responseChars,
});

/**
 * The largest bodies, and the largest known responses: 28 times the document. As strings, those with a wide character in
 * every part would take twice that.
 */
function worstCalls(): Large[] {
  const quotes = markdown("containers: quotes 99 deep in every paragraph");
  const wide = quotes.replaceAll(">\n", ">中\n").slice(0, 1_000_000);
  const cells = markdown("tables: one column without bars");
  return [
    large("markdown-render", JSON.stringify({ markdown: wide, format: "text" }), 26 * MB),
    large("markdown-render", JSON.stringify({ markdown: `${cells}中` }), 19 * MB),
    large("markdown-render", `{"markdown":"${escaped(quotes)}"}`, 28 * MB),
    large("hash", `{"text":"${escaped("x".repeat(MB))}"}`, 60),
    large("echo", JSON.stringify("中".repeat(340_000)), 340_000),
  ];
}

type ApiResponse = {
  status: number;
  retryAfter: string | undefined;
  charged: string;
  chars: number;
};

/** Returns the response, or null if the connection was closed during a rejected body that arrived too slowly. */
const send = (fixture: WorkerFixture, account: EdgeAccount, { tool, body }: Large) =>
  sendTo(fixture, account, `/api/v1/${tool}`, body);

function sendTo({ base }: WorkerFixture, { key }: EdgeAccount, path: string, body: Buffer) {
  return new Promise<ApiResponse | null>((resolve) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(base + path, { method: "POST", headers, agent: false });
    sent.on("error", () => resolve(null));
    sent.on("response", (response) => {
      let chars = 0;
      let bytes = 0;
      const decoder = new TextDecoder();
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chars += decoder.decode(chunk, { stream: true }).length;
      });
      response.on("error", () => resolve(null));
      response.on("end", () => {
        const contentLength = response.headers["content-length"];
        if (contentLength !== undefined) assert.equal(Number(contentLength), bytes);
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          charged: String(response.headers["credits-charged"] ?? "0"),
          chars,
        });
      });
    });
    sent.end(body);
  });
}

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

const { test, draw } = sampleTests("loads of an isolate", 2, process.env["TEST_EDGE"] === "all");

test("64 of the largest calls at once stay within the memory of an isolate", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openWorkerFixture({ v8Flags: `--max-heap-size=${HEAP_MB}` });
  t.after(fixture.close);
  const accounts = await Promise.all(
    Array.from({ length: 16 }, () => openEdgeAccount(fixture, 1_000)),
  );
  const calls = worstCalls();
  const before = processUsage(fixture.pid);
  let responded = 0;
  let refused = 0;
  const most = await watched(fixture, async () => {
    for (let round = 0; round < (DEEP ? 10 : 1); round += 1) {
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

test("64 of the largest calls at once through MCP stay within the memory of an isolate", {
  timeout: 300_000,
}, async (t) => {
  const entry = "worker-with-mcp.ts";
  const fixture = await openWorkerFixture({ entry, v8Flags: `--max-heap-size=${HEAP_MB}` });
  t.after(fixture.close);
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

test("a replay of the largest response has the same bytes within the same memory", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openWorkerFixture({ v8Flags: `--max-heap-size=${HEAP_MB}` });
  t.after(fixture.close);
  const { key } = await openEdgeAccount(fixture, 10);
  const [call] = worstCalls() as [Large];
  const responses: Buffer[] = [];
  for (const charged of ["1", "0"]) {
    const headers = { "idempotency-key": "large" };
    const result = await fixture.post(key, call.tool, call.body.toString(), headers);
    assert.equal(result.status, 200);
    assert.equal(result.headers.get("credits-charged"), charged);
    responses.push(Buffer.from(await result.arrayBuffer()));
  }
  const [first, again] = responses as [Buffer, Buffer];
  assert.ok(first.length > call.responseChars && first.equals(again));
});

test("a client that disconnects during its response leaves no memory in use", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openWorkerFixture();
  t.after(fixture.close);
  const caller = await openEdgeAccount(fixture, 100);
  const [call] = worstCalls() as [Large];
  for (let round = 0; round < 2; round += 1) {
    const held: Socket[] = [];
    await eventually("its response fills the memory budget", async () => {
      held.push(...(await holdResponse(fixture, caller, call)));
      return held.length > 0;
    });
    for (const socket of held) socket.destroy();
    await eventually("there is room", async () => {
      const result = await send(fixture, caller, call);
      return result?.status === 200;
    });
  }
});

/** Starts a client that does not read its response, or returns undefined if another call used the budget. */
async function holdResponse(
  fixture: WorkerFixture,
  caller: EdgeAccount,
  call: Large,
): Promise<Socket[]> {
  const { socket, write } = openRaw(Number(new URL(fixture.base).port));
  socket.on("error", () => {});
  socket.pause();
  const headers = {
    Authorization: `Bearer ${caller.key}`,
    "Content-Length": String(call.body.length),
  };
  write(rawPost(`/api/v1/${call.tool}`, call.body.toString(), headers));
  for (let tries = 0; tries < 5; tries += 1) {
    const result = await send(fixture, caller, call);
    if (result?.status === 503) return [socket];
  }
  socket.destroy();
  return [];
}

test("the memory budget at the edge fits the largest body and more than one account", () => {
  const largest = Math.max(...worstCalls().map(({ body }) => body.length));
  assert.ok(WORKER_MEMORY.bytesPerAccount > largest);
  assert.ok(WORKER_MEMORY.bytes >= WORKER_MEMORY.bytesPerAccount + largest);
});

draw();
