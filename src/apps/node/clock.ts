import { DAY_MS, HOUR_MS, IDEMPOTENCY_KEPT_MS } from "#limits.ts";

/**
 * The time of day, and how it was set. A clock that runs since the machine started, and also while it sleeps, shows when the time of
 * day jumps. For as long as idempotency records are kept after a jump, `earliest` is the earliest time by any setting of the clock in
 * that period. A record that is not old by it is kept, so no sequence of jumps makes the ledger forget a record before its day is
 * over (to SLACK_MS). What cannot be taken back waits for it too: rolling up, and notices of expiry.
 */
export type Clock = {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Equals `now` unless the clock was set in the last 24 hours. */
  earliest(): number;
  /** What is wrong with the clock, in one sentence; null if nothing is. The sentence stays the same while its cause does. */
  fault(): string | null;
  /** How far the clock was set ahead in the last 24 hours, in milliseconds; negative if it was set back. */
  shift(): number;
  /** For the next start: see `SavedClock`. */
  save(): SavedClock;
};

export type ClockSources = {
  /** The time of day, in milliseconds since 1970 UTC. */
  wall(): number;
  /** Since the machine started, with the time that it slept; null if the platform has no such clock. */
  uptime(): number | null;
  /** Since the machine started, without the time that it slept. It must cost little, because every call reads it. */
  awake(): number;
  /** Identifies this start of the machine; null if the platform does not. */
  bootId: string | null;
};

/** All clocks at one moment, and how the time of day was set before. */
export type SavedClock = {
  bootId: string | null;
  wall: number;
  uptime: number;
  awake: number;
  current: number;
  past: Setting[];
};

/** `offset`: how far the time of day was ahead of the steady clock. `until`: when it was changed, by the steady clock. */
type Setting = { offset: number; until: number };

export const MINUTE_MS = 60_000;

/** Reading two clocks one after the other may take this long, and NTP corrects small differences all the time. */
export const SLACK_MS = 1_000;
/** A jump that is worth a warning. */
const JUMP_MS = MINUTE_MS;
/** A clock that NTP slews at its maximum rate leaves 44 settings in a day. */
const SETTINGS_MAX = 100;

export function createClock(sources: ClockSources, saved: SavedClock | null = null): Clock {
  const { wall, uptime, awake } = sources;
  const upAtStart = uptime();
  // Without such a clock, nothing can be said about jumps.
  if (upAtStart === null) return createPlainClock(sources);
  const atStart = wall();
  const isSameBoot = saved !== null && saved.bootId !== null && saved.bootId === sources.bootId;
  let current = isSameBoot ? saved.current : 0;
  let past = isSameBoot ? [...saved.past] : [];
  /** The steady clock is the uptime plus this. It never jumps while the machine runs. */
  const base = isSameBoot
    ? atStart - upAtStart - saved.current - jumpSince(saved, sources, atStart, upAtStart)
    : atStart - upAtStart;
  /** After a restart of the machine: the time that was seen before, while the clock is behind it. */
  const seenBefore = saved === null || isSameBoot ? 0 : saved.wall;
  let expected = Number.NaN;

  const steady = () => (uptime() ?? 0) + base;

  function look(): void {
    const at = wall();
    const since = steady();
    expected = at - awake();
    const offset = at - since;
    past = past.filter(({ until }) => until > since - IDEMPOTENCY_KEPT_MS);
    if (Math.abs(offset - current) <= SLACK_MS) return;
    past.push({ offset: current, until: since });
    current = offset;
    if (past.length > SETTINGS_MAX) past.splice(0, 2, merge(past[0], past[1]));
  }

  /** Also differs from what was expected after the machine has slept. */
  function now(): number {
    const at = wall();
    if (!(Math.abs(at - awake() - expected) <= SLACK_MS)) look();
    return at;
  }

  function shift(): number {
    look();
    const [first] = past;
    return first === undefined ? 0 : current - first.offset;
  }

  look();
  return {
    now,
    earliest() {
      const at = now();
      if (past.length > 0) look();
      if (past.length === 0) return at;
      const offset = past.reduce((least, each) => Math.min(least, each.offset), current);
      return Math.min(at, steady() + offset);
    },
    shift,
    fault() {
      const ms = shift();
      const [first] = past;
      if (first !== undefined && Math.abs(ms) >= JUMP_MS)
        return jumped(ms, first.until + IDEMPOTENCY_KEPT_MS + current);
      return seenBefore - wall() >= JUMP_MS ? behind(seenBefore) : null;
    },
    save() {
      look();
      const { bootId } = sources;
      return { bootId, wall: wall(), uptime: uptime() ?? 0, awake: awake(), current, past };
    },
  };
}

const createPlainClock = ({ wall, awake }: ClockSources): Clock => ({
  now: wall,
  earliest: wall,
  fault: () => null,
  shift: () => 0,
  save: () => ({ bootId: null, wall: wall(), uptime: 0, awake: awake(), current: 0, past: [] }),
});

/**
 * How far the clock was set while no server ran. A jump changes the time of day against both other clocks. If it changes against one
 * only, the machine has slept, or a container has started that counts its uptime from its own start.
 */
function jumpSince(saved: SavedClock, { awake }: ClockSources, wall: number, up: number): number {
  const byUptime = wall - up - (saved.wall - saved.uptime);
  const byAwake = wall - awake() - (saved.wall - saved.awake);
  if (Math.sign(byUptime) !== Math.sign(byAwake)) return 0;
  return Math.abs(byUptime) < Math.abs(byAwake) ? byUptime : byAwake;
}

const merge = (one: Setting = NEVER, other: Setting = NEVER): Setting => ({
  offset: Math.min(one.offset, other.offset),
  until: other.until,
});
const NEVER: Setting = { offset: Number.POSITIVE_INFINITY, until: 0 };

/** How long a server that starts may have been away before it says so. */
export const AWAY_MS = DAY_MS;

/** A sentence for a start long after the last one; null if the time says nothing unusual. */
export function longAway(saved: SavedClock | null, now: number): string | null {
  if (saved === null || now - saved.wall < AWAY_MS) return null;
  return `By this machine's clock, this server last ran ${inWords(now - saved.wall)} ago, at ${instant(saved.wall)}. If that is wrong, stop it and set the clock: idempotency keys and credits have expired by this clock.`;
}

const jumped = (ms: number, until: number) =>
  `This machine's clock was set ${inWords(Math.abs(ms))} ${ms > 0 ? "ahead" : "back"}. Until ${instant(until)} by the new time, idempotency keys are kept by the ${ms > 0 ? "earlier" : "new"} time, and old calls are not rolled up early. ${ms > 0 ? "Credits expire by the new time" : "Credits that had expired may be spendable again"}. If the new time is wrong, set the clock, and keep it right with NTP.`;

const behind = (seen: number) =>
  `This machine's clock is behind ${instant(seen)}, when this server ran before. Credits that had expired may be spendable again. Set the clock, and keep it right with NTP.`;

const instant = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

function inWords(ms: number): string {
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / DAY_MS)} days`;
}
