import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { type Chance, createChance } from "../ledger/rules/chance.ts";
import { SEED } from "../support/random.ts";
import { connectMcp, fetchOf, REVISIONS } from "./mcp-client.ts";
import { nodeSocket } from "./node-socket.ts";
import { createCaller, type Opener, openService } from "./test-api.ts";
import { keepWorkerd, workerd } from "./workerd.ts";

/**
 * Calls through MCP with an idempotency key, by the official client in every revision. 30 % of the responses are lost, some
 * when the call has been made and some while it runs, and the call is repeated until it has a response.
 */
const CALLS = Number(process.env["TEST_MCP_CALLS"] ?? 80);
const LOST_PERCENT = 30;
const AT_ONCE = 8;
const PAUSE_MS = 5;

keepWorkerd();
for (const opener of [nodeSocket, workerd]) retries(opener);

type Call = { name: string; args: Record<string, unknown> };

function retries(opener: Opener): void {
  test(`${opener.name}: calls through MCP of which 30 % of the responses are lost are charged once each`, async (t) => {
    t.diagnostic(`${CALLS} calls, TEST_SEED=${SEED}`);
    const service = await openService(opener, { rateLimit: 100_000 });
    t.after(service.close);
    const caller = await createCaller(service, { credits: CALLS + 7 });
    const seen = { lost: 0, repeated: 0, inProgress: 0 };
    const workers = Array.from({ length: AT_ONCE }, async (_, worker) => {
      const chance = createChance(SEED + worker);
      const line = createLossyLine(fetchOf(service), chance, seen);
      const revision = REVISIONS[worker % REVISIONS.length] as (typeof REVISIONS)[number];
      const client = await connectMcp({ key: caller.key, revision, fetch: line.fetch });
      for (let n = worker; n < CALLS; n += AT_ONCE) {
        line.begin();
        await callUntilTold(client, randomCall(chance), `call-${n}`, seen);
        assertAllEqual(line.results());
      }
      await client.close();
    });
    await Promise.all(workers);
    assert.equal(await caller.balance(), 7);
    assert.equal((await service.ledger.audit({ now: await service.now() })).ok, true);
    assert.ok(seen.lost > CALLS / 10 && seen.repeated >= seen.lost, JSON.stringify(seen));
    t.diagnostic(JSON.stringify(seen));
  });
}

type Seen = { lost: number; repeated: number; inProgress: number };

/** Loses responses of tools, and keeps what the server sent, lost or not. */
function createLossyLine(fetch: ReturnType<typeof fetchOf>, chance: Chance, seen: Seen) {
  let texts: string[] = [];
  return {
    begin() {
      texts = [];
    },
    results: () => texts.flatMap(resultBytes),
    async fetch(url: string | URL, init: RequestInit = {}) {
      if (!String(init.body).includes('"tools/call"')) return fetch(url, init);
      // A lost response may come when the next call has begun.
      const own = texts;
      const isLost = chance.percent(LOST_PERCENT);
      const response = fetch(url, init).then(async (got) => {
        own.push(await got.clone().text());
        return got;
      });
      if (!isLost) return response;
      seen.lost += 1;
      // Half of them while the call runs, so that the repeat meets it.
      if (chance.percent(50)) await response;
      else response.catch(() => undefined);
      throw new TypeError("fetch failed");
    },
  };
}

/** What a result says, as the server wrote it; what it costs now comes before it. Nothing for an error. */
function resultBytes(text: string): string[] {
  const from = text.indexOf('"content":');
  if (from === -1 || text.includes('"isError":true')) return [];
  // The revision of 2026-07-28 says more after the result.
  const to = text.lastIndexOf(',"resultType":"complete"');
  return [text.slice(from, to === -1 ? text.lastIndexOf("}}") : to)];
}

function assertAllEqual(results: string[]): void {
  for (const result of results) assert.equal(result, results[0]);
}

async function callUntilTold(client: Client, call: Call, key: string, seen: Seen): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    assert.ok(attempt < 1_000, `${key} never succeeds`);
    if (attempt > 0) seen.repeated += 1;
    const result = await client
      .callTool({
        name: call.name,
        arguments: call.args,
        _meta: { "toolbooth/idempotency-key": key },
      })
      .catch((error: Error) => {
        assert.match(String(error), /fetch failed/);
        return null;
      });
    if (result === null) continue;
    if (result.isError !== true) return;
    assert.match(JSON.stringify(result.content), /idempotency_in_progress/);
    seen.inProgress += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function randomCall(chance: Chance): Call {
  const text = `${chance.seed()} `.repeat(1 + chance.below(20));
  const calls: Call[] = [
    { name: "uuid", args: { count: 1 + chance.below(20) } },
    { name: "echo", args: { body: { text, list: [1, 2.5, null] } } },
    { name: "hash", args: { text, algorithm: "sha512" } },
    {
      name: "qr-code",
      args: { text: text.slice(0, 20), format: chance.pick(["png", "svg", "utf8"]) },
    },
    { name: "markdown-render", args: { markdown: `# ${text}\n\n*a* <b>` } },
  ];
  return chance.pick(calls);
}
