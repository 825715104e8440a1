/** The service as a process of its own, started as `npm start` starts it, on a free port of this machine. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { bareEnvironment } from "../support/bare-environment.ts";
import { HANGS_MS } from "../support/deadline.ts";

export { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs the build of the present sources, as `npm test` makes it first; without one, the TypeScript. */
const ENTRY = path.join(import.meta.dirname, "../../src/apps/start.js");

export type Environment = Record<string, string>;

export type ServerProcess = {
  child: ChildProcess & { pid: number };
  base: string;
  port: number;
  /** That of the demo account, which is told where the data folder was empty. */
  demoKey(): Promise<string>;
  /** All that it wrote so far. */
  written(): string;
  /** What it wrote to its log so far. */
  log(): string;
  /** Sends the signal and resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** Starts the process with nothing of the tests' own environment but what it needs to run at all. `wrap`: a command that runs it. */
export function spawnServer(
  t: Pick<TestContext, "after">,
  env: Environment,
  { wrap = [], stdio = ["ignore", "pipe", "pipe"] }: SpawnOptions = {},
): ChildProcess {
  const [command, ...args] = [
    ...wrap,
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    ENTRY,
    "start",
  ];
  const child = spawn(command as string, args, {
    // Not in the checkout, whose `.env` would be read.
    ...{
      cwd: tmpdir(),
      env: { ...bareEnvironment(), PORT: "0", TOOLBOOTH_LOG_LEVEL: "warn", ...env },
    },
    stdio,
  });
  t.after(
    () => void (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")),
  );
  return child;
}
type SpawnOptions = { wrap?: readonly string[] | undefined; stdio?: StdioOptions };

function collect(child: ChildProcess) {
  const written = { all: "", log: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    written.all += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    written.all += text;
    written.log += text;
  });
  return written;
}

async function find(pattern: RegExp, child: ChildProcess, written: { all: string }) {
  for (const started = Date.now(); ; ) {
    const found = pattern.exec(written.all)?.[1];
    if (found !== undefined) return found;
    if (child.exitCode !== null || Date.now() - started > HANGS_MS) {
      throw new Error(
        `no ${pattern} from the server (exit code ${child.exitCode}):\n${written.all}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Starts the service and waits until it listens. */
export async function startServer(
  t: Pick<TestContext, "after">,
  env: Environment,
  wrap?: readonly string[],
): Promise<ServerProcess> {
  const child = spawnServer(t, env, { wrap });
  const written = collect(child);
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const base = await find(/listens on (http:\/\/\S+)\nDocumentation/, child, written);
  return {
    child: child as ServerProcess["child"],
    base,
    port: Number(new URL(base).port),
    demoKey: () => find(/^ {2}(tb_\w+)$/m, child, written),
    written: () => written.all,
    log: () => written.log,
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
  const child = spawnServer(t, env, { wrap });
  const written = collect(child);
  const deadline = setTimeout(() => child.kill("SIGKILL"), HANGS_MS);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(deadline);
  return { code, written: written.all };
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
