import { readEmail } from "#accounts/accounts.ts";
import type { NotifyOutcome } from "#accounts/notify-owner.ts";
import { quotedCommand } from "#command-line.ts";
import { isAccountId } from "#ids.ts";
import {
  type Command,
  CommandError,
  type Declaration,
  type Deployment,
  type Invocation,
  type Outcome,
  type Session,
} from "./command.ts";

/** A command that works on a deployment, which is opened before `run` and closed after it. */
export const command = <Args>({
  check,
  run,
  canCreate = false,
  ...declaration
}: Declaration<Args> & {
  /** Throws if the arguments are invalid. Called before any data is opened. */
  check?(args: Args, invocation: Invocation): void;
  /** Whether the command creates the tables if there is no data yet. */
  canCreate?: boolean;
  run(args: Args, session: Session): Promise<Outcome>;
}): Command => ({
  ...declaration,
  async run(invocation, args) {
    check?.(args, invocation);
    return withDeployment(
      invocation,
      (deployment) => run(args, { ...invocation, ...deployment }),
      canCreate,
    );
  },
});

/** Opens the deployment, runs `body` and closes the deployment. */
export async function withDeployment<Result>(
  invocation: Invocation,
  body: (deployment: Deployment) => Promise<Result>,
  canCreate = false,
): Promise<Result> {
  const deployment = await openDeployment(invocation, canCreate);
  try {
    return await body(deployment);
  } catch (error) {
    throw deployment.explain?.(error) ?? error;
  } finally {
    await deployment.close();
  }
}

/** Imports the modules of one kind of deployment only, so that commands start fast. */
async function openDeployment(invocation: Invocation, canCreate: boolean): Promise<Deployment> {
  const { remote, config } = invocation;
  if (remote !== null) {
    const { createHttpClient } = await import("./remote/client.ts");
    const client = createHttpClient(remote);
    return {
      place: remote.url,
      client,
      linkWarning: "",
      async exportLines(_, write) {
        const { exportRemote } = await import("./remote/export.ts");
        return exportRemote(invocation, client, write);
      },
      async close() {},
    };
  }
  if (config.databaseUrl === null) {
    const { openDataFolderOf } = await import("./open-sqlite.ts");
    return openDataFolderOf(invocation, canCreate);
  }
  const { openDatabaseOf } = await import("./open-postgres.ts");
  return openDatabaseOf(invocation, config.databaseUrl, canCreate);
}

/** Logs whether the account's owner gets an email about the change. */
export function logNotification({ log, linkWarning }: Session, notified: NotifyOutcome): void {
  if (notified === null) return;
  const { email, error } = notified;
  log(
    error === null
      ? `Queued an email to ${email}. The server sends it within a minute.${linkWarning}`
      : `Done, but no email to ${email} could be queued: ${error}.`,
  );
}

/** Returns the account of an email address, or of an account's id. Throws `CommandError` if there is none. */
export async function accountOf(
  { client, place }: Deployment,
  text: string,
): Promise<{ email: string; account: string }> {
  if (isAccountId(text)) {
    const { email } = await client.findOwner({ account: text });
    if (email !== null) return { email, account: text };
    throw new CommandError(`There is no open account ${text} in ${place}. ${TO_SEE_ACCOUNTS}`);
  }
  const email = readEmail(text);
  const found = await client.findAddress({ email });
  if (found !== null) return found;
  throw new CommandError(
    `There is no account for ${email} in ${place}. It was never created, or it is closed. ${TO_SEE_ACCOUNTS} To create it, run ${quotedCommand("account create", email)}.`,
  );
}

const TO_SEE_ACCOUNTS = `To see all accounts, run ${quotedCommand("account list")}.`;

/** Returns the state of an account in the ledger. Throws `CommandError` if its creation was interrupted. */
export async function statusOf({ client, now }: Session, account: string) {
  const status = await client.findAccount({ account, now });
  if (status !== null) return status;
  throw new CommandError(
    "The creation of this account was interrupted. To complete it, create the account again: with account create, or by signing in.",
  );
}
