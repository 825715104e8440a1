import assert from "node:assert/strict";
import { request } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { WORKER_MEMORY } from "#limits.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { eventually } from "../../http/test-service.ts";
import { hostileNamed } from "../../tools/markdown-render/hostile-catalogue.ts";
import { ofBytes } from "../../tools/markdown-render/hostile-shapes.ts";
import { type EdgeAccount, openEdgeAccount } from "./edge-ledger.ts";
import { openInspector, openWorkerScene, processFigures, type WorkerScene } from "./fixture.ts";

/** An isolate has 128 MB. V8 is held to a part of it, and the process ends where more is needed at any moment. */
const ISOLATE_MB = 128;
const HEAP_MB = 100;
const MB = 1024 * 1024;
const DEEP = process.env["TEST_EDGE"] === "all";

type Large = { tool: string; body: Buffer; answerChars: number };

const markdown = (name: string) => ofBytes(hostileNamed(name).make, MB - 3);
const escaped = (text: string) =>
  text.replaceAll(/./gs, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const large = (tool: string, body: string, answerChars: number): Large => ({
  tool,
  body: Buffer.from(body),
  answerChars,
});

/** The largest answers known (28 times their document, with one wide character twice that in memory), the largest bodies. */
function worstCalls(): Large[] {
  const quotes = markdown("containers: quotes 99 deep in every paragraph");
  const cells = markdown("tables: one column without bars");
  return [
    large("markdown-render", JSON.stringify({ markdown: `${quotes}中`, format: "text" }), 28 * MB),
    large("markdown-render", JSON.stringify({ markdown: `${cells}中` }), 19 * MB),
    large("markdown-render", `{"markdown":"${escaped(quotes)}"}`, 28 * MB),
    large("hash", `{"text":"${escaped("x".repeat(MB))}"}`, 60),
    large("echo", JSON.stringify("中".repeat(340_000)), 340_000),
  ];
}

type Answer = { status: number; retryAfter: string | undefined; charged: string; chars: number };

/** What came back; null where the connection was closed over a refused body that came too slowly. */
function send({ base }: WorkerScene, { key }: EdgeAccount, { tool, body }: Large) {
  return new Promise<Answer | null>((resolve) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(`${base}/api/v1/${tool}`, { method: "POST", headers, agent: false });
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
        const told = response.headers["content-length"];
        if (told !== undefined) assert.equal(Number(told), bytes);
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

/** The most that was seen held while `work` ran. */
async function watched(scene: WorkerScene, work: () => Promise<void>) {
  const inspector = await openInspector(scene);
  const most = { heap: 0, buffers: 0, sum: 0 };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { heap, buffers } = await inspector.memory();
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

test("64 of the largest calls at once stay within the memory of an isolate", {
  timeout: 300_000,
}, async (t) => {
  const scene = await openWorkerScene({ v8Flags: `--max-heap-size=${HEAP_MB}` });
  t.after(scene.close);
  const accounts = await Promise.all(
    Array.from({ length: 16 }, () => openEdgeAccount(scene, 1_000)),
  );
  const calls = worstCalls();
  const before = processFigures(scene.pid);
  let answered = 0;
  let refused = 0;
  const most = await watched(scene, async () => {
    for (let round = 0; round < (DEEP ? 10 : 1); round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 64 }, async (_, index) => {
          const call = calls[index % calls.length] as Large;
          const answer = await send(scene, accounts[index % 16] as EdgeAccount, call);
          return { call, answer };
        }),
      );
      for (const { call, answer } of answers) {
        if (answer?.status === 200) {
          answered += 1;
          assert.ok(answer.chars >= call.answerChars, `${answer.chars} of ${call.answerChars}`);
          assert.equal(answer.charged, "1");
          continue;
        }
        refused += 1;
        if (answer === null) continue;
        assert.equal(answer.status, 503);
        assert.match(answer.retryAfter ?? "", /^[1-9]\d*$/);
        assert.equal(answer.charged, "0");
      }
    }
  });
  t.diagnostic(`${answered} answered, ${refused} refused`);
  t.diagnostic(
    `at the most ${most.heap.toFixed(0)} MB of heap, ${most.buffers.toFixed(0)} MB of buffers`,
  );
  const grown = processFigures(scene.pid).peakMb - before.peakMb;
  t.diagnostic(`the process ${grown.toFixed(0)} MB more than ${before.peakMb.toFixed(0)}`);
  assert.ok(most.sum < ISOLATE_MB, `${most.sum} MB`);
  assert.ok(answered > 0 && refused > 0);

  let charged = 0;
  for (const { account } of accounts) {
    charged += 1_000 - (await scene.ledger.credits({ account, now: Date.now() })).balance;
  }
  assert.equal(charged, answered, "only what was answered was charged");
  // One after the other each gets in: all of the room was let go.
  for (const call of calls) {
    const answer = await send(scene, accounts[0] as EdgeAccount, call);
    assert.equal(answer?.status, 200, call.tool);
  }
});

test("a repeat of the largest answer has its bytes, within the same memory", {
  timeout: 300_000,
}, async (t) => {
  const scene = await openWorkerScene({ v8Flags: `--max-heap-size=${HEAP_MB}` });
  t.after(scene.close);
  const { key } = await openEdgeAccount(scene, 10);
  const [call] = worstCalls() as [Large];
  const answers: Buffer[] = [];
  for (const charged of ["1", "0"]) {
    const headers = { "idempotency-key": "large" };
    const answer = await scene.post(key, call.tool, call.body.toString(), headers);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("credits-charged"), charged);
    answers.push(Buffer.from(await answer.arrayBuffer()));
  }
  const [first, again] = answers as [Buffer, Buffer];
  assert.ok(first.length > call.answerChars && first.equals(again));
});

test("a client that goes away within its answer leaves nothing behind", {
  timeout: 300_000,
}, async (t) => {
  const scene = await openWorkerScene();
  t.after(scene.close);
  const caller = await openEdgeAccount(scene, 100);
  const [call] = worstCalls() as [Large];
  for (let round = 0; round < 2; round += 1) {
    const held: Socket[] = [];
    await eventually("its answer fills the room", async () => {
      held.push(...(await holdAnswer(scene, caller, call)));
      return held.length > 0;
    });
    for (const socket of held) socket.destroy();
    await eventually("there is room", async () => {
      const answer = await send(scene, caller, call);
      return answer?.status === 200;
    });
  }
});

/** A client that does not read its answer; none where another call had the room, and it was refused. */
async function holdAnswer(scene: WorkerScene, caller: EdgeAccount, call: Large): Promise<Socket[]> {
  const { socket, write } = openRaw(Number(new URL(scene.base).port));
  socket.on("error", () => {});
  socket.pause();
  const headers = {
    Authorization: `Bearer ${caller.key}`,
    "Content-Length": String(call.body.length),
  };
  write(rawPost(`/api/v1/${call.tool}`, call.body.toString(), headers));
  for (let tries = 0; tries < 5; tries += 1) {
    const answer = await send(scene, caller, call);
    if (answer?.status === 503) return [socket];
  }
  socket.destroy();
  return [];
}

test("the room at the edge has place for the largest body, and for more than one account", () => {
  const largest = Math.max(...worstCalls().map(({ body }) => body.length));
  assert.ok(WORKER_MEMORY.bytesPerAccount > largest);
  assert.ok(WORKER_MEMORY.bytes >= WORKER_MEMORY.bytesPerAccount + largest);
});
