import type { QueuedEmail } from "#email/email-queue.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import type { LedgerEvent, LedgerEventKind } from "#ledger/events.ts";
import { EVENTS_KEPT_MS } from "./bounds.ts";

/** Which emails the owner of an account wants. */
export type NotificationChoice = { emails: { low: boolean; expiring: boolean } };

export type Endpoint = {
  id: string;
  account: string;
  url: string;
  /** Sealed; see `endpoint-secrets.ts`. */
  secret: string;
  /** The secret before the last rotation, sealed, and until when it signs too. Null where there is none. */
  previousSecret: string | null;
  previousUntil: number | null;
  kinds: readonly LedgerEventKind[];
  createdAt: number;
  /** Null while the endpoint is active. */
  pausedAt: number | null;
  /** Who paused it: its owner, or the endpoint itself, which responded with 410 (gone). Null while it is active. */
  pausedBy: "owner" | "gone" | null;
};

/** What came of the last deliveries to an endpoint. */
export type EndpointHistory = {
  lastDeliveredAt: number | null;
  /** The last attempt that failed and was not followed by a successful one of the same delivery. */
  lastFailure: (Pick<Delivery, "lastStatus" | "lastError"> & { at: number }) | null;
};

/** The kind of a delivery: of its event, or of a test that the owner sends. */
export type DeliveryKind = LedgerEventKind | "test";

export type Delivery = {
  id: string;
  endpoint: string;
  account: string;
  /** The id by which receivers know the event, sent as `webhook-id`: the same at every attempt, so that receivers can drop duplicates. */
  event: string;
  kind: DeliveryKind;
  /** The exact body that is signed and sent. */
  body: string;
  createdAt: number;
  status: "waiting" | "delivered" | "failed";
  tries: number;
  /** When the next attempt is due; null where there is none. */
  dueAt: number | null;
  lastTriedAt: number | null;
  /** HTTP status of the last response; null where there was none. */
  lastStatus: number | null;
  /** Why the last attempt failed, as a sentence for the owner. */
  lastError: string | null;
};

/** What is needed to attempt a delivery. */
export type DeliveryToSend = Delivery &
  Pick<Endpoint, "url" | "secret" | "previousSecret" | "previousUntil"> & { isPaused: boolean };

/**
 * Stores what follows from events: the owners' choice of emails, their webhook endpoints, and every delivery with the results of
 * its attempts. This is the port. The job queue (`src/jobs`) schedules attempts: each waiting delivery has a job of its id.
 */
export type EventStore = {
  choice(order: { account: string }): Promise<NotificationChoice>;
  choose(order: { account: string; choice: NotificationChoice }): Promise<void>;
  /** Turns off one topic, and leaves a concurrent choice about the other one untouched. */
  unsubscribe(order: { account: string; topic: keyof NotificationChoice["emails"] }): Promise<void>;

  /** `full`: the account has `ENDPOINTS_MAX` endpoints. */
  addEndpoint(order: { endpoint: Endpoint }): Promise<{ outcome: "added" | "full" }>;
  listEndpoints(order: { account: string }): Promise<Endpoint[]>;
  /** The history of every endpoint of the account by its id, from the newest `HISTORY_DELIVERIES_MAX` deliveries of each. */
  readHistory(order: { account: string }): Promise<ReadonlyMap<string, EndpointHistory>>;
  /**
   * What is missing stays as it is. While an endpoint is paused, its deliveries wait. When it is resumed, they are all due. Pausing it
   * once more does not change when it was paused.
   */
  changeEndpoint(
    order: { account: string; id: string } & Partial<Pick<Endpoint, "url" | "kinds" | "pausedAt">>,
  ): Promise<{ found: boolean }>;
  /**
   * Replaces the secrets of an endpoint. `from`: the stored secret that the new ones are based on; `changed` is false where it is
   * another one by now, or the endpoint was deleted.
   */
  replaceSecrets(
    order: { id: string; from: string } & Pick<
      Endpoint,
      "secret" | "previousSecret" | "previousUntil"
    >,
  ): Promise<{ changed: boolean }>;
  /** Pauses an endpoint at its own request (410). `found` is false where it has another URL by now, or is paused already. */
  pauseEndpoint(order: {
    account: string;
    id: string;
    url: string;
    now: number;
  }): Promise<{ found: boolean }>;
  /** Deletes the endpoint and its deliveries. */
  dropEndpoint(order: { account: string; id: string }): Promise<{ found: boolean }>;

  /**
   * Handles an event in one transaction: queues its email, and adds a delivery for each active endpoint that wants its kind. A
   * delivery beyond `WAITING_FOR_ENDPOINT_MAX` for its endpoint fails at once. Each event is handled once: `handled` is false
   * for repetitions. `emailSkipped`: which bound of the email queue (`email/bounds.ts`) kept the email out. After
   * `queue_full` nothing was stored, and the event must be handled again later.
   */
  handle(order: {
    event: LedgerEvent;
    email: QueuedEmail | null;
    /** The id by which receivers know the event (`Delivery.event`). */
    webhookId: string;
    body: string;
    deliveryIds: (count: number) => readonly string[];
    now: number;
  }): Promise<{ handled: boolean; emailSkipped: "recipient_full" | "queue_full" | null }>;

  /** Newest first, at most `max`; `after`: the last id of the page before. */
  listDeliveries(order: {
    account: string;
    endpoint: string;
    after: string | null;
    max: number;
  }): Promise<Delivery[]>;
  /**
   * Adds a new delivery of the same event, due at once and retried for a day. Where its endpoint is paused, it waits.
   * `isRateLimited`: `SENT_AGAIN_A_DAY_MAX` deliveries of the endpoint were resent within the last 24 hours.
   */
  sendAgain(order: {
    account: string;
    endpoint: string;
    id: string;
    newId: string;
    now: number;
  }): Promise<{ found: boolean; isRateLimited: boolean }>;
  /** Adds a delivery of kind `test`, due at once. It counts as a resent one, so `isRateLimited` means the same. */
  sendTest(order: {
    account: string;
    endpoint: string;
    newId: string;
    event: string;
    body: string;
    now: number;
  }): Promise<{ found: boolean; isRateLimited: boolean }>;
  /** Null where the delivery was deleted, with its endpoint or because of its age. */
  findDelivery(order: { id: string }): Promise<DeliveryToSend | null>;
  /**
   * Deletes deliveries and the ids of handled events older than `before`, at most `max` of each, and previous secrets that no
   * longer sign. `more`: others may be left.
   */
  forget(order: {
    before: number;
    max: number;
    now: number;
  }): Promise<{ forgotten: number; more: boolean }>;
};

const FORGOTTEN_AT_ONCE = 500;

/**
 * Deletes deliveries and dead jobs that are older than `EVENTS_KEPT_MS`, in at most `batchesMax` batches. Returns whether more
 * may be left.
 */
export async function forgetOld(
  {
    eventStore,
    jobs,
    now,
  }: {
    eventStore: Pick<EventStore, "forget">;
    jobs: Pick<JobQueue, "forget">;
    now(): number;
  },
  batchesMax: number,
): Promise<boolean> {
  let more = true;
  for (let batch = 0; more && batch < batchesMax; batch += 1) {
    const at = now();
    const order = { before: at - EVENTS_KEPT_MS, max: FORGOTTEN_AT_ONCE, now: at };
    const deliveries = await eventStore.forget(order);
    const deadJobs = await jobs.forget(order);
    more = deliveries.more || deadJobs.more;
  }
  return more;
}
