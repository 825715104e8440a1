/** Two years of random purchases, calls, errors and events; the result of each is checked at once. */
import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import {
  call,
  choose,
  clawBack,
  close,
  grant,
  makeKey,
  reverse,
  revokeKey,
  setThreshold,
  starter,
  suspend,
} from "./account-actions.ts";
import { count, type Life } from "./chance.ts";
import type { OpenedLedger } from "./judged.ts";
import { checkPurchase } from "./laws.ts";
import { carry, forget, look } from "./notification-actions.ts";
import { begin, reconcile, settleOne, somethingHappens } from "./payment-actions.ts";
import { compare, END, openWorld, signUp } from "./world.ts";

export async function live(opened: OpenedLedger, random: () => number) {
  const below = (count: number) => Math.floor(random() * count);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const world = await openWorld(opened, random);
  const counts = new Map<string, number>();
  const life: Life = {
    ...{ world, random, below, pick, counts, calls: [], keys: [] },
  };
  try {
    for (const [no, name] of ["Ada", "Bob", "Cid"].entries()) {
      await makeKey(life, await signUp(world, name, no));
    }
    while (world.clock.at < END) {
      world.clock.at = nextTime(life);
      for (let count = 1 + below(5); count > 0; count -= 1) await act(life);
      await compare(world);
    }
    await end(life);
    return counts;
  } finally {
    await world.close();
  }
}

const STEPS = [
  ...[0, 0, 1, 999, 60_000, 60_000, HOUR_MS, HOUR_MS, 20 * HOUR_MS, DAY_MS],
  ...[3 * DAY_MS, 8 * DAY_MS, 15 * DAY_MS],
];

/** Moves the clock by a while, or to the next moment at which something expires or is due, or a millisecond beside it. */
function nextTime({ world: { clock, model }, random, pick, below }: Life): number {
  const { at } = clock;
  if (random() < 0.75) return at + pick(STEPS) + below(3);
  const date = new Date(at);
  const monthEnd = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  const leapDay = Date.UTC(2028, 1, 29, 12);
  const ends = model.grants().flatMap(({ dueAt, end }) => [dueAt ?? 0, end ?? 0]);
  const later = [monthEnd, monthEnd - DAY_MS, leapDay, ...ends].filter((time) => time > at);
  return pick(later.sort((one, other) => one - other).slice(0, 2)) + pick([-1, 0, 0, 1]);
}

type Act = (life: Life) => Promise<void> | void;
const ACTS: [weight: number, name: string, act: Act][] = [
  [20, "calls", call],
  [7, "reversals", reverse],
  [9, "purchases", begin],
  [28, "events of payments", somethingHappens],
  [22, "settlements", settleOne],
  [5, "grants", grant],
  [5, "clawbacks", clawBack],
  [3, "starter credits", starter],
  [3, "thresholds", setThreshold],
  [2, "keys", (life) => makeKey(life, life.pick(life.world.users))],
  [2, "revocations", revokeKey],
  [9, "looks for ends", look],
  [9, "rounds of notices", carry],
  [2, "wishes", choose],
  [2, "suspensions", suspend],
  [0.2, "closures", close],
  [1, "comparisons", reconcile],
  [1, "forgetting", forget],
];
const WEIGHTS = ACTS.reduce((sum, [weight]) => sum + weight, 0);

async function act(life: Life): Promise<void> {
  let left = life.random() * WEIGHTS;
  const chosen = ACTS.find(([weight]) => {
    left -= weight;
    return left < 0;
  });
  const [, name, run] = chosen ?? ACTS[0] ?? [];
  if (name === undefined || run === undefined) return;
  count(life, name);
  await run(life);
}

/** Dispatches and settles everything, and checks that nothing is left open. */
async function end(life: Life): Promise<void> {
  const { world } = life;
  await world.ledger.look(world.clock.at, 100);
  const billing = world.billing(null);
  for (let after: string | null | undefined; after !== null; )
    after = (await billing.compare({ since: 0, after: after ?? null })).next;
  for (const { session } of world.till.pages.values()) {
    await checkPurchase(world, session);
  }
  await forget(life);
  assert.deepEqual(world.model.waiting(), []);
  await compare(world);
}
