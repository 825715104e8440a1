import { DashboardError, retryAfter } from "./dashboard-error.ts";

/**
 * Bounds the downloads that run at once in a process. Each holds a connection and reads for as long as its client takes the pieces, so
 * without bounds one member could keep the thread busy for everybody.
 */
export type Downloads = {
  /** Whether a download of the account could begin now. Throws `too_many_downloads` or `unavailable` if not. */
  check(account: string, now: number): void;
  /** Begins a download, or throws like `check`. `cutOff` ends it before it is complete. */
  begin(account: string, now: number, cutOff: (cause: Error) => void): DownloadPlace;
  /** Cuts off every download, because the process stops. */
  stop(): void;
};

export type DownloadPlace = {
  /** The client has taken a piece, or asks for one. */
  touch(now: number): void;
  end(): void;
};

export const DOWNLOADS_AN_ACCOUNT = 2;
export const DOWNLOADS_AT_ONCE = 6;
/** A client that has taken nothing for this long loses its place if somebody else needs it. */
const IDLE_MS = 10_000;

type Running = { account: string; usedAt: number; cutOff: (cause: Error) => void };

export function createDownloads(): Downloads {
  const running = new Set<Running>();

  const ofAccount = (account: string) => [...running].filter((each) => each.account === account);

  function end(ended: Running, cause: Error): void {
    running.delete(ended);
    ended.cutOff(cause);
  }

  /** Whether there is a place among these downloads, if need be that of a client that has stopped reading. */
  function hasPlace(among: Running[], max: number, now: number): boolean {
    if (among.length < max) return true;
    return among.some((each) => isIdle(each, now));
  }

  function makePlace(among: Running[], max: number, now: number): void {
    if (among.length < max) return;
    const idle = among.find((each) => isIdle(each, now));
    if (idle !== undefined) end(idle, new Error("The client stopped reading"));
  }

  function check(account: string, now: number): void {
    if (!hasPlace(ofAccount(account), DOWNLOADS_AN_ACCOUNT, now))
      throw new DashboardError(
        "too_many_downloads",
        `${DOWNLOADS_AN_ACCOUNT} downloads of your account are still running. Wait until one of them is complete, then try again.`,
        retryAfter(IDLE_MS),
      );
    if (!hasPlace([...running], DOWNLOADS_AT_ONCE, now))
      throw new DashboardError(
        "unavailable",
        "Too many downloads are running at the moment. Try again in a minute.",
        retryAfter(IDLE_MS),
      );
  }

  return {
    check,
    begin(account, now, cutOff) {
      check(account, now);
      makePlace(ofAccount(account), DOWNLOADS_AN_ACCOUNT, now);
      makePlace([...running], DOWNLOADS_AT_ONCE, now);
      const own = { account, usedAt: now, cutOff };
      running.add(own);
      return {
        touch(at) {
          own.usedAt = at;
        },
        end: () => void running.delete(own),
      };
    },
    stop() {
      for (const each of running) end(each, new Error("The service is stopping"));
    },
  };
}

/** A time from before also counts, because a clock may have been set back. */
const isIdle = ({ usedAt }: Running, now: number) => Math.abs(now - usedAt) >= IDLE_MS;
