import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { problemOfPassword } from "#accounts/new-password.ts";
import { isCommonPassword } from "#accounts/weak-passwords.ts";

const codeOf = (password: string, email: string | null = "alice.miller@example.com") =>
  problemOfPassword(password, email)?.code ?? null;

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

test("rejects common passwords", () => {
  for (const password of COMMON) assert.equal(codeOf(password), "PASSWORD_TOO_COMMON", password);
});

test("rejects passwords that repeat a few characters", () => {
  for (const password of REPEATED) assert.equal(codeOf(password), "PASSWORD_REPEATS", password);
});

test("rejects the own address, its parts, and these with a year or some digits", () => {
  for (const password of OWN) assert.equal(codeOf(password), "PASSWORD_IS_ADDRESS", password);
  assert.equal(codeOf("bobby@x.test", "bobby@x.test"), "PASSWORD_IS_ADDRESS");
  assert.equal(codeOf("bobby+news12", "bobby+news@x.test"), "PASSWORD_IS_ADDRESS");
});

test("accepts other passwords, and the parts of another person's address", () => {
  for (const password of GOOD) assert.equal(codeOf(password), null, password);
  assert.equal(codeOf("alice.miller", "bob@example.org"), null);
  assert.equal(codeOf("alice.miller", null), null);
  assert.equal(codeOf("ab@c.de and so on", "ab@c.de"), null);
});

test("every reason is a sentence that says what to do", () => {
  for (const password of ["1234567890", "aaaaaaaaaa", "alice.miller"]) {
    const { message = "" } = problemOfPassword(password, "alice.miller@example.com") ?? {};
    assert.match(message, /^This password .*\. Choose another one\.$/);
  }
});

test("of 50,000 passwords that nobody uses, fewer than 1 in 10,000 count as common", () => {
  let found = 0;
  for (let number = 0; number < 50_000; number += 1) {
    if (isCommonPassword(`${number * 7_919} zebras ${number}`)) found += 1;
  }
  assert.ok(found < 5, `${found}`);
});

test("the list takes less than 400 kB", () => {
  const file = path.join(import.meta.dirname, "../../src/accounts/weak-passwords-filter.ts");
  assert.ok(readFileSync(file).byteLength < 400_000);
});
