import { decimalText } from "#billing/money.ts";
import type { RevenueRow } from "#billing/purchase-store.ts";
import type { GrantMade } from "#operator/context.ts";
import type { Outcome } from "./command.ts";
import { csv } from "./csv.ts";
import { counted, dayOf, instant, instantOrNull, minute, table, whole } from "./text.ts";
import type { Totals as LedgerTotals } from "./totals.ts";

/** What a report has found, as text, as JSON and as one table. */
export type Report = {
  /** Days, both included. */
  from: string;
  to: string;
  now: number;
  byDay: readonly DaySum[];
  accounts: readonly AccountSum[];
  made: readonly GrantMade[];
  revenue: readonly RevenueRow[];
  totals: LedgerTotals;
};

export type DaySum = { day: string; tool: string; calls: number; credits: number };
export type AccountSum = {
  id: string;
  email: string | null;
  state: "open" | "suspended" | "closed" | "moving";
  /** Of now; null while the account is being moved. */
  balance: number | null;
  calls: number;
  credits: number;
};

type Totals = {
  calls: number;
  credits: number;
  granted: number;
  balance: number;
  revenue: RevenueSum[];
};
type RevenueSum = Omit<RevenueRow, "day">;

const sumOf = <Row>(rows: readonly Row[], value: (row: Row) => number) =>
  rows.reduce((sum, row) => sum + value(row), 0);

function totalsOf({ byDay, accounts, made, revenue }: Report): Totals {
  const byCurrency = new Map<string, RevenueSum>();
  for (const { currency, purchases, paid, refunds, refunded } of revenue) {
    const sum = byCurrency.get(currency);
    byCurrency.set(currency, {
      currency,
      purchases: purchases + (sum?.purchases ?? 0),
      paid: paid + (sum?.paid ?? 0),
      refunds: refunds + (sum?.refunds ?? 0),
      refunded: refunded + (sum?.refunded ?? 0),
    });
  }
  return {
    calls: sumOf(byDay, (row) => row.calls),
    credits: sumOf(byDay, (row) => row.credits),
    granted: sumOf(made, (row) => row.amount),
    balance: sumOf(accounts, (row) => row.balance ?? 0),
    revenue: [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}

export function presentReport(report: Report): Outcome {
  const totals = totalsOf(report);
  const { from, to, byDay, accounts, made, revenue, totals: ledgerTotals } = report;
  const emails = emailsOf(report);
  return {
    json: {
      ...{ from, to, calls: totals.calls, credits: totals.credits, granted: totals.granted },
      days: byDay,
      accounts,
      grants: made.map(({ account, id, kind, amount, grantedAt, expiresAt }) => ({
        ...{ account, email: emails.get(account) ?? null, id, kind, amount },
        ...{ grantedAt: instant(grantedAt), expiresAt: instantOrNull(expiresAt) },
      })),
      revenue: revenue.map((row) => ({ day: dayOf(row.day), ...inMoney(row) })),
      totals: { balance: totals.balance, revenue: totals.revenue.map(inMoney) },
      ledger: {
        ok: ledgerTotals.faults.length === 0,
        accounts: ledgerTotals.accounts,
        ...ledgerTotals.totals,
      },
    },
    text: textOf(report, totals),
  };
}

/** Amounts as decimal texts, in the currency's own digits. */
const inMoney = ({ currency, purchases, paid, refunds, refunded }: RevenueSum) => ({
  ...{ currency, purchases, paid: decimalText(paid, currency) },
  ...{ refunds, refunded: decimalText(refunded, currency) },
});

const emailsOf = ({ accounts }: Report) =>
  new Map(accounts.flatMap(({ id, email }) => (email === null ? [] : [[id, email] as const])));

function textOf(report: Report, totals: Totals): string {
  const { from, to, byDay, accounts, made } = report;
  const emails = emailsOf(report);
  const who = (id: string) => emails.get(id) ?? `${id} (closed)`;
  return [
    `${from} to ${to}, both included, in UTC: ${counted(totals.calls, "call")}, ${counted(totals.credits, "credit")} debited, ${whole(totals.granted)} granted.\n`,
    byDay.length > 0 &&
      table(
        ["day (UTC)", "tool", "calls", "credits"],
        byDay.map((row) => [row.day, row.tool, row.calls, row.credits]),
      ),
    accounts.length > 0 &&
      table(
        ["account", "calls", "credits", "balance now"],
        accounts.map((row) => [who(row.id), row.calls, row.credits, row.balance ?? row.state]),
      ),
    made.length > 0 &&
      table(
        ["granted (UTC)", "account", "kind", "amount", "expires (UTC)"],
        made.map((row) => [
          ...[minute(row.grantedAt, ""), who(row.account), row.kind],
          ...[row.amount, minute(row.expiresAt, "never")],
        ]),
      ),
    revenueText(report, totals),
    totalsText(report),
  ]
    .filter((part) => part !== false)
    .join("\n");
}

const REVENUE = ["currency", "purchases", "paid", "paid back of", "paid back"];

function revenueText({ revenue }: Report, totals: Totals): string | false {
  if (revenue.length === 0) return false;
  const cells = (row: RevenueSum) => {
    const { currency, paid, refunded } = inMoney(row);
    return [currency.toUpperCase(), row.purchases, paid, row.refunds, refunded];
  };
  return table(
    ["paid (UTC)", ...REVENUE],
    [
      ...revenue.map((row) => [dayOf(row.day), ...cells(row)]),
      ...totals.revenue.map((row) => ["together", ...cells(row)]),
    ],
  );
}

function totalsText({ totals: { accounts, totals: ledgerTotals, faults } }: Report): string {
  if (ledgerTotals === null || faults.length > 0) return "The books do not reconcile: run audit.\n";
  const { granted, debited, reversed, remaining, expired, voided } = ledgerTotals;
  return (
    `The books of ${counted(accounts, "account")} reconcile now: ${whole(granted)} granted = ${whole(debited)} debited - ` +
    `${whole(reversed)} reversed + ${whole(remaining)} remaining + ${whole(expired)} expired + ${whole(voided)} voided.\n`
  );
}

const COLUMNS = [
  "day",
  "kind",
  "item",
  "account",
  "email",
  "count",
  "credits",
  "currency",
  "amount",
];

/** One table, for spreadsheets and pivot tables: what a line is of stands in its column `kind`. */
export function reportCsv(report: Report): string {
  const { byDay, accounts, made, revenue, totals: ledgerTotals, now } = report;
  const today = dayOf(now);
  const emails = emailsOf(report);
  const money = (row: RevenueRow, kind: string, count: number, amount: number) => [
    ...[dayOf(row.day), kind, null, null, null, count, null],
    ...[row.currency, decimalText(amount, row.currency)],
  ];
  return csv(COLUMNS, [
    ...byDay.map(({ day, tool, calls, credits }) => [
      ...[day, "usage", tool, null, null, calls, credits, null, null],
    ]),
    ...accounts.map(({ id, email, state, calls, credits }) => [
      ...[null, "account", state, id, email, calls, credits, null, null],
    ]),
    ...made.map(({ account, kind, amount, grantedAt }) => [
      ...[dayOf(grantedAt), "grant", kind, account, emails.get(account) ?? null],
      ...[1, amount, null, null],
    ]),
    ...revenue.flatMap((row) => [
      ...(row.purchases > 0 ? [money(row, "sale", row.purchases, row.paid)] : []),
      ...(row.refunds > 0 ? [money(row, "refund", row.refunds, row.refunded)] : []),
    ]),
    ...accounts.map(({ id, email, state, balance }) => [
      ...[today, "balance", state, id, email, null, balance, null, null],
    ]),
    ...Object.entries(ledgerTotals.totals ?? {}).map(([item, credits]) => [
      ...[today, "ledger", item, null, null, null, credits, null, null],
    ]),
  ]);
}
