import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { openOwnToolThreads } from "#apps/node/own-tool-threads.ts";
import { defineTool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { shareProject, tool, WORD_COUNT } from "./tool-project.ts";

/** What a faulty tool can do: end its call, uncharged, and nothing else. */

const HOSTILE: Record<string, { members: string; code: string; log: RegExp }> = {
  "loops without an end": {
    members: "timeLimitMs: 300, run() { for (;;); }",
    ...{ code: "tool_timeout", log: /ran for more than 300 ms/ },
  },
  "loops while its input is checked": {
    members:
      "timeLimitMs: 300, input: { text: z.string().default('').check(() => { for (;;); }) }, run: () => ({})",
    ...{ code: "tool_timeout", log: /ran for more than 300 ms/ },
  },
  "loops while it is priced": {
    members: "timeLimitMs: 300, price() { for (;;); }, priceMax: 5, run: () => ({})",
    ...{ code: "tool_timeout", log: /ran for more than 300 ms/ },
  },
  "has no price for its input": {
    members: 'effect: "read", price: () => 0.5, priceMax: 5, run: () => ({})',
    ...{ code: "tool_failed", log: /price returned 0.5; it must return a whole number/ },
  },
  "never settles": {
    members: "timeLimitMs: 300, run: () => new Promise(() => {})",
    ...{ code: "tool_timeout", log: /ran for more than 300 ms/ },
  },
  "makes a string of 10 GB": {
    members: "run: () => ({ text: 'x'.repeat(10 * 2 ** 30) })",
    ...{ code: "tool_failed", log: /Invalid string length/ },
  },
  "fills its memory": {
    members:
      "timeLimitMs: 60_000, run() { const all = []; for (;;) all.push(new Array(1e6).fill(0)); }",
    ...{ code: "tool_failed", log: /memory limit/ },
  },
  "returns more than a response may have": {
    members: "run: () => ({ text: 'x'.repeat(17 * 2 ** 20) })",
    ...{ code: "tool_failed", log: /more than 16777216 bytes/ },
  },
  "throws a number": {
    members: "run() { throw 7; }",
    ...{ code: "tool_failed", log: /threw 7/ },
  },
  "rejects with nothing": {
    members: "run: () => Promise.reject()",
    ...{ code: "tool_failed", log: /threw undefined/ },
  },
  "returns what its schema forbids": {
    members: "output: { words: z.int() }, run: () => ({ words: 'three' }) as never",
    ...{ code: "tool_failed", log: /returned what `output` forbids: words: / },
  },
  "returns no object": {
    members: "run: () => 7 as never",
    ...{ code: "tool_failed", log: /forbids|must return an object/ },
  },
  "returns what JSON has not": {
    members: "run: () => ({ big: 7n })",
    ...{ code: "tool_failed", log: /BigInt/ },
  },
  "leaves a rejected promise behind": {
    members: "run() { Promise.reject(new Error('left behind')); return {}; }",
    ...{ code: "tool_failed", log: /left behind/ },
  },
  "throws in a callback": {
    members:
      "run: () => new Promise(() => setTimeout(() => { throw new Error('in a callback'); }))",
    ...{ code: "tool_failed", log: /in a callback/ },
  },
  "ends the process": {
    members: "run() { process.exit(0); }",
    ...{ code: "tool_failed", log: /exit code 0/ },
  },
};

const nameOf = (sentence: string) => sentence.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();

const project = shareProject({
  "tools/word-count.ts": WORD_COUNT,
  "tools/slow.ts": `import { existsSync } from "node:fs";
${tool("timeLimitMs: 60_000, input: { until: z.string() }, run({ until }) { while (!existsSync(until)); return {}; }")}`,
  ...Object.fromEntries(
    ["none", "read"].map((effect) => [
      `tools/priced-${effect}.ts`,
      tool(
        `effect: "${effect}", input: { text: z.string() }, price: ({ text }) => text.length, priceMax: 5, run: () => ({})`,
      ),
    ]),
  ),
  "tools/breaks-globals.ts": tool(`run() {
    Array.prototype.map = () => { throw new Error("broken"); };
    (Object.prototype as any).text = "broken";
    (globalThis as any).fetch = (globalThis as any).Promise = undefined;
    return {};
  }`),
  ...Object.fromEntries(
    Object.entries(HOSTILE).map(([sentence, { members }]) => [
      `tools/${nameOf(sentence)}.ts`,
      tool(members),
    ]),
  ),
});

describe("hostile tools", () => {
  let server: Awaited<ReturnType<typeof project>>;
  before(async () => {
    server = await project();
  });

  for (const [sentence, { code, log }] of Object.entries(HOSTILE)) {
    test(`a tool that ${sentence} ends its call with ${code}, uncharged, and other tools answer`, async () => {
      const balance = await server.balance();
      for (const _ of ["first", "again"]) {
        const failed = await server.call(nameOf(sentence));
        assert.equal(failed.json.code, code, JSON.stringify(failed.json));
        assert.equal(failed.status, code === "tool_failed" ? 500 : 504);
        assert.doesNotMatch(JSON.stringify(failed.json), /at file:|left behind/);
      }
      await eventually(`the log has ${log}`, async () => log.test(server.log()));
      assert.equal(await server.balance(), balance);
      assert.equal((await server.call("word-count", { text: "a b" })).json.words, 2);
      assert.equal((await server.call("hash", { text: "a" })).status, 200);
    });
  }

  test("a call costs what the function of its price says in the thread, and so says its quote", async () => {
    for (const name of ["priced-none", "priced-read"]) {
      const balance = await server.balance();
      const quote = await server.call(`${name}/quote`, { text: "abc" });
      assert.deepEqual([quote.status, quote.json], [200, { ok: true, credits: 3 }]);
      assert.equal(await server.balance(), balance);
      assert.equal((await server.call(name, { text: "abc" })).status, 200);
      assert.equal(await server.balance(), balance - 3);
      assert.equal((await server.call(name, { text: "abcdef" })).json.code, "tool_failed");
      assert.equal((await server.call(`${name}/quote`, { text: "abcdef" })).status, 500);
      assert.equal(await server.balance(), balance - 3);
    }
  });

  test("a tool that breaks the globals of its thread breaks no other tool", async () => {
    await server.call("breaks-globals");
    assert.equal((await server.call("word-count", { text: "a b" })).json.words, 2);
    assert.equal((await server.call("hash", { text: "a" })).status, 200);
  });

  test("small calls are answered while a tool loops", async (t) => {
    const order: string[] = [];
    const until = path.join(temporaryFolder(t), "now");
    const slow = server.call("slow", { until }).then(({ status }) => order.push(`slow ${status}`));
    for (const name of ["hash", "word-count", "hash"]) {
      const { status } = await server.call(name, { text: "a" });
      order.push(`${name} ${status}`);
    }
    writeFileSync(until, "");
    await slow;
    assert.deepEqual(order, ["hash 200", "word-count 200", "hash 200", "slow 200"]);
  });

  test("Server-Timing tells the wait for a thread from the time of the tool", async (t) => {
    const until = path.join(temporaryFolder(t), "now");
    // So that its thread has started: that is a wait too.
    await server.call("slow", { until: import.meta.filename });
    const calls = [server.call("slow", { until }), server.call("slow", { until })];
    await eventually("one of them waits", async () =>
      /toolbooth_tool_pool_waiting_jobs 1$/m.test(await server.get("/metrics")),
    );
    const WAIT_MS = 50;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    writeFileSync(until, "");
    const times = (await Promise.all(calls)).map(({ timing }) => timesOf(timing));
    for (const parts of times)
      assert.deepEqual(Object.keys(parts), ["key", "body", "queue", "tool", "ledger", "total"]);
    const waits = times.map(({ queue }) => queue as number);
    assert.ok(Math.max(...waits) >= WAIT_MS, JSON.stringify(times));
    assert.ok(
      times.some(({ tool }) => (tool as number) >= WAIT_MS),
      JSON.stringify(times),
    );

    const { timing } = await server.call("priced-read", { text: "abc" });
    const parts = ["key", "body", "queue", "check", "hold", "tool", "ledger", "total"];
    assert.deepEqual(Object.keys(timesOf(timing)), parts);
  });
});

test("a call for which the system gives no thread is told to come again", async () => {
  const own = ownTool("count", defineTool({ ...BARE, run: () => ({}) }));
  const threads = openOwnToolThreads(
    [{ name: "count", file: "count.ts", secrets: [], sources: new Map() }],
    1,
    { onFault() {}, onLog() {} },
    () => {
      throw Object.assign(new Error("no thread"), { code: "ERR_WORKER_INIT_FAILED" });
    },
  );
  for (const _ of ["first", "again"])
    await assert.rejects(threads.run(own, JOB, "account"), { code: "unavailable" });
  assert.equal(threads.waiting(), 0);
});

const BARE = { summary: "Counts.", input: {}, price: 1, effect: "none" } as const;
const JOB = {
  ...{ body: new Uint8Array(), contentType: null, query: "", accept: null },
  ...{ receivedAt: 0, random: null, fingerprint: false },
};

/** The parts of a Server-Timing header, in their order. */
const timesOf = (header: string): Record<string, number> =>
  Object.fromEntries(
    header.split(", ").map((part) => {
      const [name = "", ms] = part.split(";dur=");
      return [name, Number(ms)];
    }),
  );
