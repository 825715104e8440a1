import { accountLetters } from "#accounts/account-letters.ts";
import { createPosting } from "#mail/posting.ts";
import { openSqliteLetters } from "#store/sqlite-letters.ts";
import { findPersonOf, noteOperatorsAct } from "#store/sqlite-operator.ts";
import type { Books, Call } from "./cli-command.ts";
import { baseOf } from "./node-addresses.ts";

/** What the operator does to an account, its person is told: by a letter, and in the list of what happened. */
type Act =
  | { kind: "key_created" | "key_revoked"; key: { label: string; start: string } }
  | { kind: "account_closed" };

/**
 * Finds the person before the act, for closing an account forgets them; the function that it returns tells them after
 * it. An account that the operator alone has handled has no person, and nobody is told. A letter waits in the queue
 * until the server sends it. Where it cannot be posted the act was done all the same.
 */
export function personToTell(call: Call, books: Books, account: string) {
  const found = findPersonOf(books.driver, account);
  return async (act: Act): Promise<void> => {
    if (found === null) return;
    const { email } = found;
    try {
      await tell(call, books, found, act);
    } catch (error) {
      call.note(`It was done, but ${email} could not be told: ${(error as Error).message}.`);
      return;
    }
    const { config } = call;
    const links =
      config.publicUrl === null
        ? ` Its links lead to ${baseOf(config, config.port)}: set PUBLIC_URL.`
        : "";
    call.note(`A letter tells ${email}; the server sends it within a minute.${links}`);
  };
}

type Person = NonNullable<ReturnType<typeof findPersonOf>>;

async function tell(
  call: Call,
  { driver, random }: Books,
  { person, email }: Person,
  act: Act,
): Promise<void> {
  const { config, now: at } = call;
  const mail = createPosting({
    queue: openSqliteLetters(driver),
    way: config.mail.smtp === null ? "outbox" : "smtp",
    now: () => at,
    random,
    complain(message) {
      throw new Error(message);
    },
  });
  const letters = accountLetters({
    ...{ publicUrl: baseOf(config, config.port), mail },
    now: () => at,
  });
  if (act.kind === "account_closed") {
    await letters.closed(email);
    return;
  }
  noteOperatorsAct(driver, { person, at, kind: act.kind, label: act.key.label });
  if (act.kind === "key_created") await letters.keyCreated(email, act.key);
  else await letters.keyRevoked(email, act.key);
}
