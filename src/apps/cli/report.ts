import type { UsageRow } from "#ledger/port.ts";
import type { GrantMade } from "#operator/context.ts";
import { readDay } from "./arguments.ts";
import { type Command, WrongUsage } from "./command.ts";
import { command, type Session } from "./define-command.ts";
import { everyStatus } from "./lists.ts";
import type { AccountSum, DaySum, Report } from "./report-shown.ts";
import { flag, requiredOption } from "./takes.ts";
import { counted, dayOf, table } from "./text.ts";
import { openWholeLedger, type WholeLedger } from "./totals.ts";

/** `audit` and `report`: whether the books reconcile, and what was used. */
export const REPORT_COMMANDS: readonly Command[] = [
  command({
    name: "audit",
    summary: "Reconcile the books and check the database; exit 1 if anything is wrong",
    details: [
      "For every account, what was granted must equal what was debited (less reversals), remains, has expired and was voided. What was paid for must have been granted.",
    ],
    example: "audit",
    takes: {},
    async run(_, session) {
      const damage = await session.client.findDamage({});
      const { accounts, totals, faults } = await (await openWholeLedger(session)).audit();
      const ok = damage.length + faults.length === 0;
      const sums = totals === null ? "" : table(Object.keys(totals), [Object.values(totals)]);
      const found = [...damage.map((line) => `The database is damaged: ${line}`), ...faults].map(
        (line) => `- ${line}\n`,
      );
      return {
        json: { ok, accounts, totals, faults, damage },
        text: ok
          ? `The books of ${counted(accounts, "account")} reconcile, and the database is sound.\n\n${sums}`
          : `The books do not reconcile, or the database is damaged:\n${found.join("")}\n${sums}`,
        exitCode: ok ? 0 : 1,
      };
    },
  }),
  command({
    name: "report",
    summary: "Usage by day and account, grants, revenue by day, balances of now, and the books",
    details: [
      "Both days are included and begin at midnight UTC. Calls that were given back do not count. Balances and the books are those of now; of what is paid back, all that has gone back by now stands at the day on which it was first seen.",
      "With --csv it is one table, a line each for what its column kind says: usage, account, grant, sale, refund, balance, books.",
    ],
    example: "report --from 2026-01-01 --to 2026-01-31",
    takes: {
      from: requiredOption("DATE", "a day as in --from 2027-01-31.", readDay),
      to: requiredOption("DATE", "a day as in --to 2027-01-31.", readDay),
      csv: flag,
    },
    check({ from, to, csv }, { json }) {
      if (to.start < from.start) throw new WrongUsage("--from must not be later than --to.");
      if (csv && json) throw new WrongUsage("Choose one of --csv and --json.");
    },
    async run({ from, to, csv }, session) {
      const whole = await openWholeLedger(session);
      const { byDay, byAccount } = await sumUsage(whole, from.start, to.end);
      const made = await grantsMade(whole, from.start, to.end);
      const revenue = await session.client.revenue({ from: from.start, to: to.end });
      const report: Report = {
        ...{ from: dayOf(from.start), to: dayOf(to.start), now: session.now },
        ...{ byDay, made, revenue },
        accounts: await listAccounts(session, byAccount, made),
        totals: await whole.audit(),
      };
      // Loaded when it is needed: every command loads this file.
      const { presentReport, reportCsv } = await import("./report-shown.ts");
      return csv ? { json: {}, text: reportCsv(report) } : presentReport(report);
    },
  }),
];

type Usage = Pick<UsageRow, "calls" | "credits">;

/** Sums by day and tool and by account. */
async function sumUsage(whole: WholeLedger, start: number, end: number) {
  const byDay = new Map<string, DaySum>();
  const byAccount = new Map<string, Usage>();
  for await (const rows of whole.usage(start, end)) {
    for (const row of rows) {
      const day = dayOf(row.hour);
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

async function grantsMade(whole: WholeLedger, start: number, end: number): Promise<GrantMade[]> {
  const made: GrantMade[] = [];
  for await (const grants of whole.grants()) {
    made.push(...grants.filter(({ grantedAt }) => grantedAt >= start && grantedAt < end));
  }
  return made.sort((a, b) => a.grantedAt - b.grantedAt);
}

/** Every account that has an address, and those closed ones that the report tells of; the busiest first. */
async function listAccounts(
  { client, now }: Session,
  used: ReadonlyMap<string, Usage>,
  made: readonly GrantMade[],
): Promise<AccountSum[]> {
  const accounts: AccountSum[] = [];
  const closed = new Set([...used.keys(), ...made.map(({ account }) => account)]);
  for await (const { email, account: id, asked } of everyStatus(client, now)) {
    closed.delete(id);
    const usage = used.get(id) ?? { calls: 0, credits: 0 };
    if ("moved" in asked) accounts.push({ id, email, state: "moving", balance: null, ...usage });
    else if (asked.result !== null) {
      const { state, balance } = asked.result;
      accounts.push({ id, email, state, balance, ...usage });
    }
  }
  for (const id of closed) {
    const usage = used.get(id) ?? { calls: 0, credits: 0 };
    accounts.push({ id, email: null, state: "closed", balance: 0, ...usage });
  }
  const balanceOf = ({ balance }: AccountSum) => balance ?? 0;
  return accounts.sort(
    (a, b) => b.calls - a.calls || balanceOf(b) - balanceOf(a) || (a.id < b.id ? -1 : 1),
  );
}
