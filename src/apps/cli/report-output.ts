import { decimalText } from "#billing/money.ts";
import type { RevenueRow } from "#billing/purchase-store.ts";
import { quotedCommand } from "#command-line.ts";
import type { GrantMade } from "#operator/context.ts";
import type { Outcome } from "./command.ts";
import { counted, csv, dayOf, instant, instantOrNull, integer, minute, table } from "./text.ts";
import type { LedgerAudit } from "./totals.ts";

/** A report, to be printed as text, JSON or CSV. */
export type Report = {
  /** Dates, both inclusive. */
  from: string;
  to: string;
  now: number;
  byDay: readonly DaySum[];
  accounts: readonly AccountSum[];
  grants: readonly GrantMade[];
  revenue: readonly RevenueRow[];
  audit: LedgerAudit;
};

export type DaySum = { day: string; tool: string; calls: number; credits: number };
export type AccountSum = {
  id: string;
  email: string | null;
  state: "open" | "suspended" | "closed" | "moving";
  /** The current balance; null while the account is being imported. */
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

function totalsOf({ byDay, accounts, grants, revenue }: Report): Totals {
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
    granted: sumOf(grants, (row) => row.amount),
    balance: sumOf(accounts, (row) => row.balance ?? 0),
    revenue: [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}

export function presentReport(report: Report): Outcome {
  const totals = totalsOf(report);
  const { from, to, byDay, accounts, grants, revenue, audit } = report;
  const emails = emailsOf(report);
  return {
    json: {
      from,
      to,
      calls: totals.calls,
      credits: totals.credits,
      granted: totals.granted,
      days: byDay,
      accounts,
      grants: grants.map(({ account, id, kind, amount, grantedAt, expiresAt }) => ({
        account,
        email: emails.get(account) ?? null,
        id,
        kind,
        amount,
        grantedAt: instant(grantedAt),
        expiresAt: instantOrNull(expiresAt),
      })),
      revenue: revenue.map((row) => ({ day: dayOf(row.day), ...inMoney(row) })),
      totals: { balance: totals.balance, revenue: totals.revenue.map(inMoney) },
      ledger: {
        ok: audit.faults.length === 0,
        accounts: audit.accounts,
        ...audit.totals,
      },
    },
    text: textOf(report, totals),
  };
}

/** Formats amounts as decimal strings with the currency's number of decimals. */
const inMoney = ({ currency, purchases, paid, refunds, refunded }: RevenueSum) => ({
  currency,
  purchases,
  paid: decimalText(paid, currency),
  refunds,
  refunded: decimalText(refunded, currency),
});

const emailsOf = ({ accounts }: Report) =>
  new Map(accounts.flatMap(({ id, email }) => (email === null ? [] : [[id, email] as const])));

function textOf(report: Report, totals: Totals): string {
  const { from, to, byDay, accounts, grants } = report;
  const emails = emailsOf(report);
  const nameOf = (id: string) => emails.get(id) ?? `${id} (closed)`;
  return [
    `${from} to ${to}, inclusive, UTC: ${counted(totals.calls, "call")}, ${counted(totals.credits, "credit")} debited, ${integer(totals.granted)} granted.\n`,
    byDay.length > 0 &&
      table(
        ["day (UTC)", "tool", "calls", "credits"],
        byDay.map((row) => [row.day, row.tool, row.calls, row.credits]),
      ),
    accounts.length > 0 &&
      table(
        ["account", "calls", "credits", "current balance"],
        accounts.map((row) => [nameOf(row.id), row.calls, row.credits, row.balance ?? row.state]),
      ),
    grants.length > 0 &&
      table(
        ["granted (UTC)", "account", "kind", "amount", "expires (UTC)"],
        grants.map((row) => [
          minute(row.grantedAt, ""),
          nameOf(row.account),
          row.kind,
          row.amount,
          minute(row.expiresAt, "never"),
        ]),
      ),
    revenueText(report, totals),
    ledgerText(report),
  ]
    .filter((part) => part !== false)
    .join("\n");
}

const REVENUE = ["currency", "purchases", "paid", "refunds", "refunded"];

function revenueText({ revenue }: Report, totals: Totals): string | false {
  if (revenue.length === 0) return false;
  const cells = (row: RevenueSum) => {
    const { currency, paid, refunded } = inMoney(row);
    return [currency.toUpperCase(), row.purchases, paid, row.refunds, refunded];
  };
  return table(
    ["day (UTC)", ...REVENUE],
    [
      ...revenue.map((row) => [dayOf(row.day), ...cells(row)]),
      ...totals.revenue.map((row) => ["total", ...cells(row)]),
    ],
  );
}

function ledgerText({ audit: { accounts, totals, faults } }: Report): string {
  if (totals === null || faults.length > 0)
    return `The ledger does not reconcile. For details, run ${quotedCommand("audit")}.\n`;
  const { granted, debited, reversed, remaining, expired, voided } = totals;
  return (
    `The ledger of ${counted(accounts, "account")} reconciles: ${integer(granted)} granted = ${integer(debited)} debited - ` +
    `${integer(reversed)} reversed + ${integer(remaining)} remaining + ${integer(expired)} expired + ${integer(voided)} voided.\n`
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

/** Formats the report as one table for spreadsheets. The column `kind` says what a line is about. */
export function reportCsv(report: Report): string {
  const { byDay, accounts, grants, revenue, audit, now } = report;
  const today = dayOf(now);
  const emails = emailsOf(report);
  const money = (row: RevenueRow, kind: string, count: number, amount: number) => [
    dayOf(row.day),
    kind,
    null,
    null,
    null,
    count,
    null,
    row.currency,
    decimalText(amount, row.currency),
  ];
  return csv(COLUMNS, [
    ...byDay.map(({ day, tool, calls, credits }) => [
      day,
      "usage",
      tool,
      null,
      null,
      calls,
      credits,
      null,
      null,
    ]),
    ...accounts.map(({ id, email, state, calls, credits }) => [
      null,
      "account",
      state,
      id,
      email,
      calls,
      credits,
      null,
      null,
    ]),
    ...grants.map(({ account, kind, amount, grantedAt }) => [
      dayOf(grantedAt),
      "grant",
      kind,
      account,
      emails.get(account) ?? null,
      1,
      amount,
      null,
      null,
    ]),
    ...revenue.flatMap((row) => [
      ...(row.purchases > 0 ? [money(row, "sale", row.purchases, row.paid)] : []),
      ...(row.refunds > 0 ? [money(row, "refund", row.refunds, row.refunded)] : []),
    ]),
    ...accounts.map(({ id, email, state, balance }) => [
      today,
      "balance",
      state,
      id,
      email,
      null,
      balance,
      null,
      null,
    ]),
    ...Object.entries(audit.totals ?? {}).map(([item, credits]) => [
      today,
      "ledger",
      item,
      null,
      null,
      null,
      credits,
      null,
      null,
    ]),
  ]);
}
