import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { createCaller, type Opener, openService, type TestService } from "./test-api.ts";

/**
 * Every question to a remote ledger is a round trip, and paid for: one a call, whatever comes of it. Only an account that was
 * refused a moment ago may have two for a call that is answered: `remote-errors.test.ts`.
 */
export function roundTripSentences(opener: Opener) {
  test(`${opener.name}: each call makes exactly one round trip to the ledger, whatever its outcome`, async (t) => {
    const service = await openService(opener, { rateLimit: 3, fixed: true });
    t.after(service.close);
    const [rich, poor] = [await createCaller(service), await createCaller(service, { credits: 0 })];
    const [left, gone] = [await createCaller(service), await createCaller(service)];
    const now = await service.now();
    await service.ledger.changeAccount({ account: left.account, now, state: "suspended" });
    await service.ledger.revokeKey({ account: gone.account, id: gone.keyId, now });
    const hash = JSON.stringify({ text: "a" });
    const large = JSON.stringify({ text: "a".repeat(100_000) });
    const calls: [what: string, caller: { key: string }, body: string, status: number][] = [
      ["an answer", rich, hash, 200],
      ["no JSON", rich, "{", 400],
      ["a large body", rich, large, 200],
      ["too large a body", rich, JSON.stringify({ text: "a".repeat(1_048_577) }), 413],
      ["no credits", poor, hash, 402],
      ["no credits and no JSON", poor, "{", 402],
      ["a suspended account", left, hash, 403],
      ["a suspended account and no JSON", left, "{", 403],
      ["a revoked key", gone, hash, 401],
      ["a revoked key and a large body", gone, large, 401],
      ["the rate used up", rich, hash, 200],
      ["the rate used up", rich, hash, 200],
      ["over the rate", rich, hash, 429],
      ["over the rate and no JSON", rich, "{", 429],
    ];
    for (const [what, caller, body, status] of calls) {
      assert.equal(
        await countRoundTrips(service, () => send(service, caller.key, body, status)),
        1,
        what,
      );
    }
    await service.advance(10_000);
    for (const [what, body] of [
      ["with a key of its own", hash],
      ["again, replayed", hash],
    ] as const) {
      const once = { "idempotency-key": "once" };
      assert.equal(
        await countRoundTrips(service, () => send(service, rich.key, body, 200, once)),
        1,
        what,
      );
    }
    const other = () => send(service, rich.key, '{"text":"b"}', 400, { "idempotency-key": "once" });
    assert.equal(await countRoundTrips(service, other), 1, "the key used for another body");
  });

  test(`${opener.name}: a made-up key is rejected without asking the ledger`, async (t) => {
    const service = await openService(opener, { rateLimit: 3, fixed: true });
    t.after(service.close);
    const { account, key } = await createCaller(service);
    const last = key.endsWith("a") ? "b" : "a";
    // Whole in itself and of an account that is there, but not made with a secret of this service.
    const foreign = makeKey(account, ["another secret altogether"], randomBytes);
    for (const made of [`tb_${"a".repeat(56)}`, key.slice(0, -1) + last, `${key}a`, foreign, "x"]) {
      assert.equal(await countRoundTrips(service, () => send(service, made, "{}", 401)), 0, made);
    }
  });
}

async function countRoundTrips(service: TestService, act: () => Promise<void>): Promise<number> {
  const before = await service.roundTrips();
  await act();
  return (await service.roundTrips()) - before;
}

async function send(
  service: TestService,
  key: string,
  body: string,
  status: number,
  more: Record<string, string> = {},
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const response = await service.send("/api/v1/hash", { method: "POST", headers, body });
  assert.equal(response.status, status, response.text);
}
