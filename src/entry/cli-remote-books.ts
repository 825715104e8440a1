import type { IndexedAccount } from "#accounts/account-index.ts";
import { auditPurchases } from "#billing/audit-purchases.ts";
import { type ComparisonParts, comparePayments } from "#billing/compare-payments.ts";
import { everyPayment } from "#billing/every-payment.ts";
import { addBooks, noBooks } from "#ledger/books.ts";
import { DAY_MS } from "#limits.ts";
import type { Audited, Books } from "./cli-books.ts";
import type { Call } from "./cli-command.ts";
import { everyAccount } from "./cli-lists.ts";
import { eachAtOnce } from "./cli-parallel.ts";
import { createProgress } from "./cli-progress.ts";
import type { Remote } from "./cli-remote-address.ts";
import { createRemoteDesk, type RemoteDesk } from "./cli-remote-client.ts";
import { exportRemote } from "./cli-remote-export.ts";
import { unlessMoved } from "./cli-remote-faults.ts";
import { random } from "./node-house.ts";

/** The books of a deployed service, put together account by account. */
export function openRemoteBooks(call: Call, remote: Remote): Books {
  const desk = createRemoteDesk(remote);
  return {
    ...{ place: remote.url, random, desk },
    audit: () => audit(call, desk),
    sums: () => audit(call, desk),
    usage: (from, to) => usageOf(call, desk, from, to),
    grants: () => grantsOf(call, desk),
    purchases: { list: desk.listPurchases, revenue: desk.revenue },
    comparePayments: (order) => comparePayments(partsOf(call, desk), order),
    exportLines: (_, write) => exportRemote(call, desk, write),
    linksLead: "",
    async close() {},
  };
}

/** Payments come page by page, and each is settled by a question of its own: however many there are, none takes long. */
function partsOf(call: Call, desk: RemoteDesk): ComparisonParts {
  const progress = createProgress(call, "looked at");
  return {
    payments: ({ since }) => everyPayment(desk.listPayments, since),
    listAll: desk.listAllPurchases,
    settle(ref) {
      progress.step();
      return desk.settlePurchase({ ref });
    },
  };
}

async function audit(call: Call, desk: RemoteDesk): Promise<Audited> {
  const { now } = call;
  const books = noBooks();
  const faults: string[] = [];
  let accounts = 0;
  const progress = createProgress(call, "audited");
  const audits = eachAtOnce(everyAccount(desk), ({ account }) =>
    unlessMoved(desk.audit({ account, now })),
  );
  for await (const asked of audits) {
    progress.step();
    if ("moved" in asked) {
      faults.push(asked.moved);
      continue;
    }
    const own = asked.result;
    // Listed, but never opened: its making broke off.
    if (own === null) continue;
    accounts += own.accounts;
    addBooks(books, own.books);
    faults.push(...own.faults);
  }
  const sold = { ledger: desk, grants: () => grantsOf(call, desk) };
  faults.push(...(await auditPurchases({ listAll: desk.listAllPurchases }, sold, now)));
  return { accounts, books, faults, damage: [] };
}

const DAYS_AT_ONCE_MS = 31 * DAY_MS;

/** A month in a question, and only what lies in the account's life: a day more on both sides, for clocks differ. */
async function* usageOf(call: Call, desk: RemoteDesk, start: number, end: number) {
  const progress = createProgress(call, "summed up");
  const used = async ({ account, createdAt }: IndexedAccount) => {
    const rows = [];
    const last = Math.min(end, call.now + DAY_MS);
    for (let from = Math.max(start, createdAt - DAY_MS); from < last; from += DAYS_AT_ONCE_MS) {
      const to = Math.min(last, from + DAYS_AT_ONCE_MS);
      rows.push(...(await desk.usage({ account, from, to })));
    }
    return rows;
  };
  const asked = eachAtOnce(everyAccount(desk), (one) => unlessMoved(used(one)));
  for await (const answer of asked) {
    progress.step();
    if ("moved" in answer) call.note(`${answer.moved} It is left out.`);
    else yield answer.result;
  }
}

async function* grantsOf({ now }: Call, desk: RemoteDesk) {
  for await (const answer of eachAtOnce(everyAccount(desk), async ({ account }) => ({
    ...{ account, asked: await unlessMoved(desk.credits({ account, now })) },
  }))) {
    const { account, asked } = answer;
    // That it is left out was told with what was used.
    if ("moved" in asked) continue;
    yield asked.result.grants.map((grant) => ({ account, ...grant }));
  }
}
