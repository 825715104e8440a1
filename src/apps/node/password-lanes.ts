import { AsyncLocalStorage } from "node:async_hooks";
import { type PasswordLane, TooManyPasswords } from "#accounts/auth-options.ts";

type Lane = {
  /** How many of the lane's passwords may be at work at once. */
  atOnceMax: number;
  /** How many may wait; more are rejected. */
  waitingMax: number;
  /** The lane's share of the work while others wait too. */
  weight: number;
};

/** Half of libuv's threads: compressing responses needs some too. */
const AT_ONCE_MAX = 2;

/**
 * What each lane may use. At about 0.1 s for a password, 64 in a lane wait a few seconds; more are an attack. Sign-ups never
 * take the last slot, so a sign-in waits for at most one password that is already at work. While every lane has passwords
 * waiting, 8 of 13 turns belong to known browsers, 4 to other sign-ins and 1 to sign-ups, so none of them stops.
 */
const LANES: Readonly<Record<PasswordLane, Lane>> = {
  known: { atOnceMax: AT_ONCE_MAX, waitingMax: 64, weight: 8 },
  "sign-in": { atOnceMax: AT_ONCE_MAX, waitingMax: 64, weight: 4 },
  "sign-up": { atOnceMax: AT_ONCE_MAX - 1, waitingMax: 32, weight: 1 },
};

/** On a busy machine a password takes longer. After this long the client gets an error, before its connection gives up. */
const WAIT_MAX_MS = 15_000;

type Waiting = { since: number; start(): void; reject(error: Error): void };

/** Earlier lanes come first where two have had the same share. */
const NAMES = Object.keys(LANES) as PasswordLane[];

/** The lane of the request that is being handled. better-auth calls our functions for passwords without it. */
const current = new AsyncLocalStorage<PasswordLane>();

/** Runs `act`; the passwords that it hashes and verifies take turns in this lane. */
export const inPasswordLane = <Result>(lane: PasswordLane, act: () => Promise<Result>) =>
  current.run(lane, act);

/**
 * Queues for the work on passwords, one per lane, so that a flood in one lane does not delay the others.
 *
 * @param elapsed - a clock in milliseconds that never goes back
 */
export function createPasswordLanes(elapsed = () => performance.now()) {
  const lanes = new Map(
    NAMES.map((name) => [name, { ...LANES[name], running: 0, waiting: [] as Waiting[], turns: 0 }]),
  );
  let running = 0;
  /** How far the shares have progressed: a lane that was empty starts here, without credit for the time before. */
  let progress = 0;

  const laneOf = (name: PasswordLane) => {
    const lane = lanes.get(name);
    if (lane === undefined) throw new Error(`There is no lane ${name}`);
    return lane;
  };
  type State = ReturnType<typeof laneOf>;

  const hasSlot = (lane: State) => running < AT_ONCE_MAX && lane.running < lane.atOnceMax;

  function begin(lane: State): void {
    running += 1;
    lane.running += 1;
    lane.turns = Math.max(lane.turns, progress) + 1 / lane.weight;
  }

  function dropLate(): void {
    const before = elapsed() - WAIT_MAX_MS;
    for (const { waiting } of lanes.values()) {
      while (waiting[0] !== undefined && waiting[0].since < before) {
        waiting.shift()?.reject(new TooManyPasswords("Waited too long to hash a password"));
      }
    }
  }

  /** Gives free slots to the lanes that have had the smallest share. */
  function startWaiting(): void {
    dropLate();
    for (;;) {
      const ready = [...lanes.values()].filter((lane) => lane.waiting.length > 0 && hasSlot(lane));
      const [next] = ready.toSorted(
        (a, b) => Math.max(a.turns, progress) - Math.max(b.turns, progress),
      );
      const first = next?.waiting.shift();
      if (next === undefined || first === undefined) return;
      progress = Math.max(progress, next.turns);
      begin(next);
      first.start();
    }
  }

  /** Runs `work` when it is its turn. Rejects with `TooManyPasswords` if too many wait in the lane, or for too long. */
  return async function takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const lane = laneOf(current.getStore() ?? "sign-in");
    if (lane.waiting.length === 0 && hasSlot(lane)) begin(lane);
    else if (lane.waiting.length < lane.waitingMax) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      lane.waiting.push({ since: elapsed(), start: resolve, reject });
      await promise;
    } else throw new TooManyPasswords("Too many passwords to hash at once");
    try {
      return await work();
    } finally {
      running -= 1;
      lane.running -= 1;
      startWaiting();
    }
  };
}
