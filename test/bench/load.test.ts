import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { makeRequest, requestsOf, runFlatOut, runOpenLoop } from "../../bench/load.ts";
import { medianOf, percentile, sortedSamples, spreadOf } from "../../bench/report.ts";

describe("percentiles", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, i) => i + 1);

  it("are nearest ranks: the smallest sample that is not below the share", () => {
    assert.equal(percentile(hundred, 99), 99);
    assert.equal(percentile(hundred, 99.9), 100);
    assert.equal(percentile(hundred, 1), 1);
    assert.equal(percentile(hundred, 0), 1);
    assert.equal(percentile(hundred, 100), 100);
  });

  it("have a median between the two middle samples of an even count", () => {
    assert.equal(percentile(hundred, 50), 50.5);
    assert.equal(medianOf([9, 1, 2]), 2);
    assert.deepEqual(spreadOf([3, 1, 2, 10]), { median: 2.5, min: 1, max: 10 });
  });

  it("of no samples are not a number, and samples are sorted as numbers", () => {
    assert.ok(Number.isNaN(percentile([], 99)));
    assert.deepEqual([...sortedSamples([10, 9, 100])], [9, 10, 100]);
  });
});

/** Responds to each request when `respond` says so, and counts them. */
async function openServer(respond: (number: number, send: () => void) => void) {
  let received = 0;
  const keys: string[] = [];
  const server: Server = createServer((request, response) => {
    keys.push(request.headers.authorization ?? "");
    request.resume().on("end", () => {
      const send = () => response.writeHead(200, { "Content-Length": 2 }).end("ok");
      respond(received, send);
      received += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, keys, received: () => received };
}

const REQUEST = makeRequest("/", "{}");

describe("an open loop", () => {
  it("sends every call of the schedule, and charges a stall to all calls that were due in it", async () => {
    // The first response comes only when all calls are overdue. A closed loop would have one slow sample.
    const DURATION_MS = 400;
    const PER_SECOND = 100;
    let hold: (() => void)[] | null = [];
    const { port, received } = await openServer((_, send) => {
      if (hold === null) send();
      else hold.push(send);
    });
    const started = performance.now();
    const release = setTimeout(() => {
      for (const send of hold ?? []) send();
      hold = null;
    }, DURATION_MS);
    const load = runOpenLoop({
      port,
      requests: [REQUEST],
      connections: 4,
      durationMs: DURATION_MS,
      perSecond: PER_SECOND,
    });
    // The timer started before the schedule, and Node's timers may fire 1 ms early.
    const slackMs = performance.now() - started + 1;
    const { responses, latencies, lateness } = await load;
    clearTimeout(release);
    const count = (DURATION_MS / 1000) * PER_SECOND;
    assert.equal(responses, count);
    assert.equal(received(), count);
    assert.equal(lateness.length, count);
    // Nothing was sent before it was due.
    assert.ok((lateness[0] as number) >= 0);
    // The call that was due at `t` waited for at least `DURATION_MS - t`, also if it was not sent before the stall ended.
    for (const [i, latency] of [...latencies].reverse().entries()) {
      const least = DURATION_MS - (i * 1000) / PER_SECOND - slackMs;
      assert.ok(latency >= least, `sample ${i} from the top: ${latency} ms, not ${least}`);
    }
  });
});

describe("a flat-out load", () => {
  it("ends by itself and has a sample for each response", async () => {
    const { port, received } = await openServer((_, send) => send());
    const result = await runFlatOut({ port, requests: [REQUEST], connections: 3, durationMs: 50 });
    assert.equal(result.responses, received());
    assert.equal(result.latencies.length, result.responses);
    assert.deepEqual([...result.statuses.keys()], [200]);
  });

  it("sends all requests in turn, also if there are more than connections", async () => {
    const requests = Array.from({ length: 7 }, (_, i) => makeRequest("/", "{}", `key${i}`));
    const dealt = [0, 1, 2].flatMap((connection) =>
      requestsOf({ requests, connections: 3 }, connection),
    );
    assert.deepEqual(new Set(dealt), new Set(requests));
    assert.equal(dealt.length, 7);
    assert.deepEqual(requestsOf({ requests, connections: 64 }, 9), [requests[2]]);
    const { port, keys } = await openServer((_, send) => send());
    // Ends when every connection has had enough turns, however slow the machine is.
    while (keys.length < 1_000 && new Set(keys).size < 7)
      await runFlatOut({ port, requests, connections: 3, durationMs: 20 });
    assert.equal(new Set(keys).size, 7);
  });
});
