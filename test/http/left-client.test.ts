import assert from "node:assert/strict";
import { test } from "node:test";
import { inProcess, openMemory } from "./in-process.ts";
import { assertProblem, createCaller, openService } from "./test-api.ts";

test("a client that has left before the debit is not charged", async (t) => {
  const open: typeof inProcess.open = async (settings) =>
    openMemory(settings, { hasLeft: () => true });
  const service = await openService({ ...inProcess, open }, { rateLimit: 0 });
  t.after(service.close);
  const { post, account } = await createCaller(service, { credits: 5 });
  assertProblem(await post("uuid"), "invalid_request");
  const { balance } = await service.ledger.credits({ account, now: await service.now(), max: 0 });
  assert.equal(balance, 5);
});
