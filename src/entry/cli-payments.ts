import type { ComparedPayment } from "#billing/compare-payments.ts";
import { decimalText } from "#billing/money.ts";
import type { Purchase } from "#billing/purchase-book.ts";
import { isAccountId } from "#ids.ts";
import { DAY_MS } from "#limits.ts";
import { accountOf } from "./cli-accounts.ts";
import { readDay } from "./cli-arguments.ts";
import { type Books, withBooks } from "./cli-books.ts";
import type { Call, Command, Outcome } from "./cli-command.ts";
import { counted, dayOf, instant, instantOrNull, minute, table } from "./cli-text.ts";

/** `payments …`: what was bought, and whether it is as the payment provider knows it. */
export const PAYMENT_COMMANDS: readonly Command[] = [
  {
    name: "payments list",
    form: "<email>",
    summary: "List what an account has bought, newest first",
    details: [
      "The id of an account (acc_…) may stand for the address: a closed account has none any more.",
      "Of credits whose price was paid back: how many were taken back, and how many were spent before and stay so.",
    ],
    example: "payments list you@example.com",
    words: ["<email>"],
    run: list,
  },
  {
    name: "payments reconcile",
    form: "[--since DATE]",
    summary:
      "Ask Stripe for every payment, and make credits and purchases so; exit 1 if a person has to decide",
    details: [
      "For when messages of Stripe's were missed: it settles as they would have. It can be run at any time and as often as wanted, beside running servers, with the same SECRET, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES; with --remote the service uses its own.",
      "Without --since it looks at purchases of the last 120 days, because a card payment can be disputed for so long.",
    ],
    example: "payments reconcile --since 2026-01-01",
    words: [],
    options: { since: { type: "string" } },
    run: reconcile,
  },
];

const PAGE = 200;

async function list(call: Call): Promise<Outcome> {
  return withBooks(call, async (books) => {
    const word = call.words[0] as string;
    const account = isAccountId(word) ? word : (await accountOf(books, word)).account;
    const found: Purchase[] = [];
    for await (const page of purchasesOf(books, account)) found.push(...page);
    const rows = found.map((one) => [
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
    const headings = ["begun (UTC)", "purchase", "name", "credits", "amount", "status"];
    return {
      json: { account, purchases: found.map(present) },
      text:
        rows.length === 0
          ? "Nothing was bought.\n"
          : table([...headings, "paid back", "dispute", "taken back", "spent"], rows),
    };
  });
}

async function* purchasesOf({ purchases }: Books, account: string) {
  for (let after: string | null = null; ; ) {
    const page: Purchase[] = await purchases.list({ account, after, max: PAGE });
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? null;
  }
}

/** Amounts of money as decimal texts, times as instants. */
function present({ offer, ...it }: Purchase) {
  const money = (amount: number) => decimalText(amount, it.currency);
  return {
    ...{ id: it.id, createdAt: instant(it.createdAt), offer: offer.id, kind: offer.kind },
    ...{ name: offer.name, credits: offer.credits, currency: it.currency },
    ...{ price: money(it.price), status: it.status, paidAt: instantOrNull(it.paidAt) },
    ...{ paid: money(it.paid), refunded: money(it.refunded) },
    ...{ refundedAt: instantOrNull(it.refundedAt), dispute: it.dispute, trouble: it.trouble },
    ...{ session: it.session, payment: it.payment, grant: it.grant },
    ...{ voided: it.voided, spent: it.spent },
    ...{ receiptUrl: it.receiptUrl, invoiceUrl: it.invoiceUrl },
  };
}

/** Card networks take a dispute for so long after the payment. */
const SINCE_DAYS = 120;

async function reconcile(call: Call): Promise<Outcome> {
  const given = call.option("since");
  const since = given === undefined ? daysAgo(call.now) : readDay(given, "--since").start;
  return withBooks(call, async (books) => {
    const { looked, inOrder, settledNow, inTrouble } = await books.comparePayments({ since });
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
  });
}

const daysAgo = (now: number) => now - (now % DAY_MS) - SINCE_DAYS * DAY_MS;

const named = ({ purchase, account, payment, session }: ComparedPayment) =>
  `${purchase} of ${account} (${payment ?? session ?? "no payment"})`;
