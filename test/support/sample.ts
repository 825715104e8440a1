import { type TestContext, type TestOptions, test } from "node:test";
import { createChance } from "../ledger/rules/chance.ts";

/** By which a run draws its samples. TEST_SEED=n draws the same samples again. */
export const SAMPLE_SEED = Number(
  process.env["TEST_SEED"] ?? Math.floor(Date.now() / 1_000) % 100_000,
);

/**
 * Draws `count` of the items, in their order; all of them if `takesAll`. For what other tests show in full on another store or
 * runtime. Prints what it drew.
 */
export function drawSample<Item>(
  name: string,
  items: readonly Item[],
  count: number,
  takesAll: boolean,
): readonly Item[] {
  if (takesAll || count >= items.length) return items;
  const chance = createChance(SAMPLE_SEED + hashOf(name));
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(chance.below(items.length));
  console.log(`${name}: ${count} of ${items.length}, TEST_SEED=${SAMPLE_SEED}`);
  return items.filter((_, index) => drawn.has(index));
}

/** So that suites with the same seed draw different items. */
const hashOf = (name: string): number =>
  [...name].reduce((hash, character) => (Math.imul(hash, 31) + character.charCodeAt(0)) | 0, 7);

type Check = (t: TestContext) => void | Promise<void>;
/** As `test` of Node, without its variants: a test that is skipped is not drawn either. */
type Test = (name: string, ...how: [check: Check] | [options: TestOptions, check: Check]) => void;

/**
 * For a file in which each sentence costs seconds of a browser or of servers: its `test` only takes note, and `draw`, which it
 * calls at its end, hands `count` of the tests to the runner.
 */
export function sampleTests(
  name: string,
  count: number,
  takesAll: boolean,
): { test: Test; draw(): void } {
  const noted: (() => void)[] = [];
  return {
    test: (sentence, ...how) =>
      void noted.push(() => {
        const [first, check] = how;
        if (check === undefined) void test(sentence, first as Check);
        else void test(sentence, first as TestOptions, check);
      }),
    draw() {
      for (const register of drawSample(name, noted, count, takesAll)) register();
    },
  };
}
