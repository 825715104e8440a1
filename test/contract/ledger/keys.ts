import assert from "node:assert/strict";
import {
  createRule,
  idempotency,
  keyId,
  keySha256,
  MINUTE,
  type OpenLedger,
  type Scene,
  START,
} from "./fixture.ts";

export function describeKeys(open: OpenLedger) {
  const rule = createRule(open);
  const lastUsedAt = async ({ ledger }: Scene, account: string) =>
    (await ledger.listKeys({ account }))[0]?.lastUsedAt ?? null;

  rule("a key is listed as it was made, and not used yet", async ({ ledger, ...scene }) => {
    const account = await scene.account();
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
      },
    ]);
  });

  rule("keys are listed in the order of their making", async (scene) => {
    const account = await scene.account();
    const names = ["main", "zulu", "alpha", "mike"];
    for (const [index, name] of names.entries())
      await scene.createKey(account, name, START + index);
    const keys = await scene.ledger.listKeys({ account });
    assert.deepEqual(
      keys.map(({ label }) => label),
      names,
    );
  });

  rule("a key's making sent again makes no second key", async ({ ledger, ...scene }) => {
    const account = await scene.account();
    assert.deepEqual(await scene.createKey(account), { outcome: "created" });
    assert.equal((await ledger.listKeys({ account })).length, 1);
  });

  rule("a revoked key is refused at the very next debit, and stays listed", async (scene) => {
    const { ledger } = scene;
    const account = await scene.account("Ada", { credits: 5 });
    assert.equal((await scene.debit(account)).outcome, "debited");
    const order = { account, id: keyId(account), now: START + 1 };
    assert.deepEqual(await ledger.revokeKey(order), { found: true });
    assert.deepEqual(await scene.debit(account), { outcome: "invalid_key" });
    assert.deepEqual(
      await ledger.keyStatus({ account, keySha256: keySha256(account), now: START }),
      { outcome: "invalid_key" },
    );
    assert.equal((await ledger.listKeys({ account }))[0]?.revokedAt, START + 1);
    assert.equal(await scene.balance(account), 4);
  });

  rule("revoking one key leaves the account's others good", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.createKey(account, "other");
    await scene.ledger.revokeKey({ account, id: keyId(account), now: START });
    assert.equal((await scene.debit(account, { key: "other" })).outcome, "debited");
  });

  rule("revoking twice keeps the first time", async ({ ledger, ...scene }) => {
    const account = await scene.account();
    for (const now of [START, START + MINUTE])
      assert.deepEqual(await ledger.revokeKey({ account, id: keyId(account), now }), {
        found: true,
      });
    assert.equal((await ledger.listKeys({ account }))[0]?.revokedAt, START);
  });

  rule("a revoked key's making sent again does not make it good", async (scene) => {
    const account = await scene.account("Ada", { credits: 5 });
    await scene.ledger.revokeKey({ account, id: keyId(account), now: START });
    await scene.createKey(account);
    assert.deepEqual(await scene.debit(account), { outcome: "invalid_key" });
  });

  rule("nobody revokes another account's key, or an unknown one", async ({ ledger, ...scene }) => {
    const [ada, bob] = [await scene.account("Ada", { credits: 1 }), await scene.account("Bob")];
    const revoke = (id: string) => ledger.revokeKey({ account: bob, id, now: START });
    assert.deepEqual(await revoke(keyId(ada)), { found: false });
    assert.deepEqual(await revoke(keyId(bob, "none")), { found: false });
    assert.equal((await scene.debit(ada)).outcome, "debited");
  });

  rule("a key is named anew, a revoked one too, and nothing else of it changes", async (scene) => {
    const { ledger } = scene;
    const account = await scene.account("Ada", { credits: 1 });
    await scene.createKey(account, "other", START + 1);
    const id = keyId(account);
    const [key, other] = await ledger.listKeys({ account });
    const relabel = (label: string) => ledger.relabelKey({ account, id, label });
    assert.deepEqual(await relabel("Größe 9"), { found: true });
    assert.deepEqual(await ledger.listKeys({ account }), [{ ...key, label: "Größe 9" }, other]);
    assert.equal((await scene.debit(account)).outcome, "debited");
    await ledger.revokeKey({ account, id, now: START + 1 });
    assert.deepEqual(await relabel("old"), { found: true });
    const [revoked] = await ledger.listKeys({ account });
    assert.deepEqual([revoked?.label, revoked?.revokedAt], ["old", START + 1]);
    assert.deepEqual(await scene.debit(account), { outcome: "invalid_key" });
  });

  rule(
    "nobody names another account's key, an unknown one or a closed account's",
    async (scene) => {
      const { ledger } = scene;
      const [ada, bob] = [await scene.account("Ada"), await scene.account("Bob")];
      const relabel = (account: string, id: string) =>
        ledger.relabelKey({ account, id, label: "x" });
      assert.deepEqual(await relabel(bob, keyId(ada)), { found: false });
      assert.deepEqual(await relabel(bob, keyId(bob, "none")), { found: false });
      await ledger.closeAccount({ account: bob, now: START });
      assert.deepEqual(await relabel(bob, keyId(bob)), { found: false });
      for (const account of [ada, bob])
        assert.equal((await ledger.listKeys({ account }))[0]?.label, "main");
    },
  );

  rule("a key opens its own account only", async ({ ledger, ...scene }) => {
    const ada = await scene.account("Ada", { credits: 1 });
    const bob = await scene.account("Bob", { credits: 1 });
    const foreign = { keySha256: keySha256(bob) };
    assert.deepEqual(await scene.debit(ada, foreign), { outcome: "invalid_key" });
    assert.deepEqual(await ledger.keyStatus({ account: ada, ...foreign, now: START }), {
      outcome: "invalid_key",
    });
    assert.deepEqual([await scene.balance(ada), await scene.balance(bob)], [1, 1]);
  });

  rule("a debit notes the use of its key, to the minute", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    await scene.debit(account, { now: START });
    assert.equal(await lastUsedAt(scene, account), START);
    await scene.debit(account, { now: START + MINUTE - 1 });
    assert.equal(await lastUsedAt(scene, account), START, "no write within the same minute");
    const later = START + 5 * MINUTE + 1234;
    await scene.debit(account, { now: later });
    const noted = await lastUsedAt(scene, account);
    assert.ok(noted !== null && noted <= later && noted > later - MINUTE, `noted ${noted}`);
  });

  rule("a clock that is behind does not set the last use back", async (scene) => {
    const account = await scene.account("Ada", { credits: 9 });
    await scene.debit(account, { now: START + 5 * MINUTE });
    await scene.debit(account, { now: START });
    assert.equal(await lastUsedAt(scene, account), START + 5 * MINUTE);
  });

  rule("each key has its own last use", async ({ ledger, ...scene }) => {
    const account = await scene.account("Ada", { credits: 9 });
    await scene.createKey(account, "other");
    await scene.debit(account, { key: "other", idempotency: idempotency("once") });
    assert.deepEqual(
      (await ledger.listKeys({ account })).map((key) => key.lastUsedAt),
      [null, START],
    );
  });

  rule("standing says what a call may expect, and changes nothing", async (scene) => {
    const { ledger } = scene;
    const account = await scene.account("Ada", { freeCall: "open" });
    await scene.grant(account, "soon", 3, { expiresAt: START + MINUTE });
    const standing = (now: number) =>
      ledger.keyStatus({ account, keySha256: keySha256(account), now });
    const good = { outcome: "good", balance: 3, freeCall: true };
    assert.deepEqual(await standing(START), good);
    assert.deepEqual(await standing(START), good);
    assert.deepEqual(await standing(START + MINUTE), { ...good, balance: 0 });
    assert.equal(await lastUsedAt(scene, account), null);
    await scene.debit(account);
    assert.deepEqual(await standing(START), { ...good, freeCall: false });
    await ledger.suspendAccount({ account, now: START });
    assert.deepEqual(await standing(START), { outcome: "account_suspended", balance: 3 });
    await ledger.closeAccount({ account, now: START });
    assert.deepEqual(await standing(START), { outcome: "invalid_key" });
  });
}
