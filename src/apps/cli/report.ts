import type { UsageRow } from "#ledger/port.ts";
import type { GrantMade } from "#operator/context.ts";
import { readDay } from "./arguments.ts";
import {
  type Command,
  flag,
  type Outcome,
  requiredOption,
  type Session,
  UsageError,
} from "./command.ts";
import { command } from "./deployment.ts";
import { everyStatus } from "./lists.ts";
import type { AccountSum, DaySum, Report } from "./report-output.ts";
import { counted, dayOf, table } from "./text.ts";
import { openWholeLedger, type WholeLedger } from "./totals.ts";

export const REPORT_COMMANDS: readonly Command[] = [
  command({
    name: "audit",
    summary: "Reconcile the ledger and check the database; exit 1 if anything is wrong",
    details: [
      "For every account, granted credits must equal debited - reversed + remaining + expired + voided. Every paid purchase must have a grant, and every grant of a purchase must have that purchase.",
      "In a data folder, SQLite checks every page, and every row of the ledger must match its checksum.",
    ],
    example: "audit",
    parameters: {},
    run: (_, session) => audit(session),
  }),
  command({
    name: "report",
    summary: "Report usage, grants and revenue of a period, with current balances",
    details: [
      "Both dates are included, and days start at midnight UTC. Reversed calls are not counted. Balances and ledger totals are current. A refund counts in full on the day on which the service first saw it.",
      "With --csv the report is one table. Its column kind says what a line is about: usage, account, grant, sale, refund, balance or ledger.",
    ],
    example: "report --from 2026-01-01 --to 2026-01-31",
    parameters: {
      from: requiredOption("DATE", "set the first day, for example --from 2027-01-01.", readDay),
      to: requiredOption("DATE", "set the last day, for example --to 2027-01-31.", readDay),
      csv: flag,
    },
    check({ from, to, csv }, { json }) {
      if (to.start < from.start) throw new UsageError("--from must not be after --to.");
      if (csv && json) throw new UsageError("Use either --csv or --json.");
    },
    async run({ from, to, csv }, session) {
      const ledger = await openWholeLedger(session);
      const { byDay, byAccount } = await sumUsage(ledger, from.start, to.end);
      const grants = await listGrants(ledger, from.start, to.end);
      const revenue = await session.client.revenue({ from: from.start, to: to.end });
      const report: Report = {
        from: dayOf(from.start),
        to: dayOf(to.start),
        now: session.now,
        byDay,
        grants,
        revenue,
        accounts: await listAccounts(session, byAccount, grants),
        audit: await ledger.audit(),
      };
      // Imported here because every command imports this file.
      const { presentReport, reportCsv } = await import("./report-output.ts");
      return csv ? { json: {}, text: reportCsv(report) } : presentReport(report);
    },
  }),
];

async function audit(session: Session): Promise<Outcome> {
  const damage = await session.client.findDamage({});
  const { accounts, totals, faults } = await (await openWholeLedger(session)).audit();
  const problems = [...damage.map((line) => `The database is damaged: ${line}`), ...faults];
  const ok = problems.length === 0;
  const found = ok
    ? `The ledger of ${counted(accounts, "account")} reconciles, and the database is intact.\n`
    : `The ledger does not reconcile, or the database is damaged:\n${problems.map((line) => `- ${line}\n`).join("")}`;
  const totalsTable = totals === null ? "" : table(Object.keys(totals), [Object.values(totals)]);
  return {
    json: { ok, accounts, totals, faults, damage },
    text: `${found}\n${totalsTable}`,
    exitCode: ok ? 0 : 1,
  };
}

type Usage = Pick<UsageRow, "calls" | "credits">;

/** Sums usage by day and tool, and by account. */
async function sumUsage(ledger: WholeLedger, start: number, end: number) {
  const byDay = new Map<string, DaySum>();
  const byAccount = new Map<string, Usage>();
  for await (const rows of ledger.usage(start, end)) {
    for (const row of rows) {
      const day = dayOf(row.day);
      add(byDay, `${day} ${row.tool}`, row, { day, tool: row.tool, calls: 0, credits: 0 });
      add(byAccount, row.account, row, { calls: 0, credits: 0 });
    }
  }
  return {
    byDay: [...byDay.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
    byAccount,
  };
}

function add<Total extends Usage>(
  sums: Map<string, Total>,
  name: string,
  row: Usage,
  zero: Total,
): void {
  const sum = sums.get(name) ?? zero;
  sum.calls += row.calls;
  sum.credits += row.credits;
  sums.set(name, sum);
}

async function listGrants(ledger: WholeLedger, start: number, end: number): Promise<GrantMade[]> {
  const listed: GrantMade[] = [];
  for await (const grants of ledger.grants()) {
    listed.push(...grants.filter(({ grantedAt }) => grantedAt >= start && grantedAt < end));
  }
  return listed.sort((a, b) => a.grantedAt - b.grantedAt);
}

/** Lists every account that has an address, and the closed accounts with usage or grants in the period, busiest first. */
async function listAccounts(
  { client, now }: Session,
  usageByAccount: ReadonlyMap<string, Usage>,
  grants: readonly GrantMade[],
): Promise<AccountSum[]> {
  const accounts: AccountSum[] = [];
  const closed = new Set([...usageByAccount.keys(), ...grants.map(({ account }) => account)]);
  for await (const { email, account: id, status } of everyStatus(client, now)) {
    closed.delete(id);
    const usage = usageByAccount.get(id) ?? { calls: 0, credits: 0 };
    if ("moving" in status) accounts.push({ id, email, state: "moving", balance: null, ...usage });
    else if (status.result !== null) {
      const { state, balance } = status.result;
      accounts.push({ id, email, state, balance, ...usage });
    }
  }
  for (const id of closed) {
    const usage = usageByAccount.get(id) ?? { calls: 0, credits: 0 };
    accounts.push({ id, email: null, state: "closed", balance: 0, ...usage });
  }
  const balanceOf = ({ balance }: AccountSum) => balance ?? 0;
  return accounts.sort(
    (a, b) => b.calls - a.calls || balanceOf(b) - balanceOf(a) || (a.id < b.id ? -1 : 1),
  );
}
