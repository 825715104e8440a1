import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { descendantsOf, listProcesses, type Process } from "./processes.ts";

/**
 * Keeps the Workers of `npm run edge` running. Wrangler starts two processes of workerd and replaces one that ends, but it hangs if
 * that was the one that takes the requests. So when one has ended and the Workers do not respond, Wrangler starts again on the same data.
 */
export type Supervised = {
  /** Starts Wrangler. */
  start(): ChildProcess;
  /** An address that responds with 200 if the Workers run. */
  probeUrl: string;
  say(text: string): void;
};

const WATCH_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
/** Wrangler needs a second or two to replace workerd by itself. */
const PROBES = 5;
const STOP_MS = 5_000;
const RESTART_PAUSES_MS = [0, 1_000, 2_000, 5_000, 10_000];
/** Restarts longer ago than this no longer count. */
const COUNTED_MS = 10 * 60_000;

export class RestartsExhausted extends Error {}

/** Resolves when Wrangler was stopped or ended by itself; rejects if it fails at the start or too often. */
export async function supervise(
  { start, probeUrl, say }: Supervised,
  stop: AbortSignal,
): Promise<void> {
  const restarts: number[] = [];
  for (;;) {
    const child = start();
    const over = new AbortController();
    const watched = AbortSignal.any([stop, over.signal]);
    const end = await Promise.race([ended(child), lost(child, probeUrl, watched)]);
    over.abort();
    await stopAll(child);
    if (stop.aborted || end === 0) return;
    // An error at the start, which Wrangler has printed, would only repeat.
    if (typeof end === "string") throw new Error(`Wrangler ended with ${end}`);
    const now = Date.now();
    restarts.push(now);
    const counted = restarts.filter((at) => now - at < COUNTED_MS).length;
    const pauseMs = RESTART_PAUSES_MS[counted - 1];
    if (pauseMs === undefined) {
      throw new RestartsExhausted(
        `the Workers ended ${counted} times within ${COUNTED_MS / 60_000} minutes`,
      );
    }
    say(
      `${end === LOST ? "workerd was killed and the Workers do not respond" : "Wrangler was killed"}. Starting again with the same data${pauseMs > 0 ? ` in ${pauseMs / 1_000} s` : ""}.`,
    );
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
  }
}

const LOST = Symbol("lost");
const KILLED = Symbol("killed");

/** Resolves to 0 after a normal end (Wrangler ends when the user presses `x`), to the code of an error, or to KILLED. */
const ended = (child: ChildProcess): Promise<0 | string | typeof KILLED> =>
  new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal !== null) resolve(KILLED);
      else resolve(code === 0 ? 0 : String(code));
    });
  });

/** Resolves when a process of workerd has ended and the Workers do not respond any more, or when they are to stop. */
async function lost(
  child: ChildProcess,
  probeUrl: string,
  stop: AbortSignal,
): Promise<typeof LOST | 0> {
  let known: number[] = [];
  for (;;) {
    await sleep(WATCH_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return 0;
    const running = workerdOf(child);
    const isOneGone = known.some((pid) => !running.includes(pid));
    if (isOneGone && !(await responds(probeUrl, stop))) return LOST;
    known = workerdOf(child);
  }
}

const workerdOf = ({ pid = 0 }: ChildProcess): number[] =>
  descendantsOf(pid)
    .filter(({ command }) => /\bworkerd(?:\.exe)? serve\b/.test(command))
    .map((each) => each.pid);

async function responds(url: string, stop: AbortSignal): Promise<boolean> {
  for (let tries = 0; tries < PROBES && !stop.aborted; tries += 1) {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const started = performance.now();
    const status = await fetch(url, { signal }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return true;
    const leftMs = PROBE_TIMEOUT_MS - (performance.now() - started);
    await sleep(Math.max(0, leftMs), undefined, { signal: stop }).catch(() => {});
  }
  return stop.aborted;
}

/** Ends Wrangler and everything that it has started. */
export async function stopAll(child: ChildProcess): Promise<void> {
  const family = descendantsOf(child.pid ?? 0);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  if (isRunning()) child.kill("SIGTERM");
  const deadline = performance.now() + STOP_MS;
  const left = () => listProcesses().filter((each) => family.some((one) => isSame(one, each)));
  while ((isRunning() || left().length > 0) && performance.now() < deadline) await sleep(100);
  if (isRunning()) child.kill("SIGKILL");
  for (const { pid } of left()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** The system may give the id of an ended process to another program. */
const isSame = (one: Process, other: Process) =>
  one.pid === other.pid && one.command === other.command;
