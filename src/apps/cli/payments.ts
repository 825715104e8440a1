import type * as z from "zod";
import { counted } from "#counted.ts";
import { listPayments, reconcilePayments } from "#operator/payments.ts";
import { commandOf, defineCommand } from "./command.ts";
import { minute, table } from "./text.ts";

const HEADINGS = [
  ...["created (UTC)", "purchase", "name", "credits", "amount", "status"],
  ...["refunded", "dispute", "clawed back", "spent"],
];
type Compared = z.infer<typeof reconcilePayments.output>;

export const PAYMENT_COMMANDS = [
  commandOf(listPayments, {
    details: [
      "You can use the account's id (acc_…) instead of the address, because a closed account has no address.",
      "For refunded purchases the list shows how many credits were clawed back, and how many had already been spent.",
    ],
    example: "payments list you@example.com",
    positionals: ["email"],
    print({ purchases }) {
      if (purchases.length === 0) return "The account has no purchases.\n";
      const isZero = (amount: string) => Number(amount) === 0;
      const rows = purchases.map((one) => [
        ...[minute(one.createdAt, ""), one.id, one.name, one.credits],
        `${one.status === "paid" ? one.paid : one.price} ${one.currency.toUpperCase()}`,
        ...[one.trouble ?? one.status, isZero(one.refunded) ? "" : one.refunded],
        ...[one.dispute === "none" ? "" : one.dispute, one.voided || "", one.spent || ""],
      ]);
      return table(HEADINGS, rows);
    },
  }),
  defineCommand({
    name: reconcilePayments.name,
    summary: reconcilePayments.summary,
    details: [
      "Asks Stripe for every payment and updates purchases and credits to match. This repairs the effects of missed Stripe events. You can run it at any time.",
      "Without --since it compares the last 120 days, the period in which a card payment can be disputed.",
    ],
    example: "payments reconcile --since 2026-01-01",
    input: reconcilePayments.input,
    async run({ connect, log }, input) {
      const client = connect();
      const sum = await client.send(reconcilePayments, input);
      while (sum.next !== null) {
        const { next, ...page }: Compared = await client.send(reconcilePayments, {
          ...{ ...input, after: sum.next },
        });
        sum.looked += page.looked;
        sum.inOrder += page.inOrder;
        sum.settledNow.push(...page.settledNow);
        sum.inTrouble.push(...page.inTrouble);
        sum.next = next;
        log(`${counted(sum.looked, "purchase")} compared so far …`);
      }
      const { next: _, ...compared } = sum;
      const ok = compared.inTrouble.length === 0;
      return { json: { ...compared, ok }, text: textOf(sum), exitCode: ok ? 0 : 1 };
    },
  }),
];

const textOf = ({ looked, since, inOrder, settledNow, inTrouble }: Compared) =>
  [
    `Compared ${counted(looked, "purchase")} since ${since.slice(0, 10)}: ${inOrder} unchanged, ${settledNow.length} corrected, ${inTrouble.length} for you to decide.\n`,
    ...settledNow.map((one) => `- Corrected: ${describe(one)}, ${one.status}.\n`),
    ...inTrouble.map((one) => `- ${describe(one)}: ${one.what} ${one.todo}\n`),
  ].join("");

const describe = ({ purchase, account, payment, session }: Compared["settledNow"][number]) =>
  `${purchase} of ${account} (${payment ?? session ?? "no payment"})`;
