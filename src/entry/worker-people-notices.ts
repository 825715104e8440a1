import type { Directory } from "#accounts/directory.ts";
import { runBounded } from "#jobs/bounded.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { type MailSettings, wayOf } from "#mail/read-mail-settings.ts";
import { NOTICES_KEPT_MS } from "#notices/bounds.ts";
import { type CarryOnWiring, carryOn, type NoticeSource } from "#notices/carry-on.ts";
import { createDeliverer } from "#notices/deliver-webhooks.ts";
import type { WebhookNetworks } from "#notices/endpoint-address.ts";
import { createFetchWebhookTransport } from "#notices/fetch-webhook-transport.ts";
import type { NoticeBook } from "#notices/notice-book.ts";
import { createNoticeLetters } from "#notices/notice-letters.ts";
import { createAside } from "#notices/set-aside.ts";

/**
 * Notices at the edge: the accounts' objects hand them on to D1, and from there the cron of each minute carries them on.
 * Nothing that matters outlives its invocation but what is in D1; any number of them may do the same at once.
 */
export type EdgeNotices = {
  /** Makes letters and deliveries of what has come; whether there was anything. */
  carryOn(): Promise<boolean>;
  /** Delivers webhooks that are due, for `forMs` and what then is on its way. */
  deliver(forMs: number): Promise<void>;
  /** Forgets what is no longer listed, as much as a minute may. */
  forget(): Promise<void>;
};

type Wiring = Pick<CarryOnWiring, "ledger" | "now" | "random" | "complain"> & {
  config: {
    publicUrl: string;
    secrets: readonly string[];
    mail: MailSettings;
    webhookNetworks: WebhookNetworks;
  };
  store: {
    forwardedNotices: NoticeSource;
    notices: NoticeBook;
    jobs: JobQueue;
    directory: Directory;
  };
};

/** Each asks D1 and an account's object some five times, of the 10,000 requests that an invocation may make to others. */
const NOTICE_ROUNDS_MAX = 5;
/** Six connections at once are all that an invocation has, and D1 is asked meanwhile: what had to wait would count as late. */
const DELIVERIES_AT_ONCE = 4;
const DELIVERIES_MAX = 500;
/** Each is one request to D1, of rows that it counts. */
const FORGOTTEN_AT_ONCE = 500;
const FORGET_BATCHES_MAX = 10;

export function openEdgeNotices({ config, store, ...given }: Wiring): EdgeNotices {
  const { now, random, complain } = given;
  const { forwardedNotices: source, notices: book, jobs, directory } = store;
  const letters = createNoticeLetters(config);
  const aside = createAside();
  const wiring = { ...given, source, book, directory, letters, aside, way: wayOf(config.mail) };
  const transport = createFetchWebhookTransport(config.webhookNetworks);
  return {
    async carryOn() {
      let carried = 0;
      for (let rounds = 0; rounds < NOTICE_ROUNDS_MAX; rounds += 1) {
        const round = await carryOn(wiring);
        carried += round.carried;
        if (!round.more) break;
      }
      return carried > 0;
    },
    deliver: (forMs) =>
      runBounded(jobs, { max: DELIVERIES_MAX, until: now() + forMs }, (bounded) =>
        createDeliverer({
          ...{ jobs: bounded, book, transport, now, random, complain },
          atOnce: DELIVERIES_AT_ONCE,
        }),
      ),
    async forget() {
      let more = true;
      for (let batch = 0; more && batch < FORGET_BATCHES_MAX; batch += 1) {
        const order = { before: now() - NOTICES_KEPT_MS, max: FORGOTTEN_AT_ONCE };
        const forgotten = [await book.forget(order), await jobs.forget({ now: now(), ...order })];
        more = forgotten.some((each) => each.more);
      }
    },
  };
}
