import type { OperatorDesk } from "#accounts/operator-desk.ts";
import type { UsageRow } from "#credits/ledger.ts";
import { readDay } from "./cli-arguments.ts";
import { type Books, type GrantMade, withBooks } from "./cli-books.ts";
import { type Call, type Command, type Outcome, WrongUsage } from "./cli-command.ts";
import { everyAddress } from "./cli-lists.ts";
import { counted, dayOf, instant, instantOrNull, minute, table, whole } from "./cli-text.ts";

/** `audit` and `report`: whether the books reconcile, and what was used. */
export const REPORT_COMMANDS: readonly Command[] = [
  {
    name: "audit",
    form: "",
    summary: "Reconcile the books and check the database; exit 1 if anything is wrong",
    details: [
      "For every account, what was granted must equal what was debited (less reversals), remains, has expired and was voided.",
    ],
    example: "audit",
    words: [],
    run: audit,
  },
  {
    name: "report",
    form: "--from DATE --to DATE",
    summary: "Calls and credits by day, tool and account, and the grants made",
    details: [
      "Both days are included and begin at midnight UTC. Calls that were given back do not count.",
    ],
    example: "report --from 2026-01-01 --to 2026-01-31",
    words: [],
    options: { from: { type: "string" }, to: { type: "string" } },
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

type Sum = { calls: number; credits: number };
async function report(call: Call): Promise<Outcome> {
  const from = readDay(call.option("from"), "--from");
  const to = readDay(call.option("to"), "--to");
  if (to.start < from.start) throw new WrongUsage("--from must not be later than --to.");
  return withBooks(call, async (books) => {
    const { byDay, byAccount } = await sumUsage(books, from.start, to.end);
    const made = await grantsMade(books, from.start, to.end);
    const emails = await findEmails(
      books.desk,
      new Set([...byAccount.keys(), ...made.map(({ account }) => account)]),
    );
    return present({
      from: dayOf(from.start),
      to: dayOf(to.start),
      byDay,
      byAccount,
      made,
      emails,
    });
  });
}

/** Sums by day and tool and by account. */
async function sumUsage(books: Books, start: number, end: number) {
  const byDay = new Map<string, Sum & { day: string; tool: string }>();
  const byAccount = new Map<string, Sum>();
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

function add<Total extends Sum>(
  sums: Map<string, Total>,
  name: string,
  row: UsageRow,
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

/** The addresses of these accounts; a closed one has none. */
async function findEmails(
  desk: OperatorDesk,
  accounts: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const emails = new Map<string, string>();
  if (accounts.size === 0) return emails;
  for await (const { email, account } of everyAddress(desk)) {
    if (accounts.has(account)) emails.set(account, email);
    if (emails.size === accounts.size) break;
  }
  return emails;
}

type Report = {
  from: string;
  to: string;
  byDay: (Sum & { day: string; tool: string })[];
  byAccount: Map<string, Sum>;
  made: GrantMade[];
  emails: Map<string, string>;
};

function present({ from, to, byDay, byAccount, made, emails }: Report): Outcome {
  const accounts = [...byAccount]
    .map(([id, sum]) => ({ id, email: emails.get(id) ?? null, ...sum }))
    .sort((a, b) => b.calls - a.calls || (a.id < b.id ? -1 : 1));
  const calls = byDay.reduce((sum, row) => sum + row.calls, 0);
  const credits = byDay.reduce((sum, row) => sum + row.credits, 0);
  const granted = made.reduce((sum, row) => sum + row.amount, 0);
  const who = (id: string) => emails.get(id) ?? `${id} (closed)`;
  const text = [
    `${from} to ${to}, both included, in UTC: ${counted(calls, "call")}, ${counted(credits, "credit")} debited, ${whole(granted)} granted.\n`,
    byDay.length > 0 &&
      table(
        ["day (UTC)", "tool", "calls", "credits"],
        byDay.map((row) => [row.day, row.tool, row.calls, row.credits]),
      ),
    accounts.length > 0 &&
      table(
        ["account", "calls", "credits"],
        accounts.map((row) => [who(row.id), row.calls, row.credits]),
      ),
    made.length > 0 &&
      table(
        ["granted (UTC)", "account", "kind", "amount", "expires (UTC)"],
        made.map((row) => [
          minute(row.grantedAt, ""),
          who(row.account),
          row.kind,
          row.amount,
          minute(row.expiresAt, "never"),
        ]),
      ),
  ];
  return {
    json: {
      from,
      to,
      calls,
      credits,
      granted,
      days: byDay.map(({ day, tool, calls, credits }) => ({ day, tool, calls, credits })),
      accounts,
      grants: made.map(({ account, id, kind, amount, grantedAt, expiresAt }) => ({
        account,
        email: emails.get(account) ?? null,
        id,
        kind,
        amount,
        grantedAt: instant(grantedAt),
        expiresAt: instantOrNull(expiresAt),
      })),
    },
    text: text.filter((part) => part !== false).join("\n"),
  };
}
