import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";

/** The processes of a benchmark: on which cores they run, and the CPU time of each from /proc (proc(5)). */
export const ROOT = path.join(import.meta.dirname, "..");

/** The load has the last core to itself, and everything measured the others. */
const CORES = availableParallelism();
const LOAD_CORES = String(CORES - 1);
const MEASURED_CORES = CORES > 2 ? `0-${CORES - 2}` : "0";

/** Keeps this process, and all that it starts from now on, off the core of the load. */
export function leaveLoadCore(): void {
  execFileSync("taskset", ["-a", "-c", "-p", MEASURED_CORES, String(process.pid)]);
}

export type Started = { child: ChildProcess; pid: number; stop(): Promise<void> };

type Options = {
  isLoad?: boolean;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** A server writes its log there, and it is discarded: writing a line costs the server CPU time, storing it does not. */
  stderr?: "inherit" | "ignore";
};

/** Starts this version of Node with an IPC channel. The process ends with this one. */
export function startNode(
  args: readonly string[],
  { isLoad = false, cwd = ROOT, env = process.env, stderr = "inherit" }: Options = {},
): Started {
  const pinned = ["-c", isLoad ? LOAD_CORES : MEASURED_CORES, process.execPath];
  const child = spawn("taskset", [...pinned, "--disable-warning=ExperimentalWarning", ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", stderr, "ipc"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return {
    child,
    pid: child.pid as number,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Sends a message to a child, unless `order` is undefined, and returns the next one from it. */
export function ask<Answer>({ child }: Started, order?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${child.spawnargs.at(-1)} ended before it answered`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Answer);
    });
    if (order !== undefined) child.send(order);
  });
}

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Returns the user and system time of a process, all its threads and its descendants, in microseconds. */
export function cpuMicrosOf(pid: number): number {
  const processes = readProcesses();
  const ticksOf = (id: number): number =>
    (processes.get(id)?.ticks ?? 0) +
    [...processes].reduce(
      (sum, [child, { parent }]) => sum + (parent === id ? ticksOf(child) : 0),
      0,
    );
  return (ticksOf(pid) / TICKS_PER_SECOND) * 1e6;
}

function readProcesses(): Map<number, { parent: number; ticks: number }> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The program's name, the second field, may contain spaces and brackets.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      // utime, stime, and those of children that have ended: fields 14 to 17 of proc(5).
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // The process has just ended.
    }
  }
  return processes;
}

const IDLE_MICROS_A_SECOND = 50_000;
const SETTLE_SECONDS_MAX = 60;

/** Resolves when a server has finished what it does after its start, such as building pages. */
export async function settle(pid: number): Promise<void> {
  for (let second = 0; second < SETTLE_SECONDS_MAX; second += 1) {
    const before = cpuMicrosOf(pid);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (cpuMicrosOf(pid) - before <= IDLE_MICROS_A_SECOND) return;
  }
}

/** Creates a folder beside the source: the system's temporary folder may be in memory, where a sync costs nothing. */
export function makeFolder(): { folder: string; remove(): void } {
  const parent = path.join(ROOT, "data");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, "bench-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
