/** The specification of the job queue in sentences, to be held by every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { JobPolicy } from "#jobs/job-policy.ts";
import type { JobQueue, NewJob, Settlement, TakenJob } from "#jobs/job-queue.ts";
import { attemptEach, createJobRunner } from "#jobs/job-runner.ts";
import { DAY_MS } from "#limits.ts";

export type OpenJobQueue = (t: TestContext) => Promise<{ jobs: JobQueue }>;

const START = Date.UTC(2026, 10, 22, 10);
const LEASE = 60_000;
const QUEUES = ["reversal"] as const;

let count = 0;
const newJob = (changes: Partial<NewJob> = {}): NewJob => {
  count += 1;
  return {
    ...{ id: `job_${String(count).padStart(5, "0")}`, queue: "reversal", kind: "reverse-call" },
    ...{ target: "acc_1", label: "a label", payload: `{"no":${count}}`, usefulUntil: null },
    ...changes,
  };
};

const add = async (jobs: JobQueue, now = START, ...changes: Partial<NewJob>[]) => {
  const all = (changes.length === 0 ? [{}] : changes).map(newJob);
  assert.deepEqual(await jobs.add({ jobs: all, now }), { added: all.length });
  return all;
};
const takeAt = async (jobs: JobQueue, now: number, max = 9) =>
  (await jobs.take({ queues: QUEUES, now, leaseUntil: now + LEASE, max })).jobs;
const settle = async (jobs: JobQueue, ...settlements: Settlement[]) =>
  (await jobs.settle({ settlements })).settled;
const idsOf = (jobs: readonly { id: string }[]) => jobs.map(({ id }) => id);
const held = ({ id, take }: TakenJob, now = START) => ({ id, take, now });

export function jobQueueContract(name: string, open: OpenJobQueue): void {
  const rule = (sentence: string, proof: (jobs: JobQueue) => Promise<void>) =>
    test(sentence, async (t) => proof((await open(t)).jobs));
  describe(`the job queue, ${name}`, () => {
    describeLeases(rule);
    describeTheDead(rule);
    describeKills(rule);
  });
}

type Rule = (sentence: string, proof: (jobs: JobQueue) => Promise<void>) => void;

function describeLeases(rule: Rule) {
  rule("jobs are added in one transaction, each id once, and taken unchanged", async (jobs) => {
    const [one, two] = await add(jobs, START, { usefulUntil: START + 9 }, { target: "acc_2" });
    assert.deepEqual(await jobs.add({ jobs: [one as NewJob, newJob()], now: START }), { added: 1 });
    const taken = await takeAt(jobs, START, 2);
    const common = { createdAt: START, attempts: 0, take: 1, isProven: false };
    assert.deepEqual(taken, [
      { ...one, ...common },
      { ...two, ...common },
    ]);
  });

  rule("a queue returns only its own jobs, starting with the one due the longest", async (jobs) => {
    const [second] = await add(jobs, START + 1);
    const [first, third] = await add(jobs, START, {}, { queue: "outbox" });
    assert.deepEqual(idsOf(await takeAt(jobs, START + 1)), idsOf([first, second] as NewJob[]));
    const order = { now: START + 1, leaseUntil: START + LEASE, max: 9 };
    const both = await jobs.take({ queues: ["email", "outbox"], ...order });
    assert.deepEqual(idsOf(both.jobs), [third?.id]);
  });

  rule(
    "a taken job is due again when its lease ends; of its earlier holder, only the success counts",
    async (jobs) => {
      await add(jobs);
      assert.deepEqual(await takeAt(jobs, START - 1), []);
      assert.deepEqual(await jobs.nextDue({ queues: QUEUES }), { at: START });
      const [first] = (await takeAt(jobs, START)) as [TakenJob];
      assert.deepEqual(await takeAt(jobs, START + LEASE - 1), []);
      assert.deepEqual(await jobs.nextDue({ queues: QUEUES }), { at: START + LEASE });
      const [second] = (await takeAt(jobs, START + LEASE)) as [TakenJob];
      assert.deepEqual([second.id, second.take], [first.id, 2]);
      const later = { outcome: "later", at: START, attempts: 1, error: "no" } as const;
      assert.equal(await settle(jobs, { ...held(first), ...later }), 0);
      assert.equal(await settle(jobs, { ...held(first), ...died(null) }), 0);
      assert.equal(await settle(jobs, { ...held(first), outcome: "done" }), 1);
      assert.equal(await settle(jobs, { ...held(second), ...later }), 0);
      const none = { waiting: 0, oldestAt: null, dead: 0 };
      assert.deepEqual(await jobs.count({ queues: QUEUES }), none);
    },
  );

  rule("concurrent takes return different jobs", async (jobs) => {
    const all = await add(jobs, START, ...Array.from({ length: 15 }, () => ({})));
    const takes = await Promise.all(Array.from({ length: 10 }, () => takeAt(jobs, START, 2)));
    assert.deepEqual(idsOf(takes.flat()).sort(), idsOf(all).sort());
  });

  rule("a job that is due later keeps its attempts and its last error", async (jobs) => {
    await add(jobs);
    const [job] = (await takeAt(jobs, START)) as [TakenJob];
    const later = { outcome: "later", at: START + 5, attempts: 3, error: "no" } as const;
    assert.equal(await settle(jobs, { ...held(job), ...later }), 1);
    assert.deepEqual(await takeAt(jobs, START + 4), []);
    const [again] = (await takeAt(jobs, START + 5)) as [TakenJob];
    assert.deepEqual([again.attempts, again.take], [3, 2]);
    await settle(jobs, { ...held(again), ...later, error: null });
    const { jobs: listed } = await jobs.list({ state: "waiting", after: null, max: 9 });
    assert.deepEqual(
      listed.map(({ lastError, dueAt, diedAt }) => [lastError, dueAt, diedAt]),
      [["no", START + 5, null]],
    );
  });

  rule(
    "a turn takes the oldest due jobs of its target, and each target has one turn at a time",
    async (jobs) => {
      const of = (target: string, count: number) =>
        Array.from({ length: count }, () => ({ target }));
      const hog = await add(jobs, START, ...of("acc_1", 5));
      const others = await add(jobs, START + 1, ...of("acc_2", 2), ...of("acc_3", 1));
      const order = { queues: QUEUES, leaseUntil: START + LEASE };
      const turns = { unprovenMax: 9, jobsMax: 3 };
      const first = await jobs.take({ ...order, now: START + 1, max: 2, turns });
      assert.deepEqual(idsOf(first.jobs), idsOf([...hog.slice(0, 3), ...others.slice(0, 2)]));
      const second = await jobs.take({ ...order, now: START + 1, max: 9, turns });
      assert.deepEqual(idsOf(second.jobs), idsOf(others.slice(2)), "the first two are under way");
      await settle(jobs, ...first.jobs.map((job) => ({ ...held(job), outcome: "done" as const })));
      const third = await jobs.take({ ...order, now: START + 1, max: 9, turns });
      assert.deepEqual(idsOf(third.jobs), idsOf(hog.slice(3)));
    },
  );

  rule(
    "a target whose attempt failed has its turn after the others, until that is forgotten",
    async (jobs) => {
      const [failing] = await add(jobs, START, { target: "acc_1" });
      const [other] = await add(jobs, START + 1, { target: "acc_2" });
      const takeOne = async (now: number) => {
        const order = { queues: QUEUES, now, leaseUntil: now + 1, max: 1 };
        const [job] = (await jobs.take({ ...order, turns: { unprovenMax: 1 } })).jobs;
        assert.ok(job);
        return job;
      };
      const again = (job: TakenJob, turn: Settlement["turn"]) =>
        settle(jobs, {
          ...{ ...held(job), outcome: "later" as const, at: START, attempts: 1, error: "no" },
          ...(turn !== undefined && { turn }),
        });
      const first = await takeOne(START + 1);
      assert.equal(first.id, failing?.id);
      await again(first, { didWell: false });
      const second = await takeOne(START + 2);
      assert.equal(second.id, other?.id);
      await again(second, undefined);
      const third = await takeOne(START + 3);
      assert.equal(third.id, other?.id, "the one that failed is last");
      await settle(jobs, { ...held(third), outcome: "done" });
      await again(await takeOne(START + 4), "forgotten");
      await add(jobs, START + 5, { target: "acc_3" });
      assert.equal((await takeOne(START + 5)).id, failing?.id);
    },
  );

  rule("many results of different kinds are recorded at once", async (jobs) => {
    await add(jobs, START, ...Array.from({ length: 250 }, () => ({})));
    const turns = { unprovenMax: 1, jobsMax: 250 };
    const order = { queues: QUEUES, now: START, leaseUntil: START + LEASE, max: 1, turns };
    const taken = (await jobs.take(order)).jobs;
    assert.equal(taken.length, 250);
    const settlements = taken.map((job, at): Settlement => {
      if (at % 3 === 0) return { ...held(job), outcome: "done" };
      const failed = { attempts: 1, error: "no" };
      if (at % 3 === 1) return { ...held(job), outcome: "later", at: START + 9, ...failed };
      return { ...held(job), outcome: "dead", eraseAt: null, ...failed };
    });
    assert.equal(await settle(jobs, ...settlements), 250);
    const { waiting, dead } = await jobs.count({ queues: QUEUES });
    assert.deepEqual([waiting, dead], [83, 83]);
  });

  rule("a paused job is not due, and counts as waiting", async (jobs) => {
    await add(jobs);
    const [job] = (await takeAt(jobs, START)) as [TakenJob];
    assert.equal(await settle(jobs, { ...held(job), outcome: "paused" }), 1);
    assert.deepEqual(await jobs.nextDue({ queues: QUEUES }), { at: null });
    assert.deepEqual(await takeAt(jobs, START + DAY_MS), []);
    const counted = { waiting: 1, oldestAt: START, dead: 0 };
    assert.deepEqual(await jobs.count({ queues: QUEUES }), counted);
  });
}

const died = (eraseAt: number | null) =>
  ({ outcome: "dead", attempts: 4, error: "refused (550)", eraseAt }) as const;

/** One job that has died. */
async function addDead(jobs: JobQueue, eraseAt: number | null, now = START) {
  await add(jobs, now);
  const [job] = (await takeAt(jobs, now)) as [TakenJob];
  assert.equal(await settle(jobs, { ...held(job, now), ...died(eraseAt) }), 1);
  return job;
}

type ListOfJobs = Awaited<ReturnType<JobQueue["list"]>>;

const listDead = async (jobs: JobQueue) =>
  (await jobs.list({ state: "dead", after: null, max: 9 })).jobs;

function describeTheDead(rule: Rule) {
  rule(
    "a dead job is never due, is counted separately, and is listed with its error",
    async (jobs) => {
      const { id } = await addDead(jobs, null);
      assert.deepEqual(await takeAt(jobs, START + DAY_MS), []);
      assert.deepEqual(await jobs.nextDue({ queues: QUEUES }), { at: null });
      const counted = { waiting: 0, oldestAt: null, dead: 1 };
      assert.deepEqual(await jobs.count({ queues: QUEUES }), counted);
      assert.deepEqual(await listDead(jobs), [
        {
          ...{ id, queue: "reversal", kind: "reverse-call", label: "a label" },
          ...{ createdAt: START, attempts: 4, lastError: "refused (550)" },
          ...{ dueAt: null, diedAt: START, hasPayload: true },
        },
      ]);
      assert.deepEqual((await jobs.list({ state: "waiting", after: null, max: 9 })).jobs, []);
    },
  );

  rule("dead jobs are listed oldest first, in pages", async (jobs) => {
    const all: string[] = [];
    for (let each = 0; each < 5; each += 1) all.push((await addDead(jobs, null)).id);
    const pages: string[][] = [];
    let after: number | null = null;
    do {
      const page: ListOfJobs = await jobs.list({ state: "dead", after, max: 2 });
      pages.push(idsOf(page.jobs));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(pages, [all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
  });

  rule(
    "a list continues at its cursor even if the last job of the page was deleted",
    async (jobs) => {
      const [one, two] = [await addDead(jobs, null), await addDead(jobs, null)];
      const page = await jobs.list({ state: "dead", after: null, max: 1 });
      assert.deepEqual(idsOf(page.jobs), [one.id]);
      await jobs.retry({ id: one.id, now: START });
      const [again] = (await takeAt(jobs, START)) as [TakenJob];
      await settle(jobs, { ...held(again), outcome: "done" });
      const rest = await jobs.list({ state: "dead", after: page.next, max: 1 });
      assert.deepEqual([idsOf(rest.jobs), rest.next], [[two.id], null]);
    },
  );

  rule("a retried job is due immediately, with its attempts reset", async (jobs) => {
    const { id, payload } = await addDead(jobs, null);
    const now = START + DAY_MS;
    assert.deepEqual(await jobs.retry({ id, now }), { outcome: "retried" });
    assert.deepEqual(await jobs.retry({ id, now }), { outcome: "not_dead" });
    assert.deepEqual(await jobs.retry({ id: "none", now }), { outcome: "not_found" });
    assert.deepEqual(await listDead(jobs), []);
    const [again] = (await takeAt(jobs, now)) as [TakenJob];
    const { attempts, take, createdAt } = again;
    assert.deepEqual(
      [again.id, again.payload, attempts, take, createdAt],
      [id, payload, 0, 2, now],
    );
  });

  rule(
    "the payload of a dead job is erased at eraseAt, or immediately if that has passed",
    async (jobs) => {
      const [now, later] = [await addDead(jobs, START), await addDead(jobs, START + 10)];
      const hasPayload = async () => (await listDead(jobs)).map((job) => job.hasPayload);
      assert.deepEqual(await hasPayload(), [false, true]);
      const order = { before: START, max: 9 };
      await jobs.forget({ ...order, now: START + 9 });
      assert.deepEqual(await hasPayload(), [false, true]);
      assert.deepEqual(await jobs.forget({ ...order, now: START + 10 }), {
        forgotten: 1,
        more: false,
      });
      assert.deepEqual(await hasPayload(), [false, false]);
      for (const { id } of [now, later])
        assert.deepEqual(await jobs.retry({ id, now: START + 20 }), { outcome: "erased" });
    },
  );

  rule("old dead jobs are deleted; waiting jobs never are", async (jobs) => {
    const [, young] = [await addDead(jobs, null), await addDead(jobs, null, START + 1)];
    await add(jobs);
    const order = { now: START + DAY_MS, before: START + 1, max: 9 };
    assert.deepEqual(await jobs.forget(order), { forgotten: 1, more: false });
    assert.deepEqual(idsOf(await listDead(jobs)), [young.id]);
    assert.equal((await jobs.count({ queues: QUEUES })).waiting, 1);
    assert.equal((await jobs.forget({ ...order, before: START + 9, max: 1 })).more, true);
  });
}

class Killed extends Error {}
const STEPS = ["before it is taken", "taken", "done, not recorded", "recorded"] as const;

const POLICY: JobPolicy = {
  ...{ queues: QUEUES, atOnce: 1, leaseMs: LEASE, turns: null },
  ...{ waitMs: () => 1_000, giveUpAfterMs: DAY_MS, queueName: "Jobs" },
  ...{ nameOf: () => null, eraseAt: () => null },
  outage: { failures: 1, firstMs: 1_000, maxMs: 1_000 },
};

/** A job killed at every step is done in the end, and twice only where its work was done and nobody could say so. */
function describeKills(rule: Rule) {
  for (const step of STEPS) {
    rule(`a process that is killed with a job ${step} loses no job`, async (jobs) => {
      await add(jobs, START, {}, {}, {});
      const clock = { now: START };
      const worked: string[] = [];
      const wiring = {
        policy: POLICY,
        now: () => clock.now,
        random: (bytes: number) => new Uint8Array(bytes),
        logError: () => {},
        attempt: attemptEach(async ({ id }: TakenJob) => {
          worked.push(id);
          return { outcome: "done" };
        }),
      };
      const dying: JobQueue = {
        ...jobs,
        async take(order) {
          if (step === "before it is taken") throw new Killed();
          const taken = await jobs.take(order);
          if (step === "taken") throw new Killed();
          return taken;
        },
        async settle(order) {
          if (step === "recorded") await jobs.settle(order);
          throw new Killed();
        },
      };
      const victim = createJobRunner({ ...wiring, jobs: dying });
      victim.look();
      await victim.idle();
      const next = createJobRunner({ ...wiring, jobs });
      for (let due = await next.runDue(); due !== null; due = await next.runDue()) clock.now = due;
      const twice = step === "done, not recorded" ? 1 : 0;
      assert.equal(new Set(worked).size, 3);
      assert.equal(worked.length, 3 + twice);
      assert.deepEqual(await jobs.count({ queues: QUEUES }), {
        waiting: 0,
        oldestAt: null,
        dead: 0,
      });
      assert.equal(clock.now, step === "taken" || twice === 1 ? START + LEASE : START);
    });
  }
}
