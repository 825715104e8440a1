import { purchaseToRecord } from "#billing/purchase-store.ts";
import type { OperatorClient } from "#operator/operations.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { hasAccount, takeRecords } from "#stores/sqlite/transfer.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import type { Call } from "../command.ts";
import { everyPurchase } from "../lists.ts";
import { chunksOf, eachAtOnce } from "../parallel.ts";
import { counted, shortly } from "../text.ts";

/** Each is a statement to the database there, and a Worker may send as few as 50 for one request. */
const SENT_AT_ONCE = 30;

/** What was bought, after all accounts. `gather` takes in an account that was opened since their list was read. */
export async function gatherPurchases(
  { note }: Call,
  client: OperatorClient,
  driver: NodeSqlite,
  gather: (account: string) => Promise<void>,
): Promise<void> {
  const lost: string[] = [];
  for await (const purchase of everyPurchase(client)) {
    const { id, account, trouble } = purchase;
    const mayBeUnknown = trouble === "no_account";
    if (!mayBeUnknown && !hasAccount(driver, account)) await gather(account);
    if (mayBeUnknown || hasAccount(driver, account))
      takeRecords(driver, [purchaseToRecord(purchase)]);
    else lost.push(`${id} of ${account}`);
  }
  if (lost.length > 0) {
    note(
      `${counted(lost.length, "purchase is", "purchases are")} left out, because the service has no such account (${shortly(lost)}): payments reconcile says what became of the money.`,
    );
  }
}

/** After all accounts too. What is there already stays as it is: it may have been settled since. */
export async function movePurchases(client: OperatorClient, driver: NodeSqlite): Promise<void> {
  const sent = eachAtOnce(chunksOf(pagesOf(driver, "purchase"), SENT_AT_ONCE), (records) =>
    client.importPurchases({ records }),
  );
  for await (const _ of sent);
}
