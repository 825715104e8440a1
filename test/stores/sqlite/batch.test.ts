import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebitOutcome } from "#ledger/port.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { DAY, idempotency, keyId, keySha256, START } from "../../contract/ledger/fixture.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { debited, grantOrder, type Item, openFixture, run, TRIGGERS } from "./batch-fixture.ts";

test("an order that the ledger rejects changes nothing, and the others of its batch are carried out", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 10 });
  const reversed = fixture.debitOrder(account);
  await fixture.ledger.debit(reversed);
  await fixture.ledger.reverse({ account, callId: reversed.callId, at: START, now: START });
  let transactions = 0;
  const { transaction } = fixture.driver;
  fixture.driver.transaction = (mode, body) => {
    transactions += 1;
    return transaction(mode, body);
  };
  const [first, none, last] = run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["grant", grantOrder(account, "none", 0)],
    ["debit", fixture.debitOrder(account)],
  ]);
  assert.equal(transactions, 1, "a refusal rolls nothing back");
  assert.deepEqual([first, last], [debited(9), debited(8)]);
  assert.partialDeepStrictEqual(none, { kind: "rejected" });
  // An order that was already carried out is found by its debit, and the batch runs again once.
  const [second, again, third] = run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["debit", reversed],
    ["debit", fixture.debitOrder(account)],
  ]);
  assert.equal(transactions, 3);
  assert.deepEqual([second, third], [debited(7), debited(6)]);
  assert.partialDeepStrictEqual(again, { kind: "rejected" });
  assert.deepEqual(await fixture.remaining(account), { first: 6 });
});

for (const [when, trigger] of Object.entries(TRIGGERS)) {
  test(`an error of the database ${when} fails only its own order`, async (t) => {
    const fixture = openFixture(t);
    const [ada, bob] = [
      await fixture.account("Ada", { credits: 10, freeCall: "open" }),
      await fixture.account("Bob"),
    ];
    await fixture.grant(bob, "boom", 5);
    fixture.driver.exec(trigger);
    const results = run(fixture, [
      ["debit", fixture.debitOrder(ada)],
      ["debit", fixture.debitOrder(ada, { idempotency: idempotency("once") })],
      ["debit", fixture.debitOrder(bob, { callId: "boom" })],
      ["debit", fixture.debitOrder(ada, { idempotency: idempotency("once", "body", "other") })],
      ["grant", grantOrder(ada, "gift", 3)],
      ["debit", fixture.debitOrder(ada)],
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
    assert.deepEqual(await fixture.remaining(ada), { first: 8, gift: 3 });
    assert.deepEqual(await fixture.remaining(bob), { boom: 5 });
    assert.equal((await fixture.usage(bob)).length, 0);
  });
}

test("values that SQLite cannot store fail only their own order", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 10 });
  const wrong = { ...fixture.debitOrder(account), tool: { not: "text" } as never };
  const [first, fault, last] = run(fixture, [
    ["debit", fixture.debitOrder(account)],
    ["debit", wrong],
    ["debit", fixture.debitOrder(account)],
  ]);
  assert.deepEqual([first, last], [debited(9), debited(8)]);
  assert.partialDeepStrictEqual(fault, { kind: "not_carried_out" });
});

for (const turned of [false, true]) {
  const order = turned ? "the stranger first" : "the owner first";
  test(`a key that is used for two accounts is valid only for its own, ${order}`, async (t) => {
    const fixture = openFixture(t);
    const [ada, bob] = [
      await fixture.account("Ada", { credits: 3 }),
      await fixture.account("Bob", { credits: 5 }),
    ];
    const own = { account: ada, keySha256: keySha256(ada), now: START };
    const strange = { ...own, account: bob };
    const asked: [Item, unknown][] = [
      [["keyStatus", own], { outcome: "good", balance: 3, freeCall: false }],
      [["keyStatus", strange], { outcome: "invalid_key" }],
      [["debit", { ...fixture.debitOrder(ada), ...own }], debited(2)],
      [["debit", { ...fixture.debitOrder(bob), ...strange }], { outcome: "invalid_key" }],
    ];
    const pairs = turned ? [asked.slice(0, 2).reverse(), asked.slice(2).reverse()].flat() : asked;
    assert.deepEqual(
      run(
        fixture,
        pairs.map(([item]) => item),
      ),
      pairs.map(([, outcome]) => outcome),
    );
    assert.equal(await fixture.balance(bob), 5);
  });
}

test("grant, debit, revoke, suspend and close within one batch see each other", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 1 });
  const now = START;
  const debit = (key?: string): Item => [
    "debit",
    fixture.debitOrder(account, key === undefined ? {} : { key }),
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
  const made = fixture.debitOrder(account);
  const results = run(fixture, [
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

test("an order that is twice in one batch is one debit, whether or not the second one would be rejected", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada", { credits: 2 });
  const [first, last, poor] = [1, 2, 3].map(() => fixture.debitOrder(account)) as [
    ReturnType<typeof fixture.debitOrder>,
    ReturnType<typeof fixture.debitOrder>,
    ReturnType<typeof fixture.debitOrder>,
  ];
  assert.deepEqual(
    run(fixture, [
      ["debit", first],
      ["debit", first],
      ["debit", last],
      ["debit", last],
      ["debit", poor],
      ["debit", first],
    ]),
    [
      debited(1),
      debited(1),
      debited(0),
      debited(0),
      { outcome: "insufficient_credits", balance: 0 },
      debited(0),
    ],
  );
  const rich = await fixture.account("Bob", { credits: 2 });
  const keyed = fixture.debitOrder(rich, { idempotency: idempotency("once") });
  const other = fixture.debitOrder(rich, { idempotency: idempotency("once") });
  const [paid, again, replay] = run(fixture, [
    ["debit", keyed],
    ["debit", keyed],
    ["debit", other],
  ]);
  assert.deepEqual([paid, again], [debited(1), debited(1)]);
  assert.partialDeepStrictEqual(replay, { outcome: "replayed", balance: 1 });
});

test("each order of a batch spends what is spendable at its own time", async (t) => {
  const fixture = openFixture(t);
  const account = await fixture.account("Ada");
  const expiresAt = START + DAY;
  await fixture.grant(account, "short", 5, { expiresAt });
  await fixture.grant(account, "long", 1, { expiresAt: expiresAt + DAY });
  const debit = (now: number): Item => ["debit", fixture.debitOrder(account, { now })];
  const accountState = (now: number): Item => [
    "keyStatus",
    { account, keySha256: keySha256(account), now },
  ];
  const good = (balance: number) => ({ outcome: "good", balance, freeCall: false });
  const results = run(fixture, [
    debit(expiresAt - 1),
    accountState(expiresAt - 1),
    accountState(expiresAt),
    debit(expiresAt),
    debit(expiresAt + 1),
    debit(expiresAt - 1),
    accountState(expiresAt + DAY),
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
  assert.deepEqual(await fixture.remaining(account, expiresAt - 1), { short: 3, long: 0 });
});

test("reads are performed while another process writes", async (t) => {
  const file = `${temporaryFolder(t)}/toolbooth.sqlite`;
  const fixture = openFixture(t, file);
  const account = await fixture.account("Ada", { credits: 3 });
  const other = openNodeSqlite(file);
  other.exec("BEGIN IMMEDIATE");
  const [accountState, credits] = run(fixture, [
    ["keyStatus", { account, keySha256: keySha256(account), now: START }],
    ["findAccount", { account, now: START }],
  ]);
  other.exec("ROLLBACK");
  other.close();
  assert.deepEqual(accountState, { outcome: "good", balance: 3, freeCall: false });
  assert.partialDeepStrictEqual(credits, { balance: 3 });
});
