import assert from "node:assert/strict";
import {
  accountId,
  createRule,
  DAY,
  type Fixture,
  idempotency,
  keyId,
  keySha256,
  MINUTE,
  type OpenLedger,
  START,
} from "./fixture.ts";

export function describeKeys(open: OpenLedger) {
  const test = createRule(open);
  const lastUsedAt = async ({ ledger }: Fixture, account: string) =>
    (await ledger.listKeys({ account }))[0]?.lastUsedAt ?? null;

  test("a new key is listed as it was created, and as unused", async ({ ledger, ...fixture }) => {
    const account = await fixture.account();
    assert.deepEqual(await ledger.listKeys({ account }), [
      {
        id: keyId(account),
        account,
        sha256: keySha256(account),
        start: "tb_",
        label: "main",
        createdAt: START,
        lastUsedAt: null,
        revokedAt: null,
        previous: null,
        limits: null,
        spent: null,
      },
    ]);
  });

  test("keys are listed in the order in which they were created", async (fixture) => {
    const account = await fixture.account();
    const names = ["main", "zulu", "alpha", "mike"];
    for (const [index, name] of names.entries())
      await fixture.createKey(account, name, START + index);
    const keys = await fixture.ledger.listKeys({ account });
    assert.deepEqual(
      keys.map(({ label }) => label),
      names,
    );
  });

  test("a key with the id or SHA-256 of another key of any account is not created", async (fixture) => {
    const { ledger } = fixture;
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    const key = { start: "tb_", label: "l", now: START };
    const id = keyId(ada);
    const own = { ...key, account: ada, id: keyId(ada, "other"), sha256: keySha256(ada) };
    assert.deepEqual(await ledger.createKey(own), { outcome: "taken" });
    const foreign = { ...key, account: bob, id, sha256: keySha256(bob, "new") };
    assert.deepEqual(await ledger.createKey(foreign), { outcome: "taken" });
    const same = { ...key, account: bob, id: keyId(bob, "new"), sha256: keySha256(ada) };
    const two = await Promise.all([1, 2].map(() => ledger.createKey(same)));
    assert.deepEqual(two, [{ outcome: "taken" }, { outcome: "taken" }]);
    assert.equal((await ledger.listKeys({ account: ada })).length, 1);
    assert.equal((await ledger.listKeys({ account: bob })).length, 1);
    const unknown = { ...own, account: accountId("Nobody") };
    assert.deepEqual(await ledger.createKey(unknown), { outcome: "no_account" });
  });

  test("of two keys with the same SHA-256 that are created concurrently, one is created", async (fixture) => {
    const accounts = [await fixture.account("Ada"), await fixture.account("Bob")];
    const key = { sha256: keySha256("acc_both"), start: "tb_", label: "l", now: START };
    const made = await Promise.all(
      accounts.map((account) =>
        fixture.ledger.createKey({ ...key, account, id: keyId(account, "both") }),
      ),
    );
    assert.deepEqual(made.map(({ outcome }) => outcome).sort(), ["created", "taken"]);
  });

  test("a revoked key is rejected at the next debit, and stays listed", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 5 });
    assert.equal((await fixture.debit(account)).outcome, "debited");
    const order = { account, id: keyId(account), now: START + 1 };
    assert.deepEqual(await ledger.revokeKey(order), { found: true });
    assert.deepEqual(await fixture.debit(account), { outcome: "invalid_key" });
    assert.deepEqual(
      await ledger.keyStatus({ account, keySha256: keySha256(account), now: START }),
      { outcome: "invalid_key" },
    );
    assert.equal((await ledger.listKeys({ account }))[0]?.revokedAt, START + 1);
    assert.equal(await fixture.balance(account), 4);
  });

  test("revoking a key twice keeps the first time of revocation", async ({
    ledger,
    ...fixture
  }) => {
    const account = await fixture.account();
    for (const now of [START, START + MINUTE])
      assert.deepEqual(await ledger.revokeKey({ account, id: keyId(account), now }), {
        found: true,
      });
    assert.equal((await ledger.listKeys({ account }))[0]?.revokedAt, START);
  });

  test("a key of another account or an unknown key cannot be revoked", async ({
    ledger,
    ...fixture
  }) => {
    const [ada, bob] = [await fixture.account("Ada", { credits: 1 }), await fixture.account("Bob")];
    const revoke = (id: string) => ledger.revokeKey({ account: bob, id, now: START });
    assert.deepEqual(await revoke(keyId(ada)), { found: false });
    assert.deepEqual(await revoke(keyId(bob, "none")), { found: false });
    assert.equal((await fixture.debit(ada)).outcome, "debited");
  });

  test("relabelling a key, even a revoked one, changes only its label", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 1 });
    await fixture.createKey(account, "other", START + 1);
    const id = keyId(account);
    const [key, other] = await ledger.listKeys({ account });
    const relabel = (label: string) => ledger.changeKey({ account, id, label, now: START });
    assert.deepEqual(await relabel("Größe 9"), { found: true });
    assert.deepEqual(await ledger.listKeys({ account }), [{ ...key, label: "Größe 9" }, other]);
    assert.equal((await fixture.debit(account)).outcome, "debited");
    await ledger.revokeKey({ account, id, now: START + 1 });
    assert.deepEqual(await relabel("old"), { found: true });
    const [revoked] = await ledger.listKeys({ account });
    assert.deepEqual([revoked?.label, revoked?.revokedAt], ["old", START + 1]);
    assert.deepEqual(await fixture.debit(account), { outcome: "invalid_key" });
  });

  test("a key of another account, an unknown key or a key of a closed account cannot be relabelled", async (fixture) => {
    const { ledger } = fixture;
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    const relabel = (account: string, id: string) =>
      ledger.changeKey({ account, id, label: "x", now: START });
    assert.deepEqual(await relabel(bob, keyId(ada)), { found: false });
    assert.deepEqual(await relabel(bob, keyId(bob, "none")), { found: false });
    await ledger.changeAccount({ account: bob, now: START, state: "closed" });
    assert.deepEqual(await relabel(bob, keyId(bob)), { found: false });
    for (const account of [ada, bob])
      assert.equal((await ledger.listKeys({ account }))[0]?.label, "main");
  });

  test("a key is valid only for its own account", async ({ ledger, ...fixture }) => {
    const ada = await fixture.account("Ada", { credits: 1 });
    const bob = await fixture.account("Bob", { credits: 1 });
    const foreign = { keySha256: keySha256(bob) };
    assert.deepEqual(await fixture.debit(ada, foreign), { outcome: "invalid_key" });
    assert.deepEqual(await ledger.keyStatus({ account: ada, ...foreign, now: START }), {
      outcome: "invalid_key",
    });
    assert.deepEqual([await fixture.balance(ada), await fixture.balance(bob)], [1, 1]);
  });

  test("a debit records the last use of its key, to the minute", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    await fixture.debit(account, { now: START });
    assert.equal(await lastUsedAt(fixture, account), START);
    await fixture.debit(account, { now: START + MINUTE - 1 });
    assert.equal(await lastUsedAt(fixture, account), START, "no write within the same minute");
    const later = START + 5 * MINUTE + 1234;
    await fixture.debit(account, { now: later });
    const recorded = await lastUsedAt(fixture, account);
    assert.ok(
      recorded !== null && recorded <= later && recorded > later - MINUTE,
      `noted ${recorded}`,
    );
  });

  test("a clock that is behind does not set the last use back", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    await fixture.debit(account, { now: START + 5 * MINUTE });
    await fixture.debit(account, { now: START });
    assert.equal(await lastUsedAt(fixture, account), START + 5 * MINUTE);
  });

  test("each key has its own last use", async ({ ledger, ...fixture }) => {
    const account = await fixture.account("Ada", { credits: 9 });
    await fixture.createKey(account, "other");
    await fixture.debit(account, { key: "other", idempotency: idempotency("once") });
    assert.deepEqual(
      (await ledger.listKeys({ account })).map((key) => key.lastUsedAt),
      [null, START],
    );
  });

  test("keyStatus returns what a call would find, and changes nothing", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { freeCall: "open" });
    await fixture.grant(account, "soon", 3, { expiresAt: START + MINUTE });
    const accountState = (now: number) =>
      ledger.keyStatus({ account, keySha256: keySha256(account), now });
    const good = { outcome: "good", balance: 3, freeCall: true };
    assert.deepEqual(await accountState(START), good);
    assert.deepEqual(await accountState(START), good);
    assert.deepEqual(await accountState(START + MINUTE), { ...good, balance: 0 });
    assert.equal(await lastUsedAt(fixture, account), null);
    await fixture.debit(account);
    assert.deepEqual(await accountState(START), { ...good, freeCall: false });
    await ledger.changeAccount({ account, now: START, state: "suspended" });
    assert.deepEqual(await accountState(START), { outcome: "account_suspended", balance: 3 });
    await ledger.changeAccount({ account, now: START, state: "closed" });
    assert.deepEqual(await accountState(START), { outcome: "invalid_key" });
  });

  test("keyStatus says whether a call is kept under an idempotency key", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 1 });
    const replayable = async (key: string, now = START, tool = "hash") => {
      const order = { account, keySha256: keySha256(account), now, tool, idempotencyKey: key };
      const status = await ledger.keyStatus(order);
      return status.outcome === "good" ? status.replayable : status.outcome;
    };
    assert.equal(await replayable("once"), false);
    const order = fixture.debitOrder(account, { idempotency: idempotency("once") });
    await ledger.debit(order);
    assert.equal(await replayable("once"), true);
    assert.equal(await replayable("twice"), false);
    assert.equal(await replayable("once", START, "uuid"), false);
    assert.equal(await replayable("once", START + DAY - 1), true);
    assert.equal(await replayable("once", START + DAY), false);
    await fixture.reverse(order);
    assert.equal(await replayable("once"), false);
  });
}
