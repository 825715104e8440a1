import type { Directory } from "#accounts/directory.ts";
import { createOperatorDesk } from "#accounts/operator-desk.ts";
import type { TellWiring } from "#accounts/tell-person.ts";
import type { Config } from "#config.ts";
import type { Ledger } from "#credits/ledger.ts";
import { DAY_MS } from "#limits.ts";
import { wayOf } from "#mail/read-mail-settings.ts";
import type { Books } from "./cli-books.ts";
import { Refusal } from "./cli-command.ts";
import { baseOf } from "./node-addresses.ts";
import { hashKey, random } from "./node-house.ts";

/** What a store at hand brings, whichever it is. */
type Stored = Pick<TellWiring, "journal" | "queue"> & {
  place: string;
  ledger: Ledger;
  directory: Directory;
  secrets(): Promise<readonly string[]>;
};

/** What is the same for books in any store that the command line opens itself. */
export function booksOver(
  config: Config,
  { place, ledger, directory, journal, queue, secrets }: Stored,
): Pick<Books, "place" | "random" | "desk" | "usage" | "linksLead"> {
  const publicUrl = baseOf(config, config.port);
  return {
    ...{ place, random },
    desk: createOperatorDesk({
      ...{ ledger, directory },
      desk: async () => ({ ledger, directory, secrets: await secrets(), random, hashKey }),
      tell: { journal, queue, random, publicUrl, way: wayOf(config.mail) },
    }),
    usage: (from, to) => usageOf(ledger, from, to),
    linksLead: config.publicUrl === null ? ` Its links lead to ${publicUrl}: set PUBLIC_URL.` : "",
  };
}

const DAYS_AT_ONCE_MS = 31 * DAY_MS;

/** A month at a time, so that a report on years needs no more memory. */
async function* usageOf({ usage }: Pick<Ledger, "usage">, start: number, end: number) {
  for (let from = start; from < end; from += DAYS_AT_ONCE_MS) {
    yield await usage({ account: null, from, to: Math.min(end, from + DAYS_AT_ONCE_MS) });
  }
}

const PATIENCE_MS = 1_000;
const BETWEEN_TRIES_MS = 50;

/**
 * The secrets under which the server that uses this data works. A server without SECRET keeps one with the data as
 * soon as it makes it; so where none is kept the server has SECRET, and a key made under another one would be refused.
 */
export async function findSecrets(
  place: string,
  configured: readonly string[] | null,
  find: () => Promise<string | null>,
): Promise<readonly string[]> {
  if (configured !== null) return configured;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const secret = await find();
    if (secret !== null) return [secret];
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
  throw new Refusal(
    `The data in ${place} has no secret of its own: its server is given one. Set SECRET to the same value for this command.`,
  );
}
