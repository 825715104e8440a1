import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurnQueue } from "../../../src/apps/node/turn-queue.ts";

/** Which job of which account is next. */

function drain(queue: ReturnType<typeof createTurnQueue<string>>, max: number) {
  const jobs: string[] = [];
  while (jobs.length < max && queue.size() > 0) jobs.push(queue.next() ?? "");
  return jobs.join(" ");
}

test("jobs of one account keep their order", () => {
  const queue = createTurnQueue<string>();
  for (const job of ["a1", "a2", "a3"]) queue.add("a", job);
  assert.deepEqual([queue.size(), queue.sizeOf("a"), queue.sizeOf("b")], [3, 3, 0]);
  assert.equal(drain(queue, 9), "a1 a2 a3");
  assert.equal(queue.next(), undefined);
});

test("accounts take turns, and one that comes to a long queue is in the present round", () => {
  const queue = createTurnQueue<string>();
  for (let at = 1; at <= 4; at += 1) queue.add("busy", `busy${at}`);
  queue.add("other", "other1");
  assert.equal(drain(queue, 3), "busy1 other1 busy2");
  for (const job of ["quiet1", "quiet2"]) queue.add("quiet", job);
  assert.equal(drain(queue, 9), "quiet1 busy3 quiet2 busy4");
});

test("time in which an account sent nothing is not saved up", () => {
  const queue = createTurnQueue<string>();
  for (let at = 1; at <= 20; at += 1) queue.add("a", `a${at}`);
  drain(queue, 10);
  for (let at = 1; at <= 20; at += 1) queue.add("b", `b${at}`);
  assert.equal(drain(queue, 6), "b1 a11 b2 a12 b3 a13");
});

test("a job that is removed has no turn", () => {
  const queue = createTurnQueue<string>();
  for (const job of ["a1", "a2"]) queue.add("a", job);
  queue.remove("a1");
  queue.remove("a1");
  assert.equal(drain(queue, 9), "a2");
});
