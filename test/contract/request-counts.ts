import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequestCounts, type RequestRule } from "#accounts/request-counts.ts";
import fc from "../support/properties.ts";

/** Counts that several processes share, with the time of each request. */
export type SharedCounts = {
  count(name: string, rule: RequestRule, now: number): Promise<unknown>;
  giveBack(name: string): Promise<unknown>;
};

/** Whoever counts, and wherever: it is as if one process counted in its memory. */
export function sharedCountsContract({ count, giveBack }: SharedCounts, numRuns: number): void {
  test("requests are counted exactly as in the memory of one process", async () => {
    const step = fc.record({
      name: fc.integer({ min: 0, max: 2 }),
      after: fc.constantFrom(0, 1, 400, 3_000, 60_000, 1_000_000),
      isGivenBack: fc.boolean(),
    });
    const rule = { window: 60, max: 3 };
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        runs += 1;
        let at = 0;
        const here = createRequestCounts(() => at);
        for (const { name, after, isGivenBack } of steps) {
          at += after;
          const each = `p${runs}-${name}@example.com`;
          assert.deepEqual(await count(each, rule, at), here.count(each, rule));
          if (!isGivenBack) continue;
          here.giveBack(each);
          await giveBack(each);
        }
      }),
      { numRuns },
    );
  });

  test("of many concurrent requests of one name the number of the rule are allowed", async () => {
    const rule = { window: 60, max: 10 };
    const tries = Array.from({ length: 25 }, () => count("at once", rule, 1_000));
    const outcomes = (await Promise.all(tries)) as { allowed: boolean }[];
    assert.equal(outcomes.filter(({ allowed }) => allowed).length, 10);
  });
}
