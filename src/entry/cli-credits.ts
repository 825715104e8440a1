import { randomBase62 } from "#ids.ts";
import type { Grant } from "#ledger/port.ts";
import { accountOf } from "./cli-accounts.ts";
import { readCredits, readEnd } from "./cli-arguments.ts";
import { standingOf, withBooks } from "./cli-books.ts";
import { type Call, type Command, type Outcome, Refusal, WrongUsage } from "./cli-command.ts";
import { counted, instantOrNull, minute, table, whole } from "./cli-text.ts";

/** `credits …`: giving credits and looking at them. */
export const CREDITS_COMMANDS: readonly Command[] = [
  {
    name: "credits grant",
    form: "<email> <N> [--expires WHEN] [--id ID]",
    summary: "Give an account N credits; they count at its next call",
    details: [
      "WHEN is a day (2027-01-31: spendable to the end of that day in UTC) or an instant with its offset (2027-01-31T12:00:00Z). Without it the credits never expire.",
      "Every call grants anew. With --id the grant has that name and is made once, however often the command is repeated.",
    ],
    example: "credits grant you@example.com 500 --expires 2099-12-31",
    words: ["<email>", "<N>"],
    options: { expires: { type: "string" }, id: { type: "string" } },
    run: grant,
  },
  {
    name: "credits show",
    form: "<email>",
    summary: "Show the balance of an account and its grants",
    details: [
      "Grants stand in the order in which they are spent; spent and expired ones come last.",
    ],
    example: "credits show you@example.com",
    words: ["<email>"],
    run: show,
  },
];

const GRANT_ID_CHARS_MAX = 100;

async function grant(call: Call): Promise<Outcome> {
  const amount = readCredits(call.words[1] as string, "The number of credits", 1);
  const when = call.option("expires");
  const expiresAt = when === undefined ? null : readEnd(when, "--expires");
  const name = readGrantId(call.option("id"));
  if (expiresAt !== null && expiresAt <= call.now) {
    throw new Refusal(
      `--expires ${when} is in the past: these credits could never be spent. Name a later time.`,
    );
  }
  return withBooks(call, async (books) => {
    const { account, email } = await accountOf(books, call.words[0] as string);
    const id = `operator:${name ?? randomBase62(16, books.random)}`;
    const made = await books.desk.grant({
      account,
      id,
      kind: "operator",
      amount,
      expiresAt,
      now: call.now,
    });
    if (made.outcome === "no_account") {
      await standingOf(call, books, account);
      throw new Refusal(`The account of ${email} is closed: it takes no credits.`);
    }
    const again = made.outcome === "already_granted";
    if (again && (made.grant.amount !== amount || made.grant.expiresAt !== expiresAt)) {
      throw new Refusal(
        `The grant ${id} was made before, with ${counted(made.grant.amount, "credit")} and ${expiry(made.grant)}; it is left as it is. Use another --id for another grant.`,
      );
    }
    const { balance } = await books.desk.credits({ account, now: call.now });
    return {
      json: { email, id, amount, expiresAt: instantOrNull(expiresAt), granted: !again, balance },
      text: again
        ? `The grant ${id} was made before; nothing was added. The balance of ${email} is ${whole(balance)}.\n`
        : `${email} was given ${counted(amount, "credit")}, with ${expiry(made.grant)}. The balance is ${whole(balance)}.\n`,
    };
  });
}

const expiry = ({ expiresAt }: Grant) =>
  expiresAt === null ? "no expiry" : `expiry on ${minute(expiresAt, "")} UTC`;

/** With or without the prefix that `credits show` shows. */
function readGrantId(text: string | undefined): string | undefined {
  const id = text?.replace(/^operator:/, "");
  if (id === undefined || (/^[\x21-\x7e]+$/.test(id) && id.length <= GRANT_ID_CHARS_MAX)) return id;
  throw new WrongUsage(`--id must have 1 to ${GRANT_ID_CHARS_MAX} visible ASCII characters.`);
}

async function show(call: Call): Promise<Outcome> {
  return withBooks(call, async (books) => {
    const { account, email } = await accountOf(books, call.words[0] as string);
    const { balance, grants } = await books.desk.credits({ account, now: call.now });
    const rows = grants.map((one) => [
      one.id,
      one.kind,
      one.amount,
      one.remaining,
      minute(one.expiresAt, "never") +
        (one.expiresAt !== null && one.expiresAt <= call.now ? ", expired" : ""),
    ]);
    const heading = `The balance of ${email} is ${counted(balance, "credit")}.\n`;
    return {
      json: {
        balance,
        grants: grants.map(({ id, kind, amount, remaining, expiresAt }) => ({
          id,
          kind,
          amount,
          remaining,
          expiresAt: instantOrNull(expiresAt),
        })),
      },
      text:
        heading +
        (rows.length === 0
          ? ""
          : `\n${table(["grant", "kind", "amount", "remaining", "expires (UTC)"], rows)}`),
    };
  });
}
