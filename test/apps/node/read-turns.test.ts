import assert from "node:assert/strict";
import { test } from "node:test";
import { inReadTurn, TooManyReads } from "#accounts/read-turns.ts";
import { createReadTurns } from "../../../src/apps/node/read-turns.ts";

function open(atOnce = 1) {
  let now = 0;
  const rests: number[] = [];
  const resting: (() => void)[] = [];
  const turns = createReadTurns({
    atOnce,
    elapsed: () => now,
    rest(tookMs) {
      rests.push(tookMs);
      return new Promise((resolve) => resting.push(resolve));
    },
  });
  const order: string[] = [];
  /** A reader that needs so many turns of 5 ms. */
  async function read(account: string, slices: number): Promise<void> {
    for (let slice = 0; slice < slices; slice += 1) {
      await inReadTurn(turns, account, async () => {
        order.push(account);
        now += 5;
      });
    }
  }
  /** Lets so many rests end, one after the other. */
  async function restOver(count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) {
      await settle();
      resting.shift()?.();
    }
    await settle();
  }
  return { turns, order, rests, read, restOver };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a reader waits for one turn of each other account, however many readers those have", async () => {
  const { order, read, restOver, rests } = open();
  const flood = Array.from({ length: 10 }, () => read("busy", 3));
  await settle();
  const other = read("quiet", 1);
  await restOver(2);
  await other;
  assert.deepEqual(order.slice(0, 3), ["busy", "quiet", "busy"]);
  await restOver(40);
  await Promise.all(flood);
  assert.equal(order.length, 31);
  assert.deepEqual(new Set(rests), new Set([5]), "the thread rests as long as a turn took");
});

test("only so many turns are taken at once, and an idle thread starts one without waiting", async () => {
  const { turns } = open(2);
  const ends = [await turns.take("a"), await turns.take("b")];
  let third: (() => void) | undefined;
  void turns.take("c").then((end) => {
    third = end;
  });
  await settle();
  assert.equal(third, undefined);
  ends[0]?.();
  ends[0]?.();
  await settle();
  assert.equal(third, undefined, "the rest comes first");
});

test("an account whose readers are too many is rejected, and others are not", async () => {
  const { turns, read, restOver, order } = open();
  const held = await turns.take("busy");
  const waiting = Array.from({ length: 16 }, () => read("busy", 1));
  await assert.rejects(turns.take("busy"), TooManyReads);
  const other = read("quiet", 1);
  held();
  await restOver(20);
  await Promise.all([...waiting, other]);
  assert.equal(order.length, 17);
  await read("busy", 1);
});

test("a turn ends although its work fails", async () => {
  const { turns, read, restOver } = open();
  const failing = inReadTurn(turns, "a", async () => {
    throw new Error("no");
  });
  await assert.rejects(failing, /no/);
  const next = read("a", 1);
  await restOver(2);
  await next;
});
