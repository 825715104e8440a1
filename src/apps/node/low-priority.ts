import { constants, getPriority, setPriority } from "node:os";

/** Long work gives way to small calls: the system prefers the threads that respond, where cores are scarce. */
const NICENESS_ADDED = 5;

/**
 * Lowers the priority of the calling thread on Linux; elsewhere it would apply to the process. A sandbox may deny this (systemd's
 * `SystemCallFilter=~@resources`), and no user but root may raise the priority of a server that runs with less.
 */
export function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(getPriority() + NICENESS_ADDED, constants.priority.PRIORITY_LOW));
  } catch {
    // The calls work all the same.
  }
}
