import assert from "node:assert/strict";
import { CAUSE } from "../ledger-access.ts";
import {
  type Answer,
  assertAnswer,
  assertProblem,
  createCaller,
  eventually,
  type Sentence,
} from "../test-service.ts";

/** What callers meet when the ledger does not answer: never a free call, never a lost credit, never the cause. */
export function ledgerTroubleSuite(sentence: Sentence) {
  unavailableSentences(sentence);
  lostAnswerSentences(sentence);
}

function assertUnavailable(answer: Answer) {
  const problem = assertProblem(answer, "unavailable");
  assert.match(answer.header("retry-after") ?? "", /^[1-9]\d*$/);
  const seen = [answer.text, ...answer.headers.values()].join("\n");
  for (const word of CAUSE.split(" ").filter((each) => each.length > 4))
    assert.ok(!seen.includes(word), seen);
  return problem;
}

const TOOLS = ["markdown-render", "qr-code", "hash", "uuid", "echo"];

function unavailableSentences(sentence: Sentence) {
  sentence(
    "a ledger out of reach is 503 with Retry-After, for every tool, and the operator is told why",
    async (door) => {
      const caller = await createCaller(door);
      const bodies: Record<string, unknown> = {
        "markdown-render": { markdown: "a" },
        "qr-code": { text: "a" },
        hash: { text: "a" },
      };
      for (const seen of [false, true]) {
        for (const tool of TOOLS) {
          await door.trouble("refuse_all");
          assertUnavailable(await caller.call(tool, bodies[tool]));
          await door.trouble("none");
          if (seen) assertAnswer(await caller.call(tool, bodies[tool]), 1);
        }
        assertAnswer(await caller.call("uuid"), 1);
      }
      assert.ok((await door.complaints()).some((complaint) => complaint.includes(CAUSE)));
      assert.equal(await caller.balance(), 93);
    },
  );

  sentence(
    "where only debits fail, a call is 503 and costs nothing, and the key of its repeat is free",
    async (door) => {
      const caller = await createCaller(door);
      const headers = { "Idempotency-Key": "again" };
      await door.trouble("refuse_debits");
      for (let call = 0; call < 3; call += 1) {
        assertUnavailable(await caller.call("uuid", {}));
        assertUnavailable(await caller.call("uuid", {}, headers));
      }
      await door.trouble("none");
      assert.equal(await caller.balance(), 100);
      assertAnswer(await caller.call("uuid", { count: 2 }, headers), 1);
    },
  );

  sentence(
    "a ledger out of reach does not hide that a request is wrong by its path, method or form of key",
    async (door) => {
      await door.trouble("refuse_all");
      assertProblem(await door.send("/api/v1/none", { method: "POST" }), "not_found");
      assertProblem(await door.send("/api/v1/hash"), "method_not_allowed");
      assertProblem(await door.send("/api/v1/hash", { method: "POST" }), "missing_key");
      const headers = { Authorization: "Bearer tb_wrong" };
      assertProblem(await door.send("/api/v1/hash", { method: "POST", headers }), "invalid_key");
      assert.deepEqual((await door.send("/healthz")).json(), { ok: true });
    },
  );

  sentence(
    "/readyz is 503 while the ledger takes no writes, and well again after",
    async (door) => {
      await door.advance(1000);
      await door.trouble("refuse_all");
      const answer = await door.send("/readyz");
      assertUnavailable(answer);
      await door.trouble("none");
      await door.advance(1000);
      assert.equal((await door.send("/readyz")).status, 200);
    },
  );
}

function lostAnswerSentences(sentence: Sentence) {
  sentence("a debit whose answer was lost is 503, and the credit comes back", async (door) => {
    const caller = await createCaller(door, { credits: 5 });
    await door.trouble("lose_answers");
    assertUnavailable(await caller.call("hash", { text: "a" }));
    await eventually("the credit is back", async () => (await caller.balance()) === 5);
    await door.trouble("none");
    assertAnswer(await caller.call("hash", { text: "a" }), 1);
    const { books, faults } = await door.ledger.audit({ now: await door.now() });
    assert.deepEqual(faults, []);
    assert.ok(books.reversed >= 1);
  });

  sentence("the free call whose answer was lost is free again", async (door) => {
    const caller = await createCaller(door, { credits: 5, freeCall: "open" });
    await door.trouble("lose_answers");
    assertUnavailable(await caller.call("hash", { text: "a" }));
    await door.trouble("none");
    const find = async () =>
      (await door.ledger.findAccount({ account: caller.account, now: await door.now() }))?.freeCall;
    await eventually("the free call is back", async () => (await find()) === "open");
    assertAnswer(await caller.call("hash", { text: "a" }), 0);
  });

  sentence("with an Idempotency-Key it is not given back: the retry replays it", async (door) => {
    const caller = await createCaller(door, { credits: 5 });
    const headers = { "Idempotency-Key": "lost" };
    await door.trouble("lose_answers");
    assertUnavailable(await caller.call("uuid", { count: 3 }, headers));
    await door.trouble("none");
    assert.equal(await caller.balance(), 4);
    const [one, two] = [
      await caller.call("uuid", { count: 3 }, headers),
      await caller.call("uuid", { count: 3 }, headers),
    ];
    assertAnswer(one, 0);
    assert.equal(one.header("idempotency-replayed"), "true");
    assert.deepEqual(two.bytes, one.bytes);
    assert.equal(await caller.balance(), 4);
    assertProblem(await caller.call("uuid", { count: 4 }, headers), "idempotency_key_reused");
  });

  sentence(
    "where the reversal fails as well, it is tried again until the ledger answers",
    async (door) => {
      const caller = await createCaller(door, { credits: 5 });
      await door.trouble("lose_all");
      const before = await door.ordered("reverse");
      assertUnavailable(await caller.call("hash", { text: "a" }));
      await eventually(
        "a reversal was tried",
        async () => (await door.ordered("reverse")) > before,
      );
      assert.equal(await caller.balance(), 4);
      await door.trouble("none");
      await eventually("the credit is back", async () => (await caller.balance()) === 5);
    },
    { needs: "retry_later" },
  );
}
