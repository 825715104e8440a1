import assert from "node:assert/strict";
import { randomBytes, scryptSync } from "node:crypto";
import { test } from "node:test";
import { type PasswordLane, TooManyPasswords } from "#accounts/auth-options.ts";
import { createPasswordLanes, inPasswordLane } from "../../../src/apps/node/password-lanes.ts";
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

/** Fills a lane and returns in which order its passwords are done. */
function fillLane(lane: PasswordLane, count: number, takeTurn: TakeTurn, order: PasswordLane[]) {
  const work = async () => {
    await new Promise(setImmediate);
    order.push(lane);
  };
  return Array.from({ length: count }, () => inPasswordLane(lane, () => takeTurn(work)));
}
type TakeTurn = ReturnType<typeof createPasswordLanes>;

test("while sign-ups fill their queue, a sign-in is next, and a known browser before it", async () => {
  const [takeTurn, order]: [TakeTurn, PasswordLane[]] = [createPasswordLanes(), []];
  const flood = fillLane("sign-up", 33, takeTurn, order);
  await assert.rejects(
    fillLane("sign-up", 1, takeTurn, order)[0] as Promise<void>,
    TooManyPasswords,
  );
  const signIns = [
    ...fillLane("sign-in", 3, takeTurn, order),
    ...fillLane("known", 2, takeTurn, order),
  ];
  await Promise.all([...flood, ...signIns]);
  assert.deepEqual(
    order.slice(0, 8).filter((lane) => lane === "sign-up").length <= 3,
    true,
    `${order}`,
  );
  assert.ok(order.indexOf("known") <= 3, `${order}`);
  assert.equal(order.length, 38);
});

test("each lane with passwords waiting gets its share, so none of them stops", async () => {
  const [takeTurn, order]: [TakeTurn, PasswordLane[]] = [createPasswordLanes(), []];
  await Promise.all([
    ...fillLane("sign-in", 60, takeTurn, order),
    ...fillLane("sign-up", 30, takeTurn, order),
    ...fillLane("known", 60, takeTurn, order),
  ]);
  const early = order.slice(0, 65);
  const share = (lane: PasswordLane) => early.filter((each) => each === lane).length;
  // 8, 4 and 1 of 13; the passwords that are at work at the start shift it by up to three.
  assert.ok(Math.abs(share("known") - 40) <= 3, `${share("known")}`);
  assert.ok(Math.abs(share("sign-in") - 20) <= 3, `${share("sign-in")}`);
  assert.ok(Math.abs(share("sign-up") - 5) <= 3 && share("sign-up") > 0, `${share("sign-up")}`);
});

test("a full lane rejects its own passwords only", async () => {
  const takeTurn = createPasswordLanes();
  const lanes: PasswordLane[] = ["known", "sign-in", "sign-up"];
  for (const full of lanes) {
    const order: PasswordLane[] = [];
    const flood = await Promise.allSettled(fillLane(full, 200, takeTurn, order));
    assert.ok(flood.some(({ status }) => status === "rejected"));
    const busy = Promise.allSettled(fillLane(full, 200, takeTurn, order));
    const others = lanes.filter((lane) => lane !== full);
    await Promise.all(others.flatMap((lane) => fillLane(lane, 20, takeTurn, order)));
    await busy;
  }
});

test("whoever waits longer than 15 seconds is rejected when the next password is done, and the others go on", async () => {
  let now = 0;
  const takeTurn = createPasswordLanes(() => now);
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = Array.from({ length: 2 }, () => takeTurn(() => held));
  const late = takeTurn(async () => assert.fail("it is too late"));
  now = 10_000;
  const inTime = takeTurn(async () => "done");
  now = 15_001;
  finish();
  await assert.rejects(late, TooManyPasswords);
  assert.equal(await inTime, "done");
  await Promise.all(slow);
});
