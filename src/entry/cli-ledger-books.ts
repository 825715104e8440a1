import type { Directory } from "#accounts/directory.ts";
import { createOperatorDesk } from "#accounts/operator-desk.ts";
import type { TellWiring } from "#accounts/tell-person.ts";
import { auditPurchases } from "#billing/audit-purchases.ts";
import { ProviderAway, ProviderRefused } from "#billing/payment-provider.ts";
import type { PurchaseBook } from "#billing/purchase-book.ts";
import { randomBase62 } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { wayOf } from "#mail/read-mail-settings.ts";
import type { Books } from "./cli-books.ts";
import { type Call, Refusal } from "./cli-command.ts";
import { baseOf } from "./node-addresses.ts";
import { openBilling } from "./node-billing.ts";
import { hashKey, random } from "./node-house.ts";

/** What a store at hand brings, whichever it is. */
type Stored = Pick<TellWiring, "journal" | "queue"> & {
  place: string;
  ledger: Ledger;
  directory: Directory;
  purchases: PurchaseBook;
  grants: Books["grants"];
  secrets(): Promise<readonly string[]>;
};

/** What is the same for books in any store that the command line opens itself. */
export function booksOver(
  call: Call,
  stored: Stored,
): Omit<Books, "audit" | "exportLines" | "explain" | "close"> {
  const { config, now } = call;
  const { place, ledger, directory, journal, queue, purchases, grants, secrets } = stored;
  const publicUrl = baseOf(config, config.port);
  return {
    ...{ place, random, purchases, grants },
    desk: createOperatorDesk({
      ...{ ledger, directory },
      desk: async () => ({ ledger, directory, secrets: await secrets(), random, hashKey }),
      tell: { journal, queue, random, publicUrl, way: wayOf(config.mail) },
    }),
    async sums() {
      const { accounts, books, faults } = await ledger.audit({ now });
      const sold = await auditPurchases(purchases, { ledger, grants }, now);
      return { accounts, books, faults: [...faults, ...sold] };
    },
    usage: (from, to) => usageOf(ledger, from, to),
    comparePayments: (order) => comparePayments(call, stored, order),
    linksLead: config.publicUrl === null ? ` Its links lead to ${publicUrl}: set PUBLIC_URL.` : "",
  };
}

async function comparePayments(
  { config: { stripe } }: Call,
  { ledger, purchases: book, secrets }: Stored,
  order: { since: number },
) {
  if (stripe === null) {
    throw new Refusal(
      "Payments are compared with Stripe: set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES as for the server.",
    );
  }
  const billing = await openBilling({
    ...{ stripe, secrets: await secrets(), book, ledger, now: Date.now },
    // Nothing is sold from here.
    prices: { packs: [], lifetime: null, taxes: "none", contact: null },
    newId: (prefix) => `${prefix}_${randomBase62(24, random)}`,
  });
  try {
    return await billing.compare(order);
  } catch (error) {
    if (error instanceof ProviderRefused) throw new Refusal(error.message);
    if (!(error instanceof ProviderAway)) throw error;
    throw new Refusal(
      `${error.message.replace(/\.$/, "")}. What was settled stays so; run the command again later.`,
    );
  }
}

const DAYS_AT_ONCE_MS = 31 * DAY_MS;

/** A month at a time, so that a report on years needs no more memory. */
async function* usageOf({ usage }: Pick<Ledger, "usage">, start: number, end: number) {
  for (let from = start; from < end; from += DAYS_AT_ONCE_MS) {
    yield await usage({ account: null, from, to: Math.min(end, from + DAYS_AT_ONCE_MS) });
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
  throw new Refusal(
    `The data in ${place} has no secret of its own: its server is given one. Set SECRET to the same value for this command.`,
  );
}
