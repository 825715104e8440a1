import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { DropReason } from "#email/email-queue.ts";
import type { DashboardPlatform } from "#service/parts.ts";
import { startNodeBackground } from "./background.ts";
import type { FromDashboard, LogMethod } from "./dashboard.ts";
import type { NodeLog } from "./log.ts";
import { createReadTurns } from "./read-turns.ts";
import { hashKey, random } from "./runtime.ts";
import { readDisposableDomains } from "./sign-up-lists.ts";

/** What Node supplies to the dashboard on its thread. */
export type NodeDashboardPlatform = DashboardPlatform & {
  /** Emails dropped since the thread started, by reason. */
  dropped: Partial<Record<DropReason, number>>;
  /** Resolves when the work that outlived its responses is done. */
  idle(): Promise<unknown>;
};

const REST_MAX_MS = 50;

/**
 * `say`: sends a message to the main thread. `isSynchronous`: whether a read occupies this thread. Then it rests for as long after a turn;
 * otherwise downloads and searches leave connections to the pages.
 */
export function createDashboardPlatform(
  say: (message: FromDashboard) => void,
  isSynchronous: boolean,
  tools: DashboardPlatform["tools"],
): NodeDashboardPlatform {
  const now = () => Date.now();
  const dropped: NodeDashboardPlatform["dropped"] = {};
  const background = new Set<Promise<unknown>>();
  const through =
    <Method extends LogMethod>(method: Method) =>
    (...args: Parameters<NodeLog[Method]>) =>
      say({ kind: "log", method, args });
  const toLog = through("logError");
  const logError: DashboardPlatform["logError"] = (message, { cause, ...details }) =>
    toLog(message, { ...details, cause: describe(cause) });
  const warn = through("warn");
  const log = { logError, warn, email: through("email"), show: through("show") };
  return {
    ...{ tools, now, random, hashKey, logError, readDisposableDomains, dropped },
    logWarning: warn,
    logAction: through("info"),
    onRejection: (reason) => say({ kind: "rejection", reason }),
    onEmailDropped(reason) {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
    },
    readTurns: createReadTurns({
      atOnce: isSynchronous ? 1 : 2,
      elapsed: () => performance.now(),
      rest: (tookMs) => (isSynchronous ? sleep(Math.min(tookMs, REST_MAX_MS)) : nextTurn()),
    }),
    isForOneRequest: false,
    waitUntil(work) {
      const settled = work.finally(() => background.delete(settled));
      background.add(settled);
    },
    // A request that waits here to sign in must not delay shutdown.
    wait: (ms) => sleep(ms, undefined, { ref: false }),
    startBackground: (work) => startNodeBackground(work, { now, random, log }),
    idle: () => Promise.all(background),
  };
}

const describe = (cause: unknown) =>
  cause === undefined
    ? undefined
    : cause instanceof Error
      ? (cause.stack ?? cause.message)
      : String(cause);
