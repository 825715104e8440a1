import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export type Process = { pid: number; parent: number; command: string };

/** Lists the processes of this machine; empty where the system does not tell. */
function listProcesses(): Process[] {
  try {
    return process.platform === "linux" ? readProc() : readPs();
  } catch {
    return [];
  }
}

/** Returns the processes that `pid` has started, and those that they have started. */
export function descendantsOf(pid: number, all = listProcesses()): Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

function readProc(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        // The name of the program is in parentheses and can contain some itself.
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        if (state === "Z") return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return [
          {
            pid: Number(name),
            parent: Number(parent),
            command: command.replaceAll("\0", " ").trim(),
          },
        ];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

const readPs = (): Process[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
    });
