/** Contract of the directory, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Directory } from "#accounts/directory.ts";
import { describeStarterClaims } from "./starter-claims.ts";

export type OpenedDirectory = { directory: Directory; reopen?(): Promise<Directory> };
/** Opens an empty directory; cleanup is left to `t.after`. */
export type OpenDirectory = (t: TestContext) => Promise<OpenedDirectory>;

const START = Date.UTC(2026, 0, 15, 10);
const ADA = { email: "ada@example.org", account: "acc_Ada000000000", createdAt: START };
const BOB = { email: "bob@example.org", account: "acc_Bob000000000", createdAt: START + 1 };
const HASH = "a".repeat(64);

type Rule = (title: string, check: (directory: Directory) => Promise<void>) => void;

export function directoryContract(name: string, open: OpenDirectory): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => check((await open(t)).directory));
  };
  describe(`the directory, ${name}`, () => {
    describeRegistering(rule);
    describeListing(rule);
    describeForgetting(rule);
    describeStarterClaims(rule);
  });
}

/** For stores whose data outlives their process. */
export function directoryDurability(name: string, open: OpenDirectory): void {
  test(`the directory, ${name}: addresses and closed ones are still known when it is opened again`, async (t) => {
    const { directory, reopen } = await open(t);
    assert.ok(reopen, "a store that outlives its process can be opened again");
    for (const address of [ADA, BOB]) await directory.register(address);
    await directory.forget({ account: BOB.account, emailHash: HASH, now: START });
    const again = await reopen();
    assert.deepEqual(plain(await again.listAddresses({ after: null, max: 9 })), [ADA]);
    assert.deepEqual(plain(await again.wasClosed({ emailHash: HASH })), { closed: true });
  });
}

/** A store may be remote, so only what JSON can carry is compared. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

function describeRegistering(rule: Rule) {
  rule("a registered address is found by its text and by its account", async (directory) => {
    assert.deepEqual(plain(await directory.listAddresses({ after: null, max: 9 })), []);
    assert.deepEqual(plain(await directory.register(ADA)), { outcome: "registered" });
    await directory.register(BOB);
    for (const address of [ADA, BOB]) {
      assert.deepEqual(plain(await directory.findByEmail(address)), address);
      assert.deepEqual(plain(await directory.findByAccount(address)), address);
    }
    for (const email of ["eve@example.org", "ada@example.or", "", "%"])
      assert.equal(await directory.findByEmail({ email }), null);
    assert.equal(await directory.findByAccount({ account: "acc_unknown" }), null);
  });

  rule(
    "an address belongs to one account; registering it for another one returns taken",
    async (directory) => {
      await directory.register(ADA);
      const taken = await directory.register({ ...BOB, email: ADA.email });
      assert.deepEqual(plain(taken), { outcome: "taken" });
      assert.deepEqual(plain(await directory.findByEmail({ email: ADA.email })), ADA);
    },
  );

  rule(
    "an account has one address, and registering it again changes nothing",
    async (directory) => {
      await directory.register(ADA);
      const again = await directory.register({ ...ADA, createdAt: START + 5 });
      assert.deepEqual(plain(again), { outcome: "registered" });
      const second = { ...ADA, email: "countess@example.org" };
      assert.deepEqual(plain(await directory.register(second)), { outcome: "taken" });
      assert.deepEqual(plain(await directory.listAddresses({ after: null, max: 9 })), [ADA]);
    },
  );

  rule(
    "of 20 accounts that register one address at once exactly one gets it",
    async (directory) => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          directory.register({ ...ADA, account: `acc_Ada${String(index).padStart(9, "0")}` }),
        ),
      );
      assert.equal(outcomes.filter(({ outcome }) => outcome === "registered").length, 1);
      assert.equal((await directory.listAddresses({ after: null, max: 99 })).length, 1);
    },
  );
}

function describeListing(rule: Rule) {
  // Byte order, whatever the collation of the database: an underscore sorts after capitals and before lower-case letters.
  const emails = [
    "A@x.org",
    "a+b@x.org",
    "a-b@x.org",
    "a.b@x.org",
    "a@x.org",
    "a_b@x.org",
    "ab@x.org",
    "é@x.org",
  ];
  const registerAll = async (directory: Directory) => {
    for (const [index, email] of emails.toReversed().entries())
      await directory.register({
        email,
        account: `acc_${String(index).padStart(12, "0")}`,
        createdAt: START,
      });
  };

  rule("addresses are listed in byte order", async (directory) => {
    await registerAll(directory);
    const listed = await directory.listAddresses({ after: null, max: 99 });
    assert.deepEqual(
      listed.map(({ email }) => email),
      emails,
    );
  });

  rule("a long list is read page by page, each address once", async (directory) => {
    await registerAll(directory);
    const seen: string[] = [];
    for (let page = 0; page < 10; page += 1) {
      const listed = await directory.listAddresses({ after: seen.at(-1) ?? null, max: 3 });
      assert.ok(listed.length <= 3);
      seen.push(...listed.map(({ email }) => email));
    }
    assert.deepEqual(seen, emails);
  });

  rule("a page may start after a deleted address", async (directory) => {
    for (const address of [ADA, BOB]) await directory.register(address);
    await directory.forget({ account: ADA.account, emailHash: HASH, now: START });
    const listed = await directory.listAddresses({ after: ADA.email, max: 9 });
    assert.deepEqual(plain(listed), [BOB]);
  });
}

function describeForgetting(rule: Rule) {
  const forgetAda = { account: ADA.account, emailHash: HASH, now: START + 2 };

  rule(
    "an abandoned address is known as closed, however often it is recorded",
    async (directory) => {
      await directory.register(ADA);
      for (let time = 0; time < 2; time += 1) {
        const recorded = await directory.recordClosed({ emailHash: HASH, now: 2 });
        assert.deepEqual(plain(recorded), { recorded: true });
      }
      assert.deepEqual(plain(await directory.wasClosed({ emailHash: HASH })), { closed: true });
      assert.deepEqual(plain(await directory.findByEmail({ email: ADA.email })), ADA);
    },
  );

  rule("a deleted address is gone, and only its hash is known as closed", async (directory) => {
    for (const address of [ADA, BOB]) await directory.register(address);
    assert.deepEqual(plain(await directory.wasClosed({ emailHash: HASH })), { closed: false });
    assert.deepEqual(plain(await directory.forget(forgetAda)), { found: true });
    assert.deepEqual(plain(await directory.forget(forgetAda)), { found: false });
    assert.equal(await directory.findByEmail(ADA), null);
    assert.equal(await directory.findByAccount(ADA), null);
    assert.deepEqual(plain(await directory.listAddresses({ after: null, max: 9 })), [BOB]);
    assert.deepEqual(plain(await directory.wasClosed({ emailHash: HASH })), { closed: true });
    assert.deepEqual(plain(await directory.wasClosed({ emailHash: "b".repeat(64) })), {
      closed: false,
    });
  });

  rule(
    "a deleted address can be registered again and closed a second time, and stays known",
    async (directory) => {
      await directory.register(ADA);
      await directory.forget(forgetAda);
      const again = { ...ADA, account: "acc_Ada200000000", createdAt: START + 3 };
      assert.deepEqual(plain(await directory.register(again)), { outcome: "registered" });
      assert.deepEqual(plain(await directory.findByEmail({ email: ADA.email })), again);
      assert.deepEqual(plain(await directory.wasClosed({ emailHash: HASH })), { closed: true });
      const forgotten = await directory.forget({ ...forgetAda, account: again.account });
      assert.deepEqual(plain(forgotten), { found: true });
      assert.deepEqual(plain(await directory.wasClosed({ emailHash: HASH })), { closed: true });
    },
  );
}
