import assert from "node:assert/strict";
import { randomBytes, scryptSync } from "node:crypto";
import { test } from "node:test";
import { TooManyPasswords } from "#accounts/auth-options.ts";
import {
  createPasswords,
  deriveAtOnce,
  hashPassword,
  verifyPassword,
} from "../../../src/apps/node/passwords.ts";

/** A hash with cheap parameters, which the hash itself contains. */
function cheapHash(password: string): string {
  const salt = randomBytes(8);
  const hash = scryptSync(password, salt, 32, { N: 256, r: 8, p: 1 });
  return `scrypt$8$8$1$${salt.toString("base64url")}$${hash.toString("base64url")}`;
}

test("a hash verifies its password and no other, and two hashes of one password differ", async () => {
  const [hash, other] = await Promise.all([
    hashPassword("correct horse"),
    hashPassword("correct horse"),
  ]);
  assert.match(hash, /^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(hash, other);
  assert.ok(await verifyPassword(hash, "correct horse"));
  for (const wrong of ["correct horsf", "Correct horse", "correct horse ", "", hash]) {
    assert.equal(await verifyPassword(hash, wrong), false, wrong);
  }
});

test("a hash made without a queue has the same format", async () => {
  const there = createPasswords(deriveAtOnce);
  const [near, far] = [await hashPassword("correct horse"), await there.hashPassword("x y z")];
  assert.ok(await there.verifyPassword(near, "correct horse"));
  assert.ok(await verifyPassword(far, "x y z"));
  assert.equal(await there.verifyPassword(near, "x y z"), false);
});

test("verifies a hash by the parameters that it contains", async () => {
  assert.ok(await verifyPassword(cheapHash("correct horse"), "correct horse"));
  assert.equal(await verifyPassword(cheapHash("correct horse"), "wrong horse"), false);
});

test("accepts passwords that differ only in Unicode normalization", async () => {
  const composed = "caf\u00e9 au lait";
  assert.ok(await verifyPassword(cheapHash(composed), "cafe\u0301 au lait"));
});

test("rejects every password for an invalid hash", async () => {
  const [, , , , salt] = cheapHash("x").split("$");
  const texts = ["", "scrypt", "scrypt$15$8$3", `scrypt$8$8$1$${salt}$`, "bcrypt$1$8$1$c2FsdA$eA"];
  for (const text of [...texts, "plain text"]) {
    assert.equal(await verifyPassword(text, "x"), false, text);
  }
});

test("runs two at once, queues a limited number, rejects more, and then recovers", async () => {
  const hash = cheapHash("correct horse");
  for (let round = 0; round < 3; round += 1) {
    const verified = Array.from({ length: 66 }, () => verifyPassword(hash, "correct horse"));
    await assert.rejects(verifyPassword(hash, "correct horse"), TooManyPasswords);
    assert.deepEqual(new Set(await Promise.all(verified)), new Set([true]));
  }
});

test("a hash that fails rejects and frees its place in the queue", async () => {
  const impossible = "scrypt$0$8$1$c2FsdA$eHh4";
  const tries = Array.from({ length: 20 }, () => verifyPassword(impossible, "x"));
  const outcomes = await Promise.allSettled(tries);
  assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(["rejected"]));
  assert.ok(await verifyPassword(cheapHash("x"), "x"));
});
