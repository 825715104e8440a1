import { AccountError } from "#accounts/people.ts";
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
import { ProviderUnreachable } from "#operator/reach-provider.ts";
import { readDay } from "./arguments.ts";
import { type Command, ProblemDetails } from "./command.ts";
import { command, type Session } from "./define-command.ts";
import { accountOf } from "./deployment.ts";
import { purchasesOf } from "./lists.ts";
import { createProgress } from "./progress.ts";
import { option, word } from "./takes.ts";
import { counted, dayOf, instant, minute, table, withInstants } from "./text.ts";

/** `payments …`: what was bought, and whether it is as the payment provider knows it. */
export const PAYMENT_COMMANDS: readonly Command[] = [
  command({
    name: "payments list",
    summary: "List what an account has bought, newest first",
    details: [
      "The id of an account (acc_…) may stand for the address: a closed account has none any more.",
      "Of credits whose price was paid back: how many were taken back, and how many were spent before and stay so.",
    ],
    example: "payments list you@example.com",
    takes: { of: word("<email>") },
    async run({ of }, session) {
      const account = isAccountId(of) ? of : (await accountOf(session, of)).account;
      const found: Purchase[] = [];
      for await (const each of purchasesOf(session.client, account)) found.push(each);
      const rows = found.map((one) => [
        ...[minute(one.createdAt, ""), one.id, one.offer.name, one.offer.credits],
        `${decimalText(one.status === "paid" ? one.paid : one.price, one.currency)} ${one.currency.toUpperCase()}`,
        one.trouble ?? one.status,
        one.refunded === 0 ? "" : decimalText(one.refunded, one.currency),
        one.dispute === "none" ? "" : one.dispute,
        ...[one.voided || "", one.spent || ""],
      ]);
      const headings = ["begun (UTC)", "purchase", "name", "credits", "amount", "status"];
      return {
        json: { account, purchases: found.map(present) },
        text:
          rows.length === 0
            ? "Nothing was bought.\n"
            : table([...headings, "paid back", "dispute", "taken back", "spent"], rows),
      };
    },
  }),
  command({
    name: "payments reconcile",
    summary:
      "Ask Stripe for every payment, and make credits and purchases so; exit 1 if a person has to decide",
    details: [
      "For when messages of Stripe's were missed: it settles as they would have. It can be run at any time and as often as wanted, beside running servers, with the same SECRET, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES; with --remote the service uses its own.",
      "Without --since it looks at purchases of the last 120 days, because a card payment can be disputed for so long.",
    ],
    example: "payments reconcile --since 2026-01-01",
    takes: { since: option("DATE", readDay) },
    async run(given, session) {
      const since = given.since?.start ?? daysAgo(session.now);
      const compared = await comparePayments(partsOf(session), { since }).catch(goOnLater);
      const { looked, inOrder, settledNow, inTrouble } = compared;
      const ok = inTrouble.length === 0;
      const lines = [
        `${counted(looked, "purchase")} since ${dayOf(since)}: ${inOrder} in order, ${settledNow.length} settled now, ${inTrouble.length} for you to decide.\n`,
        ...settledNow.map((one) => `- Settled now: ${named(one)}, ${one.status}.\n`),
        ...inTrouble.map((one) => `- ${named(one)}: ${one.what} ${one.todo}\n`),
      ];
      return {
        json: { ok, since: instant(since), looked, inOrder, settledNow, inTrouble },
        text: lines.join(""),
        exitCode: ok ? 0 : 1,
      };
    },
  }),
];

/** Amounts of money as decimal texts, times as instants. */
function present({ offer, account: _, payUrl: __, updatedAt: ___, ...it }: Purchase) {
  const money = (amount: number) => decimalText(amount, it.currency);
  const { price, paid, refunded } = it;
  return {
    ...withInstants(it),
    ...{ offer: offer.id, kind: offer.kind, name: offer.name, credits: offer.credits },
    ...{ price: money(price), paid: money(paid), refunded: money(refunded) },
  };
}

/** Card networks take a dispute for so long after the payment. */
const SINCE_DAYS = 120;

/** Payments come page by page, and each is settled by a question of its own: however many there are, none takes long. */
function partsOf({ client, note }: Session): ComparisonDeps {
  const progress = createProgress({ note }, "looked at");
  return {
    payments: ({ since }) => listAllPayments(client.listPayments, since),
    listAll: client.listAllPurchases,
    settle(ref) {
      progress.step();
      return client.settlePurchase({ ref });
    },
  };
}

function goOnLater(error: Error): never {
  if (error instanceof AccountError) throw new ProblemDetails(error.message);
  if (!(error instanceof ProviderUnreachable)) throw error;
  throw new ProblemDetails(
    `${error.message.replace(/\.$/, "")}. What was settled stays so; run the command again later.`,
  );
}

const daysAgo = (now: number) => now - (now % DAY_MS) - SINCE_DAYS * DAY_MS;

const named = ({ purchase, account, payment, session }: ComparedPayment) =>
  `${purchase} of ${account} (${payment ?? session ?? "no payment"})`;
