import type { IndexedAccount } from "#accounts/account-index.ts";
import type { DeploymentDesk } from "#accounts/deployment-desk.ts";
import type { Address } from "#accounts/directory.ts";
import type { OperatorDesk } from "#accounts/operator-desk.ts";
import type { Purchase } from "#billing/purchase-book.ts";
import type { SalesDesk } from "#http/operator/sales-desk.ts";

/** Every account that was ever opened there, closed ones too, in the order in which they were. */
export const everyAccount = ({ listAccounts }: Pick<DeploymentDesk, "listAccounts">) =>
  every<IndexedAccount, IndexedAccount>(listAccounts, (account) => account);

/** Every address that has an account. */
export const everyAddress = ({ listAddresses }: Pick<OperatorDesk, "listAddresses">) =>
  every<Address, string>(listAddresses, ({ email }) => email);

/** What is kept of the addresses of closed accounts. */
export const everyClosed = ({ listClosed }: Pick<DeploymentDesk, "listClosed">) =>
  every<ClosedAddress, string>(listClosed, ({ emailHash }) => emailHash);

/** Everything that was bought, of every account, oldest first. */
export const everyPurchase = ({ listAllPurchases }: Pick<SalesDesk, "listAllPurchases">) =>
  every<Purchase, Pick<Purchase, "createdAt" | "id">>(listAllPurchases, ({ createdAt, id }) => ({
    createdAt,
    id,
  }));

type ClosedAddress = Awaited<ReturnType<DeploymentDesk["listClosed"]>>[number];

const PAGE = 1_000;

/** Page by page; `placeOf` says after which one the next page starts. */
async function* every<Item, Place>(
  list: (order: { after: Place | null; max: number }) => Promise<Item[]>,
  placeOf: (item: Item) => Place,
): AsyncGenerator<Item> {
  for (let after: Place | null = null; ; ) {
    const page: Item[] = await list({ after, max: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = placeOf(last);
  }
}
