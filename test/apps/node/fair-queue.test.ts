import assert from "node:assert/strict";
import { test } from "node:test";
import { createFairQueue } from "../../../src/apps/node/fair-queue.ts";

/** Which job of which account runs next, and which one makes room. */

const drain = (
  queue: ReturnType<typeof createFairQueue<string>>,
  max = Number.POSITIVE_INFINITY,
) => {
  const jobs: string[] = [];
  for (let job = queue.next(); job !== undefined; job = queue.next()) {
    jobs.push(job);
    if (jobs.length === max) break;
  }
  return jobs;
};

test("jobs of one account keep their order", () => {
  const queue = createFairQueue<string>();
  for (const job of ["a1", "a2", "a3"]) queue.add("a", 10, job);
  assert.equal(queue.size(), 3);
  assert.deepEqual(drain(queue), ["a1", "a2", "a3"]);
  assert.equal(queue.size(), 0);
});

test("accounts share by the size of their jobs, however many each has", () => {
  const queue = createFairQueue<string>();
  for (let at = 1; at <= 6; at += 1) queue.add("large", 60, `large${at}`);
  for (let at = 1; at <= 6; at += 1) queue.add("small", 20, `small${at}`);
  assert.deepEqual(
    drain(queue, 8).join(" "),
    "small1 small2 large1 small3 small4 small5 large2 small6",
  );
});

test("an account that comes to a long queue waits for a round of the others at most", () => {
  const queue = createFairQueue<string>();
  for (let at = 0; at < 60; at += 1) queue.add(`busy${at % 5}`, 6_000, `busy${at}`);
  drain(queue, 17);
  queue.add("quiet", 40, "quiet");
  assert.deepEqual(drain(queue, 1), ["quiet"]);
});

test("time in which an account sent nothing is not saved up", () => {
  const queue = createFairQueue<string>();
  for (let at = 0; at < 20; at += 1) queue.add("a", 10, `a${at}`);
  drain(queue, 10);
  for (let at = 0; at < 20; at += 1) queue.add("b", 10, `b${at}`);
  const next = drain(queue, 10).filter((job) => job.startsWith("b"));
  assert.ok(next.length >= 4 && next.length <= 6, String(next));
});

test("the account with the most jobs makes room, and not for one that has as many", () => {
  const queue = createFairQueue<string>();
  for (const job of ["a1", "a2", "a3"]) queue.add("a", 10, job);
  queue.add("b", 10, "b1");
  assert.equal(queue.giveWay("b"), "a3");
  assert.equal(queue.giveWay("b"), undefined, "two and one");
  assert.equal(queue.giveWay("a"), undefined);
  assert.equal(queue.giveWay("c"), "a2");
  queue.remove("b1");
  queue.remove("b1");
  assert.deepEqual(drain(queue), ["a1"]);
  assert.equal(createFairQueue<string>().giveWay("a"), undefined);
});
