import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { AppContext } from "#http/app-context.ts";
import { KEPT_WAIT, type KeptCall, type KeptReversals } from "#ledger/kept-reversals.ts";
import type { CallRef } from "#ledger/port.ts";
import { makeFolder } from "./data-folder.ts";

/**
 * Calls that could not be given back before a stop, in the data folder. Each stop that leaves some writes a file of lines of
 * JSON; the next start carries it out, and removes it when all of it is done. Files are never changed, so nodes that share
 * a folder do not meet: what two of them give back is given back once.
 */
export type KeptFiles = Pick<KeptReversals, "takeDue" | "done"> & {
  /** Of what earlier stops left. */
  count(): number;
  /** What this stop leaves, each once; says of each call where it went. */
  keep(calls: readonly CallRef[], now: number): void;
};

const FILE = /^give-back-.+\.jsonl$/;
type Waiting = KeptCall & { file: string; dueAt: number };

export function openKeptFiles(dataDir: string, complain: AppContext["logError"]): KeptFiles {
  const waiting = new Map<string, Waiting>();
  const kept = new Set<string>();
  /** They stay, for whoever knows what they were. */
  const unreadable = new Set<string>();
  const filesIn = () => readdirSync(dataDir).filter((name) => FILE.test(name));
  for (const name of unlessGone(filesIn, [], complain)) {
    const file = path.join(dataDir, name);
    const text = unlessGone(() => readFileSync(file, "utf8"), "", complain);
    for (const [at, line] of text.split("\n").entries()) {
      if (line === "") continue;
      const call = readLine(line);
      if (call !== null) waiting.set(nameOf(call), { ...call, file, tries: 0, dueAt: 0 });
      else {
        unreadable.add(file);
        complain(`Line ${at + 1} of ${file} names no call; it is left there`, {});
      }
    }
  }

  return {
    count: () => waiting.size,
    async takeDue({ now, max }) {
      const due = [...waiting.values()].filter(({ dueAt }) => dueAt <= now);
      const taken = due.sort((a, b) => a.dueAt - b.dueAt).slice(0, max);
      for (const call of taken) {
        call.dueAt = now + KEPT_WAIT.firstMs * 2 ** Math.min(call.tries, KEPT_WAIT.doublingsMax);
        call.tries += 1;
      }
      return taken;
    },
    async done(calls) {
      const files = new Set<string>();
      for (const call of calls) {
        const file = waiting.get(nameOf(call))?.file;
        waiting.delete(nameOf(call));
        if (file !== undefined) files.add(file);
      }
      const needed = new Set([...waiting.values()].map(({ file }) => file));
      for (const file of files)
        if (!needed.has(file) && !unreadable.has(file)) rmSync(file, { force: true });
    },
    keep(calls, now) {
      const fresh = new Map(calls.map((call) => [nameOf(call), call]));
      for (const name of kept) fresh.delete(name);
      if (fresh.size === 0) return;
      const left = [...fresh.values()];
      try {
        const file = write(dataDir, left, now);
        for (const name of fresh.keys()) kept.add(name);
        for (const { callId, account } of left)
          complain(
            `The call ${callId} of ${account} could not be given back before the stop: it is kept in ${file} for the next start`,
            {},
          );
      } catch (cause) {
        for (const { callId, account } of left)
          complain(
            `The call ${callId} of ${account} could neither be given back before the stop nor kept in ${dataDir}`,
            { cause },
          );
      }
    },
  };
}

const nameOf = ({ account, callId, at }: CallRef) => `${account} ${callId} ${at}`;

/** Nothing was ever kept, or another node has just done with it. */
function unlessGone<Found>(
  look: () => Found,
  nothing: Found,
  complain: AppContext["logError"],
): Found {
  try {
    return look();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT")
      complain("Calls that an earlier stop kept cannot be read", { cause });
    return nothing;
  }
}

function readLine(line: string): (CallRef & { keptAt: number }) | null {
  try {
    const { account, callId, at, keptAt } = JSON.parse(line);
    const isCall = typeof account === "string" && typeof callId === "string";
    if (!isCall || !Number.isSafeInteger(at) || !Number.isSafeInteger(keptAt)) return null;
    return { account, callId, at, keptAt };
  } catch {
    return null;
  }
}

/** Whole and on the disk, or not there. */
function write(dataDir: string, calls: readonly CallRef[], now: number): string {
  makeFolder(path.resolve(dataDir));
  const name = `give-back-${now}-${randomBytes(6).toString("hex")}.jsonl`;
  const file = path.join(dataDir, name);
  const part = `${file}.part`;
  const line = ({ account, callId, at }: CallRef) =>
    `${JSON.stringify({ account, callId, at, keptAt: now })}\n`;
  withFile(part, "wx", (descriptor) => {
    writeFileSync(descriptor, calls.map(line).join(""));
    fsyncSync(descriptor);
  });
  renameSync(part, file);
  // Or the folder may have forgotten the file after a loss of power.
  withFile(dataDir, "r", fsyncSync);
  return file;
}

function withFile(file: string, flags: string, act: (descriptor: number) => void): void {
  const descriptor = openSync(file, flags, 0o600);
  try {
    act(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
