import type { NotifyOutcome } from "#accounts/notify-person.ts";
import { readEmail } from "#accounts/people.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { OperatorClient } from "#operator/operations.ts";
import { type Call, ProblemDetails } from "./command.ts";

/** What a command works on: the data of this machine, a PostgreSQL or a service at an address, all asked alike. */
export type Deployment = {
  /** Where it is, for sentences: the data folder, the database, or the address. */
  place: string;
  client: OperatorClient;
  /** Writes all there is as lines of JSON. */
  exportLines(withSecret: boolean, write: (bytes: Uint8Array) => void): Promise<RecordCounts>;
  /** Where the links of emails lead, where that has to be said. */
  linksLead: string;
  /** What went wrong, as the operator should read it; left out where errors speak for themselves. */
  explain?(error: unknown): unknown;
  close(): Promise<void>;
};

/** Opens it for one command. `create`: where there is no data yet, its tables are made. */
export async function withDeployment<Result>(
  call: Call,
  body: (deployment: Deployment) => Promise<Result>,
  options = { create: false },
): Promise<Result> {
  const deployment = await openDeployment(call, options.create);
  try {
    return await body(deployment);
  } catch (error) {
    throw deployment.explain?.(error) ?? error;
  } finally {
    await deployment.close();
  }
}

async function openDeployment(call: Call, create: boolean): Promise<Deployment> {
  const { remote, config } = call;
  // Loaded when they are needed: a command works on one of them.
  if (remote !== null) {
    const { openRemote } = await import("./remote/open.ts");
    return openRemote(call, remote);
  }
  if (config.databaseUrl === null) {
    const { openDataOf } = await import("./open-sqlite.ts");
    return openDataOf(call, create);
  }
  const { openDatabaseOf } = await import("./open-postgres.ts");
  return openDatabaseOf(call, config.databaseUrl, create);
}

/** Says whether the person whose account was changed knows of it. */
export function recordNotified({ note, linksLead }: Call & Deployment, told: NotifyOutcome): void {
  if (told === null) return;
  const { email, error } = told;
  note(
    error === null
      ? `Queued an email to ${email}. The server sends it within a minute.${linksLead}`
      : `Done, but no email to ${email} could be queued: ${error}.`,
  );
}

/** The account of an address, or a refusal that says what the operator can do. */
export async function accountOf(
  { client, place }: Deployment,
  text: string,
): Promise<{ email: string; account: string }> {
  const email = readEmail(text);
  const found = await client.findAddress({ email });
  if (found !== null) return found;
  throw new ProblemDetails(
    `There is no account for ${email} in ${place}: it was never made, or it is closed. See account list, or make it with account create.`,
  );
}

/** An account as the ledger knows it; an address whose account never came into being is no account yet. */
export async function statusOf({ client, now }: Call & Deployment, account: string) {
  const status = await client.findAccount({ account, now });
  if (status !== null) return status;
  throw new ProblemDetails(
    "The making of this account was interrupted. Run account create for it again.",
  );
}
