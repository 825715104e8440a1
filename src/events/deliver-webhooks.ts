import { Webhook } from "standardwebhooks";
import type { RandomBytes } from "#ids.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import {
  createJobRunner,
  type JobPolicy,
  type JobResult,
  type JobRunner,
} from "#jobs/job-runner.ts";
import {
  DELIVERIES_AT_ONCE,
  DELIVERY_LEASE_MS,
  FAULT_CHARS_MAX,
  RETRY_WAITS_MS,
} from "./bounds.ts";
import type { DeliveryToSend, EventStore } from "./event-store.ts";
import { NotReached, type WebhookTransport } from "./webhook-transport.ts";

export type DelivererWiring = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  eventStore: Pick<EventStore, "findDelivery" | "pauseEndpoint">;
  transport: WebhookTransport;
  now(): number;
  random: RandomBytes;
  logError(message: string, details: { cause?: unknown }): void;
  /** On their way at once; left out: `DELIVERIES_AT_ONCE`. */
  atOnce?: number;
  rest?: () => Promise<void>;
};

/**
 * Carries deliveries to their endpoints, signed as Standard Webhooks has it, until one has answered with 2xx or the last
 * try has failed; a repeat has the same `webhook-id`. One of an endpoint is on its way at a time, so a slow one holds up
 * itself alone. What fails is not logged: each owner has a list of their own.
 */
export function createWebhookSender({
  atOnce = DELIVERIES_AT_ONCE,
  ...wiring
}: DelivererWiring): JobRunner {
  const { jobs, now, random, rest, logError } = wiring;
  return createJobRunner({
    ...{ jobs, now, random, rest, logError: logError },
    policy: { ...POLICY, atOnce },
    attempt: ({ id }, signal) => deliver(wiring, id, signal),
  });
}

const POLICY: Omit<JobPolicy, "atOnce"> = {
  ...{ queues: ["webhook"], leaseMs: DELIVERY_LEASE_MS, takesTurns: true },
  waitMs: (failures) => RETRY_WAITS_MS[failures - 1] ?? null,
  giveUpAfterMs: Number.POSITIVE_INFINITY,
  // Each goes somewhere else: what is out of reach says nothing of the others.
  outage: { failures: Number.POSITIVE_INFINITY, firstMs: 0, maxMs: 0 },
  queueName: "Webhooks",
  nameOf: () => null,
  eraseAt: () => null,
};

const GONE = 410;

async function deliver(
  wiring: Omit<DelivererWiring, "atOnce">,
  id: string,
  signal: AbortSignal,
): Promise<JobResult> {
  const delivery = await wiring.eventStore.findDelivery({ id });
  if (delivery === null) return { outcome: "done" };
  if (delivery.isPaused) return { outcome: "paused" };
  if (signal.aborted) return { outcome: "aborted" };
  const { status, fault } = await attempt(wiring, delivery, signal);
  if (status !== null && status >= 200 && status < 300) return { outcome: "done", status };
  const isGone = status === GONE;
  if (isGone) await pauseItsEndpoint(wiring, delivery);
  return { outcome: "failed", status, error: fault.slice(0, FAULT_CHARS_MAX), isFinal: isGone };
}

type Came = { status: number | null; fault: string };

async function attempt(
  { transport, now, logError }: Pick<DelivererWiring, "transport" | "now" | "logError">,
  { url, secret, event, body, id }: DeliveryToSend,
  signal: AbortSignal,
): Promise<Came> {
  try {
    const headers = signedHeaders({ secret, id: event, body, at: now() });
    const { status } = await transport.post({ url, headers, body }, signal);
    return { status, fault: faultOf(status) };
  } catch (cause) {
    if (cause instanceof NotReached) return { status: null, fault: cause.message };
    if (!signal.aborted) logError(`The delivery ${id} could not be tried`, { cause });
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
  { eventStore, now }: Pick<DelivererWiring, "eventStore" | "now">,
  { account, endpoint: id, url }: DeliveryToSend,
): Promise<void> {
  await eventStore.pauseEndpoint({ account, id, url, now: now() });
}
