import type { UsageRow } from "#ledger/port.ts";
import { readDay } from "./cli-arguments.ts";
import { type Books, type GrantMade, withBooks } from "./cli-books.ts";
import { type Call, type Command, type Outcome, WrongUsage } from "./cli-command.ts";
import { everyAddress } from "./cli-lists.ts";
import { eachAtOnce } from "./cli-parallel.ts";
import { unlessMoved } from "./cli-remote-faults.ts";
import type { AccountSum, DaySum, Report } from "./cli-report-shown.ts";
import { counted, dayOf, table } from "./cli-text.ts";

/** `audit` and `report`: whether the books reconcile, and what was used. */
export const REPORT_COMMANDS: readonly Command[] = [
  {
    name: "audit",
    form: "",
    summary: "Reconcile the books and check the database; exit 1 if anything is wrong",
    details: [
      "For every account, what was granted must equal what was debited (less reversals), remains, has expired and was voided. What was paid for must have been granted.",
    ],
    example: "audit",
    words: [],
    run: audit,
  },
  {
    name: "report",
    form: "--from DATE --to DATE [--csv]",
    summary: "Usage by day and account, grants, revenue by day, balances of now, and the books",
    details: [
      "Both days are included and begin at midnight UTC. Calls that were given back do not count. Balances and the books are those of now; of what is paid back, all that has gone back by now stands at the day on which it was first seen.",
      "With --csv it is one table, a line each for what its column kind says: usage, account, grant, sale, refund, balance, books.",
    ],
    example: "report --from 2026-01-01 --to 2026-01-31",
    words: [],
    options: { from: { type: "string" }, to: { type: "string" }, csv: { type: "boolean" } },
    run: report,
  },
];

async function audit(call: Call): Promise<Outcome> {
  return withBooks(call, async (ours) => {
    const { accounts, books, faults, damage } = await ours.audit();
    const ok = damage.length + faults.length === 0;
    const sums = books === null ? "" : table(Object.keys(books), [Object.values(books)]);
    const found = [...damage.map((line) => `The database is damaged: ${line}`), ...faults].map(
      (line) => `- ${line}\n`,
    );
    return {
      json: { ok, accounts, books, faults, damage },
      text: ok
        ? `The books of ${counted(accounts, "account")} reconcile, and the database is sound.\n\n${sums}`
        : `The books do not reconcile, or the database is damaged:\n${found.join("")}\n${sums}`,
      exitCode: ok ? 0 : 1,
    };
  });
}

async function report(call: Call): Promise<Outcome> {
  const from = readDay(call.option("from"), "--from");
  const to = readDay(call.option("to"), "--to");
  if (to.start < from.start) throw new WrongUsage("--from must not be later than --to.");
  const isCsv = call.flag("csv");
  if (isCsv && call.json) throw new WrongUsage("Choose one of --csv and --json.");
  const found = await withBooks(call, async (books): Promise<Report> => {
    const { byDay, byAccount } = await sumUsage(books, from.start, to.end);
    const made = await grantsMade(books, from.start, to.end);
    const revenue = await books.purchases.revenue({ from: from.start, to: to.end });
    return {
      ...{ from: dayOf(from.start), to: dayOf(to.start), now: call.now },
      ...{ byDay, made, revenue },
      accounts: await listAccounts(call, books, byAccount, made),
      books: await books.sums(),
    };
  });
  // Loaded when it is needed: every command loads this file.
  const { presentReport, reportCsv } = await import("./cli-report-shown.ts");
  return isCsv ? { json: {}, text: reportCsv(found) } : presentReport(found);
}

type Usage = Pick<UsageRow, "calls" | "credits">;

/** Sums by day and tool and by account. */
async function sumUsage(books: Books, start: number, end: number) {
  const byDay = new Map<string, DaySum>();
  const byAccount = new Map<string, Usage>();
  for await (const rows of books.usage(start, end)) {
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

async function grantsMade(books: Books, start: number, end: number): Promise<GrantMade[]> {
  const made: GrantMade[] = [];
  for await (const grants of books.grants()) {
    made.push(...grants.filter(({ grantedAt }) => grantedAt >= start && grantedAt < end));
  }
  return made.sort((a, b) => a.grantedAt - b.grantedAt);
}

/** Every account that has an address, and those closed ones that the report tells of; the busiest first. */
async function listAccounts(
  call: Call,
  { desk }: Books,
  used: ReadonlyMap<string, Usage>,
  made: readonly GrantMade[],
): Promise<AccountSum[]> {
  const accounts: AccountSum[] = [];
  const closed = new Set([...used.keys(), ...made.map(({ account }) => account)]);
  const standings = eachAtOnce(everyAddress(desk), async ({ email, account }) => ({
    ...{ email, account },
    asked: await unlessMoved(desk.findAccount({ account, now: call.now })),
  }));
  for await (const { email, account: id, asked } of standings) {
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
