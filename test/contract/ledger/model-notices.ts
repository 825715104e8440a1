/** What the model's owners are told. */
import { type EventContent, type Level, levelOf, nextEventAt } from "#ledger/events.ts";
import { type Account, balanceOf, remainingOf } from "./model-sums.ts";
import { DAY } from "./scene.ts";

type Told = { account: string; at: number } & EventContent;
export type ModelNotices = ReturnType<typeof createModelNotices>;

const WORSE: Record<Level, readonly Level[]> = {
  enough: ["low", "gone"],
  low: ["gone"],
  gone: [],
};

export function createModelNotices(accounts: Account[]) {
  let notices: Told[] = [];

  function write(account: Account | undefined, at: number, content: EventContent): void {
    if (account !== undefined && account.state !== "closed")
      notices.push({ account: account.id, at, ...content });
  }

  function tellWorse(account: Account, now: number): void {
    const balance = balanceOf(account, now);
    const { lowBalance, told, state } = account;
    const level = levelOf(balance, lowBalance);
    if (state === "closed" || !WORSE[told].includes(level)) return;
    account.told = level;
    if (level === "gone") write(account, now, { kind: "credits.depleted" });
    else write(account, now, { kind: "credits.low", balance, lowBalance });
  }

  function noteBetter(account: Account, now: number): void {
    const level = levelOf(balanceOf(account, now), account.lowBalance);
    if (WORSE[level].includes(account.told)) account.told = level;
  }

  return {
    write,
    tellWorse,
    noteBetter,
    forget(id: string): void {
      notices = notices.filter(({ account }) => account !== id);
    },
    notices: (max: number): Told[] => notices.slice(0, max),
    settle(settled: number): void {
      notices = notices.slice(settled);
    },
    setLowBalance(id: string, lowBalance: number, now: number) {
      const account = accounts.find((each) => each.id === id && each.state !== "closed");
      if (account === undefined) return { found: false };
      account.lowBalance = lowBalance;
      account.told = levelOf(balanceOf(account, now), lowBalance);
      return { found: true };
    },
    recordExpiries(now: number, max: number) {
      const due = accounts
        .flatMap((account) => account.grants.map((grant) => ({ account, grant })))
        .filter(({ grant }) => grant.lookAt !== null && grant.lookAt <= now)
        .sort(({ grant: one }, { grant: other }) =>
          one.lookAt === other.lookAt
            ? one.number - other.number
            : (one.lookAt ?? 0) - (other.lookAt ?? 0),
        );
      const before = notices.length;
      for (const { account, grant } of due.slice(0, max)) {
        const { id, kind } = grant;
        const expiresAt = grant.expiresAt ?? 0;
        const remaining = remainingOf(account, id);
        grant.lookAt = nextEventAt(expiresAt, now);
        if (now >= expiresAt) tellWorse(account, now);
        else if (remaining > 0) {
          const days = expiresAt - now > 7 * DAY ? 30 : 7;
          const told = { id, kind, remaining, expiresAt };
          write(account, now, { kind: "credits.expiring", days, grant: told });
        }
      }
      return { noticed: notices.length - before, more: due.length > max };
    },
  };
}
