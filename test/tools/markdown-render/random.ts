import { randomFrom } from "../../support/random.ts";

/** Random choices. The same seed gives the same choices in every engine. */
export class Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  /** A whole number from `min` to `max`, inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T;
  }

  /** Between `min` and `max` results of `make`. */
  several<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: this.between(min, max) }, make);
  }
}
