import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { inFolder, startProject, toolProject } from "./tool-project.ts";

/** Servers that are killed around a run: a paid response is never lost, and what changes the world runs once under a key. */

/** A tool that records each run, and waits where it is told to. The folder of the project is the working directory. */
const countingTool = (effect: string, more = "") => `import { appendFileSync } from "node:fs";
import { defineTool, z } from "toolbooth";
export default defineTool({
  summary: "Records its runs.", input: { wait: z.boolean().default(false) }, price: 10, timeLimitMs: 2_000, effect: "${effect}", ${more}
  async run({ wait }, { callId }) {
    appendFileSync("runs-${effect}.txt", callId + "\\n");
    if (wait) await new Promise((resolve) => setTimeout(resolve, 1_500));
    return { random: Math.random() };
  },
});
`;

const runsIn = (folder: string, effect: string): string[] => {
  const file = path.join(folder, `runs-${effect}.txt`);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
};

test("a paid call and its repeat are one run and the same bytes, also if the server was killed between", async (t) => {
  const folder = toolProject(t, {
    "tools/look.ts": countingTool("read"),
    "tools/send.ts": countingTool("act"),
  });
  const first = await startProject(t, folder);
  const before = await first.balance();
  const send = async (base: string, name: string) => {
    const response = await fetch(`${base}/api/v1/${name}`, {
      method: "POST",
      headers: { ...first.headers, "Idempotency-Key": "one" },
      body: "{}",
    });
    assert.equal(response.status, 200);
    return [await response.text(), response.headers.get("credits-charged")];
  };
  const [look] = await send(first.base, "look");
  const [sent] = await send(first.base, "send");
  await first.end("SIGKILL");
  for (const name of ["toolbooth.sqlite", "toolbooth.sqlite-wal"]) {
    const stored = readFileSync(path.join(folder, "data", name), "latin1");
    assert.ok(!stored.includes(String(look).slice(12, 30)), "the kept response is sealed");
  }
  const second = await startServer(t, { DATA_DIR: path.join(folder, "data") }, inFolder(folder));
  assert.deepEqual(await send(second.base, "look"), [look, "0"]);
  assert.deepEqual(await send(second.base, "send"), [sent, "0"]);
  assert.equal(runsIn(folder, "read").length, 1);
  assert.equal(runsIn(folder, "act").length, 1);
  const account = await fetch(`${second.base}/api/v1/account`, { headers: first.headers });
  assert.equal(((await account.json()) as { balance: number }).balance, before - 20);
});

test("a call whose server was killed while it ran ends after its lease: a read may run again, an act does not", async (t) => {
  const folder = toolProject(t, {
    "tools/look.ts": countingTool("read"),
    "tools/send.ts": countingTool("act"),
  });
  const first = await startProject(t, folder);
  const before = await first.balance();
  const call = (base: string, name: string, wait: boolean) =>
    fetch(`${base}/api/v1/${name}`, {
      method: "POST",
      headers: { ...first.headers, "Idempotency-Key": "one" },
      body: JSON.stringify({ wait }),
    });
  for (const name of ["look", "send"]) void call(first.base, name, true).catch(() => {});
  await eventually(
    "both run",
    async () => runsIn(folder, "read").length + runsIn(folder, "act").length === 2,
  );
  await first.end("SIGKILL");
  const { base } = await startServer(t, { DATA_DIR: path.join(folder, "data") }, inFolder(folder));
  const stateOf = async () => {
    const response = await fetch(`${base}/api/v1/account`, { headers: first.headers });
    const { balance, held } = (await response.json()) as { balance: number; held: number };
    return { balance, held };
  };
  assert.deepEqual(await stateOf(), { balance: before - 20, held: 20 });
  const taken = (await (await call(base, "look", true)).json()) as { code: string; detail: string };
  assert.equal(taken.code, "idempotency_in_progress");
  assert.match(
    taken.detail,
    /or its server has died\. Repeat the request once a second .+ up to about 24 more seconds/,
  );
  await eventually("the holds end", async () => (await stateOf()).held === 0);
  assert.deepEqual(await stateOf(), { balance: before, held: 0 });
  const unknown = (await (await call(base, "send", true)).json()) as {
    code: string;
    callId: string;
  };
  assert.equal(unknown.code, "outcome_unknown");
  assert.equal(unknown.callId, runsIn(folder, "act")[0]);
  assert.equal((await call(base, "look", true)).status, 200);
  assert.equal((await call(base, "look", true)).headers.get("credits-charged"), "0");
  assert.equal(runsIn(folder, "read").length, 2);
  assert.equal(runsIn(folder, "act").length, 1);
  assert.deepEqual(await stateOf(), { balance: before - 10, held: 0 });
});

test("a tool that runs out of time learns it by its signal, and costs nothing", async (t) => {
  const folder = toolProject(t, {
    "tools/slow.ts": `import { writeFileSync } from "node:fs";
import { defineTool } from "toolbooth";
export default defineTool({
  summary: "Waits.", input: {}, price: 10, timeLimitMs: 300,
  run: (_, { signal }) => new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => { writeFileSync("aborted.txt", "yes"); reject(signal.reason); })),
});
`,
  });
  const { call, balance } = await startProject(t, folder);
  const before = await balance();
  const late = await call("slow", {}, { "Idempotency-Key": "one" });
  assert.equal(late.json.code, "tool_timeout");
  await eventually("it is aborted", async () => existsSync(path.join(folder, "aborted.txt")));
  assert.equal(await balance(), before);
  assert.equal((await call("slow", {}, { "Idempotency-Key": "one" })).json.code, "tool_timeout");
});

test("a client that leaves while its call runs is charged, and gets the response with its key", async (t) => {
  const folder = toolProject(t, { "tools/send.ts": countingTool("act") });
  const { base, headers, balance } = await startProject(t, folder);
  const before = await balance();
  const send = (signal: AbortSignal | null) =>
    fetch(`${base}/api/v1/send`, {
      method: "POST",
      headers: { ...headers, "Idempotency-Key": "one" },
      body: JSON.stringify({ wait: true }),
      signal,
    });
  const leaving = new AbortController();
  const left = send(leaving.signal).catch(() => "left");
  await eventually("it runs", async () => runsIn(folder, "act").length === 1);
  leaving.abort();
  assert.equal(await left, "left");
  assert.equal((await send(null)).status, 409);
  await eventually("its response is kept", async () => (await send(null)).status === 200);
  assert.equal((await send(null)).headers.get("idempotency-replayed"), "true");
  assert.equal(await balance(), before - 10);
  assert.equal(runsIn(folder, "act").length, 1);
});
