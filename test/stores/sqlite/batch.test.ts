import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebitOutcome } from "#ledger/port.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { DAY, idempotency, keyId, keySha256, START } from "../../contract/ledger/fixture.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { debited, grantOrder, type Item, openScene, run, TRIGGERS } from "./batch-fixture.ts";

test("an order that the ledger refuses changes nothing, and the others of its batch are carried out", async (t) => {
  const scene = openScene(t);
  const account = await scene.account("Ada", { credits: 10 });
  const reversed = scene.debitOrder(account);
  await scene.ledger.debit(reversed);
  await scene.ledger.reverse({ account, callId: reversed.callId, at: START, now: START });
  let transactions = 0;
  const { transaction } = scene.driver;
  scene.driver.transaction = (mode, body) => {
    transactions += 1;
    return transaction(mode, body);
  };
  const [first, none, last] = run(scene, [
    ["debit", scene.debitOrder(account)],
    ["grant", grantOrder(account, "none", 0)],
    ["debit", scene.debitOrder(account)],
  ]);
  assert.equal(transactions, 1, "a refusal rolls nothing back");
  assert.deepEqual([first, last], [debited(9), debited(8)]);
  assert.partialDeepStrictEqual(none, { kind: "refused" });
  // An order that was carried out before is found by its debit: the batch is run again, once.
  const [second, again, third] = run(scene, [
    ["debit", scene.debitOrder(account)],
    ["debit", reversed],
    ["debit", scene.debitOrder(account)],
  ]);
  assert.equal(transactions, 3);
  assert.deepEqual([second, third], [debited(7), debited(6)]);
  assert.partialDeepStrictEqual(again, { kind: "refused" });
  assert.deepEqual(await scene.remaining(account), { first: 6 });
});

for (const [when, trigger] of Object.entries(TRIGGERS)) {
  test(`an error of the database ${when} fails its own order alone`, async (t) => {
    const scene = openScene(t);
    const [ada, bob] = [
      await scene.account("Ada", { credits: 10, freeCall: "open" }),
      await scene.account("Bob"),
    ];
    await scene.grant(bob, "boom", 5);
    scene.driver.exec(trigger);
    const results = run(scene, [
      ["debit", scene.debitOrder(ada)],
      ["debit", scene.debitOrder(ada, { idempotency: idempotency("once") })],
      ["debit", scene.debitOrder(bob, { callId: "boom" })],
      ["debit", scene.debitOrder(ada, { idempotency: idempotency("once", "body", "other") })],
      ["grant", grantOrder(ada, "gift", 3)],
      ["debit", scene.debitOrder(ada)],
    ]);
    const [free, keyed, boom, replayed, granted, last] = results as [
      ...DebitOutcome[],
      unknown,
      unknown,
    ];
    assert.deepEqual(free, debited(10, 0), "the free call is there once");
    assert.deepEqual(keyed, debited(9));
    assert.partialDeepStrictEqual(boom, { kind: "not_carried_out", message: "boom" });
    assert.partialDeepStrictEqual(replayed, { outcome: "replayed", balance: 9 });
    assert.partialDeepStrictEqual(granted, { outcome: "granted" });
    assert.deepEqual(last, debited(11));
    assert.deepEqual(await scene.remaining(ada), { first: 8, gift: 3 });
    assert.deepEqual(await scene.remaining(bob), { boom: 5 });
    assert.equal((await scene.usage(bob)).length, 0);
  });
}

test("values that SQLite cannot take fail their own order alone", async (t) => {
  const scene = openScene(t);
  const account = await scene.account("Ada", { credits: 10 });
  const wrong = { ...scene.debitOrder(account), tool: { not: "text" } as never };
  const [first, fault, last] = run(scene, [
    ["debit", scene.debitOrder(account)],
    ["debit", wrong],
    ["debit", scene.debitOrder(account)],
  ]);
  assert.deepEqual([first, last], [debited(9), debited(8)]);
  assert.partialDeepStrictEqual(fault, { kind: "not_carried_out" });
});

for (const turned of [false, true]) {
  const order = turned ? "the stranger first" : "the owner first";
  test(`one key asked about for two accounts is good for its own alone, ${order}`, async (t) => {
    const scene = openScene(t);
    const [ada, bob] = [
      await scene.account("Ada", { credits: 3 }),
      await scene.account("Bob", { credits: 5 }),
    ];
    const own = { account: ada, keySha256: keySha256(ada), now: START };
    const strange = { ...own, account: bob };
    const asked: [Item, unknown][] = [
      [["keyStatus", own], { outcome: "good", balance: 3, freeCall: false }],
      [["keyStatus", strange], { outcome: "invalid_key" }],
      [["debit", { ...scene.debitOrder(ada), ...own }], debited(2)],
      [["debit", { ...scene.debitOrder(bob), ...strange }], { outcome: "invalid_key" }],
    ];
    const pairs = turned ? [asked.slice(0, 2).reverse(), asked.slice(2).reverse()].flat() : asked;
    assert.deepEqual(
      run(
        scene,
        pairs.map(([item]) => item),
      ),
      pairs.map(([, outcome]) => outcome),
    );
    assert.equal(await scene.balance(bob), 5);
  });
}

test("grant, debit, revoke, suspend and close within one batch see each other", async (t) => {
  const scene = openScene(t);
  const account = await scene.account("Ada", { credits: 1 });
  const now = START;
  const debit = (key?: string): Item => [
    "debit",
    scene.debitOrder(account, key === undefined ? {} : { key }),
  ];
  const balance: Item = ["findAccount", { account, now }];
  const second = {
    account,
    id: keyId(account, "second"),
    sha256: keySha256(account, "second"),
    start: "tb_",
    label: "second",
    now,
  };
  const made = scene.debitOrder(account);
  const results = run(scene, [
    debit(),
    debit(),
    ["grant", grantOrder(account, "gift", 6)],
    debit(),
    balance,
    ["revokeKey", { account, id: keyId(account), now }],
    debit(),
    debit("second"),
    ["createKey", second],
    debit("second"),
    ["suspendAccount", { account, now }],
    debit("second"),
    ["resumeAccount", { account, now }],
    ["debit", { ...made, keySha256: second.sha256 }],
    ["reverse", { account, callId: made.callId, at: START, now }],
    balance,
    ["closeAccount", { account, now }],
    debit("second"),
    balance,
  ]) as Record<string, unknown>[];
  assert.deepEqual(
    results.map((each) => [each["outcome"] ?? each["state"] ?? each["forfeited"], each["balance"]]),
    [
      ["debited", 0],
      ["insufficient_credits", 0],
      ["granted", undefined],
      ["debited", 5],
      ["open", 5],
      [undefined, undefined],
      ["invalid_key", undefined],
      ["invalid_key", undefined],
      ["created", undefined],
      ["debited", 4],
      [undefined, undefined],
      ["account_suspended", 4],
      [undefined, undefined],
      ["debited", 3],
      [undefined, undefined],
      ["open", 4],
      [4, undefined],
      ["invalid_key", undefined],
      ["closed", 0],
    ],
  );
});

test("each order of a batch spends what is spendable at its own time", async (t) => {
  const scene = openScene(t);
  const account = await scene.account("Ada");
  const expiresAt = START + DAY;
  await scene.grant(account, "short", 5, { expiresAt });
  await scene.grant(account, "long", 1, { expiresAt: expiresAt + DAY });
  const debit = (now: number): Item => ["debit", scene.debitOrder(account, { now })];
  const standing = (now: number): Item => [
    "keyStatus",
    { account, keySha256: keySha256(account), now },
  ];
  const good = (balance: number) => ({ outcome: "good", balance, freeCall: false });
  const results = run(scene, [
    debit(expiresAt - 1),
    standing(expiresAt - 1),
    standing(expiresAt),
    debit(expiresAt),
    debit(expiresAt + 1),
    debit(expiresAt - 1),
    standing(expiresAt + DAY),
  ]);
  assert.deepEqual(results, [
    debited(5),
    good(5),
    good(1),
    debited(0),
    { outcome: "insufficient_credits", balance: 0 },
    debited(3),
    good(0),
  ]);
  assert.deepEqual(await scene.remaining(account, expiresAt - 1), { short: 3, long: 0 });
});

test("orders that only read are answered while another process writes", async (t) => {
  const file = `${temporaryFolder(t)}/toolbooth.sqlite`;
  const scene = openScene(t, file);
  const account = await scene.account("Ada", { credits: 3 });
  const other = openNodeSqlite(file);
  other.exec("BEGIN IMMEDIATE");
  const [standing, credits] = run(scene, [
    ["keyStatus", { account, keySha256: keySha256(account), now: START }],
    ["findAccount", { account, now: START }],
  ]);
  other.exec("ROLLBACK");
  other.close();
  assert.deepEqual(standing, { outcome: "good", balance: 3, freeCall: false });
  assert.partialDeepStrictEqual(credits, { balance: 3 });
});
