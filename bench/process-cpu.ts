import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/**
 * The CPU time of a server process: user and system time of all threads. It is read from /proc if available. Otherwise the
 * process is started with `CPU_REPORTER` and an IPC channel, and reports its own `process.cpuUsage()`.
 */
export const HAS_PROC = existsSync("/proc/self/stat");
export const CPU_REPORTER = new URL("./report-cpu.ts", import.meta.url).href;

const ticksPerSecond = HAS_PROC
  ? Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))
  : 100;

/** Returns the CPU time since the start of the process, in microseconds. */
export async function cpuMicrosOf(child: ChildProcess): Promise<number> {
  return HAS_PROC ? readProc(child.pid as number) : askProcess(child);
}

const IDLE_MICROS_A_SECOND = 50_000;
const SETTLE_SECONDS_MAX = 60;

/** Resolves when the server has finished what it does after its start: in one second it takes at most 5 % of a core. */
export async function settle(child: ChildProcess): Promise<void> {
  for (let second = 0; second < SETTLE_SECONDS_MAX; second += 1) {
    const before = await cpuMicrosOf(child);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if ((await cpuMicrosOf(child)) - before <= IDLE_MICROS_A_SECOND) return;
  }
}

/** `withChildren` includes children that have ended. */
export function readProc(pid: number, whose: "own" | "withChildren" = "own"): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the program's name, may contain spaces and brackets, so fields count from the last bracket (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, whose === "own" ? 13 : 15);
  return (ticks.reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond) * 1e6;
}

function askProcess(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("message", (usage) => {
      const { user, system } = usage as NodeJS.CpuUsage;
      resolve(user + system);
    });
    child.send("cpu", (error) => {
      if (error !== null) reject(error);
    });
  });
}
