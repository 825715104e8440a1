/**
 * Faults that last until someone or something mends them, such as a deleted file or a checkpoint that fails. Each is logged when
 * it begins, when its cause changes and when it is over, and not in between. `/readyz` and `/metrics` report those that last.
 */
export const FAULT_NAMES = [
  "files",
  "disk",
  "checkpoint",
  "clock",
  "tools",
  "other_tools",
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export type LastingFault = {
  /**
   * One sentence that says what is wrong and what to do. `/readyz` may show it to anyone, so it names files without their folders.
   */
  message: string;
  /** Whether calls fail or are refused because of it, so that `/readyz` responds with 503. */
  stopsCalls: boolean;
  /** It may be part of ordinary work, such as an update, so the log has a warning instead of an error. */
  isWarning?: boolean;
};

export type LastingFaults = {
  /** Begins a fault, or changes its cause. Does nothing if it lasts already for this cause. */
  set(name: FaultName, fault: LastingFault): void;
  /** Ends a fault. Does nothing if there is none. */
  clear(name: FaultName): void;
  current(): ReadonlyMap<FaultName, LastingFault>;
};

export function createLastingFaults(log: {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
}): LastingFaults {
  const faults = new Map<FaultName, LastingFault>();
  return {
    set(name, fault) {
      const before = faults.get(name);
      faults.set(name, fault);
      if (before?.message === fault.message) return;
      if (fault.isWarning === true) log.warn(fault.message);
      else log.error(fault.message);
    },
    clear(name) {
      const before = faults.get(name);
      if (faults.delete(name)) log.info(`This is over: ${before?.message}`);
    },
    current: () => faults,
  };
}
