import * as z from "zod";
import { decimalText, minorUnitsOf } from "#billing/money.ts";
import { quotedCommand } from "#command-line.ts";
import { counted, formatNumber } from "#counted.ts";
import { addTotals } from "#ledger/reconcile.ts";
import { report } from "#operator/report.ts";
import type { Client } from "./client.ts";
import { defineCommand } from "./command.ts";
import { UsageError } from "./command-error.ts";
import { csv, minute, table } from "./text.ts";

type Page = z.infer<typeof report.output>;
type Revenue = Omit<Page["revenue"][number], "day">;
type Report = Omit<Page, "next"> & {
  totals: { balance: number; revenue: Revenue[] };
  calls: number;
  credits: number;
  granted: number;
};

export const REPORT_COMMANDS = [
  defineCommand({
    name: report.name,
    summary: report.summary,
    details: [
      "Both dates are included, and days start at midnight UTC. Reversed calls are not counted. Balances and ledger totals are current. A refund counts in full on the day on which the service first saw it.",
      "With --csv the report is one table. Its column kind says what a line is about: usage, account, grant, sale, refund, balance or ledger.",
    ],
    example: "report --from 2026-01-01 --to 2026-01-31",
    input: report.input.safeExtend({ csv: z.boolean().optional() }),
    async run({ connect, json, log, now }, { csv: asCsv, ...period }) {
      if (asCsv === true && json) throw new UsageError("Use either --csv or --json.");
      const whole = totalsOf(await readPages(connect(), period, log));
      const today = new Date(now).toISOString().slice(0, 10);
      if (asCsv === true) return { json: {}, text: csvOf(whole, today) };
      const { totals: ledgerTotals, ...ledger } = whole.ledger;
      const object = { ...whole, ledger: { ...ledger, ...ledgerTotals } };
      return { json: object, text: textOf(whole) };
    },
  }),
];

/** Where each account has a database of its own, a request covers only some. */
async function readPages(
  client: Client,
  period: z.input<typeof report.input>,
  log: (line: string) => void,
): Promise<Page> {
  const whole = await client.send(report, period);
  const days = new Map(whole.days.map((each) => [`${each.day} ${each.tool}`, each]));
  while (whole.next !== null) {
    const page: Page = await client.send(report, { ...period, after: whole.next });
    for (const each of page.days) {
      const sum = days.get(`${each.day} ${each.tool}`);
      const { calls = 0, credits = 0 } = sum ?? {};
      const added = { calls: calls + each.calls, credits: credits + each.credits };
      days.set(`${each.day} ${each.tool}`, { ...each, ...added });
    }
    whole.accounts.push(...page.accounts);
    whole.grants.push(...page.grants);
    whole.revenue.push(...page.revenue);
    whole.ledger.ok &&= page.ledger.ok;
    whole.ledger.accounts += page.ledger.accounts;
    if (whole.ledger.totals !== null && page.ledger.totals !== null)
      addTotals(whole.ledger.totals, page.ledger.totals);
    whole.next = page.next;
    log(`${counted(whole.ledger.accounts, "account")} read so far …`);
  }
  return { ...whole, days: [...days.values()] };
}

function totalsOf({ next: _, ...page }: Page): Report {
  const sumOf = <Row>(rows: readonly Row[], value: (row: Row) => number) =>
    rows.reduce((sum, row) => sum + value(row), 0);
  const balanceOf = ({ balance }: Page["accounts"][number]) => balance;
  return {
    ...page,
    days: page.days.sort((a, b) => (`${a.day} ${a.tool}` < `${b.day} ${b.tool}` ? -1 : 1)),
    accounts: page.accounts.sort(
      (a, b) => b.calls - a.calls || balanceOf(b) - balanceOf(a) || (a.id < b.id ? -1 : 1),
    ),
    grants: page.grants.sort((a, b) => (a.grantedAt < b.grantedAt ? -1 : 1)),
    calls: sumOf(page.days, ({ calls }) => calls),
    credits: sumOf(page.days, ({ credits }) => credits),
    granted: sumOf(page.grants, ({ amount }) => amount),
    totals: { balance: sumOf(page.accounts, balanceOf), revenue: revenueTotals(page.revenue) },
  };
}

function revenueTotals(rows: Page["revenue"]): Revenue[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    const count = (of: "purchases" | "refunds") => own.reduce((sum, row) => sum + row[of], 0);
    const money = (of: "paid" | "refunded") =>
      decimalText(
        own.reduce((sum, row) => sum + minorUnitsOf(row[of], currency), 0),
        currency,
      );
    return {
      ...{ currency, purchases: count("purchases"), paid: money("paid") },
      ...{ refunds: count("refunds"), refunded: money("refunded") },
    };
  });
}

/** An account without an address is closed, or was imported while another account had its address. */
const nameOf = ({ id, email, state }: Page["accounts"][number]): string =>
  email ?? (state === "closed" ? `${id} (closed)` : id);

function textOf(whole: Report): string {
  const { from, to, days, accounts, grants, revenue } = whole;
  const names = new Map(accounts.map((row) => [row.id, nameOf(row)]));
  return [
    `${from} to ${to}, inclusive, UTC: ${counted(whole.calls, "call")}, ${counted(whole.credits, "credit")} debited, ${formatNumber(whole.granted)} granted.\n`,
    days.length > 0 &&
      table(
        ["day (UTC)", "tool", "calls", "credits"],
        days.map((row) => [row.day, row.tool, row.calls, row.credits]),
      ),
    accounts.length > 0 &&
      table(
        ["account", "calls", "credits", "current balance"],
        accounts.map((row) => [...[nameOf(row), row.calls, row.credits, row.balance]]),
      ),
    grants.length > 0 &&
      table(
        ["granted (UTC)", "account", "kind", "amount", "expires (UTC)"],
        grants.map((row) => [
          ...[minute(row.grantedAt, ""), names.get(row.account) ?? row.account, row.kind],
          ...[row.amount, minute(row.expiresAt, "never")],
        ]),
      ),
    revenue.length > 0 && revenueText(whole),
    ledgerText(whole),
  ]
    .filter((part) => part !== false)
    .join("\n");
}

function revenueText({ revenue, totals }: Report): string {
  const cells = (row: Revenue) => [
    ...[row.currency.toUpperCase(), row.purchases, row.paid, row.refunds, row.refunded],
  ];
  return table(
    ["day (UTC)", "currency", "purchases", "paid", "refunds", "refunded"],
    [
      ...revenue.map((row) => [row.day, ...cells(row)]),
      ...totals.revenue.map((row) => ["total", ...cells(row)]),
    ],
  );
}

function ledgerText({ ledger: { ok, accounts, totals } }: Report): string {
  if (totals === null || !ok)
    return `The ledger does not reconcile. For details, run ${quotedCommand("audit")}.\n`;
  const { granted, debited, reversed, remaining, held, expired, voided } = totals;
  return (
    `The ledger of ${counted(accounts, "account")} reconciles: ${formatNumber(granted)} granted = ${formatNumber(debited)} debited - ` +
    `${formatNumber(reversed)} reversed + ${formatNumber(remaining)} remaining + ${formatNumber(held)} held + ${formatNumber(expired)} expired + ${formatNumber(voided)} voided.\n`
  );
}

const COLUMNS = [
  ...["day", "kind", "item", "account", "email", "count", "credits", "currency", "amount"],
];

/** Formats the report as one table for spreadsheets. The column `kind` says what a line is about. */
function csvOf({ days, accounts, grants, revenue, ledger }: Report, today: string): string {
  const nothing = null;
  const line = (day: string | null, kind: string, cells: Record<string, string | number | null>) =>
    COLUMNS.map((column) => ({ day, kind, ...cells })[column] ?? nothing);
  const money = (row: Page["revenue"][number], kind: string, count: number, amount: string) =>
    line(row.day, kind, { count, currency: row.currency, amount });
  return csv(COLUMNS, [
    ...days.map(({ day, tool: item, calls: count, credits }) =>
      line(day, "usage", { item, count, credits }),
    ),
    ...accounts.map(({ id: account, email, state: item, calls: count, credits }) =>
      line(null, "account", { item, account, email, count, credits }),
    ),
    ...grants.map(({ account, email, kind: item, amount: credits, grantedAt }) =>
      line(grantedAt.slice(0, 10), "grant", { item, account, email, count: 1, credits }),
    ),
    ...revenue.flatMap((row) => [
      ...(row.purchases > 0 ? [money(row, "sale", row.purchases, row.paid)] : []),
      ...(row.refunds > 0 ? [money(row, "refund", row.refunds, row.refunded)] : []),
    ]),
    ...accounts.map(({ id: account, email, state: item, balance: credits }) =>
      line(today, "balance", { item, account, email, credits }),
    ),
    ...Object.entries(ledger.totals ?? {}).map(([item, credits]) =>
      line(today, "ledger", { item, credits }),
    ),
  ]);
}
