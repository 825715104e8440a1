import { randomBase62 } from "#ids.ts";
import { random } from "../node/app-context.ts";
import { creditsFrom, readEnd } from "./arguments.ts";
import { type Command, ProblemDetails, WrongUsage } from "./command.ts";
import { command } from "./define-command.ts";
import { accountOf, statusOf } from "./deployment.ts";
import { option, word } from "./takes.ts";
import { counted, instantOrNull, minute, table, whole, withInstants } from "./text.ts";

/** `credits …`: giving credits and looking at them. */
export const CREDITS_COMMANDS: readonly Command[] = [
  command({
    name: "credits grant",
    summary: "Give an account N credits; they count at its next call",
    details: [
      "WHEN is a day (2027-01-31: spendable to the end of that day in UTC) or an instant with its offset (2027-01-31T12:00:00Z). Without it the credits never expire.",
      "Every call grants anew. With --id the grant has that name and is made once, however often the command is repeated.",
    ],
    example: "credits grant you@example.com 500 --expires 2099-12-31",
    takes: {
      email: word("<email>"),
      amount: word("<N>", creditsFrom(1, "The number of credits")),
      expires: option("WHEN", (text, name) => ({ text, at: readEnd(text, name) })),
      id: option("ID", readGrantId),
    },
    check({ expires }, { now }) {
      if (expires === undefined || expires.at > now) return;
      throw new ProblemDetails(
        `--expires ${expires.text} is in the past: these credits could never be spent. Name a later time.`,
      );
    },
    async run({ amount, expires, ...given }, session) {
      const { client, now } = session;
      const expiresAt = expires?.at ?? null;
      const { account, email } = await accountOf(session, given.email);
      const id = `operator:${given.id ?? randomBase62(16, random)}`;
      const made = await client.grant({ account, id, kind: "operator", amount, expiresAt, now });
      if (made.outcome === "no_account") {
        await statusOf(session, account);
        throw new ProblemDetails(`The account of ${email} is closed: it takes no credits.`);
      }
      const again = made.outcome === "already_granted";
      if (again && (made.grant.amount !== amount || made.grant.expiresAt !== expiresAt)) {
        throw new ProblemDetails(
          `The grant ${id} was made before, with ${counted(made.grant.amount, "credit")} and ${expiry(made.grant)}; it is left as it is. Use another --id for another grant.`,
        );
      }
      const { balance } = await client.credits({ account, now });
      return {
        json: { email, id, amount, expiresAt: instantOrNull(expiresAt), granted: !again, balance },
        text: again
          ? `The grant ${id} was made before; nothing was added. The balance of ${email} is ${whole(balance)}.\n`
          : `${email} was given ${counted(amount, "credit")}, with ${expiry(made.grant)}. The balance is ${whole(balance)}.\n`,
      };
    },
  }),
  command({
    name: "credits show",
    summary: "Show the balance of an account and its grants",
    details: [
      "Grants stand in the order in which they are spent; spent and expired ones come last.",
    ],
    example: "credits show you@example.com",
    takes: { email: word("<email>") },
    async run(given, session) {
      const { client, now } = session;
      const { account, email } = await accountOf(session, given.email);
      const { balance, grants } = await client.credits({ account, now });
      const rows = grants.map(({ id, kind, amount, remaining, expiresAt }) => [
        ...[id, kind, amount, remaining],
        minute(expiresAt, "never") + (expiresAt !== null && expiresAt <= now ? ", expired" : ""),
      ]);
      const heading = `The balance of ${email} is ${counted(balance, "credit")}.\n`;
      const headings = ["grant", "kind", "amount", "remaining", "expires (UTC)"];
      return {
        json: {
          balance,
          grants: grants.map(({ id, kind, amount, remaining, expiresAt }) =>
            withInstants({ id, kind, amount, remaining, expiresAt }),
          ),
        },
        text: rows.length === 0 ? heading : `${heading}\n${table(headings, rows)}`,
      };
    },
  }),
];

const GRANT_ID_CHARS_MAX = 100;

const expiry = ({ expiresAt }: { expiresAt: number | null }) =>
  expiresAt === null ? "no expiry" : `expiry on ${minute(expiresAt, "")} UTC`;

/** With or without the prefix that `credits show` shows. */
function readGrantId(text: string): string {
  const id = text.replace(/^operator:/, "");
  if (/^[\x21-\x7e]+$/.test(id) && id.length <= GRANT_ID_CHARS_MAX) return id;
  throw new WrongUsage(`--id must have 1 to ${GRANT_ID_CHARS_MAX} visible ASCII characters.`);
}
