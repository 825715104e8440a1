import { createLetters } from "#email/emails.ts";
import type { Letter } from "#email/mail.ts";
import type { LedgerEvent, LedgerEventKind } from "#ledger/events.ts";
import { type LetterSort, signUnsubscription } from "./unsubscribe.ts";

/** Which letters can be ended; of the other kinds none are written here: a key's has been posted by who made it. */
const SORTS: Partial<Record<LedgerEventKind, LetterSort>> = {
  "credits.low": "low",
  "credits.depleted": "low",
  "credits.expiring": "expiring",
};
export const sortOf = ({ kind }: Pick<LedgerEvent, "kind">): LetterSort | null =>
  SORTS[kind] ?? null;

export type NoticeLetters = (notice: LedgerEvent, to: string) => Letter | null;

/** The letters of notices, with the addresses that end them. `publicUrl` has no slash at its end. */
export function createNoticeLetters({
  publicUrl,
  secrets,
}: {
  publicUrl: string;
  secrets: readonly string[];
}): NoticeLetters {
  const letters = createLetters(publicUrl);
  return (notice, to) => {
    const sort = sortOf(notice);
    if (sort === null) return null;
    const { account, at } = notice;
    const query = new URLSearchParams({ token: signUnsubscription({ account, sort }, secrets) });
    const unsubscribe = {
      page: `${publicUrl}/unsubscribe?${query}`,
      post: `${publicUrl}/people/notices/unsubscribe?${query}`,
    };
    const order = { to, at, unsubscribe };
    if (notice.kind === "credits.low") {
      const { balance, lowBalance } = notice;
      return letters.creditsLow({ ...order, balance, lowBalance });
    }
    if (notice.kind === "credits.depleted") return letters.creditsGone(order);
    if (notice.kind !== "credits.expiring") return null;
    const { remaining, expiresAt } = notice.grant;
    return letters.creditsExpiring({ ...order, remaining, expiresAt });
  };
}
