import type { RandomBytes } from "#ids.ts";
import type { LetterQueue } from "#mail/letter-queue.ts";
import { createPosting } from "#mail/posting.ts";
import type { Way } from "#mail/transport.ts";
import { accountLetters } from "./account-letters.ts";
import type { Journal } from "./journal.ts";

/** What the operator does to an account, its person is told: by a letter, and in the list of what happened. */
export type OperatorsDeed =
  | { kind: "key_created" | "key_revoked"; key: { label: string; start: string } }
  | { kind: "account_closed" };

/** Who was told; `fault`: why not. Null where the account has no person, because the operator alone has handled it. */
export type Told = { email: string; fault: string | null } | null;

export type TellWiring = {
  journal: Pick<Journal, "findPerson" | "noteEvent">;
  queue: Pick<LetterQueue, "add">;
  /** How letters go out while this one is posted. */
  way: Way;
  publicUrl: string;
  random: RandomBytes;
};

/**
 * Finds the person before the act, for closing an account forgets them; the function that it gives tells them after it.
 * A letter waits in the queue until the service sends it. Where it cannot be posted the act was done all the same.
 */
export async function personToTell(
  wiring: TellWiring,
  account: string,
): Promise<(deed: OperatorsDeed, now: number) => Promise<Told>> {
  const found = await wiring.journal.findPerson({ account });
  return async (deed, now) => {
    if (found === null) return null;
    const { email } = found;
    try {
      await tell(wiring, found, deed, now);
      return { email, fault: null };
    } catch (error) {
      return { email, fault: (error as Error).message };
    }
  };
}

async function tell(
  { journal, queue, way, publicUrl, random }: TellWiring,
  { person, email }: { person: string; email: string },
  deed: OperatorsDeed,
  at: number,
): Promise<void> {
  const now = () => at;
  const mail = createPosting({
    ...{ queue, way, now, random },
    complain(message) {
      throw new Error(message);
    },
  });
  const letters = accountLetters({ publicUrl, mail, now });
  if (deed.kind === "account_closed") return letters.closed(email);
  const detail = `${deed.key.label} (by the operator)`;
  // It came from no network address.
  await journal.noteEvent({ person, at, kind: deed.kind, detail, address: null });
  if (deed.kind === "key_created") await letters.keyCreated(email, deed.key);
  else await letters.keyRevoked(email, deed.key);
}
