/** The people's side of notices in process: its book and its queue of letters in SQLite, a clock that tests set. */
import { randomBytes } from "node:crypto";
import { createDeliverer } from "#events/deliver-webhooks.ts";
import { type CarryOnWiring, carryOn, type NoticeSource } from "#events/dispatch-events.ts";
import type { Endpoint, NoticeBook } from "#events/event-store.ts";
import { createNoticeLetters } from "#events/notification-emails.ts";
import { createAside } from "#events/set-aside.ts";
import { NotReached, type WebhookTransport } from "#events/webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqlitePeople } from "#stores/sqlite/people.ts";
import { emailsOf, type TakenLetter } from "../contract/email-queue-fixture.ts";

export const START = Date.UTC(2026, 10, 22, 10);
export const SITE = "https://toolbooth.example";
export const ACCOUNT = "acc_000000000001";
export const EMAIL = "ada@example.org";
export const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
export const random = (bytes: number) => new Uint8Array(randomBytes(bytes));

let count = 0;
export const lowNotice = (account = ACCOUNT, at = START): LedgerEvent => {
  count += 1;
  return { id: `ntc_${account}_${at}_${count}`, account, at, kind: "credits.low", ...LOW };
};
const LOW = { balance: 19, lowBalance: 20 };

type DelivererChanges = {
  jobs?: Pick<JobQueue, "take" | "settle" | "nextDue">;
  book?: NoticeBook;
  rest?: () => Promise<void>;
};
export type Scene = Awaited<ReturnType<typeof openNotices>>;

export async function openNotices(file = ":memory:") {
  const driver = openNodeSqlite(file);
  const store = openSqlitePeople(driver);
  const { ledger, directory, notices: book, jobs } = store;
  const emails = emailsOf(store);
  await ledger.openAccount({ account: ACCOUNT, freeCall: "open", now: START });
  await directory.register({ email: EMAIL, account: ACCOUNT, createdAt: START });
  const clock = { now: START };
  const complaints: string[] = [];
  const complain = (message: string, { cause }: { cause?: unknown }) => {
    complaints.push(cause === undefined ? message : `${message}: ${cause}`);
  };
  /** Notices that nobody has settled: what a ledger keeps. */
  const unsettled: LedgerEvent[] = [];
  const source: NoticeSource = {
    list: async ({ max }) => unsettled.slice(0, max),
    async settle(notices) {
      const ids = new Set(notices.map(({ id }) => id));
      unsettled.splice(0, Infinity, ...unsettled.filter(({ id }) => !ids.has(id)));
    },
  };
  const wiring: CarryOnWiring = {
    ...{ source, book, ledger, directory, random, complain },
    aside: createAside(),
    letters: createNoticeLetters({ publicUrl: SITE, secrets: ["new secret", "old secret"] }),
    way: "smtp",
    now: () => clock.now,
  };
  const taken: TakenLetter[] = [];
  /** All that were posted so far, in their order; they leave the queue. */
  const letters = async () => {
    const order = { now: 8e15, leaseUntil: 9e15, max: 999, way: "smtp" } as const;
    const { letters: fresh } = await emails.take(order);
    for (const { id } of fresh) await emails.done({ id });
    taken.push(...fresh);
    return [...taken];
  };
  const addEndpoint = async (changes: Partial<Endpoint> = {}) => {
    count += 1;
    const endpoint: Endpoint = {
      ...{ id: `whk_${count}`, account: ACCOUNT, url: "https://shop.example/", secret: SECRET },
      ...{ kinds: ["credits.low"], createdAt: START, pausedAt: null, ...changes },
    };
    await book.addEndpoint({ endpoint });
    return endpoint;
  };
  const log = ({ id: endpoint, account }: Endpoint) =>
    book.listDeliveries({ account, endpoint, after: null, max: 999 });
  return {
    ...{
      driver,
      store,
      book,
      jobs,
      ledger,
      directory,
      clock,
      complaints,
      complain,
      unsettled,
      source,
      wiring,
    },
    ...{ letters, addEndpoint, log },
    carryOn: (changes: Partial<CarryOnWiring> = {}) => carryOn({ ...wiring, ...changes }),
    /** Without jitter. */
    deliverer(transport: WebhookTransport, changes: DelivererChanges = {}) {
      const now = () => clock.now;
      const none = (bytes: number) => new Uint8Array(bytes);
      const wiring = { jobs, book, transport, now, random: none, complain };
      const deliverer = createDeliverer({ ...wiring, ...changes });
      /** All that is due, to its end; when the next one is, null where none waits. */
      const deliverDue = async () => {
        deliverer.look();
        await deliverer.idle();
        return (await jobs.nextDue({ queues: ["webhook"] })).at;
      };
      return { ...deliverer, deliverDue };
    },
  };
}

/** A transport that answers as the test says; a text is why there was no answer. */
export function answering(
  answer: (url: string, headers: Record<string, string>) => number | string,
) {
  const sent: { url: string; headers: Record<string, string>; body: string }[] = [];
  const transport: WebhookTransport = {
    async post(request) {
      sent.push(request);
      const came = answer(request.url, request.headers);
      if (typeof came === "string") throw new NotReached(came);
      return { status: came };
    },
  };
  return { transport, sent };
}

/** So many notices, carried on. */
export async function notify(scene: Scene, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) scene.unsettled.push(lowNotice());
  await scene.carryOn();
}
