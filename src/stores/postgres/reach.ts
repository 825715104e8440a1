import { codeOf, isCrowded, OutOfReach } from "./faults.ts";

/**
 * Whether the server is there. While it is known to be gone, one order at a time goes to find out whether it is back;
 * the others are refused at once, so that none of them waits for a time-out of its own.
 */
export type Reach = {
  /** Throws OutOfReach where the server is known to be gone. */
  enter(): RequestContext;
};

export type RequestContext = {
  /** The server answered, whatever it said. */
  responded(): void;
  failed(error: unknown): void;
};

const PAUSE_MS = 100;

/** `onGone`: other connections that were open until now lead nowhere either. */
export function createReach(onGone: () => void): Reach {
  let gone: Error | null = null;
  let isTrying = false;
  let nextTryAt = 0;
  return {
    enter() {
      const isTry = gone !== null;
      if (isTry) {
        if (isTrying || performance.now() < nextTryAt) throw outOfReach(gone as Error);
        isTrying = true;
      }
      const leave = () => {
        if (isTry) isTrying = false;
      };
      return {
        responded() {
          leave();
          gone = null;
        },
        failed(error) {
          leave();
          if (showsGone(error)) {
            gone = error as Error;
            nextTryAt = performance.now() + PAUSE_MS;
            // The server has no connection left, and we have none either: as good as gone, but whoever gets one may keep it.
            if (!isCrowded(rootOf(error))) onGone();
          } else if (codeOf(rootOf(error)) !== null) gone = null;
        },
      };
    },
  };
}

const outOfReach = (gone: Error) => new OutOfReach(gone.message, { cause: gone.cause ?? gone });

/**
 * No connection, or no answer. The connections that this node waits for because it uses all of its own are there; that one
 * of them broke tells nothing of the others.
 */
function showsGone(error: unknown): boolean {
  const root = rootOf(error);
  if (POOL_IS_BUSY.test((root as Error).message)) return false;
  return error instanceof OutOfReach || isTimeOut(root);
}

const rootOf = (error: unknown) => (error as Error).cause ?? error;

/** The words of pg and pg-pool, which have no codes. */
const POOL_IS_BUSY = /^timeout exceeded when trying to connect/;
export const isTimeOut = (error: unknown) => (error as Error).message === "Query read timeout";
