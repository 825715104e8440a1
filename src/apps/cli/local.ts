import { userInfo } from "node:os";
import type { KeyBounds } from "#accounts/key-limits.ts";
import type { NotifyDeps } from "#accounts/notify-owner.ts";
import type { RequestLog } from "#accounts/request-log.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import { emailSealer } from "#email/email-queue.ts";
import { createMail, type MailDeps } from "#email/enqueue-emails.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorContext } from "#operator/context.ts";
import { done } from "#operator/define-operation.ts";
import { clientOver } from "#operator/operations.ts";
import { perform } from "#operator/perform.ts";
import { withSummedUsage } from "#stores/ledger/summed-usage.ts";
import { accountsOfLedger } from "#stores/sql/account-index.ts";
import { createGrantList } from "#stores/sql/grant-list.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { baseOf } from "../node/addresses.ts";
import { reversalsForOperator } from "../node/reversals.ts";
import { hashKey, random } from "../node/runtime.ts";
import { CommandError, type Deployment, type Invocation } from "./command.ts";

/** What the command line needs from a store that it opened itself. */
type LocalStore = Pick<
  OperatorContext,
  "ledger" | "directory" | "moves" | "findDamage" | "isDamage"
> &
  Pick<NotifyDeps, "activityLog"> &
  Pick<MailDeps, "queue"> & {
    place: string;
    database: SqlDatabase;
    purchases: PurchaseStore;
    jobs: JobQueue;
    /** Null without a request log. */
    requests: Pick<RequestLog, "list" | "forget"> | null;
    secrets(): Promise<readonly string[]>;
  };

/** Runs operations in this process. The operator is the user of the operating system. */
export function createLocalDeployment(
  invocation: Invocation,
  store: LocalStore,
): Pick<Deployment, "place" | "client" | "linkWarning"> {
  const { config } = invocation;
  const { place, database, directory, activityLog, queue, purchases, secrets, requests } = store;
  // A command may take as long as there is something to sum.
  const ledger = withSummedUsage(store.ledger, { forMs: Number.POSITIVE_INFINITY });
  const publicUrl = baseOf(config, config.port);
  const context: OperatorContext = {
    ledger,
    directory,
    purchases,
    findDamage: store.findDamage,
    isDamage: store.isDamage,
    accountDeps: async () => ({
      ...{ ledger, directory, secrets: await secrets(), random, hashKey },
      forgetRequests: (order) =>
        requests?.forget(order).catch(() => invocation.log(REQUESTS_LEFT)) ?? Promise.resolve(),
    }),
    keyBounds: () => keyBoundsOf(config),
    notify: {
      activityLog,
      publicUrl,
      // Errors are reported to the operator instead, with the outcome.
      mail: createMail({
        queue,
        transportKind: transportKindOf(config.mail),
        sealer: {
          seal: async (text, id) => emailSealer(await secrets()).seal(text, id),
        },
        now: Date.now,
        random,
        logError: () => {},
      }),
    },
    billing: once(() => billingOf(invocation, store)),
    actions: createOperatorActions(database),
    jobs: operatorJobs([store.jobs, reversalsForOperator(config.dataDir)]),
    index: accountsOfLedger(database),
    moves: store.moves,
    requests,
    grants: createGrantList(database),
  };
  const operator = { by: userName(), address: null };
  const performing = { context, operator, now: Date.now };
  return {
    place,
    client: clientOver((name, input) => perform(performing, name, input)),
    linkWarning:
      config.publicUrl === null
        ? ` Its links point to ${publicUrl}. Set PUBLIC_URL to the server's public URL.`
        : "",
  };
}

const REQUESTS_LEFT =
  "The requests of the account could not be deleted from the request log. They expire there.";

/** Imports the tools here, because only limits name them. */
async function keyBoundsOf({ rateLimit }: Invocation["config"]): Promise<KeyBounds> {
  const { TOOLS } = await import("#tools/registry.ts");
  return { tools: TOOLS.map(({ name }) => name), callsPerSecond: rateLimit };
}

async function billingOf({ config: { stripe } }: Invocation, store: LocalStore) {
  if (stripe === null) return null;
  const { ledger, purchases, secrets } = store;
  // Imported here because it loads the schema of the price list, which only payments need.
  const { openBilling } = await import("#service/billing.ts");
  return openBilling({
    stripe,
    secrets: await secrets(),
    purchases,
    ledger,
    now: Date.now,
    // The command line starts no purchases.
    prices: { packs: [], lifetime: null, taxes: "none", contact: null, recommended: null },
    ...{ random, fetchClient: false },
  });
}

function once<Result>(create: () => Promise<Result>): () => Promise<Result> {
  let created: Promise<Result> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

/** Runs an action on all the data, and records it as operations are recorded. */
export async function runRecorded<Result>(
  database: SqlDatabase,
  action: "import" | "restore",
  run: () => Promise<Result>,
  describe: (result: Result) => string,
): Promise<Result> {
  const actions = createOperatorActions(database);
  const { id } = await actions.start({
    at: Date.now(),
    by: userName(),
    action,
    subject: null,
    address: null,
  });
  try {
    const result = await run();
    await actions.end({ id, end: done(describe(result)) });
    return result;
  } catch (error) {
    await actions.end({ id, end: { outcome: "failed", detail: null } }).catch(() => {});
    throw error;
  }
}

export const describeImport = ({ account = 0 }: RecordCounts) => `${account} accounts`;

/** The user of the operating system. In a container the user may have no name, only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

const SECRET_WAIT_MS = 1_000;
const SECRET_RETRY_MS = 50;

/**
 * Returns the secrets of the server that uses this data. A server without SECRET keeps one in `place`. If none is there, the
 * server has SECRET, and would reject a key that was made with another secret.
 */
export async function findSecrets(
  configured: readonly string[] | null,
  place: string,
  find: () => Promise<readonly string[] | null>,
): Promise<readonly string[]> {
  if (configured !== null) return configured;
  for (const until = performance.now() + SECRET_WAIT_MS; performance.now() < until; ) {
    const secrets = await find();
    if (secrets !== null) return secrets;
    await new Promise((resolve) => setTimeout(resolve, SECRET_RETRY_MS));
  }
  throw new CommandError(
    `There is no secret in ${place}, so the server has the setting SECRET. Set SECRET to the same value for this command. If the server has no SECRET, the secret is lost: restore it from where you keep a copy, because without it the server rejects every key.`,
  );
}
