import { forgetStale } from "#accounts/activity-log.ts";
import type { AppContext } from "#calls/app-context.ts";
import { counted } from "#counted.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { createOutbox, createSmtpTransport } from "#email/node-transports.ts";
import { createEmailSender } from "#email/send-emails.ts";
import type { Transport } from "#email/transport.ts";
import { createNodeWebhookTransport } from "#events/node-webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { startJobs } from "#jobs/node-schedule.ts";
import type { Background, BackgroundWork, ServiceConfig } from "#service/parts.ts";
import { isOwnMachine } from "./addresses.ts";
import { outboxFolder } from "./data-folder.ts";
import type { NodeLog } from "./log.ts";
import { startNotifications } from "./notifications.ts";

type Log = Pick<NodeLog, "logError" | "warn" | "email" | "show">;

const TIDY_EVERY_MS = 10 * 60_000;
const OWNERS_AT_ONCE = 200;

/** The background work of a node: it starts by itself, and goes on until it is closed. Any number of nodes may do it at once. */
export function startNodeBackground(
  { config, stores, emails, sealer, endpointSealer, transportKind, tellOwners }: BackgroundWork,
  { now, random, log }: Pick<AppContext, "now" | "random"> & { log: Log },
): Background {
  const { jobs, ledger, directory, events: eventStore, ledgerEvents, activityLog } = stores;
  const { from } = config.mail;
  const { logError } = log;
  const transport = openTransport(config, now, log);
  const sender = startJobs(
    createEmailSender({ jobs, transport, transportKind, sealer, now, random, from, logError }),
    { logError },
  );
  const notifications = startNotifications({
    name: config.name,
    ...{ source: ledgerEvents, ledger, directory, eventStore, jobs, emails },
    ...{ sealer, endpointSealer, transportKind },
    transport: createNodeWebhookTransport({ networks: config.webhookNetworks }),
    onEmails: sender.wake,
    ...{ now, random, logError },
  });
  const tellUntold = () =>
    tellOwners(OWNERS_AT_ONCE).catch((cause) =>
      logError("Telling owners about the upgrade failed", { cause }),
    );
  // Later than the mail that it needs.
  queueMicrotask(tellUntold);
  const tidying = setInterval(() => {
    void tellUntold();
    forgetStale(activityLog, now()).catch((cause) =>
      logError("Removing old sessions failed", { cause }),
    );
  }, TIDY_EVERY_MS);
  if (transportKind === "outbox")
    void warnOfHeldEmails(jobs, log.warn).catch((cause) =>
      logError("Counting emails failed", { cause }),
    );
  return {
    sendEmails: sender.wake,
    deliverWebhooks: notifications.wake,
    scheduled: async () => {},
    async close() {
      clearInterval(tidying);
      await notifications.stop();
      await sender.stop();
      transport.close?.();
    },
  };
}

function openTransport(
  config: ServiceConfig,
  now: () => number,
  log: Log,
): Transport & { close?(): void } {
  const { smtp, api, from } = config.mail;
  if (smtp !== null) return createSmtpTransport(smtp, from);
  if (api !== null) return createFetchTransport(api, from);
  return createOutbox({
    ...{ folder: outboxFolder(config.dataDir), from, now },
    // The log may contain the links of emails only on the operator's own machine.
    logsText: isOwnMachine(config),
    log: log.email,
    show: (text) => log.show(`\n${text}\n`),
  });
}

/** Warns about emails that were queued for a mail server: they are not written to the outbox, and their recipients wait. */
async function warnOfHeldEmails(jobs: JobQueue, warn: Log["warn"]): Promise<void> {
  const { waiting: held } = await jobs.count({ queues: ["email"] });
  if (held === 0) return;
  warn(
    `${counted(held, "email waits", "emails wait")} for a mail server, queued while SMTP_URL was set, to be sent when it is set again.`,
  );
}
