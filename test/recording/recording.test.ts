import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { inProcess } from "../http/in-process.ts";
import { createCaller, openService } from "../http/test-api.ts";
import { compare, playSession, recorded, type Session } from "./recording.ts";

async function recordCalls(t: TestContext): Promise<Session> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-recording-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const service = await openService(recorded(inProcess, folder), { rateLimit: 10 });
  const caller = await createCaller(service, { credits: 2 });
  await caller.call("hash", { text: "a" });
  await service.trouble("hold_debits");
  const held = caller.call("hash", { text: "b" });
  while ((await service.held()) === 0);
  await service.trouble("none");
  await held;
  await caller.call("hash", { text: "c" });
  await service.close();
  const [name = ""] = readdirSync(folder);
  return JSON.parse(readFileSync(path.join(folder, name), "utf8"));
}

test("a recording gives the same responses whenever it is played", async (t) => {
  const session = await recordCalls(t);
  const first = await playSession(inProcess, session);
  const statuses = first.flatMap((each) => ("request" in each ? [each.status] : []));
  assert.deepEqual(statuses, [200, 200, 402]);
  assert.deepEqual(compare(first, await playSession(inProcess, session)), []);
});

test("a response that changed is named with what it was and what it is", async (t) => {
  const before = await playSession(inProcess, await recordCalls(t));
  const after = before.map((each) =>
    "request" in each && each.status === 402 ? { ...each, status: 200 } : each,
  );
  const [difference = "", ...others] = compare(before, after);
  assert.deepEqual(others, []);
  assert.match(difference, /POST \/api\/v1\/hash\n {2}- \[402,.*\n {2}\+ \[200,/);
});
