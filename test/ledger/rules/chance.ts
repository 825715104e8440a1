import { randomFrom } from "../../support/random.ts";

/** Repeatable random choices: the same seed gives the same ones. */
export type Chance = ReturnType<typeof createChance>;

export function createChance(seed: number) {
  const fraction = randomFrom(seed);
  /** A whole number from 0 up to, but not including, `end`. */
  const below = (end: number) => Math.floor(fraction() * end);
  return {
    below,
    /** True in so many of a hundred cases. */
    percent: (part: number) => fraction() * 100 < part,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item,
    seed: () => below(2 ** 31),
  };
}
