import { codeOf, isCrowded, OutOfReach } from "./faults.ts";

/**
 * Whether the server is reachable. While it is known to be unreachable, one order at a time tests whether it is back. The others are
 * rejected immediately, so that they do not each wait for a timeout.
 */
export type Reach = {
  /** Starts an attempt. Throws `OutOfReach` if the server is known to be unreachable. */
  enter(): Attempt;
};

export type Attempt = {
  /** Call if the server responded, even with an error. */
  responded(): void;
  failed(error: unknown): void;
};

const PAUSE_MS = 100;

/** `onUnreachable`: called when the server becomes unreachable, because other open connections are then broken too. */
export function createReach(onUnreachable: () => void): Reach {
  let lastFault: Error | null = null;
  let isTrying = false;
  let nextTryAt = 0;
  return {
    enter() {
      const isTry = lastFault !== null;
      if (isTry) {
        if (isTrying || performance.now() < nextTryAt) throw outOfReach(lastFault as Error);
        isTrying = true;
      }
      const leave = () => {
        if (isTry) isTrying = false;
      };
      return {
        responded() {
          leave();
          lastFault = null;
        },
        failed(error) {
          leave();
          if (isUnreachable(error)) {
            lastFault = error as Error;
            nextTryAt = performance.now() + PAUSE_MS;
            // A server without free connections counts as unreachable, but open connections to it are good.
            if (!isCrowded(rootOf(error))) onUnreachable();
          } else if (codeOf(rootOf(error)) !== null) lastFault = null;
        },
      };
    },
  };
}

const outOfReach = (fault: Error) => new OutOfReach(fault.message, { cause: fault.cause ?? fault });

/**
 * Whether no connection could be opened, or the server did not respond. An order that found all of this node's connections in use does
 * not count, and neither does a single connection that broke.
 */
function isUnreachable(error: unknown): boolean {
  const root = rootOf(error);
  if (POOL_IS_BUSY.test((root as Error).message)) return false;
  return error instanceof OutOfReach || isTimeOut(root);
}

const rootOf = (error: unknown) => (error as Error).cause ?? error;

/** The messages of pg and pg-pool, which set no codes for these faults. */
const POOL_IS_BUSY = /^timeout exceeded when trying to connect/;
export const isTimeOut = (error: unknown) => (error as Error).message === "Query read timeout";
