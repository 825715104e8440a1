import { quotedCommand } from "#command-line.ts";
import { isAccountId } from "#ids.ts";
import { addTotals, isSameTotals, zeroTotals } from "#ledger/reconcile.ts";
import { faultOfAddress } from "#operator/move-actions.ts";
import type { OperatorClient } from "#operator/operations.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { hasAccount } from "#stores/sqlite/transfer.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import { CommandError, type Invocation } from "../command.ts";
import { createProgress, everyAccount, everyAddress, mapConcurrently } from "../lists.ts";
import { counted, shortList } from "../text.ts";

/** What an import over the network checks before it sends anything, and after everything has arrived. */

/** Checks ids and addresses. A service finds the ledger of an account by its id, which keys contain. */
export function checkLines({ log }: Invocation, driver: NodeSqlite): void {
  for (const { id } of pagesOf(driver, "account")) {
    if (isAccountId(id)) continue;
    throw new CommandError(
      `The lines contain an invalid account id "${id.slice(0, 40)}". An account id is acc_ and 12 letters and digits. Nothing was imported.`,
    );
  }
  const unopened: string[] = [];
  for (const kind of ["address", "closedAddress", "starterClaim"] as const) {
    for (const record of pagesOf(driver, kind)) {
      const fault = faultOfAddress(record);
      if (fault === null) {
        if (record.record === "address" && !hasAccount(driver, record.account))
          unopened.push(record.account);
        continue;
      }
      const owner = "account" in record ? ` of ${record.account.slice(0, 40)}` : "";
      throw new CommandError(
        `The lines contain an invalid record "${kind}"${owner}: ${fault}. Nothing was imported. Correct the record, or export the lines again.`,
      );
    }
  }
  if (unopened.length > 0) {
    log(
      `${counted(unopened.length, "address was", "addresses were")} skipped, because the creation of the account was interrupted and the lines do not contain it (${shortList(unopened)}). If its owner signs up, they get a new account.`,
    );
  }
}

/**
 * Throws `CommandError` unless the service is empty or has accounts from an earlier run with these lines. Users may
 * have signed up since that run; their accounts are logged and left unchanged.
 */
export async function checkTarget(
  { log }: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
  url: string,
): Promise<void> {
  const accounts = new Map<string, number>();
  for (const { id, createdAt } of pagesOf(driver, "account")) accounts.set(id, createdAt);
  const others: string[] = [];
  let imported = 0;
  for await (const { account, createdAt } of everyAccount(client)) {
    const expected = accounts.get(account);
    if (expected === createdAt) imported += 1;
    else if (expected === undefined) others.push(account);
    else {
      throw new CommandError(
        `The account ${account} of the service at ${url} has a different creation time than in these lines, so the lines are from another ledger. This run changed nothing. Import into a new deployment.`,
      );
    }
  }
  if (imported === 0) {
    const found = others.length > 0 ? `the account ${others[0]}` : await findAddress(client);
    if (found === null) return;
    throw new CommandError(
      `The service at ${url} is not empty: it has ${found}, which is not in these lines, and an import never merges ledgers. Nothing was imported. Import into a new deployment, and set TOOLBOOTH_SIGN_UP=closed there until the import is done.`,
    );
  }
  if (others.length > 0) {
    log(
      `${counted(others.length, "account")} of the service ${others.length === 1 ? "is" : "are"} not in these lines (${shortList(others)}) and will not be changed. Set TOOLBOOTH_SIGN_UP=closed until an import is done.`,
    );
  }
}

async function findAddress(client: OperatorClient): Promise<string | null> {
  for await (const { email } of everyAddress(client)) return `the address ${email}`;
  return null;
}

/**
 * Compares balances and totals of the service with the lines. An account accepts calls as soon as it is imported, so
 * its balance may differ; its own ledger must still reconcile.
 */
export async function verifyImport(
  invocation: Invocation,
  client: OperatorClient,
  driver: NodeSqlite,
): Promise<void> {
  const { now, log } = invocation;
  const { ledger } = openSqliteDirect(driver);
  const expected = await ledger.audit({ now });
  const totals = zeroTotals();
  const changed: string[] = [];
  const faults: string[] = [];
  const progress = createProgress(invocation, "compared");
  const audits = mapConcurrently(pagesOf(driver, "account"), async ({ id: account }) => ({
    account,
    audit: await client.audit({ account, now }),
    balance: (await ledger.findAccount({ account, now }))?.balance,
  }));
  for await (const { account, audit, balance } of audits) {
    progress.step();
    if (audit === null) {
      faults.push(`${account} is missing`);
      continue;
    }
    faults.push(...audit.faults);
    if (audit.totals === null) continue;
    addTotals(totals, audit.totals);
    if (audit.totals.remaining !== balance) changed.push(account);
  }
  if (faults.length === 0 && isSameTotals(totals, expected.totals) && changed.length === 0) return;
  // During an import only calls change an account, and calls never grant credits.
  const isOnlyUsed = faults.length === 0 && totals.granted === expected.totals.granted;
  if (!isOnlyUsed) {
    throw new CommandError(
      `The records were imported, but the service's ledger differs from the lines (${[...faults, ...changed].slice(0, 3).join("; ") || "the totals differ"}). Do not use the deployment until you know the reason: run ${quotedCommand("audit")}.`,
    );
  }
  log(
    `${counted(changed.length, "account")} ${changed.length === 1 ? "was" : "were"} used after the import (${shortList(changed)}), so the balance differs from the lines. The ledger reconciles.`,
  );
}
