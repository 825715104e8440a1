import { Webhook } from "standardwebhooks";
import {
  DELIVERIES_AT_ONCE,
  DELIVERY_LEASE_MS,
  FAULT_CHARS_MAX,
  RETRY_WAITS_MS,
} from "./bounds.ts";
import type { NoticeBook, TakenDelivery, TriedDelivery } from "./notice-book.ts";
import { NotReached, type WebhookTransport } from "./webhook-transport.ts";

/**
 * Carries deliveries to their endpoints, signed as Standard Webhooks has it, until one has answered with 2xx or the last
 * try has failed.
 *
 * At least once: a process that dies after a request and before it has noted the answer sends it again when the lease has
 * ended, under the same `webhook-id`. One of an endpoint is on its way at a time, so a slow one holds up itself alone.
 */
export type DelivererWiring = {
  book: Pick<NoticeBook, "take" | "noteTries" | "pauseEndpoint">;
  transport: WebhookTransport;
  now(): number;
  complain(message: string, details: { cause?: unknown }): void;
  /** On their way at once; left out: `DELIVERIES_AT_ONCE`. */
  atOnce?: number;
  /** Awaited after each write, so that whoever shares the database has a turn; left out: nobody does. */
  rest?: () => Promise<void>;
};

export type Deliverer = {
  /** Starts to deliver what is due, without waiting for it. */
  look(): void;
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>;
  /** Takes nothing more and breaks off what is on its way: it is due again when its lease ends. */
  stop(): void;
};

export function createDeliverer(wiring: DelivererWiring): Deliverer {
  const { book, now, complain, atOnce = DELIVERIES_AT_ONCE, rest } = wiring;
  const abort = new AbortController();
  const lanes = new Set<Promise<void>>();
  // Silent receivers never take all of the lanes: a webhook of one that answers goes at once.
  const unprovenAtOnce = Math.ceil(atOnce / 2);
  let [onTheirWay, unproven] = [0, 0];
  const tried: TriedDelivery[] = [];
  let looking: Promise<void> | null = null;
  let wasAsked = false;

  function look(): void {
    wasAsked = true;
    looking ??= lookOn();
  }

  /** One write after the other, and another round for whoever came meanwhile. */
  async function lookOn(): Promise<void> {
    while (wasAsked) {
      wasAsked = false;
      await noteAll().catch((cause) =>
        complain("Webhooks could not be noted; they are tried again", { cause }),
      );
      await fillLanes().catch((cause) =>
        complain("Webhooks could not be taken; it is tried again soon", { cause }),
      );
    }
    looking = null;
  }

  async function noteAll(): Promise<void> {
    const tries = tried.splice(0);
    if (tries.length === 0) return;
    await book.noteTries(tries);
    await rest?.();
  }

  async function fillLanes(): Promise<void> {
    const max = atOnce - onTheirWay;
    if (abort.signal.aborted || max === 0) return;
    const at = now();
    const unprovenMax = unprovenAtOnce - unproven;
    const lease = { now: at, leaseUntil: at + DELIVERY_LEASE_MS };
    const taken = await book.take({ ...lease, max, unprovenMax });
    for (const delivery of taken) begin(delivery);
    if (taken.length > 0) await rest?.();
  }

  /** Whoever comes free looks for more. */
  function begin(delivery: TakenDelivery): void {
    const one = delivery.isProven ? 0 : 1;
    onTheirWay += 1;
    unproven += one;
    const lane: Promise<void> = deliver(wiring, delivery, abort.signal)
      .then((outcome) => {
        if (outcome !== null) tried.push(outcome);
      })
      .catch((cause) => complain("Webhooks could not be noted; they are tried again", { cause }))
      .finally(() => {
        onTheirWay -= 1;
        unproven -= one;
        lanes.delete(lane);
        look();
      });
    lanes.add(lane);
  }

  async function idle(): Promise<void> {
    while (looking !== null || lanes.size > 0) await Promise.all([looking, ...lanes]);
  }

  return {
    look,
    idle,
    stop() {
      abort.abort();
    },
  };
}

const GONE = 410;

async function deliver(
  wiring: DelivererWiring,
  delivery: TakenDelivery,
  signal: AbortSignal,
): Promise<TriedDelivery | null> {
  const { now } = wiring;
  const { id, take, tries } = delivery;
  const came = await attempt(wiring, delivery, signal);
  // Broken off by us: that says nothing of the endpoint.
  if (came.status === null && signal.aborted) return null;
  const at = now();
  const lastStatus = came.status;
  if (lastStatus !== null && lastStatus >= 200 && lastStatus < 300) {
    const done = { status: "delivered", dueAt: null, lastStatus, lastFault: null } as const;
    return { id, take, now: at, ...done };
  }
  if (lastStatus === GONE) await pauseItsEndpoint(wiring, delivery);
  const wait = lastStatus === GONE ? undefined : RETRY_WAITS_MS[tries];
  const lastFault = came.fault.slice(0, FAULT_CHARS_MAX);
  const next =
    wait === undefined
      ? ({ status: "failed", dueAt: null } as const)
      : ({ status: "waiting", dueAt: at + wait } as const);
  return { id, take, now: at, ...next, lastStatus, lastFault };
}

type Came = { status: number | null; fault: string };

async function attempt(
  { transport, now, complain }: DelivererWiring,
  { url, secret, notice, body, id }: TakenDelivery,
  signal: AbortSignal,
): Promise<Came> {
  try {
    const headers = signedHeaders({ secret, id: notice, body, at: now() });
    const { status } = await transport.post({ url, headers, body }, signal);
    return { status, fault: faultOf(status) };
  } catch (cause) {
    if (cause instanceof NotReached) return { status: null, fault: cause.message };
    if (!signal.aborted) complain(`The delivery ${id} could not be tried`, { cause });
    return { status: null, fault: "Something went wrong on our side." };
  }
}

/** Headers of the names that the specification gives; the time is that of the try. */
export function signedHeaders(order: {
  secret: string;
  id: string;
  body: string;
  at: number;
}): Record<string, string> {
  const { secret, id, body, at } = order;
  return {
    "Content-Type": "application/json",
    "User-Agent": "Toolbooth-Webhooks/1.0",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, new Date(at), body),
  };
}

function faultOf(status: number): string {
  if (status >= 300 && status < 400)
    return `It answered ${status}, a redirect, and redirects are not followed: give the address that they lead to.`;
  if (status === GONE) return "It answered 410 (gone), so it was paused.";
  return `It answered ${status}.`;
}

/** It wants no more; unless its owner has given it another address meanwhile. */
async function pauseItsEndpoint(
  { book, now }: DelivererWiring,
  { account, endpoint: id, url }: TakenDelivery,
): Promise<void> {
  await book.pauseEndpoint({ account, id, url, now: now() });
}
