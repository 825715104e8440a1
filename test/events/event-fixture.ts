/** Events in process: the event store and the email queue in SQLite, with a clock that tests set. */
import { randomBytes } from "node:crypto";
import { emailSealer } from "#email/email-queue.ts";
import { createWebhookSender } from "#events/deliver-webhooks.ts";
import { type DispatchDeps, dispatchEvents } from "#events/dispatch-events.ts";
import { endpointSealer } from "#events/endpoint-secrets.ts";
import type { Endpoint, EventStore } from "#events/event-store.ts";
import { createNotificationEmails } from "#events/notification-emails.ts";
import { NotReached, type WebhookTransport } from "#events/webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import type { LedgerEvent, LedgerEvents } from "#ledger/events.ts";
import type { Sealer } from "#seal.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { emailsOf, type TakenEmail } from "../contract/email-queue-fixture.ts";
import { openDashboardStoreOver } from "../support/sqlite-stores.ts";

export const START = Date.UTC(2026, 10, 22, 10);
export const SITE = "https://toolbooth.example";
export const ACCOUNT = "acc_000000000001";
export const EMAIL = "ada@example.org";
export const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
export const random = (bytes: number) => new Uint8Array(randomBytes(bytes));

/** The service's secrets, and what is sealed with them. */
const SECRETS = ["new secret", "old secret"];
export const SEALER = emailSealer(SECRETS);
export const ENDPOINT_SEALER = endpointSealer(SECRETS);

let count = 0;
export const lowEvent = (account = ACCOUNT, at = START): LedgerEvent => {
  count += 1;
  return { id: `evt_${account}_${at}_${count}`, account, at, kind: "credits.low", ...LOW };
};
const LOW = { balance: 19, lowBalance: 20 };

type DelivererChanges = {
  jobs?: Pick<JobQueue, "take" | "settle" | "nextDue">;
  eventStore?: EventStore;
  sealer?: Sealer;
};
export type Fixture = Awaited<ReturnType<typeof openEvents>>;

export async function openEvents(file = ":memory:") {
  const driver = openNodeSqlite(file);
  const store = openDashboardStoreOver(driver);
  const { ledger, directory, events, jobs } = store;
  /** The events by their webhook ids. */
  const eventIds = new Map<string, string>();
  const eventStore: EventStore = {
    ...events,
    handle(order) {
      eventIds.set(order.webhookId, order.event.id);
      return events.handle(order);
    },
  };
  const emails = emailsOf(store);
  await ledger.openAccount({ account: ACCOUNT, freeCall: "open", now: START });
  await directory.register({ email: EMAIL, account: ACCOUNT, createdAt: START });
  const clock = { now: START };
  const loggedErrors: string[] = [];
  const logError = (message: string, { cause }: { cause?: unknown }) => {
    loggedErrors.push(cause === undefined ? message : `${message}: ${cause}`);
  };
  /** Events that are not settled, as a ledger would hold them. */
  const unsettled: LedgerEvent[] = [];
  const source: LedgerEvents = {
    list: async ({ max }) => unsettled.slice(0, max),
    async settle(events) {
      const ids = new Set(events.map(({ id }) => id));
      unsettled.splice(0, Infinity, ...unsettled.filter(({ id }) => !ids.has(id)));
    },
  };
  const wiring: DispatchDeps = {
    ...{ source, eventStore, ledger, directory, random, logError },
    failed: new Set<string>(),
    emails: createNotificationEmails({
      sender: { publicUrl: SITE, name: "Toolbooth" },
      secrets: SECRETS,
      sales: { payable: true, contact: null },
    }),
    sealer: SEALER,
    transportKind: "smtp",
    now: () => clock.now,
  };
  const taken: TakenEmail[] = [];
  /** All emails queued so far, in order; they leave the queue. */
  const messages = async () => {
    const order = { now: 8e15, leaseUntil: 9e15, max: 999, transportKind: "smtp" } as const;
    const { emails: fresh } = await emails.take(order);
    for (const { id } of fresh) await emails.done({ id });
    taken.push(...fresh);
    return [...taken];
  };
  /** `SECRET` is its secret; the changes may have another one, which must be sealed. */
  const addEndpoint = async (changes: Partial<Endpoint> = {}) => {
    count += 1;
    const id = `whk_${count}`;
    const secret = await ENDPOINT_SEALER.seal(SECRET, id);
    const endpoint: Endpoint = {
      ...{ id, account: ACCOUNT, url: "https://shop.example/", secret },
      ...{ previousSecret: null, previousUntil: null },
      ...{ kinds: ["credits.low"], createdAt: START, pausedAt: null, pausedBy: null, ...changes },
    };
    await eventStore.addEndpoint({ endpoint });
    return endpoint;
  };
  const log = ({ id: endpoint, account }: Endpoint) =>
    eventStore.listDeliveries({ account, endpoint, after: null, max: 999 });
  /** The ids of the events in the endpoint's log, oldest first. */
  const told = async (endpoint: Endpoint) =>
    (await log(endpoint)).map(({ event }) => eventIds.get(event)).toReversed();
  return {
    ...{
      driver,
      store,
      eventStore,
      jobs,
      ledger,
      directory,
      clock,
      loggedErrors,
      logError,
      unsettled,
      source,
      wiring,
    },
    ...{ emails: messages, addEndpoint, log, told },
    dispatchEvents: (changes: Partial<DispatchDeps> = {}) =>
      dispatchEvents({ ...wiring, ...changes }),
    /** Without jitter. */
    deliverer(transport: WebhookTransport, changes: DelivererChanges = {}) {
      const now = () => clock.now;
      const none = (bytes: number) => new Uint8Array(bytes);
      const sealer = ENDPOINT_SEALER;
      const wiring = { jobs, eventStore, sealer, transport, now, random: none, logError };
      const deliverer = createWebhookSender({ ...wiring, ...changes });
      /** Delivers everything that is due. Returns when the next delivery is due; null where none waits. */
      const deliverDue = async () => {
        deliverer.look();
        await deliverer.idle();
        return (await jobs.nextDue({ queues: ["webhook"] })).at;
      };
      return { ...deliverer, deliverDue };
    },
  };
}

/** A transport that responds as the test says; text stands for the reason why there is no response. */
export function responding(
  response: (url: string, headers: Record<string, string>) => number | string,
) {
  const sent: { url: string; headers: Record<string, string>; body: string }[] = [];
  const transport: WebhookTransport = {
    async post(request) {
      sent.push(request);
      const came = response(request.url, request.headers);
      if (typeof came === "string") throw new NotReached(came);
      return { status: came };
    },
  };
  return { transport, sent };
}

/** Dispatches that many events. */
export async function notify(fixture: Fixture, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) fixture.unsettled.push(lowEvent());
  await fixture.dispatchEvents();
}
