import { readFileSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as z from "zod";
import { HOUR_MS } from "#limits.ts";
import {
  type Clock,
  type ClockSources,
  createClock,
  longAway,
  MINUTE_MS,
  type SavedClock,
} from "./clock.ts";
import type { LastingFaults } from "./lasting-faults.ts";

/** The clock of this machine, its file in the data folder, and the warnings about it. */

const FILE_NAME = "clock.json";
const CHECK_EVERY_MS = 10_000;
const SAVE_EVERY_MS = 10 * MINUTE_MS;
/** Differences to the database's clock that change by less are one fault. */
const SAME_APART_MS = 5_000;

const saved = z.object({
  bootId: z.string().nullable(),
  ...{ wall: z.number(), uptime: z.number(), awake: z.number(), current: z.number() },
  past: z.array(z.object({ offset: z.number(), until: z.number() })),
});

/** Null if there is no file, or no valid one: then the time of day is trusted as it is. */
export function readSavedClock(dataDir: string): SavedClock | null {
  try {
    const read = saved.safeParse(JSON.parse(readFileSync(path.join(dataDir, FILE_NAME), "utf8")));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** `openClock` for a thread that only reads what the server's main thread has saved. */
export const openThreadClock = (dataDir: string): Clock =>
  createClock(systemSources(), readSavedClock(dataDir));

export function systemSources(): ClockSources {
  const awakeAtOrigin = Number(process.hrtime.bigint() / 1_000_000n) - performance.now();
  return {
    wall: Date.now,
    uptime: HAS_STEADY_UPTIME ? () => os.uptime() * 1_000 : () => null,
    awake: () => awakeAtOrigin + performance.now(),
    bootId: readBootId(),
  };
}

/** On Linux and Windows the uptime includes sleep and does not follow the time of day. On macOS it does follow it. */
const HAS_STEADY_UPTIME = process.platform === "linux" || process.platform === "win32";

function readBootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

export type ClockWatch = {
  /** How far this machine's clock is ahead of the database's; undefined if they agree. */
  reportApart(aheadMs: number | undefined): void;
  /** The largest known error of the clock in seconds, positive if it is ahead. */
  errorSeconds(): number;
  stop(): void;
};

/** Warns while the clock is doubtful, and saves it for the next start. */
export function watchClock(
  clock: Clock,
  given: {
    dataDir: string;
    faults: Pick<LastingFaults, "set" | "clear">;
    /** What the last start saved. */
    before: SavedClock | null;
    warn(message: string): void;
  },
): ClockWatch {
  const { dataDir, faults } = given;
  const file = path.join(dataDir, FILE_NAME);
  let apartMs: number | undefined;
  let lastShift = Number.NaN;
  let savedAt = Number.NEGATIVE_INFINITY;

  function save(): void {
    savedAt = performance.now();
    try {
      writeFileSync(`${file}.new`, JSON.stringify(clock.save()), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch {
      // On a full disk, an older file says nearly the same.
    }
  }

  function check(): void {
    const shift = clock.shift();
    // A jump must be known to the next start, however soon this one ends.
    if (!(Math.abs(shift - lastShift) < MINUTE_MS) || performance.now() - savedAt > SAVE_EVERY_MS)
      save();
    lastShift = shift;
    const message = clock.fault() ?? (apartMs === undefined ? null : clocksApart(apartMs));
    if (message === null) faults.clear("clock");
    else faults.set("clock", { message, stopsCalls: false });
  }

  // If the clock is known to have jumped, it does not tell how long the server was away, and `check` says what follows.
  const away = clock.fault() === null ? longAway(given.before, clock.now()) : null;
  if (away !== null) given.warn(away);
  check();
  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  return {
    reportApart(aheadMs) {
      const isSame =
        aheadMs !== undefined &&
        apartMs !== undefined &&
        Math.abs(aheadMs - apartMs) < SAME_APART_MS;
      if (!isSame) apartMs = aheadMs;
      check();
    },
    errorSeconds() {
      const shift = clock.shift();
      return (Math.abs(shift) > Math.abs(apartMs ?? 0) ? shift : (apartMs ?? 0)) / 1_000;
    },
    stop() {
      clearInterval(timer);
      save();
    },
  };
}

const clocksApart = (aheadMs: number) =>
  `This machine's clock is ${apartInWords(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"} the ` +
  "database's. Synchronize both with NTP: grants expire by the clock of the node that takes the call.";

const apartInWords = (ms: number) =>
  ms < 2 * HOUR_MS ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / HOUR_MS)} h`;
