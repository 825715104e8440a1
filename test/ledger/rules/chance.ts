/** Repeatable random choices: the same seed gives the same ones. */
export type Chance = ReturnType<typeof createChance>;

/** The generator "mulberry32": a counter with a mixed output, which is enough to vary tests. */
export function createChance(seed: number) {
  let counter = seed | 0;
  const fraction = () => {
    counter = (counter + 0x6d2b79f5) | 0;
    let mixed = Math.imul(counter ^ (counter >>> 15), counter | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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
