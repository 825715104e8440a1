import assert from "node:assert/strict";
import { test } from "node:test";
import { WORKER_MEMORY } from "#limits.ts";
import { assertResponse, createCaller, eventually, openService } from "./test-api.ts";
import type { AbandonOrder } from "./worker.ts";
import { keepWorkerd, openWorkerd, workerd } from "./workerd.ts";

/** A client that goes away: workerd may drop what was begun for it, and it must not hold memory forever. */
keepWorkerd();
const RATE = { rateLimit: 100_000 };
const LARGE = JSON.stringify("a".repeat(1_000_000));

async function openAbandonable() {
  const opened = await openWorkerd(RATE);
  const service = await openService({ ...workerd, open: async () => opened }, RATE);
  const caller = await createCaller(service);
  const abandon = (order: Omit<AbandonOrder, "headers">, headers: [string, string][] = []) => {
    const length: [string, string][] =
      order.when === "sending" ? [] : [["content-length", String(order.body.length)]];
    return opened.abandon({
      ...order,
      headers: [["authorization", `Bearer ${caller.key}`], ...length, ...headers],
    });
  };
  return { service, caller, abandon };
}

test("in workerd: a client that disconnects can retry under its idempotency key and is charged once", async (t) => {
  const { service, caller, abandon } = await openAbandonable();
  t.after(service.close);
  const key: [string, string] = ["idempotency-key", "gone"];
  await service.trouble("hold_debits");
  await abandon({ path: "/api/v1/uuid", body: '{"count":3}', when: "held" }, [key]);
  await service.trouble("none");
  await eventually("the key is free", async () => {
    const response = await caller.post("uuid", { headers: [key], body: '{"count":3}' });
    if (response.status === 200) assertResponse(response);
    return response.status !== 409;
  });
  assert.equal(await caller.balance(), 99);
});

for (const when of ["sending", "held", "answered"] as const) {
  test(`in workerd: large calls whose client disconnects (${when}) release their memory`, async (t) => {
    const { service, caller, abandon } = await openAbandonable();
    t.after(service.close);
    for (let bytes = 0; bytes <= WORKER_MEMORY.bytesPerAccount; bytes += LARGE.length) {
      if (when === "held") await service.trouble("hold_debits");
      await abandon({ path: "/api/v1/echo", body: LARGE, when });
      await service.trouble("none");
    }
    // A response that nobody reads is held for a while, as if its client were slow.
    if (when === "held") await service.advance(WORKER_MEMORY.heldMsMax + 1);
    await eventually("memory is free", async () => {
      const { status } = await caller.post("echo", { body: LARGE });
      assert.ok(status === 200 || status === 503, `${status}`);
      return status === 200;
    });
  });
}
