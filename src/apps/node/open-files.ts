import { readFileSync } from "node:fs";
import { CONNECTIONS_MAX } from "#limits.ts";

/** The system allows the process too few open files. The message is one sentence for the operator, and says what to do. */
export class TooFewOpenFiles extends Error {}

/** Threads, databases, emails, webhooks and pages: an idle server on two cores has 50 files open. */
const RESERVED = 200;
/** With 200 reserved, a limit of 512. A lower one is a mistake: the usual one is 1,024 or more. */
const CONNECTIONS_MIN = 312;
const HOW = "`ulimit -n` in a shell, LimitNOFILE= in systemd, --ulimit nofile= in Docker";

/**
 * Returns how many connections the server may have within the limit on open files, so that it never runs out of them while it runs:
 * then it could open no database, and accept no connection. Node has already raised the limit as far as it may.
 *
 * `limit`: null if it is unlimited or unknown.
 */
export function connectionsWithin(limit: number | null, warn: (sentence: string) => void): number {
  if (limit === null || limit >= CONNECTIONS_MAX + RESERVED) return CONNECTIONS_MAX;
  const wanted = `${CONNECTIONS_MAX + RESERVED} for the ${CONNECTIONS_MAX} connections that it accepts at once`;
  if (limit < CONNECTIONS_MIN + RESERVED) {
    throw new TooFewOpenFiles(
      `The limit on open files is ${limit}, but the server needs at least ${CONNECTIONS_MIN + RESERVED}, and ${wanted}. Raise the limit (${HOW}) and start again.`,
    );
  }
  const connections = limit - RESERVED;
  warn(
    `The limit on open files is ${limit}, so the server accepts only ${connections} connections at once. It needs ${wanted}: raise the limit (${HOW}).`,
  );
  return connections;
}

/** Reads the limit of this process. */
export function readOpenFilesLimit(): number | null {
  try {
    const line = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return readLimit(line?.[1]);
  } catch {
    // Not on Linux.
    const report = process.report.getReport() as {
      userLimits?: { open_files?: { soft?: unknown } };
    };
    return readLimit(report.userLimits?.open_files?.soft);
  }
}

/** "unlimited" is not a number. */
function readLimit(read: unknown): number | null {
  const limit = Number(read ?? Number.NaN);
  return Number.isFinite(limit) ? limit : null;
}
