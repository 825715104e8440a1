import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOfPassword } from "#accounts/new-password.ts";
import { createIsCommonPassword } from "#accounts/weak-passwords.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { readCommonPasswords } from "../../src/apps/node/sign-up-lists.ts";

const isCommonPassword = createIsCommonPassword(readCommonPasswords);

const codeOf = async (password: string, email: string | null = "alice.miller@example.com") =>
  (await problemOfPassword(password, email, isCommonPassword))?.code ?? null;

/** Listed among the 100,000 most common, in any spelling. */
const COMMON = [
  "1234567890",
  "password123",
  "PassWord123",
  "qwertyuiop",
  "letmein123",
  "iloveyou123",
];
/** A single character, or a few that repeat. */
const REPEATED = [
  "aaaaaaaaaa",
  " ".repeat(10),
  "1".repeat(128),
  "1212121212",
  "abcabcabcabc",
  "AaAaAaAaAaAa",
  "ÄäÄäÄäÄäÄä",
  "aaaaaaaaaaa1!",
  "🙂🙂🙂🙂🙂",
];
const OWN = [
  "alice.miller@example.com",
  "Alice.Miller@Example.COM",
  "alice.miller",
  "alice.miller1",
  "alicemiller!!",
  "millerAlice99",
  "miller19870523",
  "example.com",
  "example.com1!",
  "example2026",
  "alice@example",
  "alice.miller2026!",
];
const GOOD = [
  "correct horse 1",
  "alice went through the looking glass",
  "for example, this sentence",
  "abracadabra cadabra",
  "aaaaaaaaaa is ten times a",
  "пароль не для угадывания",
  "9f2c7d81e4",
  "miller-kT9wq",
];

test("rejects common passwords", async () => {
  for (const password of COMMON)
    assert.equal(await codeOf(password), "PASSWORD_TOO_COMMON", password);
});

test("rejects passwords that repeat a few characters", async () => {
  for (const password of REPEATED)
    assert.equal(await codeOf(password), "PASSWORD_REPEATS", password);
});

test("rejects the user's address, its parts, and these with a year or some digits", async () => {
  for (const password of OWN) assert.equal(await codeOf(password), "PASSWORD_IS_ADDRESS", password);
  assert.equal(await codeOf("bobby@x.test", "bobby@x.test"), "PASSWORD_IS_ADDRESS");
  assert.equal(await codeOf("bobby+news12", "bobby+news@x.test"), "PASSWORD_IS_ADDRESS");
});

test("accepts other passwords, and the parts of another person's address", async () => {
  for (const password of GOOD) assert.equal(await codeOf(password), null, password);
  assert.equal(await codeOf("alice.miller", "bob@example.org"), null);
  assert.equal(await codeOf("alice.miller", null), null);
  assert.equal(await codeOf("ab@c.de and so on", "ab@c.de"), null);
});

test("every reason is a sentence that says what to do", async () => {
  for (const password of ["1234567890", "aaaaaaaaaa", "alice.miller"]) {
    const { message = "" } =
      (await problemOfPassword(password, "alice.miller@example.com", isCommonPassword)) ?? {};
    assert.match(message, /^This password .*\. Choose another one\.$/);
  }
});

test("of 10,000 passwords that nobody uses, fewer than three count as common", async () => {
  let found = 0;
  for (let number = 0; number < 10_000; number += 1) {
    if (await isCommonPassword(`${number * 7_919} zebras ${number}`)) found += 1;
  }
  assert.ok(found < 3, `${found}`);
});

test("the list is read when it is first needed, and once", async () => {
  let reads = 0;
  const isCommon = createIsCommonPassword(async () => {
    reads += 1;
    return readCommonPasswords();
  });
  assert.equal(reads, 0);
  for (const password of COMMON) assert.ok(await isCommon(password));
  assert.equal(reads, 1);
});

test("a list that cannot be read, or only in part, rejects each time until it can be read", async () => {
  const whole = await readCommonPasswords();
  const readings: (() => Uint8Array)[] = [
    () => {
      throw new Error("the disk is gone");
    },
    () => new Uint8Array(0),
    () => whole.subarray(0, -1),
    () => whole,
  ];
  const isCommon = createIsCommonPassword(async () => (readings.shift() ?? (() => whole))());
  for (const reason of [/disk is gone$/, /has 0 bytes/, /has 262143 bytes/]) {
    await assert.rejects(isCommon("password123"), (error) => {
      assert.ok(error instanceof NotCarriedOut);
      assert.match(error.message, /^The list of common passwords could not be read: /);
      assert.match(error.message, reason);
      return true;
    });
  }
  assert.equal(await isCommon("password123"), true);
});
