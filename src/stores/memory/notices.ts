/** Notices in memory. */
import { checkLowBalance } from "#ledger/check-grant.ts";
import {
  daysAhead,
  type EventContent,
  eventId,
  eventOfLevel,
  isWorse,
  levelOf,
  nextEventAt,
} from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import { type AccountRow, balanceOf, findLive, type GrantRow, type Rows } from "./rows.ts";

type NoticeOperations = Pick<
  Ledger,
  "setLowBalance" | "recordExpiries" | "listEvents" | "deleteEvents"
>;

export function noticeOperations(rows: Rows): NoticeOperations {
  return {
    setLowBalance: async (order) => {
      checkLowBalance(order);
      const account = findLive(rows, order.account);
      if (account === undefined) return { found: false };
      account.lowBalance = order.lowBalance;
      account.told = levelAt(account, order.now);
      return { found: true };
    },
    recordExpiries: async ({ now, max }) => {
      const due = [...rows.accounts.values()]
        .flatMap((account) => account.grants.map((grant) => ({ account, grant })))
        .filter(({ grant }) => grant.lookAt !== null && grant.lookAt <= now)
        .sort(
          (one, other) =>
            (one.grant.lookAt ?? 0) - (other.grant.lookAt ?? 0) || inOrder(one.grant, other.grant),
        );
      const before = rows.noticesMade;
      for (const { account, grant } of due.slice(0, max)) lookAt(rows, account, grant, now);
      return { noticed: rows.noticesMade - before, more: due.length > max };
    },
    listEvents: async ({ max }) => ({ notices: structuredClone(rows.notices.slice(0, max)) }),
    deleteEvents: async ({ ids }) => {
      const before = rows.notices.length;
      rows.notices = rows.notices.filter(({ id }) => !ids.includes(id));
      return { settled: before - rows.notices.length };
    },
  };
}

/** In the order of their making. */
const inOrder = (one: GrantRow, other: GrantRow) => one.number - other.number;

function lookAt(rows: Rows, account: AccountRow, grant: GrantRow, now: number): void {
  const { id, kind, remaining, expiresAt } = grant;
  if (expiresAt === null) return;
  const days = daysAhead(expiresAt, now);
  grant.lookAt = nextEventAt(expiresAt, now);
  if (days === null) tellWorse(rows, account, now);
  else if (remaining > 0) {
    const told = { id, kind, remaining, expiresAt };
    writeNotice(rows, account, now, { kind: "credits.expiring", days, grant: told });
  }
}

/** A closed account is told nothing. */
export function writeNotice(
  rows: Rows,
  { id: account, state }: AccountRow,
  at: number,
  content: EventContent,
): void {
  if (state === "closed") return;
  rows.noticesMade += 1;
  rows.notices.push({ id: eventId(account, at, rows.noticesMade), account, at, ...content });
}

const levelAt = (account: AccountRow, now: number) =>
  levelOf(balanceOf(account, now), account.lowBalance);

/** After whatever may have lowered the balance. */
export function tellWorse(rows: Rows, account: AccountRow, now: number): void {
  const level = levelAt(account, now);
  if (account.state === "closed" || !isWorse(level, account.told)) return;
  account.told = level;
  writeNotice(rows, account, now, eventOfLevel(balanceOf(account, now), account.lowBalance));
}

/** After whatever may have lifted it: in silence. */
export function noteBetter(account: AccountRow, now: number): void {
  const level = levelAt(account, now);
  if (account.state !== "closed" && isWorse(account.told, level)) account.told = level;
}
