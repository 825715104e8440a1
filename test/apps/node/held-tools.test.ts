import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { inFolder, startProject, toolProject } from "./tool-project.ts";

/** Servers that are killed around a run: a paid response is never lost, and what changes the world runs once under a key. */

/** A tool that records each run, and may wait for `go.txt`. The folder of the project is the working directory. */
const countingTool = (
  effect: string,
  more = "",
) => `import { appendFileSync, existsSync } from "node:fs";
import { defineTool, z } from "toolbooth";
export default defineTool({
  summary: "Records its runs.", input: { wait: z.boolean().default(false) }, price: 10, timeLimitMs: 5_000, effect: "${effect}", ${more}
  async run({ wait }, { callId }) {
    appendFileSync("runs-${effect}.txt", callId + "\\n");
    while (wait && !existsSync("go.txt")) await new Promise((resolve) => setTimeout(resolve, 5));
    return { random: crypto.randomUUID() };
  },
});
`;

const runsIn = (folder: string, effect: string): string[] => {
  const file = path.join(folder, `runs-${effect}.txt`);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
};

test("paid calls end as they are paid for: out of time, left by their client, and around a kill of their server", async (t) => {
  const folder = toolProject(t, {
    "tools/look.ts": countingTool("read"),
    "tools/send.ts": countingTool("act"),
    "tools/slow.ts": `import { writeFileSync } from "node:fs";
import { defineTool } from "toolbooth";
export default defineTool({
  summary: "Waits.", input: {}, price: 10, timeLimitMs: 300,
  run: (_, { signal }) => new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => { writeFileSync("aborted.txt", "yes"); reject(signal.reason); })),
});
`,
  });
  const first = await startProject(t, folder);
  const DATA_DIR = path.join(folder, "data");
  let { base } = first;
  const state = async () => {
    const response = await fetch(`${base}/api/v1/account`, { headers: first.headers });
    const { balance, held } = (await response.json()) as { balance: number; held: number };
    return { balance, held };
  };
  const call = async (
    name: string,
    key: string,
    wait = false,
    signal: AbortSignal | null = null,
  ) => {
    const response = await fetch(`${base}/api/v1/${name}`, {
      method: "POST",
      headers: { ...first.headers, "Idempotency-Key": key },
      body: JSON.stringify(name === "slow" ? {} : { wait }),
      signal,
    });
    const text = await response.text();
    const charged = response.headers.get("credits-charged");
    return { status: response.status, charged, text, json: JSON.parse(text) };
  };
  const runs = (effect: string) => runsIn(folder, effect).length;
  const go = path.join(folder, "go.txt");
  const begin = (await state()).balance;

  await t.test(
    "a tool that runs out of time learns it by its signal, and costs nothing",
    async () => {
      assert.equal((await call("slow", "late")).json.code, "tool_timeout");
      // On a busy machine the time may be over before the call is paid: then the tool has not run.
      await eventually("it is aborted", async () => {
        assert.equal((await call("slow", "late")).json.code, "tool_timeout");
        return existsSync(path.join(folder, "aborted.txt"));
      });
      assert.deepEqual(await state(), { balance: begin, held: 0 });
      assert.equal((await call("slow", "late")).json.code, "tool_timeout");
    },
  );

  await t.test(
    "a client that leaves while its call runs is charged, and gets the response with its key",
    async () => {
      const leaving = new AbortController();
      const left = call("send", "left", true, leaving.signal).catch(() => "left");
      await eventually("it runs", async () => runs("act") === 1);
      leaving.abort();
      assert.equal(await left, "left");
      assert.equal((await call("send", "left", true)).status, 409);
      writeFileSync(go, "");
      await eventually("its response is kept", async () => {
        const { status, charged } = await call("send", "left", true);
        return status === 200 && charged === "0";
      });
      assert.deepEqual(await state(), { balance: begin - 10, held: 0 });
      assert.equal(runs("act"), 1);
    },
  );

  const look = await call("look", "paid");
  const sent = await call("send", "paid");
  assert.deepEqual([look.status, sent.status], [200, 200]);
  rmSync(go);
  for (const name of ["look", "send"]) void call(name, "cut", true).catch(() => {});
  await eventually("both run", async () => runs("read") === 2 && runs("act") === 3);
  await first.end("SIGKILL");
  for (const name of ["toolbooth.sqlite", "toolbooth.sqlite-wal"]) {
    const stored = readFileSync(path.join(DATA_DIR, name), "latin1");
    assert.ok(!stored.includes(look.text.slice(12, 30)), "the kept response is sealed");
  }
  ({ base } = await startServer(t, { DATA_DIR }, inFolder(folder)));

  await t.test(
    "a paid call and its repeat are one run and the same bytes, also if the server was killed between",
    async () => {
      for (const [name, paid] of Object.entries({ look, send: sent })) {
        const { text, charged } = await call(name, "paid");
        assert.deepEqual([text, charged], [paid.text, "0"]);
      }
      assert.deepEqual([runs("read"), runs("act")], [2, 3]);
    },
  );

  await t.test(
    "a call whose server was killed while it ran ends after its lease: a read may run again, an act does not",
    async () => {
      assert.deepEqual(await state(), { balance: begin - 50, held: 20 });
      const { code, detail } = (await call("look", "cut", true)).json;
      assert.equal(code, "idempotency_in_progress");
      assert.match(
        detail,
        /or its server has died\. Repeat the request once a second .+ up to about 30 more seconds/,
      );
      writeFileSync(go, "");
      await eventually("the holds end", async () => (await state()).held === 0);
      assert.deepEqual(await state(), { balance: begin - 30, held: 0 });
      const unknown = (await call("send", "cut", true)).json;
      assert.equal(unknown.code, "outcome_unknown");
      assert.equal(unknown.callId, runsIn(folder, "act")[2]);
      assert.equal((await call("look", "cut", true)).status, 200);
      assert.equal((await call("look", "cut", true)).charged, "0");
      assert.deepEqual([runs("read"), runs("act")], [3, 3]);
      assert.deepEqual(await state(), { balance: begin - 40, held: 0 });
    },
  );
});
