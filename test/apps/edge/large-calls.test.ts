import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WORKER_MEMORY } from "#limits.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { eventually } from "../../http/test-api.ts";
import { openEdgeAccount } from "./edge-ledger.ts";
import { sharedWorker } from "./fixture.ts";
import { largestHash, largestResponse, send, worstCalls } from "./worst-calls.ts";

/** The largest calls and the memory budget of an isolate. `load.chaos.ts` measures what they hold. */
const CALLS = 12;
const ACCOUNTS = 3;

test("more large calls at once than fit get their response and are charged, or get 503 and are not", async () => {
  const worker = await sharedWorker();
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => openEdgeAccount(worker, 100)),
  );
  const call = largestHash();
  const responses = await Promise.all(
    Array.from({ length: CALLS }, (_, index) =>
      send(worker, accounts[index % ACCOUNTS] as (typeof accounts)[number], call),
    ),
  );
  const succeeded = responses.filter((response) => response?.status === 200);
  assert.ok(succeeded.length > 0);
  for (const response of responses) {
    // On a busy machine the rest of a rejected body comes too slowly, and its connection is closed.
    if (response === null || response.status === 408) continue;
    assert.equal(response.charged, response.status === 200 ? "1" : "0");
    if (response.status === 200) continue;
    assert.equal(response.status, 503);
    assert.match(response.retryAfter ?? "", /^[1-9]\d*$/);
  }
  const now = Date.now();
  const credits = await Promise.all(
    accounts.map(({ account }) => worker.ledger.credits({ account, now })),
  );
  const charged = credits.reduce((sum, { balance }) => sum + 100 - balance, 0);
  assert.equal(charged, succeeded.length, "only calls with a response were charged");
});

test("a client that disconnects during the largest response leaves no memory in use, and repeats the call without a charge", async () => {
  const worker = await sharedWorker();
  const caller = await openEdgeAccount(worker, 100);
  const { tool, body, responseChars } = largestResponse();
  const { socket, write } = openRaw(worker.port);
  const repeatable = { "Idempotency-Key": "large" };
  const headers = {
    Authorization: `Bearer ${caller.key}`,
    "Content-Length": String(body.length),
    ...repeatable,
  };
  const start = once(socket, "data") as Promise<[Buffer]>;
  write(rawPost(`/api/v1/${tool}`, body.toString(), headers));
  const [received] = await start;
  socket.pause();
  const other = largestHash();
  assert.equal((await send(worker, caller, other))?.status, 503, "nobody reads the response");
  socket.destroy();
  const succeeds = async () => (await send(worker, caller, other))?.status === 200;
  await eventually("there is memory", succeeds);

  const repeated = await worker.post(caller.key, tool, body.toString(), repeatable);
  assert.deepEqual([repeated.status, repeated.headers.get("credits-charged")], [200, "0"]);
  const whole = Buffer.from(await repeated.arrayBuffer());
  assert.ok(whole.length > responseChars);
  const [, beginning = ""] = received.toString("latin1").split("\r\n\r\n");
  assert.ok(whole.toString("latin1", 0, beginning.length) === beginning, "the same bytes");
});

test("the memory budget at the edge fits the largest body and more than one account", () => {
  const largest = Math.max(...worstCalls().map(({ body }) => body.length));
  assert.ok(WORKER_MEMORY.bytesPerAccount > largest);
  assert.ok(WORKER_MEMORY.bytes >= WORKER_MEMORY.bytesPerAccount + largest);
});
