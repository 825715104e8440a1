import assert from "node:assert/strict";
import { parseCallRef } from "#ids.ts";
import { TOOLS } from "#tools/registry.ts";
import { CAUSE } from "../ledger-access.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  eventually,
  type Sentence,
} from "../test-api.ts";

/** What clients see when the ledger does not respond: never a free call, a lost credit or the cause. */
export function ledgerTroubleSuite(sentence: Sentence) {
  unavailableSentences(sentence);
  lostResponseSentences(sentence);
}

function assertUnavailable(response: ApiResponse) {
  const problem = assertProblem(response, "unavailable");
  assert.match(response.header("retry-after") ?? "", /^[1-9]\d*$/);
  const seen = [response.text, ...response.headers.values()].join("\n");
  for (const word of CAUSE.split(" ").filter((each) => each.length > 4))
    assert.ok(!seen.includes(word), seen);
  return problem;
}

/** The debit may have been made: the error says so, names the call and does not say what it cost. */
function assertUnknown(response: ApiResponse, how: RegExp) {
  const { detail, charged, callId } = assertUnavailable(response);
  assert.equal(charged, "unknown");
  assert.match(detail, /not known whether the call was charged/);
  assert.match(detail, how);
  assert.notEqual(parseCallRef(callId), null, callId);
  assert.ok(detail.includes(callId));
  assert.equal(response.header("credits-charged"), null);
  assert.equal(response.header("credits-remaining"), null);
}

function unavailableSentences(sentence: Sentence) {
  sentence(
    "an unreachable ledger is 503 with Retry-After for every tool, and the cause is logged",
    async (service) => {
      const caller = await createCaller(service);
      let spent = 0;
      for (const seen of [false, true]) {
        for (const { name, price, examples } of TOOLS) {
          const body = examples[0]?.request;
          await service.trouble("refuse_all");
          assertUnavailable(await caller.call(name, body));
          await service.trouble("none");
          if (!seen) continue;
          assertResponse(await caller.call(name, body), price);
          spent += price;
        }
        assertResponse(await caller.call("uuid"), 1);
        spent += 1;
      }
      assert.ok((await service.loggedErrors()).some((loggedError) => loggedError.includes(CAUSE)));
      assert.equal(await caller.balance(), 100 - spent);
    },
  );

  sentence(
    "when only debits fail, a call is 503, costs nothing and leaves its idempotency key free",
    async (service) => {
      const caller = await createCaller(service);
      const headers = { "Idempotency-Key": "again" };
      await service.trouble("refuse_debits");
      for (let call = 0; call < 3; call += 1) {
        assertUnavailable(await caller.call("uuid", {}));
        assertUnavailable(await caller.call("uuid", {}, headers));
      }
      await service.trouble("none");
      assert.equal(await caller.balance(), 100);
      assertResponse(await caller.call("uuid", { count: 2 }, headers), 1);
    },
  );

  sentence(
    "an unreachable ledger does not hide a wrong path, method or form of key",
    async (service) => {
      await service.trouble("refuse_all");
      assertProblem(await service.send("/api/v1/none", { method: "POST" }), "not_found");
      assertProblem(await service.send("/api/v1/hash"), "method_not_allowed");
      assertProblem(await service.send("/api/v1/hash", { method: "POST" }), "missing_key");
      const headers = { Authorization: "Bearer tb_wrong" };
      assertProblem(await service.send("/api/v1/hash", { method: "POST", headers }), "invalid_key");
      assert.deepEqual((await service.send("/healthz")).json(), { ok: true });
    },
  );

  sentence(
    "/readyz is 503 while the ledger accepts no writes, and 200 again afterwards",
    async (service) => {
      await service.advance(1000);
      await service.trouble("refuse_all");
      const response = await service.send("/readyz");
      assertUnavailable(response);
      await service.trouble("none");
      await service.advance(1000);
      assert.equal((await service.send("/readyz")).status, 200);
    },
    { adapter: "readiness" },
  );
}

function lostResponseSentences(sentence: Sentence) {
  sentence(
    "a debit whose response was lost is 503, and the credit is returned",
    async (service) => {
      const caller = await createCaller(service, { credits: 5 });
      await service.trouble("lose_answers");
      assertUnknown(await caller.call("hash", { text: "a" }), /reversed automatically/);
      await eventually("the credit is back", async () => (await caller.balance()) === 5);
      await service.trouble("none");
      assertResponse(await caller.call("hash", { text: "a" }), 1);
      const { totals, faults } = await service.ledger.audit({ now: await service.now() });
      assert.deepEqual(faults, []);
      assert.ok(totals.reversed >= 1);
    },
    { adapter: "work after the response" },
  );

  sentence("a free call whose response was lost is free again", async (service) => {
    const caller = await createCaller(service, { credits: 5, freeCall: "open" });
    await service.trouble("lose_answers");
    assertUnavailable(await caller.call("hash", { text: "a" }));
    await service.trouble("none");
    const find = async () =>
      (await service.ledger.findAccount({ account: caller.account, now: await service.now() }))
        ?.freeCall;
    await eventually("the free call is back", async () => (await find()) === "open");
    assertResponse(await caller.call("hash", { text: "a" }), 0);
  });

  sentence(
    "with an Idempotency-Key the credit is not returned: the retry replays the call",
    async (service) => {
      const caller = await createCaller(service, { credits: 5 });
      const headers = { "Idempotency-Key": "lost" };
      await service.trouble("lose_answers");
      assertUnknown(
        await caller.call("uuid", { count: 3 }, headers),
        /Repeat it with the same Idempotency-Key/,
      );
      await service.trouble("none");
      assert.equal(await caller.balance(), 4);
      const repeat = () => caller.call("uuid", { count: 3 }, headers);
      const [one, two] = [await repeat(), await repeat()];
      assertResponse(one, 0);
      assert.equal(one.header("idempotency-replayed"), "true");
      assert.deepEqual(two.bytes, one.bytes);
      assert.equal(await caller.balance(), 4);
      assertProblem(await caller.call("uuid", { count: 4 }, headers), "idempotency_key_reused");
    },
  );

  sentence(
    "a reversal that fails is retried until the ledger responds",
    async (service) => {
      const caller = await createCaller(service, { credits: 5 });
      await service.trouble("lose_all");
      const before = await service.ordered("reverse");
      assertUnavailable(await caller.call("hash", { text: "a" }));
      await eventually(
        "a reversal was tried",
        async () => (await service.ordered("reverse")) > before,
      );
      assert.equal(await caller.balance(), 4);
      await service.trouble("none");
      await eventually("the credit is back", async () => (await caller.balance()) === 5);
    },
    { adapter: "a reversal that is kept" },
  );
}
