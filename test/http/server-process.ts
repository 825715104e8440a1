/** The service as a process of its own, started as `npm start` starts it, on a free port of this machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { bareEnvironment } from "../support/bare-environment.ts";

const ENTRY = path.join(import.meta.dirname, "../../src/apps/node/main.ts");
const START_DEADLINE_MS = 120_000;

export type Environment = Record<string, string>;

export type ServerProcess = {
  child: ChildProcess & { pid: number };
  base: string;
  port: number;
  /** That of the demo account, which is told where the data folder was empty. */
  demoKey(): Promise<string>;
  /** All that it wrote so far. */
  written(): string;
  /** Sends the signal and resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** A folder of this test's own, removed after it. */
export function temporaryFolder(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-process-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Nothing of the tests' own environment but what a process needs to run at all. */
function spawnEntry(
  t: Pick<TestContext, "after">,
  env: Environment,
  wrap: readonly string[] = [],
): ChildProcess {
  const [command, ...args] = [
    ...wrap,
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    ENTRY,
  ];
  const child = spawn(command as string, args, {
    env: { ...bareEnvironment(), PORT: "0", TOOLBOOTH_LOG_LEVEL: "warn", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(
    () => void (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")),
  );
  return child;
}

function collect(child: ChildProcess): () => string {
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
  }
  return () => written;
}

async function find(pattern: RegExp, child: ChildProcess, written: () => string): Promise<string> {
  for (const started = Date.now(); ; ) {
    const found = pattern.exec(written())?.[1];
    if (found !== undefined) return found;
    if (child.exitCode !== null || Date.now() - started > START_DEADLINE_MS) {
      throw new Error(`no ${pattern} from the server (exit code ${child.exitCode}):\n${written()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Starts the service and waits until it listens. `wrap`: a command that runs it. */
export async function startServer(
  t: Pick<TestContext, "after">,
  env: Environment,
  wrap?: readonly string[],
): Promise<ServerProcess> {
  const child = spawnEntry(t, env, wrap);
  const written = collect(child);
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const base = await find(/listens on (http:\/\/\S+)\nDocumentation/, child, written);
  return {
    child: child as ServerProcess["child"],
    base,
    port: Number(new URL(base).port),
    demoKey: () => find(/^ {2}(tb_\w+)$/m, child, written),
    written,
    async end(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}

/** Runs a service that is not to come up, and resolves with what it said when it ended. */
export async function runServer(
  t: Pick<TestContext, "after">,
  env: Environment,
  wrap?: readonly string[],
): Promise<{ code: number | null; written: string }> {
  const child = spawnEntry(t, env, wrap);
  const written = collect(child);
  const deadline = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(deadline);
  return { code, written: written() };
}

/** The most memory that the process has held so far, in MB; null where the system does not tell. */
export function peakMemoryMb(pid: number): number | null {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return line === null ? null : Number(line[1]) / 1024;
  } catch {
    return null;
  }
}
