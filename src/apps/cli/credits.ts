import { randomBase62 } from "#ids.ts";
import { everyGrant } from "#ledger/read-pages.ts";
import { random } from "../node/runtime.ts";
import { creditsFrom, readEnd } from "./arguments.ts";
import { type Command, CommandError, option, positional, UsageError } from "./command.ts";
import { accountOf, command, statusOf } from "./deployment.ts";
import { counted, instantOrNull, integer, minute, table, withInstants } from "./text.ts";

export const CREDITS_COMMANDS: readonly Command[] = [
  command({
    name: "credits grant",
    summary: "Grant an account N credits, available at its next call",
    details: [
      "WHEN is a date (2027-01-31: spendable to the end of that day in UTC) or a time with its offset (2027-01-31T12:00:00Z). Without --expires the credits never expire.",
      "Every run makes another grant. With --id the grant has that id, and repeating the command adds nothing.",
    ],
    example: "credits grant you@example.com 500 --expires 2099-12-31",
    parameters: {
      email: positional("<email>"),
      amount: positional("<N>", creditsFrom(1, "The number of credits")),
      expires: option("WHEN", (text, name) => ({ text, at: readEnd(text, name) })),
      id: option("ID", readGrantId),
    },
    check({ expires }, { now }) {
      if (expires === undefined || expires.at > now) return;
      throw new CommandError(
        `--expires ${expires.text} is in the past, so these credits could not be spent. Set a later time.`,
      );
    },
    async run({ amount, expires, ...args }, session) {
      const { client, now } = session;
      const expiresAt = expires?.at ?? null;
      const { account, email } = await accountOf(session, args.email);
      const id = `operator:${args.id ?? randomBase62(16, random)}`;
      const granted = await client.grant({ account, id, kind: "operator", amount, expiresAt, now });
      if (granted.outcome === "no_account") {
        await statusOf(session, account);
        throw new CommandError(`The account of ${email} is closed and cannot get credits.`);
      }
      const { outcome, grant } = granted;
      const isRepeated = outcome === "already_granted";
      if (isRepeated && (grant.amount !== amount || grant.expiresAt !== expiresAt)) {
        throw new CommandError(
          `The grant ${id} already exists, with ${counted(grant.amount, "credit")} and ${expiry(grant)}. Nothing was changed. Use another --id for another grant.`,
        );
      }
      const { balance } = await client.credits({ account, now, max: 0 });
      return {
        json: {
          email,
          id,
          amount,
          expiresAt: instantOrNull(expiresAt),
          granted: !isRepeated,
          balance,
        },
        text: isRepeated
          ? `The grant ${id} already exists. Nothing was added. The balance of ${email} is ${integer(balance)}.\n`
          : `Granted ${counted(amount, "credit")} to ${email}, with ${expiry(grant)}. The balance is ${integer(balance)}.\n`,
      };
    },
  }),
  command({
    name: "credits show",
    summary: "Show the balance of an account and its grants",
    details: [
      "Grants are listed in the order in which they are spent. Spent and expired grants come last, newest first.",
    ],
    example: "credits show you@example.com",
    parameters: { email: positional("<email>") },
    async run(args, session) {
      const { client, now } = session;
      const { account, email } = await accountOf(session, args.email);
      const { balance } = await client.credits({ account, now, max: 0 });
      const grants = await everyGrant(client, { account, now });
      const rows = grants.map(({ id, kind, amount, remaining, expiresAt }) => [
        id,
        kind,
        amount,
        remaining,
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

/** Accepts an id with or without the prefix that `credits show` prints. */
function readGrantId(text: string): string {
  const id = text.replace(/^operator:/, "");
  if (/^[\x21-\x7e]+$/.test(id) && id.length <= GRANT_ID_CHARS_MAX) return id;
  throw new UsageError(`--id must have 1 to ${GRANT_ID_CHARS_MAX} visible ASCII characters.`);
}
