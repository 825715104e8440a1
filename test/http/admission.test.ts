import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#errors.ts";
import { createAdmission, type Share } from "#http/admission.ts";
import type { LargeRoom } from "#limits.ts";

/** The room for large calls: what gets in, what is held, and that all of it comes back. */
const ROOM: LargeRoom = { bytes: 100, bytesPerAccount: 80, callsPerAccount: 2, heldMsMax: 1_000 };

function open() {
  let now = 0;
  const admission = createAdmission(ROOM, () => now);
  return {
    of: (account: string) => admission.of(account),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const isRefused = (act: () => void) =>
  assert.throws(act, (fault) => fault instanceof Fault && fault.code === "unavailable");

function taken(share: Share, bytes: number): Share {
  share.take(bytes);
  return share;
}

test("so many bytes are let in, in all and of one account, and so many calls", () => {
  const admission = open();
  const first = taken(admission.of("a"), 50);
  isRefused(() => admission.of("a").take(31));
  const second = taken(admission.of("a"), 30);
  isRefused(() => admission.of("a").take(1));
  isRefused(() => admission.of("b").take(21));
  const third = taken(admission.of("b"), 20);
  for (const share of [first, second, third]) share.release();
  taken(admission.of("a"), 80);
});

test("an answer may take more than the room; then nothing large goes on until it has left", () => {
  const admission = open();
  const [large, other] = [taken(admission.of("a"), 10), taken(admission.of("b"), 10)];
  large.swap(500);
  isRefused(() => other.swap(10));
  isRefused(() => admission.of("c").take(1));
  const held = large.toAnswer();
  large.release();
  isRefused(() => other.swap(10));
  held.release();
  other.swap(10);
  admission.of("c").take(1);
});

test("leaving twice, or never having come, changes nothing", () => {
  const admission = open();
  const share = taken(admission.of("a"), 80);
  const held = share.toAnswer();
  held.release();
  held.release();
  share.release();
  admission.of("b").release();
  taken(admission.of("a"), 80);
  isRefused(() => admission.of("b").take(21));
});

test("what was held too long counts no more, and is told so", () => {
  const admission = open();
  const lost = taken(admission.of("a"), 80);
  const held = lost.toAnswer();
  admission.pass(900);
  isRefused(() => admission.of("b").take(80));
  assert.equal(held.isOver(), false);
  admission.pass(200);
  const next = taken(admission.of("b"), 80);
  assert.equal(held.isOver(), true);
  held.release();
  isRefused(() => admission.of("c").take(80));
  next.release();
  taken(admission.of("c"), 80);
});
