import { userInfo } from "node:os";
import type { NotifyDeps } from "#accounts/notify-person.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import { createMail, type MailDeps } from "#email/enqueue-emails.ts";
import { wayOf } from "#email/read-mail-settings.ts";
import { randomBase62 } from "#ids.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorContext } from "#operator/context.ts";
import { done } from "#operator/operation.ts";
import { clientOver } from "#operator/operations.ts";
import { perform } from "#operator/perform.ts";
import { accountsOfLedger } from "#stores/sql/account-index.ts";
import { createGrantList } from "#stores/sql/grant-list.ts";
import { createOperatorActs } from "#stores/sql/operator-acts.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { baseOf } from "../node/addresses.ts";
import { hashKey, random } from "../node/app-context.ts";
import { openBilling } from "../node/billing.ts";
import { reversalsForOperator } from "../node/reversals.ts";
import { type Call, ProblemDetails } from "./command.ts";
import type { Deployment } from "./deployment.ts";

/** What a store at hand brings, whichever it is. */
type Stored = Pick<OperatorContext, "ledger" | "directory" | "moves" | "findDamage" | "isDamage"> &
  Pick<NotifyDeps, "journal"> &
  Pick<MailDeps, "queue"> & {
    place: string;
    database: SqlDatabase;
    purchases: PurchaseStore;
    jobs: JobQueue;
    secrets(): Promise<readonly string[]>;
  };

/** The operations on a store that this process has opened itself, done by the user that runs it. */
export function inProcess(
  call: Call,
  stored: Stored,
): Pick<Deployment, "place" | "client" | "linksLead"> {
  const { config } = call;
  const { place, database, ledger, directory, journal, queue, purchases, secrets } = stored;
  const publicUrl = baseOf(config, config.port);
  const context: OperatorContext = {
    ...{ ledger, directory, purchases },
    ...{ findDamage: stored.findDamage, isDamage: stored.isDamage },
    accountDeps: async () => ({ ledger, directory, secrets: await secrets(), random, hashKey }),
    tell: {
      ...{ journal, publicUrl },
      // What hinders a letter is said to the operator.
      mail: createMail({
        ...{ queue, way: wayOf(config.mail), now: Date.now, random, logError: () => {} },
      }),
    },
    billing: once(() => billingOf(call, stored)),
    acts: createOperatorActs(database),
    jobs: operatorJobs([stored.jobs, reversalsForOperator(config.dataDir)]),
    ...{ index: accountsOfLedger(database), moves: stored.moves },
    grants: createGrantList(database),
  };
  const operator = { by: userName(), address: null };
  const performing = { context, operator, now: Date.now };
  return {
    place,
    client: clientOver((name, input) => perform(performing, name, input)),
    linksLead: config.publicUrl === null ? ` Its links lead to ${publicUrl}: set PUBLIC_URL.` : "",
  };
}

async function billingOf({ config: { stripe } }: Call, stored: Stored) {
  if (stripe === null) return null;
  const { ledger, purchases, secrets } = stored;
  return openBilling({
    ...{ stripe, secrets: await secrets(), purchases, ledger, now: Date.now },
    // Nothing is sold from here.
    prices: { packs: [], lifetime: null, taxes: "none", contact: null },
    newId: (prefix) => `${prefix}_${randomBase62(24, random)}`,
  });
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Does something to the data as a whole, which is no operation of the table, and records it as one of them. */
export async function actHere<Result>(
  database: SqlDatabase,
  act: "import" | "restore",
  run: () => Promise<Result>,
  describe: (result: Result) => string,
): Promise<Result> {
  const acts = createOperatorActs(database);
  const line = { at: Date.now(), by: userName(), act, subject: null, address: null };
  const { id } = await acts.start(line);
  try {
    const result = await run();
    await acts.end({ id, end: done(describe(result)) });
    return result;
  } catch (error) {
    await acts.end({ id, end: { outcome: "failed", detail: null } }).catch(() => {});
    throw error;
  }
}

export const importedOutcome = ({ account = 0 }: RecordCounts) => `${account} accounts`;

/** The user of the operating system; in a container there may be a number without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

const PATIENCE_MS = 1_000;
const BETWEEN_TRIES_MS = 50;

/**
 * The secrets under which the server that uses this data works. A server without SECRET keeps one with the data as
 * soon as it makes it; so where none is kept the server has SECRET, and a key made under another one would be refused.
 */
export async function findSecrets(
  place: string,
  configured: readonly string[] | null,
  find: () => Promise<string | null>,
): Promise<readonly string[]> {
  if (configured !== null) return configured;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const secret = await find();
    if (secret !== null) return [secret];
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
  throw new ProblemDetails(
    `The data in ${place} has no secret of its own: its server is given one. Set SECRET to the same value for this command.`,
  );
}
