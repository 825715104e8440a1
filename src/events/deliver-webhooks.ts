import { Webhook } from "standardwebhooks";
import { productOf, TOOLBOOTH } from "#brand.ts";
import type { RandomBytes } from "#ids.ts";
import type { JobPolicy, JobResult } from "#jobs/job-policy.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { attemptEach, createJobRunner, type JobRunner } from "#jobs/job-runner.ts";
import { SealError, type Sealer } from "#seal.ts";
import {
  DELIVERIES_AT_ONCE,
  DELIVERY_LEASE_MS,
  ERROR_CHARS_MAX,
  RETRY_WAITS_MS,
} from "./bounds.ts";
import { resealed, signingSecrets } from "./endpoint-secrets.ts";
import type { DeliveryToSend, EventStore } from "./event-store.ts";
import { NotReached, type WebhookTransport } from "./webhook-transport.ts";

export type WebhookSenderDeps = {
  /** The name of the service; left out: ours. */
  name?: string | undefined;
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  eventStore: Pick<EventStore, "findDelivery" | "pauseEndpoint" | "replaceSecrets">;
  /** Opens the secrets of endpoints (`endpointSealer`). */
  sealer: Sealer;
  transport: WebhookTransport;
  now(): number;
  random: RandomBytes;
  logError(message: string, details: { cause?: unknown }): void;
  /** Concurrent deliveries; omitted: `DELIVERIES_AT_ONCE`. */
  atOnce?: number;
};

/**
 * Delivers webhooks to their endpoints, signed as Standard Webhooks specifies, until the endpoint responds with 2xx or the last
 * attempt has failed. Every attempt has the same `webhook-id`. An endpoint gets one delivery at a time, so a slow one delays
 * only itself. Failures are not logged: each owner sees a list of their deliveries.
 */
export function createWebhookSender(deps: WebhookSenderDeps): JobRunner {
  const { jobs, now, random, logError, atOnce = DELIVERIES_AT_ONCE } = deps;
  return createJobRunner({
    jobs,
    now,
    random,
    logError,
    policy: { ...POLICY, atOnce },
    attempt: attemptEach(({ id }, signal) => deliver(deps, id, signal)),
  });
}

const POLICY: Omit<JobPolicy, "atOnce"> = {
  queues: ["webhook"],
  leaseMs: DELIVERY_LEASE_MS,
  turns: "proven first",
  waitMs: (failures) => RETRY_WAITS_MS[failures - 1] ?? null,
  giveUpAfterMs: Number.POSITIVE_INFINITY,
  // Every endpoint is another server, so failures of one do not pause the others.
  outage: { failures: Number.POSITIVE_INFINITY, firstMs: 0, maxMs: 0 },
  queueName: "Webhooks",
  nameOf: () => null,
  eraseAt: () => null,
};

const GONE = 410;

async function deliver(
  deps: WebhookSenderDeps,
  id: string,
  signal: AbortSignal,
): Promise<JobResult> {
  const { eventStore, now } = deps;
  const delivery = await eventStore.findDelivery({ id });
  if (delivery === null) return { outcome: "done" };
  if (delivery.isPaused) return { outcome: "paused" };
  if (signal.aborted) return { outcome: "aborted" };
  const { status, error } = await attempt(deps, delivery, signal);
  if (status !== null && status >= 200 && status < 300) return { outcome: "done", status };
  const isGone = status === GONE;
  if (isGone) {
    const { account, endpoint, url } = delivery;
    // Changes nothing where the owner has given the endpoint another URL meanwhile.
    await eventStore.pauseEndpoint({ account, id: endpoint, url, now: now() });
  }
  return { outcome: "failed", status, error: error.slice(0, ERROR_CHARS_MAX), isFinal: isGone };
}

/** Sends one webhook. `error` is a sentence for the owner, used where the status is not 2xx. */
async function attempt(
  deps: WebhookSenderDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<{ status: number | null; error: string }> {
  const { transport, now, logError } = deps;
  const { url, event, body, id } = delivery;
  try {
    const at = now();
    const secrets = await openSecrets(deps, delivery, at);
    const headers = signedHeaders({ secrets, id: event, body, at, name: deps.name });
    const { status } = await transport.post({ url, headers, body }, signal);
    return { status, error: describeStatus(status) };
  } catch (cause) {
    if (cause instanceof NotReached) return { status: null, error: cause.message };
    if (cause instanceof SealError) return { status: null, error: UNREADABLE_SECRET };
    if (!signal.aborted)
      logError(`Webhook delivery ${id} failed with an internal error`, { cause });
    return { status: null, error: "Something went wrong on our side." };
  }
}

const UNREADABLE_SECRET =
  "The secret of this endpoint can no longer be read, because the service's own secret has changed. Rotate the endpoint's secret.";

/** Returns the endpoint's signing secrets, and seals them again if the service's own secret was rotated. */
async function openSecrets(
  { sealer, eventStore }: Pick<WebhookSenderDeps, "sealer" | "eventStore">,
  { endpoint: id, secret, previousSecret, previousUntil }: DeliveryToSend,
  now: number,
): Promise<string[]> {
  const stored = { id, secret, previousSecret, previousUntil };
  const secrets = await signingSecrets(stored, sealer, now);
  const fresh = await resealed(stored, sealer, now);
  if (fresh !== null) await eventStore.replaceSecrets({ id, from: secret, ...fresh });
  return secrets;
}

/**
 * The headers that Standard Webhooks specifies. `at`: the time of the attempt. After a rotation there are two signatures,
 * separated by a space; receivers accept a webhook if one of them is right.
 */
export function signedHeaders(order: {
  secrets: readonly string[];
  id: string;
  body: string;
  at: number;
  /** The name of the service. */
  name?: string | undefined;
}): Record<string, string> {
  const { secrets, id, body, at, name = TOOLBOOTH.name } = order;
  const sign = (secret: string) => new Webhook(secret).sign(id, new Date(at), body);
  return {
    "Content-Type": "application/json",
    "User-Agent": `${productOf(name)}-Webhooks/1.0`,
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": secrets.map(sign).join(" "),
  };
}

function describeStatus(status: number): string {
  if (status >= 300 && status < 400) {
    return `The endpoint responded with ${status}, a redirect. Redirects are not followed: set the URL that it leads to.`;
  }
  if (status === GONE) return "The endpoint responded with 410 (gone), so it was paused.";
  return `The endpoint responded with ${status}.`;
}
