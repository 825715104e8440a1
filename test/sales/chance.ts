/** What a run has at hand, and how random decisions are made. */
import type { DebitOrder } from "#ledger/port.ts";
import { type Break, Broken } from "../support/breaking.ts";
import type { World } from "./world.ts";

type Chance = {
  random: () => number;
  below: (count: number) => number;
  pick: <Item>(items: readonly Item[]) => Item;
};

export type Life = Chance & {
  world: World;
  calls: DebitOrder[];
  keys: { account: string; name: string }[];
  /** How often each thing happened. */
  counts: Map<string, number>;
};

export const count = ({ counts }: Life, name: string) =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

/** An error that comes soon, or none. */
export const fault = ({ random, below }: Life): Break | null =>
  random() < 0.6 ? null : { left: 1 + below(9), after: random() < 0.5, forGood: random() < 0.5 };

export const orNothing = async <Outcome>(work: Promise<Outcome>): Promise<Outcome | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Broken) return null;
    throw error;
  }
};
