import assert from "node:assert/strict";
import { test } from "node:test";
import { callRef } from "#ids.ts";
import type { Json } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

test("calls show and calls reverse find a call by its id and give its credits back once", async () => {
  const cli = await openFolderService();
  const { ledger } = cli;
  const { id: account } = await cli.json("account create ada@example.org --credits 7");
  const { id: key } = await cli.json("key create ada@example.org --label test");
  const [{ sha256 = "" } = {}] = await ledger.listKeys({ account });
  const { grants } = await cli.json("credits show ada@example.org");
  const at = Date.UTC(2026, 10, 21, 10, 3, 11, 482);
  const order = {
    account,
    keySha256: sha256,
    callId: "call_a1",
    tool: "hash",
    credits: 2,
    now: at,
  };
  await ledger.debit({ ...order, freeCallCredits: 0, idempotency: null });
  const id = callRef({ account, callId: "call_a1", at });

  const shown = {
    ...{ id, account, email: "ada@example.org", at: "2026-11-21T10:03:11.482Z" },
    ...{ outcome: "charged", key, tool: "hash", credits: 2, freeCall: false },
    grants: [{ id: grants[0].id, kind: "operator", credits: 2 }],
    ...{ reversedAt: null, repeatable: false },
  };
  assert.deepEqual(await cli.json(`calls show ${id}`), shown);
  const { stdout } = await cli.run(`calls show ${id}`);
  assert.match(stdout, /^account +acc_\S+ \(ada@example\.org\)$/m);
  assert.match(stdout, /^charged +2 credits$/m);
  assert.match(stdout, /^reversed +no$/m);

  const { reversedAt, ...reversed } = await cli.json(`calls reverse ${id}`);
  assert.ok(Math.abs(Date.parse(reversedAt) - Date.now()) < 600_000);
  const { reversedAt: _, ...unchanged } = { ...shown, outcome: "reversed" };
  assert.deepEqual(reversed, { ...unchanged, reversed: true });
  const again = await cli.json(`calls reverse ${id}`);
  assert.deepEqual(again, { ...unchanged, reversedAt, reversed: false });
  assert.equal((await cli.json("credits show ada@example.org")).balance, 7);
  const { actions } = await cli.json("actions --max 2");
  assert.deepEqual(
    actions.map(({ action, subject, outcome, detail }: Json) => [action, subject, outcome, detail]),
    [
      ["calls reverse", id, "unchanged", "reversed before"],
      ["calls reverse", id, "done", "2 credits returned"],
    ],
  );

  const [bodySha256, responseSha256] = ["b".repeat(64), "c".repeat(64)];
  const record = { key: "one", bodySha256, responseSha256, receivedAt: at, random: null };
  await ledger.debit({ ...order, callId: "call_a3", freeCallCredits: 0, idempotency: record });
  const repeatable = callRef({ account, callId: "call_a3", at });
  const before = await cli.run(`calls show ${repeatable}`);
  assert.match(before.stdout, /^idempotency key +kept: a repeat is not charged again$/m);
  const after = await cli.run(`calls reverse ${repeatable}`);
  assert.match(after.stdout, /^idempotency key +none, or no response is kept for a repeat$/m);

  await ledger.debit({ ...order, callId: "call_a2", freeCallCredits: 0, idempotency: null });
  const now = at + 1;
  await ledger.maintain({ now, rollUpBefore: now, rowsMax: 10, after: null });
  const other = callRef({ account, callId: "call_a2", at });
  assert.equal((await cli.json(`calls show ${other}`)).outcome, "rolled_up");
  assert.match(await cli.refused(`calls reverse ${other}`), /rolled up.*credits grant/);
  assert.match(await cli.wrong("calls show req_1"), /must be the id of a call/);
});

test("what running calls hold and the prices of an account are shown, and of a call that may have done its work, that it was not charged", async () => {
  const cli = await openFolderService();
  const { ledger } = cli;
  const { id: account } = await cli.json("account create ada@example.org --credits 7");
  await cli.json("key create ada@example.org --label test");
  const [{ sha256: keySha256 = "" } = {}] = await ledger.listKeys({ account });
  assert.doesNotMatch((await cli.run("credits show ada@example.org")).stdout, /hold/);
  const at = Date.now();
  const [call, name] = [{ account, callId: "call_a1" }, "ada@example.org"];
  const idempotency = { key: "one", bodySha256: "b".repeat(64), keptBytesMax: 1 };
  await ledger.hold({
    ...{ ...call, keySha256, tool: "send", credits: 2, freeCallCredits: 0, now: at },
    ...{ idempotency, leaseMs: 20_000, onCrash: "unknown" },
  });
  const id = callRef({ ...call, at });
  assert.equal((await cli.json(`calls show ${id}`)).outcome, "running");
  assert.equal((await cli.json(`credits show ${name}`)).held, 2);
  assert.equal((await cli.json(`account show ${name}`)).held, 2);
  const credits = await cli.run(`credits show ${name}`);
  assert.match(credits.stdout, /is 5 credits\. Running calls hold 2 more\.$/m);
  const shown = await cli.run(`account show ${name}`);
  assert.match(shown.stdout, /^held +2 credits, by running calls$/m);
  assert.doesNotMatch(shown.stdout, /own price/);
  await cli.json(`price set hash 3000 --account ${name}`);
  await cli.json(`price set echo 0 --account ${name}`);
  const priced = await cli.run(`account show ${name}`);
  assert.match(priced.stdout, /^tool +own price\necho +0\nhash +3,000$/m);
  const prices = [
    { tool: "echo", credits: 0 },
    { tool: "hash", credits: 3000 },
  ];
  assert.deepEqual((await cli.json(`account show ${name}`))["prices"], prices);

  await ledger.release({ ...call, at, key: "unknown", now: at + 1 });
  for (const command of ["show", "reverse"])
    assert.match(
      await cli.refused(`calls ${command} ${id}`),
      /was not charged, and it did not end with a response\. Its outcome is unknown/,
    );
});

test("of a reversed call, calls show says when and what went back, and whether it may have done its work", async () => {
  const cli = await openFolderService();
  const { ledger } = cli;
  const { id: account } = await cli.json("account create ada@example.org --credits 50");
  await cli.json("key create ada@example.org --label test");
  const [{ sha256: keySha256 = "" } = {}] = await ledger.listKeys({ account });
  const at = Date.now();
  const MAY = /^work +The call may have done its work, so it does not run again/m;
  for (const [callId, onCrash, mayHaveActed] of [
    ["call_act", "unknown", true],
    ["call_read", "release", undefined],
  ] as const) {
    const order = { account, keySha256, callId, tool: "send", credits: 10, freeCallCredits: 0 };
    const named = { key: callId, bodySha256: "b".repeat(64) };
    const idempotency = { ...named, keptBytesMax: 1_000 };
    await ledger.hold({ ...order, now: at, idempotency, leaseMs: 20_000, onCrash });
    const response = { ...named, response: "sealed" };
    await ledger.settle({ ...order, at, credits: 7, now: at + 1, idempotency: response });
    const id = callRef({ account, callId, at });
    const charged = await cli.run(`calls show ${id}`);
    assert.match(charged.stdout, /^charged +7 credits$/m);
    assert.doesNotMatch(charged.stdout, MAY);
    const reversed = await cli.json(`calls reverse ${id}`);
    assert.deepEqual([reversed.outcome, reversed["mayHaveActed"]], ["reversed", mayHaveActed]);
    const { stdout } = await cli.run(`calls show ${id}`);
    assert.match(stdout, /^reversed +at 2\S+Z: 7 credits went back to the grants$/m);
    assert.equal(MAY.test(stdout), mayHaveActed === true);
    const kept = /^idempotency key +kept: a repeat gets 409 outcome_unknown$/m;
    assert.equal(kept.test(stdout), mayHaveActed === true);
  }
  const early = { account, callId: "call_early", at };
  const held = {
    ...{ keySha256, tool: "send", credits: 10, freeCallCredits: 0, now: at, leaseMs: 20_000 },
    idempotency: { key: "early", bodySha256: "b".repeat(64), keptBytesMax: 1_000 },
  };
  await ledger.hold({ ...held, account, callId: early.callId, onCrash: "unknown" });
  await ledger.reverse({ ...early, now: at + 1 });
  const { stdout } = await cli.run(`calls show ${callRef(early)}`);
  assert.match(
    stdout,
    /^charged +no: it was reversed at \S+, before it was charged\. The call may have/m,
  );
});
