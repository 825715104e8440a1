import assert from "node:assert/strict";
import { test } from "node:test";
import type { FetchService } from "#apps/node/deploy-edge/connect-to.ts";
import { waitUntilReady } from "#apps/node/deploy-edge/first-call.ts";

test("while the service is not ready, the last response is printed", async (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const statuses = [503, 200];
  const fetchService = (async () => {
    nowMs += 31_000;
    const body = JSON.stringify({ title: "Unavailable", detail: "D1 does not respond." });
    return new Response(body, { status: statuses.shift() ?? 500 });
  }) as unknown as FetchService;
  const lines: string[] = [];
  const waited = {
    waitMs: 300_000,
    signal: new AbortController().signal,
    say: (line: string) => void lines.push(line.trim()),
  };
  assert.equal(await waitUntilReady("https://a.example", fetchService, waited), 62_000);
  assert.deepEqual(lines, ["not ready after 31 s: status 503, D1 does not respond."]);
});
