import { spawnSync } from "node:child_process";

/** A program of the machine; `skip` is the reason to skip a test where the program is missing, and false where it is there. */
export type Program = { path: string; skip: string | false };

/** Looks for a program by running it with an argument that ends at once, such as `--version`. */
export function findProgram(name: string, argument: string): Program {
  const { status } = spawnSync(name, [argument], { stdio: "ignore", timeout: 30_000 });
  return { path: name, skip: status === 0 ? false : `${name} is not installed on this machine` };
}
