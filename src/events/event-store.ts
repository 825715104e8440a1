import type { QueuedEmail } from "#email/email-queue.ts";
import type { LedgerEvent, LedgerEventKind } from "#ledger/events.ts";

/**
 * What is kept about notices on the people's side: a port; stores implement it. What an owner wants to be written about, the
 * addresses that get webhooks, and each delivery with what came of its attempts. When a delivery is attempted is the job
 * queue's matter (`src/jobs`): each that waits has a job of its id.
 */
export type NotificationChoice = { emails: { low: boolean; expiring: boolean } };

export type Endpoint = {
  id: string;
  account: string;
  url: string;
  /** As the format has it: `whsec_` and base64. */
  secret: string;
  kinds: readonly LedgerEventKind[];
  createdAt: number;
  /** Null while it gets webhooks. */
  pausedAt: number | null;
};

export type Delivery = {
  id: string;
  endpoint: string;
  account: string;
  /** The `webhook-id`: the same however often it is sent, so that its receiver takes it once. */
  event: string;
  kind: LedgerEventKind;
  /** The very body. */
  body: string;
  createdAt: number;
  status: "waiting" | "delivered" | "failed";
  tries: number;
  /** When it is tried next; null where it is not. */
  dueAt: number | null;
  lastTriedAt: number | null;
  /** HTTP status of the last answer; null where none came. */
  lastStatus: number | null;
  /** In words, why the last try did not do. */
  lastError: string | null;
};

/** What is needed to attempt a delivery. */
export type DeliveryToSend = Delivery & { url: string; secret: string; isPaused: boolean };

export type EventStore = {
  choice(order: { account: string }): Promise<NotificationChoice>;
  choose(order: { account: string; choice: NotificationChoice }): Promise<void>;
  /** Ends the letters of one sort; of the other nothing changes, whoever chooses it at the same moment. */
  unsubscribe(order: { account: string; sort: keyof NotificationChoice["emails"] }): Promise<void>;

  /** `full`: it has `ENDPOINTS_MAX`. */
  addEndpoint(order: { endpoint: Endpoint }): Promise<{ outcome: "added" | "full" }>;
  listEndpoints(order: { account: string }): Promise<Endpoint[]>;
  /** While it is paused, what waits for it is not tried; when it no longer is, all of that is due. */
  changeEndpoint(order: {
    account: string;
    id: string;
    url: string;
    kinds: readonly LedgerEventKind[];
    pausedAt: number | null;
  }): Promise<{ found: boolean }>;
  /** As its receiver asked for; `found` is false where its owner has given it another address meanwhile, or paused it. */
  pauseEndpoint(order: {
    account: string;
    id: string;
    url: string;
    now: number;
  }): Promise<{ found: boolean }>;
  /** With its deliveries. */
  dropEndpoint(order: { account: string; id: string }): Promise<{ found: boolean }>;

  /**
   * All that comes of a notice in one transaction: its letter waits in the queue, and a delivery for each endpoint that is
   * not paused and wants its kind; one has failed at once where `WAITING_FOR_ENDPOINT_MAX` wait for its endpoint. Once for each notice, whoever else does the same; `handled` is false for the others.
   * `emailSkipped`: why its letter is not in the queue, beyond whose bounds it was (`email/bounds.ts`). With `queue_full` nothing
   * came of the notice yet: it is to be handled again when there is room.
   */
  handle(order: {
    event: LedgerEvent;
    email: QueuedEmail | null;
    body: string;
    deliveryIds: (count: number) => readonly string[];
    now: number;
  }): Promise<{ handled: boolean; emailSkipped: "recipient_full" | "queue_full" | null }>;

  /** Newest first, at most `max`; `after`: the id of the last one of the page before. */
  listDeliveries(order: {
    account: string;
    endpoint: string;
    after: string | null;
    max: number;
  }): Promise<Delivery[]>;
  /**
   * Due at once, and tried for a day from now; a new row with the same notice. Where its endpoint is paused it waits for
   * that. `isRateLimited`: `SENT_AGAIN_A_DAY_MAX` of the endpoint were sent again within 24 hours.
   */
  sendAgain(order: {
    account: string;
    endpoint: string;
    id: string;
    newId: string;
    now: number;
  }): Promise<{ found: boolean; isRateLimited: boolean }>;
  /** Null where it was deleted, with its endpoint or because it is old. */
  findDelivery(order: { id: string }): Promise<DeliveryToSend | null>;
  /** Deliveries older than `before`, and what says that notices were handled: at most `max` of each; `more`: there may be others. */
  forget(order: { before: number; max: number }): Promise<{ forgotten: number; more: boolean }>;
};
