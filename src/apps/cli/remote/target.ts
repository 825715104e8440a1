import { isAccountId } from "#ids.ts";
import { faultOfAddress } from "#operator/move-acts.ts";
import type { OperatorClient } from "#operator/operations.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { hasAccount } from "#stores/sqlite/transfer.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import { type Call, ProblemDetails } from "../command.ts";
import { everyAccount, everyAddress } from "../lists.ts";
import { counted, shortly } from "../text.ts";

/** What an import looks at before it sends anything: whether the lines can be there, and whether they may. */

/** Accounts find their ledgers by their ids there, so these must be of the form that keys contain. */
export function checkLines({ note }: Call, driver: NodeSqlite): void {
  for (const { id } of pagesOf(driver, "account")) {
    if (isAccountId(id)) continue;
    throw new ProblemDetails(
      `The lines have an account "${id.slice(0, 40)}", which is no id of an account: acc_ and 12 letters and digits. Nothing was imported.`,
    );
  }
  const unopened: string[] = [];
  for (const kind of ["address", "closedAddress"] as const) {
    for (const record of pagesOf(driver, kind)) {
      const fault = faultOfAddress(record);
      if (fault === null) {
        if (record.record === "address" && !hasAccount(driver, record.account))
          unopened.push(record.account);
        continue;
      }
      const of = record.record === "address" ? ` of ${record.account.slice(0, 40)}` : "";
      throw new ProblemDetails(
        `The lines have a record of the kind "${kind}"${of} that is no good: ${fault}. Nothing was imported. Mend it, or take the lines from export again.`,
      );
    }
  }
  if (unopened.length > 0) {
    note(
      `${counted(unopened.length, "address is", "addresses are")} left out, because the making of the account was interrupted and the lines have none (${shortly(unopened)}): who signs up with it there gets a new one.`,
    );
  }
}

/**
 * Ledgers are never mixed: what is there must be of an earlier run with these lines. Once such a run was begun people may
 * have signed up, and what is theirs stays beside what comes.
 */
export async function checkTarget(
  { note }: Call,
  client: OperatorClient,
  driver: NodeSqlite,
  url: string,
): Promise<void> {
  const accounts = new Map<string, number>();
  for (const { id, createdAt } of pagesOf(driver, "account")) accounts.set(id, createdAt);
  const outsiders: string[] = [];
  let own = 0;
  for await (const { account, createdAt } of everyAccount(client)) {
    const ofLines = accounts.get(account);
    if (ofLines === createdAt) own += 1;
    else if (ofLines === undefined) outsiders.push(account);
    else {
      throw new ProblemDetails(
        `The service at ${url} has an account ${account} that was made at another time than the one in these lines: they are of another ledger. Nothing was changed by this run. Import into a new deployment.`,
      );
    }
  }
  if (own === 0) {
    const [what] =
      outsiders.length > 0 ? outsiders.map((id) => `the account ${id}`) : await anAddress(client);
    if (what === undefined) return;
    throw new ProblemDetails(
      `The service at ${url} is not empty: it has ${what} that is not in these lines, and an import never mixes ledgers. Nothing was imported. Import into a new deployment, with TOOLBOOTH_SIGN_UP=closed until it is done.`,
    );
  }
  if (outsiders.length > 0) {
    note(
      `${counted(outsiders.length, "account")} there ${outsiders.length === 1 ? "is" : "are"} not in these lines (${shortly(outsiders)}) and ${outsiders.length === 1 ? "stays as it is" : "stay as they are"}: the import goes on beside. Set TOOLBOOTH_SIGN_UP=closed until an import is done.`,
    );
  }
}

async function anAddress(client: OperatorClient): Promise<string[]> {
  for await (const { email } of everyAddress(client)) return [`the address ${email}`];
  return [];
}
