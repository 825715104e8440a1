/** The loop that delivers letters on Node: at once when one is posted, then when the queue says so. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PostOffice } from "./post-office.ts";
import type { Complain } from "./posting.ts";

/** While letters are on their way, others may become due or be posted by another process. */
const LOOK_WHILE_BUSY_MS = 1_000;
const LOOK_AT_LEAST_MS = 60_000;
const AFTER_FAULT_MS = 5_000;
/** What is nearly through is let through; the rest is broken off and stays in the queue. */
const STOP_GRACE_MS = 1_200;
const STOP_ABORT_MS = 500;

export type Delivery = { stop(): Promise<void> };

/** `close` is what the transport has to let go of; it is called when nothing is on its way. */
export function startDelivery(
  office: PostOffice,
  { complain, close = () => {} }: { complain: Complain; close?: (() => void) | undefined },
): Delivery {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStopped = false;

  function wakeIn(ms: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(wake, ms).unref();
  }

  function wake(): void {
    if (isStopped) return;
    if (isRunning) {
      office.look();
      wakeIn(LOOK_WHILE_BUSY_MS);
    } else void run();
  }

  async function run(): Promise<void> {
    isRunning = true;
    wakeIn(LOOK_WHILE_BUSY_MS);
    let waitMs = AFTER_FAULT_MS;
    try {
      const next = await office.deliverDue();
      waitMs = next === null ? LOOK_AT_LEAST_MS : Math.max(0, next - Date.now());
    } catch (cause) {
      complain("The queue of letters could not be read; it is tried again soon", { cause });
    }
    isRunning = false;
    wakeIn(Math.min(waitMs, LOOK_AT_LEAST_MS));
  }

  office.onPosted(() => {
    // Not within the posting: whoever posts waits for the queue alone.
    setImmediate(wake).unref();
  });
  setImmediate(wake).unref();

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      const closed = office.close();
      await within(closed, STOP_GRACE_MS);
      office.abort();
      await within(closed, STOP_ABORT_MS);
      close();
    },
  };
}

async function within(ended: Promise<void>, ms: number): Promise<void> {
  const early = new AbortController();
  const late = sleep(ms, null, { signal: early.signal }).catch(() => null);
  await Promise.race([ended, late]);
  early.abort();
}
