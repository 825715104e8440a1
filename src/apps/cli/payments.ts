import { AccountError } from "#accounts/accounts.ts";
import {
  type ComparedPayment,
  type ComparisonDeps,
  comparePayments,
} from "#billing/compare-payments.ts";
import { decimalText } from "#billing/money.ts";
import { listAllPayments } from "#billing/payment-provider.ts";
import type { Purchase } from "#billing/purchase-store.ts";
import { isAccountId } from "#ids.ts";
import { DAY_MS } from "#limits.ts";
import { ProviderUnreachable } from "#operator/context.ts";
import { readDay } from "./arguments.ts";
import { type Command, CommandError, option, positional, type Session } from "./command.ts";
import { accountOf, command } from "./deployment.ts";
import { createProgress, purchasesOf } from "./lists.ts";
import { counted, dayOf, instant, minute, table, withInstants } from "./text.ts";

export const PAYMENT_COMMANDS: readonly Command[] = [
  command({
    name: "payments list",
    summary: "List the purchases of an account, newest first",
    details: [
      "You can use the account's id (acc_…) instead of the address, because a closed account has no address.",
      "For refunded purchases the list shows how many credits were clawed back, and how many had already been spent.",
    ],
    example: "payments list you@example.com",
    parameters: { owner: positional("<email>") },
    async run({ owner }, session) {
      const account = isAccountId(owner) ? owner : (await accountOf(session, owner)).account;
      const purchases: Purchase[] = [];
      for await (const each of purchasesOf(session.client, account)) purchases.push(each);
      const rows = purchases.map((one) => [
        minute(one.createdAt, ""),
        one.id,
        one.offer.name,
        one.offer.credits,
        `${decimalText(one.status === "paid" ? one.paid : one.price, one.currency)} ${one.currency.toUpperCase()}`,
        one.trouble ?? one.status,
        one.refunded === 0 ? "" : decimalText(one.refunded, one.currency),
        one.dispute === "none" ? "" : one.dispute,
        one.voided || "",
        one.spent || "",
      ]);
      const headings = ["created (UTC)", "purchase", "name", "credits", "amount", "status"];
      return {
        json: { account, purchases: purchases.map(toJson) },
        text:
          rows.length === 0
            ? "The account has no purchases.\n"
            : table([...headings, "refunded", "dispute", "clawed back", "spent"], rows),
      };
    },
  }),
  command({
    name: "payments reconcile",
    summary:
      "Compare purchases with Stripe and correct them; exit 1 if something needs your decision",
    details: [
      "Asks Stripe for every payment and updates purchases and credits to match. This repairs the effects of missed Stripe events. You can run it at any time while servers run, with the same SECRET, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES. With --remote the service uses its own settings.",
      "Without --since it compares the last 120 days, the period in which a card payment can be disputed.",
    ],
    example: "payments reconcile --since 2026-01-01",
    parameters: { since: option("DATE", readDay) },
    async run(args, session) {
      const since = args.since?.start ?? daysAgo(session.now);
      const compared = await comparePayments(depsOf(session), { since }).catch(
        explainProviderError,
      );
      const { looked, inOrder, settledNow, inTrouble } = compared;
      const ok = inTrouble.length === 0;
      const lines = [
        `Compared ${counted(looked, "purchase")} since ${dayOf(since)}: ${inOrder} unchanged, ${settledNow.length} corrected, ${inTrouble.length} for you to decide.\n`,
        ...settledNow.map((one) => `- Corrected: ${describe(one)}, ${one.status}.\n`),
        ...inTrouble.map((one) => `- ${describe(one)}: ${one.what} ${one.todo}\n`),
      ];
      return {
        json: { ok, since: instant(since), looked, inOrder, settledNow, inTrouble },
        text: lines.join(""),
        exitCode: ok ? 0 : 1,
      };
    },
  }),
];

/** Formats amounts of money as decimal strings and times as ISO 8601. */
function toJson({ offer, account: _, payUrl: __, updatedAt: ___, ...purchase }: Purchase) {
  const money = (amount: number) => decimalText(amount, purchase.currency);
  const { price, paid, refunded } = purchase;
  return {
    ...withInstants(purchase),
    offer: offer.id,
    kind: offer.kind,
    name: offer.name,
    credits: offer.credits,
    price: money(price),
    paid: money(paid),
    refunded: money(refunded),
  };
}

/** Card networks accept disputes for 120 days after the payment. */
const SINCE_DAYS = 120;

/** Payments are listed page by page and settled one by one, so that no request takes long. */
function depsOf({ client, log }: Session): ComparisonDeps {
  const progress = createProgress({ log }, "looked at");
  return {
    payments: ({ since }) => listAllPayments(client.listPayments, since),
    listAll: client.listAllPurchases,
    settle(ref) {
      progress.step();
      return client.settlePurchase({ ref });
    },
  };
}

function explainProviderError(error: Error): never {
  if (error instanceof AccountError) throw new CommandError(error.message);
  if (!(error instanceof ProviderUnreachable)) throw error;
  throw new CommandError(
    `${error.message.replace(/\.$/, "")}. Corrections made so far are kept. Run the command again later.`,
  );
}

const daysAgo = (now: number) => now - (now % DAY_MS) - SINCE_DAYS * DAY_MS;

const describe = ({ purchase, account, payment, session }: ComparedPayment) =>
  `${purchase} of ${account} (${payment ?? session ?? "no payment"})`;
